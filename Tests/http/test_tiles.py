"""Raster tiles: their legend, what is refused, and memory under many of them."""

import json
import os
import random

import pytest

from service import REPOSITORY, place

MARKS = json.loads((REPOSITORY / "styles/marks.json").read_text())
#: So many random tiles; a hundred thousand when memory is to be looked at for real.
TILES = int(os.environ.get("GEOSERVICE_RANDOM_TILES", "1500"))


def legend(service, style, layer="Marks", **query):
    return service.get(f"/tiles/{layer}/legend.json", style=style, **query)


def test_the_legend_tells_the_kinds_that_are_there(start):
    service = start()
    for at, kind in enumerate(["cafe", "bench", "marker", None]):
        fields = {"kind": kind} if kind else {}
        service.create("Marks", location=place(at * 20 - 50, 10), **fields)
    known = {look["kind"]: look for look in MARKS["kinds"]}
    for style, zoom in (("clusters", 0), ("points", 16)):
        answer = legend(service, style)
        assert answer.status == 200 and answer.headers["ETag"]
        found = answer.json()
        assert (found["grid"], found["iconsFromZoom"], found["neutral"]) == (13, zoom, MARKS["neutral"])
        assert [entry["kind"] for entry in found["kinds"]] == ["bench", "cafe", "marker"]
        bench, cafe, marker = found["kinds"]
        assert bench["icon"] is None and bench["color"] in MARKS["further"]
        for entry in (cafe, marker):
            assert entry == {name: known[entry["kind"]][name] for name in ("kind", "color", "icon")}
    # Another object of a kind that is there changes nothing.
    tag = legend(service, "points").headers["ETag"]
    service.create("Marks", location=place(5, 5), kind="cafe")
    assert legend(service, "points").headers["ETag"] == tag
    service.create("Marks", location=place(5, 5), kind="park")
    assert legend(service, "points").headers["ETag"] != tag


@pytest.mark.parametrize("query,named", [
    ({}, "style"), ({"style": "dots"}, "style"), ({"style": "heat"}, "z"), ({"style": "heat", "z": 23}, "z"),
    ({"style": "points", "z": 3}, "z"), ({"style": "clusters", "palette": "ember"}, "palette"),
    ({"style": "points", "halfLife": "1h"}, "halfLife"), ({"style": "points", "kind": "cafe"}, "kind"),
    ({"style": "heat", "z": 3, "palette": "viridis"}, "palette"),
])
def test_a_legend_of_nothing_is_refused(towns, query, named):
    answer = towns.get("/tiles/Towns/legend.json", **query)
    assert answer.status == 400
    assert [error["field"] for error in answer.json()["errors"]] == [named]


@pytest.mark.parametrize("suffix", [".png", "@2x.png"])
@pytest.mark.parametrize("query,named", [
    ("style=dots", "style"), ("style=", "style"), ("style=HEAT", "style"), ("style=heat%00", "style"),
    ("style=clusters&style=heat", "style"), ("style=heat&palette=viridis", "palette"),
    ("style=heat&palette=", "palette"), ("style=heat&palette=Ember", "palette"),
    ("style=heat&palette=../ember", "palette"), ("style=points&palette=ember", "palette"),
    ("palette=ember", "palette"), ("style=points&halfLife=1h", "halfLife"),
    ("style=heat&halfLife=0m", "halfLife"), ("style=heat&halfLife=-1h", "halfLife"),
    ("style=heat&halfLife=99999999999999999999d", "halfLife"), ("style=heat&radius=64", "radius"),
    ("style=heat&minOwners=1", "minOwners"), ("scale=2", "scale"), ("scale=1e9", "scale"),
    ("size=100000", "size"), ("style=heat&since=yesterday", "since"), ("style=heat&until=1e9", "until"),
    ("kind=", "kind"), ("kind=a,,b", "kind"), ("where=%5B%5D", "where"), ("z=3", "z"),
])
def test_what_a_tile_is_not_asked_for_is_refused(towns, suffix, query, named):
    answer = towns.get(f"/tiles/Towns/5/17/10{suffix}?{query}")
    assert answer.status == 400, answer.body
    assert [error["field"] for error in answer.json()["errors"]] == [named]


@pytest.mark.parametrize("path", [
    "/tiles/Towns/5/17/10@9x.png", "/tiles/Towns/5/17/10@100000000000x.png", "/tiles/Towns/5/17/10@-2x.png",
    "/tiles/Towns/5/17/10@2X.png", "/tiles/Towns/5/17/10.PNG", "/tiles/Towns/5/17/10.jpg", "/tiles/Towns/5/17/10",
    "/tiles/Towns/5/17/.png", "/tiles/Towns/5/17/10.png/", "/tiles/Towns/5/17/10.png.png", "/tiles/Towns/5/17",
    "/tiles/Towns/5/%2e%2e/10.png", "/tiles/Towns/5/..%2f17/10.png", "/tiles/../Towns/5/17/10.png",
    "/tiles/%00/5/17/10.png", "/tiles/Nowhere/5/17/10.png", "/tiles/towns/5/17/10.png", "/tiles//5/17/10.png",
    "/tiles/Towns/22/4194304/0.png", "/tiles/Towns/22/0/4294967296.png",
    "/tiles/Towns/5/" + "1" * 400 + "/10.png", "/tiles/" + "T" * 3000 + "/5/17/10.png",
])
def test_a_hostile_path_is_a_problem_of_the_client(towns, path):
    connection = towns.connect()
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
    finally:
        connection.close()
    assert 400 <= answer.status < 500, (answer.status, body)
    assert towns.get("/tiles/Towns/5/17/10.png").status == 200


def resident_bytes(service):
    with open(f"/proc/{service.process.pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_memory_stays_flat_over_random_tiles(start, settings):
    """However many different tiles are asked for, memory is that of the cache: the second half of
    them takes nothing that the first half did not."""
    settings(GEOSERVICE_TILE_CACHE_MB="1")
    service = start()
    chance = random.Random(6)
    rows = [f"{number},{chance.gauss(13.4, 3):.6f},{chance.gauss(52.5, 2):.6f},{chance.choice('abc')}"
            for number in range(3000)]
    service.import_csv("Many", "id,lon,lat,kind\n" + "\n".join(rows) + "\n", id="id", kind="kind")
    connection = service.connect()

    def ask(count):
        for _ in range(count):
            zoom = chance.randrange(0, 23)
            x, y = 2 ** zoom * (chance.gauss(13.4, 3) + 180) / 360, 2 ** zoom * chance.gauss(0.328, 0.01)
            scale = chance.choice(("", "", "", "@2x"))
            style = chance.choice(("clusters", "points", "heat"))
            connection.request("GET", f"/tiles/Many/{zoom}/{int(x)}/{int(y)}{scale}.png?style={style}")
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200

    ask(TILES // 2)
    middle = resident_bytes(service)
    ask(TILES - TILES // 2)
    end = resident_bytes(service)
    connection.close()
    print(f"{TILES} tiles: {middle / 2 ** 20:.1f} MiB at the half, {end / 2 ** 20:.1f} MiB at the end")
    assert end - middle < 8 << 20
