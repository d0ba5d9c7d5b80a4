"""Batches of the Parse surface, over real HTTP."""

import pytest

from parse_client import TIME, Parse, op, pointer
from service import Service


@pytest.fixture(scope="module")
def parse(tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("batch") / "data")
    yield Parse(service)
    assert service.stop() == 0


def test_each_request_has_a_fate_of_its_own(parse):
    made = parse.make("Thing", n=1, l=["a"])
    answer = parse.batch(
        ("POST", "/classes/Thing", {"n": 2}), ("POST", "/classes/Thing", {"n": "text"}),
        ("DELETE", "/classes/Thing/nopenopeno", None),
        ("PUT", f"/classes/Thing/{made}", {"n": op("Increment", amount=4), "l": op("Add", "b")}),
        ("PUT", f"/classes/Thing/{made}", {"l": op("Increment", amount=1)}),
        ("PUT", f"/classes/Thing/{made}", {"l": op("Nothing")}),
        ("GET", f"/classes/Thing/{made}?keys=n", None), ("DELETE", f"/classes/Thing/{made}", None))
    fates = answer.json()
    assert answer.status == 200
    assert [fate.get("error", {}).get("code") for fate in fates] == [
        None, 111, 101, None, 111, 108, 101, None]
    assert all(set(fate["error"]) == {"code", "error"} for fate in fates if "error" in fate)
    assert set(fates[0]["success"]) == {"objectId", "createdAt"}
    told = fates[3]["success"]
    assert (set(told), told["n"], told["l"]) == ({"updatedAt", "n", "l"}, 5, ["a", "b"])
    assert TIME.fullmatch(told["updatedAt"])
    assert fates[7]["success"] == {}


def test_reads_take_their_parameters_and_see_the_writes(parse):
    author = parse.make("Author", name="Ann")
    made = parse.make("Note", by=pointer("Author", author), n=1)
    fates = parse.batch(
        ("GET", f"/classes/Note/{made}?include=by&keys=by.name", None),
        ("GET", f"/classes/Note/{made}", {"include": "by", "excludeKeys": ["n"]}),
        ("GET", f"/classes/Note/{made}?nonsense=1", None),
        ("PUT", f"/classes/Author/{author}", {"name": "Bea"})).json()
    assert fates[0]["success"]["by"]["name"] == fates[1]["success"]["by"]["name"] == "Bea"
    assert "n" not in fates[0]["success"] and "n" not in fates[1]["success"]
    assert fates[2]["error"]["code"] == 102


@pytest.mark.parametrize("count", [0, 1, 50, 51, 400])
def test_many_requests_of_one_batch(parse, count):
    made = parse.make("Many", n=0)
    requests = [("PUT", f"/classes/Many/{made}", {"n": op("Increment", amount=1)})] * count
    fates = parse.batch(*requests).json()
    assert [fate["success"]["n"] for fate in fates] == list(range(1, count + 1))
    assert parse.get("Many", made)["n"] == count


def test_all_reads_share_one_answers_length(parse):
    made = parse.make("Long", t="x" * (9 << 20))
    fates = parse.batch(
        *[("GET", f"/classes/Long/{made}", None)] * 9, ("GET", "/classes/Long?limit=0", None)).json()
    # Seven times 9 MB fit into 64 MB, and after the first that does not, nothing is read.
    assert [fate.get("error", {}).get("code") for fate in fates] == [None] * 7 + [155] * 3


def test_a_transaction_keeps_all_or_nothing(parse):
    made = parse.make("Kept", n=1, l=[1])
    before = parse.get("Kept", made)
    good = [
        ("PUT", f"/classes/Kept/{made}", {"n": op("Increment", amount=1), "l": op("AddUnique", 2)}),
        ("POST", "/classes/Kept", {"n": 5, "fresh": True})]
    failed = parse.batch(*good, ("PUT", f"/classes/Kept/{made}", {"n": op("Add", 1)}), transaction=True)
    assert failed.status == 400
    assert [set(fate) for fate in failed.json()] == [{"success"}, {"success"}, {"error"}]
    assert failed.json()[2]["error"]["code"] == 111
    assert parse.get("Kept", made) == before
    assert len(parse.call("GET", "/classes/Kept").json()["results"]) == 1
    # The field that the undone create brought is free again.
    done = parse.batch(*good[:1], ("POST", "/classes/Kept", {"fresh": "text"}), transaction=True)
    assert done.status == 200 and parse.get("Kept", made)["l"] == [1, 2]
    apart = parse.batch(("POST", "/classes/Kept", {"n": 7}), ("DELETE", "/classes/Kept/x", None),
                        transaction=False)
    assert apart.status == 200 and [set(fate) for fate in apart.json()] == [{"success"}, {"error"}]


def test_relations_of_a_failed_transaction_are_undone(parse):
    member = parse.make("Post", n=1)
    made = parse.make("Shelf", n=1)
    before = parse.get("Shelf", made)
    failed = parse.batch(
        ("PUT", f"/classes/Shelf/{made}", {"posts": op("AddRelation", pointer("Post", member))}),
        ("DELETE", "/classes/Post/nobody0000", None), transaction=True)
    assert failed.status == 400 and parse.get("Shelf", made) == before
    # Nothing of it fixed the members' class.
    parse.update("Shelf", made, posts=op("AddRelation", pointer("Other", member)))


@pytest.mark.parametrize("body", [
    {}, {"requests": "x"}, {"requests": {"0": {}}}, {"requests": [5]}, {"requests": [{"method": "POST"}]},
    {"requests": [{"path": "/parse/classes/First"}]},
    {"requests": [{"method": "POST", "path": "/classes/First", "body": {}}]},
    {"requests": [{"method": "POST", "path": "/1/classes/First", "body": {}}]},
    {"requests": [{"method": "POST", "path": "/parse/batch", "body": {"requests": []}}]},
    {"requests": [{"method": "POST", "path": "/parse/nothing", "body": {}}]},
])
def test_what_is_no_batch_is_refused_whole(parse, body):
    requests = body.get("requests")
    if isinstance(requests, list):
        body = {"requests": [
            {"method": "POST", "path": "/parse/classes/First", "body": {"n": 1}}, *requests]}
    assert parse.refusal("POST", "/batch", body)[:2] == (400, 107)
    assert parse.call("GET", "/classes/First").json() == {"results": []}


def test_a_batch_without_keys_is_refused(parse):
    answer = parse.service.request("POST", "/parse/batch", {"requests": []}, {})
    assert (answer.status, answer.json()) == (403, {"error": "unauthorized"})
