"""A real nginx before the service: what it forwards never counts as this machine's own."""

import http.client
import itertools
import pathlib

import pytest

from nginx import PROGRAM, Nginx, sample, server
from people import fresh
from service import CLIENT, MASTER, Service, ask

pytestmark = pytest.mark.skipif(
    not pathlib.Path(PROGRAM).exists(), reason="no nginx here: `make deps` installs it")

#: What clients make up of where they are: this machine, or where the master key may be used.
SPOOFED = [
    {}, *({name: value} for name in ("X-Forwarded-For", "X-Real-IP")
          for value in ("127.0.0.1", "::1", "10.9.8.7", "10.9.8.7, 127.0.0.1", "nonsense")),
    *({"Forwarded": value} for value in (
        "for=127.0.0.1", "for=10.9.8.7", 'for="[::1]";host=localhost', "for=10.9.8.7, for=127.0.0.1")),
    {"X-Forwarded-For": "10.9.8.7", "Forwarded": "for=10.9.8.7"},
    {"X-Forwarded-Host": "localhost", "X-Forwarded-Proto": "http"}]
APPENDED = "X-Forwarded-For $proxy_add_x_forwarded_for"

#: How a proxy may be set up. The last says nothing at all, as HTTP/1.0 that is enough.
BLOCKS = {
    "sample": sample(), "appending": server(APPENDED), "x-forwarded-for": server(
        "X-Forwarded-For $remote_addr"),
    "forwarded": server('Forwarded "for=$remote_addr;proto=$scheme"'),
    "x-real-ip": server("X-Real-IP $remote_addr"), "via": server('Via "1.1 proxy"'),
    "bare": server(version="1.0")}


@pytest.fixture
def proxy(tmp_path):
    """Starts nginx before a service."""
    started = []

    def start_one(block, service):
        started.append(Nginx(tmp_path / f"nginx-{len(started)}", block, service))
        return started[-1]

    yield start_one
    for one in started:
        one.stop()


def call(proxy, method, path, body=None, headers=None):
    """A request from another address of this machine than the proxy has."""
    connection = http.client.HTTPConnection(
        "127.0.0.1", proxy.port, timeout=60, source_address=("127.0.0.2", 0))
    try:
        return ask(connection, method, path, body, {"Host": "maps.example.org", **(headers or {})})
    finally:
        connection.close()


def check_nothing_is_open(service, entry, spoofed):
    """Clients make no classes, and the right master key opens nothing, whatever they make up."""
    for fields in spoofed:
        name = fresh("Made")
        made = call(entry, "POST", f"/parse/classes/{name}", {"n": 1}, {**CLIENT, **fields})
        assert made.status == 400 and made.json()["code"] == 119, (fields, made.body)
        for method, path, body in (
                ("GET", "/parse/schemas", None), ("GET", "/parse/serverInfo", None),
                ("POST", f"/import/{name}", b"lon,lat\n1,2\n"),
                ("PUT", "/v1/collections/Known", {"title": "x"})):
            asked = call(entry, method, path, body, {**MASTER, "Content-Type": "text/csv", **fields})
            assert asked.status == 403, (method, path, fields, asked.body)
        known = call(entry, "GET", "/parse/classes/Known", None, {**CLIENT, **fields})
        assert known.status == 200, (fields, known.body)
    names = [item["className"] for item in service.get(
        "/parse/schemas", MASTER).json()["results"]] if spoofed else []
    assert not [name for name in names if name.startswith("Made")]


@pytest.mark.parametrize("block", BLOCKS)
def test_without_trusted_proxies_nothing_forwarded_is_of_this_machine(start, proxy, settings, block):
    settings(GEOSERVICE_MASTER_KEY_IPS="127.0.0.0/8,::1,10.0.0.0/8")
    service = start()
    service.create("Known", n=1)
    check_nothing_is_open(service, proxy(BLOCKS[block], service), SPOOFED)
    # Asked itself, the service is this machine's.
    assert service.create(fresh("Made"), n=1)
    assert service.get("/parse/serverInfo", MASTER).status == 200
    for fields in SPOOFED[1:]:
        made = service.request("POST", "/parse/classes/Other", {"n": 1}, {**CLIENT, **fields})
        assert made.status == 400 and made.json()["code"] == 119, fields


@pytest.mark.parametrize("block", ["sample", "appending", "x-forwarded-for", "forwarded"])
def test_a_trusted_proxy_is_believed_and_a_client_is_not(start, proxy, settings, block):
    settings(GEOSERVICE_TRUSTED_PROXIES="127.0.0.1",
             GEOSERVICE_PUBLIC_URL="https://maps.example.org/geo",
             GEOSERVICE_MASTER_KEY_IPS="127.0.0.0/8,::1,10.0.0.0/8")
    service = start()
    assert service.request("POST", "/parse/schemas/Known", {}, MASTER).status == 200
    check_nothing_is_open(service, proxy(BLOCKS[block], service), SPOOFED)
    links = service.get("/v1/collections").json()["links"]
    assert links[0]["href"].startswith("https://maps.example.org/geo/")


def test_the_master_key_counts_from_listed_addresses_behind_the_proxy(start, proxy, settings):
    settings(GEOSERVICE_TRUSTED_PROXIES="127.0.0.1", GEOSERVICE_MASTER_KEY_IPS="10.0.0.0/8")
    service = start()
    # As a proxy before nginx would name the client.
    for header in ("X-Forwarded-For $http_x_test", 'Forwarded "for=$http_x_test"'):
        entry = proxy(server(header), service)
        for address, status in (("10.9.8.7", 200), ("11.9.8.7", 403), ("127.0.0.1", 403)):
            fields = {**MASTER, "X-Test": address}
            assert call(entry, "GET", "/parse/serverInfo", None, fields).status == status, address


def test_the_sample_names_the_host_and_scheme_that_were_asked_for(start, proxy, settings):
    settings(GEOSERVICE_TRUSTED_PROXIES="127.0.0.1")
    entry = proxy(sample(), start())
    for fields in ({}, {"X-Forwarded-Host": "evil.example.com", "X-Forwarded-Proto": "https"},
                   {"Forwarded": "host=evil.example.com;proto=https"}):
        links = call(entry, "GET", "/v1/collections", None, fields).json()["links"]
        assert links[0]["href"].startswith("http://maps.example.org/"), fields


def test_guesses_are_counted_for_the_client_and_not_for_what_he_makes_up(start, proxy, settings):
    settings(GEOSERVICE_TRUSTED_PROXIES="127.0.0.1", GEOSERVICE_LOGINS_PER_ADDRESS="3",
             GEOSERVICE_LOGINS_PER_ACCOUNT="off", GEOSERVICE_PASSWORD_MEMORY_MB="8")
    service = start()
    for block in ("sample", "appending"):
        entry, numbers = proxy(BLOCKS[block], service), itertools.count()
        statuses = []
        for name in ("X-Forwarded-For", "Forwarded", "X-Real-IP") * 3:
            address = f"192.0.2.{next(numbers)}"
            value = f"for={address}" if name == "Forwarded" else address
            statuses.append(call(
                entry, "POST", "/parse/login", {"username": "nobody", "password": "x"},
                {**CLIENT, name: value}).status)
        assert 429 in statuses and statuses[-1] == 429, statuses
