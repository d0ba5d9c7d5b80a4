"""`include`, `keys` and `excludeKeys` on one object, over real HTTP."""

import random

import pytest

from parse_client import Parse, pointer
from service import Service, place

ALWAYS = {"objectId", "createdAt", "updatedAt"}
ENDED = {"__type": "Date", "iso": "2020-01-01T00:00:00.000Z"}


@pytest.fixture(scope="module")
def parse(tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("include") / "data")
    yield Parse(service)
    assert service.stop() == 0


@pytest.fixture(scope="module")
def comment(parse):
    """A comment on a post of an author, which also points to what is gone and what is hidden."""
    author = parse.make("Author", name="Ann", age=30)
    hidden = parse.make("Author", name="Secret", ACL={})
    post = parse.make(
        "Post", title="T", text="long", author=pointer("Author", author),
        place={"floor": 2, "by": pointer("Author", author)}, ACL={"*": {"read": True}})
    gone = pointer("Author", "nobody0000")
    return parse.make(
        "Comment", text="c", post=pointer("Post", post), gone=gone, number=1,
        hidden=pointer("Author", hidden), by=pointer("Author", author),
        all=[pointer("Author", author), gone, 5, pointer("Author", hidden), pointer("Post", post)])


def test_a_pointer_becomes_the_object(parse, comment):
    post = parse.get("Comment", comment, include="post")["post"]
    assert post["__type"] == "Object" and post["className"] == "Post" and post["title"] == "T"
    assert post["ACL"] == {"*": {"read": True}}
    assert post["author"]["__type"] == "Pointer"
    assert ALWAYS < set(post)
    assert parse.get("Comment", comment)["post"]["__type"] == "Pointer"


def test_a_path_inflates_every_step(parse, comment):
    for value in ["post.author", ["post.author"], "text,post.author", "post,post.author"]:
        sent = value if isinstance(value, str) else '["post.author"]'
        post = parse.get("Comment", comment, include=sent)["post"]
        assert post["author"]["name"] == "Ann"
        assert post["place"]["by"]["__type"] == "Pointer"
    inner = parse.get("Comment", comment, include="post.place.by")["post"]
    assert inner["place"]["by"]["name"] == "Ann" and inner["place"]["floor"] == 2
    assert inner["author"]["__type"] == "Pointer"


def test_what_is_gone_or_hidden_vanishes(parse, comment):
    seen = parse.get("Comment", comment, include="gone,hidden,all")
    assert "gone" not in seen and "hidden" not in seen
    assert [item if item == 5 else item["className"] for item in seen["all"]] == [
        "Author", 5, "Post"]
    assert all(item == 5 or item["__type"] == "Object" for item in seen["all"])
    operator = parse.get("Comment", comment, master=True, include="gone,hidden,all")
    assert operator["hidden"]["name"] == "Secret" and "gone" not in operator
    assert len(operator["all"]) == 4
    plain = parse.get("Comment", comment)
    assert plain["gone"]["__type"] == plain["hidden"]["__type"] == "Pointer"
    assert len(plain["all"]) == 5


@pytest.mark.parametrize("query", [{"include": "*"}, {"includeAll": "true"}, {"includeAll": "1"}])
def test_all_means_every_pointer_of_one_level(parse, comment, query):
    seen = parse.get("Comment", comment, **query)
    assert seen["post"]["title"] == "T" and seen["by"]["name"] == "Ann"
    assert seen["post"]["author"]["__type"] == "Pointer"
    assert "gone" not in seen and len(seen["all"]) == 3
    below = parse.get("Comment", comment, include="post.*")
    assert below["post"]["author"]["name"] == "Ann" and below["by"]["__type"] == "Pointer"
    assert below["post"]["place"]["by"]["__type"] == "Pointer"


def test_lists_in_lists_are_not_followed(parse, comment):
    author = parse.get("Comment", comment)["by"]
    made = parse.make("Nest", all=[[author], author, [{"by": author}], {"by": author}])
    seen = parse.get("Nest", made, include="all.by")["all"]
    assert seen[0] == [author] and seen[2] == [{"by": author}]
    assert seen[1]["name"] == seen[3]["by"]["name"] == "Ann"


def test_expiry_and_coarse_places_hold_for_what_is_included(parse):
    over = parse.make("Spot", location=place(13, 52), expiresAt=ENDED)
    coarse = parse.make("Spot", location=place(13.40512, 52.52033), locationAccuracy=5000)
    made = parse.make("Visit", over=pointer("Spot", over), at=pointer("Spot", coarse))
    seen = parse.get("Visit", made, include="over,at")
    assert "over" not in seen
    assert seen["at"]["location"] == parse.get("Spot", coarse)["location"]
    assert seen["at"]["location"] != place(13.40512, 52.52033)
    operator = parse.get("Visit", made, master=True, include="over,at")
    assert operator["over"]["objectId"] == over
    assert operator["at"]["location"] == place(13.40512, 52.52033)


def test_keys_show_what_they_name(parse, comment):
    seen = parse.get("Comment", comment, keys="text,number,nothing")
    assert set(seen) == ALWAYS | {"text", "number"}
    assert set(parse.get("Comment", comment, keys='["text"]')) == ALWAYS | {"text"}
    assert set(parse.get("Comment", comment, keys="objectId")) == ALWAYS
    whole = parse.get("Comment", comment, keys="post", include="post")
    assert set(whole) == ALWAYS | {"post"} and whole["post"]["text"] == "long"
    # What is not shown is not there, followed or not.
    assert set(parse.get("Comment", comment, keys="text", include="post")) == ALWAYS | {"text"}


def test_a_key_below_a_pointer_includes_and_trims_it(parse, comment):
    seen = parse.get("Comment", comment, keys="text,post.title,post.author.name,all.name")
    assert set(seen) == ALWAYS | {"text", "post", "all"}
    assert set(seen["post"]) == ALWAYS | {"ACL", "__type", "className", "title", "author"}
    assert set(seen["post"]["author"]) == ALWAYS | {"__type", "className", "name"}
    assert [item if item == 5 else item.get("name") for item in seen["all"]] == ["Ann", 5, None]
    inner = parse.get("Comment", comment, keys="post.place.floor")["post"]
    assert inner["place"] == {"floor": 2}


def test_excluded_keys_never_drop_the_four(parse, comment):
    seen = parse.get("Comment", comment, excludeKeys="text,objectId,createdAt,updatedAt,ACL,all")
    assert set(seen) == ALWAYS | {"post", "gone", "hidden", "number", "by"}
    trimmed = parse.get(
        "Comment", comment, include="post", excludeKeys="post.text,post.ACL,post.place.floor,number")
    assert "number" not in trimmed and "text" not in trimmed["post"]
    assert trimmed["post"]["ACL"] == {"*": {"read": True}} and "title" in trimmed["post"]
    assert set(trimmed["post"]["place"]) == {"by"}
    both = parse.get("Comment", comment, keys="text,number", excludeKeys="text")
    assert set(both) == ALWAYS | {"number"}


@pytest.mark.parametrize("query, name", [
    ({"nonsense": "1"}, "nonsense"), ({"limit": "1"}, "limit"), ({"where": "{}"}, "where"),
    ({"count": "1"}, "count"), ({"order": "a"}, "order"),
    ({"include": "5"}, "include"), ({"keys": "{}"}, "keys"), ({"excludeKeys": "[1]"}, "excludeKeys"),
    ({"includeAll": "maybe"}, "includeAll"), ({"include": "a..b"}, "include"),
    ({"include": ".".join("a" * 17)}, "include"), ({"keys": ",".join(["a"] * 251)}, "keys"),
])
def test_refused_parameters_are_named(parse, comment, query, name):
    status, code, text = parse.refusal("GET", f"/classes/Comment/{comment}", None, **query)
    assert (status, code) == (400, 102) and name in text


def test_sixteen_levels_are_followed(parse):
    below = parse.make("Chain", n=0)
    for number in range(1, 17):
        below = parse.make("Chain", n=number, next=pointer("Chain", below))
    seen = parse.get("Chain", below, include=".".join(["next"] * 16))
    for number in range(16, -1, -1):
        assert seen["n"] == number
        seen = seen.get("next")
    assert seen is None


def test_a_ring_ends_where_the_path_does(parse):
    first, second = parse.make("Ring", n=1), parse.make("Ring", n=2)
    parse.update("Ring", first, next=pointer("Ring", second))
    parse.update("Ring", second, next=pointer("Ring", first))
    seen = parse.get("Ring", first, include="next.next.next")
    assert seen["next"]["next"]["next"]["n"] == 2
    assert seen["next"]["next"]["next"]["next"]["__type"] == "Pointer"


def test_an_answer_that_would_explode_is_refused(parse):
    """300 pointers at each of four levels: 8.1 thousand million objects if all were written."""
    last = parse.make("Wide", text="x" * 2000)
    for _ in range(4):
        last = parse.make("Wide", many=[pointer("Wide", last)] * 300)
    path = ".".join(["many"] * 4)
    status, code, text = parse.refusal("GET", f"/classes/Wide/{last}", None, include=path)
    assert (status, code) == (400, 155), text
    assert len(parse.get("Wide", last, include="many")["many"]) == 300


@pytest.mark.parametrize("seed", range(6))
def test_a_random_graph_is_what_its_twin_says(parse, seed):
    """Objects point to one another at random; a twin of a few lines inflates copies of them."""
    chance = random.Random(seed)
    class_names = [f"G{seed}x{number}" for number in range(2)]
    ids, stored = [], {}
    for _ in range(30):
        name = chance.choice(class_names)
        ids.append((name, parse.make(name, **({"ACL": {}} if chance.random() < 0.2 else {}))))
    for name, object_id in ids:
        def any_pointer():
            if chance.random() < 0.15:
                return pointer(class_names[0], "nobody0000")
            return pointer(*chance.choice([item for item in ids if item[0] == class_names[0]]))
        fields = {"n": chance.randrange(99)}
        if chance.random() < 0.8:
            fields["one"] = any_pointer()
        if chance.random() < 0.8:
            fields["many"] = [any_pointer() for _ in range(chance.randrange(4))]
        if chance.random() < 0.5:
            fields["in"] = {"one": any_pointer(), "k": 1}
        parse.update(name, object_id, master=True, **fields)
        stored[name, object_id] = parse.get(name, object_id, master=True)
    readable = {key for key, value in stored.items() if "ACL" not in value}

    def inflated(value, paths):
        """What a field becomes under paths that begin at it; None when it vanishes."""
        if isinstance(value, list):
            inner = [inflated(item, paths) for item in value]
            return [item for item in inner if item is not None]
        if not isinstance(value, dict):
            return value
        if value.get("__type") != "Pointer":
            return members(value, [path for path in paths if path])
        key = value["className"], value["objectId"]
        if key not in readable:
            return None
        target = members(stored[key], [path for path in paths if path])
        return {"__type": "Object", "className": key[0], **target}

    def members(value, paths):
        result = {}
        for name, member in value.items():
            below = [path[1:] for path in paths if path[0] == name]
            shown = inflated(member, below) if below else member
            if shown is not None:
                result[name] = shown
        return result

    fields = ["one", "many", "in.one"]
    for name, object_id in ids:
        if (name, object_id) not in readable:
            continue
        paths = [".".join(chance.choice(fields) for _ in range(chance.randrange(1, 4)))
                 for _ in range(chance.randrange(1, 4))]
        # Every beginning of a path is a path.
        steps = set()
        for path in paths:
            names = path.split(".")
            steps |= {tuple(names[:end]) for end in range(1, len(names) + 1)}
        expected = members(stored[name, object_id], list(steps))
        assert parse.get(name, object_id, include=",".join(paths)) == expected, paths
