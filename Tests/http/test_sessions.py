"""Sessions over real HTTP: what they hold, who sees them, when they end."""

import sqlite3

import pytest

from people import call, fresh, log_in, refusal, sign_up
from parse_client import TIME
from service import MASTER, Service

YEAR = 365 * 24 * 3600


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    started = Service(tmp_path_factory.mktemp("sessions") / "data")
    yield started
    assert started.stop() == 0


def seconds(text):
    import datetime
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def current(person, token=None):
    answer = person.call("GET", "/sessions/me", token=token)
    assert answer.status == 200, answer.body
    return answer.json()


def test_what_a_session_holds(service):
    person = sign_up(service, headers={"X-Parse-Installation-Id": "phone"})
    session = current(person)
    assert session["user"] == person.pointer and session["sessionToken"] == person.token
    assert session["createdWith"] == {"action": "signup", "authProvider": "password"}
    assert session["installationId"] == "phone" and session["restricted"] is False
    assert TIME.fullmatch(session["expiresAt"]["iso"]) and "ACL" not in session
    life = seconds(session["expiresAt"]["iso"]) - seconds(session["createdAt"])
    assert abs(life - YEAR) < 1
    token = log_in(service, person.name).json()["sessionToken"]
    session = current(person, token)
    assert session["createdWith"] == {"action": "login", "authProvider": "password"}
    assert "installationId" not in session


def test_logging_out_ends_this_session_alone(service):
    person = sign_up(service)
    other = log_in(service, person.name).json()["sessionToken"]
    answer = person.call("POST", "/logout", {})
    assert (answer.status, answer.json()) == (200, {})
    assert refusal(person.call("GET", "/users/me")) == (400, 209)
    assert person.me(other)["objectId"] == person.id
    assert call(service, "POST", "/logout", {}).json() == {}
    assert refusal(person.call("POST", "/logout", {})) == (400, 209)


def test_every_route_but_login_refuses_a_token_that_is_none(service):
    person = sign_up(service)
    note = call(service, "POST", "/classes/Note", {"n": 1}).json()["objectId"]
    for token in ["r:nope", "r:" + "0" * 32, person.token[2:], person.token.upper(), "x" * 5000]:
        wrong = {"X-Parse-Session-Token": token}
        for method, path, body in [
                ("GET", "/classes/Note", None), ("POST", "/classes/Note", {"n": 1}),
                ("GET", f"/classes/Note/{note}", None), ("PUT", f"/classes/Note/{note}", {"n": 2}),
                ("DELETE", f"/classes/Note/{note}", None), ("POST", "/batch", {"requests": []}),
                ("GET", "/users/me", None), ("GET", f"/users/{person.id}", None),
                ("POST", "/users", {"username": fresh(), "password": "p"}),
                ("POST", "/logout", {}), ("GET", "/sessions", None), ("GET", "/sessions/me", None),
                ("GET", "/roles", None), ("POST", "/requestPasswordReset", {"email": "a@b"})]:
            assert refusal(call(service, method, path, body, wrong)) == (400, 209), (method, path)
        assert log_in(service, person.name, headers=wrong).status == 200
    assert call(service, "GET", f"/classes/Note/{note}").json()["n"] == 1
    # The master key needs no session, and an empty token is none.
    assert call(service, "GET", "/roles", headers=wrong, master=True).status == 200
    assert call(service, "GET", "/roles", headers={"X-Parse-Session-Token": ""}).status == 200


def test_one_sees_ones_own_sessions_alone(service):
    ann, bob = sign_up(service), sign_up(service)
    log_in(service, ann.name)
    listed = ann.call("GET", "/sessions", count=1).json()
    assert listed["count"] == len(listed["results"]) == 2
    assert all(item["user"] == ann.pointer and "ACL" not in item for item in listed["results"])
    assert not any("sessionToken" in item for item in listed["results"])
    one = f"/sessions/{listed['results'][0]['objectId']}"
    assert ann.call("GET", one).json()["user"] == ann.pointer
    for method, body in [("GET", None), ("PUT", {"n": 1}), ("DELETE", None)]:
        assert refusal(bob.call(method, one, body)) == (404, 101)
        assert refusal(call(service, method, one, body)) == (400, 209)
        assert refusal(call(service, method, one.replace("sessions", "classes/_Session"), body)) == (
            400, 209)
    assert refusal(call(service, "GET", "/sessions")) == (400, 209)
    assert refusal(call(service, "GET", "/classes/_Session")) == (400, 209)
    assert refusal(call(service, "GET", "/sessions/me")) == (400, 209)
    everybody = call(service, "GET", "/sessions", master=True, limit=1000).json()["results"]
    assert {item["user"]["objectId"] for item in everybody} >= {ann.id, bob.id}


def test_ending_a_session_by_its_id(service):
    person = sign_up(service)
    other = log_in(service, person.name).json()["sessionToken"]
    path = f"/sessions/{current(person, other)['objectId']}"
    assert person.call("DELETE", path).json() == {}
    assert refusal(person.call("GET", "/users/me", token=other)) == (400, 209)
    assert refusal(person.call("DELETE", path)) == (404, 101)
    own = f"/classes/_Session/{current(person)['objectId']}"
    assert call(service, "DELETE", own, master=True).status == 200
    assert person.me() is None


def test_what_may_be_changed(service):
    person = sign_up(service)
    path = f"/sessions/{current(person)['objectId']}"
    assert person.call("PUT", path, {"device": "watch"}).status == 200
    assert current(person)["device"] == "watch"
    for body in [{"ACL": {"*": {"read": True}}}, {"ACL": None}, {"user": person.pointer},
                 {"sessionToken": "r:1"}, {"expiresAt": None}, {"installationId": "x"},
                 {"createdWith": {}}, {"restricted": True}]:
        assert refusal(person.call("PUT", path, body)) == (400, 105), body
    for body in [{"ACL": {}}, {"user": person.pointer}]:
        assert refusal(call(service, "PUT", path, body, master=True)) == (400, 105), body
    assert person.me()


def test_a_session_that_the_operator_ends_in_the_past_is_over(service):
    person = sign_up(service)
    path = f"/sessions/{current(person)['objectId']}"
    assert person.me()
    past = {"__type": "Date", "iso": "2020-01-01T00:00:00.000Z"}
    assert call(service, "PUT", path, {"expiresAt": past}, master=True).status == 200
    assert refusal(person.call("GET", "/users/me")) == (400, 209)
    future = {"__type": "Date", "iso": "2999-01-01T00:00:00.000Z"}
    assert call(service, "PUT", path, {"expiresAt": future}, master=True).status == 200
    assert person.me()["objectId"] == person.id


def test_a_further_session(service):
    person = sign_up(service)
    answer = person.call("POST", "/sessions", {
        "device": "watch", "sessionToken": "r:mine", "user": {"__type": "Pointer", "className":
                                                              "_User", "objectId": "other00000"}})
    session = answer.json()
    assert answer.status == 201 and session["user"] == person.pointer
    assert session["createdWith"] == {"action": "create"} and session["restricted"] is True
    assert session["device"] == "watch" and session["sessionToken"] != "r:mine"
    assert answer.headers["Location"].endswith(f"/classes/_Session/{session['objectId']}")
    assert person.me(session["sessionToken"])["objectId"] == person.id
    assert person.me()["objectId"] == person.id
    assert refusal(call(service, "POST", "/sessions", {})) == (400, 209)
    assert refusal(person.call("POST", "/sessions", {"ACL": {}})) == (400, 105)


def test_upgrading_a_session(service):
    person = sign_up(service)
    answer = person.call("POST", "/upgradeToRevocableSession", {})
    assert answer.status == 200 and answer.json()["createdWith"] == {"action": "upgrade"}
    assert person.me(answer.json()["sessionToken"])["objectId"] == person.id
    assert refusal(call(service, "POST", "/upgradeToRevocableSession", {})) == (400, 209)


def test_a_login_on_one_device_ends_the_one_before(service):
    person = sign_up(service)
    phone, tablet = {"X-Parse-Installation-Id": "phone"}, {"X-Parse-Installation-Id": "tablet"}
    first = log_in(service, person.name, headers=phone).json()["sessionToken"]
    second = log_in(service, person.name, headers=tablet).json()["sessionToken"]
    other = sign_up(service, headers=phone)
    third = log_in(service, person.name, headers=phone).json()["sessionToken"]
    assert person.me(first) is None
    assert all(person.me(token) for token in (second, third, person.token))
    assert other.me()["objectId"] == other.id


def test_sessions_of_one_user_are_bounded(service):
    person = sign_up(service)
    for _ in range(205):
        assert person.call("POST", "/upgradeToRevocableSession", {}, token=person.token).status in (
            200, 400)
        newest = person.call("GET", "/users/me")
        if newest.status == 400:
            break
    else:
        pytest.fail("the oldest session has not ended")
    answer = call(service, "GET", "/sessions", master=True, limit=1000).json()["results"]
    assert sum(item["user"] == person.pointer for item in answer) == 200


def test_a_leaked_database_gives_nothing_away(start, settings):
    settings(GEOSERVICE_MAIL="file", GEOSERVICE_VERIFY_EMAILS="on")
    service = start()
    secrets = []
    for number in range(5):
        person = sign_up(service, password=f"very secret {number}", email=f"u{number}@example.org")
        made = person.call("POST", "/sessions", {}).json()["sessionToken"]
        login = log_in(service, person.name, person.password).json()["sessionToken"]
        secrets += [person.password, person.token, made, login]
        anonymous = f"0f6b2c1e-0000-4000-8000-00000000000{number}"
        answer = call(service, "POST", "/users", {"authData": {"anonymous": {"id": anonymous}}})
        secrets += [anonymous, answer.json()["sessionToken"]]
        changed = person.call("PUT", f"/users/{person.id}", {"password": f"changed {number}"})
        secrets += [f"changed {number}", changed.json()["sessionToken"]]
        call(service, "POST", "/requestPasswordReset", {"email": f"u{number}@example.org"})
    from mails import wait_for_mails
    for mail in wait_for_mails(service, 10):
        secrets.append(mail.token)
    assert len(secrets) == len(set(secrets)) == 5 * 8 + 10
    service.kill()  # what stands in the log stays there
    files = [path for path in service.data.rglob("*") if path.is_file()
             and path.parent.name != "outbox"]
    assert any(path.name.endswith("-wal") and path.stat().st_size for path in files)
    content = b"".join(path.read_bytes() for path in files)
    assert b"u1@example.org" in content, "the test reads what is stored"
    for secret in secrets:
        for form in (secret, secret.removeprefix("r:")):
            assert form.encode() not in content
        if secret.startswith("r:"):
            assert bytes.fromhex(secret[2:]) not in content
    # The database read as such has no such text in any column, either.
    with sqlite3.connect(service.data / "geoservice.sqlite") as database:
        rows = [str(row) for (name,) in database.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
            for row in database.execute(f'SELECT * FROM "{name}"')]
    assert rows and not any(secret in row for row in rows for secret in secrets)
    assert MASTER["X-Parse-Master-Key"].encode() not in content
