"""Mapnik: tiles of all objects as markers, as PNG, from SQLite with its spatial index.

    mapnik_tiles.py POINTS.f64 FOLDER SUFFIX …     FOLDER has tiles.csv

A tile takes up to seconds, so that it draws a twentieth of the tiles, once, whatever the runs.
"""

import os
import sqlite3
import struct
import sys
import tempfile

import mapnik
import measure
import truth

TILE_PIXELS = 256
TILES = 200
DRAWN = 10
MARGIN_PIXELS = 4
MOST_OBJECTS = 1_000_000
HALF_WORLD_METERS = 3.141592653589793 * truth.MERCATOR_RADIUS_METERS


def table(objects, file):
    """A table of points, of which Mapnik makes its index when it first reads it."""
    east, north = objects.mercator()
    base = sqlite3.connect(file)
    base.execute("CREATE TABLE points (id INTEGER PRIMARY KEY, place BLOB)")
    base.executemany(
        "INSERT INTO points (place) VALUES (?)",
        ((struct.pack("<BIdd", 1, 1, x, y),) for x, y in zip(east.tolist(), north.tolist())))
    base.commit()
    base.close()
    return mapnik.SQLite(
        file=file, table="points", geometry_field="place", key_field="id", wkb_format="generic")


def map_of(source, overlaps):
    """A map with a marker for each object, or for those that overlap none before."""
    markers = mapnik.MarkersSymbolizer()
    markers.allow_overlap = overlaps
    markers.fill = mapnik.Color("#1c62c9")
    markers.width = mapnik.Expression("6")
    markers.height = mapnik.Expression("6")
    rule = mapnik.Rule()
    rule.symbols.append(markers)
    style = mapnik.Style()
    style.rules.append(rule)
    drawing = mapnik.Map(TILE_PIXELS, TILE_PIXELS, "epsg:3857")
    drawing.buffer_size = MARGIN_PIXELS
    drawing.append_style("points", style)
    layer = mapnik.Layer("points", "epsg:3857")
    layer.datasource = source
    layer.styles.append("points")
    drawing.layers.append(layer)
    return drawing


def box(zoom, column, row):
    edge = 2 * HALF_WORLD_METERS / 2 ** zoom
    west, top = column * edge - HALF_WORLD_METERS, HALF_WORLD_METERS - row * edge
    return mapnik.Box2d(west, top - edge, west + edge, top)


def picture(drawing, extent):
    """The bytes of a tile's file, with a palette as ours."""
    drawing.zoom_to_box(extent)
    image = mapnik.Image(TILE_PIXELS, TILE_PIXELS)
    mapnik.render(drawing, image)
    return image.tostring("png8:z=1")


def main(points, folder, suffix):
    objects = truth.Truth(points)
    if len(objects) > MOST_OBJECTS:
        sys.exit("with more than a million objects a tile takes half a minute")
    east, north = objects.mercator()
    tiles = [box(*tile) for tile in truth.questions(folder, "tiles.csv", TILES)]
    tiles = measure.sample(tiles, DRAWN)
    with tempfile.TemporaryDirectory() as work:
        source = table(objects, os.path.join(work, "points.sqlite"))
        for extent in tiles[:2]:
            query = mapnik.Query(extent)
            found = sum(1 for _ in source.features(query))
            inside = int(((east >= extent.minx) & (east <= extent.maxx)
                          & (north >= extent.miny) & (north <= extent.maxy)).sum())
            measure.check(abs(found - inside) <= 2, f"{found} objects on a tile, not {inside}")
        for who, overlaps in (("Mapnik", True), ("Mapnik, no overlaps", False)):
            drawing = map_of(source, overlaps)
            walls, processors, size = [], [], 0
            for extent in tiles:
                file, wall, processor = measure.timed(lambda: picture(drawing, extent))
                walls.append(wall)
                processors.append(processor)
                size += len(file)
            measure.report(
                f"tile.points.{suffix}", who, unit="us", wall=measure.spread(walls),
                cpu=measure.spread(processors), calls=len(tiles), runs=1,
                note=f"{size // len(tiles)} bytes a file", check="counts of objects on two tiles")


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2], sys.argv[3])
    except measure.WrongResult as failure:
        sys.exit(str(failure))
