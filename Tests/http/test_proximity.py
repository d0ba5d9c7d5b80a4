"""What is near and what lies within, against shapely, pyproj and plain arithmetic."""

import json
import math
import random
from collections import defaultdict
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest

from areas import geodesic, members, multi_polygon, polygon
from service import place


def star(lon, lat, radius, corners, generator):
    ring = []
    for corner in range(corners):
        reach = radius * generator.uniform(0.4, 1)
        angle = 2 * math.pi * corner / corners
        ring.append((round(lon + reach * math.cos(angle), 9), round(lat + reach * math.sin(angle), 9)))
    return ring + ring[:1]


def places_of(towns):
    return {row[0]: (row[1], row[2]) for row in towns.rows}


def within(service, geometry, **query):
    answer = service.request("POST", "/within/Towns", geometry, query=query)
    assert answer.status == 200, answer.body
    return answer.json()


def pages(service, path, body=None, **query):
    """The ids of all pages, by following `next`."""
    found, cursor = [], {}
    while True:
        method = "POST" if body else "GET"
        answer = service.request(method, path, body, query={**query, **cursor})
        assert answer.status == 200, answer.body
        page = answer.json()
        found += [feature["id"] for feature in page["features"]]
        if "next" not in page:
            assert answer.headers["Link"] is None
            return found
        cursor = {"cursor": page["next"]}
        (link,) = page["links"]
        assert parse_qs(urlsplit(link["href"]).query)["cursor"] == [page["next"]]
        if body:
            assert link["method"] == "POST" and answer.headers["Link"] is None
        else:
            assert answer.headers["Link"] == f'<{link["href"]}>; rel="next"'


@pytest.mark.parametrize("seed", range(12))
def test_polygons_hold_what_shapely_says(towns, seed):
    generator = random.Random(seed)
    lon, lat = generator.choice([(13.405, 52.52), (179.99, -17.4), (-180, -17), (18.96, 69.65)])
    radius = generator.choice([0.02, 0.2, 1.5])
    outer = star(lon, lat, radius, 60, generator)
    hole = star(lon, lat, radius / 4, 12, generator)
    other = star(lon + 3 * radius, lat, radius, 20, generator)
    one, two = [outer, hole], [[outer, hole], [other]]
    for polygons, body in ((([one]), polygon(*one)), (two, multi_polygon(*two))):
        expected = members(places_of(towns), polygons)
        assert within(towns, body, count="true") == {"count": len(expected)}
        feature = {"type": "Feature", "properties": {}, "geometry": body}
        assert pages(towns, "/within/Towns", feature, limit=37) == expected
        kinds = {row[0] for row in towns.rows if row[3] == "event"}
        assert pages(towns, "/within/Towns", body, limit=1000, kind="event") == [
            name for name in expected if name in kinds]


def test_a_ring_over_the_antimeridian_is_the_cut_one(towns):
    forms = [
        polygon([(170, -25), (190, -25), (190, -10), (170, -10), (170, -25)]),
        polygon([(170, -25), (-170, -25), (-170, -10), (170, -10), (170, -25)]),
        multi_polygon(
            [[(170, -25), (180, -25), (180, -10), (170, -10), (170, -25)]],
            [[(-180, -25), (-170, -25), (-170, -10), (-180, -10), (-180, -25)]]),
    ]
    assert [within(towns, form, count="true")["count"] for form in forms] == [400] * 3


@pytest.mark.parametrize("body,field,says", [
    (polygon([(0, 0), (2, 2), (2, 0), (0, 2), (0, 0)]), "coordinates", "(1.0, 1.0)"),
    (polygon([(0, 0), (2, 2), (2, 0), (0, 2)]), "coordinates", "ring 1 of polygon 1 is open"),
    (polygon([(0, 70), (120, 70), (-120, 70), (0, 70)]), "coordinates", "round a pole"),
    (polygon([(0, 0), (2, 95), (2, 0), (0, 0)]), "coordinates", "latitude"),
    (polygon(), "coordinates", "no rings"),
    ({"type": "Point", "coordinates": [1, 2]}, "type", "Polygon"),
    ({"type": "Polygon", "coordinates": [[["a", 2]]]}, "coordinates", "positions"),
    ({"type": "Polygon"}, "coordinates", "rings"),
    ({"type": "Feature", "geometry": None}, "type", "Polygon"),
    ([1], "type", "Polygon"),
    (b"{", "body", "GeoJSON"),
])
def test_what_is_no_area_is_refused_by_place(towns, body, field, says):
    answer = towns.request("POST", "/within/Towns", body)
    assert answer.status == 400, answer.body
    (error,) = answer.json()["errors"]
    assert error["field"] == field and says in error["message"]


def test_bodies_have_a_limit(towns):
    ring = [(n / 1e6, 0) for n in range(90_000)]
    assert towns.request("POST", "/within/Towns", polygon(ring)).status == 413
    packed = json.dumps(polygon([(0, 0)] * 101_000), separators=(",", ":")).encode()
    answer = towns.request("POST", "/within/Towns", packed)
    assert answer.status == 400 and "100000" in answer.json()["detail"]


@pytest.mark.parametrize("lon,lat", [(13.405, 52.52), (179.999, -17.2), (0, 90), (-77, -12)])
def test_the_ellipsoid_decides_when_asked(towns, lon, lat):
    distances = geodesic(lon, lat, [(row[1], row[2]) for row in towns.rows])
    ours = sorted((*found, row[0]) for found, row in zip(distances, towns.rows))
    features = towns.get("/near/Towns", lon=lon, lat=lat, limit=80, geodesic="true").json()["features"]
    for feature, (distance, bearing, _) in zip(features, ours):
        assert feature["properties"]["distance"] == pytest.approx(distance, abs=1e-6)
        if distance > 1:
            apart = abs(feature["properties"]["bearing"] - bearing) % 360
            assert min(apart, 360 - apart) < 1e-6
    assert len(features) == 80
    for radius in (ours[0][0] + 0.001, ours[150][0] + 0.001, 6_000_000, 20_004_000):
        query = {"center": f"{lon},{lat}", "radius": radius, "geodesic": "true", "count": "true"}
        expected = sum(distance <= radius for distance, _, _ in ours)
        assert towns.get("/within/Towns", **query).json() == {"count": expected}
    assert pages(towns, "/near/Towns", lon=lon, lat=lat, geodesic="true", limit=333)[:50] == [
        name for _, _, name in ours][:50]


def test_the_sphere_and_the_ellipsoid_differ(towns):
    query = {"lon": 13.9, "lat": 52.52, "limit": 1}
    sphere = towns.get("/near/Towns", **query).json()["features"][0]["properties"]["distance"]
    ellipsoid = towns.get("/near/Towns", geodesic="true", **query).json()["features"][0]
    assert 0 < abs(ellipsoid["properties"]["distance"] / sphere - 1) < 0.0056


def test_pages_join_to_the_whole(towns):
    expected = sorted(row[0] for row in towns.rows)
    assert pages(towns, "/within/Towns", bbox="-180,-90,180,90", limit=99) == expected
    near = pages(towns, "/near/Towns", lon=13.4, lat=52.5, limit=99)
    assert sorted(near) == expected


def test_paging_goes_on_while_others_write(start):
    service = start()
    keep = {service.create("Walk", location=place(n / 100, 1), n=n): n for n in range(60)}
    for path, query in (("/within/Walk", {"bbox": "-1,0,1,2"}), ("/near/Walk", {"lon": 0, "lat": 1})):
        found, cursor = [], {}
        for step in range(100):
            page = service.get(path, limit=7, **query, **cursor).json()
            found += [feature["id"] for feature in page["features"]]
            if "next" not in page:
                break
            # The very object that the page ended with goes; others come near and far.
            gone = page["features"][-1]["id"]
            if step % 2:
                service.delete("Walk", gone)
                keep.pop(gone, None)
                found.remove(gone)
            for at in (-0.5, 0.005, 0.7):
                service.create("Walk", location=place(at, 1.0001), n=-1)
            cursor = {"cursor": page["next"]}
        ours = [name for name in found if name in keep]
        assert len(ours) == len(set(ours)) and set(ours) == set(keep)
        assert len(found) == len(set(found))


def test_a_cursor_belongs_to_its_question(towns):
    first = towns.get("/within/Towns", bbox="-180,-90,180,90", limit=5).json()["next"]
    near = towns.get("/near/Towns", lon=13, lat=52, limit=5).json()["next"]
    body = polygon([(0, 0), (90, 0), (90, 80), (0, 80), (0, 0)])
    posted = within(towns, body, limit=5)["next"]
    ok = towns.get("/within/Towns", bbox="-180,-90,180,90", limit=50, cursor=first)
    assert ok.status == 200 and len(ok.json()["features"]) == 50
    for query in (
            {"bbox": "-180,-90,180,89", "cursor": first}, {"bbox": "-180,-90,180,90", "cursor": near},
            {"bbox": "-180,-90,180,90", "cursor": posted}, {"bbox": "-180,-90,180,90", "kind": "event", "cursor": first},
            {"bbox": "-180,-90,180,90", "cursor": first[:-1]}, {"bbox": "-180,-90,180,90", "cursor": ""},
            {"bbox": "-180,-90,180,90", "cursor": "x"}, {"bbox": "-180,-90,180,90", "cursor": first + "\u00e9"}):
        answer = towns.get("/within/Towns", **query)
        assert answer.status == 400 and answer.json()["errors"][0]["field"] == "cursor"
    for cursor in (first, posted):
        assert towns.get("/near/Towns", lon=13, lat=52, cursor=cursor).status == 400
    other = polygon([(0, 0), (90, 0), (90, 81), (0, 80), (0, 0)])
    assert towns.request("POST", "/within/Towns", other, query={"cursor": posted}).status == 400


@pytest.mark.parametrize("path,one,same,different", [
    ("/near/Towns", "lon=13.4&lat=52.5",
     ["lon=13.40&lat=5.25e1", "lon=373.4&lat=52.5", "lon=-346.6&lat=%2B52.50000000001"],
     ["lon=13.4000001&lat=52.5", "lon=13.4&lat=52.5000001", "lon=13.4&lat=52.5&radius=1e9",
      "lon=13.4&lat=52.5&geodesic=true"]),
    ("/near/Towns", "lon=180&lat=1&radius=2e7",
     ["lon=-180&lat=1&radius=20000000", "lon=540&lat=1.0&radius=2e7"],
     ["lon=180&lat=1", "lon=180&lat=1&radius=20000001"]),
    ("/within/Towns", "center=13.4,52.5&radius=1e7", ["center=373.4,52.50&radius=10000000.0&geodesic=false"],
     ["center=13.4,52.6&radius=1e7", "center=13.4,52.5&radius=1e7&geodesic=true", "center=13.4,52.5&radius=1e6"]),
    ("/within/Towns", "bbox=0,0,90,80", ["bbox=360,0.0,450,80"], ["bbox=0,0,90,80.0000001"]),
    ("/within/Towns", "geohash=u", ["geohash=U"], ["geohash=u3"]),
])
def test_a_cursor_belongs_to_the_place_however_it_is_written(towns, path, one, same, different):
    query = dict(parse_qsl(one))
    whole = pages(towns, path, limit=1000, **query)
    cursor = towns.get(path, limit=5, **query).json()["next"]
    for other in same:
        rest = pages(towns, path, limit=1000, cursor=cursor, **dict(parse_qsl(other)))
        assert rest == whole[5:], other
    for other in different:
        answer = towns.get(f"{path}?{other}&cursor={cursor}")
        assert answer.status == 400 and answer.json()["errors"][0]["field"] == "cursor", other


#: Every place where a longitude of a question stands: a template, and the name of the parameter at fault.
LONGITUDES = [
    ("/near/Towns?lon={lon}&lat=1", "lon"), ("/within/Towns?center={lon},1&radius=5", "center"),
    ("/within/Towns?bbox={lon},1,2,3", "bbox"), ("/within/Towns?bbox=1,1,{lon},3", "bbox"),
    ("/aggregate/Towns?grid=geohash&precision=3&bbox={lon},1,2,3", "bbox"),
    ("/clusters/Towns?zoom=3&bbox=1,1,{lon},3", "bbox"), ("/hotspots/Towns?zoom=3&bbox={lon},1,2,3", "bbox"),
]


@pytest.mark.parametrize("template,name", LONGITUDES)
def test_longitudes_wrap_up_to_a_hundred_turns(towns, template, name):
    for lon in ("1e20", "-1e20", "36000.0000001", "-36001", "1e308"):
        answer = towns.get(template.format(lon=lon))
        assert answer.status == 400, lon
        (error,) = answer.json()["errors"]
        assert error["field"] == name and "-36000 to 36000" in error["message"]
    for lon in ("36000", "-36000", "35999.5", "-190", "725"):
        assert towns.get(template.format(lon=lon)).status == 200, lon


def test_longitudes_of_a_polygon_wrap_as_far(towns):
    def ring(west):
        return polygon([(west, -25), (west + 20, -25), (west + 20, -10), (west, -10), (west, -25)])
    counts = {within(towns, ring(170 + turns * 360), count="true")["count"] for turns in (-99, -1, 0, 1, 99)}
    assert counts == {400}
    answer = towns.request("POST", "/within/Towns", ring(36_000))
    assert answer.status == 400 and "-36000 to 36000" in answer.json()["errors"][0]["message"]


def halved(low, high, bits, path):
    for bit in path:
        middle = (low + high) / 2
        low, high = (middle, high) if bit else (low, middle)
    return low, high


def decode(text):
    digits = [("0123456789bcdefghjkmnpqrstuvwxyz".index(symbol)) for symbol in text]
    bits = [digit >> place & 1 for digit in digits for place in (4, 3, 2, 1, 0)]
    west, east = halved(-180, 180, bits, bits[::2])
    south, north = halved(-90, 90, bits, bits[1::2])
    return west, south, east, north


@pytest.mark.parametrize("text", ["u33dc", "u", "xbpbpbpbpbpb", "rzz", "000"])
def test_a_geohash_has_a_box_a_centre_and_neighbours(towns, text):
    cell = towns.get(f"/geohash/{text}").json()
    west, south, east, north = box = decode(text)
    assert cell["geohash"] == text and cell["bbox"] == list(box)
    assert cell["centre"] == pytest.approx([(west + east) / 2, (south + north) / 2], abs=1e-7)
    assert set(cell["neighbours"]) == {"n", "ne", "e", "se", "s", "sw", "w", "nw"}
    if cell["neighbours"]["e"]:
        west_of_east = decode(cell["neighbours"]["e"])[0]
        assert west_of_east == (east if east < 180 else -180)
    assert towns.get(f"/within/Towns?geohash={text}&count=true").json()["count"] == sum(
        west <= row[1] <= east and south <= row[2] <= north for row in towns.rows)
    assert towns.get(f"/geohash/{text.upper()}").json() == cell


def test_what_is_no_geohash_is_refused(towns):
    for path in ("/geohash/u33a", "/geohash/0123456789bcd", "/within/Towns?geohash=ail"):
        answer = towns.get(path)
        assert answer.status == 400 and answer.json()["errors"][0]["field"] in ("hash", "geohash")


@pytest.mark.parametrize("precision", [1, 3, 5, 7])
@pytest.mark.parametrize("query", [
    {}, {"kind": "event"}, {"bbox": "13.3,52.4,13.5,52.6"}, {"bbox": "170,-25,-170,-10", "kind": "photo,track"}])
def test_geohash_buckets_count_all(towns, precision, query):
    answer = towns.get("/aggregate/Towns", grid="geohash", precision=precision, limit=100000, **query)
    buckets = answer.json()["buckets"]
    kinds = query.get("kind", "event,trade,photo,track,marker").split(",")
    west, south, east, north = map(float, query.get("bbox", "-180,-90,180,90").split(","))
    kept = [
        row for row in towns.rows
        if row[3] in kinds and south <= row[2] <= north
        and (west <= row[1] <= east if west < east else row[1] >= west or row[1] <= east)]
    assert sum(bucket["count"] for bucket in buckets) == len(kept)
    cells = defaultdict(list)
    for bucket in buckets:
        box = decode(bucket["key"])
        for row in kept:
            if box[0] <= row[1] < box[2] and box[1] <= row[2] < box[3]:
                cells[bucket["key"]].append(row)
        rows = cells[bucket["key"]]
        assert len(rows) == bucket["count"]
        assert bucket["centroid"] == pytest.approx(
            [sum(row[1] for row in rows) / len(rows), sum(row[2] for row in rows) / len(rows)], abs=2e-7)


@pytest.mark.parametrize("zoom", [0, 5, 13, 22])
def test_tile_buckets_count_all(towns, zoom):
    buckets = towns.get("/aggregate/Towns", grid="geotile", precision=zoom).json()["buckets"]
    expected = defaultdict(int)
    for row in towns.rows:
        x = int((row[1] + 180) / 360 * 2 ** zoom) % 2 ** zoom
        y = int((1 - math.asinh(math.tan(math.radians(row[2]))) / math.pi) / 2 * 2 ** zoom)
        expected[f"{zoom}/{x}/{y}"] += 1
    assert {bucket["key"]: bucket["count"] for bucket in buckets} == expected


@pytest.mark.parametrize("query,field", [
    ("precision=3", "grid"), ("grid=hex&precision=3", "grid"), ("grid=hex", "grid"), ("grid=geohash", "precision"),
    ("grid=geotile", "precision"), ("grid=geohash&precision=0", "precision"), ("grid=geotile&precision=-1", "precision"),
    ("grid=geohash&precision=13", "precision"), ("grid=geotile&precision=23", "precision"),
    ("grid=geohash&precision=9&limit=5", "limit"), ("grid=geotile&precision=3&zoom=3", "zoom"),
])
def test_what_is_no_grid_is_refused(towns, query, field):
    answer = towns.get(f"/aggregate/Towns?{query}")
    assert answer.status == 400 and answer.json()["errors"][0]["field"] == field


@pytest.mark.parametrize("precision", ["", "&precision=", "&precision=x", "&precision=99"])
@pytest.mark.parametrize("grid,says", [("geohash", "from 1 to 12"), ("geotile", "from 0 to 22")])
def test_a_wrong_precision_is_told_its_range(towns, grid, says, precision):
    (error,) = towns.get(f"/aggregate/Towns?grid={grid}{precision}").json()["errors"]
    assert error["field"] == "precision" and says in error["message"]


def test_a_tag_changes_when_the_answer_does(start):
    service = start()
    for kind, lon in (("event", 13.4), ("event", 13.41), ("photo", -77)):
        service.create("Tag", location=place(lon, 52.5), kind=kind)
    asked = [
        ("/aggregate/Tag", {"grid": "geohash", "precision": 5, "kind": "event"}),
        ("/aggregate/Tag", {"grid": "geotile", "precision": 9, "bbox": "13,52,14,53"}),
        ("/within/Tag", {"geohash": "u33", "count": "true"})]
    def tags():
        return [service.get(path, **query).headers["ETag"] for path, query in asked]
    before = tags()
    other = service.create("Tag", location=place(-77, 52.6), kind="photo")
    assert tags() == before
    near = service.create("Tag", location=place(13.42, 52.5), kind="event")
    assert all(one != two for one, two in zip(before, tags()))
    service.delete("Tag", near)
    service.delete("Tag", other)
    assert tags() == before
    for (path, query), tag in zip(asked, before):
        assert service.get(path, {"If-None-Match": tag}, **query).status == 304


@pytest.mark.parametrize("query,field", [
    ("bbox=0,0,1,1&geohash=u", "geohash"), ("bbox=0,0,1,1&geodesic=true", "geodesic"),
    ("geohash=u&radius=5", "radius"), ("center=1,2&radius=5&geodesic=yes", "geodesic"), ("", "bbox"),
])
def test_areas_are_named_once(towns, query, field):
    answer = towns.get(f"/within/Towns?{query}")
    assert answer.status == 400 and answer.json()["errors"][0]["field"] == field
