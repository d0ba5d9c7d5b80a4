"""Mail over real HTTP: new passwords, confirmed addresses, and the pages that links lead to."""

from urllib.parse import urlencode, urlsplit

import pytest

from mails import MailServer, wait_for_mails
from people import call, fresh, log_in, refusal, sign_up
from service import KEYS, Service

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    KEYS["GEOSERVICE_MAIL"] = "file"
    KEYS["GEOSERVICE_MAIL_FROM"] = "maps@example.org"
    KEYS["GEOSERVICE_VERIFY_EMAILS"] = "on"
    KEYS["GEOSERVICE_RESETS_PER_ACCOUNT"] = "off"
    try:
        started = Service(tmp_path_factory.mktemp("mail") / "data")
    finally:
        for name in ["MAIL", "MAIL_FROM", "VERIFY_EMAILS", "RESETS_PER_ACCOUNT"]:
            del KEYS[f"GEOSERVICE_{name}"]
    yield started
    assert started.stop() == 0


def mails_to(service, address, count):
    """The mails to one address, once there are so many."""
    total = count
    while True:
        mails = wait_for_mails(service, total)
        found = [mail for mail in mails if mail.to == address]
        if len(found) >= count:
            return found
        total = len(mails) + 1


def page(service, link, form=None, host=None):
    """What a browser gets for a link, or for the form that stands there."""
    parts = urlsplit(link)
    body = urlencode(form).encode() if form is not None else None
    return service.request(
        "POST" if form is not None else "GET", f"{parts.path}?{parts.query}", body,
        {**(FORM if form is not None else {}), **({"Host": host} if host else {})})


def test_a_new_address_is_asked_to_be_confirmed(service):
    address = f"{fresh()}@example.org"
    person = sign_up(service, email=address)
    assert person.me()["emailVerified"] is False
    (mail,) = mails_to(service, address, 1)
    assert mail.sender == "maps@example.org" and mail.link.startswith(service.address)
    for _ in range(2):  # looking changes nothing
        shown = page(service, mail.link)
        assert shown.status == 200 and b"<form" in shown.body
        assert shown.headers["Content-Type"] == "text/html; charset=utf-8"
        assert "default-src 'none'" in shown.headers["Content-Security-Policy"]
        assert shown.headers["Referrer-Policy"] == "no-referrer"
        assert shown.headers["Cache-Control"] == "no-store"
    assert person.me()["emailVerified"] is False
    assert page(service, mail.link, {"token": mail.token}).status == 200
    assert person.me()["emailVerified"] is True
    assert page(service, mail.link, {"token": mail.token}).status == 400
    again = call(service, "POST", "/verificationEmailRequest", {"email": address})
    assert refusal(again) == (400, -1)


def test_another_address_is_not_a_confirmed_one(service):
    first, second = f"{fresh()}@example.org", f"{fresh()}@example.org"
    person = sign_up(service, email=first)
    (mail,) = mails_to(service, first, 1)
    assert person.call("PUT", f"/users/{person.id}", {"email": second}).status == 200
    # The token of the first address does not confirm the second.
    assert page(service, mail.link, {"token": mail.token}).status == 400
    assert person.me()["emailVerified"] is False
    (mail,) = mails_to(service, second, 1)
    assert page(service, mail.link, {"token": mail.token}).status == 200
    assert person.me()["emailVerified"] is True
    assert person.call("PUT", f"/users/{person.id}", {"email": first}).status == 200
    assert person.me()["emailVerified"] is False


def test_asking_for_the_mail_again(service):
    address = f"{fresh()}@example.org"
    sign_up(service, email=address)
    mails_to(service, address, 1)
    assert call(service, "POST", "/verificationEmailRequest", {"email": address.upper()}).json() == {}
    first, second = mails_to(service, address, 2)
    assert page(service, first.link, {"token": first.token}).status == 400, "the newest counts"
    assert page(service, second.link, {"token": second.token}).status == 200
    for body, code in [({}, 204), ({"email": ""}, 204), ({"email": 5}, 125),
                       ({"email": "nobody@example.org"}, 205)]:
        assert refusal(call(service, "POST", "/verificationEmailRequest", body)) == (400, code)


def test_a_new_password_by_mail(service):
    address = f"{fresh()}@example.org"
    person = sign_up(service, email=address)
    mails_to(service, address, 1)
    answer = call(service, "POST", "/requestPasswordReset", {"email": address.upper()})
    assert (answer.status, answer.json()) == (200, {})
    mail = mails_to(service, address, 2)[-1]
    assert person.me(), "asking changes nothing"
    assert b'type="password"' in page(service, mail.link).body
    empty = page(service, mail.link, {"token": mail.token, "password": ""})
    assert b'type="password"' in empty.body
    assert page(service, mail.link, {"token": mail.token, "password": "chosen & ü"}).status == 200
    assert person.me() is None, "sessions end"
    assert refusal(log_in(service, person.name)) == (404, 101)
    assert log_in(service, person.name, "chosen & ü").status == 200
    assert page(service, mail.link, {"token": mail.token, "password": "again"}).status == 400
    assert log_in(service, person.name, "chosen & ü").status == 200


def test_a_password_changed_meanwhile_ends_the_link(service):
    address = f"{fresh()}@example.org"
    person = sign_up(service, email=address)
    mails_to(service, address, 1)
    call(service, "POST", "/requestPasswordReset", {"email": address})
    mail = mails_to(service, address, 2)[-1]
    person.call("PUT", f"/users/{person.id}", {"password": "mine"})
    assert page(service, mail.link, {"token": mail.token, "password": "theirs"}).status == 400
    assert log_in(service, person.name, "mine").status == 200


def test_a_link_to_a_former_address_is_no_good(service):
    former, address = f"{fresh()}@example.org", f"{fresh()}@example.org"
    person = sign_up(service, email=former)
    mails_to(service, former, 1)
    call(service, "POST", "/requestPasswordReset", {"email": former})
    mail = mails_to(service, former, 2)[-1]
    assert person.call("PUT", f"/users/{person.id}", {"email": address}).status == 200
    assert page(service, mail.link, {"token": mail.token, "password": "theirs"}).status == 400
    assert log_in(service, person.name).status == 200


def test_whether_an_address_is_known_is_not_told(service):
    address = f"{fresh()}@example.org"
    sign_up(service, email=address)
    known = call(service, "POST", "/requestPasswordReset", {"email": address})
    unknown = call(service, "POST", "/requestPasswordReset", {"email": "nobody@example.org"})
    assert (known.status, known.body) == (unknown.status, unknown.body) == (200, b"{}")
    assert refusal(call(service, "POST", "/requestPasswordReset", {})) == (400, 204)
    assert refusal(call(service, "POST", "/requestPasswordReset", {"email": ["a"]})) == (400, 125)


@pytest.mark.parametrize("token", ["", "0" * 32, "x", "\"><script>", "r:" + "0" * 32])
def test_links_that_are_none(service, token):
    for name in ("verify_email", "request_password_reset"):
        path = f"/parse/apps/{KEYS['GEOSERVICE_APP_ID']}/{name}"
        shown = page(service, f"{path}?{urlencode({'token': token})}")
        assert b"<script" not in shown.body
        sent = page(service, path, {"token": token, "password": "p"})
        assert sent.status == 400 and b"no longer good" in sent.body
    assert page(service, "/parse/apps/other/verify_email?token=" + "0" * 32).status == 403


def test_tokens_are_good_for_one_purpose(service):
    address = f"{fresh()}@example.org"
    person = sign_up(service, email=address)
    (mail,) = mails_to(service, address, 1)
    reset = mail.link.replace("verify_email", "request_password_reset")
    assert page(service, reset, {"token": mail.token, "password": "theirs"}).status == 400
    assert person.me()


def test_links_never_lead_where_a_request_says(start, settings):
    settings(GEOSERVICE_MAIL="file", GEOSERVICE_PUBLIC_URL="https://maps.example.org/geo")
    service = start()
    address = f"{fresh()}@example.org"
    sign_up(service, email=address)
    call(service, "POST", "/requestPasswordReset", {"email": address},
         {"Host": "evil.example.com", "X-Forwarded-Host": "evil.example.com"})
    (mail,) = wait_for_mails(service, 1)
    assert mail.link.startswith("https://maps.example.org/geo/parse/apps/test-app/request_pass")


def test_a_mail_server_is_given_the_mail(start, settings):
    server = MailServer()
    settings(GEOSERVICE_MAIL=server.url, GEOSERVICE_MAIL_FROM="maps@example.org")
    service = start()
    address = f"{fresh()}@example.org"
    person = sign_up(service, email=address)
    call(service, "POST", "/requestPasswordReset", {"email": address})
    receiver, mail = server.next()
    assert receiver == mail.to == address
    assert page(service, mail.link, {"token": mail.token, "password": "new"}).status == 200
    assert log_in(service, person.name, "new").status == 200
    # An address that would be a command is not written to.
    odd = sign_up(service, email="a,b<c>@example.org")
    call(service, "POST", "/requestPasswordReset", {"email": "a,b<c>@example.org"})
    call(service, "POST", "/requestPasswordReset", {"email": address})
    assert server.next()[0] == address and len(server.mails) == 2 and odd.me()
    server.stop()
    assert service.stop() == 0


def test_without_mail_that_is_said(start):
    service = start()
    answer = call(service, "POST", "/requestPasswordReset", {"email": "a@example.org"})
    assert refusal(answer) == (500, 1) and "GEOSERVICE_MAIL" in answer.json()["error"]
    person = sign_up(service, email="a@example.org")
    assert "emailVerified" not in person.me()
