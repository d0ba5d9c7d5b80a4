"""Users as a layer, where an operator wants them to be: for signed-in viewers, to a kilometre."""

import json
import math
import random

import pytest

from people import call, sign_up
from service import MASTER, Service

LAYER = "_User"
PATHS = [
    f"/v1/collections/{LAYER}", f"/clusters/{LAYER}?bbox=-180,-90,180,90&zoom=3",
    f"/clusters/{LAYER}/5/children", f"/clusters/{LAYER}/5/leaves",
    f"/clusters/{LAYER}/5/expansion-zoom", f"/tiles/{LAYER}/0/0/0.png",
    f"/tiles/{LAYER}/0/0/0.png?style=heat", f"/tiles/{LAYER}/0/0/0@2x.png?style=points",
    f"/tiles/{LAYER}/0/0/0.mvt", f"/tiles/{LAYER}/0/0/0.geojson",
    f"/v1/collections/{LAYER}/tiles/WebMercatorQuad",
    f"/tiles/{LAYER}.json", f"/tiles/{LAYER}/legend.json?style=heat&z=3",
    f"/near/{LAYER}?lon=13.4&lat=52.5", f"/within/{LAYER}?bbox=13,52,14,53",
    f"/within/{LAYER}?bbox=13,52,14,53&count=true", f"/hotspots/{LAYER}?bbox=13,52,14,53&zoom=9",
    f"/aggregate/{LAYER}?grid=geohash&precision=5"]
BERLIN = (13.4051234, 52.5212345)


def point(lon, lat):
    return {"__type": "GeoPoint", "longitude": lon, "latitude": lat}


def opt_in(service, **settings):
    answer = service.request("PUT", f"/v1/collections/{LAYER}", settings, MASTER)
    assert answer.status == 200, answer.body
    return answer.json()


def session(person):
    return {"X-Parse-Session-Token": person.token} if person else {}


def look(service, path, person, status=200):
    answer = service.get(path, session(person))
    assert answer.status == status, (path, answer.body)
    return answer


def metres(one, other):
    lon1, lat1, lon2, lat2 = map(math.radians, (*one, *other))
    h = (math.sin((lat2 - lat1) / 2) ** 2
         + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2)
    return 2 * 6_371_008.8 * math.asin(math.sqrt(h))


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    started = Service(tmp_path_factory.mktemp("user-layer") / "data")
    yield started
    assert started.stop() == 0


@pytest.fixture(scope="module")
def people(service):
    """Two with a place from before the layer, one with a coarser one from after, one without."""
    ann = sign_up(service, location=point(*BERLIN), email="ann@example.org", kind="person")
    bob = sign_up(service, location=point(13.5, 52.6), kind="robot")
    opt_in(service, title="People")
    eve = sign_up(service, location=point(13.7, 52.3), locationAccuracy=20_000)
    return ann, bob, eve, sign_up(service)


def places(service, person):
    found = look(service, f"/within/{LAYER}?bbox=12,51,15,54&limit=100", person).json()
    return {feature["id"]: tuple(feature["geometry"]["coordinates"])
            for feature in found["features"]}


def test_users_are_no_layer_until_an_operator_says_so(start, tmp_path):
    service = start(data=tmp_path / "plain")
    ann = sign_up(service, location=point(*BERLIN))
    for person in (None, ann):
        for path in PATHS:
            look(service, path, person, status=404)
        assert look(service, "/v1/collections", person).json()["collections"] == []
    assert service.request("PUT", f"/v1/collections/{LAYER}", {}, None).status == 401
    opt_in(service)
    look(service, PATHS[0], ann)
    assert service.stop() == 0
    again = start(data=tmp_path / "plain")
    assert look(again, PATHS[0], ann).json()["count"] == 1
    assert places(again, sign_up(again))[ann.id] != BERLIN
    gone = again.request("DELETE", f"/v1/collections/{LAYER}", None, MASTER)
    assert gone.status == 204, gone.body
    for path in PATHS:
        look(again, path, ann, status=404)
    assert call(again, "GET", f"/users/{ann.id}").json()["location"] == point(*BERLIN)
    sign_up(again, location=point(1, 2))
    look(again, PATHS[0], ann, status=404)


def test_it_is_for_signed_in_viewers(service, people):
    errors = {look(service, path, None, status=403).body.replace(path.encode(), b"")
              for path in PATHS}
    assert len(errors) == 1
    assert look(service, "/v1/collections", None).json()["collections"] == []
    inside = service.request("POST", f"/within/{LAYER}", {
        "type": "Polygon", "coordinates": [[[13, 52], [14, 52], [14, 53], [13, 52]]]})
    assert inside.status == 403
    for path in PATHS:
        if "/5/" not in path:
            look(service, path, people[3])
    listed = look(service, "/v1/collections", people[3]).json()["collections"]
    assert [(entry["id"], entry["count"]) for entry in listed] == [(LAYER, 3)]


def test_places_are_coarse_for_all_but_the_user(service, people):
    ann, bob, eve, stranger = people
    exact = {ann.id: BERLIN, bob.id: (13.5, 52.6), eve.id: (13.7, 52.3)}
    seen = places(service, stranger)
    assert set(seen) == set(exact)
    for person, least in ((ann, 1_000), (bob, 1_000), (eve, 20_000)):
        # Whoever is moved within his cell is shown where he was.
        shown = seen[person.id]
        assert shown != exact[person.id] and metres(shown, exact[person.id]) < 4 * least
        own = places(service, person)
        assert own == {**seen, person.id: exact[person.id]}
        listed = look(
            service, f"/near/{LAYER}?lon={shown[0]}&lat={shown[1]}&limit=1", stranger).json()
        assert listed["features"][0]["properties"]["distance"] < 0.05


def test_moving_within_a_cell_shows_to_nobody_else(service, people):
    ann, _, _, stranger = people
    before = [look(service, path, stranger).body for path in PATHS if "/5/" not in path]
    near = look(service, f"/near/{LAYER}?lon=13.4&lat=52.5", stranger).headers["ETag"]
    for step in range(4):
        to = (BERLIN[0] + 0.0001 * step, BERLIN[1])
        assert ann.call("PUT", f"/users/{ann.id}", {"location": point(*to)}).status == 200
        after = [look(service, path, stranger).body for path in PATHS if "/5/" not in path]
        assert places(service, ann)[ann.id] == to
        # Features have `updatedAt` of nobody: bytes and tags are the same.
        assert after == before
        assert look(service, f"/near/{LAYER}?lon=13.4&lat=52.5", stranger).headers["ETag"] == near
    assert ann.call("PUT", f"/users/{ann.id}", {"location": point(*BERLIN)}).status == 200


def test_no_circle_tells_more_than_the_cell(service, people):
    """From a hundred centres, the circle that just reaches a user is that of the coarse place; so it
    is under /parse."""
    ann, _, _, stranger = people
    shown = places(service, stranger)[ann.id]
    chance = random.Random(5)
    for _ in range(100):
        centre = (BERLIN[0] + chance.uniform(-0.2, 0.2), BERLIN[1] + chance.uniform(-0.1, 0.1))
        reach = metres(centre, shown)
        for factor, expected in ((0.999, False), (1.001, True)):
            found = look(
                service, f"/within/{LAYER}?center={centre[0]},{centre[1]}&radius={reach * factor}",
                stranger).json()
            assert (ann.id in [one["id"] for one in found["features"]]) == expected
            asked = {"location": {
                "$nearSphere": point(*centre), "$maxDistanceInKilometers": reach * factor / 1000
                * 6371 / 6371.0088}}
            answer = stranger.call("GET", "/users", where=json.dumps(asked))
            ids = [one["objectId"] for one in answer.json()["results"]]
            assert (ann.id in ids) == expected
    assert stranger.call("GET", f"/users/{ann.id}").json()["location"] == point(*shown)
    assert ann.call("GET", f"/users/{ann.id}").json()["location"] == point(*BERLIN)


def test_accounts_are_in_no_answer(service, people):
    ann, _, _, stranger = people
    for person in (ann, stranger):
        for path in PATHS:
            if "/5/" in path:
                continue
            body = look(service, path, person).body
            assert b"ann@example.org" not in body and b"authData" not in body
        for field in ("email", "authData", "authData.x.id"):
            where = '{"%s":"ann@example.org"}' % field
            answer = service.get(f"/within/{LAYER}", session(person), bbox="13,52,14,53", where=where)
            assert answer.status in (400, 403), (field, answer.body)
    assert look(service, f"/v1/collections/{LAYER}", stranger).json()["kinds"] == {
        "person": 1, "robot": 1}


def test_private_users_are_on_their_own_map(start, settings):
    settings(GEOSERVICE_PRIVATE_USERS="true")
    service = start()
    opt_in(service)
    ann = sign_up(service, location=point(*BERLIN))
    bob = sign_up(service, location=point(13.5, 52.6))
    assert places(service, ann) == {ann.id: BERLIN} and set(places(service, bob)) == {bob.id}
    assert call(service, "PUT", f"/users/{ann.id}", {
        "ACL": {ann.id: {"read": True, "write": True}, bob.id: {"read": True}}}, master=True
    ).status == 200
    assert places(service, bob)[ann.id] not in (None, BERLIN)


def test_a_hidden_kind_closes_the_map(start):
    service = start()
    sign_up(service, location=point(*BERLIN), kind="secret")
    ann = sign_up(service)
    opt_in(service)
    assert call(service, "PUT", "/schemas/_User", {
        "classLevelPermissions": {"protectedFields": {"*": ["kind"]}}}, master=True).status == 200
    for path in PATHS:
        look(service, path, ann, status=403)
