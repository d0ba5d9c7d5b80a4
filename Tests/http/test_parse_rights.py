"""Access lists of single objects: who reads, writes and deletes, alone, in batches and included."""

import random

import pytest

from parse_client import Parse, op, pointer
from people import call, fresh, sign_up
from service import Service


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("rights") / "data")
    yield service
    assert service.stop() == 0


@pytest.fixture(scope="module")
def parse(service):
    return Parse(service)


@pytest.fixture(scope="module")
def people(service):
    """Ann and Bob, who is of a role; the role's name is theirs alone."""
    ann, bob = sign_up(service), sign_up(service)
    role = fresh("crew")
    made = call(service, "POST", "/roles", {
        "name": role, "ACL": {}, "users": op("AddRelation", bob.pointer)}, master=True)
    assert made.status == 201, made.body
    return {"ann": ann, "bob": bob, "role": f"role:{role}"}


class Nobody:
    """Somebody without a session, or the operator."""

    def __init__(self, service, master=False):
        self.service, self.master = service, master

    def call(self, method, path, body=None, **query):
        return call(self.service, method, path, body, master=self.master, **query)


def callers(service, people):
    """Each caller with the names that lists have for it; None stands for all of them."""
    return [
        (Nobody(service), {"*"}), (people["ann"], {"*", people["ann"].id}),
        (people["bob"], {"*", people["bob"].id, people["role"]}), (Nobody(service, True), None)]


def may(right, acl, names):
    """The twin: whether a list gives a right to somebody of these names."""
    return names is None or acl is None or any(
        entry.get(right) for name, entry in acl.items() if name in names)


@pytest.mark.parametrize("seed", range(6))
def test_a_list_opens_to_those_it_names_and_to_nobody_else(service, parse, people, seed):
    chance = random.Random(seed)
    named = ["*", people["ann"].id, people["bob"].id, people["role"], "strangerid", "role:nobody"]
    for _ in range(8):
        acl = None if chance.random() < 0.1 else {
            name: {right: chance.random() < 0.6 for right in ("read", "write")}
            for name in named if chance.random() < 0.4}
        fields = {} if acl is None else {"ACL": acl}
        made = parse.make("Guarded", master=True, n=0, l=["secret"], **fields)
        holder = parse.make(
            "Holder", master=True, one=pointer("Guarded", made), many=[pointer("Guarded", made)])
        path, n = f"/classes/Guarded/{made}", 0
        for caller, names in callers(service, people):
            reads, writes = may("read", acl, names), may("write", acl, names)
            answer = caller.call("GET", path)
            assert (answer.status == 200) == reads
            if not reads:
                assert (answer.status, answer.json()["code"]) == (404, 101)
            shown = caller.call("GET", f"/classes/Holder/{holder}", include="one,many").json()
            assert ("one" in shown) == reads and len(shown["many"]) == reads
            change = {"n": op("Increment", amount=1), "l": op("Add")}
            batch = {"requests": [
                {"method": "PUT", "path": f"/parse{path}", "body": change},
                {"method": "GET", "path": f"/parse{path}"}]}
            answer = caller.call("PUT", path, change)
            both = caller.call("POST", "/batch", batch).json()
            assert (answer.status == 200) == writes == ("success" in both[0])
            assert ("success" in both[1]) == reads
            if writes:
                n += 2
                # The new values are for those alone who may read them.
                told = {"updatedAt", "n", "l"} if reads else {"updatedAt"}
                assert set(answer.json()) == set(both[0]["success"]) == told
            else:
                assert answer.json() == both[0]["error"] == {
                    "code": 101, "error": "Object not found."}
            assert parse.get("Guarded", made, master=True)["n"] == n
        for caller, names in callers(service, people):
            gone = parse.make("Guarded", master=True, **fields)
            answer = caller.call("DELETE", f"/classes/Guarded/{gone}")
            assert (answer.status == 200) == may("write", acl, names)
            left = parse.call("GET", f"/classes/Guarded/{gone}", master=True)
            assert (left.status == 404) == may("write", acl, names)


def test_what_is_hidden_answers_as_what_is_not_there(service, parse, people):
    hidden = parse.make("Guarded", master=True, n=1, ACL={people["ann"].id: {"read": True}})
    for method, body in [("GET", None), ("PUT", {"n": 2}), ("PUT", {"n": op("Add", 1)}),
                         ("DELETE", None)]:
        there = people["bob"].call(method, f"/classes/Guarded/{hidden}", body)
        nothing = people["bob"].call(method, "/classes/Guarded/nobody0000", body)
        assert (there.status, there.body) == (nothing.status, nothing.body)


def test_an_included_user_keeps_its_secrets(service, parse, people):
    ann = sign_up(service, email=f"{fresh()}@example.org", ACL={"*": {"read": True}})
    made = parse.make("Post", author=ann.pointer)
    for caller in [Nobody(service), people["bob"]]:
        author = caller.call("GET", f"/classes/Post/{made}", include="author").json()["author"]
        assert author["username"] == ann.name and author["className"] == "_User"
        assert not {"email", "authData", "password", "sessionToken"} & set(author)
    own = ann.call("GET", f"/classes/Post/{made}", include="author").json()["author"]
    assert "email" in own and not {"password", "sessionToken"} & set(own)


def test_sessions_of_others_are_not_included(service, parse, people):
    sessions = call(service, "GET", "/classes/_Session", master=True).json()["results"]
    mine = next(item for item in sessions if item["user"]["objectId"] == people["ann"].id)
    made = parse.make("Look", at=pointer("_Session", mine["objectId"]))
    for caller in [Nobody(service), people["bob"]]:
        assert "at" not in caller.call("GET", f"/classes/Look/{made}", include="at").json()
    assert "at" in call(service, "GET", f"/classes/Look/{made}", master=True, include="at").json()


def test_a_change_of_the_list_holds_at_once(service, parse, people):
    ann, bob = people["ann"], people["bob"]
    made = ann.call("POST", "/classes/Shared", {
        "ACL": {ann.id: {"read": True, "write": True}}}).json()["objectId"]
    path = f"/classes/Shared/{made}"
    assert bob.call("GET", path).status == 404
    assert ann.call("PUT", path, {"ACL": {
        ann.id: {"read": True, "write": True}, people["role"]: {"read": True}}}).status == 200
    assert bob.call("GET", path).status == 200 and bob.call("PUT", path, {"n": 1}).status == 404
    assert ann.call("PUT", path, {"ACL": {people["role"]: {"write": True}}}).status == 200
    assert ann.call("GET", path).status == 404 and ann.call("PUT", path, {"n": 1}).status == 404
    assert bob.call("GET", path).status == 404 and bob.call("PUT", path, {"n": 1}).status == 200
