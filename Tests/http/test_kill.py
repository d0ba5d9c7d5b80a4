"""The server is killed under 32 writers, again and again: what it acknowledged is there afterwards,
nothing is there by halves, counters are exact, and the map is that of the store.

    GEOSERVICE_KILLS=200 scripts/python-tests Tests/http/test_kill.py

kills it 200 times (some 20 minutes); without the variable it is 8 times. GEOSERVICE_KILL_SEED is the
seed of a run that failed; the times of threads are not in it, so that it repeats the kind of run only.
"""

import os
import random
import subprocess
import time

import pytest

from crash_writers import (
    ACCOUNT, BOARD, COUNTER, DELETED, GROUP_SIZE, LAYER, TALLY, Known, Ledger, Writer, everything,
    state_of, tally)
from parse_client import pointer
from people import sign_up
from service import BINARY, CLIENT, MASTER, Service, count_of, environment, place

KILLS = int(os.environ.get("GEOSERVICE_KILLS", 8))
SEED = int(os.environ.get("GEOSERVICE_KILL_SEED", random.randrange(1 << 30)))
#: So many kills a store: its log and its history grow over several of them.
KILLS_PER_STORE = max(4, KILLS // 20)
WRITERS = 32
ACCOUNTS = 6
#: Enough for the index of the layer to be kept in a file, from which a start goes on.
IMPORTED = 12_000


@pytest.fixture(autouse=True)
def once_only(settings):
    settings(GEOSERVICE_IDEMPOTENT_PATHS=f"classes/{TALLY}.*", GEOSERVICE_PASSWORD_MEMORY_MB="8")


@pytest.mark.parametrize("number", range(-(-KILLS // KILLS_PER_STORE)))
def test_a_kill_loses_nothing_that_was_acknowledged(tmp_path, number):
    seed = f"{SEED}-{number}"
    print(f"seed {seed}")
    generator = random.Random(seed)
    service, ledger = Service(tmp_path / "data"), Ledger()
    if number % 2 == 0:
        service.import_csv(LAYER, table(generator), id="id", acl='{"*":{"read":true,"write":true}}')
    person = sign_up(service)
    fixed = {
        name: service.create(name, n=0) for name in (TALLY, COUNTER, BOARD)}
    fixed[ACCOUNT] = [service.create(ACCOUNT, n=0) for _ in range(ACCOUNTS)]
    rules = {"count": [{"of": LAYER, "by": "counter", "into": "objects"}]}
    assert service.request(
        "PUT", f"/v1/collections/{COUNTER}/rules", rules, MASTER).status == 200
    imported = IMPORTED if number % 2 == 0 else 0
    acknowledged = 0
    for kill in range(min(KILLS_PER_STORE, KILLS - number * KILLS_PER_STORE)):
        writers = [
            Writer(service, ledger, fixed, person, f"{seed}-{kill}-{writer}")
            for writer in range(WRITERS)]
        for writer in writers:
            writer.start()
        time.sleep(generator.uniform(0.02, 1.2))
        service.kill()
        for writer in writers:
            writer.join(60)
        if generator.random() < 0.3:
            kill_while_starting(service, generator)
        service = Service(service.data)
        assert ledger.surprises == []
        check_objects(service, ledger, imported)
        check_counters(service, ledger, fixed)
        check_relation(service, ledger, fixed)
        check_map(service, person, generator)
        assert ledger.acknowledged() > acknowledged, "nothing was written before the kill"
        acknowledged = ledger.acknowledged()
    print(f"{len(ledger.objects)} objects, {len(ledger.groups)} groups, "
          f"{len(ledger.tallied)} requests that are done once")
    assert service.stop() == 0
    # What was written in the end is there after a good end, too.
    service = Service(service.data)
    check_objects(service, ledger, imported)
    check_map(service, person, generator)
    assert service.stop() == 0


def table(generator):
    rows = [f"i{number},{generator.gauss(13.4, 0.3):.6f},{generator.gauss(52.5, 0.2):.6f},0"
            for number in range(IMPORTED)]
    return "\n".join(["id,lon,lat,n", *rows]) + "\n"


def kill_while_starting(service, generator):
    """A start that does not come to its end: what it repairs must stand being left half done."""
    process = subprocess.Popen(
        [BINARY, "serve", "--data", service.data, "--listen", "127.0.0.1:0"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=environment())
    time.sleep(generator.uniform(0, 0.4))
    process.kill()
    process.wait()


def check_objects(service, ledger, imported):
    """Every object is in its acknowledged state, or in the one that was open; no other is there."""
    serials, groups, others = {}, {}, 0
    for item in everything(service, LAYER, MASTER):
        if "serial" in item:
            assert item["serial"] not in serials, "made twice"
            serials[item["serial"]] = item
        elif "group" in item:
            groups[item["group"]] = groups.get(item["group"], 0) + 1
        else:
            others += 1
    assert others == imported
    for serial, known in ledger.objects.items():
        item = serials.pop(serial, None)
        state = DELETED if item is None else state_of(item)
        assert known.may_be(state), (serial, known, state)
        assert item is None or item["objectId"] == known.id
        known.state, known.open = state, []
    for serial, item in serials.items():
        assert state_of(item) == ledger.unanswered[serial], (serial, item)
        ledger.objects[serial] = Known(item["objectId"], state_of(item))
    ledger.unanswered.clear()
    for group in ledger.open_groups:
        assert groups.get(group, 0) in (0, GROUP_SIZE), "half a batch"
        ledger.groups[group] = groups.get(group, 0)
    ledger.open_groups.clear()
    assert {group: count for group, count in ledger.groups.items() if count} == groups


def check_counters(service, ledger, fixed):
    """Increments lie between what was acknowledged and what was tried; once-only ones are exact."""
    def value(class_name, object_id):
        answer = service.get(f"/parse/classes/{class_name}/{object_id}", CLIENT)
        return answer.json()["n"]

    # The one that a rule keeps is the number of the objects that it counts.
    ruled = service.get(f"/parse/classes/{COUNTER}/{fixed[COUNTER]}", CLIENT).json()["objects"]
    assert ruled == sum("counter" in item for item in everything(service, LAYER, MASTER))
    counted = value(COUNTER, fixed[COUNTER])
    assert ledger.counted <= counted <= ledger.tried
    ledger.counted = ledger.tried = counted
    assert sum(value(ACCOUNT, account) for account in fixed[ACCOUNT]) == 0, "half a transaction"
    before = value(TALLY, fixed[TALLY])
    assert sum(ledger.tallied.values()) <= before <= len(ledger.tallied)

    def send(method, path, body, status, headers):
        answer = service.request(method, f"/parse{path}", body, {**CLIENT, **headers})
        assert answer.status in status, answer.body
        return answer

    # Each is sent again, as a client does that got no answer; and some of those that got one.
    answered = [request for request, is_answered in ledger.tallied.items() if is_answered]
    for request in [*answered[-20:], *(
            request for request, is_answered in ledger.tallied.items() if not is_answered)]:
        again = tally(send, fixed[TALLY], request, [200, 400])
        if again.status == 400:
            assert again.json()["code"] == 159
        else:
            assert not ledger.tallied[request], "an acknowledged request was done again"
        ledger.tallied[request] = True
    assert value(TALLY, fixed[TALLY]) == len(ledger.tallied)


def check_relation(service, ledger, fixed):
    members = {item["objectId"] for item in everything(
        service, LAYER, MASTER,
        **{"$relatedTo": {"object": pointer(BOARD, fixed[BOARD]), "key": "members"}})}
    there = {serial: known.id for serial, known in ledger.objects.items() if known.state}
    wanted = {there[serial] for serial in ledger.related if serial in there}
    may_be = {there[serial] for serial in ledger.open_relations if serial in there}
    assert wanted <= members <= wanted | may_be
    ledger.related = {serial for serial, name in there.items() if name in members}
    ledger.open_relations.clear()


def check_map(service, person, generator):
    """The index answers as the store does, to everybody and to one who sees more."""
    for headers in ({}, {"X-Parse-Session-Token": person.token}):
        stored = {
            item["objectId"]: [item["location"]["longitude"], item["location"]["latitude"]]
            for item in everything(service, LAYER, {**CLIENT, **headers})}
        shown, path = {}, f"/within/{LAYER}?bbox=-180,-90,180,90&limit=10000"
        while path:
            page = service.get(path, headers).json()
            shown |= {item["id"]: item["geometry"]["coordinates"] for item in page["features"]}
            links = [link["href"] for link in page.get("links", []) if link["rel"] == "next"]
            path = links[0].split(str(service.port), 1)[1] if links else None
        assert shown == stored
        count = service.get(f"/within/{LAYER}", headers, bbox="-180,-90,180,90", count="true")
        assert count.json()["count"] == len(stored)
        about = service.get(f"/v1/collections/{LAYER}", headers).json()
        assert about["count"] == len(stored)
        for zoom in (0, 6, 11, 16):
            answer = service.get(
                f"/clusters/{LAYER}", headers, bbox="-180,-90,180,90", zoom=zoom, limit=100_000)
            assert count_of(answer.json()["features"]) == len(stored), zoom
        cells = service.get(f"/aggregate/{LAYER}", headers, grid="geohash", precision=3).json()
        assert sum(cell["count"] for cell in cells["buckets"]) == len(stored)
        lon, lat = round(generator.uniform(12, 15), 3), round(generator.uniform(51, 54), 3)
        near = service.get(f"/near/{LAYER}", headers, lon=lon, lat=lat, limit=1000).json()
        found = service.get(
            f"/parse/classes/{LAYER}", {**CLIENT, **headers}, limit=1000,
            where=f'{{"location":{{"$nearSphere":{place(lon, lat)}}}}}'.replace("'", '"')).json()
        assert [item["id"] for item in near["features"]] == [
            item["objectId"] for item in found["results"]]
        distances = [item["properties"]["distance"] for item in near["features"]]
        assert distances == sorted(distances) and len(distances) == min(1000, len(stored))
