"""GDAL as a client: pictures by an XYZ description, vector tiles over HTTP, and archives as files."""

import json
import subprocess

import png
import pyogrio.raw
import pytest
from service import MASTER

WMS = """<GDAL_WMS>
  <Service name="TMS"><ServerUrl>{address}/tiles/{layer}/${{z}}/${{x}}/${{y}}.png</ServerUrl></Service>
  <DataWindow>
    <UpperLeftX>-20037508.342789244</UpperLeftX><UpperLeftY>20037508.342789244</UpperLeftY>
    <LowerRightX>20037508.342789244</LowerRightX><LowerRightY>-20037508.342789244</LowerRightY>
    <TileLevel>{zoom}</TileLevel><TileCountX>1</TileCountX><TileCountY>1</TileCountY>
    <YOrigin>top</YOrigin>
  </DataWindow>
  <Projection>EPSG:3857</Projection>
  <BlockSizeX>256</BlockSizeX><BlockSizeY>256</BlockSizeY><BandsCount>4</BandsCount>
</GDAL_WMS>
"""


def gdal(program, *arguments):
    """Runs one of GDAL's programs and gives what it says."""
    done = subprocess.run(
        [program, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and "ERROR" not in done.stderr, (done.stdout, done.stderr)
    return done.stdout


def features(source, sql, *options):
    """The single number that a statement gives."""
    text = gdal("ogrinfo", "-ro", "-q", *options, source, "-sql", sql)
    return int(float(text.rsplit("=", 1)[1]))


def rows_of(picture, tmp_path, *window):
    """A part of a raster source as rows of RGBA."""
    output = tmp_path / "part.png"
    gdal("gdal_translate", "-q", "-of", "PNG", "-srcwin", *window, picture, output)
    return png.decode(output.read_bytes())[2]


@pytest.fixture(scope="module")
def archives(towns, tmp_path_factory):
    """Archives of the running service, as files, by tiles and container."""
    folder, files = tmp_path_factory.mktemp("archives"), {}
    for tiles in ("vector", "raster"):
        for form in ("mbtiles", "pmtiles"):
            answer = towns.request("GET", "/export/Towns", headers=MASTER, query={
                "format": form, "tiles": tiles, "maxzoom": 5})
            assert answer.status == 200, answer.body
            files[tiles, form] = folder / f"{tiles}.{form}"
            files[tiles, form].write_bytes(answer.body)
    return files


def visible(rows):
    """Rows in which all that is clear is alike: what colour it would have plays no part."""
    return [[pixel if pixel[3] else (0, 0, 0, 0) for pixel in row] for row in rows]


def test_xyz_pictures_are_the_tiles(towns, tmp_path):
    description = tmp_path / "towns.xml"
    description.write_text(WMS.format(address=towns.address, layer="Towns", zoom=3))
    information = json.loads(gdal("gdalinfo", "-json", description))
    assert information["size"] == [2048, 2048]
    # A tile in the east of Europe.
    rows = rows_of(description, tmp_path, 4 * 256, 2 * 256, 256, 256)
    tile = png.decode(towns.get("/tiles/Towns/3/4/2.png").body)[2]
    assert visible(rows) == visible(tile) and any(pixel[3] for row in tile for pixel in row)


@pytest.mark.parametrize("zoom", [2, 3])
def test_vector_tiles_over_http_hold_all_objects(towns, zoom):
    source = f"MVT:{towns.address}/tiles/Towns/{zoom}"
    options = ("-oo", "TILE_EXTENSION=mvt", "-oo", f"METADATA_FILE={towns.address}/tiles/Towns.json")
    singles = features(source, "SELECT COUNT(*) FROM Towns WHERE objectId IS NOT NULL", *options)
    clusters = features(source, "SELECT SUM(point_count) FROM Towns WHERE point_count > 1", *options)
    assert singles + clusters == len(towns.rows)


def test_an_mbtiles_of_vector_tiles(towns, archives):
    source = archives["vector", "mbtiles"]
    said = gdal("ogrinfo", "-ro", "-so", source, "Towns")
    assert "Geometry: Point" in said or "Geometry: Multi Point" in said or "Geometry: Unknown" in said
    assert "point_count: " in said and "kind: String" in said
    # At zoom 1 a cluster is drawn on 180° to the unit, which GDAL counts to both sides.
    for zoom in (2, 5):
        options = ("-oo", f"ZOOM_LEVEL={zoom}")
        singles = features(source, "SELECT COUNT(*) FROM Towns WHERE objectId IS NOT NULL", *options)
        clusters = features(source, "SELECT SUM(point_count) FROM Towns WHERE point_count > 1", *options)
        assert singles + clusters == len(towns.rows)


def test_an_mbtiles_of_pictures(towns, archives, tmp_path):
    source = archives["raster", "mbtiles"]
    information = json.loads(gdal("gdalinfo", "-json", source))
    assert "3857" in information["coordinateSystem"]["wkt"] and len(information["bands"]) == 4
    # It shows the archive's box: where that lies on the grid of zoom 5 is in its transformation.
    west, width, _, north, _, height = information["geoTransform"]
    edge = 20037508.342789244
    assert abs(width - 2 * edge / (256 << 5)) < 1e-6 and height == -width
    left, top = round((west + edge) / width), round((edge - north) / width)
    column, row = 17, 10  # Berlin
    rows = rows_of(source, tmp_path, column * 256 - left, row * 256 - top, 256, 256)
    tile = png.decode(towns.get(f"/tiles/Towns/5/{column}/{row}.png").body)[2]
    assert visible(rows) == visible(tile) and any(pixel[3] for line in tile for pixel in line)


def test_a_pmtiles_of_vector_tiles(towns, archives):
    # Debian's GDAL is older than its PMTiles driver; the one that pyogrio brings is not.
    information = pyogrio.read_info(archives["vector", "pmtiles"], layer="Towns")
    assert {"objectId", "point_count", "kind"} <= set(information["fields"])
    for zoom in (2, 5):
        meta, _, geometry, columns = pyogrio.raw.read(
            archives["vector", "pmtiles"], layer="Towns", ZOOM_LEVEL=zoom)
        values = dict(zip(meta["fields"], columns))
        counts = [1 if count is None or count != count else int(count) for count in values["point_count"]]
        assert sum(counts) == len(towns.rows) and len(geometry) == len(counts)
