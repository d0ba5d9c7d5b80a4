"""Users whom others vouch for, over real HTTP, with providers of the test's own."""

import time

import pytest

from people import call, fresh, log_in, refusal, sign_up
from providers import Provider, SigningKey, claims
from service import KEYS, Service

APPLE = "https://appleid.apple.com"
APP = "org.example.maps"


@pytest.fixture(scope="module")
def provider():
    started = Provider()
    yield started
    started.stop()


@pytest.fixture(scope="module")
def key(tmp_path_factory, provider):
    made = SigningKey(tmp_path_factory.mktemp("keys"), "first")
    provider.keys.append(made.public)
    return made


@pytest.fixture(scope="module")
def service(tmp_path_factory, provider, key):
    settings = {
        "AUTH_PROVIDERS": "anonymous,apple,google,facebook,spotify", "APPLE_CLIENT_IDS": APP,
        "APPLE_KEYS_URL": f"{provider.url}/keys", "GOOGLE_CLIENT_IDS": "g-one,g-two",
        "GOOGLE_KEYS_URL": f"{provider.url}/keys", "FACEBOOK_APP_IDS": "fb-app",
        "FACEBOOK_URL": provider.url, "SPOTIFY_URL": f"{provider.url}/me"}
    KEYS.update({f"GEOSERVICE_{name}": value for name, value in settings.items()})
    try:
        started = Service(tmp_path_factory.mktemp("auth") / "data")
    finally:
        for name in settings:
            del KEYS[f"GEOSERVICE_{name}"]
    yield started
    assert started.stop() == 0


def with_provider(service, name, data, headers=None, **fields):
    return call(service, "POST", "/users", {"authData": {name: data}, **fields}, headers)


def headers_of(answer):
    return {"X-Parse-Session-Token": answer.json()["sessionToken"]}


# --- Anonymous users

def test_an_anonymous_user_comes_back(service):
    data = {"id": f"uuid-{fresh()}"}
    first = with_provider(service, "anonymous", data, nick="a")
    body = first.json()
    assert first.status == 201
    assert set(body) == {"objectId", "createdAt", "sessionToken", "username"}
    again = with_provider(service, "anonymous", data)
    assert again.status == 200
    user = again.json()
    assert user["objectId"] == body["objectId"] and user["nick"] == "a"
    assert user["username"] == body["username"] and user["authData"] == {"anonymous": data}
    assert user["sessionToken"] != body["sessionToken"]
    session = call(service, "GET", "/sessions/me", headers=headers_of(first)).json()
    assert session["createdWith"] == {"action": "signup", "authProvider": "anonymous"}
    session = call(service, "GET", "/sessions/me", headers=headers_of(again)).json()
    assert session["createdWith"] == {"action": "login", "authProvider": "anonymous"}


def test_an_anonymous_user_takes_a_name_and_keeps_the_id(service):
    data = {"id": f"uuid-{fresh()}"}
    made = with_provider(service, "anonymous", data)
    user, name = made.json()["objectId"], fresh()
    answer = call(service, "PUT", f"/users/{user}", {
        "username": name, "password": "p", "authData": {"anonymous": None}}, headers_of(made))
    assert answer.status == 200
    login = log_in(service, name, "p")
    assert login.json()["objectId"] == user and "authData" not in login.json()
    # The made-up id is nobody's now.
    other = with_provider(service, "anonymous", data)
    assert other.status == 201 and other.json()["objectId"] != user


def test_what_clients_send_back_changes_nothing(service):
    data = {"id": f"uuid-{fresh()}"}
    made = with_provider(service, "anonymous", data)
    user = made.json()["objectId"]
    shown = call(service, "GET", f"/users/{user}", headers=headers_of(made)).json()["authData"]
    assert shown == {"anonymous": {}}, "the id is as good as a password"
    for auth_data in (shown, {"anonymous": data}, None):
        answer = call(
            service, "PUT", f"/users/{user}", {"authData": auth_data, "n": 1}, headers_of(made))
        assert answer.status == 200, answer.body
    assert with_provider(service, "anonymous", data).json()["objectId"] == user


def test_auth_data_is_for_oneself(service):
    made = with_provider(service, "anonymous", {"id": f"uuid-{fresh()}"})
    path = f"/users/{made.json()['objectId']}"
    other = sign_up(service)
    assert "authData" not in other.call("GET", path).json()
    assert "authData" not in call(service, "GET", path).json()
    assert "authData" in call(service, "GET", path, master=True).json()
    assert "authData" in call(service, "GET", "/users/me", headers=headers_of(made)).json()


@pytest.mark.parametrize("auth_data", [
    {"nosuch": {"id": "1"}}, {"anonymous": {}}, {"anonymous": {"id": 5}}, {"anonymous": {"id": ""}},
    {"anonymous": "x"}, "x", {"anonymous": {"id": "x" * 300}}, {f"p{n}": {} for n in range(9)}])
def test_what_no_provider_takes(service, auth_data):
    assert refusal(call(service, "POST", "/users", {"authData": auth_data})) == (400, 252)


def test_nothing_but_nulls_is_no_user(service):
    assert refusal(call(service, "POST", "/users", {"authData": {"anonymous": None}})) == (400, 200)
    assert refusal(call(service, "POST", "/users", {"authData": {}})) == (400, 200)


def test_providers_that_are_not_switched_on(start):
    service = start()
    assert refusal(with_provider(service, "spotify", {"id": "1", "access_token": "t"})) == (400, 252)
    assert with_provider(service, "anonymous", {"id": "1"}).status == 201


# --- Linking

def test_linking_and_unlinking(service):
    person, data = sign_up(service), {"id": f"uuid-{fresh()}"}
    path = f"/users/{person.id}"
    assert person.call("PUT", path, {"authData": {"anonymous": data}}).status == 200
    assert with_provider(service, "anonymous", data).json()["objectId"] == person.id
    other = sign_up(service)
    answer = other.call("PUT", f"/users/{other.id}", {"authData": {"anonymous": data}})
    assert refusal(answer) == (400, 208)
    assert "authData" not in other.me()
    replaced = {"id": f"uuid-{fresh()}"}
    assert person.call("PUT", path, {"authData": {"anonymous": replaced}}).status == 200
    assert with_provider(service, "anonymous", data).status == 201, "the former one is free"
    assert person.call("PUT", path, {"authData": {"anonymous": None}}).status == 200
    assert "authData" not in person.me()
    assert with_provider(service, "anonymous", replaced).status == 201
    assert refusal(person.call("PUT", path, {"authData": {"nosuch": {"id": "1"}}})) == (400, 252)


def test_two_providers_of_two_users(service, provider):
    provider.owners |= {"tok-a": "sp-a"}
    first = with_provider(service, "spotify", {"id": "sp-a", "access_token": "tok-a"})
    second = {"id": f"uuid-{fresh()}"}
    assert with_provider(service, "anonymous", second).status == 201
    both = {"spotify": {"id": "sp-a", "access_token": "tok-a"}, "anonymous": second}
    assert refusal(call(service, "POST", "/users", {"authData": both})) == (400, 208)
    # One that is known lets the other be linked.
    third = {"id": f"uuid-{fresh()}"}
    both["anonymous"] = third
    answer = call(service, "POST", "/users", {"authData": both})
    assert answer.status == 200 and answer.json()["objectId"] == first.json()["objectId"]
    assert with_provider(service, "anonymous", third).json()["objectId"] == first.json()["objectId"]


# --- Providers that are asked

def test_access_tokens_are_their_owners(service, provider):
    provider.owners |= {"tok-1": "sp-1"}
    made = with_provider(service, "spotify", {"id": "sp-1", "access_token": "tok-1"})
    assert made.status == 201
    own = call(service, "GET", "/users/me", headers=headers_of(made)).json()
    assert own["authData"] == {"spotify": {"id": "sp-1"}}, "what proved it is not kept"
    again = with_provider(service, "spotify", {"id": "sp-1", "access_token": "tok-1"})
    assert again.status == 200 and again.json()["objectId"] == made.json()["objectId"]
    for data, code in [({"id": "sp-2", "access_token": "tok-1"}, 101),
                       ({"id": "sp-1", "access_token": "other"}, 101),
                       ({"id": "sp-1"}, 252), ({"access_token": "tok-1"}, 252),
                       ({"id": "sp-1", "access_token": "a\r\nX: y"}, 252)]:
        assert refusal(with_provider(service, "spotify", data))[1] == code, data


def test_tokens_of_other_apps_are_none(service, provider):
    provider.owners |= {"tok-f": "f-1", "tok-g": "f-2"}
    provider.apps |= {"tok-f": "fb-app", "tok-g": "another app"}
    for member in ("access_token", "token"):
        made = with_provider(service, "facebook", {"id": "f-1", member: "tok-f"})
        assert made.status in (200, 201)
    assert refusal(with_provider(service, "facebook", {"id": "f-2", "access_token": "tok-g"})) == (
        404, 101)


def redirect(handler):
    handler.answer(302, {"id": "sp-9"}, Location="/elsewhere")


@pytest.mark.parametrize("broken", [
    redirect, lambda handler: handler.answer(500, {"id": "sp-9"}),
    lambda handler: handler.answer(200, ["sp-9"]),
    lambda handler: handler.answer(200, {"id": "sp-9", "long": "x" * 100_000}),
    lambda handler: handler.wfile.write(b"nonsense")])
def test_providers_that_do_not_answer(service, provider, broken):
    provider.owners |= {"tok-9": "sp-9"}
    provider.asked.clear()
    provider.broken = broken
    try:
        answer = with_provider(service, "spotify", {"id": "sp-9", "access_token": "tok-9"})
        assert refusal(answer) == (400, 252)
        assert provider.asked == ["/me"], "no redirection is followed"
    finally:
        provider.broken = None
    assert call(service, "GET", "/health").status == 200


# --- Providers that sign

def test_a_signed_token_vouches(service, key):
    for issuer, name, member, audience in [
            (APPLE, "apple", "token", APP), ("accounts.google.com", "google", "id_token", "g-two"),
            ("https://accounts.google.com", "google", "id_token", ["x", "g-one"])]:
        subject = fresh()
        token = key.sign(claims(issuer, audience, subject))
        made = with_provider(service, name, {"id": subject, member: token})
        assert made.status == 201, made.body
        again = with_provider(service, name, {"id": subject, member: token})
        assert again.json()["objectId"] == made.json()["objectId"]


def test_tokens_that_vouch_for_nobody(service, key, tmp_path):
    subject, now = fresh(), int(time.time())
    good = claims(APPLE, APP, subject)
    stranger = SigningKey(tmp_path, key.name)
    signed = key.sign(good)
    head, body, signature = signed.split(".")
    other = key.sign({**good, "sub": "other"})
    tokens = {
        "another issuer": key.sign({**good, "iss": "https://example.org"}),
        "another app": key.sign({**good, "aud": "org.example.other"}),
        "no audience": key.sign({k: v for k, v in good.items() if k != "aud"}),
        "another user": other,
        "over": key.sign({**good, "exp": now - 120}),
        "without an end": key.sign({k: v for k, v in good.items() if k != "exp"}),
        "not yet good": key.sign({**good, "nbf": now + 600}),
        "signed by another": stranger.sign(good),
        "of an unknown key": key.sign(good, {"kid": "second"}),
        "of another algorithm": key.sign(good, {"alg": "none"}),
        "of a symmetric one": key.sign(good, {"alg": "HS256"}),
        "unsigned": f"{head}.{body}.",
        "with another body": f"{head}.{other.split('.')[1]}.{signature}",
        "cut": signed[:-4], "empty": ".."}
    for title, token in tokens.items():
        answer = with_provider(service, "apple", {"id": subject, "token": token})
        assert refusal(answer) == (404, 101), title
    assert with_provider(service, "apple", {"id": subject, "token": signed}).status == 201


def test_keys_are_asked_for_once_and_for_unknown_ones_not_often(service, key, provider):
    subject = fresh()
    token = key.sign(claims(APPLE, APP, subject))
    with_provider(service, "apple", {"id": subject, "token": token})
    provider.asked.clear()
    for _ in range(3):
        assert with_provider(service, "apple", {"id": subject, "token": token}).status == 200
        unknown = key.sign(claims(APPLE, APP, subject), {"kid": "third"})
        assert with_provider(service, "apple", {"id": subject, "token": unknown}).status == 404
    assert provider.asked == []


def test_short_keys_are_no_keys(start, settings, provider, tmp_path):
    weak = SigningKey(tmp_path, "weak", bits=1024)
    provider.keys.append(weak.public)
    settings(GEOSERVICE_AUTH_PROVIDERS="apple", GEOSERVICE_APPLE_CLIENT_IDS=APP,
             GEOSERVICE_APPLE_KEYS_URL=f"{provider.url}/keys")
    service = start()
    data = {"id": "a", "token": weak.sign(claims(APPLE, APP, "a"))}
    assert refusal(with_provider(service, "apple", data)) == (404, 101)


@pytest.mark.parametrize("variables", [
    {"AUTH_PROVIDERS": "apple"}, {"AUTH_PROVIDERS": "myspace"}, {"AUTH_PROVIDERS": "google"},
    {"AUTH_PROVIDERS": "facebook"}, {"SPOTIFY_URL": "http://spotify.example.org/me"},
    {"APPLE_KEYS_URL": "ftp://127.0.0.1/"}, {"VERIFY_EMAILS": "on"}, {"MAIL": "pigeon"},
    {"MAIL": "smtp://mail.example.org"}, {"MAIL_FROM": "nobody"}, {"PASSWORD_MEMORY_MB": "7"},
    {"LOGINS_PER_ACCOUNT": "0"}, {"PRIVATE_USERS": "maybe"}])
def test_settings_that_are_wrong_stop_the_start(tmp_path, settings, variables):
    settings(**{f"GEOSERVICE_{name}": value for name, value in variables.items()})
    with pytest.raises(AssertionError, match="GEOSERVICE_"):
        Service(tmp_path / "data").kill()
