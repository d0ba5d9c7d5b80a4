"""An import that is killed goes on where it was when the same command is started again: no row is
there twice, and none is missing, also where rows have no ids."""

import random
import subprocess
import time

import pytest
from service import BINARY, MASTER, Service, environment, run

ROWS = 60_000


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    path.write_text("lon,lat,n\n" + "".join(
        f"{n % 360 - 180},{n % 170 - 85},{n}\n" for n in range(ROWS)))
    return path


def numbers(data, name="Rows"):
    """The numbers of the rows that are stored."""
    finished = run("export", "--layer", name, "-o", "-", "--format", "csv", "--data", data)
    assert finished.returncode == 0, finished.stderr
    return sorted(int(line.split(",")[-1]) for line in finished.stdout.decode().splitlines()[1:] if line)


def begin(file, data):
    return subprocess.Popen(
        [BINARY, "import", file, "--layer", "Rows", "--data", data], env=environment(),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def stored(data):
    """Whether anything was written."""
    return any(path.stat().st_size > 1_000_000 for path in data.glob("*-wal"))


@pytest.mark.parametrize("seed", range(2))
def test_killed_alone(file, tmp_path, seed):
    data, generator = tmp_path / "data", random.Random(seed)
    kills = 0
    for _ in range(3):
        command = begin(file, data)
        until = time.monotonic() + 60
        while command.poll() is None and not stored(data) and time.monotonic() < until:
            time.sleep(0.005)
        try:
            command.wait(generator.random() * 0.3)
        except subprocess.TimeoutExpired:
            command.kill()
            kills += 1
        if command.wait() == 0:
            break
    else:
        finished = run("import", file, "--layer", "Rows", "--data", data)
        assert finished.returncode == 0, finished.stderr
        assert b"went on after" in finished.stdout
    assert kills > 0
    assert numbers(data) == list(range(ROWS))
    # What was complete is begun anew, as rows without ids are.
    assert f"{ROWS:,} added".encode() in run("import", file, "--layer", "Rows", "--data", data).stdout


def test_a_server_killed_under_an_import(file, tmp_path):
    data = tmp_path / "data"
    service = Service(data)
    command = begin(file, data)
    until = time.monotonic() + 60
    while command.poll() is None and not stored(data) and time.monotonic() < until:
        time.sleep(0.005)
    service.kill()
    assert command.wait() == 1
    service = Service(data)
    try:
        finished = run("import", file, "--layer", "Rows", "--data", data)
        assert finished.returncode == 0, finished.stderr
    finally:
        service.stop()
    assert numbers(data) == list(range(ROWS))


def test_another_file_begins_anew(start):
    service = start()
    text = "lon,lat\n" + "".join(f"{n},1\n" for n in range(50))
    broken = '{"type":"FeatureCollection","features":[' + ",".join(
        f'{{"type":"Feature","geometry":null,"properties":{{"n":{n}}}}}' for n in range(50)) + "x"
    headers = {**MASTER, "Content-Type": "application/geo+json"}
    post = lambda key: service.request(
        "POST", "/import/Cut", broken.encode(), headers, {"resume": key})
    assert "50 rows before it were stored" in post("one").json()["detail"]
    assert "0 rows before it were stored" in post("one").json()["detail"]
    assert "50 rows before it were stored" in post("two").json()["detail"]
    report = service.import_csv("Cut", text, resume="three")
    assert report["added"] == 50
    assert service.request("POST", "/import/Cut", b"", headers, {"resume": "a b"}).status == 400
