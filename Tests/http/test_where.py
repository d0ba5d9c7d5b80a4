"""`where` on map addresses: what it keeps, what it costs, what it refuses, and how fresh it is."""

import json
import random
import threading
import time
from urllib.parse import quote

import pytest

import where_twin
from service import CLIENT, MASTER, count_of, place

WORLD = "-180,-90,180,90"


def create_all(service, layer, documents, headers=CLIENT):
    """Creates objects, many to a request; gives them with their ids and times."""
    created = []
    for start in range(0, len(documents), 50):
        part = documents[start:start + 50]
        answer = service.request("POST", "/parse/batch", {"requests": [
            {"method": "POST", "path": f"/parse/classes/{layer}", "body": body} for body in part
        ]}, headers)
        assert answer.status == 200, answer.body
        for body, result in zip(part, answer.json()):
            created.append({**body, **result["success"]})
    return created


def within(service, layer, where, **query):
    answer = service.get(
        f"/within/{layer}", bbox=WORLD, limit=10000, where=json.dumps(where), **query)
    assert answer.status == 200, (where, answer.body)
    return {feature["id"] for feature in answer.json()["features"]}


def count(service, layer, where, **query):
    answer = service.get(
        f"/within/{layer}", bbox=WORLD, count="true", where=json.dumps(where), **query)
    assert answer.status == 200, (where, answer.body)
    return answer.json()["count"]


@pytest.fixture(scope="module", params=[1, 2, 3])
def random_layer(request, tmp_path_factory):
    """A server with random documents, the documents, and a generator for questions."""
    from service import Service
    rng = random.Random(request.param)
    service = Service(tmp_path_factory.mktemp("where") / "data")
    documents = create_all(
        service, "Spot", [where_twin.document(rng) for _ in range(250)])
    yield service, documents, rng, request.param
    assert service.stop() == 0


def test_any_where_is_what_the_twin_says(random_layer):
    service, documents, rng, seed = random_layer
    asked, found, partial = 0, 0, 0
    while asked < 250:
        where = where_twin.question(rng)
        text = json.dumps(where)
        if len(quote(text)) > 7000:
            continue
        asked += 1
        expected = {
            document["objectId"] for document in documents if where_twin.matches(document, where)}
        assert within(service, "Spot", where) == expected, f"seed {seed}: {text}"
        found += len(expected)
        partial += 0 < len(expected) < len(documents)
    # The questions are worth asking: many keep some and leave out some.
    assert partial > 80, (partial, found)


def test_all_addresses_agree(random_layer):
    service, documents, rng, seed = random_layer
    for _ in range(40):
        where = where_twin.question(rng)
        text = json.dumps(where)
        if len(quote(text)) > 7000:
            continue
        kinds = rng.choice([None, ["event"], ["event", "photo"]])
        more = {"kind": ",".join(kinds)} if kinds else {}
        expected = {
            document["objectId"] for document in documents
            if where_twin.matches(document, where) and (not kinds or document.get("kind") in kinds)}
        said = f"seed {seed}: {text} {more}"
        assert count(service, "Spot", where, **more) == len(expected), said
        near = service.get("/near/Spot", lon=0, lat=0, limit=10000, where=text, **more).json()
        assert {feature["id"] for feature in near["features"]} == expected, said
        for zoom in (0, 3, 6, 12):
            features = service.clusters("Spot", zoom, where=text, **more)
            assert count_of(features) == len(expected), said
            singles = {
                feature["id"] for feature in features if not feature["properties"].get("cluster")}
            assert singles <= expected, said
        clusters = [
            feature["id"] for feature in service.clusters("Spot", 2, where=text, **more)
            if feature["properties"].get("cluster")]
        for cluster in clusters[:2]:
            path = f"/clusters/Spot/{cluster}"
            leaves = service.get(f"{path}/leaves", limit=10000, where=text, **more).json()
            assert {feature["id"] for feature in leaves["features"]} <= expected, said
            assert leaves["total"] == len(leaves["features"]), said
            children = service.get(f"{path}/children", where=text, **more).json()
            assert count_of(children["features"]) == leaves["total"], said
            assert service.get(f"{path}/expansion-zoom", where=text, **more).status == 200, said
        for style in ("clusters", "points", "heat"):
            tile = service.get("/tiles/Spot/0/0/0.png", style=style, where=text, **more)
            assert tile.status == 200, said
            if not expected:
                empty = service.get("/tiles/Spot/0/0/0.png", style=style, kind="nothing")
                assert tile.body == empty.body, said


def test_the_properties_that_every_object_has(random_layer):
    service, documents, _, _ = random_layer
    first = min(document["createdAt"] for document in documents)
    some = [document["objectId"] for document in documents[:3]]
    everything = {document["objectId"] for document in documents}
    assert within(service, "Spot", {"objectId": {"$in": some}}) == set(some)
    for bound in (first, {"__type": "Date", "iso": first}):
        assert within(service, "Spot", {"createdAt": {"$gte": bound}}) == everything
        assert within(service, "Spot", {"updatedAt": {"$lt": bound}}) == set()
    assert within(service, "Spot", {}) == everything


def test_a_box_and_a_polygon_may_cross_the_antimeridian(start):
    service = start()
    fiji, samoa, africa = [
        document["objectId"] for document in create_all(service, "Isle", [
            {"location": place(178, -17.7)}, {"location": place(-172, -13.8)},
            {"location": place(20, -15)}])]
    ring = [place(170, -25), place(-165, -25), place(-165, -5), place(170, -5)]
    box = [place(170, -25), place(-165, -5)]
    for where in (
            {"$geoWithin": {"$polygon": ring}}, {"$geoWithin": {"$polygon": ring[::-1]}},
            {"$within": {"$box": box}}):
        assert within(service, "Isle", {"location": where}) == {fiji, samoa}
    circle = {"$geoWithin": {"$centerSphere": [[180, -15], 0.2]}}
    assert within(service, "Isle", {"location": circle}) == {fiji, samoa}


REFUSED = [
    ("[]", 400, "where must be a JSON object"),
    ("{", 400, "where must be a JSON object"),
    ('{"a":{"$near":1}}', 400, "where.a.$near is no operator"),
    ('{"$xor":[]}', 400, "where.$xor is no operator"),
    ('{"$or":{}}', 400, "where.$or must be a list"),
    ('{"$or":[]}', 400, "where.$or must be a list"),
    ('{"$or":[{"a":1},2]}', 400, "where.$or[1] must be an object"),
    ('{"a":{"$in":1}}', 400, "where.a.$in must be a list"),
    ('{"a":{"$lt":null}}', 400, "where.a.$lt must be a number, a text or a Date"),
    ('{"a":{"$lt":1,"b":2}}', 400, "where.a.b stands beside operators"),
    ('{"a":{"$exists":1}}', 400, "where.a.$exists must be true or false"),
    ('{"a":{"$regex":"("}}', 400, "where.a.$regex is no pattern"),
    ('{"a":{"$regex":"a","$options":"g"}}', 400, "$options other than i, m, s and x"),
    ('{"a":{"$options":"i"}}', 400, "where.a.$options belongs to $regex"),
    ('{"a":{"$regex":"\\\\C"}}', 400, "where.a.$regex is no pattern"),
    (json.dumps({"a": {"$regex": "a" * 1001}}), 400, "at most 1000 bytes"),
    (json.dumps({"a": {"$regex": "(" * 40 + ")" * 40}}), 400, "where.a.$regex is no pattern"),
    ('{"a":{"$nearSphere":{"__type":"GeoPoint","latitude":1,"longitude":1}}}', 400, "ask /near"),
    ('{"a":{"$geoWithin":{"$polygon":[[0,0],[1,1]]}}}', 400, "must be a list of 3 to"),
    ('{"a":{"$geoWithin":{"$polygon":[[0,0],[1,1],[0,91]]}}}', 400, "$polygon[2] is not on the globe"),
    ('{"a":{"$geoWithin":{"$centerSphere":[[0,0],-1]}}}', 400, "radius in radians"),
    ('{"a":{"$within":{"$box":[[0,1],[0,0]]}}}', 400, "south north of its north"),
    ('{"a":{"$geoIntersects":{"$point":[0,0]}}}', 400, "must be a GeoPoint"),
    ('{"a":{"__type":"Date","iso":"soon"}}', 400, "is no complete Date"),
    ('{"a":{"__type":"Pointer"}}', 400, "is no complete Pointer"),
    ('{"createdAt":{"$gt":"soon"}}', 400, "must be a date such as"),
    ('{"a":{"$gt":{"$relativeTime":"1 day ago"}}}', 400, "$relativeTime"),
    *((json.dumps({"a": {name: {}}}), 400, f"{name} needs another class")
      for name in ("$inQuery", "$notInQuery", "$select", "$dontSelect")),
    ('{"$relatedTo":{}}', 400, "$relatedTo needs another class"),
    ('{"a":{"$text":{}}}', 400, "$text needs a search index"),
    ('{"ACL":{"$exists":true}}', 400, "where.ACL cannot be asked about"),
    ('{"_rperm":"*"}', 403, "where._rperm is internal"),
    ('{"$or":[{"_hashed_password":{"$exists":true}}]}', 403, "where.$or[0]._hashed_password"),
    ('{"a b":1}', 400, "where.a b is no field"),
    ('{"a..b":1}', 400, "is no field"),
    (json.dumps({".".join("a" * 17): 1}), 400, "leads deeper than 16 names"),
    (json.dumps({"$or": [{f"a{n}": n} for n in range(200)]}), 400, "is condition 257"),
]


@pytest.mark.parametrize(("text", "status", "message"), REFUSED)
def test_what_is_refused_is_named(towns, text, status, message):
    for path in (
            f"/clusters/Towns?zoom=3&bbox={WORLD}", f"/within/Towns?bbox={WORLD}",
            "/near/Towns?lon=1&lat=2", "/tiles/Towns/3/1/2.png?style=heat"):
        answer = towns.get(f"{path}&where={quote(text)}")
        assert answer.status == status, answer.body
        assert message in answer.json()["detail"], answer.json()["detail"]
        assert [fault["field"] for fault in answer.json()["errors"]] == ["where"]


def test_nesting_and_values_are_bounded(towns):
    where = {"a": 1}
    for _ in range(17):
        where = {"$or": [where]}
    answer = towns.get("/near/Towns", lon=1, lat=2, where=json.dumps(where))
    assert answer.status == 400 and "deeper than 16 levels" in answer.json()["detail"]
    answer = towns.get("/near/Towns", lon=1, lat=2, where="[" * 100)
    assert answer.status == 400


def test_a_pattern_that_never_ends_is_given_up(start):
    service = start()
    service.create("Text", location=place(1, 1), title="a" * 60 + "!")
    began = time.monotonic()
    answer = service.get(
        "/within/Text", bbox=WORLD, where=json.dumps({"title": {"$regex": "^(a+)+$"}}))
    assert answer.status == 400, answer.body
    assert "where.title.$regex takes too many steps" in answer.json()["detail"]
    assert time.monotonic() - began < 5
    assert service.get("/health").status == 200


def test_too_many_candidates_are_refused_with_their_number(start, tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "config.json").write_text('{"GEOSERVICE_WHERE_CANDIDATES": "1000"}')
    service = start(data=folder)
    text = "id,lon,lat,kind,price\n" + "".join(
        f"o{n},{n % 360 - 180},{n % 120 - 60},{'ab'[n % 2]},{n % 7}\n" for n in range(1500))
    service.import_csv("Many", text, id="id", kind="kind")
    where = json.dumps({"price": 3})
    for path in (
            f"/clusters/Many?zoom=3&bbox={WORLD}", f"/within/Many?bbox={WORLD}&count=true",
            "/near/Many?lon=1&lat=2&limit=1000", "/tiles/Many/0/0/0.png", "/tiles/Many/0/0/0@2x.png?style=points"):
        mark = "&" if "?" in path else "?"
        answer = service.get(f"{path}{mark}where={quote(where)}")
        assert answer.status == 422, (path, answer.body)
        assert "more than 1000 objects: ask for a smaller area" in answer.json()["detail"]
        few = service.get(f"{path}{mark}kind=a&where={quote(where)}")
        assert few.status == 200, (path, few.body)
    answer = service.get("/within/Many", bbox="0,-90,90,90", count="true", where=where)
    assert answer.json()["count"] == sum(
        1 for n in range(1500) if 0 <= n % 360 - 180 <= 90 and n % 7 == 3)


# Tags

TILE = "/tiles/Spot/6/34/32.png"


def tag(service, path, where, **query):
    answer = service.get(path, where=json.dumps(where), **query)
    assert answer.status == 200, answer.body
    return answer.headers["ETag"]


@pytest.mark.parametrize("style", ["clusters", "points", "heat"])
def test_a_tag_changes_when_and_only_when_the_answer_does(start, style):
    service, where = start(), {"price": {"$lt": 5}}
    create_all(service, "Spot", [
        {"location": place(12 + n / 50, -1 - n / 70), "price": n % 10} for n in range(100)])
    ask = lambda: tag(service, TILE, where, style=style)
    first = ask()
    # What does not match may come, change and go.
    other = service.create("Spot", location=place(13, -2), price=9)
    assert ask() == first
    service.update("Spot", other, price=8, location=place(13.1, -2))
    assert ask() == first
    # A title is not in a picture; the field of the question is when the answer turns.
    mine = service.create("Spot", location=place(13.3, -2.2), price=1)
    second = ask()
    assert second != first
    service.update("Spot", mine, title="new")
    service.update("Spot", mine, price=2)
    assert ask() == second
    service.update("Spot", mine, price=7)
    assert ask() == first
    service.update("Spot", other, price=4)
    third = ask()
    assert third != first
    assert service.get(
        TILE, {"If-None-Match": third}, where=json.dumps(where), style=style).status == 304
    assert service.stop() == 0
    again = start(data=service.data)
    assert tag(again, TILE, where, style=style) == third


def test_a_list_of_clusters_has_the_tag_of_what_it_shows(start):
    service, where, path = start(), {"price": {"$lt": 5}}, f"/clusters/Spot?zoom=9&bbox={WORLD}"
    ask = lambda: service.get(f"{path}&where={quote(json.dumps(where))}").headers["ETag"]
    lone = service.create("Spot", location=place(20, 20), price=1, title="a")
    first = ask()
    hidden = service.create("Spot", location=place(21, 21), price=6)
    service.update("Spot", hidden, title="hidden")
    assert ask() == first
    service.update("Spot", lone, title="b")
    assert ask() != first, "a single shows its fields"
    service.update("Spot", lone, title="a")
    assert ask() == first
    assert service.stop() == 0
    service = start(data=service.data)
    assert ask() == first


def test_private_objects_stay_unseen_whatever_is_asked(start):
    service = start()
    service.create("Spot", location=place(1, 1), price=1)
    secret = service.create("Spot", MASTER, location=place(1, 2), price=1, ACL={})
    for where in ({"price": 1}, {"objectId": secret}, {"price": {"$exists": True}}, {"nothing": None}):
        assert secret not in within(service, "Spot", where)
    service.request("PUT", f"/parse/classes/Spot/{secret}", {"ACL": {"*": {"read": True}}}, MASTER)
    assert within(service, "Spot", {"objectId": secret}) == {secret}
    service.request("PUT", f"/parse/classes/Spot/{secret}", {"ACL": {}}, MASTER)
    assert within(service, "Spot", {"price": 1}) != set()
    assert within(service, "Spot", {"objectId": secret}) == set()


def test_a_coarse_place_cannot_be_found_out(start):
    service = start()
    service.create("Spot", location=place(10, 10), locationAccuracy=1000, price=1)
    near = {"location": {"$geoWithin": {"$centerSphere": [[10, 10], 0.00001]}}}
    assert within(service, "Spot", near) == set()
    assert within(service, "Spot", {"location": place(10, 10)}) == set()


# Writers

def run_all(workers, seconds=60):
    failures, stop = [], threading.Event()

    def guard(worker):
        try:
            worker(stop)
        except BaseException as failure:  # shown below
            failures.append(failure)
            stop.set()

    threads = [threading.Thread(target=guard, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds)
    assert not failures, failures


@pytest.mark.parametrize("seed", [11, 12])
def test_a_write_is_in_the_next_answer_and_an_older_value_never(start, seed):
    """Each writer owns its objects; others ask about fields for the first time meanwhile, so that
    values are read from the store while they change."""
    service = start()
    rng = random.Random(seed)
    filler = create_all(service, "Spot", [
        {"location": place(rng.uniform(-9, 9), rng.uniform(-9, 9)), **{f"f{k}": 0 for k in range(60)}}
        for _ in range(300)])
    writers, rounds = 3, 25
    done = [0]

    def writer(number):
        def work(stop):
            own = random.Random(seed * 100 + number)
            mine = service.create("Spot", location=place(1 + number, 1), state=0, twin=0)
            for step in range(rounds):
                if stop.is_set():
                    return
                field = f"f{own.randrange(60)}"
                value = 1000 * (number + 1) + step
                service.update("Spot", mine, **{field: value})
                said = f"seed {seed}, writer {number}, step {step}, {field}"
                assert within(service, "Spot", {field: value}) == {mine}, said
                older = {"objectId": mine, field: {"$ne": value}}
                assert within(service, "Spot", older) == set(), said
                if step % 8 == 7:
                    service.delete("Spot", mine)
                    assert within(service, "Spot", {"objectId": mine}) == set(), said
                    mine = service.create("Spot", location=place(1 + number, 1), state=0, twin=0)
            done[0] += 1
        return work

    def asker(stop):
        own = random.Random(seed)
        while done[0] < writers and not stop.is_set():
            # Every filler is there in every answer: none is lost while values are read.
            field = f"f{own.randrange(60)}"
            assert count(service, "Spot", {field: 0}) >= len(filler), f"seed {seed}, {field}"

    run_all([writer(number) for number in range(writers)] + [asker], 300)
    assert done[0] == writers


def test_an_answer_is_of_one_commit(start):
    """Fields that are written together, and a field and a place, are never seen apart."""
    service = start()
    mine = service.create("Spot", location=place(10, 0), a=0, b=0)
    create_all(service, "Spot", [{"location": place(50, n / 10)} for n in range(50)])
    finished = threading.Event()

    def writer(stop):
        for step in range(150):
            if stop.is_set():
                break
            side = step % 2
            service.update("Spot", mine, location=place([10, -10][side], 0), a=side, b=side)
        finished.set()

    def reader(stop):
        while not finished.is_set() and not stop.is_set():
            assert count(service, "Spot", {"a": 1, "b": 0}) == 0
            for lon, wrong in ((10, 1), (-10, 0)):
                answer = service.get(
                    "/within/Spot", bbox=f"{lon - 1},-1,{lon + 1},1", count="true",
                    where=json.dumps({"a": wrong}))
                assert answer.json() == {"count": 0}
                features = service.get(
                    "/clusters/Spot", bbox=f"{lon - 1},-1,{lon + 1},1", zoom=9,
                    where=json.dumps({"b": wrong})).json()["features"]
                assert features == []

    run_all([writer, reader, reader], 120)
    assert finished.is_set()


def test_columns_are_read_again_after_they_had_to_go(start, tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "config.json").write_text('{"GEOSERVICE_WHERE_CACHE_MB": "1"}')
    service = start(data=folder)
    text = "id,lon,lat,a,b,c\n" + "".join(
        f"o{n},{n % 360 - 180},{n % 120 - 60},{n % 5},{'long text ' * 5}{n % 6},{n % 7}\n"
        for n in range(9000))
    service.import_csv("Many", text, id="id")
    for round_number in range(3):
        assert count(service, "Many", {"a": 1}) == 1800
        assert count(service, "Many", {"b": "long text " * 5 + "2"}) == 1500
        assert count(service, "Many", {"c": 3}) == sum(1 for n in range(9000) if n % 7 == 3)
        one = service.create("Many", location=place(0, round_number), a=9, c=9)
        assert within(service, "Many", {"a": 9, "c": 9}) == {one}
        service.delete("Many", one)
        assert within(service, "Many", {"a": 9}) == set()
