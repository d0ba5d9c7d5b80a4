"""The cases of Tests/cases over real HTTP: a row of the Parse surface each."""

import pytest

from cases import FOLDER, Run, areas, table
from service import CLIENT, KEYS, MASTER, Service

#: What must be there; a file that is lost or misnamed fails.
AREAS = [
    "acl", "aggregate", "batch", "clp", "codes", "config", "geo", "idempotency", "installations",
    "objects", "operators", "protocol", "queries", "relations", "roles", "schemas", "service",
    "sessions", "types", "users"]
FILES = areas()
SENT = {"client": CLIENT, "master": MASTER}


def test_every_area_has_its_file_and_every_file_its_area():
    assert sorted(FILES) == AREAS
    assert all(content["cases"] for content in FILES.values())


def test_the_table_of_rows_is_that_of_the_files():
    assert (FOLDER / "README.md").read_text() == table(), (
        "run python3 Tests/python/cases.py")


@pytest.fixture(scope="module")
def services(tmp_path_factory):
    """A service for each set of settings that files ask for."""
    started = {}

    def with_settings(settings):
        name = str(sorted(settings.items()))
        if name not in started:
            with pytest.MonkeyPatch.context() as patch:
                for key, value in {"GEOSERVICE_PASSWORD_MEMORY_MB": "8", **settings}.items():
                    patch.setitem(KEYS, key, value)
                started[name] = Service(tmp_path_factory.mktemp("cases") / "data")
        return started[name]

    yield with_settings
    for service in started.values():
        assert service.stop() == 0


@pytest.mark.parametrize("area, case", [
    pytest.param(area, case, id=f"{area}-{number}")
    for area, content in FILES.items() for number, case in enumerate(content["cases"], 1)])
def test_a_case(services, area, case):
    run = Run(services(FILES[area].get("settings", {})), SENT)
    for step in case["steps"]:
        run.step(step)
