"""Starting, stopping, and what holds for every answer."""

import gzip
import threading
import time

import pytest

from service import CLIENT, REPOSITORY, run


def test_is_healthy(towns):
    answer = towns.get("/health")
    assert (answer.status, answer.json()["status"]) == (200, "ok")


def test_stops_gracefully_and_starts_again(start):
    first = start()
    first.create("Stone", location={"__type": "GeoPoint", "longitude": 1, "latitude": 2})
    assert first.stop() == 0
    again = start(data=first.data)
    assert len(again.clusters("Stone")) == 1
    assert again.stop() == 0


def test_a_folder_has_one_server(start):
    first = start()
    with pytest.raises(AssertionError, match="did not start"):
        start(data=first.data)
    assert first.get("/health").status == 200


@pytest.mark.parametrize("path", [
    "/health", "/v1/collections", "/clusters/Towns?bbox=-180,-90,180,90&zoom=3",
    "/tiles/Towns/3/4/2.png", "/tiles/basemap/3/4/2.png?style=dark",
    "/tiles/basemap.json", "/tiles/Towns.json", "/", "/style.css",
    "/js/main.js", "/leaflet/leaflet.js", "/leaflet/leaflet.css", "/leaflet/images/layers.png",
])
def test_head_says_what_get_says(towns, path):
    get, head = towns.get(path), towns.request("HEAD", path)
    assert get.status == head.status == 200
    assert head.body == b""
    for name in ("Content-Type", "Content-Length", "ETag"):
        assert get.headers[name] == head.headers[name], name


def test_a_page_may_use_the_map_from_anywhere(towns):
    answer = towns.get("/clusters/Towns?bbox=0,0,1,1&zoom=3", {"Origin": "https://maps.example"})
    assert answer.headers["Access-Control-Allow-Origin"] in ("*", "https://maps.example")
    assert "etag" in answer.headers["Access-Control-Expose-Headers"].lower()
    wrong = towns.get("/clusters/Towns?bbox=oops&zoom=3", {"Origin": "https://maps.example"})
    assert wrong.headers["Access-Control-Allow-Origin"], "on errors too"
    preflight = towns.request("OPTIONS", "/parse/classes/Towns", headers={
        "Origin": "https://maps.example", "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "X-Parse-Application-Id"})
    assert preflight.status in (200, 204)
    assert "x-parse-application-id" in preflight.headers["Access-Control-Allow-Headers"].lower()


def test_long_answers_are_compressed_when_asked(towns):
    path = "/clusters/Towns?bbox=-180,-90,180,90&zoom=9"
    plain = towns.get(path)
    packed = towns.get(path, {"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert packed.headers["ETag"] != plain.headers["ETag"]
    assert "accept-encoding" in packed.headers["Vary"].lower()
    tile = towns.get("/tiles/Towns/3/4/2.png", {"Accept-Encoding": "gzip"})
    assert tile.headers["Content-Encoding"] is None


@pytest.mark.parametrize("path,names", [
    ("/clusters/Towns?zoom=3", "bbox"),
    ("/clusters/Towns?bbox=1,2,3&zoom=3", "bbox"),
    ("/clusters/Towns?bbox=0,0,1,NaN&zoom=3", "bbox"),
    ("/clusters/Towns?bbox=0,-91,1,1&zoom=3", "bbox"),
    ("/clusters/Towns?bbox=0,5,1,1&zoom=3", "bbox"),
    ("/clusters/Towns?bbox=0,0,1,1", "zoom"),
    ("/clusters/Towns?bbox=0,0,1,1&zoom=23", "zoom"),
    ("/clusters/Towns?bbox=0,0,1,1&zoom=-1", "zoom"),
    ("/clusters/Towns?bbox=0,0,1,1&zoom=3.5", "zoom"),
    ("/clusters/Towns?bbox=0,0,1,1&zoom=3&radius=9", "radius"),
    ("/clusters/Towns?bbox=0,0,1,1&zoom=3&radius=101", "radius"),
    ("/clusters/Towns?bbox=-180,-90,180,90&zoom=9&limit=0", "limit"),
    ("/clusters/Towns?bbox=-180,-90,180,90&zoom=9&limit=100001", "limit"),
    ("/clusters/Towns?bbox=-180,-90,180,90&zoom=9&limit=3", "limit"),
    ("/tiles/Towns/3/4/2.png?style=glitter", "style"),
    ("/near/Towns?lat=1", "lon"),
    ("/near/Towns?lon=1&lat=95", "lat"),
    ("/near/Towns?lon=1&lat=1&limit=0", "limit"),
    ("/near/Towns?lon=1&lat=1&limit=10001", "limit"),
    ("/near/Towns?lon=1&lat=1&radius=-5", "radius"),
    ("/within/Towns?bbox=west,1,2,3", "bbox"),
    ("/within/Towns?center=1&radius=5", "center"),
    ("/within/Towns?center=1,1", "radius"),
])
def test_a_bad_parameter_is_named(towns, path, names):
    answer = towns.get(path)
    assert answer.status == 400
    assert answer.headers["Content-Type"].startswith("application/problem+json")
    problem = answer.json()
    assert problem["status"] == 400 and problem["title"] and problem["type"]
    assert names in problem["detail"]


@pytest.mark.parametrize("path", [
    "/js/../../LICENSE", "/leaflet/../leaflet.js/x", "/js/%2e%2e/%2e%2e/LICENSE",
    "/leaflet/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/js/..%2f..%2fLICENSE",
])
def test_no_path_leads_out_of_the_page(towns, path):
    answer = towns.get(path)
    assert answer.status == 400
    assert answer.json()["status"] == 400


@pytest.mark.parametrize("path", [
    "/nowhere", "/clusters/Nobody?bbox=0,0,1,1&zoom=3", "/tiles/Towns/3/8/0.png",
    "/tiles/Towns/3/0/8.png", "/tiles/Nobody/3/0/0.png", "/tiles/basemap/2/4/0.png",
    "/clusters/Towns/12345/children", "/v1/collections/Nobody", "/js/nothing.js",
])
def test_what_is_not_there_is_404(towns, path):
    answer = towns.get(path)
    assert answer.status == 404
    assert answer.headers["Content-Type"].startswith("application/problem+json")


def test_a_long_address_is_refused(towns):
    answer = towns.get("/clusters/Towns?bbox=0,0,1,1&zoom=3&kind=" + "x" * 9000)
    assert answer.status == 414
    assert towns.get("/health").status == 200


def test_writing_needs_keys(towns):
    body = {"title": "no"}
    assert towns.request("POST", "/parse/classes/Towns", body).status == 403
    wrong = {**CLIENT, "X-Parse-REST-API-Key": "wrong"}
    assert towns.request("POST", "/parse/classes/Towns", body, wrong).status == 403
    csv = {"Content-Type": "text/csv"}
    assert towns.request("POST", "/import/Towns", b"lon,lat\n1,2\n", csv).status in (401, 403)
    assert towns.request("POST", "/import/Towns", b"lon,lat\n1,2\n", {**CLIENT, **csv}).status in (401, 403)


def test_no_acknowledged_write_is_lost_by_a_crash(start):
    """Four writers; the power goes; whatever was answered is still there."""
    service = start()
    acknowledged, stop = [], threading.Event()

    def write(number):
        turn = 0
        while not stop.is_set():
            point = {"__type": "GeoPoint", "longitude": number * 10, "latitude": turn % 80}
            try:
                acknowledged.append(service.create("Crash", location=point, turn=turn))
            except (OSError, AssertionError):
                return
            turn += 1

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    time.sleep(1.5)
    service.kill()
    stop.set()
    for writer in writers:
        writer.join()
    assert len(acknowledged) > 20, "the crash came before there was anything to lose"
    again = start(data=service.data)
    kept = again.get("/within/Crash?bbox=-180,-90,180,90&limit=10000").json()["features"]
    assert set(acknowledged) <= {feature["id"] for feature in kept}
    assert len(kept) <= len(acknowledged) + len(writers), "at most one write each without an answer"


def test_a_setting_that_does_not_parse_stops_the_start(tmp_path):
    finished = run("serve", "--data", tmp_path / "data", "--listen", "nowhere", timeout=20)
    assert finished.returncode != 0
    assert b"listen" in finished.stderr


@pytest.mark.parametrize("change,says", [
    (None, "styles/basemap.json was not found"),
    (("\"sea\": \"#", "\"sea\": \""), "line 4: colors.light.sea must be a colour"),
    (("{", "{,"), "line 1"), (("\"from\": 4", "\"from\": 40"), "must be a zoom"),
])
def test_a_style_that_is_missing_or_wrong_stops_the_start(tmp_path, change, says):
    assets = tmp_path / "assets"
    (assets / "styles").mkdir(parents=True)
    (assets / "styles/marks.json").symlink_to(REPOSITORY / "styles/marks.json")
    (assets / "web").symlink_to(REPOSITORY / "web")
    (assets / "world.geo").symlink_to(REPOSITORY / "fixtures/world/world.geo")
    if change:
        text = (REPOSITORY / "styles/basemap.json").read_text()
        (assets / "styles/basemap.json").write_text(text.replace(*change, 1))
    finished = run("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0",
                   "--assets", assets, timeout=60)
    assert finished.returncode != 0
    assert says.encode() in finished.stderr, finished.stderr


@pytest.mark.parametrize("share", [None, 0, 0.5, 1])
def test_a_world_map_that_is_missing_or_damaged_stops_the_start(tmp_path, share):
    assets = tmp_path / "assets"
    assets.mkdir()
    for folder in ("web", "styles"):
        (assets / folder).symlink_to(REPOSITORY / folder)
    if share is not None:
        content = bytearray((REPOSITORY / "fixtures/world/world.geo").read_bytes())
        content[int(share * (len(content) - 1))] ^= 1
        (assets / "world.geo").write_bytes(content)
    finished = run("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0",
                   "--assets", assets, timeout=60)
    assert finished.returncode != 0
    assert b"world" in finished.stderr, finished.stderr
