"""Objects as GeoJSON and CSV: what was imported comes back equal, whoever writes the file."""

import csv
import io
import json
import random

import pytest
from people import sign_up
from places import csv_text, rows
from service import CLIENT, MASTER, place, run

SEQUENCE = {**MASTER, "Content-Type": "application/geo+json-seq"}


def fetch(service, layer, headers=None, **query):
    return service.request("GET", f"/export/{layer}", headers={**MASTER, **(headers or {})}, query=query)


def random_value(generator, depth=0):
    """Anything that a property may be."""
    kind = generator.randrange(9 if depth < 3 else 6)
    if kind == 0:
        return generator.choice([True, False])
    if kind == 1:
        return generator.choice([0, -1, 2**53 + 1, generator.randrange(10**9)])
    if kind == 2:
        return generator.uniform(-1e9, 1e9)
    if kind == 3:
        return "".join(generator.choice("aé\"\\,;\r\n\t 🗼\u0001{}") for _ in range(generator.randrange(9)))
    if kind == 4:
        return {"__type": "Date", "iso": f"2026-05-{generator.randint(10, 28)}T03:02:01.{generator.randrange(1000):03}Z"}
    if kind == 5:
        return {"__type": "Pointer", "className": "Shop", "objectId": f"s{generator.randrange(99)}"}
    if kind == 6:
        return [random_value(generator, depth + 1) for _ in range(generator.randrange(4))]
    return {f"k{n}": random_value(generator, depth + 1) for n in range(generator.randrange(4))}


def random_geometry(generator):
    def position(height=False):
        base = [round(generator.uniform(-180, 180), 6), round(generator.uniform(-90, 90), 6)]
        return [*base, 12.5] if height else base
    kind = generator.randrange(6)
    if kind == 0:
        return None
    if kind == 1:
        return {"type": "Point", "coordinates": position(height=True)}
    if kind == 2:
        return {"type": "LineString", "coordinates": [position() for _ in range(3)]}
    if kind == 3:
        west, south = generator.uniform(-179, 170), generator.uniform(-80, 80)
        return {"type": "Polygon", "coordinates": [[
            [west, south], [west + 5, south], [west + 5, south + 5], [west, south]]]}
    if kind == 4:
        return {"type": "GeometryCollection", "geometries": [
            {"type": "Point", "coordinates": position()},
            {"type": "MultiPoint", "coordinates": [position(), position()]}]}
    return {"type": "Point", "coordinates": position()}


def random_features(seed, count=120):
    """Each field has one type throughout, as a class asks for."""
    generator = random.Random(seed)
    types = {"flag": 0, "whole": 1, "ratio": 2, "text": 3, "day": 4, "shop": 5, "list": 6, "thing": 7}
    features = []
    for number in range(count):
        properties = {}
        for name, wanted in types.items():
            if generator.random() < 0.6:
                properties[name] = typed(generator, wanted)
        feature = {"type": "Feature", "geometry": random_geometry(generator), "properties": properties}
        ids = [None, f"f{number}", number, f"way/{number}", f"ü {number}"]
        if (chosen := generator.choice(ids)) is not None:
            feature["id"] = chosen
        features.append(feature)
    features[0]["geometry"] = {"type": "Point", "coordinates": [1, 2]}
    return features


def typed(generator, wanted):
    while True:
        value = random_value(generator)
        kinds = {0: bool, 1: int, 2: float, 3: str, 6: list}
        is_special = isinstance(value, dict) and "__type" in value
        if wanted in (4, 5):
            if is_special and value["__type"] == ("Date" if wanted == 4 else "Pointer"):
                return value
        elif wanted == 7:
            if isinstance(value, dict) and not is_special:
                return value
        elif type(value) is kinds[wanted]:
            return value


@pytest.mark.parametrize("seed", range(3))
def test_what_was_imported_comes_back_equal(start, seed):
    service = start()
    features = random_features(seed)
    body = "\n".join(map(json.dumps, features)).encode()
    report = service.request("POST", "/import/First", body, SEQUENCE).json()
    assert report["added"] == len(features), report
    for format in ("geojson", "geojsonl"):
        text = fetch(service, "First", format=format).body
        back = json.loads(text)["features"] if format == "geojson" else list(map(json.loads, text.splitlines()))
        known = {feature["id"]: feature for feature in back}
        assert len(known) == len(features)
        # A number that an id was comes back as text, which is the same object.
        without = sorted(
            (json.dumps([f["geometry"], f["properties"]], sort_keys=True) for f in features if "id" not in f))
        for feature in features:
            if "id" not in feature:
                continue
            found = known.pop(str(feature["id"]))
            assert found["properties"] == feature["properties"]
            assert found["geometry"] == feature["geometry"]
        assert without == sorted(
            json.dumps([f["geometry"], f["properties"]], sort_keys=True) for f in known.values())
        media = "application/geo+json" if format == "geojson" else "application/geo+json-seq"
        other = f"Second{format}"
        answer = service.request("POST", f"/import/{other}", text, {**MASTER, "Content-Type": media})
        assert answer.json()["added"] == len(features), answer.body
        assert fetch(service, other, format=format).body == text


def test_a_table_comes_back_equal(start):
    service = start()
    header = ["id", "lon", "lat", "open", "text", "size"]
    generator = random.Random(5)
    table = [
        [f"a/{n}" if n % 7 == 0 else f"a{n}", repr(round(generator.uniform(-180, 180), 7)),
         repr(round(generator.uniform(-90, 90), 7)), generator.choice(["true", "false", ""]),
         "x" + "".join(generator.choice("b,\";'\t\r\n é=") for _ in range(5)), str(generator.randrange(9))]
        for n in range(300)]
    text = io.StringIO()
    csv.writer(text).writerows([header, *table])
    assert service.import_csv("Cells", text.getvalue())["added"] == 300
    answer = fetch(service, "Cells", format="csv")
    assert answer.headers["Content-Type"].startswith("text/csv")
    back = list(csv.DictReader(io.StringIO(answer.body.decode(), newline="")))
    wanted = {row[0]: dict(zip(header, row)) for row in table}
    found = {row["id"]: row for row in back}
    for key, row in wanted.items():
        assert found[key] == row
    assert service.import_csv("Again", answer.body.decode())["added"] == 300
    assert fetch(service, "Again", format="csv").body == answer.body


def test_dates_and_pointers_of_a_table_come_back_as_such(start):
    service = start()
    values = {
        "day": {"__type": "Date", "iso": "2026-05-04T03:02:01.000Z"},
        "shop": {"__type": "Pointer", "className": "Shop", "objectId": "s1"}, "list": [1, {"a": "b,c"}]}
    service.create("Typed", location=place(1, 2), **values)
    table = fetch(service, "Typed", format="csv").body.decode()
    assert service.import_csv("Typed", table)["unchanged"] == 1
    assert service.import_csv("Fresh", table)["added"] == 1
    back = fetch(service, "Fresh", format="geojson").json()["features"][0]["properties"]
    assert (back["day"], back["shop"]) == (values["day"], values["shop"])
    assert json.loads(back["list"]) == values["list"]


def test_filters_and_boxes_are_those_of_the_map(start):
    service = start()
    table = rows(per_town=40, seed=3)
    service.import_csv("Towns", csv_text(table), id="id", kind="kind")
    service.request("POST", "/import/Towns", json.dumps(
        {"type": "Feature", "id": "nowhere", "geometry": None, "properties": {}}).encode(), SEQUENCE)
    for query in [
            {}, {"bbox": "-30,30,30,60"}, {"bbox": "170,-90,-170,90"},
            {"kind": table[0][3] if len(table[0]) > 3 else "cafe"},
            {"where": '{"title":{"$regex":"1"}}', "bbox": "-180,-90,180,90"}]:
        answer = fetch(service, "Towns", format="geojson", **query)
        assert answer.status == 200, answer.body
        found = {feature["id"] for feature in answer.json()["features"]}
        shown = {
            feature["id"] for feature in service.get(
                "/within/Towns", **{"bbox": "-180,-90,180,90", "limit": 10000, **query}).json()["features"]}
        assert found == shown | (set() if query else {"nowhere"})


def test_only_what_everybody_sees_or_the_viewer_does(start):
    service = start()
    person = sign_up(service)
    key = {**CLIENT, "X-Parse-Session-Token": person.token}
    everybody = service.create("Note", key, location=place(1, 2), title="all")
    own = service.create(
        "Note", key, location=place(3, 4), title="own",
        ACL={person.id: {"read": True, "write": True}})
    ids = lambda headers=None: {
        line.split(",")[0] for line in fetch(service, "Note", headers, format="csv").body.decode().split("\r\n")[1:-1]}
    assert ids() == {everybody}
    assert ids({"X-Parse-Session-Token": person.token}) == {everybody, own}
    assert service.get("/export/Note", format="csv").status in (401, 403)


@pytest.mark.parametrize("query, field", [
    ({"format": "xlsx"}, "format"), ({"format": "csv", "bbox": "1,2,3"}, "bbox"),
    ({"format": "geojson", "maxzoom": "3"}, "maxzoom"), ({"format": "csv", "zoom": "3"}, "zoom"),
    ({"format": "csv", "colour": "red"}, "colour")])
def test_what_makes_no_sense_is_said(start, query, field):
    service = start()
    service.import_csv("One", "lon,lat\n1,2\n")
    answer = fetch(service, "One", **query)
    assert answer.status == 400 and answer.json()["errors"][0]["field"] == field, answer.body
    assert fetch(service, "None", format="csv").status == 404


def test_the_command_writes_the_same_whoever_holds_the_data(start, tmp_path):
    file = tmp_path / "towns.csv"
    file.write_text(csv_text(rows(per_town=300, seed=4)))
    data = tmp_path / "data"
    assert run("import", file, "--layer", "Towns", "--data", data).returncode == 0
    alone, through = tmp_path / "alone.geojson", tmp_path / "through.geojson"
    assert run("export", "--layer", "Towns", "-o", alone, "--data", data).returncode == 0
    printed = run("export", "--layer", "Towns", "-o", "-", "--format", "geojson", "--data", data)
    assert printed.stdout == alone.read_bytes()
    refused = run("export", "--layer", "Towns", "-o", alone, "--data", data)
    assert refused.returncode == 1 and b"--overwrite" in refused.stderr
    service = start(data=data)
    assert run("export", "--layer", "Towns", "-o", through, "--data", data).returncode == 0
    assert alone.read_bytes() == through.read_bytes() == fetch(service, "Towns", format="geojson").body
    assert run("export", "--layer", "Gone", "-o", tmp_path / "gone.csv", "--data", data).returncode == 1
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".") or "gone" in path.name]
