"""The clusters of docs/clusters.md, carried out word by word over all cells of the world."""

import math
from collections import defaultdict

WORLD = 1 << 32
LIMIT = 85.0511287798066


def project(lon, lat):
    """A place on the Mercator plane in whole units, from degrees rounded to 1e-7."""
    lon, lat = round(lon, 7), round(lat, 7)
    x = math.floor((lon + 180) / 360 * WORLD) % WORLD
    sine = math.sin(math.radians(min(max(lat, -LIMIT), LIMIT)))
    y = math.floor((0.5 - math.log((1 + sine) / (1 - sine)) / (4 * math.pi)) * WORLD)
    return x, min(max(y, 0), WORLD - 1)


def cell_level(zoom, radius):
    side = 1
    while 2 * (2 * side) ** 2 <= radius * radius:
        side *= 2
    return zoom + 8 - int(math.log2(side))


def cell_key(x, y, level):
    key = 0
    for bit in range(level):
        key = key * 4 + (y >> (31 - bit) & 1) * 2 + (x >> (31 - bit) & 1)
    return key


def mixed(key):
    mask = (1 << 64) - 1
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9 & mask
    key = (key ^ key >> 27) * 0x94d049bb133111eb & mask
    return key ^ key >> 31


def clusters(places, zoom, radius=40):
    """`{cluster id: (x, y, names of the members)}` of `{name: (lon, lat)}`."""
    level = cell_level(zoom, radius)
    reach = radius * 2 ** (24 - zoom)
    cells = defaultdict(list)
    for name, (lon, lat) in places.items():
        x, y = project(lon, lat)
        cells[cell_key(x, y, level)].append((name, x, y))
    ordered = sorted(
        cells, key=lambda key: (-int(math.log2(len(cells[key]))), mixed(key)))
    points = {
        key: (sum(x for _, x, _ in cell) // len(cell), sum(y for _, _, y in cell) // len(cell))
        for key, cell in cells.items()}
    seeds = {}
    for key in ordered:
        x, y = points[key]
        owner = key
        for seed in seeds:
            apart = abs(points[seed][0] - x)
            apart = min(apart, WORLD - apart)
            if apart * apart + (points[seed][1] - y) ** 2 < reach * reach:
                owner = seed
                break
        seeds.setdefault(owner, []).extend(name for name, _, _ in cells[key])
    return {4 ** level + key: (*points[key], sorted(names)) for key, names in seeds.items()}
