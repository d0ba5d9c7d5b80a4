"""Users of a running service, for tests of accounts and rights."""

import itertools

from service import CLIENT, MASTER

_numbers = itertools.count(1)


class Person:
    """Somebody who has signed up, and calls with a session."""

    def __init__(self, service, answer, name, password):
        self.service = service
        self.name = name
        self.password = password
        self.id = answer["objectId"]
        self.token = answer["sessionToken"]
        self.pointer = {"__type": "Pointer", "className": "_User", "objectId": self.id}

    def call(self, method, path, body=None, headers=None, token=None, **query):
        return call(
            self.service, method, path, body, {**(headers or {}), "X-Parse-Session-Token":
                                               token or self.token}, **query)

    def me(self, token=None):
        answer = self.call("GET", "/users/me", token=token)
        return answer.json() if answer.status == 200 else None


def call(service, method, path, body=None, headers=None, master=False, **query):
    """A call below the mount."""
    keys = MASTER if master else CLIENT
    return service.request(method, f"/parse{path}", body, {**keys, **(headers or {})}, query)


def fresh(prefix="user"):
    """A name that nobody has."""
    return f"{prefix}{next(_numbers)}"


def sign_up(service, name=None, password="correct horse", headers=None, **fields):
    """A new user."""
    name = name or fresh()
    answer = call(
        service, "POST", "/users", {"username": name, "password": password, **fields}, headers)
    assert answer.status == 201, answer.body
    return Person(service, answer.json(), name, password)


def log_in(service, name, password="correct horse", headers=None):
    """The answer to a login."""
    return call(service, "POST", "/login", {"username": name, "password": password}, headers)


def refusal(answer):
    """Status and code of an error."""
    body = answer.json()
    assert "error" in body, answer.body
    return answer.status, body.get("code")
