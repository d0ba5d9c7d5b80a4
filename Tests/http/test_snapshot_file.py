"""The snapshot of a layer's index beside the store: used when it is right, never when it is not."""

import datetime
import pathlib
import shutil
import sqlite3

import pytest

from places import csv_text, rows
from service import CLIENT, MASTER, Service, count_of, place, run

#: More than the layers have that are not worth a file.
PER_TOWN = 2_200
OBJECTS = 5 * PER_TOWN


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A data directory in which a server has left a snapshot, and the answer it gave."""
    server = Service(tmp_path_factory.mktemp("towns") / "data")
    table = rows(per_town=PER_TOWN, seed=5)
    assert server.import_csv("Towns", csv_text(table), id="id", kind="kind")["added"] == OBJECTS
    features = server.clusters("Towns", zoom=5)
    assert count_of(features) == OBJECTS
    assert server.stop() == 0
    assert f"layer Towns: snapshot of {OBJECTS} objects written" in server.log.read_text()
    return server.data, features


@pytest.fixture
def stopped(prepared, tmp_path):
    """A copy of it for one test."""
    data, features = prepared
    return pathlib.Path(shutil.copytree(data, tmp_path / "data")), features


def snapshot_of(data):
    file = data / "indexes/Towns.index"
    assert file.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]
    return file


def delete(server, object_id):
    """Imported objects are the operator's."""
    answer = server.request("DELETE", f"/parse/classes/Towns/{object_id}", headers=MASTER)
    assert answer.status == 200, answer.body


def last_start(server):
    """The line of the log about the layer at the last start."""
    lines = [line for line in server.log.read_text().splitlines()
             if "layer Towns: " in line and " objects " in line and " written " not in line]
    return lines[-1]


def test_a_start_takes_the_index_from_its_snapshot(start, stopped):
    data, features = stopped
    written = snapshot_of(data).read_bytes()
    server = start(data=data)
    assert f"{OBJECTS} objects from its snapshot in " in last_start(server)
    assert server.clusters("Towns", zoom=5) == features
    assert server.stop() == 0
    assert snapshot_of(data).read_bytes() == written, "nothing had changed"


def test_a_write_after_such_a_start_is_there_at_the_next(start, stopped):
    data, _ = stopped
    server = start(data=data)
    delete(server, "berlin-7")
    moved = server.request(
        "PUT", "/parse/classes/Towns/lima-3", {"location": place(60, 60)}, MASTER)
    assert moved.status == 200
    new = server.create("Towns", location=place(-40, -60))
    expected = server.clusters("Towns", zoom=5)
    assert count_of(expected) == OBJECTS
    assert server.stop() == 0
    server = start(data=data)
    assert "from its snapshot" in last_start(server)
    assert server.clusters("Towns", zoom=5) == expected
    # Changes of objects that came out of the file find them.
    delete(server, new)
    delete(server, "lima-3")
    assert count_of(server.clusters("Towns", zoom=5)) == OBJECTS - 2


@pytest.mark.parametrize("share", [0, 0.4, 0.9999])
def test_a_damaged_snapshot_is_not_used(start, stopped, share):
    data, features = stopped
    file = snapshot_of(data)
    content = bytearray(file.read_bytes())
    content[int(share * len(content))] ^= 16
    file.write_bytes(content)
    server = start(data=data)
    assert "read from the store" in last_start(server)
    assert "snapshot was not used" in last_start(server)
    assert server.clusters("Towns", zoom=5) == features
    assert server.stop() == 0
    server = start(data=data)
    assert "from its snapshot" in last_start(server), "a damaged one is written anew"


def test_a_cut_snapshot_is_not_used_and_comes_anew(start, stopped):
    data, features = stopped
    file = snapshot_of(data)
    content = file.read_bytes()
    file.write_bytes(content[:len(content) // 2])
    server = start(data=data)
    assert "damaged" in last_start(server)
    assert server.clusters("Towns", zoom=5) == features
    assert server.stop() == 0
    server = start(data=data)
    assert "from its snapshot" in last_start(server)
    assert server.clusters("Towns", zoom=5) == features


def test_what_another_process_writes_makes_the_snapshot_stale(start, stopped, tmp_path):
    data, _ = stopped
    before = snapshot_of(data).read_bytes()
    more = tmp_path / "more.csv"
    more.write_text("id,lon,lat,kind,title\nextra,60,60,marker,Extra\n")
    # The import itself leaves a new snapshot; the old one takes its place again.
    finished = run("import", more, "--layer", "Towns", "--data", data, "--id", "id")
    assert finished.returncode == 0, finished.stderr
    after = snapshot_of(data).read_bytes()
    assert after != before
    snapshot_of(data).write_bytes(before)
    server = start(data=data)
    assert "not of the store's present state" in last_start(server)
    expected = server.clusters("Towns", zoom=5)
    assert count_of(expected) == OBJECTS + 1
    server.kill()
    snapshot_of(data).write_bytes(after)
    server = start(data=data)
    assert f"{OBJECTS + 1} objects from its snapshot" in last_start(server)
    assert server.clusters("Towns", zoom=5) == expected


def test_after_a_kill_the_index_is_what_the_store_has(start, stopped):
    data, _ = stopped
    server = start(data=data)
    new = server.create("Towns", location=place(-40, -60))
    expected = server.clusters("Towns", zoom=5)
    server.kill()
    server = start(data=data)
    assert "not of the store's present state" in last_start(server)
    assert server.clusters("Towns", zoom=5) == expected
    assert server.get(f"/parse/classes/Towns/{new}", CLIENT).status == 200


def test_a_kill_without_writes_leaves_the_snapshot_good(start, stopped):
    data, features = stopped
    start(data=data).kill()
    server = start(data=data)
    assert "from its snapshot" in last_start(server)
    assert server.clusters("Towns", zoom=5) == features


def test_an_older_database_put_back_is_not_taken_for_the_newer_one(start, stopped, tmp_path):
    """Both write as often after they parted, so that a mere counter would be equal."""
    data, _ = stopped
    with sqlite3.connect(data / "geoservice.sqlite") as source, \
            sqlite3.connect(tmp_path / "copy") as copy:
        source.backup(copy)
    server = start(data=data)
    server.create("Towns", location=place(-40, -60))
    assert server.stop() == 0
    newer = snapshot_of(data).read_bytes()
    for suffix in ("-wal", "-shm"):
        (data / f"geoservice.sqlite{suffix}").unlink(missing_ok=True)
    (data / "geoservice.sqlite").write_bytes((tmp_path / "copy").read_bytes())
    server = start(data=data)
    assert "read from the store" in last_start(server)
    server.create("Towns", location=place(100, 60))
    expected = server.clusters("Towns", zoom=5)
    assert server.stop() == 0
    snapshot_of(data).write_bytes(newer)
    server = start(data=data)
    assert "not of the store's present state" in last_start(server)
    assert server.clusters("Towns", zoom=5) == expected


def test_an_expired_object_in_a_snapshot_is_gone(start, stopped):
    data, _ = stopped
    server = start(data=data)
    soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=2)
    server.create("Towns", location=place(-40, -60), expiresAt={
        "__type": "Date", "iso": soon.strftime("%Y-%m-%dT%H:%M:%S.") + "000Z"})
    assert server.stop() == 0
    server = start(data=data)
    assert f"{OBJECTS + 1} objects from its snapshot" in last_start(server) \
        or f"{OBJECTS} objects from its snapshot" in last_start(server)
    while datetime.datetime.now(datetime.timezone.utc) < soon:
        server.get("/health")
    assert count_of(server.clusters("Towns", zoom=5)) == OBJECTS


def test_other_settings_of_the_layer_make_the_snapshot_stale(start, stopped):
    data, _ = stopped
    written = snapshot_of(data).read_bytes()
    server = start(data=data)
    answer = server.request("PUT", "/v1/collections/Towns", {"kind": "title"}, MASTER)
    assert answer.status == 200, answer.body
    expected = server.clusters("Towns", zoom=5, kind="Berlin 3")
    assert count_of(expected) == 1
    assert server.stop() == 0
    assert snapshot_of(data).read_bytes() != written
    snapshot_of(data).write_bytes(written)
    server = start(data=data)
    assert "not of the store's present state" in last_start(server)
    assert server.clusters("Towns", zoom=5, kind="Berlin 3") == expected


def test_a_folder_that_cannot_be_written_stops_nothing(start, stopped):
    data, features = stopped
    snapshot_of(data).unlink()
    (data / "indexes").rmdir()
    (data / "indexes").write_text("a file in the place of the folder")
    server = start(data=data)
    assert server.clusters("Towns", zoom=5) == features
    assert server.stop() == 0
    assert "the snapshot of layer Towns was not written" in server.log.read_text()


@pytest.mark.parametrize("part", [0.3, 0.5, 0.7, 0.97])
def test_damage_in_a_late_chunk_is_found_when_others_are_read_already(start, tmp_path, part):
    # Several chunks: those before the damaged one have become pages, which go again. Pages of many
    # sizes, as cities make them: what was given back wrongly is written beyond its end.
    cities = run("synth", "--points", "200000").stdout.decode()
    server = start(data=tmp_path / "data")
    assert server.import_csv("Towns", cities)["added"] == 200_000
    expected = server.clusters("Towns", zoom=5)
    assert server.stop() == 0
    file = snapshot_of(tmp_path / "data")
    damaged = bytearray(file.read_bytes())
    damaged[int(part * len(damaged))] ^= 0x55
    file.write_bytes(damaged)
    server = start(data=tmp_path / "data")
    assert "it is damaged: chunk" in last_start(server) or "it is damaged" in server.log.read_text()
    assert server.clusters("Towns", zoom=5) == expected
    assert server.stop() == 0


def test_a_layer_that_is_too_small_for_a_snapshot_starts_without_complaint(start, tmp_path):
    server = start(data=tmp_path / "small")
    server.create("Towns", location=place(10, 50))
    assert server.stop() == 0
    server = start(data=tmp_path / "small")
    assert "1 objects read from the store" in last_start(server)
    assert "snapshot" not in server.log.read_text()
