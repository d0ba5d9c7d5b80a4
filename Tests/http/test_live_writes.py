"""A write is in the next answer, and only where it shows."""

import pytest

from places import csv_text, rows
from service import CLIENT, MASTER, count_of, place

BERLIN = "/tiles/Towns/10/550/335.png"
LIMA = "/tiles/Towns/10/292/546.png"


@pytest.fixture
def live(start):
    service = start()
    service.import_csv("Towns", csv_text(rows(per_town=50, seed=9)), id="id", kind="kind")
    return service


def tag(service, path, **query):
    answer = service.get(path, **query)
    assert answer.status == 200
    assert answer.headers["ETag"].startswith('"'), "a strong one"
    assert "no-cache" in answer.headers["Cache-Control"]
    return answer.headers["ETag"]


@pytest.mark.parametrize("style", ["clusters", "points", "heat"])
def test_a_write_shows_in_the_next_tile_and_nowhere_else(live, start, style):
    berlin, lima = tag(live, BERLIN, style=style), tag(live, LIMA, style=style)
    new = live.create("Towns", location=place(13.4, 52.5), kind="event", title="New")
    written = tag(live, BERLIN, style=style)
    assert written != berlin and tag(live, LIMA, style=style) == lima
    assert live.stop() == 0
    again = start(data=live.data)
    assert (tag(again, BERLIN, style=style), tag(again, LIMA, style=style)) == (written, lima)
    again.delete("Towns", new)
    assert tag(again, BERLIN, style=style) == berlin, "an undone change restores it"


def test_an_unchanged_answer_is_304(live):
    for path in (BERLIN, "/clusters/Towns?bbox=-180,-90,180,90&zoom=5"):
        first = live.get(path)
        again = live.get(path, {"If-None-Match": first.headers["ETag"]})
        assert (again.status, again.body) == (304, b"")
        assert again.headers["ETag"] == first.headers["ETag"]
        other = live.get(path, {"If-None-Match": '"something else"'})
        assert (other.status, other.body) == (200, first.body)


def test_a_write_of_another_kind_leaves_a_filtered_answer(live):
    before = tag(live, BERLIN, kind="trade", style="points")
    live.create("Towns", location=place(13.4, 52.5), kind="event")
    assert tag(live, BERLIN, kind="trade", style="points") == before
    live.create("Towns", location=place(13.4, 52.5), kind="trade")
    assert tag(live, BERLIN, kind="trade", style="points") != before


def test_a_title_is_not_in_a_picture(live):
    new = live.create("Towns", location=place(13.4, 52.5), kind="event", title="Old")
    before = tag(live, BERLIN)
    live.update("Towns", new, title="New")
    assert tag(live, BERLIN) == before
    live.update("Towns", new, location=place(13.6, 52.4))
    assert tag(live, BERLIN) != before


def test_create_read_move_and_delete(live):
    new = live.create("Things", location=place(20, 30), kind="trade", price=4.5, tags=["a", None])
    answer = live.request("GET", f"/parse/classes/Things/{new}", headers=CLIENT)
    thing = answer.json()
    assert (thing["price"], thing["tags"], thing["location"]) == (4.5, ["a", None], place(20, 30))
    (single,) = live.clusters("Things", 9)
    assert single["id"] == new and single["geometry"]["coordinates"] == [20, 30]
    assert single["properties"]["price"] == 4.5
    live.update("Things", new, location=place(-20, 30))
    (single,) = live.clusters("Things", 9)
    assert single["geometry"]["coordinates"] == [-20, 30]
    live.delete("Things", new)
    assert live.request("GET", f"/parse/classes/Things/{new}", headers=CLIENT).status == 404


def test_a_batch_is_seen_at_once(live):
    requests = [
        {"method": "POST", "path": "/parse/classes/Batch", "body": {"location": place(number, 1)}}
        for number in range(20)]
    answer = live.request("POST", "/parse/batch", {"requests": requests}, CLIENT)
    assert answer.status == 200 and all("success" in item for item in answer.json())
    assert count_of(live.clusters("Batch", 3)) == 20


def test_what_the_public_may_not_read_is_on_no_map(live):
    before = tag(live, BERLIN)
    hidden = live.create(
        "Towns", MASTER, location=place(13.4, 52.5), kind="event", ACL={"someone": {"read": True}})
    assert tag(live, BERLIN) == before
    assert count_of(live.clusters("Towns", 4)) == 250
    assert live.request("GET", f"/parse/classes/Towns/{hidden}", headers=CLIENT).status == 404
    assert live.request("GET", f"/parse/classes/Towns/{hidden}", headers=MASTER).status == 200


@pytest.mark.parametrize("fields,code", [
    ({"location": {"__type": "GeoPoint", "longitude": 181, "latitude": 0}}, None),
    ({"location": {"__type": "GeoPoint", "longitude": 0, "latitude": -90.5}}, None),
    ({"location": {"__type": "GeoPoint", "longitude": 0}}, 111),
    ({"bad name": 1}, 105),
    ({"objectId": "mine", "location": place(1, 1)}, 105),
])
def test_a_bad_object_is_refused(live, fields, code):
    answer = live.request("POST", "/parse/classes/Bad", fields, CLIENT)
    assert answer.status == 400
    assert code is None or answer.json()["code"] == code
    assert answer.json()["error"]


def test_broken_json_is_refused(live):
    for body in (b"{", b"[1", b"\xff\xfe", b'{"a":NaN}', b"[" * 100000):
        assert live.request("POST", "/parse/classes/Bad", body, CLIENT).status == 400
    assert live.get("/health").status == 200
