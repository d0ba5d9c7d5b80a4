"""How often accounts may be tried, over real HTTP; clients come through a trusted proxy, so that
they have addresses."""

import pytest

from people import call, fresh, log_in, refusal, sign_up
from service import Service


def behind(address):
    return {"X-Forwarded-For": address}


@pytest.fixture
def service(start, settings):
    settings(
        GEOSERVICE_TRUSTED_PROXIES="127.0.0.1", GEOSERVICE_LOGINS_PER_ADDRESS="6",
        GEOSERVICE_LOGINS_PER_ACCOUNT="3", GEOSERVICE_SIGNUPS_PER_ADDRESS="2",
        GEOSERVICE_RESETS_PER_ADDRESS="2", GEOSERVICE_RESETS_PER_ACCOUNT="1",
        GEOSERVICE_MAIL="file", GEOSERVICE_PASSWORD_MEMORY_MB="8")
    return start()


def test_an_account_is_guessed_at_a_few_times_only(service):
    ann = sign_up(service, headers=behind("192.0.2.1"))
    other = sign_up(service, headers=behind("192.0.2.1"))
    # The right password never uses up the tries.
    for number in range(5):
        assert log_in(service, ann.name, headers=behind(f"192.0.2.{10 + number}")).status == 200
    for number in range(3):
        answer = log_in(service, ann.name.upper(), "wrong", behind(f"198.51.100.{number}"))
        assert refusal(answer) == (404, 101)
    answer = log_in(service, ann.name, headers=behind("203.0.113.9"))
    assert refusal(answer) == (429, 100)
    assert 1 <= int(answer.headers["Retry-After"]) <= 21
    assert refusal(call(service, "GET", "/verifyPassword", headers=behind("203.0.113.9"),
                        username=ann.name, password="x")) == (429, 100)
    assert log_in(service, other.name, headers=behind("203.0.113.9")).status == 200
    # Those who are in stay in.
    assert call(service, "GET", "/users/me", headers={
        "X-Parse-Session-Token": ann.token, **behind("203.0.113.9")}).status == 200


def test_an_address_has_a_few_tries_whatever_the_names(service):
    for number in range(6):
        answer = log_in(service, f"nobody{number}", "wrong", behind("192.0.2.7"))
        assert refusal(answer) == (404, 101)
    assert refusal(log_in(service, "nobody9", "wrong", behind("192.0.2.7"))) == (429, 100)
    assert refusal(log_in(service, "nobody9", "wrong", behind("192.0.2.8"))) == (404, 101)
    # Of IPv6, one client has a whole network.
    for number in range(6):
        log_in(service, f"nobody{number}", "wrong", behind(f"2001:db8::{number}"))
    assert refusal(log_in(service, "no", "wrong", behind("2001:db8::ffff:1"))) == (429, 100)
    assert refusal(log_in(service, "no", "wrong", behind("2001:db8:0:1::1"))) == (404, 101)


def test_an_address_signs_up_a_few_users(service):
    for _ in range(2):
        sign_up(service, headers=behind("192.0.2.1"))
    body = {"username": fresh(), "password": "p"}
    assert refusal(call(service, "POST", "/users", body, behind("192.0.2.1"))) == (429, 100)
    assert call(service, "POST", "/users", body, behind("192.0.2.2")).status == 201


def test_mail_is_asked_for_a_few_times(service):
    def ask(email, address):
        return call(service, "POST", "/requestPasswordReset", {"email": email}, behind(address))

    assert ask("a@example.org", "192.0.2.1").status == 200
    assert refusal(ask("A@example.org", "192.0.2.2")) == (429, 100)
    assert ask("b@example.org", "192.0.2.1").status == 200
    assert refusal(ask("c@example.org", "192.0.2.1")) == (429, 100)


def test_this_machine_is_not_limited_by_address_but_by_account(start, settings):
    settings(GEOSERVICE_LOGINS_PER_ADDRESS="2", GEOSERVICE_SIGNUPS_PER_ADDRESS="2",
             GEOSERVICE_LOGINS_PER_ACCOUNT="3", GEOSERVICE_PASSWORD_MEMORY_MB="8")
    service = start()
    people = [sign_up(service) for _ in range(4)]
    for person in people:
        assert log_in(service, person.name).status == 200
    assert [log_in(service, people[0].name, "wrong").status for _ in range(5)] == [404] * 3 + [429] * 2


def test_hashes_are_renewed_when_the_setting_changes(start, settings):
    settings(GEOSERVICE_PASSWORD_MEMORY_MB="8")
    service = start()
    person = sign_up(service)
    service.kill()
    assert b"m=8192,t=2,p=1$" in b"".join(
        path.read_bytes() for path in service.data.glob("geoservice.sqlite*"))
    settings(GEOSERVICE_PASSWORD_MEMORY_MB="16")
    again = start(data=service.data)
    for _ in range(2):
        assert log_in(again, person.name).status == 200
    assert refusal(log_in(again, person.name, "wrong")) == (404, 101)
    again.kill()
    assert b"m=16384,t=2,p=1$" in b"".join(
        path.read_bytes() for path in service.data.glob("geoservice.sqlite*"))
