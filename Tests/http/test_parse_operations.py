"""Update operations of the Parse surface, over real HTTP."""

import random
import threading

import pytest

from parse_client import Parse, op, pointer
from service import Service


@pytest.fixture(scope="module")
def parse(tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("operations") / "data")
    yield Parse(service)
    assert service.stop() == 0


def test_operations_in_a_create_become_their_values(parse):
    friend = pointer("Person", "abcdefghij")
    answer = parse.create(
        "Made", n=op("Increment", amount=4), l=op("Add", 1, 1), u=op("AddUnique", "q", "q", friend),
        r=op("Remove", 1), d=op("Delete"), s=op("SetOnInsert", amount={"deep": [1]}), plain=7)
    expected = {"n": 4, "l": [1, 1], "u": ["q", friend], "r": [], "s": {"deep": [1]}}
    told = {key: value for key, value in answer.items() if key not in ("objectId", "createdAt")}
    assert told == expected
    stored = parse.get("Made", answer["objectId"])
    assert {key: stored.get(key) for key in [*expected, "d", "plain"]} == {
        **expected, "d": None, "plain": 7}


def test_a_create_of_plain_values_answers_id_and_time_alone(parse):
    assert set(parse.create("Plain", n=1, l=[1], o={"a": 1})) == {"objectId", "createdAt"}


def test_an_update_tells_new_values_of_what_the_client_cannot_know(parse):
    made = parse.make("Told", n=1, l=["x", "y", "x", 3], u=[1], k=0, gone=1)
    answer = parse.update(
        "Told", made, n=op("Increment", amount=-3), l=op("Remove", "x", 3), u=op("AddUnique", 1, 2),
        a=op("Add", [1]), k=5, gone=op("Delete"), s=op("SetOnInsert", amount=1))
    assert set(answer) == {"updatedAt", "n", "l", "u", "a"}
    assert (answer["n"], answer["l"], answer["u"], answer["a"]) == (-2, ["y"], [1, 2], [[1]])
    stored = parse.get("Told", made)
    assert "gone" not in stored and "s" not in stored and stored["k"] == 5
    assert {key: stored[key] for key in "nlua"} == {key: answer[key] for key in "nlua"}


def test_lists_compare_deeply_and_pointers_by_what_they_lead_to(parse):
    at = pointer("Person", "abcdefghij")
    full = {"className": "Person", "__type": "Object", "objectId": "abcdefghij", "name": "Ann"}
    made = parse.make("Deep", l=[{"a": [1, {"b": 2}]}, full, 1, "1", None, True])
    assert parse.get("Deep", made)["l"][1] == at
    again = [{"a": [1.0, {"b": 2}]}, {**at, "extra": 1}, full, 1.0, "1", None, True]
    assert len(parse.update("Deep", made, l=op("AddUnique", *again))["l"]) == 6
    assert parse.update("Deep", made, l=op("Remove", full, {"a": [1]}, 1, True))["l"] == [
        {"a": [1, {"b": 2}]}, "1", None]


def test_operations_work_on_members_of_objects(parse):
    made = parse.make("Inner", o={"n": 1, "l": [1]})
    answer = parse.update("Inner", made, **{
        "o.n": op("Increment", amount=2), "o.l": op("AddUnique", 1, 2), "o.new.deep": op("Add", 5)})
    assert answer["o"] == {"n": 3, "l": [1, 2], "new": {"deep": [5]}}
    parse.update("Inner", made, **{"o.new.deep": op("Remove", 5), "o.n": op("Delete")})
    assert parse.get("Inner", made)["o"] == {"l": [1, 2], "new": {"deep": []}}


def test_null_counts_as_missing(parse):
    made = parse.make("Nulls", n=None, l=None)
    answer = parse.update("Nulls", made, n=op("Increment", amount=2), l=op("AddUnique", 1))
    assert (answer["n"], answer["l"]) == (2, [1])


@pytest.mark.parametrize("field, change, code", [
    ("text", op("Increment", amount=1), 111), ("text", op("Add", 1), 111),
    ("number", op("AddUnique", 1), 111), ("number", op("Remove", 1), 111),
    ("number", op("Add", 1), 111), ("new", op("Increment", amount="1"), 107),
    ("new", op("Increment"), 107), ("list", {"__op": "Add", "objects": "x"}, 107),
    ("list", {"__op": "Add"}, 107), ("list", {"__op": "Remove", "objects": {"0": 1}}, 107),
    ("new", {"__op": "SetOnInsert"}, 107), ("new", op("Multiply", amount=2), 108),
    ("new", {"__op": 5}, 108), ("new", {"__op": None}, 108), ("new", {"__op": "delete"}, 108),
    ("new", op("Batch", ops=[op("Add", 1)]), 108), ("new", op("Batch", ops=[5]), 108),
    ("new", op("Batch"), 107), ("list", op("Add", *range(10_001)), 155),
    ("new", op("Batch", ops=[op("AddRelation")] * 1_001), 155),
    ("new.inner", op("AddRelation", pointer("Person", "abc")), 111),
    ("new", op("AddRelation", 5), 111), ("new", op("AddRelation", {"__type": "Pointer"}), 111),
    ("new", op("AddRelation", pointer("9", "abc")), 106),
    ("new", op("AddRelation", pointer("Person", "a b")), 106),
])
def test_refused_operations_change_nothing(parse, field, change, code):
    made = parse.make("Kept", text="t", number=1, list=[1])
    before = parse.get("Kept", made)
    for name, body in [("PUT", {field: change, "other": 1}), ("PUT", {"z": 1, field: change})]:
        status, found, text = parse.refusal(name, f"/classes/Kept/{made}", body)
        assert (status, found) == (400, code), text
        assert field.split(".")[0] in text
    assert parse.get("Kept", made) == before


def test_a_mismatch_names_class_field_and_types(parse):
    made = parse.make("Named", text="t", n=1, p=pointer("Person", "abc"))
    for field, value, expected, got in [
        ("text", op("Increment", amount=1), "String", "Number"), ("n", op("Add", 1), "Number", "Array"),
        ("n", "x", "Number", "String"), ("p", pointer("Other", "abc"), "Pointer<Person>", "Pointer<Other>"),
        ("p", {"__type": "Date", "iso": "2026-01-01T00:00:00.000Z"}, "Pointer<Person>", "Date"),
        ("text", {"a": 1}, "String", "Object"), ("text", True, "String", "Boolean"),
        ("n", op("AddRelation", pointer("Person", "abc")), "Number", "Relation<Person>"),
    ]:
        text = f"schema mismatch for Named.{field}; expected {expected} but got {got}"
        assert parse.refusal("PUT", f"/classes/Named/{made}", {field: value}) == (400, 111, text)
    # The class judges where the object itself has no value.
    status, code, text = parse.refusal("POST", "/classes/Named", {"text": op("Add", 1)})
    assert (code, text) == (111, "schema mismatch for Named.text; expected String but got Array")


def test_many_clients_count_exactly(parse):
    made = parse.make("Counted", n=0, l=[])

    def count(first):
        for number in range(first, first + 25):
            parse.update("Counted", made, n=op("Increment", amount=1), l=op("AddUnique", number))

    writers = [threading.Thread(target=count, args=(number * 15,)) for number in range(6)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    stored = parse.get("Counted", made)
    assert stored["n"] == 150
    assert sorted(stored["l"]) == list(range(100))


@pytest.mark.parametrize("seed", range(8))
def test_lists_are_what_a_plain_list_becomes(parse, seed):
    """Against a twin of a few lines, over random operations."""
    chance = random.Random(seed)
    values = [0, 1, 2.5, "a", "", None, True, [1], {"k": 1}, pointer("P", "abc"), pointer("P", "abd")]

    def equal(a, b):
        return type(a) is type(b) and a == b

    made = parse.make("Twin", l=[])
    twin = []
    for _ in range(25):
        name = chance.choice(["Add", "AddUnique", "Remove"])
        objects = [chance.choice(values) for _ in range(chance.randrange(4))]
        for value in objects if name != "Remove" else []:
            if name == "Add" or not any(equal(value, other) for other in twin):
                twin.append(value)
        if name == "Remove":
            twin = [value for value in twin if not any(equal(value, other) for other in objects)]
        assert parse.update("Twin", made, l=op(name, *objects))["l"] == twin
