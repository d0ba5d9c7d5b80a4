"""What the index is to reach, and whether a run has.

Times are compared by processor time where both sides have it, which other programs on a shared
machine do not lengthen; else by wall time.
"""

import dataclasses

from figures import short

OURS = "geoservice"
BOOST, GRID = "boost R-tree, 3-D", "sorted grid, 100 m"
TIPPECANOE = "tippecanoe, clusters"
SQLITE = "sqlite3 .import"
SUPERCLUSTER, NGINX = "pysupercluster", "nginx static"
LIBPNG = "libpng level 6"


@dataclasses.dataclass(frozen=True)
class Aim:
    """A bound on a benchmark's figure: a number, or a factor of a peer's or another one's."""

    operation: str
    # Sizes at which it is judged.
    sizes: tuple
    # p50, p99, mean, rate (requests a second)
    figure: str
    bound: float
    # The peer that the bound is a factor of.
    peer: str = ""
    # The benchmark of ours that the bound is a factor of.
    other: str = ""
    # Whether more is better.
    least: bool = False
    # What the bound counts.
    unit: str = "us"

    def text(self):
        """The aim in words."""
        sign = "≥" if self.least else "≤"
        if self.peer or self.other:
            return f"{self.figure} {sign} {self.bound:g} × {self.peer or self.other}"
        return f"{self.figure} {sign} {short(self.bound, self.unit)}"


LARGE = ("1M", "10M")
AIMS = (
    Aim("index.build", ("1M",), "p50", 0.15e6),
    Aim("index.build", ("10M",), "p50", 1.6e6),
    Aim("index.memory", LARGE, "p50", 48, unit="B"),
    Aim("index.memory-edited", LARGE, "p50", 72, unit="B"),
    Aim("index.memory-anywhere", LARGE, "p50", 72, unit="B"),
    Aim("index.nearest", LARGE, "mean", 0.8, peer=BOOST),
    Aim("index.radius-ids", ("1M",), "mean", 1, peer=GRID),
    Aim("index.radius", ("1M",), "mean", 2, peer=GRID),
    Aim("index.clusters", LARGE, "p50", 0.5, peer=SUPERCLUSTER),
    Aim("index.clusters", LARGE, "p99", 0.5, peer=SUPERCLUSTER),
    Aim("index.clusters20", LARGE, "p50", 0.5, peer=SUPERCLUSTER),
    Aim("index.clusters20", LARGE, "p99", 0.5, peer=SUPERCLUSTER),
    Aim("index.clusters-kind", ("1M",), "p50", 2, other="index.clusters"),
    Aim("index.leaves", LARGE, "p50", 1e3),
    Aim("index.low-zooms-cold", LARGE, "p99", 40e3),
    Aim("index.low-zooms", LARGE, "p99", 3e3),
    Aim("tile.low-heat-cold", LARGE, "p99", 40e3),
    Aim("tile.low-heat", LARGE, "p99", 3e3),
    Aim("tile.heat", ("1M",), "p50", 1.2e3),
    Aim("tile.heat", ("1M",), "p99", 2.5e3),
    Aim("tile.heat", ("10M",), "p50", 2e3),
    Aim("tile.clusters", ("1M",), "p50", 0.4e3),
    Aim("tile.points", ("1M",), "p50", 1e3),
    Aim("tile.png", ("1M",), "mean", 1.2, other="tile.png-deflate"),
    Aim("tile.png-size", ("1M",), "mean", 1.3, peer=LIBPNG),
    Aim("tile.mvt-clusters", ("1M",), "p50", 0.15e3),
    Aim("tile.basemap", ("1M",), "p50", 8e3),
    Aim("tile.basemap-anywhere", ("1M",), "p50", 8e3),
    Aim("tile.expiring", LARGE, "p99", 2, other="tile.unexpiring"),
    Aim("index.move", ("1M",), "p99", 60),
    Aim("index.move", ("10M",), "p99", 120),
    Aim("index.move-anywhere", ("1M",), "p99", 60),
    Aim("index.move-anywhere", ("10M",), "p99", 120),
    Aim("index.moves", ("1M",), "mean", 100_000, least=True, unit="moves/s"),
    Aim("http.tile", LARGE, "rate", 0.8, peer=NGINX, least=True),
    Aim("http.tile-304", LARGE, "rate", 0.8, peer=NGINX, least=True),
    Aim("http.tile-writes", LARGE, "rate", 0.4, peer=NGINX, least=True),
    Aim("http.cluster-tiles", ("1M",), "rate", 2_500, least=True, unit="requests/s"),
    Aim("http.singles", LARGE, "p50", 15e3),
    Aim("http.where", LARGE, "p50", 2),
    Aim("parse.get", ("1M",), "rate", 20_000, least=True, unit="requests/s"),
    Aim("parse.pointer", ("1M",), "rate", 5_000, least=True, unit="requests/s"),
    Aim("parse.near", ("1M",), "rate", 8_000, least=True, unit="requests/s"),
    Aim("parse.create", ("1M",), "rate", 8_000, least=True, unit="requests/s"),
    Aim("export.pmtiles-vector", ("1M",), "p50", 18e6),
    Aim("export.pmtiles-vector", ("1M",), "p50", 0.33, peer=TIPPECANOE),
    # 0.4 of its rate.
    Aim("import.csv", LARGE, "p50", 2.5, peer=SQLITE),
    Aim("start.snapshot", ("10M",), "p50", 3e6),
)


def verdicts(records, size, prefix):
    """A line for each aim at this size: benchmark, aim, what was found, met or not.

    Aims of benchmarks that no record is of have a line too, when they were asked for.
    """
    found = {(record["name"], record["who"]): record for record in records}
    for record in records:
        if record["who"] != OURS:
            continue
        operation, suffix = split(record["name"])
        for aim in AIMS:
            if aim.operation == operation and size in aim.sizes:
                yield record["name"], *judged(aim, record, found, suffix)
        for verdict in record.get("verdicts", ()):
            yield (record["name"], verdict["aim"], verdict["found"],
                   "met" if verdict["met"] else "missed")
    measured = {split(record["name"])[0] for record in records if record["who"] == OURS}
    for aim in AIMS:
        if (aim.operation not in measured and size in aim.sizes
                and aim.operation.startswith(prefix)):
            yield aim.operation, aim.text(), "", "not measured"


def split(name):
    """The operation, and the input with its size."""
    parts = name.split(".")
    return ".".join(parts[:2]), ".".join(parts[2:])


def judged(aim, record, found, suffix):
    """An aim in words, what was found, met or not."""
    if "absent" in record:
        return aim.text(), record["absent"], "not there yet"
    if not (aim.peer or aim.other):
        return verdict(aim, value(record, aim.figure, [record]), aim.unit)
    against = found.get((record["name"], aim.peer) if aim.peer else (f"{aim.other}.{suffix}", OURS))
    if not against or "absent" in against:
        return aim.text(), f"{aim.peer or aim.other} was not in the run", "not judged"
    both = [record, against]
    ratio = value(record, aim.figure, both) / value(against, aim.figure, both)
    return verdict(aim, ratio, "times")


def verdict(aim, figure, unit):
    is_met = figure >= aim.bound if aim.least else figure <= aim.bound
    return aim.text(), short(figure, unit), "met" if is_met else "missed"


def value(record, figure, all_of):
    """A figure by the best clock that all have."""
    clock = "cpu" if all(figure in one.get("cpu", ()) for one in all_of) else "wall"
    return record[clock][figure]
