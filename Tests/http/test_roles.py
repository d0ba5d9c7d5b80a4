"""Roles over real HTTP: what they need, who is in them, and that changes act at once."""

import random

import pytest

from people import call, fresh, refusal, sign_up
from parse_client import op
from service import Service

READABLE = {"*": {"read": True}}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    started = Service(tmp_path_factory.mktemp("roles") / "data")
    yield started
    assert started.stop() == 0


def make_role(service, name=None, acl=None, **members):
    """A role by the operator; gives its name and id."""
    name = name or fresh("role")
    body = {"name": name, "ACL": READABLE if acl is None else acl}
    for field, pointers in members.items():
        body[field] = op("AddRelation", *pointers)
    answer = call(service, "POST", "/roles", body, master=True)
    assert answer.status == 201, answer.body
    return name, answer.json()["objectId"]


def role_pointer(role_id):
    return {"__type": "Pointer", "className": "_Role", "objectId": role_id}


def change(service, role_id, name, field, *pointers):
    answer = call(
        service, "PUT", f"/roles/{role_id}", {field: op(name, *pointers)}, master=True)
    assert answer.status == 200, answer.body


def make_note(service, role, **rights):
    acl = {f"role:{role}": rights or {"read": True}}
    return call(service, "POST", "/classes/Note", {"n": 1, "ACL": acl}, master=True).json()[
        "objectId"]


def may_read(person, note):
    status = person.call("GET", f"/classes/Note/{note}").status
    assert status in (200, 404)
    listed = [item["objectId"] for item in person.call(
        "GET", "/classes/Note", limit=10000).json()["results"]]
    assert (note in listed) == (status == 200), "the list and the object agree"
    return status == 200


@pytest.mark.parametrize("body,code", [
    ({"ACL": READABLE}, 111), ({"name": "staff"}, 111), ({"name": "", "ACL": READABLE}, 111),
    ({"name": 5, "ACL": READABLE}, 111), ({"name": "a/b", "ACL": READABLE}, 139),
    ({"name": "x" * 129, "ACL": READABLE}, 139), ({"name": "é", "ACL": READABLE}, 139),
    ({"name": "staff", "ACL": READABLE, "users": "text"}, 111),
    ({"name": "staff", "ACL": READABLE, "users": op("AddRelation", {
        "__type": "Pointer", "className": "Note", "objectId": "abcdefghij"})}, 111),
])
def test_what_a_role_needs(service, body, code):
    assert refusal(call(service, "POST", "/roles", body)) == (400, code)
    assert refusal(call(service, "POST", "/classes/_Role", body, master=True)) == (400, code)


def test_a_name_is_unique(service):
    name, role = make_role(service)
    for master in (False, True):
        again = call(service, "POST", "/roles", {"name": name, "ACL": {}}, master=master)
        assert refusal(again) == (400, 137)
    other_name, other = make_role(service)
    assert refusal(call(service, "PUT", f"/roles/{other}", {"name": name}, master=True)) == (400, 137)
    assert call(service, "PUT", f"/roles/{other}", {"name": other_name}, master=True).status == 200
    assert call(service, "DELETE", f"/roles/{role}", master=True).status == 200
    make_role(service, name)


def test_a_role_is_written_by_whom_its_list_names(service):
    ann, bob = sign_up(service), sign_up(service)
    answer = ann.call("POST", "/roles", {
        "name": fresh("role"), "ACL": {**READABLE, ann.id: {"write": True}},
        "users": op("AddRelation", ann.pointer)})
    assert answer.status == 201 and set(answer.json()) == {"objectId", "createdAt"}
    path = f"/roles/{answer.json()['objectId']}"
    add = {"users": op("AddRelation", bob.pointer)}
    assert refusal(bob.call("PUT", path, add)) == (404, 101)
    assert refusal(call(service, "PUT", path, add)) == (404, 101)
    assert refusal(bob.call("DELETE", path)) == (404, 101)
    assert ann.call("PUT", path, add).status == 200
    assert refusal(ann.call("PUT", path, {"ACL": op("Delete")})) == (400, 111)
    shown = call(service, "GET", path).json()
    assert shown["users"] == {"__type": "Relation", "className": "_User"}
    hidden = make_role(service, acl={})[1]
    assert refusal(ann.call("GET", f"/roles/{hidden}")) == (404, 101)


def test_members_come_and_go_at_once(service):
    ann, bob = sign_up(service), sign_up(service)
    name, role = make_role(service, users=[ann.pointer])
    note = make_note(service, name, read=True, write=True)
    assert may_read(ann, note) and not may_read(bob, note)
    for _ in range(5):
        change(service, role, "AddRelation", "users", bob.pointer)
        assert may_read(bob, note)
        assert bob.call("PUT", f"/classes/Note/{note}", {"n": 2}).status == 200
        change(service, role, "RemoveRelation", "users", bob.pointer)
        assert not may_read(bob, note)
        assert refusal(bob.call("PUT", f"/classes/Note/{note}", {"n": 3})) == (404, 101)
    assert call(service, "DELETE", f"/roles/{role}", master=True).status == 200
    assert not may_read(ann, note)
    # Another role of the name is another role.
    make_role(service, name)
    assert not may_read(ann, note)


def test_a_role_that_is_renamed_opens_other_things(service):
    ann = sign_up(service)
    name, role = make_role(service, users=[ann.pointer])
    note = make_note(service, name)
    assert may_read(ann, note)
    renamed = fresh("role")
    assert call(service, "PUT", f"/roles/{role}", {"name": renamed}, master=True).status == 200
    assert not may_read(ann, note) and may_read(ann, make_note(service, renamed))


def test_roles_in_roles_and_circles(service):
    member = sign_up(service)
    chain = [make_role(service, users=[member.pointer])]
    for _ in range(10):
        chain.append(make_role(service, roles=[role_pointer(chain[-1][1])]))
    notes = [make_note(service, name) for name, _ in chain]
    assert all(may_read(member, note) for note in notes)
    # The other way round nothing is inherited.
    chief = sign_up(service)
    change(service, chain[-1][1], "AddRelation", "users", chief.pointer)
    assert [may_read(chief, note) for note in notes] == [False] * 10 + [True]
    change(service, chain[0][1], "AddRelation", "roles", role_pointer(chain[-1][1]))
    assert all(may_read(chief, note) and may_read(member, note) for note in notes)
    change(service, chain[5][1], "RemoveRelation", "roles", role_pointer(chain[4][1]))
    assert [may_read(member, note) for note in notes] == [True] * 5 + [False] * 6


@pytest.mark.parametrize("seed", range(3))
def test_random_roles_are_those_of_a_twin(service, seed):
    numbers = random.Random(seed)
    people = [sign_up(service) for _ in range(3)]
    roles = [make_role(service) for _ in range(6)]
    notes = [make_note(service, name) for name, _ in roles]
    users, inner = set(), set()
    for _ in range(12):
        a, b = numbers.randrange(6), numbers.randrange(6)
        person = numbers.randrange(3)
        if numbers.random() < 0.5:
            edges, edge, field, member = users, (a, person), "users", people[person].pointer
        else:
            edges, edge, field, member = inner, (a, b), "roles", role_pointer(roles[b][1])
        name = "RemoveRelation" if edge in edges and numbers.random() < 0.7 else "AddRelation"
        (edges.discard if name == "RemoveRelation" else edges.add)(edge)
        change(service, roles[a][1], name, field, member)
        for index, somebody in enumerate(people):
            held = {role for role, user in users if user == index}
            while more := {outer for outer, role in inner if role in held} - held:
                held |= more
            assert [may_read(somebody, note) for note in notes] == [
                number in held for number in range(6)]


def test_a_name_that_is_free_again_opens_what_it_opened(start):
    """As the page on accounts says; closing the class keeps it from happening."""
    service = start()
    ann, eve = sign_up(service), sign_up(service)
    name, role_id = make_role(service, users=[ann.pointer])
    note = make_note(service, name)
    assert may_read(ann, note) and not may_read(eve, note)
    assert call(service, "DELETE", f"/roles/{role_id}", master=True).status == 200
    assert not may_read(ann, note)
    body = {"name": name, "ACL": READABLE, "users": op("AddRelation", eve.pointer)}
    closed = {"classLevelPermissions": {"create": {ann.id: True}}}
    assert call(service, "PUT", "/schemas/_Role", closed, master=True).status == 200
    assert refusal(eve.call("POST", "/roles", body)) == (400, 119) and not may_read(eve, note)
    assert call(service, "PUT", "/schemas/_Role", {"classLevelPermissions": {
        "create": {"*": True}}}, master=True).status == 200
    assert eve.call("POST", "/roles", body).status == 201 and may_read(eve, note)
