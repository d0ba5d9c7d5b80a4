"""The laws of clusters over HTTP, against a twin that shares no code with the service."""

import math
import random

import pytest

from clusters import clusters, project
from service import Service, count_of

SEED = 20261130


def hostile_places(random_source):
    """Clumps, a street grid, one spot many times, the antimeridian, the poles' edges."""
    places = {}

    def add(lon, lat):
        lon = (lon + 180) % 360 - 180
        places[f"p{len(places)}"] = (round(lon, 7), round(min(max(lat, -90), 90), 7))

    for _ in range(500):
        add(13.4 + random_source.gauss(0, 0.05), 52.5 + random_source.gauss(0, 0.03))
    for index in range(225):
        add(2.3 + 0.001 * (index % 15), 48.8 + 0.0007 * (index // 15))
    for _ in range(40):
        add(-0.1276, 51.5072)
    for _ in range(200):
        add(180 + random_source.gauss(0, 0.5), -17 + random_source.gauss(0, 0.4))
    for _ in range(60):
        add(random_source.uniform(-180, 180), random_source.choice([-1, 1]) * random_source.uniform(84, 90))
    for _ in range(150):
        add(random_source.uniform(-180, 180), random_source.uniform(-80, 80))
    return places


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("oracle") / "data")
    service.places = hostile_places(random.Random(SEED))
    text = "id,lon,lat\n" + "".join(
        f"{name},{lon:.7f},{lat:.7f}\n" for name, (lon, lat) in service.places.items())
    report = service.import_csv("Hostile", text)
    assert report["added"] == len(service.places), report
    yield service
    assert service.stop() == 0


def point_of(feature):
    return project_exact(*feature["geometry"]["coordinates"])


def project_exact(lon, lat):
    """Like `project`, of a published point, which has more than seven places."""
    x = math.floor((lon + 180) / 360 * 2 ** 32) % 2 ** 32
    sine = math.sin(math.radians(lat))
    y = math.floor((0.5 - math.log((1 + sine) / (1 - sine)) / (4 * math.pi)) * 2 ** 32)
    return x, min(max(y, 0), 2 ** 32 - 1)


def compare(features, expected, places):
    found = {}
    for feature in features:
        properties = feature["properties"]
        if properties.get("cluster"):
            found[feature["id"]] = properties["point_count"]
            x, y = point_of(feature)
            want_x, want_y, _ = expected[feature["id"]]
            assert abs(x - want_x) <= 1 and abs(y - want_y) <= 1, feature
        else:
            lon, lat = feature["geometry"]["coordinates"]
            assert (lon, lat) == places[feature["id"]]
            found[feature["id"]] = 1
    wanted = {
        number if len(names) > 1 else names[0]: len(names)
        for number, (_, _, names) in expected.items()}
    assert found == wanted


@pytest.mark.parametrize("radius", [16, 40, 100])
@pytest.mark.parametrize("zoom", [0, 1, 3, 6, 9, 11, 13, 16, 19, 21])
def test_the_world_is_clustered_as_defined(world, zoom, radius):
    expected = clusters(world.places, zoom, radius)
    features = world.clusters("Hostile", zoom, radius=radius)
    compare(features, expected, world.places)
    assert count_of(features) == len(world.places)


@pytest.mark.parametrize("zoom", [2, 5, 8, 10, 12, 14, 17])
def test_a_box_lists_what_lies_in_it(world, zoom):
    expected = clusters(world.places, zoom)
    source = random.Random(SEED + zoom)
    for _ in range(12):
        lon, lat = source.choice(sorted(world.places.values()))
        wide, high = 600 * 360 / 256 / 2 ** zoom, 300 * 360 / 256 / 2 ** zoom
        west = round(lon - source.uniform(0, wide), 6)
        east = round(min(west + wide, west + 359), 6)
        south = round(max(-90, lat - source.uniform(0, high)), 6)
        north = round(min(90, south + high), 6)
        inside = {}
        x0, y0 = project((west + 180) % 360 - 180, north)
        x1, y1 = project((east + 180) % 360 - 180, south)
        for number, (x, y, names) in expected.items():
            if (x - x0) % 2 ** 32 < (x1 - x0) % 2 ** 32 and y0 <= y and (
                    y < y1 or south <= -85.0511287798066):
                inside[number] = (x, y, names)
        features = world.clusters("Hostile", zoom, f"{west},{south},{east},{north}")
        compare(features, inside, world.places)


@pytest.mark.parametrize("zoom", [3, 9, 13])
def test_children_and_leaves_are_the_members(world, zoom):
    expected = clusters(world.places, zoom)
    deeper = clusters(world.places, zoom + 1)
    owner = {name: number for number, (_, _, names) in deeper.items() for name in names}
    for number, (_, _, names) in sorted(expected.items()):
        if len(names) < 2:
            continue
        leaves = world.get(f"/clusters/Hostile/{number}/leaves", limit=10000).json()
        assert leaves["total"] == len(names)
        assert [feature["id"] for feature in leaves["features"]] == names
        shares = {}
        for name in names:
            shares.setdefault(owner[name], []).append(name)
        children = world.get(f"/clusters/Hostile/{number}/children").json()["features"]
        found = {
            feature["id"]: feature["properties"].get("point_count", 1) for feature in children}
        assert found == {
            (child if len(members) > 1 else members[0]): len(members)
            for child, members in shares.items()}
        expansion = world.get(f"/clusters/Hostile/{number}/expansion-zoom").json()["zoom"]
        if len(shares) > 1:
            assert expansion == zoom + 1
        elif len({world.places[name] for name in names}) == 1:
            assert expansion is None
