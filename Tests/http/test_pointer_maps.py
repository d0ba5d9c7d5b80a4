"""Maps of classes that are open only as far as objects name the viewer; beside a twin. And fields
that are hidden by whom an object names."""

import random

import pytest

from people import call, fresh, sign_up
from service import MASTER, Service

ENDS = [
    "/clusters/{0}?bbox=-180,-90,180,90&zoom=4", "/clusters/{0}?bbox=12,51,15,54&zoom=14",
    "/tiles/{0}/4/8/5.png", "/tiles/{0}/9/275/167.png?style=points",
    "/tiles/{0}/9/275/167@2x.png?style=heat", "/near/{0}?lon=13.4&lat=52.5&limit=1000",
    "/within/{0}?bbox=12,51,15,54&limit=1000", "/within/{0}?bbox=12,51,15,54&count=true",
    "/aggregate/{0}?grid=geohash&precision=5", "/hotspots/{0}?bbox=12,51,15,54&zoom=10",
    "/v1/collections/{0}", "/tiles/{0}.json", "/tiles/{0}/4/8/5.mvt", "/tiles/{0}/9/275/167.geojson",
    "/within/{0}?bbox=12,51,15,54&limit=1000&where=%7B%22n%22%3A%7B%22%24gte%22%3A3%7D%7D"]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    started = Service(tmp_path_factory.mktemp("pointer-maps") / "data")
    yield started
    assert started.stop() == 0


@pytest.fixture(scope="module")
def people(service):
    return [sign_up(service) for _ in range(4)]


def permit(service, name, permissions):
    answer = call(
        service, "PUT", f"/schemas/{name}", {"classLevelPermissions": permissions}, master=True)
    assert answer.status == 200, answer.body


def make_class(service, permissions):
    name = fresh("Named")
    answer = call(service, "POST", f"/schemas/{name}", {
        "fields": {"place": {"type": "GeoPoint"}, "n": {"type": "Number"},
                   "to": {"type": "Pointer", "targetClass": "_User"}, "team": {"type": "Array"},
                   "author": {"type": "Pointer", "targetClass": "_User"},
                   "note": {"type": "String"}},
        "classLevelPermissions": permissions}, master=True)
    assert answer.status == 200, answer.body
    return name


LIMITED = {"find": {"pointerFields": ["to", "team"]}, "get": {"pointerFields": ["to", "team"]}}


def point(lon, lat):
    return {"__type": "GeoPoint", "longitude": lon, "latitude": lat}


def write(service, name, object_id=None, **fields):
    method, path = ("PUT", f"/{object_id}") if object_id else ("POST", "")
    answer = call(service, method, f"/classes/{name}{path}", fields, master=True)
    assert answer.status in (200, 201), answer.body
    return object_id or answer.json()["objectId"]


def session(person):
    return {"X-Parse-Session-Token": person.token} if person else {}


def look(service, path, person, status=200):
    answer = service.get(path, session(person))
    assert answer.status == status, (path, answer.body)
    return answer


def ids(service, name, person):
    found = look(service, f"/within/{name}?bbox=12,51,15,54&limit=1000", person).json()
    return {feature["id"] for feature in found["features"]}


def random_fields(chance, people):
    fields = {"place": point(13.4 + chance.uniform(-0.5, 0.5), 52.5 + chance.uniform(-0.5, 0.5)),
              "n": chance.randrange(6), "to": None, "team": None, "ACL": None}
    if chance.random() < 0.5:
        fields["to"] = chance.choice(people).pointer
    if chance.random() < 0.5:
        fields["team"] = [person.pointer for person in chance.sample(people, 2)] + ["x", {"a": 1}]
    if chance.random() < 0.5:
        fields["ACL"] = {person.id: {"read": True} for person in chance.sample(people, 2)}
    if chance.random() < 0.3:
        fields["author"] = chance.choice(people).pointer
        fields["locationAccuracy"] = chance.choice([0, 3000])
    return {name: value for name, value in fields.items() if value is not None}


def sees(person, fields, pointers=("to", "team")):
    """The twin."""
    acl = fields.get("ACL")
    if acl is not None and not (acl.get("*") or acl.get(person.id)):
        return False
    named = [fields.get(pointer) for pointer in pointers]
    return any(person.id in str(value) for value in named if value)


@pytest.mark.parametrize("seed", range(4))
def test_a_map_has_what_names_the_viewer_and_no_more(service, people, seed):
    """Compared with a class that is open to all and holds, one for each viewer, what he may see."""
    chance = random.Random(seed)
    name = make_class(service, LIMITED)
    twins = {person.id: make_class(service, {}) for person in people}
    objects = {}
    for person in people:
        write(service, twins[person.id], place=point(100, 10))
    for step in range(40):
        known = sorted(objects)
        object_id = chance.choice(known) if known and chance.random() < 0.4 else None
        if object_id and chance.random() < 0.3:
            assert call(service, "DELETE", f"/classes/{name}/{object_id}", master=True).status == 200
            del objects[object_id]
        else:
            fields = random_fields(chance, people)
            gone = {"ACL": {"*": {"read": True}}} if "ACL" not in fields else {}
            cleared = {field: {"__op": "Delete"} for field in ("to", "team", "locationAccuracy")
                       if field not in fields and object_id}
            object_id = write(service, name, object_id, **{**gone, **cleared, **fields})
            objects[object_id] = {**objects.get(object_id, {}), **fields}
            for field in cleared:
                objects[object_id].pop(field, None)
            if gone:
                objects[object_id].pop("ACL", None)
        if step % 5 == 4:
            for person in people[:3]:
                assert ids(service, name, person) == {
                    one for one, fields in objects.items() if sees(person, fields)}
    for person in people:
        seen = {one: fields for one, fields in objects.items() if sees(person, fields)}
        count = len(seen)
        assert look(service, f"/v1/collections/{name}", person).json()["count"] == count
        clusters = look(service, ENDS[0].format(name), person).json()["features"]
        assert sum(one["properties"].get("point_count", 1) for one in clusters) == count
        asked = look(service, ENDS[-1].format(name), person).json()["features"]
        assert {one["id"] for one in asked} == {
            one for one, fields in seen.items() if fields["n"] >= 3}
        found = person.call("GET", f"/classes/{name}", limit=1000).json()["results"]
        assert {one["objectId"] for one in found} == set(seen)
        places = {one["objectId"]: one["place"] for one in found}
        features = look(service, ENDS[6].format(name), person).json()["features"]
        for feature in features:
            lon, lat = feature["geometry"]["coordinates"]
            assert places[feature["id"]] == point(lon, lat)


def test_others_objects_leave_no_trace(service, people):
    ann, bob, *_ = people
    name = make_class(service, LIMITED)
    write(service, name, place=point(13.4, 52.5), to=ann.pointer, n=1)
    before = [(answer.body, answer.headers["ETag"]) for answer in
              (look(service, path.format(name), ann) for path in ENDS)]
    other = write(service, name, place=point(13.41, 52.51), to=bob.pointer, n=4)
    write(service, name, place=point(13.42, 52.52), n=5)
    write(service, name, place=point(13.42, 52.52), n=5, to=ann.pointer, ACL={})
    after = [(answer.body, answer.headers["ETag"]) for answer in
             (look(service, path.format(name), ann) for path in ENDS)]
    assert after == before
    # It is given over: from now on it is hers alone.
    write(service, name, other, to=ann.pointer)
    for path in ENDS:
        assert look(service, path.format(name), ann).body not in [body for body, _ in before], path
    assert ids(service, name, bob) == set()
    for path in ENDS:
        look(service, path.format(name), None, status=403)


def test_permissions_that_change_hold_at_once(service, people):
    ann, bob, *_ = people
    name = make_class(service, LIMITED)
    first = write(service, name, place=point(13.4, 52.5), to=ann.pointer, team=[bob.pointer])
    second = write(service, name, place=point(13.5, 52.5), team=[ann.pointer])
    third = write(service, name, place=point(13.6, 52.5))
    assert ids(service, name, ann) == {first, second} and ids(service, name, bob) == {first}
    permit(service, name, {"find": {"pointerFields": ["to"]}})
    assert ids(service, name, ann) == {first} and ids(service, name, bob) == set()
    permit(service, name, {"find": {}, "readUserFields": ["team"]})
    assert ids(service, name, ann) == {second} and ids(service, name, bob) == {first}
    permit(service, name, {"find": {bob.id: True}, "readUserFields": ["team"]})
    assert ids(service, name, bob) == {first, second, third}
    permit(service, name, {"find": {}})
    look(service, ENDS[0].format(name), ann, status=403)
    permit(service, name, {})
    assert ids(service, name, None) == {first, second, third}


def test_a_restart_and_other_settings_keep_the_map(start, tmp_path):
    service = start(data=tmp_path / "kept")
    ann = sign_up(service)
    name = make_class(service, LIMITED)
    first = write(service, name, place=point(13.4, 52.5), to=ann.pointer, note="b")
    write(service, name, place=point(13.4, 52.5), note="b")
    assert ids(service, name, ann) == {first}
    changed = service.request("PUT", f"/v1/collections/{name}", {"kind": "note"}, MASTER)
    assert changed.status == 200
    assert look(service, f"/v1/collections/{name}", ann).json()["kinds"] == {"b": 1}
    second = write(service, name, place=point(13.4, 52.5), to=ann.pointer, note="c")
    before = [look(service, path.format(name), ann).body for path in ENDS[:10]]
    assert service.stop() == 0
    again = start(data=tmp_path / "kept")
    assert ids(again, name, ann) == {first, second}
    assert [look(again, path.format(name), ann).body for path in ENDS[:10]] == before


# MARK: Fields that are hidden by whom an object names

def test_fields_hidden_from_those_whom_an_object_names(service, people):
    ann, bob, *_ = people
    name = make_class(service, {"protectedFields": {"userField:to": ["note"]}})
    named = write(service, name, place=point(13.4, 52.5), to=ann.pointer, note="hush", n=1)
    other = write(service, name, place=point(13.6, 52.6), to=bob.pointer, note="loud", n=2)
    for person in (ann, bob, None):
        found = look(service, f"/within/{name}?bbox=12,51,15,54", person).json()["features"]
        for feature in found:
            caller = person.call if person else lambda *a: call(service, *a)
            shown = caller("GET", f"/classes/{name}/{feature['id']}").json()
            assert feature["properties"].get("note") == shown.get("note")
    where = '{"note":"hush"}'
    assert service.get(
        f"/within/{name}", session(ann), bbox="12,51,15,54", where=where).status == 403
    assert [one["id"] for one in service.get(
        f"/within/{name}", bbox="12,51,15,54", where=where).json()["features"]] == [named]
    assert other


def test_fields_shown_only_to_those_whom_an_object_names(service, people):
    ann, bob, *_ = people
    name = make_class(service, {"protectedFields": {"*": ["note"], "userField:to": []}})
    mine = write(service, name, place=point(13.4, 52.5), to=ann.pointer, note="mine")
    write(service, name, place=point(13.6, 52.6), to=bob.pointer, note="his")
    notes = {feature["id"]: feature["properties"].get("note") for feature in look(
        service, f"/within/{name}?bbox=12,51,15,54", ann).json()["features"]}
    assert [note for note in notes.values() if note] == ["mine"] and notes[mine] == "mine"
    assert service.get(
        f"/within/{name}", session(ann), bbox="12,51,15,54", where='{"note":"his"}').status == 403


def test_a_map_is_drawn_from_nothing_that_some_object_hides(service, people):
    name = make_class(service, {"protectedFields": {"userField:to": ["n"]}})
    write(service, name, place=point(13.4, 52.5), to=people[0].pointer, n=1)
    assert service.request(
        "PUT", f"/v1/collections/{name}", {"weight": "n"}, MASTER).status == 200
    for path in ENDS:
        look(service, path.format(name), people[0], status=403)
    look(service, ENDS[0].format(name), None)


# MARK: Layers of which a viewer sees nothing

def test_a_layer_of_private_objects_is_none_to_others(service, people):
    ann, bob, *_ = people
    name, nothing = fresh("Secret"), fresh("Absent")
    paths = [path for path in ENDS] + [
        "/tiles/{0}/legend.json?style=heat&z=1", "/clusters/{0}/5/children", "/tiles/{0}/99/0/0.png",
        "/near/{0}", "/near/{0}?nonsense=1", "/tiles/{0}/0/7/7.png", "/v1/collections/{0}?x=1"]

    def answers(layer, person):
        found = []
        for path in paths:
            answer = service.get(path.format(layer), session(person))
            found.append((answer.status, answer.body.replace(layer.encode(), b"")))
        listed = service.get("/v1/collections", session(person))
        return found, listed.body, listed.headers["ETag"]

    before = {person: answers(name, person) for person in (None, bob)}
    secret = call(service, "POST", f"/classes/{name}", {
        "place": point(13.4, 52.5), "ACL": {ann.id: {"read": True, "write": True}}}, master=True)
    assert secret.status == 201
    for person in (None, bob):
        assert answers(name, person) == before[person]
        assert answers(name, person)[0] == answers(nothing, person)[0]
        inside = service.request("POST", f"/within/{name}", {
            "type": "Polygon", "coordinates": [[[13, 52], [14, 52], [14, 53], [13, 52]]]},
            session(person))
        assert inside.status == 404
    assert look(service, f"/v1/collections/{name}", ann).json()["count"] == 1
    # From its first public object on it is everybody's, and stays so.
    first = write(service, name, place=point(13.4, 52.5))
    assert look(service, f"/v1/collections/{name}", None).json()["count"] == 1
    assert call(service, "DELETE", f"/classes/{name}/{first}", master=True).status == 200
    assert look(service, f"/v1/collections/{name}", None).json()["count"] == 0


def test_a_place_without_an_owner_is_coarse_for_its_maker_too(service, people):
    ann = people[0]
    name = fresh("Made")
    made = ann.call("POST", f"/classes/{name}", {
        "place": point(13.40512, 52.52123), "locationAccuracy": 1000})
    assert made.status == 201
    feature = look(service, f"/within/{name}?bbox=12,51,15,54", ann).json()["features"][0]
    assert feature["geometry"]["coordinates"] != [13.40512, 52.52123]
