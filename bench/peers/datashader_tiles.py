"""datashader: heat tiles as PNG, one thread, from all objects in memory.

    datashader_tiles.py POINTS.f64 FOLDER SUFFIX RUNS     FOLDER has tiles.csv

It counts objects on pixels and colours the counts; "spread" widens each pixel to the radius of our
kernel. A tile's objects are found beforehand, which its time does not contain: it has no index.
"""

import os
import sys

os.environ.setdefault("NUMBA_NUM_THREADS", "1")

import datashader
import datashader.transfer_functions as shading
import measure
import numpy
import pandas
import truth

TILE_PIXELS = 256
RADIUS_PIXELS = 24
TILES = 200
HALF_WORLD_METERS = numpy.pi * truth.MERCATOR_RADIUS_METERS
COLORS = ["#451a78", "#cf3a58", "#fbbc3c", "#fcf7b0"]


def tiles(objects, folder):
    """Of each tile the objects on it and round it, and its box in metres."""
    east, north = objects.mercator()
    found = []
    for zoom, column, row in truth.questions(folder, "tiles.csv", TILES):
        edge = 2 * HALF_WORLD_METERS / 2 ** zoom
        west, top = column * edge - HALF_WORLD_METERS, HALF_WORLD_METERS - row * edge
        margin = edge * RADIUS_PIXELS / TILE_PIXELS
        inside = ((east >= west - margin) & (east < west + edge + margin)
                  & (north <= top + margin) & (north > top - edge - margin))
        found.append((pandas.DataFrame({"x": east[inside], "y": north[inside]}),
                      (west, west + edge), (top - edge, top)))
    return found


def counts(tile):
    points, x_range, y_range = tile
    canvas = datashader.Canvas(TILE_PIXELS, TILE_PIXELS, x_range=x_range, y_range=y_range)
    return canvas.points(points, "x", "y", datashader.count())


def picture(tile, radius):
    """The bytes of a tile's file."""
    image = shading.shade(counts(tile), cmap=COLORS, how="cbrt")
    if radius:
        image = shading.spread(image, px=radius)
    return image.to_bytesio("PNG").getvalue()


def main(points, folder, suffix, runs):
    found = tiles(truth.Truth(points), folder)
    for tile in measure.sample(found):
        frame, (west, east), (south, north) = tile
        inside = int(((frame.x >= west) & (frame.x < east)
                      & (frame.y > south) & (frame.y <= north)).sum())
        measure.check(abs(int(counts(tile).sum()) - inside) <= 2, f"{inside} objects on a tile")
    for who, radius in (("datashader", 0), ("datashader, spread", RADIUS_PIXELS)):
        for tile in found[:5]:
            picture(tile, radius)
        walls, processors, size = [], [], 0
        for _ in range(runs):
            wall_times, processor_times, size = [], [], 0
            for tile in found:
                file, wall, processor = measure.timed(lambda: picture(tile, radius))
                wall_times.append(wall)
                processor_times.append(processor)
                size += len(file)
            walls.append(measure.spread(wall_times))
            processors.append(measure.spread(processor_times))
        measure.report(
            f"tile.heat.{suffix}", who, unit="us", wall=measure.median_of(walls),
            cpu=measure.median_of(processors), calls=len(found), runs=runs,
            note=f"{sum(len(tile[0]) for tile in found) // len(found)} objects a tile, found "
                 f"beforehand; {size // len(found)} bytes a file",
            check="counts of objects on some tiles")


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
    except measure.WrongResult as failure:
        sys.exit(str(failure))
