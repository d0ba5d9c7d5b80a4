"""The commands of the program: what they print, how they end, and how they go through a server."""

import hashlib
import json
import os
import pty
import stat
import subprocess
import time

import png
import pytest
from places import csv_text, rows
from service import BINARY, CLIENT, MASTER, Service, ask, count_of, environment, run


def test_help_and_version_are_there_for_every_command():
    assert run("--help").returncode == 0
    assert run("--version").stdout.startswith(b"geoservice ")
    for command in ("serve", "import", "export", "render", "synth"):
        finished = run(command, "--help")
        assert finished.returncode == 0
        assert f"usage: geoservice {command}".encode() in finished.stdout


@pytest.mark.parametrize("arguments, names", [
    ([], "command"),
    (["fly"], "fly"),
    (["check"], "check"),
    (["import", "--layer", "A"], "FILE"),
    (["import", "a.csv"], "--layer"),
    (["import", "a.csv", "--layer", "health"], "health"),
    (["import", "a.csv", "--layer", "1st"], "1st"),
    (["import", "a.csv", "--layer", "_User"], "_User"),
    (["import", "a.xyz", "--layer", "A"], "--format"),
    (["import", "a.csv", "--layer", "A", "--format", "kml"], "--format"),
    (["import", "a.csv", "--layer", "A", "--crs", "25832 or so"], "--crs"),
    (["import", "a.csv", "--layer", "A", "--header", "--no-header"], "--header"),
    (["import", "a.csv", "--layer", "A", "--delimiter", "dash"], "--delimiter"),
    (["import", "a.csv", "--layer", "A", "--encoding", "klingon"], "--encoding"),
    (["import", "a.osm", "--layer", "A", "--tags", "shop="], "--tags"),
    (["import", "a.csv", "--layer", "A", "--sync=yes"], "--sync"),
    (["import", "a.csv", "b.csv", "--layer", "A", "--sync"], "--sync"),
    (["import", "-", "-", "--layer", "A", "--format", "csv"], "standard input"),
    (["import", "a.csv", "--layer", "A", "--data", "d", "--url", "http://localhost"], "--url"),
    (["synth"], "--points"),
    (["synth", "--points", "-1"], "--points"),
    (["synth", "--points", "1", "--cities", "0"], "--cities"),
    (["synth", "--points", "1", "--format", "xml"], "--format"),
    (["render", "--layer", "A", "--tile", "0/0/0"], "-o"),
    (["render", "--layer", "A", "--tile", "0/1/0", "-o", "x.png"], "--tile"),
    (["render", "--layer", "A", "--tile", "0/0/0", "--scale", "3", "-o", "x.png"], "--scale"),
    (["render", "--layer", "A", "--tile", "0/0/0", "--style", "art", "-o", "x.png"], "--style"),
    (["render", "--layer", "A", "-o", "x.png"], "--tile"),
    (["render", "--layer", "A", "--tile", "0/0/0", "--zoom", "3", "-o", "x.png"], "--zoom"),
    (["render", "--layer", "A", "--tile", "0/0/0", "--bbox", "0,0,1,1", "-o", "x.png"], "--tile"),
    (["render", "--layer", "A", "--bbox", "0,0,1,1", "--zoom", "22", "-o", "x.png"], "--zoom"),
    (["render", "--layer", "A", "--bbox", "0,0,1,1", "-o", "x.png"], "--zoom"),
    (["render", "--layer", "A", "--bbox", "0,0,1,1", "--size", "9", "-o", "x.png"], "--size"),
])
def test_a_command_line_without_sense_ends_with_2_and_names_the_fault(arguments, names):
    finished = run(*arguments)
    assert finished.returncode == 2
    assert names in finished.stderr.decode()


def test_the_same_seed_gives_the_same_bytes():
    first = run("synth", "--points", 5000, "--seed", 7).stdout
    assert first == run("synth", "--points", 5000, "--seed", 7).stdout
    assert first != run("synth", "--points", 5000, "--seed", 8).stdout
    assert first.startswith(b"id,lon,lat,kind,weight,time,owner,title\n")
    assert first.count(b"\n") == 5001
    # A longer world begins like a shorter one.
    assert run("synth", "--points", 6000, "--seed", 7).stdout.startswith(first)
    lines = run("synth", "--points", 5000, "--seed", 7, "--format", "geojsonl").stdout.splitlines()
    assert len(lines) == 5000 and json.loads(lines[-1])["id"] == "5000"


def test_synth_is_quiet_when_nobody_reads_on():
    process = subprocess.Popen(
        [BINARY, "synth", "--points", "1000000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(60) == 0 and process.stderr.read() == b""


def test_standard_input_is_imported(start, tmp_path):
    data = tmp_path / "data"
    cities = run("synth", "--points", 3000).stdout
    finished = run("import", "-", "--format", "csv", "--layer", "Piped", "--data", data, stdin=cities)
    assert finished.returncode == 0, finished.stderr
    assert b"3,000 added" in finished.stdout
    assert count_of(start(data=data).clusters("Piped")) == 3000


def test_rows_left_out_are_all_kept_in_the_file_of_errors(tmp_path):
    file = tmp_path / "half.csv"
    file.write_text("lon,lat\n" + "".join(f"{n},{n if n % 2 else 99}\n" for n in range(90)) * 10)
    errors = tmp_path / "errors.txt"
    finished = run(
        "import", file, "--layer", "Half", "--data", tmp_path / "data", "--errors", errors)
    assert finished.returncode == 3
    assert b"450 left out" in finished.stdout
    lines = [line.split("\t") for line in errors.read_text().splitlines()]
    assert len(lines) == 450 and [int(line[0]) for line in lines[:3]] == [2, 4, 6]
    assert all("lat" in line[1] for line in lines)


def test_a_dry_run_shows_objects_and_keeps_nothing(start, tmp_path):
    file = tmp_path / "towns.csv"
    file.write_text(csv_text(rows(per_town=10, seed=3)))
    data = tmp_path / "data"
    finished = run("import", file, "--layer", "Towns", "--data", data, "--dry-run")
    assert finished.returncode == 0, finished.stderr
    assert not data.exists()
    first = json.loads(finished.stdout.splitlines()[0])
    assert first["objectId"] == "berlin-0" and first["fields"]["location"]["__type"] == "GeoPoint"
    assert b"50 added" in finished.stdout
    service = start(data=data)
    finished = run("import", file, "--layer", "Towns", "--data", data, "--dry-run")
    assert finished.returncode == 0 and b"50 added" in finished.stdout, finished.stderr
    assert json.loads(finished.stdout.splitlines()[0])["objectId"] == "berlin-0"
    assert service.get("/v1/collections/Towns").status == 404


def test_the_note_of_a_server_is_for_its_owner_and_goes_with_it(start, tmp_path):
    data = tmp_path / "data"
    service = start(data=data)
    note = data / "server.json"
    assert stat.S_IMODE(note.stat().st_mode) == 0o600
    key = json.loads(note.read_text())["key"]
    local = {**MASTER, "X-Parse-Master-Key": key, "Content-Type": "text/csv"}
    assert service.request("POST", "/import/A", b"lon,lat\n1,2\n", local).status == 200
    # What came through a proxy did not come from this machine.
    forwarded = {**local, "X-Forwarded-For": "127.0.0.1"}
    assert service.request("POST", "/import/A", b"lon,lat\n1,2\n", forwarded).status == 403
    master = {**MASTER, "Content-Type": "text/csv", "Forwarded": "for=127.0.0.1"}
    assert service.request("POST", "/import/A", b"lon,lat\n1,2\n", master).status == 403
    assert service.stop() == 0
    assert not note.exists()


def test_an_import_by_address_needs_the_master_key(start, tmp_path):
    service = start()
    file = tmp_path / "one.csv"
    file.write_text("lon,lat\n1,2\n")
    finished = run("import", file, "--layer", "Far", "--url", service.address)
    assert finished.returncode == 0, finished.stderr
    keys = tmp_path / "keys"
    keys.write_text("GEOSERVICE_APP_ID=test-app\nGEOSERVICE_MASTER_KEY=wrong\n")
    finished = run(
        "import", file, "--layer", "Far", "--url", service.address, "--key-file", keys)
    assert finished.returncode == 1 and b"X-Parse-Master-Key" in finished.stderr
    assert count_of(service.clusters("Far")) == 1


@pytest.mark.parametrize("headers, status", [
    ({}, 401),
    ({"X-Parse-Application-Id": "test-app"}, 401),
    ({**MASTER, "X-Parse-Master-Key": "test-master-kex"}, 401),
    ({**MASTER, "X-Parse-Application-Id": "another"}, 401),
    (MASTER, 200),
])
def test_imports_over_http_need_both_keys(towns, headers, status):
    answer = towns.request(
        "POST", "/import/Keyed", b"id,lon,lat\na,1,2\n", {**headers, "Content-Type": "text/csv"})
    assert answer.status == status, answer.body


@pytest.mark.parametrize("path, media_type, body, status, names", [
    ("/import/v1", "text/csv", b"lon,lat\n1,2\n", 400, "layer"),
    ("/import/_User", "text/csv", b"lon,lat\n1,2\n", 400, "layer"),
    ("/import/New", "application/pdf", b"%PDF", 415, "text/csv"),
    ("/import/New", "text/csv", b"", 400, "empty"),
    ("/import/New", "text/csv", b"a,b\n1,2\n", 400, "lon"),
    ("/import/New?lon=east", "text/csv", b"lon,lat\n1,2\n", 400, "east"),
    ("/import/New?lno=a", "text/csv", b"lon,lat\n1,2\n", 400, "lno"),
    ("/import/New?acl=public", "text/csv", b"lon,lat\n1,2\n", 400, "acl"),
    ("/import/New?sync=yes", "text/csv", b"lon,lat\n1,2\n", 400, "sync"),
    ("/import/New", "application/geo+json", b'{"type":"FeatureCollection","features":[', 400, "ends"),
    ("/import/New", "application/geo+json", b"<xml/>", 400, "byte 0"),
])
def test_imports_that_cannot_be_say_what_would_be_right(
        towns, path, media_type, body, status, names):
    answer = towns.request("POST", path, body, {**MASTER, "Content-Type": media_type})
    assert answer.status == status, answer.body
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert names in answer.json()["detail"]


def test_what_came_before_a_broken_end_is_stored_and_counted(start):
    service = start()
    features = ",".join(
        '{"type":"Feature","id":"f%d","properties":{},"geometry":'
        '{"type":"Point","coordinates":[%d,1]}}' % (n, n) for n in range(20))
    body = ('{"type":"FeatureCollection","features":[' + features + ",").encode()
    headers = {**MASTER, "Content-Type": "application/geo+json"}
    answer = service.request("POST", "/import/Cut", body, headers)
    assert answer.status == 400 and "20 added" in answer.json()["detail"], answer.body
    assert count_of(service.clusters("Cut")) == 20
    answer = service.request("POST", "/import/Tried?dry-run=true", body, headers)
    assert answer.status == 400 and "20 rows before it would have been stored" in answer.json()["detail"]
    assert service.get("/v1/collections/Tried").status == 404


def test_imported_objects_are_the_publics_to_read_only_unless_said(start, tmp_path):
    service = start()
    service.import_csv("Owned", "id,lon,lat\na,1,1\n")
    open_to_all = '{"*":{"read":true,"write":true}}'
    service.import_csv("Owned", "id,lon,lat\nb,2,2\n", acl=open_to_all)
    file = tmp_path / "hidden.csv"
    file.write_text("id,lon,lat\nc,3,3\n")
    # The same through the command, and so through the query that it makes.
    finished = run("import", file, "--layer", "Owned", "--data", service.data, "--acl", "{}")
    assert finished.returncode == 0, finished.stderr
    finished = run("import", file, "--layer", "Owned", "--data", service.data, "--acl", "{")
    assert finished.returncode == 2 and b"--acl" in finished.stderr
    assert count_of(service.clusters("Owned")) == 2
    statuses = []
    for name in "abc":
        path = f"/parse/classes/Owned/{name}"
        seen = service.get(path, CLIENT).status
        written = service.request("PUT", path, {"n": 1}, CLIENT).status
        statuses.append((seen == 200, written == 200))
        assert service.request("PUT", path, {"n": 2}, MASTER).status == 200
    assert statuses == [(True, False), (True, True), (False, False)]


def test_a_class_whose_fields_differ_rejects_row_by_row(start):
    service = start()
    service.import_csv("Typed", "id,lon,lat,size\na,1,1,10\nb,2,2,20\n")
    report = service.import_csv("Typed", "id,lon,lat,size\nc,3,3,big\nd,4,4,\n")
    assert (report["added"], report["rejected"]) == (1, 1)
    assert report["errors"][0]["line"] == 2 and "Typed.size" in report["errors"][0]["reason"]


def test_sync_keeps_what_a_broken_row_names(start):
    service = start()
    service.import_csv("Kept", "id,lon,lat\na,1,1\nb,2,2\nc,3,3\n")
    report = service.import_csv("Kept", "id,lon,lat\na,1,1\nb,oops,2\n", sync="true")
    assert (report["unchanged"], report["rejected"], report["removed"]) == (1, 1, 1)
    # Of this row nobody knows which object it means.
    report = service.import_csv("Kept", "id,lon,lat\na,1,1\nb,2\n", sync="true")
    assert report["removed"] == 0 and any("removed" in text for text in report["warnings"])
    assert count_of(service.clusters("Kept")) == 2


def test_a_kill_during_an_import_costs_nothing_that_was_acknowledged(start, tmp_path):
    data = tmp_path / "data"
    service = start(data=data)
    acknowledged = service.import_csv("Before", csv_text(rows(per_town=40, seed=5)), id="id")
    assert acknowledged["added"] == 200
    file = tmp_path / "many.csv"
    file.write_bytes(run("synth", "--points", 300_000).stdout)
    importing = subprocess.Popen(
        [BINARY, "import", file, "--layer", "Many", "--data", data], env=environment(),
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while service.get("/v1/collections/Many").status != 200:
        assert time.monotonic() < deadline and importing.poll() is None
        time.sleep(0.01)
    service.kill()
    assert importing.wait(60) == 1, importing.stderr.read()
    service = start(data=data)
    assert count_of(service.clusters("Before")) == 200
    kept = service.get("/v1/collections/Many").json()["count"]
    assert 0 < kept < 300_000
    finished = run("import", file, "--layer", "Many", "--data", data)
    assert finished.returncode == 0, finished.stderr
    assert service.get("/v1/collections/Many").json()["count"] == 300_000


def test_a_kill_during_the_command_s_own_import_leaves_a_store_that_opens(start, tmp_path):
    data = tmp_path / "data"
    file = tmp_path / "many.csv"
    file.write_bytes(run("synth", "--points", 300_000).stdout)
    importing = subprocess.Popen(
        [BINARY, "import", file, "--layer", "Many", "--data", data], env=environment(),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wal = data / "geoservice.sqlite-wal"
    while importing.poll() is None and not (wal.exists() and wal.stat().st_size > 4 << 20):
        time.sleep(0.01)
    importing.kill()
    importing.wait()
    service = start(data=data)
    found = service.get("/v1/collections/Many")
    assert found.status == 200 and 0 < found.json()["count"] <= 300_000


def test_a_rendered_tile_is_the_served_one(start, tmp_path):
    data = tmp_path / "data"
    file = tmp_path / "cities.csv"
    file.write_bytes(run("synth", "--points", 20_000, "--cities", 5).stdout)
    assert run("import", file, "--layer", "City", "--data", data).returncode == 0
    cases = [("0/0/0", {}), ("3/4/2", {"style": "points"}), ("2/2/1", {"style": "heat"}),
             ("1/1/0", {"style": "heat", "palette": "lagoon", "scale": "2"})]
    alone = {}
    for number, (tile, options) in enumerate(cases):
        output = tmp_path / f"{number}.png"
        flags = [word for name, value in options.items() for word in (f"--{name}", value)]
        finished = run(
            "render", "--layer", "City", "--tile", tile, "--data", data, "-o", output, *flags)
        assert finished.returncode == 0, finished.stderr
        alone[number] = output.read_bytes()
        assert png.decode(alone[number])[0] == (512 if options.get("scale") == "2" else 256)
    service = start(data=data)
    for number, (tile, options) in enumerate(cases):
        query = {name: value for name, value in options.items() if name != "scale"}
        suffix = "@2x" if options.get("scale") == "2" else ""
        assert service.get(f"/tiles/City/{tile}{suffix}.png", **query).body == alone[number]
        output = tmp_path / f"through-{number}.png"
        flags = [word for name, value in options.items() for word in (f"--{name}", value)]
        finished = run(
            "render", "--layer", "City", "--tile", tile, "--data", data, "-o", output, *flags)
        assert finished.returncode == 0, finished.stderr
        assert output.read_bytes() == alone[number]
    assert len({hashlib.sha256(picture).digest() for picture in alone.values()}) == len(cases)


def test_render_makes_no_data_directory_and_names_a_missing_layer(tmp_path):
    arguments = ["--layer", "Gone", "--tile", "0/0/0", "-o", tmp_path / "x.png"]
    assert run("render", *arguments, "--data", tmp_path / "none").returncode == 1
    assert not (tmp_path / "none").exists()
    (tmp_path / "empty").mkdir()
    finished = run("render", *arguments, "--data", tmp_path / "empty")
    assert finished.returncode == 1 and b"Gone" in finished.stderr


def test_a_terminal_sees_a_bar(tmp_path):
    file = tmp_path / "many.csv"
    file.write_bytes(run("synth", "--points", 100_000).stdout)
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [BINARY, "import", file, "--layer", "Many", "--data", tmp_path / "data"],
        stdout=subprocess.PIPE, stderr=follower, env=environment())
    os.close(follower)
    seen = b""
    while True:
        try:
            piece = os.read(leader, 4096)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    os.close(leader)
    assert process.wait(60) == 0
    text = seen.decode()
    assert "█" in text and "rows/s" in text and "left" in text and "\r" in text


def test_the_demo_city_is_made_once_and_stands_still(tmp_path):
    data = tmp_path / "data"
    began = time.monotonic()
    service = Service(data, "--demo=still")
    assert time.monotonic() - began < 30
    try:
        layer = service.get("/v1/collections/Spot").json()
        assert layer["count"] == 20_000
        assert set(layer["kinds"]) == {"marker", "event", "trade", "photo", "track"}
        tag = service.get("/tiles/Spot/0/0/0.png").headers["ETag"]
        time.sleep(1)
        assert service.get("/tiles/Spot/0/0/0.png").headers["ETag"] == tag
        assert service.stop() == 0
        service = Service(data, "--demo=still")
        assert service.get("/v1/collections/Spot").json()["count"] == 20_000
        assert service.get("/tiles/Spot/0/0/0.png").headers["ETag"] == tag
        assert service.stop() == 0
    finally:
        if service.is_running:
            service.kill()


def test_the_demo_city_lives_and_leaves_alone_what_people_add(start):
    service = start("--demo")
    mine = service.create(
        "Spot", title="Mine", location={"__type": "GeoPoint", "longitude": 0, "latitude": 0})
    world = service.get("/v1/collections/Spot").json()["count"]
    assert abs(world - 20_001) < 200
    connection = service.connect()
    tags = set()
    deadline = time.monotonic() + 30
    while len(tags) < 3 and time.monotonic() < deadline:
        tags.add(ask(connection, "GET", "/tiles/Spot/0/0/0.png?style=heat").headers["ETag"])
        tags.add(ask(connection, "GET", "/tiles/Spot/0/0/0.png").headers["ETag"])
        time.sleep(0.1)
    connection.close()
    assert len(tags) >= 3
    assert service.get("/near/Spot", lon=0, lat=0, limit=1).json()["features"][0]["id"] == mine
    assert service.stop() == 0
