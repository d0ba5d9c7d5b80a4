"""Clusters, tiles and proximity, as a map client asks for them."""

import math
from collections import Counter
from urllib.parse import quote

import pytest

import png
from service import count_of, place

WORLD = "-180,-90,180,90"


@pytest.mark.parametrize("zoom", [0, 1, 4, 8, 12, 17, 22])
def test_nothing_is_lost_at_any_zoom(towns, zoom):
    features = towns.clusters("Towns", zoom)
    assert count_of(features) == len(towns.rows)
    clusters = [feature for feature in features if feature["properties"].get("cluster")]
    for feature in clusters:
        properties = feature["properties"]
        assert feature["id"] == properties["cluster_id"]
        assert properties["point_count"] >= 2
        assert sum(properties["kinds"].values()) == properties["point_count"]
    assert len({feature["id"] for feature in features}) == len(features)


def test_a_kind_is_counted_alone(towns):
    kinds = Counter(row[3] for row in towns.rows)
    for kind, count in kinds.items():
        assert count_of(towns.clusters("Towns", 5, kind=kind)) == count
    assert count_of(towns.clusters("Towns", 5, kind="event,trade")) == kinds["event"] + kinds["trade"]
    assert towns.clusters("Towns", 5, kind="nothing") == []


def test_boxes_that_share_edges_share_no_cluster(towns):
    whole = {feature["id"] for feature in towns.clusters("Towns", 6)}
    parts = [
        feature["id"]
        for box in ("-180,-90,0,0", "0,-90,180,0", "-180,0,0,90", "0,0,180,90")
        for feature in towns.clusters("Towns", 6, box)]
    assert sorted(map(str, parts)) == sorted(map(str, whole))


def test_a_box_may_cross_the_antimeridian(towns):
    crossing = {str(feature["id"]) for feature in towns.clusters("Towns", 7, "170,-25,-170,-10")}
    wrapped = {str(feature["id"]) for feature in towns.clusters("Towns", 7, "170,-25,190,-10")}
    assert crossing == wrapped
    assert count_of(towns.clusters("Towns", 7, "170,-25,-170,-10")) == 400


def test_a_cluster_can_be_taken_apart(towns):
    cluster = max(
        (feature for feature in towns.clusters("Towns", 3) if feature["properties"].get("cluster")),
        key=lambda feature: feature["properties"]["point_count"])
    path, count = f"/clusters/Towns/{cluster['id']}", cluster["properties"]["point_count"]
    zoom = towns.get(f"{path}/expansion-zoom").json()["zoom"]
    assert zoom > 3
    assert count_of(towns.get(f"{path}/children").json()["features"]) == count
    leaves = towns.get(f"{path}/leaves", limit=10, offset=5).json()
    assert leaves["total"] == count and len(leaves["features"]) == 10
    every = towns.get(f"{path}/leaves", limit=1000).json()["features"]
    assert [feature["id"] for feature in every] == sorted({feature["id"] for feature in every})
    assert every[5:15] == leaves["features"]


def test_on_one_spot_there_is_no_way_apart(start):
    service = start()
    for number in range(3):
        service.create("Spot", location=place(5, 5), number=number)
    (cluster,) = service.clusters("Spot", 22)
    assert cluster["properties"]["point_count"] == 3
    path = f"/clusters/Spot/{cluster['id']}"
    assert service.get(f"{path}/expansion-zoom").json() == {"zoom": None}
    # No zoom is deeper: the children are the objects, as the leaves are.
    leaves = service.get(f"{path}/leaves").json()
    children = service.get(f"{path}/children", limit=3).json()
    assert leaves["total"] == 3 and len(leaves["features"]) == 3
    assert children == {"type": "FeatureCollection", "features": leaves["features"]}
    assert service.get(f"{path}/children", limit=2).status == 400
    for offset in (3, 2**32 - 1):
        page = service.get(f"{path}/leaves", offset=offset).json()
        assert page["features"] == [] and page["total"] == 3
    for offset in (-1, 2**32, "1.5"):
        assert service.get(f"{path}/leaves", offset=offset).status == 400


@pytest.mark.parametrize("style", ["clusters", "points", "heat"])
@pytest.mark.parametrize("scale,side", [("", 256), ("@2x", 512)])
def test_a_tile_shows_what_is_there(towns, style, scale, side):
    answer = towns.get(f"/tiles/Towns/5/17/10{scale}.png", style=style)
    assert answer.status == 200 and answer.headers["Content-Type"] == "image/png"
    width, height, pixels = png.decode(answer.body)
    assert (width, height) == (side, side)
    alphas = [pixel[3] for row in pixels for pixel in row]
    assert max(alphas) > 100 and min(alphas) == 0
    empty = towns.get(f"/tiles/Towns/5/1/1{scale}.png", style=style)
    width, height, pixels = png.decode(empty.body)
    assert (width, height) == (side, side)
    assert all(pixel[3] == 0 for row in pixels for pixel in row)


def test_the_styles_and_kinds_differ(towns):
    path = "/tiles/Towns/5/17/10.png"
    bodies = [towns.get(path, style=style).body for style in ("clusters", "points", "heat")]
    bodies += [towns.get(path, style="points", kind="photo").body]
    assert len(set(bodies)) == 4


def test_the_basemap_has_land_and_sea(towns):
    width, height, pixels = png.decode(towns.get("/tiles/basemap/2/2/1.png").body)
    assert (width, height) == (256, 256)
    colors = Counter(pixel for row in pixels for pixel in row)
    assert all(color[3] == 255 for color in colors), "opaque"
    assert len([color for color, count in colors.items() if count > 2000]) >= 2


def test_tile_json_names_the_tiles(towns):
    document = towns.get("/tiles/Towns.json").json()
    assert document["tilejson"] == "3.0.0"
    template = document["tiles"][0]
    assert template.startswith(towns.address.rstrip("/")) and "{z}/{x}/{y}" in template


def test_nearest_first(towns):
    lon, lat = 13.4, 52.5
    answer = towns.get("/near/Towns", lon=lon, lat=lat, limit=50)
    found = answer.json()["features"]
    ours = sorted((haversine(lon, lat, row[1], row[2]), row[0]) for row in towns.rows)[:50]
    assert len(found) == 50
    for feature, (distance, _) in zip(found, ours):
        assert feature["properties"]["distance"] == pytest.approx(distance, abs=0.05)
    limited = towns.get("/near/Towns", lon=lon, lat=lat, limit=1000, radius=5000).json()["features"]
    assert len(limited) == sum(haversine(lon, lat, row[1], row[2]) <= 5000 for row in towns.rows)


def test_within_a_box_and_a_circle(towns):
    inside = [row for row in towns.rows if 13.3 <= row[1] <= 13.5 and 52.4 <= row[2] <= 52.6]
    assert towns.get("/within/Towns", bbox="13.3,52.4,13.5,52.6", count="true").json() == {"count": len(inside)}
    near = sum(haversine(13.405, 52.52, row[1], row[2]) <= 3000 for row in towns.rows)
    circle = towns.get("/within/Towns", center="13.405,52.52", radius=3000, limit=10000).json()
    assert len(circle["features"]) == near


def test_the_collections_tell_what_there_is(towns):
    (layer,) = towns.get("/v1/collections").json()["collections"]
    assert layer["id"] == "Towns" and layer["count"] == len(towns.rows)
    west, south, east, north = layer["extent"]["spatial"]["bbox"][0]
    assert south == min(row[2] for row in towns.rows) and north == max(row[2] for row in towns.rows)
    one = towns.get("/v1/collections/Towns").json()
    assert one["kinds"] == dict(Counter(row[3] for row in towns.rows))


def haversine(lon1, lat1, lon2, lat2):
    """Metres on the sphere of radius 6,371,008.8 m."""
    lon1, lat1, lon2, lat2 = map(math.radians, (lon1, lat1, lon2, lat2))
    across = math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * 6371008.8 * math.asin(math.sqrt(math.sin((lat2 - lat1) / 2) ** 2 + across))


@pytest.mark.parametrize("query", [
    "bbox=0x0,0,0x10,10&zoom=3", "bbox=0,0,nan,10&zoom=3", "bbox=0,0,inf,10&zoom=3", "bbox=0,0,1e309,10&zoom=3",
    "bbox=0,0,10,10&zoom=0x3", "bbox=0,0,10,10&zoom=+", "bbox=0,0,10,10&zoom=3.0",
])
def test_numbers_are_decimal(towns, query):
    answer = towns.get(f"/clusters/Towns?{query}")
    assert answer.status == 400
    assert answer.json()["errors"][0]["field"] in ("bbox", "zoom")


def test_the_basemap_is_light_or_dark(towns):
    tags, levels = set(), {}
    for style in ("", "?style=light", "?style=dark"):
        answer = towns.get(f"/tiles/basemap/2/2/1.png{style}")
        tags.add(answer.headers["ETag"])
        _, _, rows = png.decode(answer.body)
        levels[style] = sum(sum(pixel[:3]) for row in rows for pixel in row) / (3 * 256 * 256)
    assert len(tags) == 2 and levels[""] == levels["?style=light"]
    assert levels["?style=dark"] < 80 < 160 < levels["?style=light"]
    known = towns.get("/tiles/basemap/2/2/1.png?style=dark").headers["ETag"]
    assert towns.get("/tiles/basemap/2/2/1.png?style=dark", {"If-None-Match": known}).status == 304
    assert towns.get("/tiles/basemap/2/2/1.png?style=light", {"If-None-Match": known}).status == 200
    described = towns.get("/tiles/basemap.json?style=dark").json()
    assert described["tiles"][0].endswith("/tiles/basemap/{z}/{x}/{y}.png?style=dark")
    assert towns.get("/tiles/basemap.json").json()["tiles"][0].endswith(".png")


@pytest.mark.parametrize("query,field", [
    ("style=neon", "style"), ("style=", "style"), ("style=Light", "style"), ("style=light&style=dark", "style"),
    ("palette=lagoon", "palette"), ("kind=event", "kind"), ("scale=9", "scale"),
])
def test_what_the_basemap_does_not_take(towns, query, field):
    for path in ("2/2/1.png", "2/2/1@2x.png"):
        answer = towns.get(f"/tiles/basemap/{path}?{query}")
        assert answer.status == 400, answer.body
        assert [error["field"] for error in answer.json()["errors"]] == [field]
    if field == "style":
        assert "light, dark" in towns.get(f"/tiles/basemap.json?{query}").json()["detail"] or "&" in query


@pytest.mark.parametrize("layer", ["Towns", "basemap"])
@pytest.mark.parametrize("path,status,says", [
    # What is no zoom.
    ("-1/0/0.png", 400, "from 0 to 22"), ("23/0/0.png", 400, "from 0 to 22"), ("1e1/0/0.png", 400, "from 0 to 22"),
    ("+3/4/2.png", 400, "from 0 to 22"), ("3.0/4/2.png", 400, "from 0 to 22"), ("z/4/2.png", 400, "from 0 to 22"),
    ("99999999999999999999/0/0.png", 400, "from 0 to 22"), ("023/0/0.png", 400, "from 0 to 22"),
    ("-1/0/0@2x.png", 400, "from 0 to 22"), ("%203/4/2.png", 400, "from 0 to 22"), ("３/4/2.png", 400, "from 0 to 22"),
    # What is no column or row of the zoom.
    ("3/8/2.png", 404, "8"), ("3/4/8.png", 404, "8"), ("3/-1/2.png", 404, "whole numbers"),
    ("3/4/-1.png", 404, "whole numbers"), ("3/4e0/2.png", 404, "whole numbers"), ("3/x/2@2x.png", 404, "whole numbers"),
    ("3/4/99999999999999999999.png", 404, "whole numbers"), ("3/4/2.5.png", 404, "whole numbers"),
    # A second address of one tile.
    ("03/4/2.png", 404, "zoom 3"), ("000/0/0.png", 404, "zoom 0"), ("3/04/2.png", 404, "zeros"),
    ("3/4/02.png", 404, "zeros"), ("3/4/002@2x.png", 404, "zeros"), ("3/4/+2.png", 404, "whole numbers"),
    # Other scales.
    ("3/4/2@3x.png", 404, "scales 1"), ("3/4/2@1x.png", 404, "@2x"), ("3/4/2@.png", 404, "@2x"),
    ("3/4/2@2x@2x.png", 404, "@2x"),
])
def test_a_tile_has_one_address(towns, layer, path, status, says):
    answer = towns.get(f"/tiles/{layer}/{quote(path, safe='/%@+')}")
    assert answer.status == status, answer.body
    problem = answer.json()
    assert says in problem["detail"]
    assert [error["field"] for error in problem.get("errors", [])] == (["z"] if status == 400 else [])


def test_what_is_numbered_has_one_address(towns):
    for layer in ("Towns", "basemap"):
        for path in ("0/0/0", "3/4/2", "22/4194303/0"):
            assert towns.get(f"/tiles/{layer}/{path}.png").status == 200
    (cluster, *_) = [feature["id"] for feature in towns.clusters("Towns") if feature["properties"].get("cluster")]
    assert towns.get(f"/clusters/Towns/{cluster}/leaves").status == 200
    for number in (f"0{cluster}", f"00{cluster}", f"+{cluster}", f"{cluster}.0"):
        for rest in ("children", "leaves", "expansion-zoom"):
            assert towns.get(f"/clusters/Towns/{number}/{rest}").status == 404


def test_a_kind_is_short(start):
    service = start()
    service.create("Long", kind="k" * 5000, location=place(1, 2))
    service.create("Long", kind="short", location=place(1, 3))
    answer = service.get("/v1/collections/Long")
    assert answer.json()["kinds"] == {"short": 1}
    assert answer.json()["count"] == 2
