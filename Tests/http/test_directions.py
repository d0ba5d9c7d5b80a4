"""Directions, against pyproj's great circles, a foreign polyline decoder and a stand-in router."""

import itertools
import math
import random

import jsonschema
import polyline
import pyproj
import pytest

from routers import Router
from service import Service

#: The sphere that distances are measured on.
SPHERE = pyproj.Geod(a=6_371_008.8, b=6_371_008.8)
SPEEDS = {"foot": 5 / 3.6, "bike": 15 / 3.6, "car": 50 / 3.6}
BERLIN, POTSDAM, TOKYO = (13.405, 52.52), (13.06, 52.4), (139.69, 35.69)
#: Ways across ±180°, near and over poles, along the equator, far and near.
WAYS = [
    (BERLIN, POTSDAM), (BERLIN, TOKYO), ((179.5, -17), (-179.5, -16.5)), ((170, 60), (-120, 55)),
    ((-170, -80), (100, -85)), ((10, 89.5), (-160, 89)), ((0, 80), (180, 70)), ((-60, 0), (60, 0)),
    ((-50, -40), (50, 40)), ((20, 90), (20, -45)), ((1, 1), (1, 1)), ((5, 5), (-170, 20)),
]

#: What the HTTP API of OSRM (Project-OSRM/osrm-backend, its page `http`) publishes, by object.
NUMBER, TEXT = {"type": "number"}, {"type": "string"}
PLACE = {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}
BEARING = {"type": "integer", "minimum": 0, "maximum": 359}


def record(required, **optional):
    return {"type": "object", "required": list(required),
            "properties": {**required, **optional}}


def listed(items, **more):
    return {"type": "array", "items": items, **more}


LINE = {"anyOf": [TEXT, record({"type": {"enum": ["LineString"]},
                                "coordinates": listed(PLACE, minItems=2)})]}
MANEUVER = record(
    {"location": PLACE, "bearing_before": BEARING, "bearing_after": BEARING,
     "type": {"enum": ["depart", "arrive", "turn", "new name", "continue"]}},
    modifier=TEXT, exit=NUMBER)
INTERSECTION = record(
    {"location": PLACE, "bearings": listed(BEARING), "entry": listed({"type": "boolean"})},
    classes=listed(TEXT), **{"in": NUMBER, "out": NUMBER}, lanes=listed({"type": "object"}))
STEP = record(
    {"distance": NUMBER, "duration": NUMBER, "geometry": LINE, "weight": NUMBER, "name": TEXT,
     "mode": TEXT, "maneuver": MANEUVER, "intersections": listed(INTERSECTION, minItems=1),
     "driving_side": {"enum": ["left", "right"]}}, ref=TEXT)
ANNOTATION = record({}, distance=listed(NUMBER), duration=listed(NUMBER), weight=listed(NUMBER),
                    speed=listed(NUMBER), nodes=listed(NUMBER), datasources=listed(NUMBER))
LEG = record({"distance": NUMBER, "duration": NUMBER, "weight": NUMBER, "summary": TEXT,
              "steps": listed(STEP)}, annotation=ANNOTATION)
ROUTE = record({"distance": NUMBER, "duration": NUMBER, "weight": NUMBER, "weight_name": TEXT,
                "legs": listed(LEG, minItems=1)}, geometry=LINE)
WAYPOINT = record({"name": TEXT, "location": PLACE, "distance": NUMBER, "hint": TEXT})
TRIP_WAYPOINT = record({**WAYPOINT["properties"], "trips_index": {"type": "integer"},
                        "waypoint_index": {"type": "integer"}})
TABLE = listed(listed({"type": ["number", "null"]}))
OK = {"code": {"enum": ["Ok"]}}
PUBLISHED = {
    "route": record({**OK, "routes": listed(ROUTE, minItems=1), "waypoints": listed(WAYPOINT)}),
    "trip": record({**OK, "trips": listed(ROUTE, minItems=1),
                    "waypoints": listed(TRIP_WAYPOINT)}),
    "table": record({**OK, "sources": listed(WAYPOINT), "destinations": listed(WAYPOINT)},
                    durations=TABLE, distances=TABLE),
    "nearest": record({**OK, "waypoints": listed(WAYPOINT, minItems=1)}),
}


@pytest.fixture(scope="module")
def hints(tmp_path_factory):
    """A service without a router."""
    service = Service(tmp_path_factory.mktemp("directions") / "data")
    yield service
    assert service.stop() == 0


@pytest.fixture
def router():
    routers = []

    def start(**answers):
        routers.append(Router(**answers))
        return routers[-1]

    yield start
    for one in routers:
        one.stop()


def text(*places):
    return ";".join(f"{lon},{lat}" for lon, lat in places)


def asked(service, name, profile, places, **query):
    """An answer, which is as OSRM publishes it."""
    answer = service.get(f"/{name}/v1/{profile}/{text(*places)}", **query)
    assert answer.status == 200, answer.body
    found = answer.json()
    jsonschema.validate(found, PUBLISHED[name])
    return found


def refusal(service, path, status=400):
    answer = service.get(path)
    assert answer.status == status, answer.body
    assert answer.headers["Content-Type"] == "application/json"
    found = answer.json()
    assert set(found) == {"code", "message"}
    return found["code"], found["message"]


def meters(one, other):
    return SPHERE.inv(*one, *other)[2]


def apart(one, other):
    """Degrees between two bearings."""
    return abs((one - other + 180) % 360 - 180)


@pytest.mark.parametrize("profile", SPEEDS)
@pytest.mark.parametrize("start,end", WAYS)
def test_a_leg_is_the_great_circle_of_pyproj(hints, profile, start, end):
    found = asked(hints, "route", profile, [start, end], steps="true")
    assert found["engine"] == "great-circle" and "straight-line hints" in found["message"]
    (route,) = found["routes"]
    (leg,) = route["legs"]
    azimuth, back, length = SPHERE.inv(*start, *end)
    assert leg["distance"] == pytest.approx(length, abs=0.01)
    assert leg["duration"] == pytest.approx(length / SPEEDS[profile], abs=0.01)
    assert leg["weight"] == leg["duration"] and route["weight_name"] == "duration"
    assert (route["distance"], route["duration"]) == (leg["distance"], leg["duration"])
    depart, arrive = leg["steps"]
    assert (depart["maneuver"]["type"], arrive["maneuver"]["type"]) == ("depart", "arrive")
    assert arrive["distance"] == 0
    assert arrive["maneuver"]["instruction"] == "You have arrived at your destination"
    if length == 0:
        assert leg["instruction"] == "Stay where you are"
        return
    assert apart(leg["bearing"], azimuth) < 1e-6
    assert apart(depart["maneuver"]["bearing_after"], azimuth) <= 0.5
    assert apart(arrive["maneuver"]["bearing_before"], back + 180) <= 0.5
    points = ["north", "north-east", "east", "south-east", "south", "south-west", "west",
              "north-west"]
    point = points[math.floor((azimuth % 360 + 22.5) / 45) % 8]
    assert leg["instruction"].startswith(f"Head {point} for ")
    assert depart["maneuver"]["instruction"] == leg["instruction"]


@pytest.mark.parametrize("start,end", WAYS)
@pytest.mark.parametrize("overview,bound", [("full", 80), ("simplified", 1_600)])
def test_lines_follow_the_great_circle(hints, start, end, overview, bound):
    """In all three forms, and as a foreign decoder reads them."""
    lines = {}
    for form in ("polyline", "polyline6", "geojson"):
        (route,) = asked(hints, "route", "foot", [start, end], overview=overview,
                         geometries=form)["routes"]
        lines[form] = route["geometry"]
    exact = lines["geojson"]["coordinates"]
    for form, precision in (("polyline", 5), ("polyline6", 6)):
        read = polyline.decode(lines[form], precision, geojson=True)
        assert len(read) == len(exact)
        for one, other in zip(read, exact):
            assert one == pytest.approx(other, abs=0.51 * 10 ** -precision)
    assert meters(exact[0], start) < 0.02 and meters(exact[-1], end) < 0.02
    whole = meters(start, end)
    for one, other in itertools.pairwise(exact):
        # No jump over the map, but at a pole, where all longitudes are one place.
        assert abs(one[0] - other[0]) <= 180
        length = meters(one, other)
        for share in (0, 0.25, 0.5, 0.75):
            place = [a + (b - a) * share for a, b in zip(one, other)]
            off = off_the_way(place, start, end)
            assert off <= bound or length < 250, (one, other, off)
            assert meters(start, place) <= whole + bound


def off_the_way(place, start, end):
    """Metres from a place to the whole great circle of two others."""
    if meters(start, end) == 0:
        return meters(start, place)
    azimuth, _, _ = SPHERE.inv(*start, *end)
    towards, _, length = SPHERE.inv(*start, *place)
    radius = SPHERE.a
    sine = math.sin(length / radius) * math.sin(math.radians(towards - azimuth))
    return abs(math.asin(sine)) * radius


def test_legs_follow_one_another(hints):
    stops = [(170, 10), (-170, 10), (-100, 0), (100, 0), BERLIN]
    found = asked(hints, "route", "bike", stops, overview="full", geometries="geojson",
                  steps="true", annotations="true")
    (route,) = found["routes"]
    assert [point["location"] for point in found["waypoints"]] == [list(stop) for stop in stops]
    assert route["distance"] == pytest.approx(sum(leg["distance"] for leg in route["legs"]))
    assert route["duration"] == pytest.approx(sum(leg["duration"] for leg in route["legs"]))
    line = route["geometry"]["coordinates"]
    assert all(abs(one[0] - other[0]) < 180 for one, other in itertools.pairwise(line))
    pieces = 0
    for number, (leg, start, end) in enumerate(zip(route["legs"], stops, stops[1:])):
        assert leg["distance"] == pytest.approx(meters(start, end), abs=0.01)
        depart, arrive = leg["steps"]
        assert depart["maneuver"]["location"] == list(start)
        assert arrive["maneuver"]["location"] == list(end)
        assert depart["mode"] == "cycling"
        told = leg["annotation"]
        assert set(told) == {"distance", "duration", "weight", "speed"}
        pieces += len(told["distance"])
        assert len(told["distance"]) == len(depart["geometry"]["coordinates"]) - 1
        assert sum(told["distance"]) == pytest.approx(leg["distance"], rel=1e-3)
        if number < 3:
            assert arrive["maneuver"]["instruction"] == f"You have arrived at stop {number + 1} of 4"
    assert pieces == len(line) - 1


def test_what_was_not_asked_for_is_left_out(hints):
    found = asked(hints, "route", "foot", [BERLIN, POTSDAM])
    (route,) = found["routes"]
    assert route["legs"][0]["steps"] == [] and "annotation" not in route["legs"][0]
    plain = hints.get(f"/route/v1/foot/{text(BERLIN, POTSDAM)}", overview="false",
                      generate_hints="false", skip_waypoints="true").json()
    assert "geometry" not in plain["routes"][0] and "waypoints" not in plain
    bare = hints.get(f"/nearest/v1/foot/{text(BERLIN)}", generate_hints="false").json()
    assert "hint" not in bare["waypoints"][0]
    # What clients send back, and the other names of profiles.
    hint = [point["hint"] for point in found["waypoints"]]
    again = asked(hints, "route", "walking", [BERLIN, POTSDAM], hints=";".join(hint))
    assert again["routes"] == found["routes"]


def test_coordinates_come_as_a_polyline_too(hints):
    places = [BERLIN, POTSDAM, (13.1, 52.45)]
    plain = asked(hints, "route", "car", places)["routes"]
    for name, precision in (("polyline", 5), ("polyline6", 6)):
        code = polyline.encode(places, precision, geojson=True)
        path = f"{name}({code})".replace("%", "%25").replace("?", "%3F").replace("#", "%23")
        for suffix in ("", ".json"):
            answer = hints.get(f"/route/v1/car/{path}{suffix}")
            assert answer.status == 200, answer.body
            assert answer.json()["routes"] == plain


def test_a_table_is_that_of_pyproj(hints):
    places = [BERLIN, POTSDAM, TOKYO, (-179, 10)]
    found = asked(hints, "table", "car", places, annotations="distance,duration",
                  sources="1;3", destinations="0;1;2", scale_factor="2")
    for row, source in enumerate((1, 3)):
        for column in range(3):
            length = meters(places[source], places[column])
            assert found["distances"][row][column] == pytest.approx(length, abs=0.01)
            assert found["durations"][row][column] == pytest.approx(2 * length / SPEEDS["car"])
    assert [point["location"] for point in found["sources"]] == [list(places[1]), list(places[3])]
    assert len(found["destinations"]) == 3
    whole = asked(hints, "table", "foot", places)
    assert "distances" not in whole and len(whole["durations"]) == 4
    assert len(asked(hints, "table", "foot", [BERLIN])["durations"]) == 1


@pytest.mark.parametrize("query,is_round,first,last", [
    ({}, True, False, False), ({"source": "first", "destination": "last"}, True, True, True),
    ({"destination": "last"}, True, False, True),
    ({"roundtrip": "false"}, False, False, False),
    ({"roundtrip": "false", "source": "first"}, False, True, False),
    ({"roundtrip": "false", "destination": "last"}, False, False, True),
    ({"roundtrip": "false", "source": "first", "destination": "last"}, False, True, True)])
def test_few_stops_are_visited_in_the_best_order(hints, query, is_round, first, last):
    generator = random.Random(len(query))
    places = [(round(generator.uniform(175, 185), 5), round(generator.uniform(-10, 10), 5))
              for _ in range(7)]
    found = asked(hints, "trip", "foot", places, **query)
    (trip,) = found["trips"]
    count = len(places)
    assert len(trip["legs"]) == (count if is_round else count - 1)
    order = sorted(range(count), key=lambda stop: found["waypoints"][stop]["waypoint_index"])
    assert sorted(order) == list(range(count))
    assert not first or order[0] == 0
    assert not last or order[-1] == count - 1

    def length(stops):
        pairs = itertools.pairwise([*stops, stops[0]] if is_round else stops)
        return sum(table[a][b] for a, b in pairs)

    table = [[meters(a, b) for b in places] for a in places]
    best = min(length(way) for way in itertools.permutations(range(count))
               if (not first or way[0] == 0) and (not last or way[-1] == count - 1))
    assert trip["distance"] == pytest.approx(length(order), abs=0.1)
    assert length(order) == pytest.approx(best, abs=0.1)


@pytest.mark.parametrize("count", [10, 60, 100])
def test_many_stops_are_visited_within_5_percent_of_the_optimum(hints, count):
    """Places on a small circle over ±180°: the optimum goes along it."""
    angles = [2 * math.pi * (number + 0.3 * math.sin(number)) / count for number in range(count)]
    random.Random(count).shuffle(angles)
    places = [(round(180 + 2 * math.cos(a), 6), round(2 * math.sin(a), 6)) for a in angles]
    (trip,) = asked(hints, "trip", "bike", places, overview="false")["trips"]
    along = [places[number] for number in sorted(range(count), key=lambda n: angles[n])]
    optimum = sum(meters(a, b) for a, b in itertools.pairwise([*along, along[0]]))
    assert optimum - 1 <= trip["distance"] <= optimum * (1 + 1e-6 if count <= 10 else 1.05)


def test_the_nearest_is_the_place_itself(hints):
    found = asked(hints, "nearest", "foot", [(190.5, 52.5)], number=3)
    (waypoint,) = found["waypoints"]
    assert waypoint["location"] == [-169.5, 52.5] and waypoint["distance"] == 0


@pytest.mark.parametrize("path,code,part", [
    ("/route/v1/foot/13,52", "InvalidOptions", "at least 2"),
    ("/route/v1/foot/13,52;14", "InvalidUrl", "coordinate 1"),
    ("/route/v1/foot/13,52;14,91", "InvalidValue", "coordinate 1 is no place: latitude"),
    ("/route/v1/foot/13,52;14,x", "InvalidUrl", "lon,lat"),
    ("/route/v1/horse/13,52;14,52", "InvalidValue", "foot, bike or car"),
    ("/route/v1/foot/13,52;14,52?steps=yes", "InvalidOptions", "steps must be true or false"),
    ("/route/v1/foot/13,52;14,52?geometries=wkt", "InvalidOptions", "geometries must be polyline"),
    ("/route/v1/foot/13,52;14,52?zz=1", "InvalidQuery", "zz is not a parameter"),
    ("/route/v1/foot/13,52;14,52?steps=true&steps=true", "InvalidQuery", "more than once"),
    ("/route/v1/foot/13,52;14,52;15,52?waypoints=0;2", "NotImplemented", "waypoints"),
    ("/table/v1/foot/13,52;14,52?sources=2", "InvalidOptions", "sources must be"),
    ("/trip/v1/foot/13,52;14,52?source=last", "InvalidOptions", "source must be any or first"),
    ("/nearest/v1/foot/13,52;14,52", "TooBig", "at most 1"),
    ("/nearest/v1/foot/13,52?number=101", "InvalidOptions", "number must be"),
    (f"/trip/v1/foot/{text(*[(1, 1)] * 101)}", "TooBig", "at most 100"),
    (f"/table/v1/foot/{text(*[(1, 1)] * 101)}", "TooBig", "101 coordinates"),
])
def test_what_is_wrong_is_said_as_osrm_says_it(hints, path, code, part):
    found, message = refusal(hints, path)
    assert found == code and part in message


def test_other_addresses_and_methods(hints):
    assert refusal(hints, "/route/v2/foot/1,1;2,2", 404)[0] == "InvalidVersion"
    assert refusal(hints, "/route/v1/foot", 404)[0] == "InvalidUrl"
    answer = hints.request("POST", "/route/v1/foot/1,1;2,2", {})
    assert answer.status == 405 and answer.json()["code"] == "InvalidUrl"
    assert answer.headers["Allow"]


def test_an_answer_has_a_tag(hints):
    path = f"/route/v1/foot/{text(BERLIN, POTSDAM)}"
    tag = hints.get(path).headers["ETag"]
    assert hints.get(path, {"If-None-Match": tag}).status == 304


# A router


OSRM_ROUTE = {"code": "Ok", "routes": [{"distance": 1234.5, "duration": 99, "legs": []}],
              "waypoints": [{"nodes": [9007199254740991], "name": "Straße"}]}


def test_osrm_answers_the_same_call(start, router):
    osrm = router(route=(200, OSRM_ROUTE))
    service = start("--router", osrm.url + "/")
    path = "/route/v1/walking/13.405,52.52;-190,-0.0000001"
    found = service.get(f"{path}?steps=true&radiuses=5;unlimited&bearings=;10,20&hints=a;b")
    assert found.status == 200 and found.headers["Cache-Control"] == "no-store"
    assert found.json() == {**OSRM_ROUTE, "engine": "osrm"}
    assert osrm.paths() == [
        "/route/v1/foot/13.4050000,52.5200000;170.0000000,-0.0000001"
        "?steps=true&radiuses=5;unlimited&bearings=;10,20"]
    # What the client got wrong is not handed on.
    assert refusal(service, "/route/v1/foot/13,52;14,91")[0] == "InvalidValue"
    assert len(osrm.paths()) == 1


def test_a_refusal_of_the_router_is_handed_back(start, router):
    osrm = router(route=(400, {"code": "NoRoute", "message": "Impossible route"}))
    service = start("--router", osrm.url)
    assert refusal(service, "/route/v1/car/1,1;2,2") == ("NoRoute", "Impossible route")


def test_the_setting_may_come_from_the_environment(start, router, settings):
    osrm = router(foot=(200, OSRM_ROUTE))
    settings(GEOSERVICE_ROUTER=osrm.url + "/{profile}")
    service = start()
    assert service.get("/route/v1/foot/1,1;2,2").json()["engine"] == "osrm"
    assert osrm.paths(but=("/car/status",))[0].startswith("/foot/route/v1/foot/1.0")


@pytest.mark.parametrize("broken", [
    (500, {"code": "Ok"}), (200, b"<html>"), (200, []), (200, {"routes": []}),
    (302, {"code": "Ok"}), (400, {"code": "InvalidUrl", "message": ""}),
    (200, b'{"code": "Ok", "x": "' + b"x" * (17 << 20) + b'"}')], ids=[
        "failing", "no JSON", "a list", "no code", "elsewhere", "misplaced", "too large"])
def test_hints_stand_in_for_a_router_that_is_broken(start, router, broken):
    osrm = router(route=broken)
    service = start("--router", osrm.url)
    found = asked(service, "route", "foot", [BERLIN, POTSDAM])
    assert found["engine"] == "great-circle"
    assert found["message"].startswith("The router did not answer: these are straight-line hints")
    assert len(osrm.paths()) == 1


def test_hints_stand_in_for_a_router_that_is_down_until_it_is_back(start, router):
    osrm = router(route=(200, OSRM_ROUTE))
    service = start("--router", osrm.url)
    assert service.get("/route/v1/foot/1,1;2,2").json()["engine"] == "osrm"
    osrm.stop()
    for name, places in (("route", [BERLIN, POTSDAM]), ("nearest", [BERLIN])):
        found = asked(service, name, "foot", places)
        assert found["engine"] == "great-circle" and "did not answer" in found["message"]
    again = Router(osrm.port, route=(200, OSRM_ROUTE))
    try:
        assert service.get("/route/v1/foot/1,1;2,2").json()["engine"] == "osrm"
    finally:
        again.stop()
    log = service.log.read_text()
    assert log.count("straight-line hints for now") == 1 and "answers again" in log
    assert "13.405" not in log


def valhalla(**changes):
    """What Valhalla answers, shortened."""
    line = polyline.encode([BERLIN, POTSDAM], 6, geojson=True)

    def route(body):
        places = body["locations"]
        step = {"geometry": line, "distance": 5, "maneuver": {"instruction": "Walk north."}}
        leg = {"distance": 5, "duration": 3, "summary": "", "weight": 3, "steps": [step]}
        return {"code": "Ok", "routes": [{
            "distance": 5, "duration": 3, "weight": 3, "weight_name": "pedestrian",
            "geometry": line, "legs": [leg] * (len(places) - 1)}], "waypoints": [
                {"name": f"Street {place['lon']}", "distance": 1,
                 "location": [place["lon"], place["lat"]]} for place in places]}

    def matrix(body):
        def cells(unit):
            return [[round(meters((a["lon"], a["lat"]), (b["lon"], b["lat"])) / unit, 3)
                     for b in body["targets"]] for a in body["sources"]]
        return {"sources_to_targets": {"durations": cells(1.4), "distances": cells(1000)}}

    answers = {
        "status": (200, {"version": "3.5.1", "tileset_last_modified": 1}),
        "route": (200, route), "sources_to_targets": (200, matrix),
        "locate": (200, [{"edges": [
            {"correlated_lon": 13.406, "correlated_lat": 52.52},
            {"correlated_lon": 13.4051, "correlated_lat": 52.52},
            {"correlated_lon": 13.406, "correlated_lat": 52.52}], "nodes": []}])}
    return {**answers, **changes}


def test_valhalla_is_known_and_asked_for_routes(start, router):
    stand_in = router(**valhalla())
    service = start("--router", stand_in.url)
    found = service.get(f"/route/v1/bike/{text(BERLIN, POTSDAM)}", geometries="geojson",
                        steps="true").json()
    assert found["engine"] == "valhalla"
    (route,) = found["routes"]
    expected = [pytest.approx(place) for place in (list(BERLIN), list(POTSDAM))]
    assert route["geometry"]["coordinates"] == expected
    assert route["legs"][0]["steps"][0]["geometry"]["coordinates"] == expected
    body = stand_in.asked[-1][1]
    assert body["costing"] == "bicycle" and body["format"] == "osrm"
    assert body["locations"] == [{"lat": lat, "lon": lon} for lon, lat in (BERLIN, POTSDAM)]
    bare = service.get(f"/route/v1/bike/{text(BERLIN, POTSDAM)}", overview="false").json()
    assert "geometry" not in bare["routes"][0] and bare["routes"][0]["legs"][0]["steps"] == []
    five = service.get(f"/route/v1/foot/{text(BERLIN, POTSDAM)}").json()["routes"][0]["geometry"]
    assert polyline.decode(five, 5, geojson=True) == [BERLIN, POTSDAM]


def test_valhalla_is_asked_for_tables_trips_and_the_nearest(start, router):
    stand_in = router(**valhalla())
    service = start("--router", stand_in.url)
    places = [BERLIN, TOKYO, POTSDAM, (139, 36)]
    table = service.get(f"/table/v1/foot/{text(*places)}", sources="0;2",
                        annotations="duration,distance", scale_factor="2").json()
    length = meters(POTSDAM, TOKYO)
    assert table["distances"][1][1] == pytest.approx(length, abs=1)
    assert table["durations"][1][1] == pytest.approx(2 * length / 1.4, abs=1)
    assert len(table["sources"]) == 2 and len(table["destinations"]) == 4
    trip = service.get(f"/trip/v1/foot/{text(*places)}", source="first", roundtrip="false").json()
    assert [point["waypoint_index"] for point in trip["waypoints"]] in ([0, 3, 1, 2], [0, 2, 1, 3])
    assert [point["location"] for point in trip["waypoints"]] == [list(one) for one in places]
    assert len(trip["trips"][0]["legs"]) == 3 and "routes" not in trip
    near = service.get(f"/nearest/v1/foot/{text(BERLIN)}", number=5).json()["waypoints"]
    assert [point["location"] for point in near] == [[13.4051, 52.52], [13.406, 52.52]]
    assert near[0]["distance"] == pytest.approx(meters(BERLIN, (13.4051, 52.52)), abs=0.1)


def test_what_valhalla_refuses_and_what_is_none_of_its_answers(start, router):
    stand_in = router(**valhalla(
        route=(400, {"error_code": 442, "error": "No path could be found for input"}),
        locate=(200, [{"edges": None, "nodes": None}]),
        sources_to_targets=(200, {"sources_to_targets": {"durations": [[1]]}})))
    service = start("--router", stand_in.url)
    path = text(BERLIN, POTSDAM)
    assert refusal(service, f"/route/v1/car/{path}") == (
        "NoRoute", "No path could be found for input")
    assert refusal(service, f"/nearest/v1/car/{text(BERLIN)}")[0] == "NoSegment"
    assert asked(service, "table", "car", [BERLIN, POTSDAM])["engine"] == "great-circle"
    stand_in.answers["route"] = (400, {"code": "DistanceExceeded", "message": "Path distance"})
    assert refusal(service, f"/route/v1/car/{path}") == ("TooBig", "Path distance")
    assert refusal(service, f"/route/v1/car/{path};1,1?waypoints=0;2")[0] == "NotImplemented"


@pytest.mark.parametrize("address", ["127.0.0.1:5000", "ftp://x", "http://x/?a=1", "http://a b"])
def test_an_address_that_is_none_stops_the_start(tmp_path, address):
    with pytest.raises(AssertionError, match="GEOSERVICE_ROUTER must be an address"):
        Service(tmp_path / "data", "--router", address)
