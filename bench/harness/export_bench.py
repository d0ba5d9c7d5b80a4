"""A layer's vector tiles, zooms 0 to 14, as one file: by our command, and by tippecanoe.

Both have all processors. Ours reads its data folder, tippecanoe lines of GeoJSON, each from files in
the system's cache.
"""

import gzip
import os
import pathlib
import subprocess
import sys
import time

import mapbox_vector_tile
from pmtiles.reader import MmapSource, Reader, all_tiles

import commands
import measure
import servers
from data_folder import LAYER

NAME = "export.pmtiles-vector"
MAX_ZOOM = 14
# At which all objects are counted in our archive.
COUNTED_ZOOMS = (0, 4, 8)
# Clusters, and nothing dropped: what ours does. Runs of each: tippecanoe takes a minute.
PEER_OPTIONS = ("-r1", "--cluster-distance=20", "--no-feature-limit", "--no-tile-size-limit")
PEER = "tippecanoe, clusters"


def records(binary, data, directory, options, count):
    """Ours, then the peer's."""
    name = f"{NAME}.city.{options.size}"
    ours = directory / "ours.pmtiles"
    command = [binary, "export", "--layer", LAYER, "--data", data, "--maxzoom", MAX_ZOOM,
               "--overwrite", "-o", ours]
    commands.announce(name)
    yield record(name, "geoservice", command, options.runs, check=checked(ours, count),
                 note=f"{{tiles}} tiles, zooms 0 to {MAX_ZOOM}, on all processors")
    tippecanoe = pathlib.Path(sys.executable).with_name("tippecanoe")
    if options.no_peers:
        return
    if not tippecanoe.exists():
        commands.leave_out("tippecanoe", "it is not installed")
        return
    commands.announce(f"tippecanoe on city.{options.size}")
    points = directory / "points.geojsonl"
    with open(points, "wb") as file:
        subprocess.run([binary, "synth", "--points", str(count), "--format", "geojsonl"],
                       stdout=file, check=True)
    theirs = directory / "theirs.pmtiles"
    command = [tippecanoe, "--quiet", "--force", "-P", "-l", LAYER, "-z", MAX_ZOOM, *PEER_OPTIONS,
               "-t", directory, "-o", theirs, points]
    yield record(name, PEER, command, 1, check=lambda: tile_count(theirs),
                 note="{tiles} tiles, from lines of GeoJSON")


def record(name, who, command, runs, check, note):
    """The times of a command, from its start to its end."""
    walls, processors = [], []
    for _ in range(runs):
        wall, processor = timed(command)
        walls.append(wall)
        processors.append(processor)
    return {"name": name, "who": who, "unit": "us", "calls": 1, "runs": runs,
            "wall": measure.spread(walls), "cpu": measure.spread(processors),
            "check": "objects of some zooms counted by another reader",
            "note": note.format(tiles=check())}


def timed(command):
    """Microseconds of wall and of all processors that a command took."""
    begin = time.perf_counter_ns()
    process = subprocess.Popen(
        [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, env=servers.environment())
    complaint = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = (time.perf_counter_ns() - begin) / 1e3
    if process.returncode != 0:
        raise commands.Failure(f"{command[0]} ended with {process.returncode}: {complaint[-300:]}")
    return wall, (usage.ru_utime + usage.ru_stime) * 1e6


def tile_count(archive):
    with open(archive, "rb") as file:
        return Reader(MmapSource(file)).header()["addressed_tiles_count"]


def checked(archive, count):
    """Counts all objects of some zooms in an archive of ours; gives its number of tiles."""
    def check():
        found = dict.fromkeys(COUNTED_ZOOMS, 0)
        with open(archive, "rb") as file:
            for (zoom, _, _), data in all_tiles(Reader(MmapSource(file)).get_bytes):
                if zoom in found:
                    found[zoom] += owned(gzip.decompress(data))
        measure.check(set(found.values()) == {count}, f"{NAME}: {found} of {count} objects")
        return tile_count(archive)
    return check


def owned(tile):
    """How many objects the features stand for that lie in the tile, not in its buffer."""
    features = mapbox_vector_tile.decode(tile, default_options={"y_coord_down": True})[LAYER]
    return sum(feature["properties"].get("point_count", 1) for feature in features["features"]
               if all(0 <= edge < 4096 for edge in feature["geometry"]["coordinates"]))
