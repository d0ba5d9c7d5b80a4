"""Users over real HTTP: signing up, logging in, changing and leaving."""

import json
import re
import threading

import pytest

from people import call, fresh, log_in, refusal, sign_up
from parse_client import TIME
from service import CLIENT, Service, place

TOKEN = re.compile(r"r:[0-9a-f]{32}")


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    started = Service(tmp_path_factory.mktemp("users") / "data")
    yield started
    assert started.stop() == 0


# --- Signing up

def test_a_new_user_gets_id_time_and_token(service):
    answer = call(service, "POST", "/users", {"username": fresh(), "password": "p", "age": 3})
    body = answer.json()
    assert answer.status == 201 and set(body) == {"objectId", "createdAt", "sessionToken"}
    assert TOKEN.fullmatch(body["sessionToken"]) and TIME.fullmatch(body["createdAt"])
    assert answer.headers["Location"] == f"{service.address}/parse/users/{body['objectId']}"


def test_the_class_is_another_name_of_the_users(service):
    name = fresh()
    answer = call(service, "POST", "/classes/_User", {"username": name, "password": "p"})
    assert answer.status == 201 and "sessionToken" in answer.json()
    user = answer.json()["objectId"]
    assert call(service, "GET", f"/classes/_User/{user}").json()["username"] == name
    assert log_in(service, name, "p").status == 200


@pytest.mark.parametrize("body,code", [
    ({"password": "p"}, 200), ({"username": "", "password": "p"}, 200),
    ({"username": 5, "password": "p"}, 200), ({"username": "x" * 256, "password": "p"}, 200),
    ({"username": "a\u0001b", "password": "p"}, 200),
    ({"username": "nobody"}, 201), ({"username": "nobody", "password": ""}, 201),
    ({"username": "nobody", "password": 7}, 201),
    ({"username": "nobody", "password": "p" * 4097}, 201),
    ({"username": "nobody", "password": "p", "email": "nomail"}, 125),
    ({"username": "nobody", "password": "p", "email": "@b"}, 125),
    ({"username": "nobody", "password": "p", "email": "a@"}, 125),
    ({"username": "nobody", "password": "p", "email": "a b@c"}, 125),
    ({"username": "nobody", "password": "p", "email": "a@b\r\nBcc: c@d"}, 125),
    ({"username": "nobody", "password": "p", "email": 9}, 125),
    ({"username": "nobody", "password": "p", "emailVerified": True}, 119),
    ({"username": "nobody", "password": "p", "objectId": "mine000000"}, 105),
    ({"username": "nobody", "password": "p", "bad name": 1}, 105),
    ({"username": "nobody", "password": "p", "ACL": 5}, 123),
])
def test_refusals_have_their_codes_and_leave_nothing(service, body, code):
    assert refusal(call(service, "POST", "/users", body)) == (400, code)
    assert refusal(log_in(service, "nobody", "p")) == (404, 101)


def test_names_and_addresses_are_unique_without_case(service):
    name = fresh("Müller")
    sign_up(service, name, email=f"{fresh('Mail')}@Example.org")
    assert refusal(call(service, "POST", "/users", {"username": name.upper(), "password": "p"})) == (
        400, 202)
    email = f"{fresh('mail')}@example.org"
    sign_up(service, email=email)
    taken = {"username": fresh(), "password": "p", "email": email.upper()}
    assert refusal(call(service, "POST", "/users", taken)) == (400, 203)
    assert refusal(log_in(service, taken["username"], "p")) == (404, 101)


def test_of_many_who_want_one_name_one_gets_it(service):
    name, answers = fresh(), []

    def try_it(number):
        spelling = name.upper() if number % 2 else name
        answers.append(call(
            service, "POST", "/users", {"username": spelling, "password": "p"}).status)

    threads = [threading.Thread(target=try_it, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [201] + [400] * 7


def test_somebody_signed_in_can_sign_up_another(service):
    first = sign_up(service)
    answer = first.call("POST", "/users", {"username": fresh(), "password": "p"})
    assert answer.status == 201 and answer.json()["objectId"] != first.id
    assert first.me()["objectId"] == first.id


def test_a_password_is_never_shown_and_no_field(service):
    person = sign_up(service, email=f"{fresh()}@example.org")
    for user in [
            person.me(), log_in(service, person.name).json(),
            call(service, "GET", f"/users/{person.id}", master=True).json(),
            call(service, "GET", "/users", master=True, limit=1000).json()["results"][0]]:
        assert not {"password", "_hashed_password", "_password"} & set(user)


# --- Rights of new users

def test_new_users_are_readable_and_their_own(service):
    person = sign_up(service)
    everybody = {"*": {"read": True}, person.id: {"read": True, "write": True}}
    assert person.me()["ACL"] == everybody
    assert call(service, "GET", f"/users/{person.id}").status == 200


def test_a_list_that_was_sent_is_kept_and_has_the_user(service):
    person = sign_up(service, ACL={"role:staff": {"read": True}})
    assert person.me()["ACL"] == {
        "role:staff": {"read": True}, person.id: {"read": True, "write": True}}
    assert refusal(call(service, "GET", f"/users/{person.id}")) == (404, 101)


def test_private_users(start, settings):
    settings(GEOSERVICE_PRIVATE_USERS="on")
    service = start()
    person = sign_up(service)
    assert person.me()["ACL"] == {person.id: {"read": True, "write": True}}
    assert refusal(call(service, "GET", f"/users/{person.id}")) == (404, 101)
    shown = sign_up(service, ACL={"*": {"read": True}})
    assert call(service, "GET", f"/users/{shown.id}").status == 200


def test_nobody_locks_himself_out(service):
    person = sign_up(service)
    assert person.call("PUT", f"/users/{person.id}", {"ACL": {}}).status == 200
    assert person.me()["ACL"] == {person.id: {"read": True, "write": True}}
    assert person.call("PUT", f"/users/{person.id}", {"n": 1}).status == 200
    hidden = call(service, "PUT", f"/users/{person.id}", {"ACL": {}}, master=True)
    assert hidden.status == 200
    assert refusal(log_in(service, person.name)) == (404, 101)


# --- Logging in

def test_login_by_name_and_by_address_in_url_and_body(service):
    email = f"{fresh('Ann')}@Example.org"
    person = sign_up(service, email=email, bio="x")
    tokens = {person.token}
    for answer in [
            log_in(service, person.name), log_in(service, email), log_in(service, email.lower()),
            log_in(service, person.name.upper()),
            call(service, "POST", "/login", {"email": email, "password": person.password}),
            call(service, "GET", "/login", username=person.name, password=person.password),
            call(service, "POST", "/login", {
                "_method": "GET", "username": person.name, "password": person.password}),
            call(service, "POST", "/login", {
                "username": person.name, "email": email, "password": person.password})]:
        assert answer.status == 200, answer.body
        user = answer.json()
        assert user["objectId"] == person.id and user["bio"] == "x" and user["email"] == email
        assert TIME.fullmatch(user["createdAt"]) and "password" not in user
        tokens.add(user["sessionToken"])
    assert len(tokens) == 9
    assert all(person.me(token) for token in tokens)


def test_a_password_of_digits_in_a_url_is_text(service):
    person = sign_up(service, name=str(10_000 + int(fresh("")) ), password="123456")
    answer = call(service, "GET", "/login", username=person.name, password="123456")
    assert answer.status == 200


@pytest.mark.parametrize("path", ["/login", "/verifyPassword"])
def test_what_is_wrong_is_not_told(service, path):
    person = sign_up(service)
    answers = [
        call(service, "POST", path, {"username": person.name, "password": "wrong"}),
        call(service, "POST", path, {"username": "nobody at all", "password": "wrong"}),
        call(service, "POST", path, {"username": person.name, "password": "p" * 5000})]
    assert {answer.body for answer in answers} == {answers[0].body}
    assert refusal(answers[0]) == (404, 101)
    assert answers[0].json()["error"] == "Invalid username/password."
    assert refusal(call(service, "POST", path, {"password": "p"})) == (400, 200)
    assert refusal(call(service, "POST", path, {"username": person.name})) == (400, 201)


def test_a_session_that_is_over_does_not_hinder_a_login(service):
    person = sign_up(service)
    gone = {"X-Parse-Session-Token": "r:" + "0" * 32}
    assert log_in(service, person.name, headers=gone).status == 200
    assert refusal(call(service, "GET", "/users/me", headers=gone)) == (400, 209)


def test_verify_password_makes_no_session(service):
    person = sign_up(service)
    before = person.call("GET", "/sessions", count=1).json()["count"]
    for answer in [
            call(service, "GET", "/verifyPassword", username=person.name,
                 password=person.password),
            call(service, "POST", "/verifyPassword", {
                "username": person.name, "password": person.password})]:
        assert answer.status == 200 and answer.json()["objectId"] == person.id
        assert "sessionToken" not in answer.json()
    assert person.call("GET", "/sessions", count=1).json()["count"] == before


def test_login_as_is_the_operators(service):
    person = sign_up(service)
    answer = call(service, "POST", "/loginAs", {"userId": person.id}, master=True)
    assert answer.status == 200 and answer.json()["objectId"] == person.id
    assert person.me(answer.json()["sessionToken"])["objectId"] == person.id
    assert refusal(call(service, "POST", "/loginAs", {"userId": person.id})) == (400, 119)
    assert refusal(person.call("POST", "/loginAs", {"userId": person.id})) == (400, 119)
    assert refusal(call(service, "POST", "/loginAs", {"userId": "nobody0000"}, master=True)) == (
        404, 101)
    assert refusal(call(service, "POST", "/loginAs", {}, master=True)) == (400, 142)


# --- Oneself and others

def test_me_in_every_way_that_clients_ask(service):
    person = sign_up(service)
    body = {"_method": "GET", "_ApplicationId": CLIENT["X-Parse-Application-Id"],
            "_JavaScriptKey": CLIENT["X-Parse-REST-API-Key"], "_SessionToken": person.token}
    answer = service.request("POST", "/parse/users/me", body, {"Content-Type": "text/plain"})
    assert answer.json()["objectId"] == person.id
    assert answer.json()["sessionToken"] == person.token == person.me()["sessionToken"]
    assert refusal(call(service, "GET", "/users/me")) == (400, 209)


def test_the_address_and_the_token_are_for_oneself(service):
    email = f"{fresh()}@example.org"
    ann, bob = sign_up(service, email=email), sign_up(service)
    path = f"/users/{ann.id}"
    own = ann.call("GET", path).json()
    assert own["email"] == email and own["sessionToken"] == ann.token
    for answer in [bob.call("GET", path), call(service, "GET", path)]:
        assert not {"email", "sessionToken", "authData"} & set(answer.json())
    assert call(service, "GET", path, master=True).json()["email"] == email
    for user in bob.call("GET", "/users", limit=1000).json()["results"]:
        assert "email" not in user and "sessionToken" not in user
    note = call(service, "POST", "/classes/Note", {"by": ann.pointer}).json()["objectId"]
    included = bob.call("GET", f"/classes/Note/{note}", include="by").json()["by"]
    assert included["username"] == ann.name
    assert not {"email", "sessionToken", "authData", "password"} & set(included)


@pytest.mark.parametrize("query", [
    {"order": "email"}, {"order": "-email"}, {"order": '["username", "-email"]'},
    {"where": '{"email": "a@example.org"}'}, {"where": '{"email": {"$regex": "^a"}}'},
    {"where": '{"$or": [{"username": "a"}, {"$and": [{"email": {"$exists": true}}]}]}'}])
def test_nobody_asks_for_the_addresses_of_others(service, query):
    person = sign_up(service, email=f"{fresh()}@example.org")
    for answer in [call(service, "GET", "/users", **query), person.call("GET", "/users", **query),
                   person.call("GET", "/classes/_User", **query),
                   person.call("POST", "/users", {"_method": "GET", **{
                       name: json.loads(text) if text[0] in "[{" else text
                       for name, text in query.items()}})]:
        assert refusal(answer) == (400, 119)
    assert call(service, "GET", "/users", master=True, order="email").status == 200


def test_only_the_user_and_the_operator_change_a_user(service):
    ann, bob = sign_up(service), sign_up(service)
    for method in ("PUT", "DELETE"):
        body = {"bio": "x"} if method == "PUT" else None
        for path in (f"/users/{ann.id}", f"/classes/_User/{ann.id}"):
            assert refusal(bob.call(method, path, body)) == (400, 206)
            assert refusal(call(service, method, path, body)) == (400, 206)
    assert "bio" not in ann.me()
    assert ann.call("PUT", f"/classes/_User/{ann.id}", {"bio": "mine"}).status == 200
    assert call(service, "PUT", f"/users/{ann.id}", {"n": 1}, master=True).status == 200
    assert ann.me()["bio"] == "mine" and ann.me()["n"] == 1
    assert refusal(call(service, "PUT", "/users/nobody0000", {"n": 1}, master=True)) == (404, 101)


def test_a_user_sent_back_as_it_is_is_no_error(service):
    person = sign_up(service, email=f"{fresh()}@example.org")
    user = {key: value for key, value in person.me().items()
            if key not in ("createdAt", "updatedAt")}
    answer = person.call("PUT", f"/users/{person.id}", user)
    assert answer.status == 200 and set(answer.json()) == {"updatedAt"}
    assert person.me()["username"] == person.name


def test_names_and_addresses_can_be_changed_and_become_free(service):
    ann = sign_up(service, email=f"{fresh()}@example.org")
    bob = sign_up(service)
    former = ann.me()
    assert refusal(bob.call("PUT", f"/users/{bob.id}", {"username": ann.name.upper()})) == (400, 202)
    assert refusal(bob.call("PUT", f"/users/{bob.id}", {"email": former["email"]})) == (400, 203)
    assert refusal(bob.call("PUT", f"/users/{bob.id}", {"email": "no"})) == (400, 125)
    assert refusal(bob.call("PUT", f"/users/{bob.id}", {"username": ""})) == (400, 200)
    assert refusal(bob.call("PUT", f"/users/{bob.id}", {
        "username": {"__op": "Delete"}})) == (400, 200)
    assert refusal(bob.call("PUT", f"/users/{bob.id}", {"emailVerified": True})) == (400, 119)
    assert bob.me()["username"] == bob.name
    change = {"username": fresh(), "email": {"__op": "Delete"}}
    assert ann.call("PUT", f"/users/{ann.id}", change).status == 200
    assert "email" not in ann.me()
    take = {"username": ann.name.upper(), "email": former["email"]}
    assert bob.call("PUT", f"/users/{bob.id}", take).status == 200
    assert log_in(service, ann.name).json()["objectId"] == bob.id


def test_a_new_password_ends_all_sessions_and_gives_a_token(service):
    person = sign_up(service)
    other = log_in(service, person.name).json()["sessionToken"]
    answer = person.call("PUT", f"/users/{person.id}", {"password": "fresh", "n": 2})
    assert answer.status == 200 and set(answer.json()) == {"updatedAt", "sessionToken"}
    for token in (person.token, other):
        assert refusal(person.call("GET", "/users/me", token=token)) == (400, 209)
    assert person.me(answer.json()["sessionToken"])["n"] == 2
    assert log_in(service, person.name, "fresh").status == 200
    assert refusal(log_in(service, person.name)) == (404, 101)


def test_a_password_that_the_operator_sets_ends_all_sessions(service):
    person = sign_up(service)
    answer = call(service, "PUT", f"/users/{person.id}", {"password": "fresh"}, master=True)
    assert set(answer.json()) == {"updatedAt"}
    assert person.me() is None
    assert log_in(service, person.name, "fresh").status == 200
    assert refusal(person.call("GET", "/users/me")) == (400, 209)


def test_a_user_who_leaves_takes_the_sessions_along(service):
    person = sign_up(service, email=f"{fresh()}@example.org")
    other = log_in(service, person.name).json()["sessionToken"]
    assert person.call("DELETE", f"/users/{person.id}").json() == {}
    for token in (person.token, other):
        assert refusal(person.call("GET", "/users/me", token=token)) == (400, 209)
    assert refusal(log_in(service, person.name)) == (404, 101)
    assert refusal(call(service, "GET", f"/users/{person.id}")) == (404, 101)
    again = sign_up(service, person.name)
    assert again.id != person.id


def test_objects_of_a_user_are_the_users(service):
    ann, bob = sign_up(service), sign_up(service)
    own = {ann.id: {"read": True, "write": True}, bob.id: {"read": True}}
    note = ann.call("POST", "/classes/Note", {"n": 1, "ACL": own}).json()["objectId"]
    path = f"/classes/Note/{note}"
    assert ann.call("PUT", path, {"n": 2}).status == 200
    assert bob.call("GET", path).json()["n"] == 2
    assert refusal(bob.call("PUT", path, {"n": 3})) == (404, 101)
    assert refusal(call(service, "GET", path)) == (404, 101)
    found = bob.call("GET", "/classes/Note", limit=1000).json()["results"]
    assert note in [item["objectId"] for item in found]
    found = call(service, "GET", "/classes/Note", limit=1000).json()["results"]
    assert note not in [item["objectId"] for item in found]


def test_users_in_a_batch(service):
    name, other = fresh(), sign_up(service)
    requests = [
        {"method": "POST", "path": "/parse/users", "body": {"username": name, "password": "p"}},
        {"method": "POST", "path": "/parse/classes/Note", "body": {"n": 1}},
        {"method": "POST", "path": "/parse/users", "body": {"username": name, "password": "p"}},
        {"method": "PUT", "path": f"/parse/users/{other.id}", "body": {"password": "new"}},
        {"method": "GET", "path": "/parse/users/me"},
    ]
    fates = other.call("POST", "/batch", {"requests": requests}).json()
    assert "sessionToken" in fates[0]["success"] and "objectId" in fates[1]["success"]
    assert fates[2]["error"]["code"] == 202
    assert "sessionToken" in fates[3]["success"]
    assert fates[4]["success"]["objectId"] == other.id
    assert log_in(service, other.name, "new").status == 200
    many = [requests[2]] * 51
    assert refusal(other.call("POST", "/batch", {"requests": many},
                              token=fates[3]["success"]["sessionToken"])) == (400, 155)


def test_users_who_are_somewhere_are_no_layer(service):
    person = sign_up(service, home=place(10, 20))
    assert service.get("/near/_User", lon=10, lat=20, limit=1).status == 404
    assert person.me()["home"]["latitude"] == 20


def test_accounts_survive_a_crash(start):
    service = start()
    ann, bob = sign_up(service), sign_up(service)
    bob.call("POST", "/logout", {})
    service.kill()
    again = start(data=service.data)
    assert call(again, "GET", "/users/me", headers={
        "X-Parse-Session-Token": ann.token}).json()["objectId"] == ann.id
    assert refusal(call(again, "GET", "/users/me", headers={
        "X-Parse-Session-Token": bob.token})) == (400, 209)
    assert log_in(again, bob.name).status == 200
    assert again.stop() == 0
