"""Permissions of classes over real HTTP: operations, pointers, hidden fields; beside a twin."""

import json
import random

import pytest

from parse_client import op, pointer
from people import call, fresh, refusal, sign_up
from service import Service

OPERATIONS = ["find", "get", "count", "create", "update", "delete", "addField"]
OPEN = {"*": True}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    started = Service(tmp_path_factory.mktemp("permissions") / "data")
    yield started
    assert started.stop() == 0


class Caller:
    """Nobody, a user, or the operator; `names` are those that permissions have for it."""

    def __init__(self, service, person=None, roles=(), master=False):
        self.service, self.person, self.master = service, person, master
        self.id = person.id if person else None
        self.names = {f"role:{role}" for role in roles} | ({person.id} if person else set())

    def call(self, method, path, body=None, **query):
        if self.person:
            return self.person.call(method, path, body, **query)
        return call(self.service, method, path, body, master=self.master, **query)


@pytest.fixture(scope="module")
def callers(service):
    """Nobody, Ann, and Bob who is of a role."""
    ann, bob = sign_up(service), sign_up(service)
    role = fresh("crew")
    made = call(service, "POST", "/roles", {
        "name": role, "ACL": {}, "users": op("AddRelation", bob.pointer)}, master=True)
    assert made.status == 201, made.body
    return {"nobody": Caller(service), "ann": Caller(service, ann),
            "bob": Caller(service, bob, [role]), "master": Caller(service, master=True)}


def make_class(service, permissions=None, **fields):
    """A class with pointers to users in `owner` and in the list `team`, and a number `n`."""
    name = fresh("Guarded")
    types = {"owner": {"type": "Pointer", "targetClass": "_User"}, "team": {"type": "Array"},
             "n": {"type": "Number"}, "a": {"type": "String"}, "b": {"type": "String"}, **fields}
    body = {"fields": types}
    if permissions is not None:
        body["classLevelPermissions"] = permissions
    answer = call(service, "POST", f"/schemas/{name}", body, master=True)
    assert answer.status == 200, answer.body
    return name


def set_permissions(service, name, permissions):
    answer = call(
        service, "PUT", f"/schemas/{name}", {"classLevelPermissions": permissions}, master=True)
    assert answer.status == 200, answer.body


def make(service, name, **fields):
    answer = call(service, "POST", f"/classes/{name}", fields, master=True)
    assert answer.status == 201, answer.body
    return answer.json()["objectId"]


# MARK: Operations

def verdict(permissions, operation, caller):
    """The twin: "all", "none", "login", or the fields of which one must name the caller."""
    if caller.master or operation not in permissions:
        return "all"
    grant = permissions[operation]
    if grant.get("*") or any(grant.get(name) for name in caller.names):
        return "all"
    if grant.get("requiresAuthentication") and not caller.id:
        return "login"
    kind = "readUserFields" if operation in ("find", "get", "count") else "writeUserFields"
    fields = [] if operation == "create" else permissions.get(kind, [])
    fields = [*fields, *grant.get("pointerFields", [])]
    if fields:
        return fields
    return "all" if grant.get("requiresAuthentication") else "none"


def names(fields, document, caller):
    return any(
        caller.id and caller.id in str(document.get(field)) for field in fields)


def may(permissions, operation, caller, document):
    """Status and code of an operation on an object; (200, None) when it is done."""
    found = verdict(permissions, operation, caller)
    if found != "all" and operation == "create" and found != "login":
        return (200, None) if found != "none" and names(found, document, caller) else (400, 119)
    if found == "none":
        return 400, 119
    if found == "login" or (found != "all" and not names(found, document, caller)):
        return 404, 101
    return 200, None


def outcome(answer):
    return (200, None) if answer.status in (200, 201) else refusal(answer)


def random_permissions(chance, people):
    named = [*people, "*", "requiresAuthentication", "strangerid", "role:nobody"]
    permissions = {}
    for operation in OPERATIONS[:6]:
        if chance.random() < 0.2:
            continue
        grant = {name: True for name in named if chance.random() < 0.15}
        if chance.random() < 0.3:
            grant["pointerFields"] = chance.sample(["owner", "team"], chance.choice([1, 2]))
        permissions[operation] = grant
    for kind in ("readUserFields", "writeUserFields"):
        if chance.random() < 0.2:
            permissions[kind] = [chance.choice(["owner", "team"])]
    return permissions


@pytest.mark.parametrize("seed", range(24))
def test_operations_are_open_to_those_whom_permissions_name(service, callers, seed):
    chance = random.Random(seed)
    ann, bob = callers["ann"], callers["bob"]
    permissions = random_permissions(chance, [*ann.names, *bob.names])
    name = make_class(service, permissions)
    objects = []
    for _ in range(6):
        fields = {"n": 1}
        if chance.random() < 0.6:
            fields["owner"] = chance.choice([ann, bob]).person.pointer
        if chance.random() < 0.6:
            fields["team"] = chance.sample([ann.person.pointer, bob.person.pointer, "x", {"a": 1}],
                                           chance.randrange(4))
        objects.append((make(service, name, **fields), fields))
    for caller in callers.values():
        for object_id, fields in objects:
            path = f"/classes/{name}/{object_id}"
            assert outcome(caller.call("GET", path)) == may(permissions, "get", caller, fields)
            change = caller.call("PUT", path, {"n": 2})
            assert outcome(change) == may(permissions, "update", caller, fields)
        found = verdict(permissions, "find", caller)
        answer = caller.call("GET", f"/classes/{name}", limit=100)
        if found in ("none", "login"):
            assert refusal(answer) == ((400, 119) if found == "none" else (404, 101))
        else:
            listed = [item["objectId"] for item in answer.json()["results"]]
            assert listed == sorted(
                object_id for object_id, fields in objects
                if found == "all" or names(found, fields, caller))
        counted = caller.call("GET", f"/classes/{name}", limit=0, count=1)
        found = verdict(permissions, "count", caller)
        if found in ("none", "login"):
            assert refusal(counted) == ((400, 119) if found == "none" else (404, 101))
        else:
            assert counted.json()["count"] == sum(
                found == "all" or names(found, fields, caller) for _, fields in objects)
        for fields in ({"n": 5}, {"owner": ann.person.pointer}, {"team": [bob.person.pointer]}):
            new = caller.call("POST", f"/classes/{name}", fields)
            assert outcome(new) == may(permissions, "create", caller, fields)
            if new.status == 201:
                call(service, "DELETE", f"/classes/{name}/{new.json()['objectId']}", master=True)
        for object_id, fields in list(objects):
            gone = caller.call("DELETE", f"/classes/{name}/{object_id}")
            assert outcome(gone) == may(permissions, "delete", caller, fields)
            if gone.status == 200:
                objects.remove((object_id, fields))
                objects.append((make(service, name, **fields), fields))
                objects.sort()


def test_a_refusal_names_operation_and_class(service, callers):
    name = make_class(service, {key: {} for key in OPERATIONS})
    one = make(service, name, n=1)
    calls = {
        "find": ("GET", f"/classes/{name}", None), "get": ("GET", f"/classes/{name}/{one}", None),
        "create": ("POST", f"/classes/{name}", {"n": 1}),
        "update": ("PUT", f"/classes/{name}/{one}", {"n": 1}),
        "delete": ("DELETE", f"/classes/{name}/{one}", None)}
    for operation, request in calls.items():
        answer = callers["ann"].call(*request)
        assert answer.json() == {
            "code": 119,
            "error": f"Permission denied for action {operation} on class {name}."}
    counted = callers["ann"].call("GET", f"/classes/{name}", count=1, limit=0)
    assert counted.json()["error"] == f"Permission denied for action count on class {name}."


def test_a_list_with_its_count_needs_both_rights(service, callers):
    name = make_class(service, {"count": {}})
    assert callers["ann"].call("GET", f"/classes/{name}").status == 200
    assert refusal(callers["ann"].call("GET", f"/classes/{name}", count=1)) == (400, 119)
    name = make_class(service, {"find": {}})
    make(service, name, n=1)
    assert callers["ann"].call("GET", f"/classes/{name}", count=1, limit=0).json() == {
        "results": [], "count": 1}


def test_permissions_and_access_lists_must_both_let_somebody_through(service, callers):
    ann, bob = callers["ann"], callers["bob"]
    name = make_class(service, {"get": {ann.id: True}, "update": {ann.id: True, bob.id: True}})
    one = make(service, name, n=1, ACL={bob.id: {"read": True, "write": True}})
    assert refusal(ann.call("GET", f"/classes/{name}/{one}")) == (404, 101)
    assert refusal(bob.call("GET", f"/classes/{name}/{one}")) == (400, 119)
    assert refusal(ann.call("PUT", f"/classes/{name}/{one}", {"n": 2})) == (404, 101)
    assert bob.call("PUT", f"/classes/{name}/{one}", {"n": 2}).status == 200


def test_a_change_of_permissions_counts_on_the_next_request_and_after_a_restart(start):
    service = start()
    name = make_class(service)
    for _ in range(20):
        for grant, status in (({}, 400), (OPEN, 200)):
            set_permissions(service, name, {"find": grant})
            assert call(service, "GET", f"/classes/{name}").status == status
    set_permissions(service, name, {"find": {}})
    assert service.stop() == 0
    service = start(data=service.data)
    assert refusal(call(service, "GET", f"/classes/{name}")) == (400, 119)


def test_new_fields_need_the_right_to_add_them(service, callers):
    ann, bob = callers["ann"], callers["bob"]
    name = make_class(service, {"addField": {bob.id: True}})
    one = make(service, name, n=1)
    for body in ({"x1": 1}, {"n": 2, "x2": op("Add", 1)}, {"x3.y": 1}):
        assert refusal(ann.call("PUT", f"/classes/{name}/{one}", body)) == (400, 119)
    assert refusal(ann.call("POST", f"/classes/{name}", {"x4": 1})) == (400, 119)
    # What is known, null, or taken away adds nothing.
    assert ann.call("PUT", f"/classes/{name}/{one}", {
        "n": 2, "x5": None, "x6": op("Delete")}).status == 200
    assert bob.call("POST", f"/classes/{name}", {"x7": 1}).status == 201
    assert ann.call("POST", f"/classes/{name}", {"x7": 2}).status == 201
    name = make_class(service, {"addField": {"pointerFields": ["owner"]}})
    one = make(service, name, owner=ann.person.pointer)
    assert refusal(bob.call("PUT", f"/classes/{name}/{one}", {"y1": 1})) == (400, 119)
    assert ann.call("PUT", f"/classes/{name}/{one}", {"y2": 1}).status == 200
    new = ann.call("POST", f"/classes/{name}", {"owner": ann.person.pointer, "y3": 1})
    assert refusal(new) == (400, 119)


def test_what_may_not_be_got_is_not_included(service, callers):
    ann, bob = callers["ann"], callers["bob"]
    closed = make_class(service, {"get": {ann.id: True}})
    mine = make_class(service, {"get": {"pointerFields": ["owner"]}})
    one = make(service, closed, a="secret")
    own, other = (make(service, mine, owner=who.person.pointer) for who in (ann, bob))
    holder = make(
        service, fresh("Holder"), one=pointer(closed, one),
        many=[pointer(mine, own), pointer(mine, other)])
    path = f"/classes/{[*_classes(service, 'Holder')][-1]}/{holder}"
    shown = ann.call("GET", path, include="one,many").json()
    assert shown["one"]["a"] == "secret" and [item["objectId"] for item in shown["many"]] == [own]
    shown = bob.call("GET", path, include="one,many").json()
    assert "one" not in shown and [item["objectId"] for item in shown["many"]] == [other]
    assert "secret" not in str(shown)


def _classes(service, prefix):
    for item in call(service, "GET", "/schemas", master=True).json()["results"]:
        if item["className"].startswith(prefix):
            yield item["className"]


def test_a_batch_is_judged_call_by_call(service, callers):
    name = make_class(service, {"create": {callers["bob"].id: True}})
    body = {"requests": [
        {"method": "POST", "path": f"/parse/classes/{name}", "body": {"n": 1}},
        {"method": "GET", "path": f"/parse/classes/{name}"}]}
    refused, listed = callers["ann"].call("POST", "/batch", body).json()
    assert refused["error"]["code"] == 119 and listed["success"]["results"] == []
    made, listed = callers["bob"].call("POST", "/batch", body).json()
    assert made["success"]["objectId"] == listed["success"]["results"][0]["objectId"]


# MARK: Hidden fields

def hidden(protected, caller, document):
    """The twin: what every rule hides that is about the caller."""
    if caller.master:
        return set()
    sets = []
    for audience, fields in protected.items():
        if audience.startswith("userField:"):
            is_meant = names([audience.split(":")[1]], document, caller)
        else:
            is_meant = audience == "*" or audience in caller.names or (
                audience == "authenticated" and caller.id)
        if is_meant:
            sets.append(set(fields))
    return set.intersection(*sets) if sets else set()


@pytest.mark.parametrize("seed", range(12))
def test_hidden_fields_are_in_no_answer(service, callers, seed):
    chance = random.Random(seed)
    ann, bob = callers["ann"], callers["bob"]
    audiences = ["*", "authenticated", *bob.names, ann.id, "userField:owner", "userField:team"]
    protected = {
        audience: chance.sample(["a", "b", "n", "owner"], chance.randrange(4))
        for audience in audiences if chance.random() < 0.5}
    name = make_class(service, {"protectedFields": protected}, l={"type": "Array"},
                      d={"type": "String", "defaultValue": "made"})
    objects = []
    for _ in range(4):
        fields = {"a": "seen-a", "b": "seen-b", "n": 1}
        if chance.random() < 0.7:
            fields["owner"] = chance.choice([ann, bob]).person.pointer
        if chance.random() < 0.7:
            fields["team"] = [chance.choice([ann, bob]).person.pointer]
        objects.append((make(service, name, **fields), fields))
    holder = fresh("Shelf")
    shelf = make(service, holder, all=[pointer(name, one) for one, _ in objects])
    for caller in callers.values():
        listed = {
            item["objectId"]: item
            for item in caller.call("GET", f"/classes/{name}").json()["results"]}
        included = {
            item["objectId"]: item for item in caller.call(
                "GET", f"/classes/{holder}/{shelf}", include="all").json()["all"]}
        for object_id, fields in objects:
            wanted = set(fields) - hidden(protected, caller, fields)
            for shown in (listed[object_id], included[object_id],
                          caller.call("GET", f"/classes/{name}/{object_id}").json()):
                assert set(shown) & {"a", "b", "n", "owner", "team"} == wanted
            # The new value is told where it may be seen.
            told = caller.call(
                "PUT", f"/classes/{name}/{object_id}", {"n": op("Increment", amount=1)}).json()
            assert ("n" in told) == ("n" in wanted)
        for field in ("a", "n"):
            answer = caller.call("GET", f"/classes/{name}", order=f"-{field}")
            is_hidden = field in hidden(protected, caller, {})
            assert answer.status == (400 if is_hidden else 200)
            if is_hidden:
                assert answer.json() == {"code": 119, "error": (
                    f"This user is not allowed to query {field} on class {name}")}


def test_a_create_does_not_tell_hidden_defaults(service, callers):
    name = make_class(
        service, {"protectedFields": {"*": ["d", "n"]}},
        d={"type": "String", "defaultValue": "made"}, e={"type": "Number", "defaultValue": 3})
    made = callers["ann"].call("POST", f"/classes/{name}", {"n": op("Increment", amount=4)})
    assert set(made.json()) == {"objectId", "createdAt", "e"}
    shown = call(service, "GET", f"/classes/{name}/{made.json()['objectId']}", master=True).json()
    assert (shown["d"], shown["n"], shown["e"]) == ("made", 4, 3)


def test_a_hidden_relation_is_not_shown_even_without_members(service, callers):
    name = make_class(
        service, {"protectedFields": {"*": ["r"]}}, r={"type": "Relation", "targetClass": "_User"},
        s={"type": "Relation", "targetClass": "_User"})
    one = make(service, name, n=1)
    shown = callers["ann"].call("GET", f"/classes/{name}/{one}").json()
    assert "s" in shown and "r" not in shown
    assert "r" in callers["master"].call("GET", f"/classes/{name}/{one}").json()


@pytest.mark.parametrize("condition", [
    {"a": "x"}, {"a.b": 1}, {"$or": [{"n": 1}, {"a": "x"}]},
    {"$and": [{"$nor": [{"a": {"$exists": True}}]}]}])
def test_a_condition_on_a_hidden_field_is_refused(service, callers, condition):
    name = make_class(service, {"protectedFields": {"*": ["a"], callers["bob"].id: []}})
    assert refusal(callers["ann"].call("POST", f"/classes/{name}", {
        "_method": "GET", "where": condition})) == (400, 119)
    answer = callers["bob"].call("POST", f"/classes/{name}", {
        "_method": "GET", "where": condition})
    assert answer.status == 200, answer.body


def find(caller, name, where, **query):
    return caller.call("GET", f"/classes/{name}", where=json.dumps(where), **query)


def found(answer):
    assert answer.status == 200, answer.body
    return sorted(item["objectId"] for item in answer.json()["results"])


def test_conditions_see_what_permissions_show(service, callers):
    """Queries, those inside others included, as if what is not the caller's were not there."""
    ann, bob, master = callers["ann"], callers["bob"], callers["master"]
    name = make_class(service, {
        key: {"pointerFields": ["owner"]} for key in ("find", "count")},
        r={"type": "Relation", "targetClass": "_User"}, at={"type": "GeoPoint"})
    mine, other = (make(
        service, name, n=1, owner=who.person.pointer, r=op("AddRelation", bob.person.pointer),
        at={"__type": "GeoPoint", "latitude": 1, "longitude": 2}) for who in (ann, bob))
    near = {"at": {"$nearSphere": {"__type": "GeoPoint", "latitude": 1, "longitude": 2}}}
    holder = fresh("Ring")
    rings = [make(service, holder, to=pointer(name, one), n=1) for one in (mine, other)]
    for where in ({"n": 1}, {"objectId": {"$in": [mine, other]}}, near,
                  {"r": bob.person.pointer}, {"createdAt": {"$exists": True}}):
        assert found(find(ann, name, where)) == [mine]
        assert found(find(master, name, where)) == sorted([mine, other])
        assert find(ann, name, where, count=1, limit=0).json()["count"] == 1
        assert found(find(callers["nobody"], name, where)) == []
    inner = {"to": {"$inQuery": {"className": name, "where": {"n": 1}}}}
    assert found(find(ann, holder, inner)) == [rings[0]]
    select = {"n": {"$select": {"query": {"className": name, "where": {}}, "key": "n"}}}
    assert found(find(ann, holder, select)) == sorted(rings)
    assert found(find(callers["nobody"], holder, select)) == []
    related = {"$relatedTo": {"object": pointer(name, other), "key": "r"}}
    assert found(find(bob, "_User", related)) == [bob.id]
    assert found(find(ann, "_User", related)) == []
    set_permissions(service, name, {"find": {}})
    for where in (inner, select):
        assert refusal(find(ann, holder, where)) == (400, 119)
    assert found(find(ann, "_User", related)) == []


def test_what_is_found_and_what_is_counted_may_differ(service, callers):
    ann, bob = callers["ann"], callers["bob"]
    name = make_class(service, {"find": {"pointerFields": ["owner"]}})
    mine, _ = (make(service, name, n=1, owner=who.person.pointer) for who in (ann, bob))
    for query in ({}, {"where": json.dumps({"n": 1})}):
        answer = ann.call("GET", f"/classes/{name}", count=1, **query)
        assert found(answer) == [mine] and answer.json()["count"] == 2
    set_permissions(service, name, {"count": {"pointerFields": ["owner"]}})
    for query in ({}, {"where": json.dumps({"n": 1})}):
        answer = ann.call("GET", f"/classes/{name}", count=1, **query)
        assert len(found(answer)) == 2 and answer.json()["count"] == 1


def test_hidden_fields_of_other_classes_cannot_be_asked_about(service, callers):
    name = make_class(service, {"protectedFields": {"*": ["a", "r"]}},
                      r={"type": "Relation", "targetClass": "_User"})
    one = make(service, name, a="x", r=op("AddRelation", callers["ann"].person.pointer))
    for where in (
            {"to": {"$inQuery": {"className": name, "where": {"a": "x"}}}},
            {"to": {"$select": {"query": {"className": name, "where": {}}, "key": "a"}}},
            {"$relatedTo": {"object": pointer(name, one), "key": "r"}}):
        assert refusal(find(callers["ann"], "_User", where)) == (400, 119)
        assert find(callers["master"], "_User", where).status == 200
    for where in ({"r": callers["ann"].person.pointer}, {"r": {"$ne": callers["ann"].person.pointer}}):
        assert refusal(find(callers["ann"], name, where)) == (400, 119)


def test_addresses_of_users_are_hidden_unless_a_rule_opens_them(start):
    service = start()
    ann = sign_up(service, email="ann@example.org")
    bob = sign_up(service)
    assert "email" not in bob.call("GET", f"/users/{ann.id}").json()
    assert ann.call("GET", f"/users/{ann.id}").json()["email"] == "ann@example.org"
    set_permissions(service, "_User", {"protectedFields": {"*": ["phone"][:0], bob.id: []}})
    assert bob.call("GET", f"/users/{ann.id}").json()["email"] == "ann@example.org"
    assert "email" not in call(service, "GET", f"/users/{ann.id}").json()


def test_users_whose_class_is_closed_sign_up_no_more(start):
    service = start()
    ann = sign_up(service)
    set_permissions(service, "_User", {"create": {}, "delete": {}})
    answer = call(service, "POST", "/users", {"username": fresh(), "password": "correct horse"})
    assert refusal(answer) == (400, 119)
    assert refusal(ann.call("DELETE", f"/users/{ann.id}")) == (400, 119)
    assert ann.me()["objectId"] == ann.id


# MARK: What is refused

@pytest.mark.parametrize("permissions", [
    5, {"list": {}}, {"find": True}, {"find": {"*": False}}, {"find": {"*": 1}},
    {"find": {"a b": True}}, {"find": {"role:": True}}, {"find": {"requiresAuthentication": 1}},
    {"update": {"pointerFields": "owner"}}, {"update": {"pointerFields": ["n"]}},
    {"update": {"pointerFields": ["none"]}}, {"update": {"pointerFields": [5]}},
    {"readUserFields": ["a"]}, {"writeUserFields": {}}, {"protectedFields": []},
    {"protectedFields": {"*": "a"}}, {"protectedFields": {"*": ["none"]}},
    {"protectedFields": {"*": ["objectId"]}}, {"protectedFields": {"*": ["ACL"]}},
    {"protectedFields": {"userField:n": ["a"]}}, {"protectedFields": {"role:": ["a"]}},
    {"protectedFields": {"é": ["a"]}}, {"find": {f"u{n}": True for n in range(1001)}}],
    ids=str)
def test_permissions_in_a_wrong_form_are_refused_and_change_nothing(service, permissions):
    name = make_class(service, {"find": {}})
    answer = call(
        service, "PUT", f"/schemas/{name}", {"classLevelPermissions": permissions}, master=True)
    assert refusal(answer) == (400, 107)
    assert refusal(call(service, "GET", f"/classes/{name}")) == (400, 119)


def test_a_field_on_which_permissions_rely_stays(service):
    name = make_class(service, {"update": {"pointerFields": ["owner"]}})
    answer = call(
        service, "PUT", f"/schemas/{name}", {"fields": {"owner": op("Delete")}}, master=True)
    assert refusal(answer) == (400, 107)
    answer = call(service, "PUT", f"/schemas/{name}", {
        "fields": {"owner": op("Delete")}, "classLevelPermissions": {}}, master=True)
    assert answer.status == 200 and "owner" not in answer.json()["fields"]
