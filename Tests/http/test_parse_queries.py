"""Finds over real HTTP: every operator, order, page, count, and what is refused."""

import json
import math

import pytest

from parse_client import Parse, op, pointer
from people import sign_up
from service import CLIENT, MASTER, Service, place

DAY = "2024-05-0{}T00:00:00.000Z"


def date(day):
    return {"__type": "Date", "iso": DAY.format(day)}


class Finds(Parse):
    """Finds by GET, with what they ask as JSON in the URL."""

    def find(self, class_name, where=None, headers=None, master=False, **query):
        if where is not None:
            query["where"] = json.dumps(where)
        query = {key: value if isinstance(value, str) else json.dumps(value)
                 for key, value in query.items()}
        keys = MASTER if master else CLIENT
        answer = self.service.request(
            "GET", f"/parse/classes/{class_name}", None, {**keys, **(headers or {})}, query)
        assert answer.status == 200, answer.body
        return answer.json()

    def names(self, class_name, where=None, **query):
        """The names of what is found; in their order when one was asked for."""
        found = [item.get("name") for item in self.find(class_name, where, **query)["results"]]
        near = "$nearSphere" in json.dumps(where)
        return found if near or "order" in query else sorted(found)

    def error(self, class_name, where, **query):
        status, code, text = self.refusal(
            "GET", f"/classes/{class_name}", where=json.dumps(where), **query)
        assert status == 400
        return code, text


@pytest.fixture(scope="module")
def parse(tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("queries") / "data")
    finds = Finds(service)
    a, b = finds.make("Shop", name="A"), finds.make("Shop", name="B", open=True)
    finds.shops = a, b
    finds.make("Thing", name="a", n=0, s="the quick fox", l=[1, 2], d=date(1), o={"k": 1, "m": {"x": 1}},
               shop=pointer("Shop", a), on=True)
    finds.make("Thing", name="b", n=5, s="Slow café", l=[3], d=date(2), o={"k": 2},
               shop=pointer("Shop", b), shops=[pointer("Shop", a), pointer("Shop", b)], on=False)
    finds.make("Thing", name="c", n=-2.5, s="parma", l=[], z=None)
    finds.make("Thing", name="d", s="Paris.x", l=["foo", "bar"], file={"__type": "File", "name": "f"})
    yield finds
    assert service.stop() == 0


ALL = ["a", "b", "c", "d"]


@pytest.mark.parametrize("where, names", [
    ({"name": "a"}, ["a"]), ({"n": 0}, ["a"]), ({"on": True}, ["a"]), ({"on": False}, ["b"]),
    ({"n": 5.0}, ["b"]), ({"name": {"$eq": "b"}}, ["b"]), ({"n": {"$eq": None}}, ["d"]),
    ({"d": {"$eq": date(1)}}, ["a"]), ({"o": {"k": 2}}, ["b"]), ({"l": 3}, ["b"]),
    ({"z": None}, ALL), ({"n": None}, ["d"]), ({"n": {"$exists": False}}, ["d"]),
    ({"z": {"$exists": True}}, ["c"]), ({"n": {"$ne": 0}}, ["b", "c", "d"]),
    ({"n": {"$nin": [0, 5]}}, ["c", "d"]), ({"n": {"$in": [0, 5, 9]}}, ["a", "b"]),
    ({"n": {"$in": []}}, []), ({"l": {"$in": [3, 1]}}, ["a", "b"]), ({"l": {"$in": [[3, 9], 8]}}, ["b"]),
    ({"n": {"$gt": 0}}, ["b"]), ({"n": {"$gte": 0}}, ["a", "b"]), ({"n": {"$lt": 0}}, ["c"]),
    ({"n": {"$lte": 0, "$gt": -3}}, ["a", "c"]), ({"name": {"$gt": "a", "$lt": "c"}}, ["b"]),
    ({"d": {"$lt": date(2)}}, ["a"]), ({"createdAt": {"$gt": date(1)}}, ALL),
    ({"createdAt": {"$lt": DAY.format(1)}}, []), ({"updatedAt": {"$gte": DAY.format(1)}}, ALL),
    ({"l": {"$all": [1, 2]}}, ["a"]), ({"l": {"$all": []}}, []),
    ({"l": {"$all": [{"$regex": "^\\Qfo\\E"}, "bar"]}}, ["d"]),
    ({"l": {"$containedBy": [1, 2, 3]}}, ["a", "b", "c"]),
    ({"s": {"$regex": "^\\QParis.\\E"}}, ["d"]), ({"s": {"$regex": "^pa", "$options": "i"}}, ["c", "d"]),
    ({"s": {"$text": {"$search": {"$term": "quick"}}}}, ["a"]),
    ({"s": {"$text": {"$search": {"$term": "CAFE"}}}}, ["b"]),
    ({"s": {"$text": {"$search": {"$term": "cafe", "$diacriticSensitive": True}}}}, []),
    ({"s": {"$text": {"$search": {"$term": "slow", "$caseSensitive": True}}}}, []),
    ({"$or": [{"n": 0}, {"n": 5}]}, ["a", "b"]), ({"$and": [{"n": {"$gte": 0}}, {"on": True}]}, ["a"]),
    ({"$nor": [{"n": 0}, {"name": "d"}]}, ["b", "c"]),
    ({"$or": [{"$and": [{"n": 5}, {"on": False}]}, {"name": "c"}]}, ["b", "c"]),
    ({"o.k": {"$gt": 1}}, ["b"]), ({"o.m.x": 1}, ["a"]), ({"o.k": {"$exists": False}}, ["c", "d"]),
    ({"d": {"$lt": {"$relativeTime": "now"}}}, ["a", "b"]),
    ({"d": {"$gt": {"$relativeTime": "1 day ago"}}}, []),
    ({"createdAt": {"$gt": {"$relativeTime": "1 hour ago"}, "$lt": {"$relativeTime": "in 1 hour"}}}, ALL),
    ({"file": {"__type": "File", "name": "f"}}, ["d"]), ({}, ALL),
])
def test_every_operator(parse, where, names):
    assert parse.names("Thing", where) == names
    counted = parse.find("Thing", where, count=1, limit=0)
    assert counted == {"results": [], "count": len(names)}
    in_body = parse.call("POST", "/classes/Thing", {"_method": "GET", "where": where})
    assert sorted(item["name"] for item in in_body.json()["results"]) == names
    as_text = parse.call("POST", "/classes/Thing", {"_method": "GET", "where": json.dumps(where)})
    assert as_text.json() == in_body.json()


@pytest.mark.parametrize("where, code, named", [
    ({"ACL": {"x": 1}}, 102, "ACL"), ({"n": {"$foo": 1}}, 102, "$foo"), ({"$foo": []}, 102, "$foo"),
    ({"$or": {}}, 102, "$or"), ({"$and": 1}, 102, "$and"), ({"$nor": []}, 102, "$nor"),
    ({"n": {"$in": 5}}, 107, "$in"), ({"n": {"$nin": 5}}, 107, "$nin"), ({"l": {"$all": 5}}, 107, "$all"),
    ({"s": {"$regex": "(", }}, 102, "$regex"), ({"s": {"$regex": "a", "$options": "q"}}, 102, "$options"),
    ({"s": {"$regex": 5}}, 102, "$regex"), ({"n": {"$exists": 1}}, 107, "$exists"),
    ({"s": {"$text": {"$search": "x"}}}, 107, "$text"), ({"s": {"$text": {"$search": {"$term": 1}}}}, 107, "$text"),
    ({"d": {"$lt": {"$relativeTime": "soon"}}}, 107, "$relativeTime"),
    ({"shop": {"$inQuery": {"where": {}}}}, 102, "$inQuery"),
    ({"shop": {"$inQuery": 5}}, 102, "$inQuery"),
    ({"n": {"$select": {"query": {"className": "Shop"}}}}, 102, "$select"),
    ({"n": {"$dontSelect": {"key": "n"}}}, 102, "$dontSelect"),
    ({"shop": {"$inQuery": {"className": "Shop", "where": {"$or": 1}}}}, 102, "$or"),
    ({"shop": {"$inQuery": {"className": "_Hooks", "where": {}}}}, 119, "_Hooks"),
    ({"$relatedTo": {"key": "x"}}, 102, "$relatedTo"), ({"9x": 1}, 105, "9x"), ({"_x": 1}, 119, "_x"),
    ({"p": {"$nearSphere": 1}}, 107, "$nearSphere"), ({"p": {"$maxDistance": 1}}, 102, "$maxDistance"),
    ({"p": {"$nearSphere": place(0, 0), "$maxDistance": -1}}, 107, "$maxDistance"),
    ({"p": {"$within": {"$box": [place(0, 0)]}}}, 107, "$box"),
    ({"p": {"$geoWithin": {"$polygon": [place(0, 0), place(1, 1)]}}}, 107, "$polygon"),
    ({"p": {"$geoWithin": {"$centerSphere": [[0, 0], -1]}}}, 107, "$centerSphere"),
    ({"p": {"$geoIntersects": {"$point": 5}}}, 107, "$point"),
])
def test_what_is_refused(parse, where, code, named):
    found, text = parse.error("Thing", where)
    assert found == code and named in text


def test_a_where_that_is_no_object(parse):
    for value in ["5", "[]", "{", "text"]:
        assert parse.refusal("GET", "/classes/Thing", where=value)[:2] == (400, 102)


def test_other_classes(parse):
    a, b = parse.shops
    shop = {"className": "Shop", "where": {"open": True}}
    assert parse.names("Thing", {"shop": {"$inQuery": shop}}) == ["b"]
    assert parse.names("Thing", {"shop": {"$inQuery": {**shop, "limit": 0, "order": "x"}}}) == ["b"]
    assert parse.names("Thing", {"shop": {"$notInQuery": shop}}) == ["a", "c", "d"]
    assert parse.names("Thing", {"shops": {"$inQuery": shop}}) == ["b"]
    assert parse.names("Thing", {"$or": [{"shop": {"$inQuery": shop}}, {"n": 0}]}) == ["a", "b"]
    inner = {"className": "Thing", "where": {"shop": {"$inQuery": shop}}}
    assert parse.names("Thing", {"n": {"$select": {"query": inner, "key": "n"}}}) == ["b"]
    assert parse.names("Thing", {"n": {"$dontSelect": {"query": inner, "key": "n"}}}) == [
        "a", "c", "d"]
    assert parse.names(
        "Thing", {"o.k": {"$select": {"query": {"className": "Thing"}, "key": "o.k"}}}) == ["a", "b"]
    assert parse.names("Thing", {"shop": pointer("Shop", a)}) == ["a"]
    assert parse.names("Thing", {"shop": {"$in": [pointer("Shop", a), pointer("Shop", b)]}}) == [
        "a", "b"]
    assert parse.names("Thing", {"shop": {"$ne": pointer("Shop", a)}}) == ["b", "c", "d"]


def test_a_subquery_has_no_limit_of_a_hundred(parse):
    for start in range(0, 150, 50):
        parse.batch(*[("POST", "/classes/Many", {"n": number})
                      for number in range(start, start + 50)])
    parse.make("One", name="x", n=149)
    where = {"n": {"$select": {"query": {"className": "Many", "limit": 1}, "key": "n"}}}
    assert parse.names("One", where) == ["x"]


def test_relations(parse):
    one, two = parse.make("Member", name="one", n=1), parse.make("Member", name="two", n=2)
    members = [pointer("Member", one), pointer("Member", two)]
    group = parse.make("Group", name="g", members=op("AddRelation", *members))
    other = parse.make("Group", name="h", members=op("AddRelation", members[0]))
    parse.make("Group", name="i")
    related = {"$relatedTo": {"object": pointer("Group", group), "key": "members"}}
    assert parse.names("Member", related, order="-n") == ["two", "one"]
    assert parse.names("Member", {**related, "n": {"$gt": 1}}) == ["two"]
    assert parse.find("Member", related, count=1, limit=1)["count"] == 2
    assert parse.names("Member", {"$or": [related, {"n": 9}]}) == ["one", "two"]
    assert parse.names("Group", {"members": members[0]}) == ["g", "h"]
    assert parse.names("Group", {"members": {"$eq": members[1]}}) == ["g"]
    assert parse.names("Group", {"members": {"$in": members}}) == ["g", "h"]
    assert parse.names("Group", {"members": {"$ne": members[1]}}) == ["h", "i"]
    assert parse.names("Group", {"members": {"$nin": members}}) == ["i"]
    parse.update("Group", other, ACL={})
    hidden = {"$relatedTo": {"object": pointer("Group", other), "key": "members"}}
    assert parse.names("Member", hidden) == []
    assert parse.names("Member", hidden, master=True) == ["one"]


def test_order_page_and_fields(parse):
    assert parse.names("Thing", order="-n") == ["b", "a", "c", "d"]
    assert parse.names("Thing", order="on,-name") == ["d", "c", "b", "a"]
    assert parse.names("Thing", order=["-o.k", "name"]) == ["b", "a", "c", "d"]
    assert parse.names("Thing", order="-createdAt") == parse.names("Thing", order="-_created_at")
    assert parse.names("Thing", {"n": {"$lt": 9}}, order="n", skip=1, limit=1) == ["a"]
    assert parse.names("Thing", {"s": {"$text": {"$search": {"$term": "the fox slow"}}}},
                       order="$score") == ["a", "b"]
    seen = parse.find("Thing", {"name": "b"}, keys="name,shop.name", include="shop")["results"][0]
    assert set(seen) == {"objectId", "createdAt", "updatedAt", "name", "shop"}
    assert seen["shop"]["name"] == "B"
    seen = parse.find("Thing", {"name": "b"}, excludeKeys="s,l")["results"][0]
    assert "s" not in seen and "l" not in seen and seen["n"] == 5
    seen = parse.find("Thing", {"name": "b"}, include="shops")["results"][0]
    assert [item["name"] for item in seen["shops"]] == ["A", "B"]
    assert parse.refusal("GET", "/classes/Thing", order="9bad")[1] == 105
    assert parse.refusal("GET", "/classes/Thing", frobnicate="1")[1] == 102


def test_places(parse):
    for name, lon, lat in [("w", -179.9, 0), ("e", 179.9, 0), ("pole", 30, 89.9), ("o", 10.75, 59.91)]:
        parse.make("Spot", name=name, p=place(lon, lat), n=len(name))
    parse.make("Spot", name="nowhere")
    near = {"$nearSphere": place(180, 1)}
    assert parse.names("Spot", {"p": near}) == ["w", "e", "pole", "o"] or parse.names(
        "Spot", {"p": near}) == ["e", "w", "pole", "o"]
    assert parse.names("Spot", {"p": near}, order="name") == ["e", "o", "pole", "w"]
    assert parse.names("Spot", {"p": near}, limit=1, skip=3) == ["o"]
    assert parse.find("Spot", {"p": near}, count=1, limit=1)["count"] == 4
    for key, bound in [("$maxDistance", 2 / 57.29), ("$maxDistanceInRadians", 2 / 57.29),
                       ("$maxDistanceInKilometers", 230), ("$maxDistanceInMiles", 140)]:
        assert sorted(parse.names("Spot", {"p": {**near, key: bound}})) == ["e", "w"]
    exact = {"$nearSphere": place(10.75, 59.91), "$maxDistance": 0}
    assert parse.names("Spot", {"p": exact}) == ["o"]
    box = {"$within": {"$box": [place(179, -1), place(-179, 1)]}}
    assert parse.names("Spot", {"p": box}) == ["e", "w"]
    assert parse.names("Spot", {"p": box, "n": {"$exists": True}, "name": {"$gt": "f"}}) == ["w"]
    ring = [[179, -1], [-179, -1], [-179, 1], [179, 1]]
    assert parse.names("Spot", {"p": {"$geoWithin": {"$polygon": ring}}}) == ["e", "w"]
    sphere = {"$geoWithin": {"$centerSphere": [place(0, 90), math.radians(1)]}}
    assert parse.names("Spot", {"p": sphere}) == ["pole"]
    swapped = {"$centerSphere": place(0, 90), "$geoWithin": math.radians(1)}
    assert parse.names("Spot", {"p": swapped}) == ["pole"]
    assert parse.names("Spot", {"$or": [{"p": sphere}, {"p": box}]}) == ["e", "pole", "w"]
    assert parse.names("Spot", {"p": {"$exists": False}}) == ["nowhere"]
    assert parse.names("Spot", {"p": place(10.75, 59.91)}) == ["o"]
    assert parse.names("Spot", {"$or": [{"p": near}, {"name": "nowhere"}]}, order="name") == [
        "e", "nowhere", "o", "pole", "w"]
    parse.make("Zone", name="z", area={"__type": "Polygon", "coordinates": [[0, 0], [0, 9], [9, 9]]})
    meets = {"area": {"$geoIntersects": {"$point": place(5, 2)}}}
    assert parse.names("Zone", meets) == ["z"]
    same = {"__type": "Polygon", "coordinates": [[0, 0], [0, 9], [9, 9], [0, 0]]}
    assert parse.names("Zone", {"area": same}) == ["z"]


def test_rights_are_part_of_the_query(parse):
    ann, bob = sign_up(parse.service), sign_up(parse.service)
    only = {ann.id: {"read": True, "write": True}}
    secret = parse.make("Note", name="secret", ACL=only, p=place(1, 1), n=1)
    parse.make("Note", name="open", p=place(2, 2), n=1)
    parse.make("Link", name="l", note=pointer("Note", secret), n=1)
    near = {"p": {"$nearSphere": place(0, 0), "$maxDistance": 1}}
    as_ann = {"X-Parse-Session-Token": ann.token}
    as_bob = {"X-Parse-Session-Token": bob.token}
    for where in [near, {"n": 1}, None, {"p": {"$within": {"$box": [place(0, 0), place(3, 3)]}}}]:
        for headers in [None, as_bob]:
            assert parse.names("Note", where, headers=headers) == ["open"]
            assert parse.find("Note", where, headers=headers, count=1)["count"] == 1
        assert sorted(parse.names("Note", where, headers=as_ann)) == ["open", "secret"]
        assert parse.find("Note", where, headers=as_ann, count=1)["count"] == 2
        assert sorted(parse.names("Note", where, master=True)) == ["open", "secret"]
    assert parse.names("Note", near, headers=as_ann) == ["secret", "open"]
    sub = {"note": {"$inQuery": {"className": "Note", "where": {}}}}
    assert parse.names("Link", sub) == [] and parse.names("Link", sub, headers=as_ann) == ["l"]
    by = {"n": {"$select": {"query": {"className": "Note", "where": {"name": "secret"}}, "key": "n"}}}
    assert parse.names("Link", by) == [] and parse.names("Link", by, headers=as_ann) == ["l"]
    # The address of others is hidden, so nobody may ask about it.
    assert parse.error("_User", {"email": "x@y.z"})[0] == 119
    assert parse.error("Link", {"n": {"$select": {
        "query": {"className": "_User"}, "key": "email"}}})[0] == 119
    assert parse.error("_User", {"password": "x"})[0] == 119


def aggregate(parse, body=None, master=True, **query):
    query = {key: value if isinstance(value, str) else json.dumps(value)
             for key, value in query.items()}
    method = "GET" if body is None else "POST"
    return parse.call(method, "/aggregate/Sale", body, master, **query)


def test_distinct_and_aggregate(parse):
    for city, price, tags in [("Oslo", 1, [1, 2]), ("Oslo", 3, [2]), ("Rome", 5, [])]:
        parse.make("Sale", city=city, price=price, tags=tags)
    assert aggregate(parse, distinct="city", master=False).status == 403
    assert sorted(aggregate(parse, distinct="city").json()["results"]) == ["Oslo", "Rome"]
    assert sorted(aggregate(parse, distinct=json.dumps("tags")).json()["results"]) == [1, 2]
    assert aggregate(parse, distinct="city", where={"price": 5}).json() == {"results": ["Rome"]}
    assert aggregate(parse, {"distinct": "none"}).json() == {"results": []}
    group = {"$group": {"_id": "$city", "sum": {"$sum": "$price"}, "mean": {"$avg": "$price"},
                        "n": {"$sum": 1}, "least": {"$min": "$price"}, "most": {"$max": "$price"}}}
    oslo = {"objectId": "Oslo", "sum": 4, "mean": 2, "n": 2, "least": 1, "most": 3}
    pipeline = [{"$match": {"price": {"$lt": 5}}}, group]
    assert aggregate(parse, pipeline=pipeline).json() == {"results": [oslo]}
    assert aggregate(parse, {"pipeline": pipeline}).json() == {"results": [oslo]}
    rows = aggregate(parse, pipeline=[
        {"$sort": {"price": -1}}, {"$skip": 1}, {"$limit": 1},
        {"$project": {"city": 1, "cost": "$price"}}]).json()["results"]
    assert len(rows) == 1 and rows[0].pop("objectId") and rows[0] == {"city": "Oslo", "cost": 3}
    assert len(aggregate(parse, pipeline=[{"$sample": {"size": 2}}]).json()["results"]) == 2
    total = aggregate(parse, pipeline=[{"$group": {"_id": None, "n": {"$sum": 1}}}]).json()
    assert total == {"results": [{"objectId": None, "n": 3}]}
    matched = aggregate(parse, pipeline=[group, {"$match": {"n": {"$gt": 1}}}]).json()
    assert [row["objectId"] for row in matched["results"]] == ["Oslo"]
    for stages in [[{"$foo": 1}], [5], [{"$group": {}}], [{"$limit": -1}], [{"$sort": {"a": 2}}],
                   [{"$group": {"_id": None, "x": {"$foo": 1}}}]]:
        assert aggregate(parse, pipeline=stages).json()["code"] == 102
    assert aggregate(parse, {"distinct": 5}).json()["code"] == 102
