"""Places for tests: the same ones for the same seed."""

import random

#: Where the towns are, and the kind that is commonest there.
TOWNS = {
    "berlin": (13.405, 52.52, "event"),
    "lima": (-77.04, -12.05, "trade"),
    "suva": (178.44, -18.14, "photo"),
    "taveuni": (-179.98, -16.8, "track"),
    "tromso": (18.96, 69.65, "marker"),
}
KINDS = ["marker", "event", "trade", "photo", "track"]


def rows(per_town, seed):
    """Lists of id, lon, lat, kind, title; most of a town's places are near its middle."""
    generator = random.Random(seed)
    made = []
    for town, (lon, lat, kind) in TOWNS.items():
        for number in range(per_town):
            reach = 0.3 * generator.random() ** 3
            place_lon = lon + reach * generator.uniform(-1, 1)
            place_lon = (place_lon + 180) % 360 - 180
            made.append([
                f"{town}-{number}", round(place_lon, 6),
                round(lat + reach * generator.uniform(-1, 1), 6),
                kind if generator.random() < 0.6 else generator.choice(KINDS),
                f"{town.title()} {number}",
            ])
    return made


def csv_text(table):
    """The rows as CSV with a heading."""
    lines = ["id,lon,lat,kind,title"]
    lines += [",".join(map(str, row)) for row in table]
    return "\n".join(lines) + "\n"
