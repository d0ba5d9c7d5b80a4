"""The Parse surface as clients see it: the handed cases, and what survives a crash."""

import json
import subprocess
import sys
import threading

import pytest

from service import CLIENT, KEYS, MASTER, SHARED, place

CASES = SHARED / "cases"

#: Cases that need nothing but classes, batches, keys and stored access lists.
HANDED = [
    "objects/created-equals-updated", "objects/delete-answer", "objects/bad-field-name",
    "objects/null-does-not-set-type", "objects/bytes", "objects/file-type",
    "objects/dotted-update", "batch/mixed-fates", "batch/not-an-array", "geo-type/roundtrip",
    "geo-type/two-points-in-one-object", "geo-type/in-array", "geo-type/impossible-longitude",
    "geo-type/type-locked", "geo-type/integers-stay-numbers", "acl/empty-acl-locks",
    "protocol/no-app-id", "protocol/malformed-json", "protocol/no-cache",
    "protocol/extra-headers", "ops/increment-on-create", "ops/increment-many",
    "ops/add-to-missing", "ops/remove", "ops/bad-objects", "objects/keys-on-get",
    "query/order-bad-key", "query/unknown-parameter", "query/deep-order",
    "users/bad-token-everywhere",
]


@pytest.mark.skipif(not CASES.is_dir(), reason="the handed cases are not here")
def test_the_handed_cases(start, tmp_path):
    service = start()
    report = tmp_path / "report.json"
    subprocess.run(
        [sys.executable, CASES / "run_cases.py", "--url", f"{service.address}/parse",
         "--app-id", KEYS["GEOSERVICE_APP_ID"], "--master-key", KEYS["GEOSERVICE_MASTER_KEY"],
         "--rest-key", KEYS["GEOSERVICE_REST_KEY"], "--json", report],
        capture_output=True, timeout=600, check=False)
    outcome = {item["case"]: item for item in json.loads(report.read_text())}
    failed = {name: outcome[name]["error"] for name in HANDED if not outcome[name]["ok"]}
    assert not failed
    assert service.get("/health").status == 200


def test_what_was_answered_survives_a_crash(start):
    service = start()
    answered = []

    def write(number):
        while True:
            try:
                answered.append(service.create("Kept", location=place(number, 1), n=number))
            except OSError:
                return

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    while len(answered) < 200:
        assert any(writer.is_alive() for writer in writers)
    service.kill()
    for writer in writers:
        writer.join()
    again = start(data=service.data)
    for object_id in answered:
        answer = again.request("GET", f"/parse/classes/Kept/{object_id}", headers=CLIENT)
        assert answer.status == 200
    count = again.request("GET", "/parse/classes/Kept?limit=0&count=1", headers=CLIENT)
    assert count.json()["count"] >= len(answered)
    assert again.stop() == 0


def test_schemas_and_access_survive_a_restart(start):
    service = start()
    shown = service.create("Thing", n=1)
    hidden = service.create("Thing", n=2, ACL={})
    assert service.stop() == 0
    again = start(data=service.data)
    path = "/parse/classes/Thing"
    mismatch = again.request("POST", path, {"n": "text"}, CLIENT)
    assert (mismatch.status, mismatch.json()["code"]) == (400, 111)
    seen = [item["objectId"] for item in again.request("GET", path, headers=CLIENT).json()["results"]]
    assert seen == [shown]
    both = again.request("GET", path, headers=MASTER).json()["results"]
    assert {item["objectId"] for item in both} == {shown, hidden}
