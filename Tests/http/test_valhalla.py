"""A real Valhalla behind the service, where one is: `VALHALLA_VENV` names a virtual environment of
Python 3.12 or newer that has PyPI's pyvalhalla."""

import json
import os
import pathlib
import socket
import subprocess
import time
import urllib.error
import urllib.request

import polyline
import pytest

from service import SHARED, Service

VENV = os.environ.get("VALHALLA_VENV")
MAP = SHARED / "data/osm/liechtenstein.osm.pbf"
VADUZ, SCHAAN, BALZERS = "9.5215,47.1410", "9.5290,47.1662", "9.5095,47.0660"
pytestmark = [
    pytest.mark.skipif(not VENV, reason="VALHALLA_VENV names no Valhalla"),
    pytest.mark.skipif(not MAP.is_file(), reason="no folder of real data beside the checkout")]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture(scope="module")
def valhalla(tmp_path_factory):
    """The address of a Valhalla that knows Liechtenstein."""
    folder = tmp_path_factory.mktemp("valhalla")
    programs = next(pathlib.Path(VENV).glob("lib/python3*/site-packages/valhalla/bin"))
    made = subprocess.run(
        [f"{VENV}/bin/valhalla_build_config", "--mjolnir-tile-dir", folder / "tiles"],
        check=True, capture_output=True)
    config, port = json.loads(made.stdout), free_port()
    config["httpd"]["service"].update(
        listen=f"tcp://127.0.0.1:{port}", loopback=f"ipc://{folder}/loopback",
        interrupt=f"ipc://{folder}/interrupt")
    for part in ("loki", "thor", "odin"):
        config[part]["service"]["proxy"] = f"ipc://{folder}/{part}"
    file = folder / "config.json"
    file.write_text(json.dumps(config))
    subprocess.run(
        [programs / "valhalla_build_tiles", "-c", file, MAP], check=True, capture_output=True)
    server = subprocess.Popen(
        [programs / "valhalla_service", file, "1"], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + 30
    while True:
        try:
            urllib.request.urlopen(f"{address}/status", timeout=5).close()
            break
        except urllib.error.URLError:
            assert time.monotonic() < deadline and server.poll() is None
            time.sleep(0.1)
    yield address
    # It would first wait half a minute for requests that may still come.
    server.kill()
    server.wait(30)


def test_a_real_valhalla_answers(valhalla, tmp_path):
    service = Service(tmp_path / "data", "--router", valhalla)
    try:
        path = f"/route/v1/foot/{VADUZ};{SCHAAN}"
        found = service.get(path, steps="true").json()
        assert found["engine"] == "valhalla" and found["code"] == "Ok"
        (route,) = found["routes"]
        assert 2_900 < route["distance"] < 4_500 and len(found["waypoints"]) == 2
        steps = route["legs"][0]["steps"]
        assert steps[0]["maneuver"]["instruction"] and steps[-1]["maneuver"]["type"] == "arrive"
        line = polyline.decode(route["geometry"], 5)
        exact = service.get(path, geometries="geojson").json()["routes"][0]["geometry"]
        assert len(line) == len(exact["coordinates"]) > 20
        three = f"{VADUZ};{SCHAAN};{BALZERS}"
        table = service.get(f"/table/v1/car/{three}", annotations="duration,distance").json()
        assert table["distances"][0][0] == 0 and 12_000 < table["distances"][1][2] < 16_000
        trip = service.get(f"/trip/v1/car/{three}").json()
        assert len(trip["trips"][0]["legs"]) == 3
        assert sorted(point["waypoint_index"] for point in trip["waypoints"]) == [0, 1, 2]
        near = service.get(f"/nearest/v1/foot/{VADUZ}").json()["waypoints"]
        assert 0 < near[0]["distance"] < 50
        far = service.get(f"/route/v1/foot/{VADUZ};0,0")
        assert far.status == 400 and far.json()["code"] in ("TooBig", "NoRoute", "NoSegment")
    finally:
        service.kill()
