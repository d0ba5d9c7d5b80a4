"""`heat.public` over real HTTP: of a class that the public may not find, heat and hotspots of cells
with enough owners, and nothing else of anybody."""

import datetime
import math
import random

import pytest

from parse_client import op
from people import call, fresh, sign_up
from png import decode
from service import MASTER, Service

CLOSED = {"find": {"role:staff": True}, "get": {}, "count": {}, "create": {"*": True}}
#: The middle of a cell of 16 pixels at zoom 12, and of deeper ones.
ZOOM = 12
BERLIN = (13.405, 52.52)


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    started = Service(tmp_path_factory.mktemp("heat-public") / "data")
    yield started
    assert started.stop() == 0


@pytest.fixture(scope="module")
def people(service):
    return [sign_up(service) for _ in range(6)]


@pytest.fixture(scope="module")
def staff(service):
    person = sign_up(service)
    made = call(service, "POST", "/roles", {
        "name": "staff", "ACL": {}, "users": op("AddRelation", person.pointer)}, master=True)
    assert made.status == 201, made.body
    return person


def make_class(service, is_public=True, **heat):
    """A class whose objects only the staff may find."""
    name = fresh("Position")
    answer = call(service, "POST", f"/schemas/{name}", {
        "fields": {"place": {"type": "GeoPoint"}, "owner": {"type": "Pointer",
                                                            "targetClass": "_User"},
                   "at": {"type": "Date"}, "kind": {"type": "String"}},
        "classLevelPermissions": CLOSED}, master=True)
    assert answer.status == 200, answer.body
    if is_public:
        set_up(service, name, minOwners=3, public=True, **heat)
    return name


def set_up(service, name, status=200, settings=None, **heat):
    answer = service.request(
        "PUT", f"/v1/collections/{name}", {**(settings or {}), "heat": heat}, MASTER)
    assert answer.status == status, answer.body
    return answer.json()


def cell(lon, lat, zoom):
    """Column and row of the cell of 16 pixels in which a place lies."""
    size = 16 << zoom
    y = (1 - math.asinh(math.tan(math.radians(lat))) / math.pi) / 2
    return math.floor((lon + 180) / 360 * size), math.floor(y * size)


def middle(column, row, zoom):
    size = 16 << zoom
    lat = math.degrees(math.atan(math.sinh(math.pi * (1 - 2 * (row + 0.5) / size))))
    return (column + 0.5) / size * 360 - 180, lat


HOME = middle(*cell(*BERLIN, ZOOM), ZOOM)


def put(service, name, person, at=HOME, acl="own", **fields):
    """An object of a person that only he may read."""
    body = {"place": {"__type": "GeoPoint", "longitude": at[0], "latitude": at[1]},
            "owner": person.pointer, "kind": "secretkind", **fields}
    if acl == "own":
        body["ACL"] = {person.id: {"read": True, "write": True}}
    answer = call(service, "POST", f"/classes/{name}", body, master=True)
    assert answer.status == 201, answer.body
    return answer.json()["objectId"]


def tile_of(lon, lat, zoom):
    column, row = cell(lon, lat, zoom)
    return column // 16, row // 16


def heat(service, name, zoom=ZOOM, at=HOME, status=200, suffix="", headers=None, **query):
    x, y = tile_of(*at, zoom)
    answer = service.get(
        f"/tiles/{name}/{zoom}/{x}/{y}{suffix}.png", headers, style="heat", **query)
    assert answer.status == status, answer.body
    return answer


def alphas(answer):
    _, _, rows = decode(answer.body)
    return [[pixel[3] for pixel in row] for row in rows]


def is_empty(answer):
    return not any(map(any, alphas(answer)))


def hotspots(service, name, zoom=ZOOM, headers=None, status=200, bbox="13,52,14,53", **query):
    answer = service.get(f"/hotspots/{name}", headers, bbox=bbox, zoom=zoom, **query)
    assert answer.status == status, answer.body
    return answer


def paths(name):
    """Everything about a layer but its heat."""
    return [
        f"/v1/collections/{name}", f"/clusters/{name}?bbox=-180,-90,180,90&zoom=3",
        f"/clusters/{name}/5/children", f"/clusters/{name}/5/leaves",
        f"/clusters/{name}/5/expansion-zoom", f"/tiles/{name}/0/0/0.png",
        f"/tiles/{name}/0/0/0.mvt", f"/tiles/{name}/0/0/0.geojson",
        f"/v1/collections/{name}/tiles", f"/v1/collections/{name}/tiles/WebMercatorQuad",
        f"/v1/collections/{name}/tiles/WebMercatorQuad/0/0/0",
        f"/v1/collections/{name}/tiles/WebMercatorQuad/0/0/0?f=png",
        f"/tiles/{name}/0/0/0.png?style=points", f"/tiles/{name}/0/0/0@2x.png?style=clusters",
        f"/tiles/{name}.json", f"/near/{name}?lon=13.4&lat=52.5",
        f"/within/{name}?bbox=13,52,14,53", f"/within/{name}?bbox=13,52,14,53&count=true",
        f"/aggregate/{name}?grid=geohash&precision=5"]


def all_of(service, name):
    """Bytes and tags of all that is public of a layer."""
    answers = [heat(service, name, zoom) for zoom in (0, 5, 9, 12, 16, 19)]
    answers += [heat(service, name, suffix="@2x"), hotspots(service, name)]
    return [(answer.body, answer.headers["ETag"]) for answer in answers]


def test_it_takes_three_owners_and_writes_below_that_leave_no_trace(service, people):
    name = make_class(service)
    empty = all_of(service, name)
    assert is_empty(heat(service, name)) and hotspots(service, name).json()["features"] == []
    put(service, name, people[0])
    put(service, name, people[0], acl=None)
    second = put(service, name, people[1])
    # Nobody's objects vouch for nobody.
    call(service, "POST", f"/classes/{name}", {
        "place": {"__type": "GeoPoint", "longitude": HOME[0], "latitude": HOME[1]}}, master=True)
    assert all_of(service, name) == empty
    third = put(service, name, people[2])
    painted = all_of(service, name)
    assert all(now != before for now, before in zip(painted, empty))
    assert not is_empty(heat(service, name))
    # A lone person elsewhere, moving and leaving: nothing of it shows.
    elsewhere = put(service, name, people[3], at=(13.9, 52.9))
    assert all_of(service, name) == painted
    answer = call(service, "PUT", f"/classes/{name}/{elsewhere}", {
        "place": {"__type": "GeoPoint", "longitude": 2.35, "latitude": 48.85}}, master=True)
    assert answer.status == 200 and all_of(service, name) == painted
    for object_id in (elsewhere, third):
        assert call(service, "DELETE", f"/classes/{name}/{object_id}", master=True).status == 200
    assert all_of(service, name) == empty
    assert second


def test_an_object_without_readers_counts_for_nothing(service, people):
    name = make_class(service)
    for person in people[:3]:
        put(service, name, person, ACL={}, acl=None)
    assert is_empty(heat(service, name))


def test_nothing_but_heat_is_public(service, people, staff):
    name = make_class(service)
    objects = [put(service, name, person) for person in people[:4]]
    for path in paths(name):
        for headers in ({}, {"X-Parse-Session-Token": people[4].token}):
            answer = service.get(path, headers)
            assert answer.status == 403, (path, answer.body)
            assert b"secretkind" not in answer.body
    legend = service.get(f"/tiles/{name}/legend.json", style="heat", z=ZOOM)
    assert legend.status == 200 and legend.json()["version"] == 0
    found = hotspots(service, name)
    assert [feature["properties"]["count"] for feature in found.json()["features"]] == [4]
    for object_id in objects:
        assert object_id.encode() not in found.body
    listed = [entry for entry in service.get("/v1/collections").json()["collections"]
              if entry["id"] == name]
    assert len(listed) == 1
    assert not {"count", "extent", "kinds", "kind", "weight", "owner"} & set(listed[0])
    # Who may find them has his own map, of what he may read.
    token = {"X-Parse-Session-Token": staff.token}
    assert service.get(f"/v1/collections/{name}", token).json()["count"] == 0
    own = put(service, name, staff)
    assert service.get(f"/v1/collections/{name}", token).json()["count"] == 1
    assert own.encode() in service.get(
        f"/within/{name}?bbox=13,52,14,53", token).body
    # Without the setting there is nothing at all.
    closed = make_class(service, is_public=False)
    for person in people[:3]:
        put(service, closed, person)
    heat(service, closed, status=403)
    hotspots(service, closed, status=403)
    assert service.get(f"/tiles/{closed}/legend.json", style="heat", z=1).status == 403
    ids = [entry["id"] for entry in service.get("/v1/collections").json()["collections"]]
    assert closed not in ids


def test_whoever_is_signed_in_and_may_not_find_sees_what_everybody_does(service, people):
    name = make_class(service)
    for person in people[:3]:
        put(service, name, person)
    own = heat(service, name, headers={"X-Parse-Session-Token": people[0].token})
    assert own.body == heat(service, name).body
    assert own.headers["Cache-Control"] == "private, no-cache"


def test_pins_of_a_closed_class(service, people):
    name = make_class(service)
    for person in people[:3]:
        put(service, name, person)
    spot = hotspots(service, name).json()["features"][0]
    pinned = service.request("POST", f"/hotspots/{name}/{spot['id']}/pin", None, MASTER)
    assert pinned.status == 201, pinned.body
    closed = make_class(service, is_public=False)
    for person in people[:3]:
        put(service, closed, person, acl=None)
    refused = service.request("POST", f"/hotspots/{closed}/{spot['id']}/pin", None, MASTER)
    assert refused.status == 403, refused.body


@pytest.mark.parametrize("name, value", [
    ("kind", "event"), ("where", '{"n":1}'), ("since", "90m"), ("until", "30m"),
    ("halfLife", "90m"), ("since", "2026-05-04T03:02:00.000Z"),
    ("until", "2026-05-04T03:00:00.001Z")])
def test_what_would_single_out_objects_is_refused(service, people, name, value):
    layer = make_class(service)
    for ask in (heat, hotspots):
        problem = ask(service, layer, status=400, **{name: value}).json()
        assert problem["errors"][0]["field"] == name, problem
    assert hotspots(service, layer, status=400, window="90m").json()["errors"][0]["field"] == "window"
    assert hotspots(service, layer, status=400, zoom=17).json()["errors"][0]["field"] == "zoom"


def test_settings_need_three_owners(service):
    name = make_class(service, is_public=False)
    for settings in ({"public": True}, {"public": True, "minOwners": 2}):
        problem = set_up(service, name, status=400, **settings)
        assert "minOwners" in problem["detail"] and problem["errors"][0]["field"] == "heat.public"
    set_up(service, name, public=True, minOwners=3)
    set_up(service, name, status=400, minOwners=1)


def test_moving_within_a_cell_shows_nowhere(service, people):
    name = make_class(service)
    column, row = cell(*BERLIN, 16)
    objects = [put(service, name, person, at=middle(column, row, 16)) for person in people[:3]]
    before = all_of(service, name)
    size = 16 << 16
    west = column / size * 360 - 180
    at = {"__type": "GeoPoint", "longitude": west + 1e-5,
          "latitude": middle(column, row, 16)[1]}
    for object_id in objects:
        assert call(
            service, "PUT", f"/classes/{name}/{object_id}", {"place": at}, master=True
        ).status == 200
        assert all_of(service, name) == before


@pytest.mark.parametrize("seed", range(3))
def test_a_cell_is_painted_when_it_has_enough_owners(service, people, seed):
    """The kernel's radius is less than half a cell, so that a cell's middle shows itself alone."""
    chance = random.Random(seed)
    name = make_class(service, radius=4, domain=0.0625)
    zoom = 14
    x, y = tile_of(*BERLIN, zoom)
    owners = {}
    for _ in range(60):
        column, row = 16 * x + chance.randrange(3), 16 * y + chance.randrange(4)
        lon, lat = middle(column, row, zoom)
        reach = 360 / (16 << zoom) / 2.1
        person = chance.choice(people)
        at = (lon + reach * chance.uniform(-1, 1), lat + reach * chance.uniform(-0.5, 0.5))
        put(service, name, person, at=at, acl=chance.choice(["own", None]))
        owners.setdefault(cell(*at, zoom), set()).add(person.id)
    seen = alphas(heat(service, name, zoom))
    for column in range(16):
        for row in range(16):
            enough = len(owners.get((16 * x + column, 16 * y + row), ())) >= 3
            assert (seen[16 * row + 8][16 * column + 8] > 0) == enough, (column, row)
    total = sum(
        feature["properties"]["count"] for feature in
        hotspots(service, name, zoom, limit=100).json()["features"])
    assert total <= 60
    for feature in hotspots(service, name, zoom, limit=100).json()["features"]:
        assert feature["properties"]["kinds"] == {} and feature["properties"]["count"] >= 3


def test_windows_show_whole_hours_with_enough_owners(service, people):
    name = make_class(service)
    set_up(service, name, settings={"time": "at"})
    now = datetime.datetime.now(datetime.timezone.utc)

    def hours_ago(hours):
        then = now - datetime.timedelta(hours=hours)
        return {"__type": "Date", "iso": then.strftime("%Y-%m-%dT%H:%M:%S.000Z")}

    for person in people[:3]:
        put_at(service, name, person, hours_ago(5))
    put_at(service, name, people[3], hours_ago(2))
    assert not is_empty(heat(service, name))
    # To show the last three hours would show one person: they go with the three before.
    assert is_empty(heat(service, name, since="3h"))
    for person in people[:2]:
        put_at(service, name, person, hours_ago(2))
    assert not is_empty(heat(service, name, since="3h"))
    assert heat(service, name, since="3h").body != heat(service, name).body
    assert not is_empty(heat(service, name, until="3h"))
    assert is_empty(heat(service, name, since="4h", until="3h"))
    recent = hotspots(service, name, window="3h").json()["features"][0]["properties"]
    assert (recent["count"], recent["trend"]) == (3, 0.0), recent
    assert heat(service, name, halfLife="1h").body != heat(service, name).body


def put_at(service, name, person, time):
    body = {"place": {"__type": "GeoPoint", "longitude": HOME[0], "latitude": HOME[1]},
            "owner": person.pointer, "at": time, "ACL": {person.id: {"read": True}}}
    answer = call(service, "POST", f"/classes/{name}", body, master=True)
    assert answer.status == 201, answer.body


def test_no_answer_taken_from_another_leaves_fewer_than_three(service, people):
    """Counts of all zooms and windows at one spot are sums of the same groups of people."""
    name = make_class(service)
    set_up(service, name, settings={"time": "at"})
    now = datetime.datetime.now(datetime.timezone.utc)
    for number, person in enumerate(people[:4]):
        then = now - datetime.timedelta(hours=[1, 1, 1, 30][number])
        put_at(service, name, person, {
            "__type": "Date", "iso": then.strftime("%Y-%m-%dT%H:%M:%S.000Z")})
    counts = set()
    for zoom in range(17):
        for query in ({}, {"since": "2h"}, {"since": "7d"}, {"until": "2h"}, {"window": "24h"}):
            found = hotspots(service, name, zoom, bbox="-180,-90,180,90", **query).json()
            counts.add(sum(feature["properties"]["count"] for feature in found["features"]))
    # The fourth is never told of: with him the others' count would tell of him alone.
    assert counts == {0, 3}


def test_a_restart_changes_nothing(start, tmp_path):
    service = start(data=tmp_path / "kept")
    owners = [sign_up(service) for _ in range(3)]
    name = make_class(service)
    for person in owners:
        put(service, name, person)
    before = all_of(service, name)
    assert service.stop() == 0
    assert all_of(start(data=tmp_path / "kept"), name) == before
