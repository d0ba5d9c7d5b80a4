"""What an operator says about a layer holds at once, everywhere, and after a restart."""

import json
import time
from datetime import datetime, timedelta, timezone

import pytest

from places import csv_text, rows
from service import CLIENT, MASTER, count_of, place

BERLIN = "/tiles/Towns/10/550/335.png"
STYLES = ("clusters", "points", "heat")


def put(service, layer, headers=MASTER, **settings):
    return service.request("PUT", f"/v1/collections/{layer}", settings, headers)


def changed(service, layer, **settings):
    answer = put(service, layer, **settings)
    assert answer.status == 200, answer.body
    return answer.json()


def tags(service):
    return {style: service.get(BERLIN, style=style).headers["ETag"] for style in STYLES}


def legend(service, zoom=10):
    return service.get("/tiles/Towns/legend.json", style="heat", z=zoom).json()


def after(seconds):
    """A Date so long from now."""
    instant = datetime.now(timezone.utc) + timedelta(seconds=seconds)
    return {"__type": "Date", "iso": instant.isoformat(timespec="milliseconds")[:-6] + "Z"}


def becomes(ask, expected, timeout=60):
    """Asks until the answer is the expected one."""
    end = time.monotonic() + timeout
    while (answer := ask()) != expected:
        assert time.monotonic() < end, answer
        time.sleep(0.02)


@pytest.fixture
def layers(start):
    service = start()
    service.import_csv("Towns", csv_text(rows(per_town=50, seed=9)), id="id", kind="kind")
    return service


def test_settings_are_shown_and_outlive_a_restart(layers, start):
    settings = {
        "title": "Towns & more", "description": "Two\nlines.", "attribution": "© Somebody",
        "weight": "size", "cluster": {"radius": 20},
        "aggregates": [{"field": "price", "op": "max"}],
        "heat": {"halfLife": "36h", "radius": 40, "domain": 16, "minOwners": 3, "public": True}}
    described = changed(layers, "Towns", **settings)
    assert {name: described[name] for name in settings} == settings
    changed(layers, "Ahead", title="Nothing yet", kind="sort")
    tilejson = layers.get("/tiles/Towns.json").json()
    assert tilejson["description"] == "Two\nlines." and tilejson["attribution"] == "© Somebody"
    before = [layers.get(f"/v1/collections/{name}") for name in ("Towns", "Ahead")]
    assert before[0].json() == described
    drawn = tags(layers), legend(layers)
    assert layers.stop() == 0
    again = start(data=layers.data)
    for name, answer in zip(("Towns", "Ahead"), before):
        same = again.get(f"/v1/collections/{name}").json()
        assert {**same, "links": None} == {**answer.json(), "links": None}
    assert (tags(again), legend(again)) == drawn
    unset = changed(
        again, "Towns", title=None, description=None, attribution=None, weight=None,
        aggregates=None, cluster=None, heat=None)
    assert unset["title"] == "Towns" and "description" not in unset
    assert unset["cluster"] == {"radius": 40} and unset["heat"] == {"radius": 24}


def test_a_wrong_setting_changes_nothing(layers):
    before = layers.get("/v1/collections/Towns").body
    answer = put(layers, "Towns", title="New", kind=5, heat={"radius": 99, "public": True})
    assert answer.status == 400
    problem = answer.json()
    assert [fault["field"] for fault in problem["errors"]] == ["kind", "heat.radius", "heat.public"]
    assert put(layers, "Towns", location="elsewhere").json()["errors"][0]["message"].startswith(
        "must be location")
    for headers in (CLIENT, {}):
        assert put(layers, "Towns", headers=headers, title="Mine").status == 401
    broken = layers.request("PUT", "/v1/collections/Towns", b"{", MASTER)
    assert broken.status == 400
    large = put(layers, "Towns", description="x" * 70_000)
    assert large.status == 413
    assert layers.get("/v1/collections/Towns").body == before


def remove(service, layer, headers=MASTER):
    return service.request("DELETE", f"/v1/collections/{layer}", headers=headers)


def names(service):
    return [layer["id"] for layer in service.get("/v1/collections").json()["collections"]]


def test_a_mistyped_layer_is_removed_for_good(layers, start):
    changed(layers, "Twons", title="Mistyped", kind="sort", heat={"domain": 8})
    once = layers.create("Once", location=place(1, 2), kind="a")
    changed(layers, "Once", title="Was here")
    assert names(layers) == ["Once", "Towns", "Twons"]
    for headers in (CLIENT, {}):
        assert remove(layers, "Twons", headers).status == 401
    for name in ("Towns", "Once"):
        refused = remove(layers, name)
        assert refused.status == 409 and "objects with a place" in refused.json()["detail"]
    layers.delete("Once", once)
    gone, bare = remove(layers, "Twons"), remove(layers, "Once")
    assert (gone.status, gone.body) == (204, b"")
    assert bare.status == 200 and bare.json()["title"] == "Once" and bare.json()["count"] == 0
    for name in ("Twons", "Nowhere", "_Layer", "basemap"):
        assert remove(layers, name).status == 404
    for path in ("/v1/collections/Twons", "/tiles/Twons.json", "/tiles/Twons/0/0/0.png", "/near/Twons?lon=1&lat=2"):
        assert layers.get(path).status == 404
    assert layers.stop() == 0
    again = start(data=layers.data)
    assert names(again) == ["Once", "Towns"]
    assert again.get("/v1/collections/Once").json()["title"] == "Once"
    again.create("Twons", location=place(3, 4), kind="b", sort="c")
    assert again.get("/v1/collections/Twons").json()["kinds"] == {"b": 1}


@pytest.mark.parametrize("body,field", [
    (b'{"title": "a", "kind": "b", "title": "c"}', "title"), (b'{"heat": {"radius": 9, "radius": 9}}', "heat.radius"),
    (b'{"aggregates": [{"field": "a", "op": "sum"}, {"op": "sum", "field": "a", "op": "min"}]}', "aggregates[1].op"),
    (b'{"title": "a\\u0000b"}', "title"), (b'{"description": "\\u001b[31m"}', "description"),
    (b'{"attribution": "\\u0000"}', "attribution"), (b'{"kind": "a\\u0000"}', "kind"),
    (b'{"a\\u0000": 1}', "a\0"), (b'{"aggregates": [{"field": "a\\u0000", "op": "sum"}]}', "aggregates[0].field"),
    (b'{"aggregates": [{"field": "a", "op": "sum"}, {"field": "a", "op": "avg"}]}', "aggregates[1].op"),
    (b'{"aggregates": [{"field": "a", "op": "sum"}, {"field": "a", "op": "sum"}]}', "aggregates[1]"),
])
def test_what_is_wrong_in_a_body_is_named(towns, body, field):
    before = towns.get("/v1/collections/Towns").body
    answer = towns.request("PUT", "/v1/collections/Towns", body, MASTER)
    assert answer.status == 400
    assert [fault["field"] for fault in answer.json()["errors"]] == [field]
    assert towns.get("/v1/collections/Towns").body == before


def test_radii_and_scales_are_those_of_the_next_tile(layers):
    first, scale = tags(layers), legend(layers)
    changed(layers, "Towns", title="A title is in no picture")
    assert tags(layers) == first
    changed(layers, "Towns", cluster={"radius": 100})
    wide = tags(layers)
    assert wide["clusters"] != first["clusters"]
    assert (wide["points"], wide["heat"]) == (first["points"], first["heat"])
    # Radius 10 has no cells at the last zooms: tiles take the least radius that has.
    changed(layers, "Towns", cluster={"radius": 10})
    for zoom in (20, 21, 22):
        assert layers.get(f"/tiles/Towns/{zoom}/0/0.png").status == 200
    assert layers.get("/clusters/Towns", bbox="0,0,1,1", zoom=22).status == 400
    changed(layers, "Towns", cluster=None, heat={"radius": 48})
    broad, refitted = tags(layers), legend(layers)
    assert broad["clusters"] == first["clusters"] and broad["heat"] != first["heat"]
    assert refitted["version"] > scale["version"]
    changed(layers, "Towns", heat={"domain": 1024})
    assert legend(layers)["domain"] == 1024 and tags(layers)["heat"] != broad["heat"]
    changed(layers, "Towns", heat={"domain": list(range(1, 24))})
    assert [legend(layers, zoom)["domain"] for zoom in (0, 10, 22)] == [1, 11, 23]
    changed(layers, "Towns", heat=None)
    assert legend(layers)["domain"] == scale["domain"]
    assert legend(layers)["version"] == scale["version"] + 4
    assert tags(layers) == first, "an undone change restores all"


def test_another_kind_field_is_another_index(layers):
    first = tags(layers)
    kinds = layers.get("/v1/collections/Towns").json()["kinds"]
    assert changed(layers, "Towns", kind="town")["kinds"] != kinds
    other = tags(layers)
    assert other["points"] != first["points"] and other["heat"] == first["heat"]
    new = layers.create("Towns", location=place(13.4, 52.5), town="Elsewhere")
    assert layers.get("/v1/collections/Towns").json()["kinds"]["Elsewhere"] == 1
    layers.delete("Towns", new)
    assert changed(layers, "Towns", kind=None)["kinds"] == kinds
    assert tags(layers) == first


def test_the_same_tile_is_drawn_by_the_command(layers, tmp_path):
    from service import run
    changed(layers, "Towns", heat={"radius": 50, "domain": 2})
    drawn = layers.get(BERLIN, style="heat").body
    assert layers.stop() == 0
    file = tmp_path / "tile.png"
    done = run("render", "--data", layers.data, "--layer", "Towns", "--tile", "10/550/335",
               "--style", "heat", "-o", file)
    assert done.returncode == 0, done.stderr
    assert file.read_bytes() == drawn


def test_a_coarse_place_is_the_same_one_in_every_answer(layers):
    new = layers.create(
        "Towns", location=place(13.4001, 52.5001), kind="event", locationAccuracy=2_000)
    paths = [BERLIN + f"?style={style}" for style in STYLES] + [
        "/clusters/Towns?bbox=13,52,14,53&zoom=16", "/v1/collections/Towns",
        "/near/Towns?lon=13.4&lat=52.5&limit=300", "/within/Towns?bbox=13,52,14,53&limit=300"]

    def answers():
        return [layers.get(path) for path in paths]

    before = answers()
    assert all(answer.status == 200 for answer in before)
    layers.update("Towns", new, location=place(13.4002, 52.4999))
    after_move = answers()
    assert [a.body for a in after_move] == [a.body for a in before]
    assert [a.headers["ETag"] for a in after_move] == [a.headers["ETag"] for a in before]
    layers.update("Towns", new, location=place(13.4, -60))
    assert all(a.headers["ETag"] != b.headers["ETag"] for a, b in zip(answers(), before))
    layers.update("Towns", new, location=place(13.4002, 52.4999))

    shown = layers.request("GET", f"/parse/classes/Towns/{new}", headers=CLIENT).json()
    exact = layers.request("GET", f"/parse/classes/Towns/{new}", headers=MASTER).json()
    assert exact["location"] == place(13.4002, 52.4999) != shown["location"]
    assert shown["locationAccuracy"] == 2_000
    here = [shown["location"]["longitude"], shown["location"]["latitude"]]
    for path in paths[-2:]:
        (feature,) = [f for f in layers.get(path).json()["features"] if f["id"] == new]
        assert feature["geometry"]["coordinates"] == here
    text = b"".join(layers.get(path).body for path in paths)
    assert b"13.4002" not in text and b"52.4999" not in text


def test_a_geometry_does_not_tell_the_place_that_an_accuracy_hides(layers):
    exact = [10.123456, 50.123456, 12]
    body = json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"locationAccuracy": 5000, "title": "hidden"},
         "geometry": geometry} for geometry in (
            {"type": "Point", "coordinates": exact},
            {"type": "LineString", "coordinates": [exact[:2], [10.2, 50.2]]})]})
    added = layers.request(
        "POST", "/import/Veiled", body.encode(), {**MASTER, "Content-Type": "application/geo+json"})
    assert added.json()["added"] == 2
    for path in ("/within/Veiled?bbox=0,0,90,90", "/near/Veiled?lon=10&lat=50",
                 "/clusters/Veiled?bbox=0,0,90,90&zoom=20", "/parse/classes/Veiled"):
        answer = layers.get(path, CLIENT)
        assert answer.status == 200 and b"10.123456" not in answer.body, path
    condition = json.dumps({"geometry": {"$exists": True}})
    assert layers.get("/within/Veiled", bbox="0,0,90,90", count="true", where=condition).json() == {
        "count": 0}


def test_an_accuracy_that_is_none_is_refused(layers):
    for value in (-1, 1_000_001, "500"):
        answer = layers.request(
            "POST", "/parse/classes/Fresh", {"location": place(1, 2), "locationAccuracy": value}, CLIENT)
        assert (answer.status, answer.json()["code"]) == (400, 111), value
        assert "locationAccuracy" in answer.json()["error"]
    report = layers.import_csv(
        "Rows", "id,lon,lat,locationAccuracy\na,1,2,500\nb,1,2,-5\nc,1,2,\n", id="id")
    assert (report["added"], report["rejected"]) == (2, 1)
    assert report["errors"][0]["line"] == 3
    assert "locationAccuracy" in report["errors"][0]["reason"]


def test_what_expires_is_gone_without_a_write(layers):
    paths = [BERLIN + f"?style={style}" for style in STYLES] + [
        "/clusters/Towns?bbox=13,52,14,53&zoom=12", "/v1/collections/Towns", "/tiles/Towns.json",
        "/within/Towns?bbox=13,52,14,53&limit=300", "/near/Towns?lon=13.4&lat=52.5"]

    def tags():
        return [layers.get(path).headers["ETag"] for path in paths]

    def found():
        objects = layers.request("GET", "/parse/classes/Towns?limit=0&count=1", headers=CLIENT)
        return objects.json()["count"]

    before, count = tags(), found()
    new = layers.create("Towns", location=place(13.45, 52.5), kind="event", expiresAt=after(8))
    assert found() == count + 1 and tags()[0] != before[0]
    # Drawn and cached meanwhile, and asked for with the tag of what is gone.
    present = layers.get(paths[0]).headers["ETag"]
    becomes(tags, before)
    becomes(found, count)
    assert layers.get(paths[0], {"If-None-Match": present}).status == 200
    assert layers.request("GET", f"/parse/classes/Towns/{new}", headers=CLIENT).status == 404
    assert layers.request("GET", f"/parse/classes/Towns/{new}", headers=MASTER).status == 200


def test_what_has_expired_is_not_there_after_a_restart(layers, start):
    layers.create("Towns", location=place(60, 60), kind="gone", expiresAt=after(1))
    becomes(lambda: "gone" in layers.get("/v1/collections/Towns").json()["kinds"], False)
    described = layers.get("/v1/collections/Towns").json()
    assert layers.stop() == 0
    again = start(data=layers.data).get("/v1/collections/Towns").json()
    assert {**again, "links": None} == {**described, "links": None}


def test_aggregates_are_exact_whatever_comes_and_goes(layers):
    changed(layers, "Shop", aggregates=[
        {"field": "price", "op": op} for op in ("sum", "min", "max", "mean")] + [
        {"field": "stars", "op": "sum"}])

    def cluster(path="/clusters/Shop?bbox=-180,-90,180,90&zoom=3"):
        (feature,) = layers.get(path).json()["features"]
        return feature["properties"]

    prices = [0.1, 0.2, -7, 1000000.000001, 12.5]
    ids = [layers.create("Shop", location=place(10, 10), price=price) for price in prices]
    layers.create("Shop", location=place(10, 10))
    properties = cluster()
    assert properties["point_count"] == 6
    assert b'"price_sum":1000005.800001,' in layers.get(
        "/clusters/Shop?bbox=-180,-90,180,90&zoom=3").body
    assert (properties["price_min"], properties["price_max"]) == (-7, 1000000.000001)
    assert properties["price_mean"] == 200001.16
    assert "stars_sum" not in properties
    layers.delete("Shop", ids[3])
    layers.update("Shop", ids[0], price=None)
    layers.update("Shop", ids[1], price=0.3)
    properties = cluster()
    assert (properties["price_sum"], properties["price_min"], properties["price_max"]) == (5.8, -7, 12.5)
    assert properties["price_mean"] == 1.933333
    children = layers.get(f"/clusters/Shop/{properties['cluster_id']}/children").json()["features"]
    assert [child["properties"]["price_sum"] for child in children] == [5.8]
    first = layers.get("/clusters/Shop?bbox=-180,-90,180,90&zoom=3").headers["ETag"]
    layers.update("Shop", ids[1], price=0.4)
    second = layers.get("/clusters/Shop?bbox=-180,-90,180,90&zoom=3").headers["ETag"]
    assert second != first
    # Other aggregates of what is there already.
    changed(layers, "Shop", aggregates=[{"field": "price", "op": "max"}])
    properties = cluster()
    assert properties["price_max"] == 12.5 and "price_sum" not in properties
    for id in (ids[0], ids[1], ids[2], ids[4]):
        layers.update("Shop", id, price=None)
    assert "price_max" not in cluster()
