"""Whoever gets hold of the files of a service, or of what it prints, has no session, no password and
no account by them: all of a life of accounts, read byte by byte."""

import base64
import json
import re
from urllib.parse import urlencode, urlsplit

import pytest

from mails import wait_for_mails
from parse_client import op
from people import call, log_in, sign_up
from providers import Provider, SigningKey, claims
from service import CLIENT, KEYS, MASTER

APP, APPLE = "org.example.maps", "https://appleid.apple.com"
HASH = re.compile(rb"\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+")
LOGIN = "/parse/login"


@pytest.fixture
def provider(tmp_path):
    started = Provider()
    yield started
    started.stop()


@pytest.fixture
def key(tmp_path, provider):
    made = SigningKey(tmp_path, "first")
    provider.keys.append(made.public)
    return made


class Life:
    """What people do with accounts; every secret that goes by is kept in `secrets`."""

    def __init__(self, service):
        self.service, self.secrets = service, set()
        self.mails = 0

    def keep(self, *secrets):
        assert all(isinstance(secret, str) and len(secret) >= 12 for secret in secrets), secrets
        self.secrets |= set(secrets)
        return secrets[0]

    def token_of(self, answer):
        assert answer.status in (200, 201), answer.body
        return self.keep(answer.json()["sessionToken"])

    def new_mail(self):
        self.mails += 1
        mail = wait_for_mails(self.service, self.mails)[-1]
        self.keep(mail.token)
        return mail

    def sign_up(self, name):
        password = self.keep(f"first password of {name}")
        person = sign_up(self.service, name, password, email=f"{name}@example.org")
        self.keep(person.token)
        self.new_mail()
        return person

    def log_in(self, person, **headers):
        return self.token_of(log_in(self.service, person.name, person.password, headers))

    def reset(self, person):
        """A new password by mail."""
        assert call(self.service, "POST", "/requestPasswordReset", {
            "email": f"{person.name}@example.org"}).status == 200
        link = urlsplit(self.new_mail().link)
        person.password = self.keep(f"password of {person.name} by mail")
        form = urlencode({"password": person.password, "token": link.query.split("token=")[1][:32]})
        answer = self.service.request(
            "POST", f"{link.path}?{link.query}", form.encode(),
            {"Content-Type": "application/x-www-form-urlencoded"})
        assert answer.status == 200, answer.body
        person.token = self.log_in(person)

    def change_password(self, person, title):
        person.password = self.keep(f"{title} password of {person.name}")
        person.token = self.token_of(person.call(
            "PUT", f"/users/{person.id}", {"password": person.password}))

    def with_provider(self, name, data, *secrets):
        self.keep(*secrets)
        return self.token_of(call(self.service, "POST", "/users", {"authData": {name: data}}))

    def fail(self, person):
        """Calls that are refused, and could be noted with what they carry."""
        password, token = person.password, person.token
        guess = self.keep("a wrong guess of a password")
        request = self.service.request
        request("GET", LOGIN, headers=CLIENT, query={"username": person.name, "password": password})
        request("GET", LOGIN, headers=CLIENT, query={"username": person.name, "password": guess})
        request("POST", LOGIN, f'{{"username":"x","password":"{password}"'.encode(), CLIENT)
        request("POST", LOGIN, {"username": person.name, "password": [password]}, CLIENT)
        request("POST", "/parse/users", {"username": person.name, "password": password}, CLIENT)
        request("POST", "/parse/users", {"password": password, "bad name": token}, CLIENT)
        request("GET", "/v1/collections", query={"sessionToken": token})
        request("GET", "/v1/collections", query={"mapToken": token})
        request("GET", f"/nothing/{token}", headers={"X-Parse-Session-Token": token})
        request("GET", "/parse/users/me", headers={**CLIENT, "X-Parse-Session-Token": token + "0"})
        request("PUT", f"/parse/users/{person.id}", {"sessionToken": token}, {
            **CLIENT, "X-Parse-Session-Token": token})
        request("POST", "/parse/batch", {"requests": [
            {"method": "POST", "path": "/parse/login", "body": {
                "username": person.name, "password": guess}},
            {"method": "POST", "path": f"/elsewhere/{token}"}]}, CLIENT)
        request("GET", "/health", headers={"X-Parse-Session-Token": token, "X-Wide": "x" * 17_000})


def forms(secret):
    """What a secret may be written as."""
    plain = secret.removeprefix("r:")
    found = {plain.encode(), plain.upper().encode(), plain.encode("utf-16-le"), plain[::-1].encode()}
    for start in range(3):
        coded = base64.b64encode(b"\0" * start + plain.encode())
        found.add(coded[4:-4])
    if re.fullmatch(r"[0-9a-f]{32}", plain):
        found |= {bytes.fromhex(plain), bytes.fromhex(plain)[::-1]}
    else:
        found |= {plain.encode().hex().encode()}
    return found


def content_of(service):
    """All bytes that a service keeps or has printed, mails apart: they are the users' own."""
    files = [path for path in service.data.rglob("*") if path.is_file()
             and path.parent.name != "outbox"]
    printed = []
    while not service.lines.empty():
        printed.append(service.lines.get() or "")
    return {**{path.name: path.read_bytes() for path in files},
            "standard error": service.log.read_bytes(), "standard output": repr(printed).encode()}


def check(service, secrets):
    """No secret is anywhere, and what is no secret is: the test reads what is stored."""
    contents = content_of(service)
    assert b"ada@example.org" in b"".join(contents.values())
    for secret in secrets:
        for form in forms(secret):
            found = [name for name, content in contents.items() if form in content]
            assert not found, f"{secret} is in {found}"
    return set().union(*(HASH.findall(content) for content in contents.values()))


def test_no_secret_is_in_any_byte(start, settings, provider, key):
    settings(
        GEOSERVICE_MAIL="file", GEOSERVICE_VERIFY_EMAILS="on", GEOSERVICE_PASSWORD_MEMORY_MB="8",
        GEOSERVICE_RESETS_PER_ACCOUNT="off", GEOSERVICE_SPOTIFY_URL=f"{provider.url}/me",
        GEOSERVICE_AUTH_PROVIDERS="anonymous,apple,facebook,spotify",
        GEOSERVICE_APPLE_CLIENT_IDS=APP, GEOSERVICE_APPLE_KEYS_URL=f"{provider.url}/keys",
        GEOSERVICE_FACEBOOK_APP_IDS="fb-app", GEOSERVICE_FACEBOOK_URL=provider.url)
    provider.owners |= {"spotify-access-token": "sp-1", "facebook-access-token": "fb-1"}
    provider.apps["facebook-access-token"] = "fb-app"
    service = start()
    life = Life(service)
    # An index that is kept in a file, too.
    rows = "\n".join(f"{n % 360 - 180}.5,{n % 170 - 85}.5" for n in range(10_500))
    service.import_csv("Big", f"lon,lat\n{rows}\n")
    people = [life.sign_up(name) for name in ("ada", "bob", "eve", "gus")]
    ada, bob, eve, gus = people
    for person in people:
        life.log_in(person, **{"X-Parse-Installation-Id": f"installation-of-{person.name}"})
        life.token_of(person.call("POST", "/sessions", {}))
        life.keep(service.request("POST", "/v1/map-token", None, {
            "X-Parse-Session-Token": person.token}).json()["token"])
    life.with_provider("anonymous", {"id": "made-up-id-of-nobody"}, "made-up-id-of-nobody")
    life.with_provider(
        "spotify", {"id": "sp-1", "access_token": "spotify-access-token"}, "spotify-access-token")
    life.with_provider(
        "facebook", {"id": "fb-1", "access_token": "facebook-access-token"}, "facebook-access-token")
    signed = key.sign(claims(APPLE, APP, "apple-1"))
    life.with_provider("apple", {"id": "apple-1", "token": signed}, signed, *signed.split(".")[1:])
    linked = {"anonymous": {"id": life.keep("made-up-id-of-bob")}}
    assert bob.call("PUT", f"/users/{bob.id}", {"authData": linked}).status == 200
    role = ada.call("POST", "/roles", {
        "name": "crew", "ACL": {ada.id: {"read": True, "write": True}},
        "users": op("AddRelation", bob.pointer)}).json()["objectId"]
    assert ada.call("PUT", f"/roles/{role}", {"users": op("RemoveRelation", bob.pointer)}).status == 200
    life.token_of(call(service, "POST", "/loginAs", {"userId": bob.id}, master=True))
    life.fail(ada)
    service.kill()  # what stands in the log stays there
    first = check(service, life.secrets)
    assert len(first) == 4
    service = start(data=service.data)
    life.service = service
    for person in people:
        person.service = service
    life.reset(ada)
    life.change_password(ada, "second")
    life.change_password(bob, "second")
    assert bob.call("PUT", f"/users/{bob.id}", {"authData": {"anonymous": None}}).status == 200
    assert eve.call("POST", "/logout", {}).status == 200
    answer = call(service, "PUT", f"/users/{eve.id}", {
        "password": life.keep("password of eve by the master")}, master=True)
    assert answer.status == 200
    assert gus.call("DELETE", f"/users/{gus.id}").status == 200
    assert ada.call("DELETE", f"/roles/{role}").status == 200
    life.fail(bob)
    assert service.stop() == 0
    # Nothing is left of the hashes of passwords that are no more, of the deleted user's either.
    second = check(service, life.secrets)
    assert len(second) == 3 and not first & second
    for secret in (MASTER["X-Parse-Master-Key"], CLIENT["X-Parse-REST-API-Key"]):
        assert not [name for name, content in content_of(service).items()
                    if secret.encode() in content]
    # After all this the passwords that are left are good, and no other.
    service = start(data=service.data)
    for person, password in ((ada, ada.password), (bob, bob.password),
                             (eve, "password of eve by the master")):
        for secret in sorted(life.secrets):
            if secret.endswith(("of " + person.name, "by mail", "by the master")):
                status = log_in(service, person.name, secret).status
                assert status == (200 if secret == password else 404), (person.name, secret)
    assert service.stop() == 0


def test_a_key_that_was_made_is_in_its_own_file_alone(start, monkeypatch):
    for name in ("GEOSERVICE_REST_KEY", "GEOSERVICE_MASTER_KEY"):
        monkeypatch.delitem(KEYS, name)
    service = start()
    keys = json.loads((service.data / "keys.json").read_text())
    assert (service.data / "keys.json").stat().st_mode & 0o777 == 0o600
    master = next(value for name, value in keys.items() if "MASTER" in name.upper())
    assert service.get("/parse/serverInfo", {
        **MASTER, "X-Parse-Master-Key": master}).status == 200
    assert service.stop() == 0
    contents = content_of(service)
    assert [name for name, content in contents.items() if master.encode() in content] == ["keys.json"]
