"""A coarse place is found by nobody but its owner: not from a hundred centres, not by all questions
that the API knows, not by averaging, moving, or changing how coarse it is."""

import base64
import json
import random
import re

import pytest

from coarse import cell, inside, metres, shown
from parse_client import op, pointer
from people import call, sign_up
from service import CLIENT, Service, place
from walk_world import World
from walk import HOST, LAYER, Recipes, Secret, Walker, differences, told

EXACT, ACCURACY = (13.3271828, 52.4914159), 1500
SPOT = "Lone"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    started = Service(tmp_path_factory.mktemp("trilateration") / "data")
    generator = random.Random(5)
    for number in range(60):
        started.create(SPOT, place=place(
            EXACT[0] + generator.gauss(0, 0.05), EXACT[1] + generator.gauss(0, 0.03)),
            kind="other", rank=number)
    yield started
    assert started.stop() == 0


@pytest.fixture(scope="module")
def ann(service):
    return sign_up(service)


@pytest.fixture(scope="module")
def bob(service):
    return sign_up(service)


@pytest.fixture
def lone(service, ann):
    """An object of Ann's whose kind is its own, so that a question can be about it alone."""
    answer = ann.call("POST", f"/classes/{SPOT}", {
        "place": place(*EXACT), "kind": "lone", "locationAccuracy": ACCURACY, "author": ann.pointer,
        "ACL": {"*": {"read": True}, ann.id: {"read": True, "write": True}}})
    assert answer.status == 201, answer.body
    yield answer.json()["objectId"]
    ann.call("DELETE", f"/classes/{SPOT}/{answer.json()['objectId']}")


def session(person):
    return {"X-Parse-Session-Token": person.token} if person else {}


def seen(service, name, person=None):
    """Where somebody sees an object."""
    item = service.get(f"/parse/classes/{SPOT}/{name}", {**CLIENT, **session(person)}).json()
    return item["place"]["longitude"], item["place"]["latitude"]


class Attacker:
    """Somebody who asks whether the object is somewhere, in every way that there is."""

    def __init__(self, service, person):
        self.service, self.headers = service, session(person)

    def count(self, **query):
        answer = self.service.get(
            f"/within/{SPOT}", self.headers, kind="lone", count="true", **query)
        assert answer.status == 200, answer.body
        return answer.json()["count"]

    def find(self, condition, **more):
        answer = self.service.get(
            f"/parse/classes/{SPOT}", {**CLIENT, **self.headers}, count=1, limit=0,
            where=json.dumps({"kind": "lone", "place": condition, **more}))
        assert answer.status == 200, answer.body
        return answer.json()["count"]

    # Each says whether the object is within so many metres of a centre.

    def within(self, centre, radius):
        return self.count(center="%s,%s" % centre, radius=radius)

    def near(self, centre, radius):
        return len(self.service.get(
            f"/near/{SPOT}", self.headers, kind="lone", lon=centre[0], lat=centre[1],
            radius=radius).json()["features"])

    def parse_near(self, centre, radius):
        return self.find({"$nearSphere": place(*centre), "$maxDistance": radius / 6371008.8})

    def parse_circle(self, centre, radius):
        return self.find({"$geoWithin": {"$centerSphere": [list(centre), radius / 6371008.8]}})

    def subquery(self, centre, radius):
        """By other objects that point to it."""
        where = {"place": {"$geoWithin": {"$centerSphere": [list(centre), radius / 6371008.8]}}}
        answer = self.service.get(
            "/parse/classes/Mark", {**CLIENT, **self.headers}, count=1, limit=0, where=json.dumps(
                {"to": {"$inQuery": {"className": SPOT, "where": {"kind": "lone", **where}}}}))
        return answer.json()["count"]

    def map_where(self, centre, radius):
        where = {"place": {"$geoWithin": {"$centerSphere": [list(centre), radius / 6371008.8]}}}
        return self.count(bbox="12,51,15,54", where=json.dumps(where))

    def bisect(self, holds, centre, low=0.0, high=200_000.0):
        """The distance from which on it holds."""
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (low, middle) if holds(centre, middle) else (middle, high)
        return high


WAYS = ["within", "near", "parse_near", "parse_circle", "subquery", "map_where"]


@pytest.mark.parametrize("way", WAYS)
def test_circles_from_a_hundred_centres_end_at_the_coarse_place(service, bob, lone, way):
    service.create("Mark", to=pointer(SPOT, lone))
    generator, coarse = random.Random(way), shown(*EXACT, ACCURACY)
    assert metres(coarse, EXACT) > 100
    for number in range(100):
        attacker = Attacker(service, bob if number % 2 else None)
        centre = (round(EXACT[0] + generator.uniform(-0.4, 0.4), 6),
                  round(EXACT[1] + generator.uniform(-0.25, 0.25), 6))
        if number < 6:
            found = attacker.bisect(getattr(attacker, way), centre)
            # Parse's own radius of the Earth is 6,371 km.
            assert found == pytest.approx(metres(centre, coarse), rel=3e-6, abs=0.05)
        else:
            distance = metres(centre, coarse)
            assert getattr(attacker, way)(centre, distance * 1.00001 + 0.1) == 1
            assert getattr(attacker, way)(centre, distance * 0.99999 - 0.1) == 0
    for item in service.get("/parse/classes/Mark", CLIENT).json()["results"]:
        service.delete("Mark", item["objectId"])


def test_boxes_and_polygons_end_at_the_coarse_place(service, bob, lone):
    lon, lat = shown(*EXACT, ACCURACY)
    for person in (None, bob):
        attacker = Attacker(service, person)

        def box(west):
            return attacker.count(bbox=f"{west:.7f},52,14,53")

        def parse_box(west):
            return attacker.find({"$within": {"$box": [place(west, 52), place(14, 53)]}})

        def polygon(west):
            return attacker.find({"$geoWithin": {"$polygon": [
                place(west, 52), place(14, 52), place(14, 53), place(west, 53)]}})

        def cells(west):
            buckets = service.get(
                f"/aggregate/{SPOT}", attacker.headers, kind="lone", grid="geotile", precision=20,
                bbox=f"{west:.7f},52,14,53").json()["buckets"]
            return len(buckets)

        for holds in (box, parse_box, polygon, cells):
            low, high = 13.0, 13.9
            for _ in range(40):
                middle = (low + high) / 2
                low, high = (middle, high) if holds(middle) else (low, middle)
            assert low == pytest.approx(lon, abs=2e-7), holds.__name__
    inner = {"type": "Polygon", "coordinates": [[
        [lon - 1e-5, lat - 1e-5], [lon + 1e-5, lat - 1e-5], [lon + 1e-5, lat + 1e-5],
        [lon - 1e-5, lat + 1e-5], [lon - 1e-5, lat - 1e-5]]]}
    answer = service.request("POST", f"/within/{SPOT}?kind=lone&count=true", inner)
    assert answer.json()["count"] == 1


def test_equality_with_guessed_places_tells_the_coarse_place_alone(service, ann, bob, lone):
    """By conditions on the place, and by objects of one's own that have the guess."""
    coarse = shown(*EXACT, ACCURACY)
    for guess, hit in ((EXACT, 0), (coarse, 1)):
        service.create("Guess", place=place(*guess), note="guess")
        for person in (None, bob):
            attacker = Attacker(service, person)
            assert attacker.find(place(*guess)) == hit
            assert attacker.find({"$in": [place(*guess)]}) == hit
            assert attacker.find({"$ne": place(*guess)}) == 1 - hit
            assert attacker.find({"$nearSphere": place(*guess), "$maxDistance": 0}) == hit
            found = service.get(
                "/parse/classes/Guess", {**CLIENT, **attacker.headers}, where=json.dumps({
                    "place": {"$select": {"query": {
                        "className": SPOT, "where": {"kind": "lone"}}, "key": "place"}}}))
            if found.status == 200:
                places = {(item["place"]["longitude"], item["place"]["latitude"])
                          for item in found.json()["results"]}
                assert EXACT not in places
    # The owner's own questions are answered by where it is.
    assert Attacker(service, ann).find(place(*EXACT)) == 1


def test_every_order_is_that_of_the_coarse_places(service, bob, lone):
    """Between two others that are nearer, or farther, than the coarse place by a metre."""
    lon, lat = shown(*EXACT, ACCURACY)
    nearer = service.create(SPOT, place=place(lon - 1e-5, lat), kind="lone2")
    farther = service.create(SPOT, place=place(lon + 1e-5, lat), kind="lone2")
    centre = (lon - 0.1, lat)
    for person in (None, bob):
        asked = service.get(
            f"/parse/classes/{SPOT}", {**CLIENT, **session(person)}, where=json.dumps({
                "kind": {"$in": ["lone", "lone2"]}, "place": {"$nearSphere": place(*centre)}}))
        assert [item["objectId"] for item in asked.json()["results"]] == [nearer, lone, farther]
        near = service.get(f"/near/{SPOT}", session(person), lon=centre[0], lat=centre[1],
                           kind="lone,lone2", limit=2).json()
        assert [item["id"] for item in near["features"]] == [nearer, lone]
        assert near["features"][1]["geometry"]["coordinates"] == [lon, lat]
        # What a cursor carries is no finer.
        links = [link["href"] for link in near["links"] if link["rel"] == "next"]
        text = re.search("cursor=([^&]+)", links[0])[1]
        keys = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))[8:].decode()
        assert keys.startswith(f"{round(lon * 1e7)}.{round(lat * 1e7)}.")
    for name in (nearer, farther):
        service.delete(SPOT, name)


def test_reading_saving_and_moving_a_little_tell_nothing(service, ann, bob, lone):
    coarse, generator = shown(*EXACT, ACCURACY), random.Random(9)
    path = f"/within/{SPOT}?bbox=13,52,14,53&kind=lone"
    first = service.get(path)
    for _ in range(50):
        assert service.get(path).body == first.body
        assert seen(service, lone, bob) == coarse == seen(service, lone)
    for number in range(40):
        there = inside(*EXACT, ACCURACY, generator.random(), generator.random())
        body = [{"place": place(*there)}, {"place": place(*EXACT)}, {"rank": number},
                {"locationAccuracy": ACCURACY}][number % 4]
        assert ann.call("PUT", f"/classes/{SPOT}/{lone}", body).status == 200
        assert seen(service, lone, bob) == coarse == seen(service, lone)
    # On its way to somewhere else it is seen in the middles of cells and nowhere else.
    lon, lat = EXACT
    for _ in range(60):
        lon, lat = round(lon + generator.uniform(0, 0.01), 7), round(lat + 0.002, 7)
        assert ann.call("PUT", f"/classes/{SPOT}/{lone}", {"place": place(lon, lat)}).status == 200
        assert seen(service, lone, ann) == (lon, lat)
        assert seen(service, lone, bob) == shown(lon, lat, ACCURACY) == seen(service, lone)


def test_changing_the_accuracy_tells_no_more_than_the_least(service, ann, lone):
    """Cells of a greater accuracy are made of whole cells of a smaller one."""
    least, corners = 700, []
    for accuracy in (1500, 700, 5000, 900, 1501, 700, 40_000, 2999, 1000):
        assert ann.call("PUT", f"/classes/{SPOT}/{lone}", {
            "locationAccuracy": accuracy}).status == 200
        assert seen(service, lone) == shown(*EXACT, accuracy)
        corners.append(cell(*EXACT, accuracy))
    west, south, east, north = (
        max(c[0] for c in corners), max(c[1] for c in corners), min(c[2] for c in corners),
        min(c[3] for c in corners))
    assert (west, south, east, north) == cell(*EXACT, least), "all of them together are the finest"


@pytest.mark.parametrize("change", [
    {"locationAccuracy": 0}, {"locationAccuracy": None}, {"locationAccuracy": 10},
    {"locationAccuracy": op("Delete")}, {"author": "bob"}, {"author": "bob", "locationAccuracy": 0},
    {"author": op("Delete")}, {"author": None, "locationAccuracy": 1}])
def test_who_may_write_and_is_no_owner_cannot_have_the_place_shown(service, ann, bob, lone, change):
    change = {key: bob.pointer if value == "bob" else value for key, value in change.items()}
    coarse, path = shown(*EXACT, ACCURACY), f"/classes/{SPOT}/{lone}"
    for person, keys in ((bob, None), (None, CLIENT)):
        reset = {"place": place(*EXACT), "locationAccuracy": ACCURACY, "author": ann.pointer,
                 "ACL": {"*": {"read": True, "write": True}}}
        assert call(service, "PUT", path, reset, master=True).status == 200
        answer = (person.call("PUT", path, change) if person
                  else call(service, "PUT", path, change))
        assert answer.status == 200, answer.body
        for viewer in (None, bob, ann):
            assert metres(seen(service, lone, viewer), coarse) < ACCURACY, "no finer than it was"
            assert seen(service, lone, viewer) != EXACT
        assert call(service, "GET", path, master=True).json()["place"] == place(*coarse)
    # The owner and the master key lose nothing by doing the same.
    for write in (ann.call, lambda *arguments: call(service, *arguments, master=True)):
        assert call(service, "PUT", path, reset, master=True).status == 200
        assert write("PUT", path, change).status == 200
        assert call(service, "GET", path, master=True).json()["place"] == place(*EXACT)


def test_who_is_no_owner_may_write_what_shows_no_more(service, ann, bob, lone):
    path = f"/classes/{SPOT}/{lone}"
    assert ann.call("PUT", path, {"ACL": {"*": {"read": True, "write": True}}}).status == 200
    for body in ({"rank": 5}, {"kind": "lone"}, {"locationAccuracy": 9000}):
        assert bob.call("PUT", path, body).status == 200
        assert seen(service, lone, ann) == EXACT
    # Back again would show more than 9 km: it is the cell of 9 km that is looked at more closely.
    assert bob.call("PUT", path, {"locationAccuracy": ACCURACY}).status == 200
    assert seen(service, lone, bob) == shown(*shown(*EXACT, 9000), ACCURACY)
    assert ann.call("PUT", path, {"place": place(*EXACT)}).status == 200
    for part in ("latitude", "longitude"):
        bob.call("PUT", path, {f"place.{part}": 10})
        assert not set(map(str, seen(service, lone, bob))) & set(map(str, EXACT))


def test_no_question_tells_one_place_in_a_cell_from_another(tmp_path, settings):
    """The walk of the whole API, by those who are not the owner, while the object moves within its
    cell: whatever they do with the answers, they do not learn where in the cell it is."""
    settings(GEOSERVICE_PASSWORD_MEMORY_MB="8", GEOSERVICE_LOGINS_PER_ACCOUNT="off")
    world, secret = World(tmp_path / "data"), Secret()
    secret.clusters, secret.hotspots = [354], []
    secret.near_cursor = secret.within_cursor = secret.area_cursor = "x"
    lon, lat = secret.position
    world.put_in(LAYER, [
        "id,lon,lat,kind,rank,weight,title", f"hushP1,{lon},{lat},photo,3,5,Title"])
    world.change(LAYER, "hushP1", author=world.ann.pointer, locationAccuracy=ACCURACY,
                 when={"__type": "Date", "iso": "2100-01-01T00:00:00.000Z"},
                 ACL={"*": {"read": True}, world.ann.id: {"read": True, "write": True}})
    document = world.service.get("/v1/api", HOST).json()

    def walk(token):
        found = Walker("", token).walk(world.service, Recipes(secret), document)
        stamp = world.ann.call("GET", f"/classes/{LAYER}/hushP1").json()["updatedAt"].encode()
        # That it was written is told, and when.
        return {name: (status, fields, body.replace(stamp, b"(its time)"))
                for name, (status, fields, body) in found.items()}

    corner = inside(lon, lat, ACCURACY, 0, 0)
    world.change(LAYER, "hushP1", world.ann, location=place(*corner))
    tokens = [None, world.bob.token]
    before = [walk(token) for token in tokens]
    own = walk(world.ann.token)
    for across, up in ((1, 1), (0.31, 0.77)):
        there = inside(lon, lat, ACCURACY, across, up)
        assert metres(there, corner) > 500 and shown(*there, ACCURACY) == shown(*corner, ACCURACY)
        world.change(LAYER, "hushP1", world.ann, location=place(*there))
        for token, first in zip(tokens, before):
            other = differences(first, walk(token))
            if other:
                pytest.fail(f"{len(other)} answers tell where it is\n{told(other)}")
        assert len(differences(own, walk(world.ann.token))) > 50
    assert world.service.stop() == 0
