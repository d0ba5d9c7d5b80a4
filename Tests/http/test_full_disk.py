"""A disk that takes no more in the middle of an import."""

import resource

from service import MASTER, place

COUNT = "bbox=-180,-90,180,90&count=true"


def test_an_import_says_what_it_kept_and_the_service_goes_on(start):
    service = start()
    service.create("Rows", location=place(0, 0))
    limit = 6 << 20
    unlimited = resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    lines = "".join(
        f'{{"type":"Feature","id":"r{number}","geometry":{{"type":"Point","coordinates":[{number % 90},1]}},'
        f'"properties":{{"text":"{"x" * 100}"}}}}\n' for number in range(60_000))
    answer = service.request(
        "POST", "/import/Rows", lines.encode(), {**MASTER, "Content-Type": "application/geo+json-seq"})
    assert answer.status == 503, answer.body
    detail = answer.json()["detail"]
    resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, unlimited)
    kept = service.get(f"/within/Rows?{COUNT}").json()["count"] - 1
    assert 0 < kept < 60_000
    assert f"{kept} row" in detail and "before it" in detail, (kept, detail)
    # What failed has left nothing half done: the service takes writes, and starts again with all.
    service.create("Rows", location=place(1, 1))
    assert service.stop() == 0
    again = start(data=service.data)
    assert again.get(f"/within/Rows?{COUNT}").json()["count"] == kept + 2
