"""Hotspots and fading heat over HTTP, against a twin that shares no code with the service."""

import random
import threading
import time
from datetime import datetime, timezone

import pytest

import png
from hotspots import WEIGHT_UNIT, faded, field, hotspots, pixel_of
from service import CLIENT, MASTER, Service, place
from service import ask as send

SEED = 20261201
WORLD = "-180,-90,180,90"
KINDS = ["event", "trade", ""]


def made_places(source):
    """Clumps of several sizes, one spot many times, the antimeridian, a pole's edge."""
    places = []

    def add(lon, lat, weight=1):
        lon = round((lon + 180) % 360 - 180, 7)
        places.append((lon, round(min(max(lat, -90), 90), 7), weight, source.choice(KINDS)))

    for lon, lat, spread, count in (
            (13.4, 52.5, 0.02, 120), (13.6, 52.4, 0.05, 60), (2.35, 48.85, 0.3, 60)):
        for _ in range(count):
            add(lon + source.gauss(0, spread), lat + source.gauss(0, spread * 0.6),
                source.choice([1, 2, 0.5, 0]))
    for _ in range(30):
        add(-0.1276, 51.5072)
    for _ in range(50):
        add(180 + source.gauss(0, 0.1), -17 + source.gauss(0, 0.1))
    for _ in range(10):
        add(30 + source.gauss(0, 0.1), source.choice([-1, 1]) * source.uniform(85, 90))
    for _ in range(20):
        add(source.uniform(-180, 180), source.uniform(-80, 80))
    return places


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("hotspots") / "data")
    service.places = made_places(random.Random(SEED))
    text = "id,lon,lat,weight,kind\n" + "".join(
        f"p{number},{lon:.7f},{lat:.7f},{weight},{kind}\n"
        for number, (lon, lat, weight, kind) in enumerate(service.places))
    report = service.import_csv("Places", text, id="id", kind="kind")
    assert report["added"] == len(service.places), report
    yield service
    assert service.stop() == 0


def ask(service, layer, zoom, bbox=WORLD, limit=100, **query):
    answer = service.get(f"/hotspots/{layer}", bbox=bbox, zoom=zoom, limit=limit, **query)
    assert answer.status == 200, answer.body
    assert answer.headers["Content-Type"].startswith("application/geo+json")
    assert answer.headers["ETag"].startswith('"')
    return answer.json()["features"]


def compare(features, expected):
    assert [feature["id"] for feature in features] == [spot["id"] for spot in expected]
    for feature, spot in zip(features, expected):
        properties = feature["properties"]
        assert feature["geometry"]["coordinates"] == pytest.approx([spot["lon"], spot["lat"]], abs=1e-6)
        assert properties["score"] == pytest.approx(spot["score"], abs=0.0101)
        assert properties["count"] == spot["count"]
        assert properties["kinds"] == spot["kinds"]
        assert properties["radius"] == pytest.approx(spot["radius"], abs=0.011)


def weighed(places, kind=None):
    return [
        (lon, lat, round(weight * WEIGHT_UNIT), name) for lon, lat, weight, name in places
        if kind is None or name == kind]


@pytest.mark.parametrize("zoom", [0, 2, 5, 9, 13, 18, 22])
def test_hotspots_are_those_of_the_definition(world, zoom):
    expected = hotspots(weighed(world.places), zoom)
    assert expected
    compare(ask(world, "Places", zoom), expected[:100])
    compare(ask(world, "Places", zoom, limit=3), expected[:3])
    scores = [spot["score"] for spot in expected]
    assert scores == sorted(scores, reverse=True) and scores[-1] > 0


@pytest.mark.parametrize("zoom", [3, 8, 12])
def test_boxes_share_out_the_hotspots_of_the_world(world, zoom):
    whole = ask(world, "Places", zoom)
    parts = [
        spot for box in ("-180,-90,-0.1276,0", "-0.1276,-90,180,0", "-180,0,13.4,90", "13.4,0,180,90",
                         "-0.1276,0,-0.1276,90")
        for spot in ask(world, "Places", zoom, box)]
    crossing = ask(world, "Places", zoom, "170,-30,-170,-10")
    assert crossing and crossing == ask(world, "Places", zoom, "170,-30,190,-10")
    for spot in whole:
        assert spot in parts or -0.1276 <= spot["geometry"]["coordinates"][0] < 13.4
    assert all(spot in whole for spot in parts + crossing) or len(whole) == 100


def test_a_filter_is_a_layer_of_what_it_keeps(world):
    expected = hotspots(weighed(world.places, "event"), 11)
    compare(ask(world, "Places", 11, kind="event"), expected)
    assert ask(world, "Places", 11, kind="nothing") == []


def test_hotspots_are_maxima_of_the_painted_heat(world):
    zoom, count = 10, 0
    weights = {}
    for lon, lat, weight, _ in weighed(world.places):
        pixel = pixel_of(lon, lat, zoom)
        weights[pixel] = weights.get(pixel, 0) + weight
    densities = field(weights, zoom)
    for spot in ask(world, "Places", zoom, limit=12):
        lon, lat = spot["geometry"]["coordinates"]
        x, y = pixel_of(lon, lat, zoom)
        tile = world.get(f"/tiles/Places/{zoom}/{x // 256}/{y // 256}.png", style="heat")
        _, _, pixels = png.decode(tile.body)
        opacity = pixels[y % 256][x % 256][3]
        for across in range(-23, 24):
            for down in range(-23, 24):
                column, row = x % 256 + across, y % 256 + down
                if across ** 2 + down ** 2 < 24 ** 2 and 0 <= column < 256 and 0 <= row < 256:
                    assert densities.get((x + across, y + down), 0) <= densities[x, y]
                    assert pixels[row][column][3] <= opacity, (spot, across, down)
                    count += pixels[row][column][3] < opacity
    assert count > 1000


def set_up(service, layer, **settings):
    answer = service.request("PUT", f"/v1/collections/{layer}", settings, MASTER)
    assert answer.status == 200, answer.body


def now_ms():
    return int(time.time() * 1000)


def in_one_minute(check):
    """Runs a check whose expectation depends on the minute; again when the minute has changed."""
    for _ in range(4):
        minute = now_ms() // 60_000
        result = check(minute * 60_000)
        if now_ms() // 60_000 == minute:
            return result
    raise AssertionError("no check fitted into a minute")


def iso(milliseconds):
    moment = datetime.fromtimestamp(milliseconds / 1000, timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{milliseconds % 1000:03d}Z"


@pytest.fixture(scope="module")
def times(tmp_path_factory):
    """A layer whose objects were made at times around now."""
    service = Service(tmp_path_factory.mktemp("times") / "data")
    source = random.Random(SEED)
    service.start = now_ms()
    service.rows = []
    for number in range(150):
        lon, lat = source.choice([(13.4, 52.5), (13.43, 52.51), (13.5, 52.45)])
        age = source.choice([0, 30, 59, 61, 119, 121, 200, 600, 1500, -90])
        service.rows.append((
            round(lon + source.gauss(0, 0.004), 6), round(lat + source.gauss(0, 0.003), 6),
            service.start - age * 60_000))
    connection = service.connect()
    for lon, lat, moment in service.rows:
        made = {"__type": "Date", "iso": iso(moment)}
        answer = send(
            connection, "POST", "/parse/classes/Times", {"location": place(lon, lat), "made": made}, CLIENT)
        assert answer.status == 201, answer.body
    connection.close()
    set_up(service, "Times", time="made")
    service.has_times = service.get("/v1/collections/Times").json()["extent"]["temporal"]["interval"]
    yield service
    assert service.stop() == 0


def test_objects_have_times_of_their_own(times):
    (first, last), = times.has_times
    assert first != last


@pytest.mark.parametrize("half_life,minutes", [("30m", 30), ("1h", 60), ("1d", 1440)])
def test_weights_fade(times, half_life, minutes):
    def check(now):
        left = [
            (lon, lat, faded(WEIGHT_UNIT, moment, now, minutes), "")
            for lon, lat, moment in times.rows]
        expected = hotspots([row for row in left if row[2] > 0], 13)
        features = ask(times, "Times", 13, halfLife=half_life)
        return features, expected

    compare(*in_one_minute(check))


def test_a_window_counts_what_is_new_and_compares_it(times):
    def check(now):
        new = [row for row in times.rows if now - 2 * 3_600_000 <= row[2] < now + 60_000]
        old = [row for row in times.rows if now - 4 * 3_600_000 <= row[2] < now - 2 * 3_600_000]
        assert new and old
        expected = hotspots([(lon, lat, WEIGHT_UNIT, "") for lon, lat, _ in new], 13)
        for spot in expected:
            x, y = spot["pixel"]
            before = sum(
                (px - x) ** 2 + (py - y) ** 2 < 24 ** 2
                for px, py in (pixel_of(lon, lat, 13) for lon, lat, _ in old))
            spot["trend"] = round((spot["count"] - before) / max(before, 1), 4)
        return ask(times, "Times", 13, window="2h"), expected

    features, expected = in_one_minute(check)
    compare(features, expected)
    assert [spot["properties"]["trend"] for spot in features] == [spot["trend"] for spot in expected]
    assert all(spot["properties"]["trend"] is None for spot in ask(times, "Times", 13))


@pytest.mark.parametrize("scale", ["", "@2x"])
def test_a_fading_tile_is_another_picture(times, scale):
    x, y = pixel_of(13.43, 52.51, 14)
    tile = f"/tiles/Times/14/{x // 256}/{y // 256}{scale}.png"

    def check(now):
        plain = times.get(tile, style="heat")
        fading = times.get(tile, style="heat", halfLife="30m")
        again = times.get(tile, style="heat", halfLife="30m")
        return plain, fading, again

    plain, fading, again = in_one_minute(check)
    assert fading.status == 200 and fading.body != plain.body
    assert fading.headers["ETag"] != plain.headers["ETag"]
    assert again.headers["ETag"] == fading.headers["ETag"] and again.body == fading.body
    # So slow a fading that no weight has moved paints what is painted without.
    slow = times.get(tile, style="heat", halfLife="52560000m")
    assert slow.body == plain.body
    def not_modified(now):
        tag = times.get(tile, style="heat", halfLife="30m").headers["ETag"]
        return times.get(tile, style="heat", halfLife="30m", headers={"If-None-Match": tag})

    assert in_one_minute(not_modified).status == 304


def test_a_tag_changes_with_the_answer(start):
    service = start()
    for number in range(5):
        service.create("Spot", location=place(5 + number / 1e5, 5), title="a")
    query = {"bbox": "4,4,6,6", "zoom": 12}
    first = service.get("/hotspots/Spot", **query)
    tag = first.headers["ETag"]
    assert len(first.json()["features"]) == 1
    assert service.get("/hotspots/Spot", headers={"If-None-Match": tag}, **query).status == 304
    other = service.create("Spot", location=place(5.00002, 5))
    changed = service.get("/hotspots/Spot", **query)
    assert changed.headers["ETag"] != tag and changed.json() != first.json()
    service.delete("Spot", other)
    assert service.get("/hotspots/Spot", **query).headers["ETag"] == tag
    assert service.get("/hotspots/Spot", **query).body == first.body
    # What the answer does not show does not move its tag.
    hidden = service.create(
        "Spot", headers=MASTER, location=place(5, 5), ACL={"someone": {"read": True}})
    assert service.get("/hotspots/Spot", **query).headers["ETag"] == tag
    service.request("DELETE", f"/parse/classes/Spot/{hidden}", headers=MASTER)


def test_a_hotspot_keeps_its_id_while_it_grows(start):
    service = start()
    for number in range(6):
        service.create("Spot", location=place(5 + number / 1e6, 5))
    spot, = ask(service, "Spot", 12)
    for number in range(6):
        service.create("Spot", location=place(5 + number / 1e6, 5.000001))
        grown, = ask(service, "Spot", 12)
        assert grown["id"] == spot["id"]
        assert grown["properties"]["count"] == 7 + number
        assert grown["properties"]["score"] > spot["properties"]["score"]
        spot = grown


@pytest.mark.parametrize("query,named", [
    ({"zoom": 5}, "bbox"), ({"bbox": WORLD}, "zoom"), ({"bbox": WORLD, "zoom": 23}, "zoom"),
    ({"bbox": WORLD, "zoom": 5, "limit": 0}, "limit"), ({"bbox": WORLD, "zoom": 5, "limit": 101}, "limit"),
    ({"bbox": WORLD, "zoom": 5, "window": "0m"}, "window"), ({"bbox": WORLD, "zoom": 5, "window": "24"}, "window"),
    ({"bbox": WORLD, "zoom": 5, "window": "11000d"}, "window"),
    ({"bbox": WORLD, "zoom": 5, "halfLife": "0h"}, "halfLife"),
    ({"bbox": WORLD, "zoom": 5, "halfLife": "-1h"}, "halfLife"),
    ({"bbox": WORLD, "zoom": 5, "halflife": "1h"}, "halflife"),
    ({"bbox": "0,91,1,92", "zoom": 5}, "bbox"),
])
def test_what_is_wrong_is_named(world, query, named):
    answer = world.get("/hotspots/Places", **query)
    assert answer.status == 400
    assert named in answer.json()["detail"]


def test_fading_belongs_to_heat(world):
    assert world.get("/tiles/Places/3/4/2.png", style="points", halfLife="1h").status == 400
    legend = world.get("/tiles/Places/legend.json", style="heat", z=5, halfLife="90m")
    assert legend.json()["halfLife"] == "90m"
    # The scale is the layer's, which does not fade.
    assert legend.json()["fittedHalfLife"] is None
    assert world.get("/tiles/Places/legend.json", style="heat", z=5).json()["halfLife"] is None
    assert world.get("/hotspots/Nowhere", bbox=WORLD, zoom=3).status == 404


def test_a_hotspot_is_pinned_once(start):
    service = start()
    for number in range(9):
        service.create("Spot", location=place(5 + number / 1e6, 5), kind="event")
    spot, = ask(service, "Spot", 12)
    path = f"/hotspots/Spot/{spot['id']}/pin"
    for headers, status in (({}, 401), (CLIENT, 401), ({**MASTER, "X-Parse-Master-Key": "no"}, 401)):
        refused = service.request("POST", path, headers=headers)
        assert refused.status == status
        if headers in ({}, CLIENT):
            assert "X-Parse-Session-Token" in refused.json()["detail"]
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(service.request("POST", path, headers=MASTER)))
        for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer.status for answer in answers) == [200] * 5 + [201]
    pinned = answers[0].json()
    assert all(answer.json() == pinned for answer in answers)
    assert answers[0].headers["Location"].endswith(f"/parse/classes/Hotspot/{pinned['objectId']}")
    assert pinned["layer"] == "Spot" and pinned["hotspot"] == spot["id"] and pinned["zoom"] == 12
    assert pinned["score"] == spot["properties"]["score"] and pinned["count"] == 9
    lon, lat = spot["geometry"]["coordinates"]
    assert pinned["location"]["longitude"] == pytest.approx(lon)
    assert pinned["location"]["latitude"] == pytest.approx(lat)
    # Listed with its object, which can be rated and commented on as any other.
    before = service.get("/hotspots/Spot", bbox=WORLD, zoom=12)
    listed, = before.json()["features"]
    assert listed["properties"]["objectId"] == pinned["objectId"]
    pointer = {"__type": "Pointer", "className": "Hotspot", "objectId": pinned["objectId"]}
    for layer in ("Rating", "Comment"):
        other = service.create(layer, hotspot=pointer)
        answer = service.get(f"/parse/classes/{layer}/{other}", headers=CLIENT)
        assert answer.json()["hotspot"] == pointer
    # Everybody reads it, and only the master key changes it.
    assert pinned["ACL"] == {"*": {"read": True}}
    own = f"/parse/classes/Hotspot/{pinned['objectId']}"
    for method, change in (
            ("PUT", {"ratings": {"__op": "Increment", "amount": 1}}), ("PUT", {"score": 9e9}),
            ("PUT", {"ACL": {"*": {"read": True, "write": True}}}), ("DELETE", None)):
        refused = service.request(method, own, change, CLIENT)
        assert refused.status == 404 and refused.json()["code"] == 101, refused.body
    assert service.get(own, headers=CLIENT).json() == pinned
    raised = service.request("PUT", own, {"ratings": {"__op": "Increment", "amount": 1}}, MASTER)
    assert raised.status == 200, raised.body
    assert service.request("POST", path, headers=MASTER).json()["ratings"] == 1
    # Gone is gone, and pinned again it is the same object.
    service.request("DELETE", f"/parse/classes/Hotspot/{pinned['objectId']}", headers=MASTER)
    listed, = ask(service, "Spot", 12)
    assert "objectId" not in listed["properties"]
    again = service.request("POST", path, headers=MASTER)
    assert again.status == 201 and again.json()["objectId"] == pinned["objectId"]


def test_a_hotspot_that_is_gone_cannot_be_pinned(start):
    service = start()
    ids = [service.create("Spot", location=place(5, 5)) for _ in range(3)]
    spot, = ask(service, "Spot", 12)
    path = f"/hotspots/Spot/{spot['id']}/pin"
    assert service.request("POST", path, headers=MASTER, query={"kind": "none"}).status == 404
    # Another one, 30 pixels to the east, does not stand in for it.
    for _ in range(3):
        service.create("Spot", location=place(5 + 30 * 360 / (256 << 12), 5))
    assert {near["id"] for near in ask(service, "Spot", 12)} > {spot["id"]}
    for object_id in ids:
        service.delete("Spot", object_id)
    assert len(ask(service, "Spot", 12)) == 1
    for gone in (path, "/hotspots/Spot/1/pin", "/hotspots/Spot/x/pin", f"/hotspots/Spot/{2**60}/pin"):
        assert service.request("POST", gone, headers=MASTER).status == 404
    assert service.request("POST", "/hotspots/None/5/pin", headers=MASTER).status == 404


def test_after_a_restart_all_is_as_before(start, tmp_path):
    service = start(data=tmp_path / "kept")
    for number in range(9):
        service.create("Spot", location=place(5 + number / 1e6, 5))
    spot, = ask(service, "Spot", 12)
    service.request("POST", f"/hotspots/Spot/{spot['id']}/pin", headers=MASTER)
    before = service.get("/hotspots/Spot", bbox=WORLD, zoom=12)
    assert service.stop() == 0
    service = start(data=tmp_path / "kept")
    after = service.get("/hotspots/Spot", bbox=WORLD, zoom=12)
    assert after.body == before.body and after.headers["ETag"] == before.headers["ETag"]


def test_a_layer_has_a_half_life_and_protects_few_owners(start):
    service = start()
    for number in range(12):
        owner = {"__type": "Pointer", "className": "_User", "objectId": f"user{number % 4}"}
        service.create("Spot", location=place(5 + number / 1e6, 5), author=owner)
        service.create("Spot", location=place(6 + number / 1e6, 5), author={**owner, "objectId": "one"})
        service.create("Spot", location=place(7 + number / 1e6, 5))
    tile = "/tiles/Spot/6/32/31.png"
    plain = service.get(tile, style="heat")
    assert len(ask(service, "Spot", 12)) == 3
    set_up(service, "Spot", heat={"minOwners": 2})
    spot, = ask(service, "Spot", 12)
    assert spot["geometry"]["coordinates"][0] == pytest.approx(5, abs=0.01)
    assert spot["properties"]["count"] == 12
    guarded = service.get(tile, style="heat")
    assert guarded.headers["ETag"] != plain.headers["ETag"]
    set_up(service, "Spot", heat={"minOwners": 5})
    assert ask(service, "Spot", 12) == []
    _, _, pixels = png.decode(service.get("/tiles/Spot/12/2104/1991.png", style="heat").body)
    assert all(pixel[3] == 0 for row in pixels for pixel in row)
    set_up(service, "Spot", heat={"minOwners": None, "halfLife": "1m"})
    legend = service.get("/tiles/Spot/legend.json", style="heat", z=5)
    assert legend.json()["halfLife"] == "1m"
    faint = service.get(tile, style="heat")
    again = service.get(tile, style="heat", halfLife="52560000m")
    assert again.headers["ETag"] != guarded.headers["ETag"]
    assert faint.status == 200
