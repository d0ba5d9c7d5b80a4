"""Fixtures of all tests in Python: servers that are stopped again, whatever happens."""

import pytest

from places import csv_text, rows
from service import BINARY, KEYS, REPOSITORY, SHARED, Service


@pytest.fixture(scope="session", autouse=True)
def binary():
    """The program under test; without it no test here means anything."""
    assert BINARY.is_file(), f"no program at {BINARY}: run `make build`, or set GEOSERVICE_BIN"
    return BINARY


@pytest.fixture
def settings(monkeypatch):
    """Sets settings of the servers that are started afterwards."""
    def set_all(**variables):
        for name, value in variables.items():
            monkeypatch.setitem(KEYS, name, value)

    return set_all


@pytest.fixture
def start(tmp_path):
    """Starts servers: `start("--demo", data=folder)`; folder is a fresh one by default."""
    started = []

    def start_one(*arguments, data=None):
        started.append(Service(data or tmp_path / f"data-{len(started)}", *arguments))
        return started[-1]

    yield start_one
    for service in started:
        if service.is_running:
            service.kill()


@pytest.fixture(scope="module")
def towns(tmp_path_factory):
    """A server that holds the layer Towns; tests only read it."""
    service = Service(tmp_path_factory.mktemp("towns") / "data")
    service.rows = rows(per_town=200, seed=4)
    report = service.import_csv("Towns", csv_text(service.rows), id="id", kind="kind")
    assert report["added"] == len(service.rows), report
    yield service
    assert service.stop() == 0


@pytest.fixture(params=["carried", "all"])
def cities(request):
    """A file of real cities and how many they are: forty that every clone has, and all cities of
    more than a thousand people where the folder of real data lies beside the checkout."""
    if request.param == "carried":
        return REPOSITORY / "fixtures/import/cities.csv", 40
    file = SHARED / "data/poi/rg_cities1000.csv"
    if not file.is_file():
        pytest.skip("no folder of real data beside the checkout")
    return file, 144563
