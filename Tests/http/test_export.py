"""Archives of tiles: what is in them is what the map shows, whoever makes them, and whenever it is cut off."""

import gzip
import hashlib
import json
import os
import resource
import sqlite3
import subprocess
import time
from urllib.parse import urlencode

import mapbox_vector_tile
import png
import pytest
from people import fresh, sign_up
from places import csv_text, rows
from pmtiles.reader import MemorySource, Reader, all_tiles
from service import BINARY, CLIENT, MASTER, environment, run

#: The deepest zoom at which every address is looked at.
ALL_ADDRESSES = 4


class Archive:
    """What is in an archive: header, metadata and tiles by zoom, column and row from the north."""

    def __init__(self, content, folder=None):
        if content[:7] == b"PMTiles":
            reader = Reader(MemorySource(content))
            self.header, self.metadata = reader.header(), reader.metadata()
            self.tiles = dict(all_tiles(reader.get_bytes))
            self.is_gzip = self.header["tile_compression"].name == "GZIP"
        else:
            file = folder / f"{hashlib.sha256(content).hexdigest()}.mbtiles"
            file.write_bytes(content)
            with sqlite3.connect(file) as database:
                self.metadata = dict(database.execute("SELECT name, value FROM metadata"))
                self.tiles = {
                    (zoom, column, (1 << zoom) - 1 - row): data
                    for zoom, column, row, data in database.execute(
                        "SELECT zoom_level, tile_column, tile_row, tile_data FROM tiles")}
            self.is_gzip = self.metadata["format"] == "pbf"

    def plain(self):
        """The tiles unpacked."""
        return {tile: gzip.decompress(data) if self.is_gzip else data for tile, data in self.tiles.items()}

    def zooms(self):
        return {zoom for zoom, _, _ in self.tiles}


def owned(tiles, layer, zoom):
    """How many objects the features stand for that the tiles of a zoom own."""
    count = 0
    for (at, _, _), data in tiles.items():
        if at != zoom:
            continue
        decoded = mapbox_vector_tile.decode(data, default_options={"y_coord_down": True})
        for feature in decoded[layer]["features"]:
            column, row = feature["geometry"]["coordinates"]
            if 0 <= column < 4096 and 0 <= row < 4096:
                count += feature["properties"].get("point_count", 1)
    return count


def fetch(service, layer, headers=None, **query):
    return service.request("GET", f"/export/{layer}", headers={**MASTER, **(headers or {})}, query=query)


@pytest.fixture(scope="module")
def vectors(towns, tmp_path_factory):
    answer = fetch(towns, "Towns", format="pmtiles", maxzoom=14)
    assert answer.status == 200, answer.body
    return Archive(answer.body)


def test_an_archive_has_every_tile_of_the_map_and_no_other(towns, vectors):
    tiles = vectors.plain()
    connection = towns.connect()
    for zoom in range(ALL_ADDRESSES + 1):
        for column in range(1 << zoom):
            for row in range(1 << zoom):
                connection.request("GET", f"/tiles/Towns/{zoom}/{column}/{row}.mvt")
                answer = connection.getresponse()
                body = answer.read()
                assert (answer.status == 200) == ((zoom, column, row) in tiles)
                assert tiles.get((zoom, column, row), b"") == body
    deep = [tile for tile in tiles if tile[0] > ALL_ADDRESSES]
    for zoom, column, row in deep[::max(1, len(deep) // 300)]:
        connection.request("GET", f"/tiles/Towns/{zoom}/{column}/{row}.mvt")
        assert connection.getresponse().read() == tiles[zoom, column, row]
    # What stands beside a tile with something on it is there when it has something too.
    for zoom, column, row in [tile for tile in deep if tile[0] == 10]:
        for east, south in ((1, 0), (0, 1), (-1, -1)):
            near = (zoom, (column + east) % (1 << zoom), row + south)
            connection.request("GET", "/tiles/Towns/{}/{}/{}.mvt".format(*near))
            assert connection.getresponse().read() == tiles.get(near, b"")
    connection.close()
    assert vectors.zooms() == set(range(15))


def test_at_every_zoom_all_objects_are_in_it(towns, vectors):
    tiles = vectors.plain()
    for zoom in range(15):
        assert owned(tiles, "Towns", zoom) == len(towns.rows), zoom


def test_an_archive_says_what_it_is(towns, vectors):
    header, metadata = vectors.header, vectors.metadata
    assert (header["min_zoom"], header["max_zoom"], header["clustered"]) == (0, 14, True)
    assert header["tile_type"].name == "MVT" and header["internal_compression"].name == "GZIP"
    assert header["addressed_tiles_count"] == len(vectors.tiles)
    assert header["min_lon_e7"] < -1_790_000_000 and header["max_lon_e7"] > 1_780_000_000
    assert metadata["name"] == "Towns"
    layer, = metadata["vector_layers"]
    assert layer["id"] == "Towns" and layer["fields"]["kind"] == "String"
    assert layer["fields"]["point_count"] == "Number" and layer["fields"]["cluster"] == "Boolean"
    seen = {name for data in vectors.plain().values()
            for feature in mapbox_vector_tile.decode(data)["Towns"]["features"]
            for name in feature["properties"]}
    assert seen <= set(layer["fields"])


def test_both_containers_hold_the_same(towns, vectors, tmp_path):
    answer = fetch(towns, "Towns", format="mbtiles", maxzoom=14)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "application/vnd.sqlite3"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="Towns.mbtiles"'
    assert int(answer.headers["Content-Length"]) == len(answer.body)
    archive = Archive(answer.body, tmp_path)
    assert archive.tiles == vectors.tiles
    facts = archive.metadata
    assert {name: facts[name] for name in ("name", "format", "minzoom", "maxzoom", "type")} == {
        "name": "Towns", "format": "pbf", "minzoom": "0", "maxzoom": "14", "type": "overlay"}
    west, south, east, north = map(float, facts["bounds"].split(","))
    assert all(west <= lon <= east and south <= lat <= north for _, lon, lat, *_ in towns.rows)
    lon, lat, zoom = map(float, facts["center"].split(","))
    assert west < lon < east and south < lat < north and zoom == 0
    assert json.loads(facts["json"])["vector_layers"] == vectors.metadata["vector_layers"]


@pytest.mark.parametrize("deepest, options", [
    (4, {"style": "clusters"}), (2, {"style": "points", "scale": 2}),
    (3, {"style": "heat", "palette": "lagoon"})], ids=["clusters", "points", "heat"])
def test_pictures_are_those_of_the_map(towns, deepest, options):
    answer = fetch(towns, "Towns", format="pmtiles", tiles="raster", maxzoom=deepest, **options)
    assert answer.status == 200, answer.body
    archive = Archive(answer.body)
    assert archive.header["tile_type"].name == "PNG" and not archive.is_gzip
    suffix = "@2x" if options.get("scale") == 2 else ""
    query = urlencode({name: value for name, value in options.items() if name != "scale"})
    connection, empty = towns.connect(), []
    for zoom in range(deepest + 1):
        for column in range(1 << zoom):
            for row in range(1 << zoom):
                connection.request("GET", f"/tiles/Towns/{zoom}/{column}/{row}{suffix}.png?{query}")
                body = connection.getresponse().read()
                if (zoom, column, row) in archive.tiles:
                    assert archive.tiles[zoom, column, row] == body
                else:
                    empty.append(body)
    connection.close()
    # All that is left out is one and the same clear picture.
    assert len(empty) >= 4 and len(set(empty)) == 1
    assert {pixel[3] for row in png.decode(empty[0])[2] for pixel in row} == {0}


def test_filters_and_boxes_leave_out_what_they_leave_out_of_the_map(towns):
    cases = [
        ({"kind": "trade"}, lambda row: row[3] == "trade"),
        ({"where": json.dumps({"title": {"$regex": "^(Lima|Suva)"}})}, lambda row: row[4][:4] in ("Lima", "Suva")),
        ({"since": "2100-01-01T00:00:00Z"}, lambda row: False)]
    for query, keeps in cases:
        count = sum(map(keeps, towns.rows))
        answer = fetch(towns, "Towns", format="pmtiles", maxzoom=6, **query)
        if count == 0:
            assert answer.status == 404 and "nothing" in answer.json()["detail"]
            continue
        tiles = Archive(answer.body).plain()
        for zoom in range(7):
            assert owned(tiles, "Towns", zoom) == count
        for zoom, column, row in [tile for tile in tiles if tile[0] == 6]:
            path = f"/tiles/Towns/{zoom}/{column}/{row}.mvt"
            assert towns.get(path, **query).body == tiles[zoom, column, row]
    # Over 180°: Suva and Taveuni, whole tiles that touch the box.
    tiles = Archive(fetch(towns, "Towns", format="pmtiles", bbox="177,-20,-179,-15",
                          minzoom=7, maxzoom=9).body).plain()
    whole = Archive(fetch(towns, "Towns", format="pmtiles", minzoom=7, maxzoom=9).body).plain()
    assert tiles and tiles == {
        (zoom, x, y): data for (zoom, x, y), data in whole.items()
        if (x + 1) * 360 / (1 << zoom) > 357 or x * 360 / (1 << zoom) < 1}
    assert {x < 4 for _, x, _ in tiles} == {True, False}


@pytest.mark.parametrize("query, names", [
    ({}, "format"), ({"format": "zip"}, "format"), ({"format": "shapefile"}, "format"),
    ({"format": "pmtiles", "minzoom": 5, "maxzoom": 4}, "minzoom"),
    ({"format": "pmtiles", "maxzoom": 23}, "maxzoom"), ({"format": "pmtiles", "bbox": "1,2,3"}, "bbox"),
    ({"format": "pmtiles", "style": "heat"}, "style"), ({"format": "pmtiles", "tiles": "both"}, "tiles"),
    ({"format": "pmtiles", "tiles": "raster", "style": "art"}, "style"),
    ({"format": "pmtiles", "tiles": "raster", "scale": 3}, "scale"),
    ({"format": "pmtiles", "tiles": "raster", "palette": "ember"}, "palette"),
    ({"format": "pmtiles", "where": "{"}, "where"), ({"format": "pmtiles", "zoom": "4"}, "zoom"),
    ({"format": "png", "zoom": "4"}, "bbox"), ({"format": "png", "bbox": "-180,-80,180,80", "zoom": 9}, "zoom"),
])
def test_what_makes_no_sense_is_named(towns, query, names):
    answer = fetch(towns, "Towns", **query)
    assert answer.status == 400, answer.body
    assert names in [fault["field"] for fault in answer.json()["errors"]]


def test_an_export_needs_the_master_key_and_a_layer(towns):
    assert towns.get("/export/Towns", format="pmtiles").status == 401
    assert towns.request("GET", "/export/Towns", headers=CLIENT, query={"format": "pmtiles"}).status == 401
    assert fetch(towns, "Gone", format="pmtiles").status == 404
    head = towns.request("HEAD", "/export/Towns", headers=MASTER, query={"format": "pmtiles"})
    assert head.status == 200 and head.headers["Content-Type"] == "application/vnd.pmtiles"
    refused = towns.get("/export/Towns", headers={**MASTER, "X-Parse-Session-Token": "r:none"}, format="pmtiles")
    assert refused.status == 401


def test_an_archive_shows_what_its_viewer_sees(start):
    service = start()
    ann = sign_up(service, fresh("ann"))
    for number in range(3):
        service.create("Spots", location={"__type": "GeoPoint", "longitude": number, "latitude": 1})
    service.create("Spots", location={"__type": "GeoPoint", "longitude": 9, "latitude": 9}, ACL={
        ann.id: {"read": True}})
    counts = []
    for headers in ({}, {"X-Parse-Session-Token": ann.token}):
        answer = fetch(service, "Spots", headers, format="pmtiles", maxzoom=3)
        counts.append(owned(Archive(answer.body).plain(), "Spots", 3))
    assert counts == [3, 4]
    # Nobody but Ann may look for objects of the class: with the master key alone, nobody does.
    permissions = {"classLevelPermissions": {"find": {ann.id: True}, "get": {"*": True}}}
    answer = service.request("PUT", "/parse/schemas/Spots", {"className": "Spots", **permissions}, MASTER)
    assert answer.status == 200, answer.body
    assert fetch(service, "Spots", format="pmtiles").status == 403
    answer = fetch(service, "Spots", {"X-Parse-Session-Token": ann.token}, format="pmtiles", maxzoom=3)
    assert owned(Archive(answer.body).plain(), "Spots", 3) == 4


def test_a_picture_of_a_box_is_its_tiles_joined(towns, tmp_path):
    # Four tiles of zoom 3 on both sides of the equator.
    answer = fetch(towns, "Towns", format="png", bbox="-90,-40.97989,0,40.97989", zoom=3)
    assert answer.status == 200, answer.body
    width, height, pixels = png.decode(answer.body)
    assert (width, height) == (512, 512)
    for column in (2, 3):
        for row in (3, 4):
            _, _, tile = png.decode(towns.get(f"/tiles/Towns/3/{column}/{row}.png").body)
            west = (column - 2) * 256
            for line in range(256):
                assert pixels[(row - 3) * 256 + line][west:west + 256] == tile[line]
    output = tmp_path / "box.png"
    flags = ("--bbox", "-90,-40.97989,0,40.97989", "--zoom", 3, "-o", output)
    assert run("render", "--layer", "Towns", "--data", towns.data, *flags).returncode == 0
    assert output.read_bytes() == answer.body
    sized = fetch(towns, "Towns", format="png", bbox="10,50,16,55", size="300x200", style="points")
    assert png.decode(sized.body)[:2] == (300, 200)
    world = fetch(towns, "basemap", format="png", bbox="0,0,90,45", zoom=2)
    assert world.status == 200 and png.decode(world.body)[0] == 256
    assert run("render", "--layer", "basemap", "--data", tmp_path / "none", "-o", output,
               "--bbox", "0,0,90,45", "--zoom", 2).returncode == 0
    assert output.read_bytes() == world.body


# MARK: The command


# Deep enough to take its time.
CITY = ("--layer", "City", "--maxzoom", 17)


@pytest.fixture(scope="module")
def city(tmp_path_factory):
    """A data directory that nobody holds, with many tiles."""
    folder = tmp_path_factory.mktemp("city")
    file = folder / "city.csv"
    file.write_bytes(run("synth", "--points", 20_000, "--cities", 3).stdout)
    assert run("import", file, "--layer", "City", "--id", "id", "--data", folder / "data").returncode == 0
    return folder / "data"


@pytest.fixture(scope="module")
def undisturbed(city):
    """The archives of that, made without a disturbance."""
    files = {}
    for form in ("pmtiles", "mbtiles"):
        file = city.parent / f"whole.{form}"
        finished = run("export", *CITY, "--data", city, "-o", file)
        assert finished.returncode == 0, finished.stderr
        assert finished.stdout.startswith(f"{file}: ".encode()) and b" tiles" in finished.stdout
        files[form] = file.read_bytes()
    assert not list(city.parent.glob(".*"))
    return files


def cut_off(command, journal, log):
    """Runs an export until it has noted more than it had, and kills it then."""
    size = journal.stat().st_size if journal.exists() else 40
    with open(log, "ab") as file:
        process = subprocess.Popen(
            [BINARY, *map(str, command)], stdout=subprocess.DEVNULL, stderr=file, env=environment())
    while process.poll() is None and not (journal.exists() and journal.stat().st_size > size):
        time.sleep(0.001)
    process.kill()
    process.wait()


@pytest.mark.parametrize("form", ["pmtiles", "mbtiles"])
def test_killed_exports_go_on_and_end_in_the_same_bytes(city, undisturbed, form, tmp_path):
    folder, log = tmp_path / "archives", tmp_path / "log"
    folder.mkdir()
    target, journal = folder / f"cut.{form}", folder / f".cut.{form}.part.journal"
    command = ["export", *CITY, "--data", city, "-o", target]
    for number in range(2):
        cut_off(command, journal, log)
        assert number > 0 or (journal.exists() and not target.exists())
    if not target.exists():
        finished = run(*command)
        assert finished.returncode == 0, finished.stderr
        log.write_bytes(log.read_bytes() + finished.stderr)
    assert b"going on after" in log.read_bytes()
    assert target.read_bytes() == undisturbed[form]
    assert [file.name for file in folder.iterdir()] == [target.name]


def test_an_export_of_other_tiles_starts_again_and_says_so(city, undisturbed, tmp_path):
    target = tmp_path / "cut.pmtiles"
    journal = tmp_path / ".cut.pmtiles.part.journal"
    cut_off(["export", *CITY, "--data", city, "--kind", "event", "-o", target], journal,
            os.devnull)
    assert journal.exists()
    finished = run("export", *CITY, "--data", city, "-o", target)
    assert finished.returncode == 0 and b"starting again" in finished.stderr, finished.stderr
    assert target.read_bytes() == undisturbed["pmtiles"]


def test_a_server_that_holds_the_directory_makes_the_same_archive(city, undisturbed, start, tmp_path):
    service = start(data=city)
    for number, flags in enumerate((("--data", city), ("--url", service.address))):
        for form in ("pmtiles", "mbtiles"):
            target = tmp_path / f"{number}.{form}"
            finished = run("export", *CITY, *flags, "-o", target)
            assert finished.returncode == 0, finished.stderr
            assert target.read_bytes() == undisturbed[form]
    refused = run("export", "--layer", "Gone", "--data", city, "-o", tmp_path / "x.pmtiles")
    assert refused.returncode == 1 and b"Gone" in refused.stderr
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "0.mbtiles", "0.pmtiles", "1.mbtiles", "1.pmtiles"]
    assert not list(city.glob("export-*"))
    assert service.stop() == 0


@pytest.mark.parametrize("arguments, names", [
    (["-o", "x.pmtiles"], "--layer"), (["--layer", "A"], "-o"), (["--layer", "A", "-o", "-"], "--format"),
    (["--layer", "A", "-o", "-", "--format", "pmtiles"], "-o"),
    (["--layer", "A", "-o", "x.zip"], "--format"), (["--layer", "A", "-o", "x"], "--format"),
    (["--layer", "A", "-o", "x.pmtiles", "--format", "shapefile"], "--format"),
    (["--layer", "A", "-o", "x.pmtiles", "--bbox", "1,2"], "--bbox"),
    (["--layer", "A", "-o", "x.pmtiles", "--maxzoom", "30"], "--maxzoom"),
    (["--layer", "A", "-o", "x.pmtiles", "--minzoom", "4", "--maxzoom", "3"], "--minzoom"),
    (["--layer", "A", "-o", "x.pmtiles", "--style", "heat"], "--style"),
    (["--layer", "A", "-o", "x.pmtiles", "--where", "{"], "--where"),
    (["--layer", "A", "-o", "x.pmtiles", "--since", "soon"], "--since"),
    (["--layer", "A", "-o", "x.pmtiles", "--overwrite=yes"], "--overwrite"),
    (["--layer", "basemap", "-o", "x.pmtiles"], "--layer"), (["A", "--layer", "A", "-o", "x.pmtiles"], "A"),
    (["--layer", "A", "-o", "x.pmtiles", "--data", "d", "--url", "http://localhost"], "--url"),
])
def test_a_command_line_without_sense_ends_with_2_and_names_the_fault(arguments, names):
    finished = run("export", *arguments)
    assert finished.returncode == 2, finished.stderr
    assert names in finished.stderr.decode()


def test_what_cannot_be_made_is_said_and_leaves_no_file(city, tmp_path):
    def fails(*arguments, target=tmp_path / "x.pmtiles"):
        finished = run("export", "--layer", "City", "--data", city, "-o", target, *arguments)
        assert finished.returncode == 1, finished.stderr
        return finished.stderr.decode()

    assert "no tile" in fails("--bbox", "100,-89,101,-88", "--minzoom", "8")
    assert "No such file or directory" in fails(target=tmp_path / "none/x.pmtiles")
    assert "names a directory" in run(
        "export", "--layer", "City", "--data", tmp_path / "none", "-o", tmp_path / "x.pmtiles").stderr.decode()
    assert not list(tmp_path.iterdir())
    (tmp_path / "x.pmtiles").write_bytes(b"mine")
    assert "--overwrite" in fails() and (tmp_path / "x.pmtiles").read_bytes() == b"mine"
    assert run("export", "--layer", "City", "--data", city, "--maxzoom", 3, "--overwrite",
               "-o", tmp_path / "x.pmtiles").returncode == 0
    assert Archive((tmp_path / "x.pmtiles").read_bytes()).zooms() == {0, 1, 2, 3}
    assert [file.name for file in tmp_path.iterdir()] == ["x.pmtiles"]


@pytest.mark.parametrize("form", ["pmtiles", "mbtiles"])
def test_a_full_disk_is_said_and_leaves_no_file(city, form, tmp_path):
    finished = subprocess.run(
        [BINARY, "export", "--layer", "City", "--data", city, "-o", tmp_path / f"x.{form}"],
        capture_output=True, env=environment(), timeout=120, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 19, 1 << 19)))
    assert finished.returncode == 1
    assert b"cannot be written" in finished.stderr or b"disk" in finished.stderr, finished.stderr
    assert not list(tmp_path.iterdir())


def test_a_client_that_leaves_takes_its_archive_along(city, start):
    service = start(data=city)
    before = len(os.listdir(f"/proc/{service.process.pid}/fd"))
    for _ in range(3):
        connection = service.connect()
        connection.request("GET", "/export/City?format=mbtiles&maxzoom=16", headers=MASTER)
        time.sleep(0.3)
        connection.close()
    # The next one is made although those before it were not waited for to their end.
    assert fetch(service, "City", format="pmtiles", maxzoom=2).status == 200
    end = time.monotonic() + 20
    while len(os.listdir(f"/proc/{service.process.pid}/fd")) > before + 1:
        assert time.monotonic() < end, os.listdir(f"/proc/{service.process.pid}/fd")
        time.sleep(0.05)
    assert not list(city.glob("export-*"))
    assert service.stop() == 0


def test_leftovers_of_a_killed_server_go_with_the_next_start(start, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / ("export-" + "0f" * 16)).write_bytes(b"left")
    (data / "export-mine").write_bytes(b"kept")
    assert start(data=data).stop() == 0
    assert [file.name for file in data.glob("export-*")] == ["export-mine"]
