"""Relations of the Parse surface as they stand on the wire, over real HTTP."""

import pytest

from parse_client import Parse, op, pointer
from service import Service


@pytest.fixture(scope="module")
def parse(tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("relations") / "data")
    yield Parse(service)
    assert service.stop() == 0


def posts(*ids):
    return [pointer("Post", object_id) for object_id in ids]


def test_a_relation_is_read_as_its_class(parse):
    made = parse.create("Shelf", posts=op("AddRelation", *posts("aaaaaaaaaa")), name="s")
    assert set(made) == {"objectId", "createdAt"}
    relation = {"__type": "Relation", "className": "Post"}
    assert parse.get("Shelf", made["objectId"])["posts"] == relation
    # Objects in which nothing was put have it, too.
    empty = parse.make("Shelf", name="empty")
    assert parse.get("Shelf", empty)["posts"] == relation
    found = parse.call("GET", "/classes/Shelf/" + empty, None, keys="name").json()
    assert "posts" not in found
    holder = parse.make("Room", shelf=pointer("Shelf", empty))
    assert parse.get("Room", holder, include="shelf")["shelf"]["posts"] == relation


def test_adding_twice_and_removing_strangers_are_no_errors(parse):
    made = parse.make("Shelf", posts=op("AddRelation", *posts("aaaaaaaaaa", "aaaaaaaaaa")))
    for change in [
        op("AddRelation", *posts("aaaaaaaaaa")), op("RemoveRelation", *posts("nobody0000")),
        op("AddRelation"), op("RemoveRelation"), op("Batch", ops=[]),
        op("Batch", ops=[op("AddRelation", *posts("b")), op("RemoveRelation", *posts("b", "c"))]),
    ]:
        assert set(parse.update("Shelf", made, posts=change)) == {"updatedAt"}
    fresh = parse.make("Rack", posts=op("RemoveRelation", *posts("nobody0000")))
    assert parse.get("Rack", fresh)["posts"]["className"] == "Post"


def test_the_first_member_fixes_the_class(parse):
    made = parse.make("Case", posts=op("AddRelation", *posts("aaaaaaaaaa")))
    path = f"/classes/Case/{made}"
    for name in ["AddRelation", "RemoveRelation"]:
        assert parse.refusal("PUT", path, {"posts": op(name, pointer("Book", "x"))}) == (
            400, 111, "schema mismatch for Case.posts; expected Relation<Post> but got Relation<Book>")
    for value in [
        op("AddRelation", pointer("Post", "a"), pointer("Book", "b")), "text", pointer("Post", "a"),
        op("Batch", ops=[op("AddRelation", *posts("a")), op("AddRelation", pointer("Book", "b"))]),
        op("Increment", amount=1), op("Add", 1),
    ]:
        assert parse.refusal("PUT", path, {"posts": value})[:2] == (400, 111), value
    parse.make("Plain", n=1)
    assert parse.refusal("POST", "/classes/Plain", {"n": op("AddRelation", *posts("a"))}) == (
        400, 111, "schema mismatch for Plain.n; expected Number but got Relation<Post>")


def test_what_was_read_can_be_sent_back(parse):
    made = parse.make("Shelf", posts=op("AddRelation", *posts("aaaaaaaaaa")), n=1)
    seen = parse.get("Shelf", made)
    parse.update("Shelf", made, **{key: seen[key] for key in ("posts", "n")})
    parse.update("Shelf", made, posts=None)
    assert parse.get("Shelf", made)["posts"] == seen["posts"]
