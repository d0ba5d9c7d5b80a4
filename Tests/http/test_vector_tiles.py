"""Vector tiles and GeoJSON tiles over HTTP, beside what other calls tell of the same objects."""

import gzip
import json
import random
from urllib.parse import quote

import pytest

import png
import vector_tiles
from clusters import clusters as twin_clusters, project
from people import call, fresh, sign_up
from service import CLIENT, MASTER, Service, place
from walk import HOST

LAYER = "Spots"
WORLD = "-180,-90,180,90"
KINDS = ["event", "photo", "trade"]
#: Towns in the north, on both sides of 180°, and at the poles' edges.
TOWNS = [(13.4, 52.5), (179.98, -16.8), (-179.97, -16.9), (-77, -12), (18.9, 88.9), (18.9, -89.2)]


class World:
    """Objects of everybody, of an owner, and of a role; the service that holds them."""

    def __init__(self, data):
        self.data = data
        self.service = Service(data)
        generator = random.Random(11)
        lines = ["id,lon,lat,kind,price,title,stamp"]
        for number in range(180):
            lon, lat = TOWNS[number % len(TOWNS)]
            lon += generator.uniform(-1, 1) * generator.choice([0.0001, 0.01, 0.3])
            lat += generator.uniform(-1, 1) * generator.choice([0.0001, 0.01, 0.3])
            lines.append(
                f"s{number},{(lon + 180) % 360 - 180:.7f},{lat:.7f},{KINDS[number % 3]},"
                f"{number / 4},Title {number},{number}")
        report = self.service.import_csv(LAYER, "\n".join(lines) + "\n", id="id", kind="kind")
        assert report["added"] == 180, report
        self.owner, self.member, self.stranger = (sign_up(self.service) for _ in range(3))
        self.role = fresh("role")
        answer = call(self.service, "POST", "/roles", {
            "name": self.role, "ACL": {"*": {"read": True}}, "users": {
                "__op": "AddRelation", "objects": [self.member.pointer]}}, master=True)
        assert answer.status == 201, answer.body
        for number in range(24):
            lon, lat = TOWNS[number % len(TOWNS)]
            readers = {self.owner.id: {"read": True, "write": True}}
            if number % 3 == 0:
                readers[f"role:{self.role}"] = {"read": True}
            self.make(
                location=place((lon - number / 50 + 540) % 360 - 180, lat + number / 200), kind=KINDS[number % 3],
                price=number, title=f"Own {number}", ACL=readers, owner=self.owner.pointer,
                tags=["a", {"b": number}], open=number % 2 == 0)
        self.make(location=place(13.7654321, 52.7654321), locationAccuracy=20000, kind="event",
                  owner=self.owner.pointer, title="Coarse")

    def make(self, **fields):
        answer = self.service.request(
            "POST", f"/parse/classes/{LAYER}", fields,
            {**CLIENT, "X-Parse-Session-Token": self.owner.token})
        assert answer.status == 201, answer.body
        return answer.json()["objectId"]

    def headers(self, viewer):
        if viewer == "anonymous":
            return {}
        if viewer == "master":
            return MASTER
        return {"X-Parse-Session-Token": getattr(self, viewer).token}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    made = World(tmp_path_factory.mktemp("vector") / "data")
    yield made
    assert made.service.stop() == 0


FILTERS = {
    "all": {}, "kind": {"kind": "event"}, "kinds": {"kind": "photo,trade"},
    "since": {"since": "2020-01-01T00:00:00.000Z"}, "until": {"until": "2020-01-01T00:00:00.000Z"},
    "where": {"where": json.dumps({"price": {"$lt": 20}})},
    "where and kind": {"where": json.dumps({"title": {"$regex": "1$"}}), "kind": "event"},
    "nothing": {"kind": "nobody"},
}


@pytest.mark.parametrize("viewer", ["anonymous", "owner", "member", "stranger", "master"])
@pytest.mark.parametrize("name", FILTERS)
def test_the_owned_features_of_a_zoom_are_all_that_a_viewer_sees(world, viewer, name):
    service, headers, query = world.service, world.headers(viewer), FILTERS[name]
    visible = service.get(
        f"/within/{LAYER}", headers, bbox=WORLD, count="true", **query).json()["count"]
    for z in (0, 2):
        owned, copies = vector_tiles.zoom(service, LAYER, z, headers, **query)
        assert vector_tiles.count(owned.values()) == visible
        listed = service.get(
            f"/clusters/{LAYER}", headers, bbox=WORLD, zoom=z, **query).json()["features"]
        agree(owned, listed, z)
        assert copies or z or name != "all"
    if name == "all":
        expected = {"owner": 205, "member": 189}.get(viewer, 181)
        assert visible == expected


def agree(owned, listed, z):
    """Features of tiles and of a cluster list are the same, at places within one unit."""
    by_key = {vector_tiles.key(feature): feature for feature in owned.values()}
    assert set(by_key) == {feature["id"] for feature in listed}
    for feature in listed:
        found = by_key[feature["id"]]
        assert found.properties == vector_tiles.as_properties(feature["properties"])
        if "cluster_id" in found.properties:
            assert found.id == feature["id"]
        else:
            assert 2**51 <= found.id < 2**52
        x, y = project(*feature["geometry"]["coordinates"])
        units = vector_tiles.EXTENT * 2**z
        assert abs(found.x - x * units / 2**32) <= 1 and abs(found.y - y * units / 2**32) <= 1


@pytest.mark.parametrize("z,radius", [(1, None), (3, 10), (3, 60), (4, None)])
def test_tiles_are_those_of_the_definition(world, z, radius):
    query = {"radius": radius} if radius else {}
    owned, copies = vector_tiles.zoom(world.service, LAYER, z, **query)
    assert copies
    objects = world.service.get(f"/within/{LAYER}", bbox=WORLD, limit=1000).json()["features"]
    places = {feature["id"]: feature["geometry"]["coordinates"] for feature in objects}
    expected = twin_clusters(places, z, radius or 40)
    shift = 20 - z
    assert len(owned) == len(expected)
    for number, (x, y, members) in expected.items():
        single = len(members) == 1
        found = next(
            feature for feature in owned.values()
            if vector_tiles.key(feature) == (list(members)[0] if single else number))
        assert (found.x, found.y) == (x >> shift, y >> shift)
        assert found.properties.get("point_count", 1) == len(members)


@pytest.mark.parametrize("viewer", ["anonymous", "owner"])
def test_geojson_and_pictures_agree_with_vector_tiles(world, viewer):
    service, headers = world.service, world.headers(viewer)
    berlin, suva = (tuple(part >> 22 for part in project(*town)) for town in TOWNS[:2])
    around = [(x % 1024, y) for column, row in (berlin, suva)
              for x in range(column - 1, column + 2) for y in range(row - 1, row + 2)]
    seen = 0
    for z, x, y in [(3, x, y) for x in range(8) for y in range(8)] + [(10, *tile) for tile in around]:
        path = f"/tiles/{LAYER}/{z}/{x}/{y}"
        features = vector_tiles.tile(service, LAYER, z, x, y, headers)
        answer = service.get(f"{path}.geojson", headers)
        assert answer.status == 200
        assert answer.headers["Content-Type"] == "application/geo+json"
        collection = answer.json()
        assert collection["type"] == "FeatureCollection"
        owned = {feature.id: feature._replace(x=x * 4096 + feature.x, y=y * 4096 + feature.y)
                 for feature in features if feature.own}
        agree(owned, collection["features"], z)
        seen += len(owned)
        if not features and (x + y) % 5:
            continue
        _, _, pixels = png.decode(service.get(f"{path}.png", headers).body)
        for feature in features:
            if feature.own:
                assert pixels[feature.y // 16][feature.x // 16][3]
        middles = [(feature.x / 16, feature.y / 16) for feature in features]
        drawn = [(column, row) for row in range(256) for column in range(256)
                 if pixels[row][column][3]]
        for column, row in drawn[::7]:
            assert any(abs(column - a) <= 24 and abs(row - b) <= 24 for a, b in middles)
    assert seen > 30


def test_a_coarse_place_is_exact_for_its_owner_alone(world):
    def shown(viewer):
        owned, _ = vector_tiles.zoom(
            world.service, LAYER, 0, world.headers(viewer), where=json.dumps({"title": "Coarse"}))
        (feature,) = owned.values()
        z, (x, y) = 14, project(13.7654321, 52.7654321)
        tile = vector_tiles.tile(
            world.service, LAYER, z, x >> 18, y >> 18, world.headers(viewer),
            where=json.dumps({"title": "Coarse"}))
        return feature.properties["title"], [(one.x, one.y) for one in tile if one.own]

    x, y = project(13.7654321, 52.7654321)
    exact = [((x >> 6) % 4096, (y >> 6) % 4096)]
    assert shown("owner") == ("Coarse", exact)
    assert shown("anonymous") != ("Coarse", exact) and shown("stranger") != ("Coarse", exact)


def test_bytes_and_tags_are_the_same_after_a_restart(tmp_path):
    world = World(tmp_path / "data")
    paths = [f"/tiles/{LAYER}/{tile}.{form}" for form in ("mvt", "geojson")
             for tile in ("0/0/0", "1/1/0", "7/68/42", "6/20/20", "7/127/70", "7/0/70")]

    def look():
        found = {}
        for path in paths:
            for viewer in ("anonymous", "owner"):
                headers = {**HOST, **world.headers(viewer)}
                answer = world.service.get(path, headers)
                again = world.service.get(path, headers)
                tag = answer.headers["ETag"]
                assert (again.body, again.headers["ETag"]) == (answer.body, tag)
                assert not tag.startswith("W/")
                found[path, viewer] = answer.status, answer.body, tag
                known = world.service.get(path, {**headers, "If-None-Match": tag})
                assert (known.status, known.body, known.headers["ETag"]) == (304, b"", tag)
                cached = {"anonymous": "public, no-cache", "owner": "private, no-cache"}[viewer]
                assert answer.headers["Cache-Control"] == cached
                assert known.headers["Cache-Control"] == cached
        return found

    before = look()
    assert {status for status, _, _ in before.values()} == {200, 204}
    assert world.service.stop() == 0
    world.service = Service(tmp_path / "data")
    assert look() == before
    assert world.service.stop() == 0


def test_gzip_is_applied_once_and_has_its_own_tag(world):
    x, y = project(13.4, 52.5)
    path = f"/tiles/{LAYER}/8/{x >> 24}/{y >> 24}.mvt?radius=10"
    plain = world.service.get(path)
    assert plain.headers["Content-Encoding"] is None and len(plain.body) > 1000
    packed = world.service.get(path, {"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert packed.headers["ETag"] != plain.headers["ETag"]
    for tag in (plain.headers["ETag"], packed.headers["ETag"]):
        known = world.service.get(path, {"Accept-Encoding": "gzip", "If-None-Match": tag})
        assert known.status == 304 and known.headers["ETag"] == tag
    assert world.service.request("HEAD", path).headers["ETag"] == plain.headers["ETag"]


def test_a_tag_changes_with_what_the_tile_shows_and_with_nothing_else(start):
    service = start()
    spots = {}
    for name, lon, kind in [("a", 13.4, "event"), ("b", 13.40001, "event"), ("c", 12.5, "photo"),
                            ("far", -70.0, "event")]:
        spots[name] = service.create("Spot", location=place(lon, 52.5), kind=kind, title=name)
    ann = sign_up(service)
    z, (x, y) = 7, project(13.4, 52.5)
    tile = f"/tiles/Spot/{z}/{x >> 25}/{y >> 25}"
    features = vector_tiles.tile(service, "Spot", z, x >> 25, y >> 25)
    assert sorted(feature.properties.get("point_count", 1) for feature in features) == [1, 2]

    def tags(**query):
        return [service.get(f"{tile}.{form}", **query).headers["ETag"] for form in ("mvt", "geojson")]

    before, events = tags(), tags(kind="event")
    service.update("Spot", spots["a"], title="inside a cluster")
    service.update("Spot", spots["far"], title="elsewhere")
    service.update("Spot", spots["far"], location=place(-71, 52.5))
    service.create("Spot", location=place(100, 10), kind="event")
    private = {"location": place(13.9, 52.4), "ACL": {ann.id: {"read": True, "write": True}}}
    answer = ann.call("POST", "/classes/Spot", private)
    assert answer.status == 201
    assert tags() == before
    service.update("Spot", spots["c"], title="alone")
    assert all(new != old for new, old in zip(tags(), before)) and tags(kind="event") == events
    service.update("Spot", spots["c"], title="c")
    assert tags() == before
    other = service.create("Spot", location=place(13.9, 52.6), kind="trade")
    assert all(new != old for new, old in zip(tags(), before)) and tags(kind="event") == events
    service.delete("Spot", other)
    assert tags() == before
    service.update("Spot", spots["b"], kind="trade")
    assert all(new != old for new, old in zip(tags(), before))
    service.update("Spot", spots["b"], kind="event")
    assert tags() == before
    empty = service.get("/tiles/Spot/7/1/1.mvt")
    assert empty.status == 204 and service.get("/tiles/Spot/7/2/1.mvt").headers["ETag"] == empty.headers["ETag"]


def test_what_a_class_hides_is_in_no_tile(start):
    service = start()
    service.create("Shop", location=place(13.4, 52.5), price=5, title="Shown")
    ann = sign_up(service)
    path, document = "/tiles/Shop/0/0/0.mvt", "/tiles/Shop.json"

    def look(headers=None):
        (feature,) = [one for one in vector_tiles.tile(service, "Shop", 0, 0, 0, headers) if one.own]
        (layer,) = service.get(document, headers).json()["vector_layers"]
        geojson = service.get("/tiles/Shop/0/0/0.geojson", headers).json()["features"][0]
        assert feature.properties == vector_tiles.as_properties(geojson["properties"])
        assert set(feature.properties) <= set(layer["fields"])
        return set(feature.properties), set(layer["fields"]), service.get(path, headers).headers["ETag"]

    def protect(*fields):
        answer = call(service, "PUT", "/schemas/Shop", {
            "classLevelPermissions": {"find": {"*": True}, "get": {"*": True}, "protectedFields": {
                "*": list(fields), ann.id: []}}}, master=True)
        assert answer.status == 200, answer.body

    owner = {"X-Parse-Session-Token": ann.token}
    shown, fields, tag = look()
    assert {"price", "title"} <= shown and {"price", "title"} <= fields
    protect("price")
    hidden, fields, other = look()
    assert hidden == shown - {"price"} and "price" not in fields and other != tag
    assert look(owner)[0] == shown
    protect("title")
    assert look()[0] == shown - {"title"}
    protect()
    assert look()[::2] == (shown, tag)
    assert service.get(path, where='{"price":5}').status == 200
    protect("price")
    assert service.get(path, where='{"price":5}').status == 403
    answer = call(service, "PUT", "/schemas/Shop", {
        "classLevelPermissions": {"find": {ann.id: True}}}, master=True)
    assert answer.status == 200
    for form in ("mvt", "geojson"):
        assert service.get(f"/tiles/Shop/0/0/0.{form}").status == 403
        assert service.get(f"/tiles/Shop/0/0/0.{form}", owner).status == 200


def test_declared_aggregates_are_numbers(start):
    service = start()
    for price in (1.25, 4, None):
        service.create("Shop", location=place(5, 5), **({} if price is None else {"price": price}))
    settings = {"aggregates": [{"field": "price", "op": op} for op in ("sum", "min", "max", "mean")],
                "cluster": {"radius": 60}}
    assert service.request("PUT", "/v1/collections/Shop", settings, MASTER).status == 200
    (feature,) = [one for one in vector_tiles.tile(service, "Shop", 0, 0, 0) if one.own]
    aggregates = {name: value for name, value in feature.properties.items() if "price" in name}
    assert aggregates == {"price_sum": 5.25, "price_min": 1.25, "price_max": 4, "price_mean": 2.625}
    (layer,) = service.get("/tiles/Shop.json").json()["vector_layers"]
    assert set(feature.properties) <= set(layer["fields"])
    # The layer's own radius, unless another is asked for.
    assert vector_tiles.tile(service, "Shop", 0, 0, 0, radius=60)[0].id == feature.id
    assert vector_tiles.tile(service, "Shop", 0, 0, 0, radius=20)[0].id != feature.id


def test_tilejson_describes_one_kind_of_tiles(world):
    document = world.service.get(f"/tiles/{LAYER}.json").json()
    assert document["tiles"] == [f"{world.service.address.rstrip('/')}/tiles/{LAYER}/{{z}}/{{x}}/{{y}}.mvt"]
    (layer,) = document["vector_layers"]
    assert (layer["id"], layer["minzoom"], layer["maxzoom"]) == (LAYER, 0, 22)
    owned, _ = vector_tiles.zoom(world.service, LAYER, 3, radius=10)
    for feature in owned.values():
        for name, value in feature.properties.items():
            kind = {str: "String", bool: "Boolean", int: "Number", float: "Number"}[type(value)]
            assert layer["fields"][name].split(" ")[0] == kind
    assert "location" not in layer["fields"]
    pictures = world.service.get(f"/tiles/{LAYER}.json", format="png").json()
    assert pictures["tiles"][0].endswith("{y}.png") and pictures["vector_layers"] == []
    assert world.service.get("/tiles/basemap.json").json()["tiles"][0].endswith(".png")
    for path in (f"/tiles/{LAYER}.json?format=jpg", "/tiles/basemap.json?format=mvt"):
        assert world.service.get(path).json()["errors"][0]["field"] == "format"


def test_what_has_expired_is_in_no_tile(start):
    service = start()
    service.create("Spot", location=place(5, 5), expiresAt={"__type": "Date", "iso": "2020-01-01T00:00:00.000Z"})
    stays = service.create("Spot", location=place(50, 5))
    owned, _ = vector_tiles.zoom(service, "Spot", 1)
    assert [vector_tiles.key(feature) for feature in owned.values()] == [stays]


@pytest.mark.parametrize("form", ["mvt", "geojson"])
@pytest.mark.parametrize("path,status,field", [
    ("23/0/0", 400, "z"), ("-1/0/0", 400, "z"), ("1e1/0/0", 400, "z"), ("99999999999999999999/0/0", 400, "z"),
    ("3/8/0", 404, None), ("3/0/8", 404, None), ("3/-1/0", 404, None), ("3/0/-1", 404, None),
    ("3/0/1.5", 404, None), ("03/0/0", 404, None), ("3/00/0", 404, None), ("3/0/99999999999999999999", 404, None),
    ("3/4/2?radius=9", 400, "radius"), ("3/4/2?radius=101", 400, "radius"), ("3/4/2?radius=1e1", 400, "radius"),
    ("3/4/2?radius=NaN", 400, "radius"), ("22/4/2?radius=10", 400, "radius"), ("3/4/2?style=heat", 400, "style"),
    ("3/4/2?kind=", 400, "kind"), ("3/4/2?since=yesterday", 400, "since"), ("3/4/2?where=x", 400, "where"),
    ("3/4/2?sessionToken=r:1", 400, "sessionToken"), ("3/4/2@2x", 404, None), ("%2e%2e/4/2", 400, None),
])
def test_what_is_no_tile_is_refused(world, form, path, status, field):
    path, _, query = path.partition("?")
    answer = world.service.get(f"/tiles/{LAYER}/{quote(path, safe='/%@')}.{form}?{query}")
    assert answer.status == status, answer.body
    assert [error["field"] for error in answer.json().get("errors", [])] == ([field] if field else [])


@pytest.mark.parametrize("form", ["mvt", "geojson"])
def test_what_is_no_layer_has_no_tiles(world, form):
    for layer in ("Nobody", "basemap", "_User", "%2e"):
        assert world.service.get(f"/tiles/{layer}/0/0/0.{form}").status in (400, 403, 404)
    answer = world.service.get(f"/tiles/{LAYER}/0/0/0.{form}", {"X-Parse-Session-Token": "r:nobody"})
    assert answer.status == 401
    assert world.service.request("POST", f"/tiles/{LAYER}/0/0/0.{form}").status == 405


def test_every_zoom_has_tiles_whatever_the_layers_radius(start):
    service = start()
    service.create("Spot", location=place(13.4, 52.5))
    assert service.request(
        "PUT", "/v1/collections/Spot", {"cluster": {"radius": 10}}, MASTER).status == 200
    x, y = project(13.4, 52.5)
    for z in range(23):
        features = vector_tiles.tile(service, "Spot", z, x >> 32 - z, y >> 32 - z)
        assert [vector_tiles.count(features), features[0].own] == [1, True]


def test_the_addresses_of_the_ogc_have_the_row_first_and_the_same_tiles(world):
    service, (x, y) = world.service, (part >> 25 for part in project(13.4, 52.5))
    base = f"/v1/collections/{LAYER}/tiles"
    classes = service.get("/v1/conformance").json()["conformsTo"]
    assert "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/mvt" in classes
    (tileset,) = service.get(base).json()["tilesets"]
    (address,) = [link["href"] for link in tileset["links"] if link["rel"] == "self"]
    assert address == f"{service.address.rstrip('/')}{base}/WebMercatorQuad"
    described = service.get(f"{base}/WebMercatorQuad").json()
    assert described["tileMatrixSetURI"].endswith("/WebMercatorQuad")
    templates = {link["type"]: link["href"] for link in described["links"] if link["rel"] == "item"}
    for form, media_type in [("mvt", "application/vnd.mapbox-vector-tile"),
                             ("geojson", "application/geo+json"), ("png", "image/png")]:
        path = templates[media_type].removeprefix(service.address.rstrip("/"))
        path = path.replace("{tileMatrix}", "7").replace("{tileRow}", str(y)).replace("{tileCol}", str(x))
        for headers in ({}, world.headers("owner")):
            for query in ("", "&kind=event"):
                answer = service.get(path + query, headers)
                other = service.get(f"/tiles/{LAYER}/7/{x}/{y}.{form}?{query[1:]}", headers)
                assert answer.status == 200 and answer.headers["Content-Type"] == media_type
                assert answer.body == other.body
                assert answer.headers["ETag"] == other.headers["ETag"]
    tile = f"{base}/WebMercatorQuad/7/{y}/{x}"
    assert service.get(tile).body == service.get(f"/tiles/{LAYER}/7/{x}/{y}.mvt").body
    for path, status in [
            (f"{tile}?f=tiff", 400), (f"{tile}?f=png&radius=20", 400), (f"{tile}?style=heat", 400),
            (f"{base}/WebMercatorQuad/7/128/0", 404), (f"{base}/WebMercatorQuad/23/0/0", 400),
            (f"{base}/WorldCRS84Quad/0/0/0", 404), ("/v1/collections/Nobody/tiles", 404),
            ("/v1/collections/Nobody/tiles/WebMercatorQuad/0/0/0", 404), (f"{base}?f=html", 400)]:
        assert service.get(path).status == status, path
