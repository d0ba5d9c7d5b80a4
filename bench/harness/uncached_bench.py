"""Cluster tiles over HTTP that are in no cache: each is gathered, drawn, encoded and sent."""

import array
import math
import random

import commands
import data_folder
import http_bench
import servers
import wrk

# The least that the service takes, in MiB: the tiles below are several times as much.
CACHE = "1"
TILES = 3_000
ZOOMS = range(8, 17)


def records(binary, data, folder, directory, options, count):
    """Our record: nobody else draws such tiles."""
    commands.announce(f"http.cluster-tiles.city.{options.size}")
    directory = directory / "uncached"
    directory.mkdir()
    server = servers.start_service(
        binary, data_folder.copied(data, directory),
        settings={"GEOSERVICE_TILE_CACHE_MB": CACHE})
    try:
        paths = tile_paths(folder)
        bodies = [http_bench.get(server.port, path) for path in paths[:20]]
        if any(status != 200 for status, _, _ in bodies):
            raise commands.Failure("a tile is not answered by 200")
        runs = [
            wrk.load(server, wrk.by_turns(paths), http_bench.SECONDS, directory,
                     preexec_fn=servers.use_other_processors)
            for _ in range(options.runs)]
        if [http_bench.get(server.port, path) for path in paths[:20]] != bodies:
            raise commands.Failure("a tile drawn anew is not the first one")
        size = sum(len(body) for _, _, body in bodies) // len(bodies)
        record = wrk.record(f"http.cluster-tiles.city.{options.size}", "geoservice", runs)
        record["check"] = "all answers 2xx, some compared before and after"
        record["note"] = (
            f"{len(paths)} tiles by turns at zooms {ZOOMS[0]} to {ZOOMS[-1]}, about {size} bytes "
            f"each; a cache of {CACHE} MiB never has the next one")
        record["bytesPerObject"] = server.resident_bytes() / count
        yield record
    finally:
        server.stop()


def tile_paths(folder):
    """Different tiles round objects, the same ones in each run."""
    points = array.array("d")
    with open(folder / "points.f64", "rb") as file:
        points.frombytes(file.read())
    chance = random.Random(5)
    tiles = {}
    for _ in range(20 * TILES):
        number = chance.randrange(len(points) // 2)
        zoom = chance.choice(ZOOMS)
        lon, lat = points[2 * number], math.radians(max(-85, min(85, points[2 * number + 1])))
        column = int((lon + 180) / 360 * 2 ** zoom) % 2 ** zoom
        row = int((1 - math.asinh(math.tan(lat)) / math.pi) / 2 * 2 ** zoom)
        tiles[f"/tiles/{data_folder.LAYER}/{zoom}/{column}/{row}.png"] = True
        if len(tiles) == TILES:
            break
    return list(tiles)
