"""Objects of the Parse surface: create, read, update, delete and the types of the wire."""

import json
import random
import re

import pytest

from parse_client import TIME, Parse, op, pointer
from service import CLIENT, KEYS, Service, place


@pytest.fixture(scope="module")
def parse(tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("objects") / "data")
    yield Parse(service)
    assert service.stop() == 0


def test_a_create_answers_201_with_its_address(parse):
    answer = parse.call("POST", "/classes/Thing", {"n": 1})
    body = answer.json()
    assert answer.status == 201 and set(body) == {"objectId", "createdAt"}
    assert re.fullmatch(r"[A-Za-z0-9]{10}", body["objectId"])
    assert TIME.fullmatch(body["createdAt"])
    assert answer.headers["Location"] == (
        f"{parse.service.address}/parse/classes/Thing/{body['objectId']}")
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Content-Type"] == "application/json; charset=utf-8"


def test_a_read_has_times_as_plain_text_and_no_class(parse):
    made = parse.create("Thing", n=1)
    seen = parse.get("Thing", made["objectId"])
    assert seen == {
        "objectId": made["objectId"], "createdAt": made["createdAt"],
        "updatedAt": made["createdAt"], "n": 1}


def test_an_update_answers_its_time_alone(parse):
    made = parse.create("Thing", n=1, text="a")
    answer = parse.update("Thing", made["objectId"], n=2)
    assert set(answer) == {"updatedAt"} and TIME.fullmatch(answer["updatedAt"])
    seen = parse.get("Thing", made["objectId"])
    assert (seen["n"], seen["text"], seen["createdAt"], seen["updatedAt"]) == (
        2, "a", made["createdAt"], answer["updatedAt"])


def test_a_delete_answers_nothing_and_then_there_is_nothing(parse):
    made = parse.make("Thing", n=1)
    answer = parse.call("DELETE", f"/classes/Thing/{made}")
    assert (answer.status, answer.json()) == (200, {})
    for method, body in [("GET", None), ("PUT", {"n": 1}), ("DELETE", None)]:
        assert parse.refusal(method, f"/classes/Thing/{made}", body) == (
            404, 101, "Object not found.")


def test_unknown_classes_are_empty_and_unknown_ids_are_404(parse):
    assert parse.call("GET", "/classes/Nowhere").json() == {"results": []}
    assert parse.refusal("GET", "/classes/Nowhere/abcdefghij")[:2] == (404, 101)
    assert parse.refusal("GET", "/classes/Thing/abcdefghij")[:2] == (404, 101)


def test_only_the_server_gives_ids_and_times(parse):
    for name in ["objectId", "id"]:
        assert parse.refusal("POST", "/classes/Thing", {name: "abcdefghij"})[:2] == (400, 105)
    old = "2001-01-01T00:00:00.000Z"
    made = parse.create("Thing", createdAt=old, updatedAt={"__type": "Date", "iso": old})
    assert made["createdAt"] != old
    parse.update("Thing", made["objectId"], createdAt=old, updatedAt=old, objectId=made["objectId"])
    seen = parse.get("Thing", made["objectId"])
    assert seen["createdAt"] == made["createdAt"] and seen["updatedAt"] > old
    path = f"/classes/Thing/{made['objectId']}"
    assert parse.refusal("PUT", path, {"objectId": "other00000"})[:2] == (400, 105)


@pytest.mark.parametrize("name", [
    "9x", "a-b", "_x", "a b", "", "a.b", "é", "className", "length", "x" * 129])
def test_impossible_field_names(parse, name):
    assert parse.refusal("POST", "/classes/Thing", {name: 1})[:2] == (400, 105)


@pytest.mark.parametrize("name", ["9Thing", "A-B", "A%20B", "%C3%A9", "x" * 129])
def test_impossible_class_names(parse, name):
    assert parse.refusal("POST", f"/classes/{name}", {"n": 1})[:2] == (400, 107)


def test_null_fixes_no_type_and_the_first_value_does(parse):
    made = parse.make("Typed", v=None)
    assert parse.get("Typed", made)["v"] is None
    parse.make("Typed", v="text")
    assert parse.refusal("POST", "/classes/Typed", {"v": 1}) == (
        400, 111, "schema mismatch for Typed.v; expected String but got Number")
    parse.update("Typed", made, v=None)
    assert parse.refusal("PUT", f"/classes/Typed/{made}", {"v": [1]}) == (
        400, 111, "schema mismatch for Typed.v; expected String but got Array")


def test_values_come_back_as_they_were_sent(parse):
    fields = {
        "whole": 2**53, "low": -(2**53), "real": 0.1, "tiny": 5e-324, "text": "žluťoučký 🌍 \u0000 \"",
        "yes": True, "no": False, "nothing": None, "list": [1, [2, [None]], {"a": "b"}, ""],
        "object": {"a": {"b": [1.5]}, "emptyList": [], "emptyObject": {}, "with space": 1},
        "date": {"__type": "Date", "iso": "2026-05-04T03:02:01.007Z"},
        "bytes": {"__type": "Bytes", "base64": "AAECAwT/"},
        "pointer": pointer("Other", "abcdefghij"),
        "place": place(-11.987654321, 44.0001234),
    }
    made = parse.make("Every", **fields)
    seen = parse.get("Every", made)
    assert {key: seen[key] for key in fields} == fields
    assert isinstance(seen["whole"], int)


@pytest.mark.parametrize("sent, kept", [
    ("2026-05-04T03:02:01Z", "2026-05-04T03:02:01.000Z"),
    ("2026-05-04T03:02:01.5Z", "2026-05-04T03:02:01.500Z"),
    ("2026-05-04T03:02:01.123456Z", "2026-05-04T03:02:01.123Z"),
    ("2026-05-04T05:02:01+02:00", "2026-05-04T03:02:01.000Z"),
    ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
])
def test_dates_have_one_form(parse, sent, kept):
    made = parse.make("Dated", at={"__type": "Date", "iso": sent}, all=[{"__type": "Date", "iso": sent}])
    seen = parse.get("Dated", made)
    assert seen["at"] == {"__type": "Date", "iso": kept} and seen["all"] == [seen["at"]]


def test_files_get_an_address_wherever_they_stand(parse):
    file = {"__type": "File", "name": "0123_pic ä.png"}
    kept = {"__type": "File", "name": "b.png", "url": "https://files.example.org/b.png"}
    made = parse.make("Album", cover=file, other=kept, all=[file, kept], deep={"in": {"f": file}})
    seen = parse.get("Album", made)
    address = (f"{parse.service.address}/parse/files/{KEYS['GEOSERVICE_APP_ID']}"
               "/0123_pic%20%C3%A4.png")
    assert seen["cover"] == {**file, "url": address}
    assert seen["other"] == kept
    assert seen["all"] == [seen["cover"], kept] and seen["deep"] == {"in": {"f": seen["cover"]}}
    part = parse.get("Album", made, keys="cover,all")
    assert part["cover"] == seen["cover"] and part["all"] == seen["all"]
    # Sent back as it was seen, it stays.
    parse.update("Album", made, cover=seen["cover"])
    assert parse.get("Album", made)["cover"] == seen["cover"]
    linked = parse.make("Shelf", album=pointer("Album", made))
    assert parse.get("Shelf", linked, include="album")["album"]["cover"] == seen["cover"]


def test_polygons_are_stored_closed(parse):
    ring = [[0, 0], [0, 1], [1, 1]]
    made = parse.make("Area", ring={"__type": "Polygon", "coordinates": ring}, at=place(1, 2))
    closed = {"__type": "Polygon", "coordinates": [*ring, ring[0]]}
    assert parse.get("Area", made)["ring"] == closed
    parse.update("Area", made, ring=closed)
    assert parse.get("Area", made)["ring"] == closed


@pytest.mark.parametrize("value, code", [
    ({"__type": "Polygon", "coordinates": [[0, 0], [0, 1], [0, 0], [0, 1]]}, 111),
    ({"__type": "Polygon", "coordinates": [[0, 0], [0, 1]]}, 111),
    ({"__type": "Polygon", "coordinates": [[0, 0], [0, 181], [1, 1]]}, 111),
    ({"__type": "Polygon"}, 111), ({"__type": "Nothing"}, 111), ({"__type": 5}, 111),
    ({"__type": "GeoPoint", "latitude": 1}, 111),
    ({"__type": "GeoPoint", "latitude": "1", "longitude": 1}, 111),
    ({"__type": "GeoPoint", "latitude": 1, "longitude": 1, "altitude": 1}, 111),
    ({"__type": "GeoPoint", "latitude": 90.1, "longitude": 0}, 111),
    ({"__type": "GeoPoint", "latitude": 0, "longitude": -180.1}, 111),
    ({"__type": "Date", "iso": "yesterday"}, 111), ({"__type": "Date"}, 111),
    ({"__type": "Bytes"}, 111), ({"__type": "File"}, 111),
    ({"__type": "Pointer", "className": "A"}, 106), ({"__type": "Pointer", "objectId": "a"}, 106),
    ({"__type": "Relation"}, 111), ({"a.b": 1}, 121), ({"a": [{"$b": 1}]}, 121), ([{"$b": 1}], 121),
])
def test_malformed_values_are_refused_and_make_no_field(parse, value, code):
    for body in [{"v": value}, {"first": 1, "v": value}]:
        status, found, text = parse.refusal("POST", "/classes/Malformed", body)
        assert (status, found) == (400, code), text
    assert parse.call("GET", "/classes/Malformed").json() == {"results": []}


def test_a_class_has_one_point(parse):
    two = {"p": place(1, 1), "q": place(2, 2)}
    assert parse.refusal("POST", "/classes/Pointed", two)[:2] == (400, 111)
    parse.make("Pointed", p=place(1, 1), track=[place(2, 2)], o={"q": place(3, 3)})
    assert parse.refusal("POST", "/classes/Pointed", {"q": place(1, 1)})[:2] == (400, 111)
    assert parse.refusal("POST", "/classes/Pointed", {"p": "here"})[:2] == (400, 111)


def test_an_included_object_is_saved_as_a_pointer_to_it(parse):
    to = parse.make("Other", n=1)
    made = parse.make("Link", to=pointer("Other", to))
    seen = parse.get("Link", made, include="to")["to"]
    assert seen["__type"] == "Object"
    parse.update("Link", made, to=seen)
    assert parse.get("Link", made)["to"] == pointer("Other", to)


def test_dotted_keys_change_members(parse):
    made = parse.make("Dots", o={"x": 1, "y": 2}, n=1)
    parse.update("Dots", made, **{"o.x": 9, "o.z.deep": [1], "fresh.k": 1, "o.y": op("Delete")})
    seen = parse.get("Dots", made)
    assert seen["o"] == {"x": 9, "z": {"deep": [1]}} and seen["fresh"] == {"k": 1}
    path = f"/classes/Dots/{made}"
    for body, code in [({"n.x": 1}, 111), ({"o.$x": 1}, 121), ({"o..x": 1}, 105), ({"o": 1, "o.x": 2}, 105)]:
        assert parse.refusal("PUT", path, body)[1] == code, body


def test_access_lists_come_back_without_what_they_do_not_grant(parse):
    made = parse.make("Guarded", ACL={
        "*": {"read": True, "write": False}, "role:crew": {"read": True, "write": True}, "u1": {}})
    assert parse.get("Guarded", made)["ACL"] == {
        "*": {"read": True}, "role:crew": {"read": True, "write": True}}
    for method, body in [("PUT", {"n": 1}), ("DELETE", None)]:
        assert parse.refusal(method, f"/classes/Guarded/{made}", body)[:2] == (404, 101)
    locked = parse.make("Guarded", ACL={})
    for method, body in [("GET", None), ("PUT", {"n": 1}), ("DELETE", None)]:
        assert parse.refusal(method, f"/classes/Guarded/{locked}", body)[:2] == (404, 101)
    assert parse.get("Guarded", locked, master=True)["ACL"] == {}
    parse.update("Guarded", locked, master=True, ACL=op("Delete"))
    assert "ACL" not in parse.get("Guarded", locked)
    # Who may write and not read changes it blindly.
    blind = parse.make("Guarded", n=1, secret=[1], ACL={"*": {"write": True}})
    assert parse.refusal("GET", f"/classes/Guarded/{blind}")[:2] == (404, 101)
    answer = parse.update("Guarded", blind, n=op("Increment", amount=1), secret=op("Add"))
    assert set(answer) == {"updatedAt"}
    assert parse.get("Guarded", blind, master=True)["n"] == 2
    for bad in [5, [], "all", {"*": True}, {"*": {"read": 1}}, {"*": {"see": True}}, {"": {"read": True}}]:
        assert parse.refusal("POST", "/classes/Guarded", {"ACL": bad})[:2] == (400, 123), bad


def test_methods_in_the_body(parse):
    made = parse.make("Thing", n=1, text="a")
    path = f"/classes/Thing/{made}"
    assert parse.call("POST", path, {"_method": "PUT", "n": 2}).status == 200
    seen = parse.call("POST", path, {"_method": "GET", "keys": "n"}).json()
    assert seen["n"] == 2 and "text" not in seen and "_method" not in seen
    seen = parse.call("POST", path, {"_method": "GET", "include": "to", "keys": ["text"]}).json()
    assert set(seen) == {"objectId", "createdAt", "updatedAt", "text"}
    assert parse.call("POST", path, {"_method": "DELETE"}).json() == {}
    assert parse.refusal("GET", path)[:2] == (404, 101)


@pytest.mark.parametrize("seed", range(4))
def test_random_bytes_and_cut_bodies_are_never_a_failure_of_the_server(parse, seed):
    chance = random.Random(seed)
    whole = json.dumps({
        "a": op("Batch", ops=[op("AddRelation", pointer("Other", "abc")), op("RemoveRelation")]),
        "l": op("AddUnique", {"k": [1, place(1, 2)]}), "ACL": {"*": {"read": True}},
        "d": {"__type": "Date", "iso": "2026-05-04T03:02:01.007Z"}}).encode()
    for _ in range(60):
        body = bytearray(whole[:chance.randrange(len(whole) + 1)])
        for _ in range(chance.randrange(4)):
            if body:
                body[chance.randrange(len(body))] = chance.randrange(256)
        answer = parse.service.request("POST", "/parse/classes/Fuzz", bytes(body), CLIENT)
        assert answer.status in (201, 400), (bytes(body), answer.body)
        assert "objectId" in answer.json() if answer.status == 201 else "error" in answer.json()
