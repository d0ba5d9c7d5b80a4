"""Where an object with a `locationAccuracy` is shown, by docs/layers.md word by word."""

import math

EARTH_RADIUS = 6371008.8
POLE_TO_POLE = 1_800_000_000


def level(meters):
    height, found = math.pi * EARTH_RADIUS, 0
    while found < 26 and height / 2 >= meters:
        height, found = height / 2, found + 1
    return found


def cell(lon, lat, meters):
    """The cell in whole units of 1e-7 degrees from the south-west of the world: its west, south,
    east and north; a place on the west or south edge is in it."""
    rows = 1 << level(meters)
    north, east = round(lat * 1e7) + 900_000_000, (round(lon * 1e7) + 1_800_000_000) % 3_600_000_000
    row = min(north * rows // POLE_TO_POLE, rows - 1)
    from_pole, columns = min(row, rows - 1 - row), 1
    while from_pole and 2 * columns <= 2 * rows * math.sin(from_pole / rows * math.pi):
        columns *= 2
    column = east * columns // (2 * POLE_TO_POLE)
    return (column * 2 * POLE_TO_POLE / columns, row * POLE_TO_POLE / rows,
            (column + 1) * 2 * POLE_TO_POLE / columns, (row + 1) * POLE_TO_POLE / rows)


def inside(lon, lat, meters, across, up):
    """A place in the same cell: `across` and `up` from 0 to 1 of its way from the south-west."""
    west, south, east, north = cell(lon, lat, meters)
    return (math.ceil(west + across * (east - west - 2)) / 1e7 - 180,
            math.ceil(south + up * (north - south - 2)) / 1e7 - 90)


def shown(lon, lat, meters):
    """The place that everybody but the owner sees."""
    rows = 1 << level(meters)
    west, south, east, north = cell(lon, lat, meters)
    columns = round(2 * POLE_TO_POLE / (east - west))
    column, row = round(west * columns / (2 * POLE_TO_POLE)), round(south * rows / POLE_TO_POLE)
    return (((2 * column + 1) * 2 * POLE_TO_POLE // (2 * columns) - 1_800_000_000) / 1e7,
            ((2 * row + 1) * POLE_TO_POLE // (2 * rows) - 900_000_000) / 1e7)


def metres(one, other):
    (lon1, lat1), (lon2, lat2) = (map(math.radians, place) for place in (one, other))
    half = (math.sin((lat2 - lat1) / 2) ** 2
            + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2)
    return 2 * EARTH_RADIUS * math.asin(math.sqrt(half))
