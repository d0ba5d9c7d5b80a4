"""Classes as a whole over real HTTP: schemas, their fields, purging, and the layers they are."""

import pytest

from parse_client import op, pointer
from people import call, fresh, refusal, sign_up
from service import Service

TYPES = {
    "t": {"type": "String"}, "n": {"type": "Number"}, "b": {"type": "Boolean"},
    "d": {"type": "Date"}, "o": {"type": "Object"}, "l": {"type": "Array"},
    "g": {"type": "GeoPoint"}, "p": {"type": "Polygon"}, "f": {"type": "File"},
    "y": {"type": "Bytes"}, "u": {"type": "Pointer", "targetClass": "_User"},
    "r": {"type": "Relation", "targetClass": "Other"}}
OF_ALL = {"objectId": {"type": "String"}, "createdAt": {"type": "Date"},
          "updatedAt": {"type": "Date"}, "ACL": {"type": "ACL"}}
OPEN = {name: {"*": True} for name in (
    "find", "get", "count", "create", "update", "delete", "addField")}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    started = Service(tmp_path_factory.mktemp("schemas") / "data")
    yield started
    assert started.stop() == 0


def schema(service, method, name=None, body=None):
    path = "/schemas" if name is None else f"/schemas/{name}"
    return call(service, method, path, body, master=True)


def make_class(service, prefix="Class", **body):
    name = fresh(prefix)
    answer = schema(service, "POST", name, body)
    assert answer.status == 200, answer.body
    return name


def make(service, name, **fields):
    answer = call(service, "POST", f"/classes/{name}", fields, master=True)
    assert answer.status == 201, answer.body
    return answer.json()["objectId"]


def layers(service):
    return [item["id"] for item in service.get("/v1/collections").json()["collections"]]


def place(lon, lat):
    return {"__type": "GeoPoint", "latitude": lat, "longitude": lon}


@pytest.mark.parametrize("method,path", [
    ("GET", "/schemas"), ("GET", "/schemas/_User"), ("POST", "/schemas"), ("POST", "/schemas/A"),
    ("PUT", "/schemas/A"), ("DELETE", "/schemas/A"), ("DELETE", "/purge/A"),
    ("GET", "/serverInfo"), ("PUT", "/config")])
def test_clients_have_no_part_in_it(service, method, path):
    body = None if method in ("GET", "DELETE") else {"className": "A"}
    answer = call(service, method, path, body)
    assert answer.status == 403 and set(answer.json()) == {"error"}


def test_a_class_is_described_as_it_was_made(service):
    name = fresh("Class")
    made = schema(service, "POST", None, {"className": name, "fields": TYPES})
    wanted = {"className": name, "fields": {**OF_ALL, **TYPES},
              "classLevelPermissions": {**OPEN, "protectedFields": {"*": []}}}
    assert made.json() == wanted
    assert schema(service, "GET", name).json() == wanted
    listed = schema(service, "GET").json()["results"]
    assert wanted in listed
    assert [item["className"] for item in listed] == sorted(item["className"] for item in listed)
    assert not {"_Layer", "_GlobalConfig", "_Idempotency"} & {x["className"] for x in listed}


def test_a_class_that_came_by_itself_is_described_too(service):
    name = fresh("Free")
    make(service, name, title="x", where=place(1, 2), who=pointer("_User", "someone"))
    assert schema(service, "GET", name).json()["fields"] == {
        **OF_ALL, "title": {"type": "String"}, "where": {"type": "GeoPoint"},
        "who": {"type": "Pointer", "targetClass": "_User"}}


def test_the_services_own_classes_show_the_fields_that_clients_look_for(service):
    fields = {name: schema(service, "GET", name).json()["fields"]
              for name in ("_User", "_Role", "_Session", "_Installation")}
    assert {"username", "password", "email", "emailVerified", "authData"} <= set(fields["_User"])
    assert fields["_Role"]["users"] == {"type": "Relation", "targetClass": "_User"}
    assert fields["_Session"]["user"] == {"type": "Pointer", "targetClass": "_User"}
    assert {"installationId", "deviceToken", "channels", "badge"} <= set(fields["_Installation"])


@pytest.mark.parametrize("name,body,code", [
    (None, {}, 135), (None, {"className": "1st"}, 103), (None, {"className": "a b"}, 103),
    (None, {"className": "_Secret"}, 103), (None, {"className": "_Layer"}, 103),
    ("A1", {"className": "A2"}, 103), ("_GlobalConfig", {}, 103),
    ("Bad", {"fields": 5}, 107), ("Bad", {"fields": {"a": 5}}, 107),
    ("Bad", {"fields": {"a": {}}}, 107), ("Bad", {"fields": {"a": {"type": 5}}}, 107),
    ("Bad", {"fields": {"a": {"type": "Text"}}}, 111),
    ("Bad", {"fields": {"a": {"type": "Pointer<_User>"}}}, 111),
    ("Bad", {"fields": {"a": {"type": "ACL"}}}, 111),
    ("Bad", {"fields": {"a": {"type": "Pointer"}}}, 135),
    ("Bad", {"fields": {"a": {"type": "Relation", "targetClass": "a b"}}}, 103),
    ("Bad", {"fields": {"a b": {"type": "String"}}}, 105),
    ("Bad", {"fields": {"1a": {"type": "String"}}}, 105),
    ("Bad", {"fields": {"objectId": {"type": "Number"}}}, 136),
    ("Bad", {"fields": {"length": {"type": "Number"}}}, 136),
    ("Bad", {"fields": {"g": {"type": "GeoPoint"}, "h": {"type": "GeoPoint"}}}, 111),
    ("Bad", {"fields": {"a": {"type": "String", "required": 1}}}, 111),
    ("Bad", {"fields": {"a": {"type": "String", "defaultValue": 5}}}, 111),
    ("Bad", {"fields": {"a": {"type": "GeoPoint", "defaultValue": place(500, 1)}}}, 111),
    ("Bad", {"fields": {"a": {"type": "Pointer", "targetClass": "B",
                              "defaultValue": pointer("C", "c1")}}}, 111),
    ("Bad", {"fields": {"a": {"type": "Relation", "targetClass": "B", "required": True}}}, 111),
    ("Bad", {"fields": {"a": {"__op": "Delete"}}}, 255),
    ("Bad", {"indexes": {"i": {"none": 1}}}, 102), ("Bad", {"indexes": {"i": {}}}, 102),
    ("Bad", {"indexes": {"i": {"__op": "Delete"}}}, 102),
    ("Bad", {"classLevelPermissions": {"look": {}}}, 107)], ids=str)
def test_what_is_no_class_is_refused_and_leaves_none(service, name, body, code):
    assert refusal(schema(service, "POST", name, body)) == (400, code)
    assert refusal(schema(service, "GET", name or "A1")) == (400, 103)


def test_a_class_is_made_once(service):
    name = make_class(service)
    answer = schema(service, "POST", None, {"className": name})
    assert answer.json() == {"code": 103, "error": f"Class {name} already exists."}
    answer = schema(service, "PUT", "Nowhere", {})
    assert answer.json() == {"code": 103, "error": "Class Nowhere does not exist."}


def test_fields_are_added_and_keep_their_type(service):
    name = make_class(service, fields={"a": {"type": "String"}})
    answer = schema(service, "PUT", name, {"fields": {
        "n": {"type": "Number", "defaultValue": 7}, "a": {"type": "String", "required": True}}})
    assert answer.json()["fields"] == {
        **OF_ALL, "a": {"type": "String", "required": True},
        "n": {"type": "Number", "defaultValue": 7}}
    assert refusal(schema(service, "PUT", name, {"fields": {"a": {"type": "Number"}}})) == (400, 255)
    assert refusal(call(service, "POST", f"/classes/{name}", {"n": 1})) == (400, 142)
    assert call(service, "POST", f"/classes/{name}", {"a": "x"}).json()["n"] == 7
    mismatch = call(service, "POST", f"/classes/{name}", {"a": 5})
    assert mismatch.json() == {
        "code": 111, "error": f"schema mismatch for {name}.a; expected String but got Number"}
    # What is sent without options asks nothing any more.
    schema(service, "PUT", name, {"fields": {"a": {"type": "String"}, "n": {"type": "Number"}}})
    assert set(call(service, "POST", f"/classes/{name}", {}).json()) == {"objectId", "createdAt"}
    # What was shown can be sent back.
    shown = schema(service, "GET", name).json()
    assert schema(service, "PUT", name, shown).json() == shown


def test_fields_of_the_services_own_classes_keep_their_type(start):
    service = start()
    for field in ("email", "password", "objectId"):
        body = {"fields": {field: {"type": "Number"}}}
        assert refusal(schema(service, "PUT", "_User", body)) == (400, 136)
    shown = schema(service, "GET", "_User").json()
    assert schema(service, "PUT", "_User", shown).json() == shown
    answer = schema(service, "PUT", "_User", {"fields": {
        "email": {"type": "String", "required": True}, "city": {"type": "String"}}})
    assert answer.json()["fields"]["email"] == {"type": "String", "required": True}
    body = {"username": fresh(), "password": "correct horse"}
    assert refusal(call(service, "POST", "/users", body)) == (400, 142)
    assert call(service, "POST", "/users", {**body, "email": "a@example.org"}).status == 201


def test_a_refused_change_changes_nothing(service):
    name = make_class(service, fields={"a": {"type": "String"}})
    before = schema(service, "GET", name).json()
    for body in ({"fields": {"x": {"type": "String"}, "a": {"type": "Date"}}},
                 {"fields": {"x": {"type": "String"}, "none": op("Delete")}},
                 {"fields": {"a": op("Delete")}, "classLevelPermissions": {"no": {}}},
                 {"fields": {"objectId": op("Delete")}}):
        assert schema(service, "PUT", name, body).status == 400
        assert schema(service, "GET", name).json() == before


@pytest.mark.parametrize("count", [3, 1200])
def test_a_field_that_is_deleted_is_gone_from_all_objects(service, count):
    name = make_class(service)
    for first in range(0, count, 400):
        made = call(service, "POST", "/batch", {"requests": [
            {"method": "POST", "path": f"/parse/classes/{name}", "body": {"a": n, "b": "x"}}
            for n in range(first, min(first + 400, count))]})
        assert all("success" in item for item in made.json())
    answer = schema(service, "PUT", name, {"fields": {"a": op("Delete")}})
    assert answer.json()["fields"] == {**OF_ALL, "b": {"type": "String"}}
    objects = call(service, "GET", f"/classes/{name}", limit=10000).json()["results"]
    assert len(objects) == count and all("a" not in item and item["b"] == "x" for item in objects)
    # It may come again, as something else.
    assert call(service, "POST", f"/classes/{name}", {"a": "text"}).status == 201


def test_indexes_are_kept_and_shown(service):
    name = make_class(service, fields={"a": {"type": "String"}}, indexes={"one": {"a": 1}})
    assert schema(service, "GET", name).json()["indexes"] == {"one": {"a": 1}}
    more = {"indexes": {"two": {"a": 1, "createdAt": -1}, "one": op("Delete")}}
    assert schema(service, "PUT", name, more).json()["indexes"] == {"two": {"a": 1, "createdAt": -1}}
    assert refusal(schema(service, "PUT", name, {"indexes": {"two": {"a": -1}}})) == (400, 102)
    gone = schema(service, "PUT", name, {"indexes": {"two": op("Delete")}})
    assert "indexes" not in gone.json()


def test_only_an_empty_class_is_deleted(service):
    name = make_class(service, fields={"a": {"type": "String"}}, classLevelPermissions={"find": {}})
    one = make(service, name, a="x")
    assert refusal(schema(service, "DELETE", name)) == (400, 255)
    assert call(service, "DELETE", f"/classes/{name}/{one}", master=True).status == 200
    assert schema(service, "DELETE", name).json() == {}
    assert refusal(schema(service, "GET", name)) == (400, 103)
    assert schema(service, "DELETE", name).json() == {}, "what is not there is gone"
    # It comes again as a new one: of other types, open.
    assert call(service, "POST", f"/classes/{name}", {"a": 5}).status == 201
    assert len(call(service, "GET", f"/classes/{name}").json()["results"]) == 1


@pytest.mark.parametrize("name", ["_User", "_Role", "_Session", "_Installation", "_Layer", "a%20b"])
def test_classes_that_the_service_needs_stay(service, name):
    assert refusal(schema(service, "DELETE", name)) == (400, 103)


def test_a_purge_empties_the_class_and_keeps_its_schema(service):
    name = make_class(service, fields={"a": {"type": "String"}}, classLevelPermissions={"get": {}})
    call(service, "POST", "/batch", {"requests": [
        {"method": "POST", "path": f"/parse/classes/{name}", "body": {"a": "x", "ACL": {}}}
    ] * 900}, master=True)
    assert call(service, "GET", f"/classes/{name}", master=True, limit=0, count=1
                ).json()["count"] == 900
    before = schema(service, "GET", name).json()
    assert call(service, "DELETE", f"/purge/{name}", master=True).json() == {}
    assert call(service, "GET", f"/classes/{name}", master=True, limit=0, count=1
                ).json()["count"] == 0
    assert schema(service, "GET", name).json() == before
    assert call(service, "DELETE", "/purge/Nowhere", master=True).json() == {}
    assert refusal(call(service, "DELETE", "/purge/_Layer", master=True)) == (400, 103)


def test_purged_users_are_signed_out(start):
    service = start()
    ann = sign_up(service)
    assert ann.me()
    assert call(service, "DELETE", "/purge/_User", master=True).status == 200
    assert refusal(ann.call("GET", "/users/me")) == (400, 209)
    assert call(service, "GET", "/sessions", master=True).json()["results"] == []
    sign_up(service, name=ann.name)


def test_classes_are_not_changed_in_a_batch(service):
    name = fresh("Class")
    for method, path in (("PUT", f"schemas/{name}"), ("DELETE", f"purge/{name}")):
        answer = call(service, "POST", "/batch", {"requests": [
            {"method": method, "path": f"/parse/{path}", "body": {}}]}, master=True)
        assert answer.json()[0]["error"]["code"] == 107


# MARK: Layers

def count_on_map(service, name):
    return service.get(f"/clusters/{name}", bbox="-180,-90,180,90", zoom=0)


def test_a_layer_goes_with_its_class(start):
    service = start()
    name = fresh("Spots")
    one = make(service, name, at=place(13, 52))
    settings = service.request(
        "PUT", f"/v1/collections/{name}", {"title": "Old spots"},
        {"X-Parse-Application-Id": "test-app", "X-Parse-Master-Key": "test-master-key"})
    assert settings.status == 200 and name in layers(service)
    assert refusal(schema(service, "DELETE", name)) == (400, 255)
    assert name in layers(service)
    call(service, "DELETE", f"/classes/{name}/{one}", master=True)
    assert schema(service, "DELETE", name).json() == {}
    assert name not in layers(service) and count_on_map(service, name).status == 404
    # A class of that name that comes later has nothing of it.
    make(service, name, at="nowhere")
    assert name not in layers(service)
    assert service.stop() == 0
    service = start(data=service.data)
    assert name not in layers(service)
    call(service, "DELETE", f"/purge/{name}", master=True)
    assert schema(service, "DELETE", name).json() == {}
    make(service, name, elsewhere=place(1, 2))
    assert service.get(f"/v1/collections/{name}").json()["title"] == name
    assert count_on_map(service, name).json()["features"][0]["geometry"]["coordinates"] == [1, 2]


def test_a_purged_layer_is_empty_and_stays_one(start):
    service = start()
    name = fresh("Spots")
    for lon in range(5):
        make(service, name, at=place(lon, 0))
    assert call(service, "DELETE", f"/purge/{name}", master=True).json() == {}
    assert count_on_map(service, name).json()["features"] == []
    assert service.get(f"/v1/collections/{name}").json()["count"] == 0
    make(service, name, at=place(7, 0))
    assert count_on_map(service, name).json()["features"][0]["geometry"]["coordinates"] == [7, 0]


def test_a_layer_goes_with_the_field_of_its_places(start):
    service = start()
    name = fresh("Spots")
    make(service, name, at=place(1, 0), n=1)
    answer = schema(service, "PUT", name, {"fields": {"at": op("Delete")}})
    assert set(answer.json()["fields"]) == {*OF_ALL, "n"}
    assert name not in layers(service)
    assert len(call(service, "GET", f"/classes/{name}").json()["results"]) == 1
    make(service, name, place=place(3, 4))
    assert count_on_map(service, name).json()["features"][0]["geometry"]["coordinates"] == [3, 4]
