"""Files into layers, over HTTP and by the command."""

import json
import subprocess
import zipfile

import pytest
from places import csv_text, rows
from service import MASTER, REPOSITORY, count_of, run


def test_csv_is_reported_row_by_row(start):
    service = start()
    text = "id,lon,lat,title\na,1,2,first\nb,200,2,too far east\nc,3,north,no number\nd,4,5,last\ne,,6,none\n"
    report = service.import_csv("Rows", text, id="id")
    assert (report["added"], report["rejected"]) == (2, 3)
    assert [error["line"] for error in report["errors"]] == [3, 4, 6]
    assert "lon" in report["errors"][0]["reason"]
    assert "lat" in report["errors"][1]["reason"]


def test_importing_again_doubles_nothing(start):
    service = start()
    table = rows(per_town=20, seed=1)
    assert service.import_csv("Again", csv_text(table), id="id")["added"] == 100
    report = service.import_csv("Again", csv_text(table), id="id")
    assert (report["added"], report["unchanged"]) == (0, 100)
    table[0][4] = "renamed"
    report = service.import_csv("Again", csv_text(table), id="id")
    assert (report["added"], report["updated"], report["unchanged"]) == (0, 1, 99)
    assert count_of(service.clusters("Again", 4)) == 100
    report = service.import_csv("Again", csv_text(table[:60]), id="id", sync="true")
    assert report["removed"] == 40
    assert count_of(service.clusters("Again", 4)) == 60


def test_geojson_and_lines_of_geojson(start):
    service = start()
    features = [
        {"type": "Feature", "id": f"g{n}", "properties": {"name": f"Ö{n}", "kind": "event"},
         "geometry": {"type": "Point", "coordinates": [n, n]}} for n in range(10)]
    collection = json.dumps({"type": "FeatureCollection", "features": features}).encode()
    headers = {**MASTER, "Content-Type": "application/geo+json"}
    answer = service.request("POST", "/import/Shapes", collection, headers)
    assert answer.status == 200 and answer.json()["added"] == 10, answer.body
    lines = "\n".join(map(json.dumps, features)).encode()
    headers = {**MASTER, "Content-Type": "application/geo+json-seq"}
    answer = service.request("POST", "/import/Lines", lines, headers)
    assert answer.status == 200 and answer.json()["added"] == 10, answer.body
    for layer in ("Shapes", "Lines"):
        singles = service.clusters(layer, 12)
        assert sorted(feature["properties"]["name"] for feature in singles) == [f"Ö{n}" for n in range(10)]


def test_the_command_imports_without_a_server_and_through_one(start, tmp_path):
    file = tmp_path / "towns.csv"
    file.write_text(csv_text(rows(per_town=10, seed=2)))
    data = tmp_path / "data"
    finished = run("import", file, "--layer", "Towns", "--id", "id", "--kind", "kind", "--data", data)
    assert finished.returncode == 0, finished.stderr
    service = start(data=data)
    assert count_of(service.clusters("Towns")) == 50
    file.write_text("lon,lat\n1,2\n1,99\n")
    finished = run("import", file, "--layer", "More", "--data", data)
    assert finished.returncode == 3, (finished.stdout, finished.stderr)
    assert count_of(service.clusters("More")) == 1
    assert run("import", tmp_path / "none.csv", "--layer", "More", "--data", data).returncode == 1


@pytest.mark.parametrize("name, added, rejected, names", [
    ("cafes.csv", 5, 0, []),
    ("cafes-semicolon-crlf.csv", 5, 0, []),
    ("places.geojson", 9, 5, [9, 10, 11, 12, 13]),
    ("places.geojsonl", 3, 1, [2]),
])
def test_the_carried_files(start, tmp_path, name, added, rejected, names):
    """The command and a request say the same of them."""
    service = start()
    file = REPOSITORY / "fixtures/import" / name
    media_type = {
        ".csv": "text/csv", ".geojson": "application/geo+json", ".geojsonl": "application/geo+json-seq"}
    headers = {**MASTER, "Content-Type": media_type[file.suffix]}
    report = service.request("POST", "/import/Carried", file.read_bytes(), headers).json()
    assert (report["added"], report["rejected"]) == (added, rejected), report
    assert [error["line"] for error in report["errors"]] == names
    errors = tmp_path / "errors"
    finished = run(
        "import", file, "--layer", "Carried", "--data", tmp_path / "other", "--errors", errors)
    assert finished.returncode == (3 if rejected else 0), finished.stderr
    lines = [line.split("\t") for line in errors.read_text().splitlines()]
    assert lines == [[str(error["line"]), error["reason"]] for error in report["errors"]]


def test_the_real_cities(start, cities, tmp_path):
    """All of them are on the map, whatever the zoom."""
    data = tmp_path / "data"
    file, count = cities
    finished = run("import", file, "--layer", "Cities", "--data", data)
    assert finished.returncode == 0, finished.stderr
    service = start(data=data)
    assert service.get("/v1/collections/Cities").json()["count"] == count
    for zoom in (0, 4, 7):
        assert count_of(service.clusters("Cities", zoom, limit=100000)) == count
    nearest = service.get("/near/Cities", lon=13.405, lat=52.52, limit=1).json()["features"][0]
    assert "Berlin" in nearest["properties"]["name"] or nearest["properties"]["distance"] < 3000


@pytest.mark.parametrize("suffix,media", [("osm.pbf", "pbf"), ("osm", "xml"), ("osm.gz", "xml")])
def test_openstreetmap_data(start, suffix, media):
    service = start()
    body = (REPOSITORY / f"fixtures/import/village.{suffix}").read_bytes()
    headers = {**MASTER, "Content-Type": f"application/vnd.openstreetmap.data+{media}"}
    answer = service.request("POST", "/import/Place?tags=amenity,shop=bakery", body, headers)
    report = answer.json()
    assert (report["added"], report["rejected"]) == (4, 1), answer.body
    assert report["errors"][0]["reason"] == "w22: none of the way's nodes is in the file"
    assert service.get("/v1/collections/Place").json()["kinds"] == {"bakery": 1, "bench": 1, "cafe": 1, "school": 1}
    again = service.request("POST", "/import/Place?tags=amenity,shop=bakery", body, headers).json()
    assert (again["added"], again["unchanged"]) == (0, 4)


@pytest.fixture(scope="module")
def converted(tmp_path_factory):
    """A GeoPackage and a zipped shapefile of three places in UTM, as GDAL writes them."""
    folder = tmp_path_factory.mktemp("converted")
    source = folder / "places.geojson"
    features = [
        {"type": "Feature", "properties": {"name": f"Ort {n}", "kind": "cafe"},
         "geometry": {"type": "Point", "coordinates": [9 + n / 10, 50]}} for n in range(3)]
    source.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    for target in ("places.gpkg", "places.shp"):
        subprocess.run(["ogr2ogr", "-t_srs", "EPSG:25832", folder / target, source], check=True)
    with zipfile.ZipFile(folder / "places.zip", "w") as archive:
        for part in folder.glob("places.[sdp][hbr][pfxj]"):
            archive.write(part, part.name)
    return folder


@pytest.mark.parametrize("name,media", [
    ("places.gpkg", "application/geopackage+sqlite3"), ("places.zip", "application/zip"), ("places.shp", None)])
def test_what_gdal_reads(start, converted, tmp_path, name, media):
    service = start()
    if media:
        headers = {**MASTER, "Content-Type": media}
        answer = service.request("POST", "/import/Ort", (converted / name).read_bytes(), headers)
        assert answer.status == 200 and answer.json()["added"] == 3, answer.body
    else:
        finished = run("import", converted / name, "--layer", "Ort", "--data", service.data)
        assert finished.returncode == 0 and b"3 added" in finished.stdout, finished
    found = service.clusters("Ort", 18)
    assert sorted(one["properties"]["name"] for one in found) == ["Ort 0", "Ort 1", "Ort 2"]
    places = sorted(one["geometry"]["coordinates"] for one in found)
    for place, lon in zip(places, (9, 9.1, 9.2)):
        assert abs(place[0] - lon) < 1e-6 and abs(place[1] - 50) < 1e-6


def test_what_gdal_cannot_read_is_refused(start):
    service = start()
    for media in ("application/geopackage+sqlite3", "application/zip"):
        headers = {**MASTER, "Content-Type": media}
        for body in (b"", b"PK\x03\x04 no archive", b"SQLite format 3\0 no database"):
            answer = service.request("POST", "/import/Ort", body, headers)
            assert answer.status == 400 and answer.json()["detail"], answer.body


def test_what_is_no_openstreetmap_data_is_refused(start):
    service = start()
    headers = {**MASTER, "Content-Type": "application/vnd.openstreetmap.data+pbf"}
    for body in (b"", b"\0\0\0\x0d\x0a\x09OSMHeader", b"<osm><node id=", b"no such thing"):
        answer = service.request("POST", "/import/Place", body, headers)
        assert answer.status == 400 and "OpenStreetMap" in answer.json()["detail"], answer.body
    answer = service.request("POST", "/import/Place?tags=shop=", b"<osm/>", headers)
    assert answer.status == 400 and answer.json()["errors"][0]["field"] == "tags"


def test_a_column_of_numbers_can_be_the_kind(start):
    service = start()
    service.import_csv("Numbered", "id,lon,lat,category_id\na,1,2,7\nb,1,3,8\nc,1,4,7\n", kind="category_id")
    assert service.get("/v1/collections/Numbered").json()["kinds"] == {"7": 2, "8": 1}


def test_a_table_as_people_have_it(start, tmp_path):
    service = start()
    text = "Nom;Latitude;Longitude\nCafé;49,25;7,5\nBar;51,75;11,5\n"
    headers = {**MASTER, "Content-Type": "text/csv"}
    answer = service.request("POST", "/import/Cafes", text.encode("cp1252"), headers)
    report = answer.json()
    assert answer.status == 200 and report["added"] == 2, answer.body
    assert report["warnings"] == [
        "guessed: the encoding Windows-1252; a semicolon between the cells; a comma before the fraction"]
    names = {feature["properties"]["Nom"] for feature in service.clusters("Cafes", 14)}
    assert names == {"Café", "Bar"}
    file = tmp_path / "towns.tsv"
    file.write_bytes(text.replace(";", "\t").encode("utf-16"))
    finished = run("import", file, "--layer", "Towns", "--data", tmp_path / "data", "--dry-run")
    assert finished.returncode == 0, finished.stderr
    said = finished.stdout.decode()
    assert '"Café"' in said and "UTF-16LE" in said, said


def test_projected_tables_and_bad_systems(start, tmp_path):
    service = start()
    text = "name,x,y\na,500000,0\nb,1e30,1e30\n"
    report = service.import_csv("Utm", text, crs="EPSG:25832")
    assert (report["added"], report["rejected"]) == (1, 1), report
    assert "EPSG:25832" in report["errors"][0]["reason"]
    (single,) = service.clusters("Utm", 12)
    assert [round(number, 6) for number in single["geometry"]["coordinates"]] == [9, 0]
    headers = {**MASTER, "Content-Type": "text/csv"}
    for query in ("crs=EPSG:999999", "crs=25832", "crs=EPSG:5773", "header=maybe", "delimiter=x",
                  "encoding=nothing", "wkt="):
        answer = service.request("POST", f"/import/Utm?{query}", b"x,y\n1,2\n", headers)
        assert answer.status == 400, (query, answer.body)
        assert query.split("=", maxsplit=1)[0] in answer.json()["detail"], answer.body
    file = tmp_path / "utm.csv"
    file.write_text(text)
    finished = run("import", file, "--layer", "Utm", "--crs", "EPSG:0", "--data", tmp_path / "data")
    assert finished.returncode == 2 and b"--crs" in finished.stderr, finished.stderr


def test_gpx(start):
    service = start()
    text = (
        '<gpx><wpt lat="52.5" lon="13.4"><name>Bar</name></wpt>'
        '<trk><name>Way</name><trkseg><trkpt lat="0" lon="0"/><trkpt lat="0" lon="2"/>'
        '<trkpt lat="0" lon="4"/></trkseg></trk></gpx>')
    headers = {**MASTER, "Content-Type": "application/gpx+xml"}
    answer = service.request("POST", "/import/Ways", text.encode(), headers)
    assert answer.status == 200 and answer.json()["added"] == 2, answer.body
    kinds = sorted(feature["properties"]["kind"] for feature in service.clusters("Ways", 14))
    assert kinds == ["track", "waypoint"]
    answer = service.request("POST", "/import/Ways", b"<kml/>", headers)
    assert answer.status == 400 and "line 1" in answer.json()["detail"], answer.body
