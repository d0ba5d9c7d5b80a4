"""The page as a person uses it: a real browser on a real server."""

import re
import time
from collections import Counter

import pytest
from selenium.webdriver.common.keys import Keys

from badges import BADGES
from service import place, run


def number(text):
    return int(text.replace(",", ""))


def total(page):
    """The number of places that the panel tells."""
    return number(re.match(r"([\d,]+) place", page.text("#counts"))[1])


def test_the_badges_of_the_world_sum_up_to_the_layer(page, towns):
    page.open(f"{towns.address}/#Towns/2/20/10/clusters")
    page.wait(lambda: sum(page.counts()) == len(towns.rows), "all places on badges")
    assert total(page) == len(towns.rows)
    assert f"{len(towns.rows):,} in view" in page.text("#counts")
    served = towns.clusters("Towns", 2)
    labels = [feature["properties"]["point_count_abbreviated"] for feature in served]
    assert Counter(page.counts_of_labels()) == Counter(labels)
    page.wait(page.basemap_is_loaded, "the basemap")
    assert page.problems() == []


def test_the_world_repeats_and_every_place_is_named_once(page, towns):
    page.open(f"{towns.address}/#Towns/2/0/179/clusters")
    page.wait(lambda: sum(page.counts()) == len(towns.rows), "all places on badges")
    everything = page.script("return document.querySelectorAll('.badge[data-count]').length")
    assert everything > len(page.counts()), "the window is wider than the world"
    page.find("#map").send_keys(Keys.ARROW_RIGHT * 4)
    time.sleep(2)
    assert sum(page.counts()) == len(towns.rows)
    right = page.script("""
        return Math.max(...[...document.querySelectorAll('.badge[data-count]')]
            .map(b => b.getBoundingClientRect().right))""")
    assert right > 900, "the far side is filled after a move"


def test_badges_stand_where_the_clusters_are_and_do_not_hide_one_another(page, towns):
    page.open(f"{towns.address}/#Towns/10/52.52/13.4/clusters")
    page.wait(page.counts, "badges")
    time.sleep(0.5)
    middles = page.script("""
        return [...document.querySelectorAll(arguments[0])].map(b => b.getBoundingClientRect())
            .map(r => [r.x + r.width / 2, r.y + r.height / 2])""", BADGES)
    assert len(middles) > 10
    for at, (x, y) in enumerate(middles):
        for other_x, other_y in middles[at + 1:]:
            assert (x - other_x) ** 2 + (y - other_y) ** 2 > 38 ** 2


def test_a_click_on_a_cluster_looks_closer(page, towns):
    page.open(f"{towns.address}/#Towns/2/20/10/clusters")
    page.wait(page.counts, "badges")
    cluster = max(page.all(BADGES), key=lambda badge: int(badge.get_attribute("data-count")))
    path = f"/clusters/Towns/{cluster.get_attribute('data-id')}/expansion-zoom"
    zoom = towns.get(path).json()["zoom"]
    assert "Look closer" in cluster.get_attribute("aria-label")
    cluster.click()
    page.wait(lambda: page.zoom() == zoom > 2, f"zoom {zoom}")
    page.wait(lambda: len(page.counts()) >= 2, "its parts")
    assert page.problems() == []


def test_a_click_on_a_place_tells_what_it_is_and_runs_nothing(page, start):
    service = start()
    service.create("Posts", location=place(13.4, 52.5), kind="event", likes=1234, isFree=True,
                   title="<img src=x onerror=alert(1)> & <b>friends</b>")
    page.open(f"{service.address}/#Posts/12/52.5/13.4/clusters")
    badge = page.wait(lambda: page.all(f"{BADGES}[data-count='1']"), "the place")[0]
    assert "friends" in badge.get_attribute("aria-label")
    badge.click()
    page.wait(lambda: page.all(".popup h2"), "the popup")
    assert page.text(".popup h2") == "<img src=x onerror=alert(1)> & <b>friends</b>"
    assert page.text(".popup-kind") == "event"
    fields = page.text(".popup dl")
    assert "1,234" in fields and "52.50000, 13.40000" in fields
    assert page.all(".popup img, .popup b") == []
    assert page.problems() == []


def test_fields_that_look_like_the_services_own_do_no_harm(page, start):
    service = start()
    service.create("Posts", location=place(13.4, 52.5), title="Odd", cluster=True, point_count="x",
                   when="2026-13-45T99:99:99Z", kindly="fine")
    page.open(f"{service.address}/#Posts/12/52.5/13.4/clusters")
    badge = page.wait(lambda: page.all(f"{BADGES}[data-count='1']"), "the place")[0]
    assert badge.get_attribute("aria-label") == "Odd"
    assert page.text("#counts").startswith("1 ")
    badge.click()
    page.wait(lambda: page.all(".popup dl dd") and page.text(".popup dl dd"), "the fields")
    fields = page.text(".popup dl")
    assert "2026-13-45T99:99:99Z" in fields and "fine" in fields and "cluster" in fields
    assert page.problems() == []


def test_the_keyboard_reaches_everything(page, start):
    service = start()
    service.create("Posts", location=place(13.4, 52.5), title="Only one")
    page.open(f"{service.address}/#Posts/12/52.5/13.4/clusters")
    page.wait(page.counts, "the place")
    page.find("#live").send_keys(Keys.TAB)
    focused = lambda: page.driver.switch_to.active_element
    assert focused().get_attribute("value") == "clusters"
    focused().send_keys(Keys.ARROW_RIGHT)
    page.wait(lambda: page.script("return location.hash").endswith("/points"), "points")
    focused().send_keys(Keys.ARROW_LEFT)
    badge = page.wait(lambda: page.all(BADGES), "the place")[0]
    page.script("arguments[0].focus()", badge)
    badge.send_keys(Keys.ENTER)
    page.wait(lambda: page.all(".popup h2"), "the popup")
    page.wait(lambda: "popup" in focused().get_attribute("class"), "the focus in it")
    focused().send_keys(Keys.ESCAPE)
    page.wait(lambda: not page.all(".popup"), "the popup to close")
    page.wait(lambda: focused().get_attribute("data-count") == "1", "the focus back on the badge")


def test_many_on_one_spot_are_listed(page, start):
    service = start()
    for at in range(12):
        service.create("Spot", location=place(5, 50), title=f"Number {at}", kind="trade")
    page.open(f"{service.address}/#Spot/15/50/5/clusters")
    page.wait(lambda: page.counts() == [12], "the cluster")
    page.find(BADGES).click()
    page.wait(lambda: len(page.all(".popup-list li")) == 10, "ten of them")
    page.script("arguments[0].click()", page.find(".popup-more"))
    page.wait(lambda: len(page.all(".popup-list li")) == 12, "all of them")
    page.script("arguments[0].click()", page.find(".popup-list button"))
    page.wait(lambda: page.all(".popup dl"), "one of them")


@pytest.mark.parametrize("style", ["points", "heat"])
@pytest.mark.parametrize("density", [1, 2])
def test_the_server_draws_points_and_heat(page, towns, style, density):
    page.size(1280, 800, density)
    page.open(f"{towns.address}/#Towns/10/52.52/13.4/clusters")
    page.wait(page.counts, "badges")
    page.script("arguments[0].click()", page.find(f"#styles input[value={style}]"))
    painted = page.wait(lambda: [n for n in page.tiles(style) if n > 100], "a tile that is not blank")
    assert painted and page.all(BADGES) == []
    scale = "@2x" if density == 2 else ""
    statuses = page.statuses(f"{scale}.png?style={style}")
    assert statuses and set(statuses) <= {200, 304}
    assert page.script("return location.hash").endswith(f"/{style}")
    assert page.problems() == []


def test_the_legend_has_the_colours_of_the_tiles(page, start):
    service = start()
    kinds = ["marker", "event", "trade", "photo", "track", "café"]
    for at, kind in enumerate(kinds):
        service.create("Kinds", location=place(at * 20 - 50, 10), kind=kind)
    page.open(f"{service.address}/#Kinds/2/10/0/points")
    page.wait(lambda: page.tiles("points"), "tiles")
    seen = page.wait(lambda: page.script("""
        const seen = new Set();
        for (const tile of document.querySelectorAll('canvas.raster-points[data-tag]')) {
            const {data} = tile.getContext('2d').getImageData(0, 0, tile.width, tile.height);
            for (let at = 0; at < data.length; at += 4)
                if (data[at + 3] === 255) seen.add([data[at], data[at + 1], data[at + 2]].join());
        }
        return seen.size ? [...seen] : null"""), "painted pixels")
    legend = page.script("""
        return [...document.querySelectorAll('.chip .dot')]
            .map(dot => getComputedStyle(dot).backgroundColor.match(/\\d+/g).join())""")
    assert len(legend) == len(kinds)
    assert set(legend) <= set(seen)


def test_kinds_are_switched_off_and_on(page, towns):
    kinds = Counter(row[3] for row in towns.rows)
    page.open(f"{towns.address}/#Towns/2/20/10/clusters")
    page.wait(lambda: sum(page.counts()) == len(towns.rows), "all places")
    for kind in ("photo", "track"):
        page.script("arguments[0].click()", page.find(f"#kinds input[value={kind}]"))
    left = len(towns.rows) - kinds["photo"] - kinds["track"]
    page.wait(lambda: sum(page.counts()) == left, "the other kinds only")
    assert total(page) == left
    page.open(page.script("return location.href"))
    page.wait(lambda: sum(page.counts()) == left, "the same after a reload")


def test_a_link_opens_what_was_seen(page, towns):
    page.open(f"{towns.address}/#Towns/9/-12/-77/heat/trade,event")
    page.wait(lambda: page.tiles("heat"), "tiles")
    assert page.script("return location.hash").startswith("#Towns/9/-12.0")
    checked = [box.get_attribute("value") for box in page.all("#kinds input:checked")]
    assert sorted(checked) == ["event", "trade"]
    assert page.statuses("kind=")


def test_heat_names_its_hotspots(page, towns):
    page.open(f"{towns.address}/#Towns/9/52.52/13.4/heat")
    rings = page.wait(lambda: page.all(".hotspot"), "rings")
    served = towns.get("/hotspots/Towns", bbox="11,51,16,54", zoom=9, limit=100).json()["features"]
    spots = {str(feature["id"]): feature["properties"] for feature in served}
    assert {ring.get_attribute("data-id") for ring in rings} <= set(spots)
    hottest = page.wait(
        lambda: [ring for ring in page.all(".hotspot")
                 if ring.get_attribute("data-id") == str(served[0]["id"])], "the hottest")[0]
    hottest.send_keys(Keys.ENTER)
    page.wait(lambda: page.all(".popup dl dd"), "the card")
    # A popup fades in: what cannot be seen yet has no text.
    card = page.wait(lambda: page.text(".popup dl"), "the card's text")
    assert f"{served[0]['properties']['count']:,} within" in card
    assert "new" in card, "the places were imported just now"
    assert page.text(".popup h2") == "Hotspot"
    page.keep("towns-hotspots")
    page.script("arguments[0].click()", page.find("#styles input[value=points]"))
    page.wait(lambda: page.all(".hotspot") == [], "rings to go")
    assert page.problems() == []


def test_a_write_appears_by_itself(page, start):
    service = start()
    service.create("Live", location=place(13.4, 52.5), kind="event", title="First")
    page.open(f"{service.address}/#Live/12/52.5/13.4/clusters")
    page.wait(lambda: page.counts() == [1], "the first place")
    second = service.create("Live", location=place(13.4, 52.5), kind="event", title="Second")
    page.wait(lambda: page.counts() == [2], "the second place")
    page.wait(lambda: total(page) == 2, "its count")
    service.delete("Live", second)
    page.wait(lambda: page.counts() == [1], "the second place to go")
    assert page.problems() == []


def test_less_motion_means_no_change_by_itself(page, start):
    service = start()
    service.create("Live", location=place(13.4, 52.5))
    page.size(1280, 800, still=True)
    page.open(f"{service.address}/#Live/12/52.5/13.4/clusters")
    page.wait(lambda: page.counts() == [1], "the first place")
    assert page.find("#live").get_attribute("aria-pressed") == "false"
    service.create("Live", location=place(13.4, 52.5))
    time.sleep(4)
    assert page.counts() == [1]
    page.find("#live").click()
    page.wait(lambda: page.counts() == [2], "the second place, now that it was asked for")


def test_the_demo_city_lives(page, start):
    service = start("--demo")
    page.open(service.address)
    before = page.wait(page.counts, "the city's badges")
    page.keep("demo-desktop")
    page.wait(lambda: page.counts() != before, "a change", 40)
    page.size(390, 844, density=2, dark=True)
    page.open(service.address)
    page.wait(page.counts, "the city's badges")
    page.wait(page.basemap_is_loaded, "the basemap")
    assert page.script("return document.documentElement.scrollWidth") <= 390
    assert page.problems() == []


def test_an_empty_service_says_so(page, start):
    page.open(start().address)
    page.wait(lambda: "No places yet" in page.text("#notice"), "a word about it")


def test_what_goes_wrong_is_told(page, start):
    service = start()
    service.create("Live", location=place(13.4, 52.5))
    page.open(f"{service.address}/#Live/12/52.5/13.4/clusters")
    page.wait(lambda: page.counts() == [1], "the place")
    service.kill()
    page.wait(lambda: "No answer" in page.text("#notice"), "a word about it")
    assert page.counts() == [1], "what was seen stays"


def test_the_real_cities(page, start, cities, tmp_path):
    file, count = cities
    finished = run("import", file, "--layer", "Cities", "--data", tmp_path / "data")
    assert finished.returncode == 0, finished.stderr
    service = start(data=tmp_path / "data")
    page.open(f"{service.address}/#Cities/2/20/10/clusters")
    page.wait(lambda: sum(page.counts()) == count, "all cities")
    page.wait(page.basemap_is_loaded, "the basemap")
    page.keep("cities-world")
    for style in ("points", "heat"):
        page.script("arguments[0].click()", page.find(f"#styles input[value={style}]"))
        page.wait(lambda: [n for n in page.tiles(style) if n > 100], "a tile that is not blank")
        time.sleep(1)
        page.keep(f"cities-world-{style}")
    page.open(f"{service.address}/#Cities/6/48/8/clusters")
    page.wait(page.counts, "badges")
    page.wait(page.basemap_is_loaded, "the basemap")
    assert page.problems() == []
