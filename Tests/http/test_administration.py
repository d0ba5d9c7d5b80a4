"""Config, devices, what clients count, and what the server says of itself, over real HTTP."""

import threading

import pytest

from parse_client import op
from people import call, fresh, refusal, sign_up
from service import Service

MASTER_ONLY = ["_JobStatus", "_PushStatus", "_Hooks", "_GlobalConfig", "_JobSchedule",
               "_Idempotency", "_Audience", "_Layer", "_Product"]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    started = Service(tmp_path_factory.mktemp("administration") / "data")
    yield started
    assert started.stop() == 0


def test_the_server_says_what_it_can_to_the_operator_alone(service):
    answer = call(service, "GET", "/serverInfo", master=True).json()
    assert answer["features"]["schemas"]["addField"] is True
    assert answer["features"]["hooks"]["create"] is False
    assert answer["parseServerVersion"].count(".") == 2
    refused = call(service, "GET", "/serverInfo")
    assert refused.status == 403 and set(refused.json()) == {"error"}


@pytest.mark.parametrize("name", ["AppOpened", "tap"])
@pytest.mark.parametrize("body", [
    {}, {"at": {"__type": "Date", "iso": "2020-01-01T00:00:00.000Z"}, "dimensions": {"a": "b"}}])
def test_events_are_taken(service, name, body):
    answer = call(service, "POST", f"/events/{name}", body)
    assert (answer.status, answer.json()) == (200, {})
    assert service.request("POST", f"/parse/events/{name}", body).status == 403
    assert call(service, "GET", f"/events/{name}").status == 404


@pytest.mark.parametrize("name", MASTER_ONLY)
def test_classes_of_the_operator_are_closed_to_clients(service, name):
    for method, path, body in [
            ("GET", f"/classes/{name}", None), ("GET", f"/classes/{name}/1", None),
            ("POST", f"/classes/{name}", {"a": 1}), ("PUT", f"/classes/{name}/1", {"a": 1}),
            ("DELETE", f"/classes/{name}/1", None)]:
        assert refusal(call(service, method, path, body)) == (400, 119)


# MARK: Config

def test_parameters_are_shown_to_those_they_are_for(start):
    service = start()
    assert call(service, "GET", "/config").json() == {"params": {}}
    assert call(service, "GET", "/config", master=True).json() == {
        "params": {}, "masterKeyOnly": {}}
    params = {"text": "x", "n": 5, "list": [1, {"a": 2}], "secret": "s",
              "when": {"__type": "Date", "iso": "2020-01-01T00:00:00.000Z"},
              "at": {"__type": "GeoPoint", "latitude": 1, "longitude": 2}}
    put = call(service, "PUT", "/config", {
        "params": params, "masterKeyOnly": {"secret": True, "n": False}}, master=True)
    assert put.json() == {"result": True}
    public = {name: value for name, value in params.items() if name != "secret"}
    assert call(service, "GET", "/config").json() == {"params": public}
    shown = call(service, "GET", "/config", master=True).json()
    assert shown["params"] == params and shown["masterKeyOnly"]["secret"] is True
    # A change of some leaves the others, and what is secret stays so.
    call(service, "PUT", "/config", {"params": {
        "text": op("Delete"), "n": op("Increment", amount=2), "secret": "t"}}, master=True)
    public = {**{name: value for name, value in public.items() if name != "text"}, "n": 7}
    assert call(service, "GET", "/config").json() == {"params": public}
    call(service, "PUT", "/config", {"masterKeyOnly": {"secret": False}}, master=True)
    assert call(service, "GET", "/config").json()["params"] == {**public, "secret": "t"}
    assert service.stop() == 0
    service = start(data=service.data)
    assert call(service, "GET", "/config").json()["params"] == {**public, "secret": "t"}


@pytest.mark.parametrize("body,code", [
    ({"params": 5}, 107), ({"params": {"a b": 1}}, 105), ({"params": {"": 1}}, 105),
    ({"masterKeyOnly": {"a": "yes"}}, 107), ({"masterKeyOnly": []}, 107),
    ({"params": {"a": op("AddRelation")}}, 111), ({"params": {"a": op("Explode")}}, 108),
    ({"params": {f"p{n}": n for n in range(1001)}}, 107)], ids=lambda value: str(value)[:40])
def test_parameters_in_a_wrong_form_are_refused(service, body, code):
    assert refusal(call(service, "PUT", "/config", body, master=True)) == (400, code)


# MARK: Devices

def device(service, body, header=None, master=False):
    headers = {"X-Parse-Installation-Id": header} if header else {}
    return call(service, "POST", "/installations", body, headers, master=master)


def installation(service, object_id):
    answer = call(service, "GET", f"/installations/{object_id}", master=True)
    return answer.json() if answer.status == 200 else None


def test_a_device_is_made_once_and_known_again(service):
    name = fresh("Device-ABC")
    made = device(service, {"installationId": name, "deviceType": "ios", "channels": ["a"]})
    assert made.status == 201 and made.headers["Location"].endswith(made.json()["objectId"])
    one = made.json()["objectId"]
    assert installation(service, one)["installationId"] == name.lower()
    again = device(service, {"installationId": name.upper(), "badge": 3, "deviceToken": name})
    assert again.status == 200 and again.json()["objectId"] == one
    assert set(again.json()) == {"objectId", "createdAt", "updatedAt"}
    kept = installation(service, one)
    assert (kept["badge"], kept["channels"], kept["deviceToken"]) == (3, ["a"], name)
    # By its token, and by what the client says of itself.
    assert device(service, {"deviceToken": name, "deviceType": "ios"}).json()["objectId"] == one
    assert device(service, {"badge": 0}, header=name).json()["objectId"] == one
    assert device(service, {"installationId": name}, master=True).json()["objectId"] == one


def test_old_paths_lead_to_devices_too(service):
    name = fresh("device")
    made = call(service, "POST", "/classes/_Installation", {
        "installationId": name, "deviceType": "android"})
    assert made.status == 201
    again = call(service, "POST", "/classes/_Installation", {"installationId": name})
    assert (again.status, again.json()["objectId"]) == (200, made.json()["objectId"])
    shown = call(service, "GET", f"/classes/_Installation/{made.json()['objectId']}")
    assert shown.json()["deviceType"] == "android"


@pytest.mark.parametrize("body,code", [
    ({"deviceType": "ios"}, 135), ({"installationId": "unseen-1"}, 135),
    ({"deviceToken": "unseen-2"}, 135), ({"installationId": "x" * 513, "deviceType": "ios"}, 111),
    ({"installationId": 5, "deviceToken": "unseen-3", "deviceType": "ios"}, 111),
    ({"deviceType": 5, "installationId": "unseen-4"}, 135)])
def test_what_is_no_device_is_refused(service, body, code):
    assert refusal(device(service, body)) == (400, code)


def test_clients_do_not_list_or_delete_devices(service):
    one = device(service, {"installationId": fresh("device"), "deviceType": "ios"}).json()["objectId"]
    ann = sign_up(service)
    for caller in (lambda *parts, **query: call(service, *parts, **query), ann.call):
        assert refusal(caller("GET", "/installations")) == (400, 119)
        assert refusal(caller("GET", "/installations", limit=0, count=1)) == (400, 119)
        assert refusal(caller("DELETE", f"/installations/{one}")) == (400, 119)
        assert caller("GET", f"/installations/{one}").json()["objectId"] == one
    listed = call(service, "GET", "/installations", master=True, limit=1000).json()["results"]
    assert one in [item["objectId"] for item in listed]
    assert call(service, "DELETE", f"/installations/{one}", master=True).status == 200
    assert installation(service, one) is None


def test_a_device_stays_what_it_is(service):
    name = fresh("device")
    one = device(service, {"installationId": name, "deviceType": "ios"}).json()["objectId"]
    other = device(service, {"deviceToken": fresh("token"), "deviceType": "ios"}).json()["objectId"]
    path = f"/installations/{one}"
    for body in ({"installationId": fresh("device")}, {"deviceType": "android"}):
        assert refusal(call(service, "PUT", path, body)) == (400, 136)
    assert call(service, "PUT", path, {
        "installationId": name.upper(), "deviceType": "ios", "badge": 1}).status == 200
    for body in ({"deviceToken": "another"}, {"installationId": name}):
        assert refusal(call(service, "PUT", f"/installations/{other}", body)) == (400, 136)
    assert refusal(call(service, "PUT", "/installations/nobody0000", {"badge": 1})) == (404, 101)


def test_a_token_that_moves_is_taken_from_the_former_device(service):
    token, first, second = fresh("token"), fresh("device"), fresh("device")
    old = device(service, {"installationId": first, "deviceToken": token, "deviceType": "ios"})
    ambiguous = device(service, {"deviceToken": token, "deviceType": "ios"}, header=second)
    assert refusal(ambiguous) == (400, 132)
    new = device(service, {"installationId": second, "deviceToken": token, "deviceType": "ios"})
    assert new.status == 201 and installation(service, old.json()["objectId"]) is None
    third = device(service, {"installationId": fresh("device"), "deviceType": "ios"}).json()["objectId"]
    moved = call(service, "PUT", f"/installations/{third}", {"deviceToken": token})
    assert moved.status == 200 and installation(service, new.json()["objectId"]) is None
    assert installation(service, third)["deviceToken"] == token


def test_a_token_without_a_device_and_a_device_become_one(service):
    token, name = fresh("token"), fresh("device")
    by_token = device(service, {"deviceToken": token, "deviceType": "ios"}).json()["objectId"]
    by_device = device(service, {"installationId": name, "deviceType": "ios"}).json()["objectId"]
    merged = device(service, {"installationId": name, "deviceToken": token, "deviceType": "ios"})
    assert (merged.status, merged.json()["objectId"]) == (200, by_token)
    assert installation(service, by_device) is None
    assert installation(service, by_token)["installationId"] == name


def test_an_upper_case_token_of_apple_is_the_same(service):
    token = fresh("ab").encode().hex().ljust(64, "e")
    one = device(service, {"deviceToken": token.upper(), "deviceType": "ios"}).json()["objectId"]
    assert installation(service, one)["deviceToken"] == token
    assert device(service, {"deviceToken": token, "deviceType": "ios"}).json()["objectId"] == one


# MARK: Requests that are done once

def post(service, name, request_id, body=None, **more):
    return call(service, "POST", f"/classes/{name}", body or {"n": 1},
                {"X-Parse-Request-Id": request_id}, **more)


def count(service, name):
    return call(service, "GET", f"/classes/{name}", limit=0, count=1, master=True).json()["count"]


@pytest.fixture
def once(settings, start):
    settings(GEOSERVICE_IDEMPOTENT_PATHS=r"classes/Order.*, /users")
    return start


def test_a_request_of_one_id_is_done_once_also_after_a_restart(once):
    service = once()
    made = post(service, "Order", "r1")
    assert made.status == 201
    assert post(service, "Order", "r1").json() == {"code": 159, "error": "Duplicate request"}
    path = f"/classes/Orders/{made.json()['objectId']}"
    assert refusal(call(service, "PUT", path, {}, {"X-Parse-Request-Id": "r1"})) == (400, 159)
    assert post(service, "Order", "r2").status == 201
    service.kill()
    service = once(data=service.data)
    assert refusal(post(service, "Order", "r1")) == (400, 159)
    assert refusal(post(service, "Order", "r2")) == (400, 159)
    assert post(service, "Order", "r3").status == 201
    assert count(service, "Order") == 3


def test_other_paths_methods_and_requests_without_an_id_are_done_each_time(once):
    service = once()
    for _ in range(2):
        assert post(service, "Other", "same").status == 201
        assert call(service, "POST", "/classes/Order", {"n": 1}).status == 201
        assert post(service, "Order", "").status == 201
        assert call(service, "GET", "/classes/Order", headers={"X-Parse-Request-Id": "g"}).status == 200
        assert post(service, "Order", "get", {"_method": "GET"}).status == 200
    assert refusal(post(service, "Order", "x" * 257)) == (400, 107)


def test_a_request_that_failed_can_be_sent_again(once):
    service = once()
    assert post(service, "Order", "r1", {"n": "text"}).status == 201
    assert refusal(post(service, "Order", "r2", {"n": 5})) == (400, 111)
    assert post(service, "Order", "r2", {"n": "fine"}).status == 201


def test_a_sign_up_is_done_once(once):
    service = once()
    body = {"username": fresh(), "password": "correct horse"}
    header = {"X-Parse-Request-Id": "s1"}
    assert call(service, "POST", "/classes/_User", body).status == 201
    other = {"username": fresh(), "password": "correct horse"}
    assert call(service, "POST", "/users", other, header).status == 201
    again = call(service, "POST", "/users", {**other, "username": fresh()}, header)
    assert refusal(again) == (400, 159)


def test_of_many_at_once_one_is_done(once):
    service = once()
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(post(service, "Order", "r").status))
               for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [201] + [400] * 15 and count(service, "Order") == 1


def test_it_is_off_unless_it_is_set(service):
    for _ in range(2):
        assert post(service, "Order", "same").status == 201


@pytest.mark.parametrize("value", ["classes/(", "a,,b", ""])
def test_patterns_that_are_none_stop_the_start(settings, start, value):
    settings(GEOSERVICE_IDEMPOTENT_PATHS=value)
    with pytest.raises(AssertionError, match="GEOSERVICE_IDEMPOTENT_PATHS"):
        start()
