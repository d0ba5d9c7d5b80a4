"""Hotspots of docs/hotspots.md, carried out word by word over all pixels that have a density."""

import math
from collections import Counter, defaultdict

from clusters import cell_key, project

RADIUS = 24
EARTH_RADIUS = 6371008.8
WEIGHT_UNIT = 256


def factors():
    """2^31 · 2^(-i / 4096) from square roots, which IEEE 754 rounds alike everywhere."""
    roots, root = [], 0.5
    for _ in range(12):
        root = math.sqrt(root)
        roots.append(root)
    table = []
    for step in range(4096):
        factor = 2.0 ** 31
        for bit in range(12):
            if step >> (11 - bit) & 1:
                factor *= roots[bit]
        table.append(math.floor(factor + 0.5))
    return table


FACTORS = factors()


def faded(weight, time, now, half_life):
    """A weight in 1/256 after its age; times in milliseconds, the half-life in minutes."""
    age = max(0, now // 60_000 - time // 60_000)
    steps = age * 4096 // half_life
    shift = 31 + steps // 4096
    if shift > 63:
        return 0
    return (weight * FACTORS[steps % 4096] + (1 << (shift - 1))) >> shift


def pixel_of(lon, lat, zoom):
    x, y = project(lon, lat)
    return x >> (24 - zoom), y >> (24 - zoom)


def field(weights, zoom, radius=RADIUS):
    """`{(column, row): density}` of `{(column, row): weight}`: along the rows, then down."""
    size = 256 << zoom
    kernel = {d: (radius * radius - d * d) ** 2 for d in range(1 - radius, radius)}
    shift = int(math.log2(radius ** 4))
    rows = defaultdict(int)
    for (x, y), weight in weights.items():
        for distance, tap in kernel.items():
            rows[(x + distance) % size, y] += weight * tap
    densities = defaultdict(int)
    for (x, y), value in rows.items():
        rounded = (value + (1 << shift) // 2) >> shift
        for distance, tap in kernel.items():
            if 0 <= y + distance < size:
                densities[x, y + distance] += rounded * tap
    return densities


def is_maximum(densities, place, zoom, reach):
    size = 256 << zoom
    density = densities[place]
    for ring in range(1, reach):
        for step in range(-ring, ring + 1):
            for across, down in ((step, -ring), (step, ring), (-ring, step), (ring, step)):
                if across * across + down * down >= reach * reach:
                    continue
                other = ((place[0] + across) % size, place[1] + down)
                rival = densities.get(other, 0)
                if rival > density:
                    return False
                if rival == density and code(other) < code(place):
                    return False
    return True


def code(pixel):
    """A pixel's place along the Z-curve."""
    return cell_key(pixel[0], pixel[1], 32)


def hotspots(objects, zoom, radius=RADIUS):
    """The hotspots of `(lon, lat, weight, kind)`, the hottest first; without what has faded away."""
    size = 256 << zoom
    weights, kinds = defaultdict(int), defaultdict(list)
    total = squares = 0
    for lon, lat, weight, kind in objects:
        pixel = pixel_of(lon, lat, zoom)
        kinds[pixel].append(kind)
        if weight == 0:
            continue
        weights[pixel] += weight
        total += weight
        squares += weight * weight
    if not weights:
        return []
    area = len({(x // 64, y // 64) for x, y in weights}) * 4096
    taps = [(radius * radius - d * d) ** 2 for d in range(1 - radius, radius)]
    unit = float(1 << int(math.log2(radius ** 4)))
    mean = float(total) * sum(taps) * sum(taps) / unit / area
    axis = float(sum(tap * tap for tap in taps))
    deviation = math.sqrt(float(squares) * axis * axis / area) / unit
    densities = field(weights, zoom, radius)
    reach = max(24, radius)
    found = []
    for place in list(densities):
        score = (densities[place] - mean) / deviation
        if math.floor(score * 100 + 0.5) <= 0 or not is_maximum(densities, place, zoom, reach):
            continue
        members = []
        for (x, y), names in kinds.items():
            across = abs(x - place[0])
            across = min(across, size - across)
            if across ** 2 + (y - place[1]) ** 2 < radius ** 2:
                members += names
        lon = (place[0] + 0.5) / size * 360 - 180
        lat = math.degrees(math.atan(math.sinh(math.pi * (1 - 2 * (place[1] + 0.5) / size))))
        cell = cell_key(place[0] << (24 - zoom), place[1] << (24 - zoom), zoom + 4)
        found.append({
            "id": 4 ** (zoom + 4) + cell,
            "score": math.floor(score * 100 + 0.5) / 100,
            "lon": lon, "lat": lat, "count": len(members),
            "kinds": dict(Counter(kind for kind in members if kind)),
            "radius": radius * 2 * math.pi * EARTH_RADIUS / size * math.cos(math.radians(lat)),
            "density": densities[place], "pixel": place,
        })
    return sorted(found, key=lambda spot: (-spot["score"], spot["id"]))
