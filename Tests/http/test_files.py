"""Files of the Parse surface: sent, judged, drawn anew, read by ranges, deleted."""

import base64
import io
import json
import os
import pathlib
import random
import re
import signal
import socket
import threading
import zipfile
import zlib

import pytest
from PIL import Image

import photos
from people import fresh, sign_up
from service import CLIENT, MASTER, Service

FILES = "/parse/files"
SAVE, NAME, DELETE = 130, 122, 153


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("files") / "data")
    yield service
    assert service.stop() == 0


@pytest.fixture
def untouched(service):
    """Fails when the test leaves a file behind."""
    before = kept(service)
    yield
    assert kept(service) == before


def kept(service):
    """Every file of the folder, those on their way too."""
    return {str(path) for path in (service.data / "files").rglob("*") if path.is_file()}


def send(service, name, body, headers=None, **more):
    return service.request("POST", f"{FILES}/{name}", body, {**CLIENT, **(headers or {})}, more)


def keep(service, name, body, **headers):
    """Sends a file that is taken and gives the path of its bytes."""
    answer = send(service, name, body, headers)
    assert answer.status == 201, answer.body
    return answer.json()["url"].removeprefix(service.address)


def fetch(service, path, headers=None, **query):
    answer = service.get(path, headers, **query)
    assert answer.status == 200, answer.body
    return answer


def refused(answer, code, status=400):
    assert (answer.status, answer.json().get("code")) == (status, code), answer.body
    return answer.json()["error"]


def opened(answer):
    return Image.open(io.BytesIO(answer.body))


# MARK: In and out

def test_a_file_comes_back_as_it_was_sent(service):
    answer = send(service, "note.txt", b"Hello", {"Content-Type": "text/plain"})
    made = answer.json()
    assert answer.status == 201 and set(made) == {"name", "url"}
    assert re.fullmatch("[0-9a-f]{32}_note[.]txt", made["name"])
    assert answer.headers["Location"] == made["url"] == (
        f"{service.address}{FILES}/test-app/{made['name']}")
    path = made["url"].removeprefix(service.address)
    read = fetch(service, path)
    assert read.body == b"Hello"
    assert read.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert read.headers["X-Content-Type-Options"] == "nosniff"
    assert read.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert read.headers["Content-Disposition"] == 'inline; filename="note.txt"'
    head = service.request("HEAD", path)
    assert (head.status, head.body, head.headers["Content-Length"]) == (200, b"", "5")
    again = service.get(path, {"If-None-Match": read.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")


def form(body=b"Hello", **members):
    return {"base64": base64.b64encode(body).decode(), "_ContentType": "text/plain",
            "_ApplicationId": "test-app", "_JavaScriptKey": "test-rest-key",
            "_ClientVersion": "js5.3.0", "fileData": {"metadata": {}, "tags": {}}, **members}


@pytest.mark.parametrize("size", [1, 2, 3, 100_000])
def test_a_file_may_come_in_an_object_as_javascript_sends_it(service, size):
    body = bytes(random.Random(size).randrange(32, 127) for _ in range(size))
    answer = service.request(
        "POST", f"{FILES}/a.txt", json.dumps(form(body)).encode(), {"Content-Type": "text/plain"})
    assert answer.status == 201, answer.body
    assert fetch(service, answer.json()["url"].removeprefix(service.address)).body == body


@pytest.mark.parametrize("members", [
    {"base64": 5}, {"base64": None}, {"base64": "a"}, {"base64": "a_=="}, {"base64": ""}])
def test_what_is_no_base64_is_refused(service, untouched, members):
    refused(service.request("POST", f"{FILES}/a.txt", form(**members)), SAVE)


def test_javascript_may_name_the_method_in_the_object(service):
    path = keep(service, "a.txt", b"Hello")
    members = {"_method": "DELETE", "_ApplicationId": "test-app", "_MasterKey": "test-master-key"}
    answer = service.request("POST", f"{FILES}/{path.split('/')[-1]}", members)
    assert (answer.status, service.get(path).status) == (200, 404)


@pytest.mark.parametrize("given,kind,made", [
    ("photo", "JPEG", "photo.jpg"), ("photo.", "PNG", "photo.png"), ("p.q", "JPEG", "p.q"),
    ("a b@c~d-e_f", "GIF", "a b@c~d-e_f.gif")])
def test_a_name_without_an_extension_gets_that_of_the_bytes(service, given, kind, made):
    answer = send(service, given.replace(" ", "%20"), photos.animation(kind)
                  if kind == "GIF" else photos.photo(kind))
    assert answer.json()["name"][33:] == made
    assert fetch(service, answer.json()["url"].removeprefix(service.address)).body


# MARK: Names

@pytest.mark.parametrize("name", [
    "di$avowed.txt", ".hidden", "-a.txt", "%20a.txt", "a%22b.txt", "%C3%A4.txt", "a%3Bb.txt",
    "a" * 129, "a/b.txt", "test-app/b.txt", ""])
def test_a_wrong_name_is_refused(service, untouched, name):
    refused(send(service, name, b"x"), NAME)


@pytest.mark.parametrize("name", ["..%2Fb.txt", "a%2Fb.txt", "..", "%2e%2e", "a%00.txt"])
def test_a_path_in_a_name_is_refused(service, untouched, name):
    assert send(service, name, b"x").status in (400, 404)
    assert service.get(f"{FILES}/test-app/{name}").status in (400, 404)


def test_no_name_at_all_is_refused(service):
    refused(service.request("POST", FILES, b"x", CLIENT), NAME)


def test_the_longest_name_is_taken(service):
    assert fetch(service, keep(service, "a" * 128, b"Hello")).body == b"Hello"


# MARK: What is not taken

@pytest.mark.parametrize("name,body,content_type", [
    ("a.txt", b"", "text/plain"), ("a.html", b"x", None), ("a.HTM", b"x", None),
    ("a.xhtml", b"x", None), ("a.shtml", b"x", None), ("a.txt", b"x", "text/html; charset=utf-8"),
    ("a.txt", b"x", "application/xhtml+xml"), ("a.txt", b" \n<!DOCTYPE HTML><p>", None),
    ("a.jpg", b"<html><script>alert(1)</script>", "image/jpeg"), ("a.jpg", b"just text", None),
    ("a.png", b"%PDF-1.4", None)])
def test_what_is_no_file_to_keep_is_refused(service, untouched, name, body, content_type):
    headers = {"Content-Type": content_type} if content_type else {}
    refused(send(service, name, body, headers), SAVE)


def archive():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as content:
        content.writestr("a.txt", "hush")
    return out.getvalue()


@pytest.mark.parametrize("name,body", [
    ("a.gif", b"GIF89a/*\x00\x00\x00\x00*/=1;alert(1)//"),
    ("a.jpg", photos.photo() + archive()), ("a.jpg", photos.photo() + archive() + b"\0" * 99),
    ("a.png", photos.photo("PNG") + b"<ScRiPt>alert(1)</script>"),
    ("a.png", photos.png(1, 1, b"", photos.chunk(b"tEXt", b"x\0<?php system('id') ?>"))),
    ("a.gif", photos.animation() + b"%PDF-1.4"), ("a.js", photos.photo("GIF")),
    ("a.pdf", photos.photo()), ("a.svg", photos.photo("PNG"))], ids=range(9))
def test_two_files_in_one_are_refused(service, untouched, name, body):
    refused(send(service, name, body), SAVE)


def test_what_follows_a_picture_is_not_kept(service):
    # Phones put films behind their photos: these are taken, without the film.
    path = keep(service, "a.jpg", photos.photo() + photos.film())
    assert photos.PLACE not in fetch(service, path).body


def jpeg_of(width, height):
    """A JPEG whose head says so many pixels."""
    body = bytearray(photos.photo())
    place = body.index(b"\xff\xc0") + 5
    body[place:place + 4] = height.to_bytes(2) + width.to_bytes(2)
    return bytes(body)


@pytest.mark.parametrize("body", [photos.bomb(), jpeg_of(60_000, 60_000)], ids=["png", "jpeg"])
def test_a_picture_of_too_many_pixels_is_refused(service, untouched, body):
    assert "100 megapixels" in refused(send(service, "a", body), SAVE)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "WEBP", "TIFF", "HEIF"])
def test_broken_pictures_are_refused_and_the_service_goes_on(service, untouched, kind):
    whole = photos.photo(kind, width=200, height=120)
    refused(send(service, "cut", whole[:len(whole) // 2]), SAVE)
    seeded = random.Random(kind)
    for _ in range(3):
        broken = bytearray(whole)
        for _ in range(40):
            broken[seeded.randrange(12, len(broken))] ^= 1 << seeded.randrange(8)
        answer = send(service, "broken", bytes(broken))
        assert answer.status in (201, 400), answer.body
        if answer.status == 201:
            name = answer.json()["name"]
            assert service.request("DELETE", f"{FILES}/{name}", headers=MASTER).status == 200


def children(process):
    """The processes that a process has started."""
    found = []
    for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir():
        try:
            found += map(int, (task / "children").read_text().split())
        except OSError:
            pass  # the thread has ended
    return found


def test_a_decoder_that_crashes_is_a_400_and_no_outage(service, untouched):
    black = zlib.compress(bytes(9_990 * (9_990 * 3 + 1)), 1)
    answers = []
    sender = threading.Thread(target=lambda: answers.append(
        send(service, "large.png", photos.png(9_990, 9_990, black))))
    sender.start()
    wait_until(lambda: children(service.process))
    for child in children(service.process):
        os.kill(child, signal.SIGSEGV)
    sender.join()
    assert "cannot be decoded" in refused(answers[0], SAVE)
    assert service.get("/health").status == 200


# MARK: Pictures

@pytest.mark.parametrize("kind,made", [
    ("JPEG", "JPEG"), ("PNG", "PNG"), ("WEBP", "WEBP"), ("TIFF", "JPEG"), ("HEIF", "JPEG")])
@pytest.mark.parametrize("orientation", [1, 6])
def test_a_photo_comes_back_upright_and_without_its_place(service, kind, made, orientation):
    sent = photos.photo(kind, orientation)
    assert photos.MAKER in sent or kind == "WEBP"
    answer = fetch(service, keep(service, "photo", sent))
    picture = opened(answer)
    assert picture.format == made and answer.headers["Content-Type"] == f"image/{made.lower()}"
    assert dict(picture.getexif()) == {} and not {"exif", "xmp", "icc_profile"} & set(picture.info)
    assert photos.MAKER not in answer.body
    assert picture.size == ((90, 60) if orientation == 1 else (60, 90))
    # 6 says: turn it by 90° to the right. The red left half is then above.
    red, green, blue = picture.convert("RGB").resize((2, 2)).getpixel(
        (0, 1) if orientation == 1 else (1, 0))
    assert red > 150 and green < 80 and blue < 80


@pytest.mark.parametrize("kind", ["GIF", "WEBP"])
def test_an_animation_stays_one(service, kind):
    picture = opened(fetch(service, keep(service, "a", photos.animation(kind))))
    assert (picture.format, picture.n_frames, picture.size) == (kind, 3, (90, 60))
    picture.seek(1)
    picture.load()
    assert picture.info["duration"] == 120 and picture.info["loop"] == 0


def test_transparency_stays(service):
    out = io.BytesIO()
    Image.new("RGBA", (4, 4), (9, 200, 9, 77)).save(out, "PNG")
    picture = opened(fetch(service, keep(service, "a.png", out.getvalue())))
    assert picture.getpixel((1, 1)) == (9, 200, 9, 77)


@pytest.mark.parametrize("asked,width", [
    (1, 64), (64, 64), (65, 128), (300, 512), (512, 512), (513, 700), (2048, 700)])
def test_a_thumbnail_has_the_next_width_but_is_never_larger(service, asked, width):
    path = keep(service, "a.jpg", photos.photo(width=700, height=350))
    small = fetch(service, path, w=asked)
    assert opened(small).size == (width, width // 2)
    again = service.get(path, {"If-None-Match": small.headers["ETag"]}, w=asked)
    assert (again.status, again.body) == (304, b"")
    assert fetch(service, path, w=asked).body == small.body
    whole = fetch(service, path)
    assert (whole.headers["ETag"] == small.headers["ETag"]) == (width == 700)


def test_a_thumbnail_of_an_animation_is_a_picture(service):
    small = fetch(service, keep(service, "a.gif", photos.animation()), w=64)
    assert (opened(small).format, opened(small).size) == ("PNG", (64, 43))


@pytest.mark.parametrize("wrong", ["0", "2049", "-1", "x", "", "1.5", "9" * 30])
def test_a_wrong_width_is_refused(service, wrong):
    path = keep(service, "a.png", photos.photo("PNG"))
    assert "w must be" in refused(service.get(path, w=wrong), 102)


def test_what_is_no_picture_has_no_thumbnail(service):
    refused(service.get(keep(service, "a.txt", b"Hello"), w=64), 102)


# MARK: What a browser would run

@pytest.mark.parametrize("name,body,kind,shown", [
    ("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml", False),
    ("a.xml", b"<?xml version='1.0'?><a/>", "application/xml", False),
    ("a.txt", b"<?xml version='1.0'?><a/>", "application/octet-stream", False),
    ("a.js", b"alert(1)", "text/javascript; charset=utf-8", False),
    ("a.pdf", b"%PDF-1.4", "application/pdf", False),
    ("a.svg", b"\0\1", "application/octet-stream", False),
    ("a.zip", archive(), "application/zip", False),
    ("a.mp4", photos.film(), "video/mp4", True)])
def test_nothing_that_runs_is_shown_in_place(service, name, body, kind, shown):
    headers = fetch(service, keep(service, name, body)).headers
    assert headers["Content-Type"] == kind
    assert headers["Content-Disposition"].split(";")[0] == ("inline" if shown else "attachment")
    assert headers["Content-Security-Policy"] == "default-src 'none'; sandbox"


def test_a_film_comes_back_without_its_place(service):
    sent = photos.film()
    assert sent.count(photos.PLACE) == 4
    read = fetch(service, keep(service, "a.mp4", sent)).body
    assert photos.PLACE not in read and len(read) == len(sent)
    assert b"frames" * 100 in read and read.count(b"free") == 4 and read.count(b"tkhd") == 1


# MARK: Ranges

BYTES = bytes(range(256)) * 40


@pytest.mark.parametrize("asked,first,last", [
    ("bytes=0-0", 0, 0), ("bytes=100-299", 100, 299), ("bytes=10000-", 10000, 10239),
    ("bytes=-5", 10235, 10239), ("bytes=-99999", 0, 10239), ("bytes=10239-99999999", 10239, 10239),
    ("Bytes = 1 - 2".replace(" ", ""), 1, 2), ("bytes=0-99999999999999999999999", 0, 10239)])
def test_a_range_is_sent_alone(service, asked, first, last):
    path = keep(service, "a.bin", BYTES)
    answer = service.get(path, {"Range": asked})
    assert answer.status == 206 and answer.body == BYTES[first:last + 1]
    assert answer.headers["Content-Range"] == f"bytes {first}-{last}/10240"
    assert answer.headers["Content-Length"] == str(last - first + 1)


@pytest.mark.parametrize("asked", ["bytes=10240-", "bytes=10240-10250", "bytes=-0"])
def test_a_range_beyond_the_end_is_416(service, asked):
    answer = service.get(keep(service, "a.bin", BYTES), {"Range": asked})
    assert (answer.status, answer.headers["Content-Range"]) == (416, "bytes */10240")


@pytest.mark.parametrize("asked", [
    "bytes=5-1", "bytes=0-1,5-6", "lines=0-1", "bytes=", "bytes=-", "bytes=a-b", "bytes=1", "="])
def test_what_is_no_single_range_is_answered_with_all(service, asked):
    answer = fetch(service, keep(service, "a.bin", BYTES), {"Range": asked})
    assert answer.body == BYTES and answer.headers["Accept-Ranges"] == "bytes"


def test_a_range_of_another_state_is_answered_with_all(service):
    path = keep(service, "a.bin", BYTES)
    tag = fetch(service, path).headers["ETag"]
    asked = {"Range": "bytes=0-1"}
    assert service.get(path, {**asked, "If-Range": tag}).status == 206
    assert service.get(path, {**asked, "If-Range": '"other"'}).body == BYTES
    assert service.get(path, {**asked, "If-Range": f"W/{tag}"}).body == BYTES
    assert service.get(path, {**asked, "If-None-Match": tag}).status == 304
    head = service.request("HEAD", path, headers=asked)
    assert (head.status, head.headers["Content-Length"]) == (200, "10240")


# MARK: Lengths

LIMIT = 20 << 20


def test_the_longest_file_is_taken_and_a_longer_one_is_not(service, untouched):
    answer = send(service, "a.bin", bytes(LIMIT))
    assert answer.status == 201
    name = answer.json()["name"]
    assert len(fetch(service, f"{FILES}/test-app/{name}").body) == LIMIT
    assert service.request("DELETE", f"{FILES}/{name}", headers=MASTER).status == 200
    too_long = send(service, "a.bin", bytes(LIMIT + 1))
    assert too_long.status == 413 and "20971520 bytes" in too_long.json()["error"]


def raw(service, head, body=b"", answered=True):
    """Sends bytes as they are, waits for the start of an answer if there is one, and goes."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=30) as link:
        link.sendall(head.encode() + body)
        return link.recv(65_536) if answered else None


def head_of(service, *fields):
    own = [f"{name}: {value}" for name, value in CLIENT.items()]
    return "\r\n".join([
        f"POST {FILES}/a.bin HTTP/1.1", f"Host: 127.0.0.1:{service.port}", *own, *fields, "", ""])


def test_a_file_of_25_megabytes_is_refused_before_it_comes(service, untouched):
    answer = raw(service, head_of(service, f"Content-Length: {25 << 20}"))
    assert answer.startswith(b"HTTP/1.1 413")


def test_a_file_of_25_megabytes_in_chunks_is_cut_off(service, untouched):
    def pieces():
        for _ in range(25):
            yield bytes(1 << 20)

    connection = service.connect()
    try:
        connection.request(
            "POST", f"{FILES}/a.bin", pieces(), {**CLIENT, "Transfer-Encoding": "chunked"},
            encode_chunked=True)
    except (BrokenPipeError, ConnectionResetError):
        pass  # it may still be sending when the answer is there
    assert connection.getresponse().status == 413
    connection.close()


def test_an_object_with_25_megabytes_is_refused(service, untouched):
    answer = service.request("POST", f"{FILES}/a.txt", form(b"x" * (25 << 20)))
    assert answer.status == 413


@pytest.mark.parametrize("sent", [0, 10, 300_000, 999_999])
def test_a_body_that_is_cut_off_leaves_nothing(service, untouched, sent):
    incoming = service.data / "files/incoming"
    with socket.create_connection(("127.0.0.1", service.port)) as link:
        link.sendall(head_of(service, "Content-Length: 1000000").encode() + b"x" * sent)
        # The end comes with the last bytes, or after them.
        if sent == 300_000:
            wait_until(lambda: list(incoming.iterdir()))
        if sent == 10:
            link.shutdown(socket.SHUT_WR)
            assert link.recv(10) == b""
    wait_until(lambda: not list(incoming.iterdir()))
    wait_until(lambda: len(connections_of(service)) == 0)


def test_a_body_that_is_longer_than_it_says_ends_where_it_says(service):
    answer = raw(service, head_of(service, "Content-Length: 5"), b"Hello, and more")
    assert answer.startswith(b"HTTP/1.1 201")
    path = FILES + answer.decode().split(FILES)[1].split('"')[0].split("\r")[0]
    assert fetch(service, path).body == b"Hello"


def connections_of(service):
    """The connections that the service has open, as the kernel lists them."""
    own = f":{service.port:04X}"
    rows = [row.split() for row in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
    # 0A is the listener; 06 has been closed on both ends.
    return [row for row in rows if row[1].endswith(own) and row[3] not in ("0A", "06")]


def wait_until(condition, tries=1000):
    """Asks again until it is true: what a connection's end brings about is not answered."""
    for _ in range(tries):
        if condition():
            return
        threading.Event().wait(0.01)
    raise AssertionError("it did not come true")


def test_a_kill_during_an_upload_leaves_nothing(start):
    service = start()
    path = keep(service, "a.txt", b"Hello")
    link = socket.create_connection(("127.0.0.1", service.port), timeout=30)
    link.sendall(head_of(service, "Content-Length: 10000000").encode() + b"x" * 2_000_000)
    incoming = service.data / "files/incoming"
    wait_until(lambda: list(incoming.iterdir()))
    service.kill()
    link.close()
    assert list(incoming.iterdir())
    # Another that was given its place, but not its record.
    stray = service.data / "files/00" / ("0" * 32)
    stray.parent.mkdir(exist_ok=True)
    stray.write_bytes(b"stray")
    again = start(data=service.data)
    assert not list(incoming.iterdir()) and not stray.exists()
    assert fetch(again, path).body == b"Hello"


# MARK: Who may

def test_keys_are_asked_for(service, untouched):
    for headers in ({}, {"X-Parse-Application-Id": "test-app"},
                    {**CLIENT, "X-Parse-Application-Id": "other"}):
        answer = service.request("POST", f"{FILES}/a.txt", b"x", headers)
        assert (answer.status, answer.json()) == (403, {"error": "unauthorized"})
    refused(send(service, "a.txt", b"x", {"X-Parse-Session-Token": "r:none"}), 209)
    assert service.get(f"{FILES}/other/{'0' * 32}_a.txt").status == 404


def test_a_file_is_deleted_with_the_master_key_alone(service):
    before = kept(service)
    path = keep(service, "a.png", photos.photo("PNG", width=200, height=100))
    name = path.split("/")[-1]
    assert fetch(service, path, w=64).body
    assert service.request("DELETE", f"{FILES}/{name}", headers=CLIENT).status == 403
    assert fetch(service, path).body
    answer = service.request("DELETE", f"{FILES}/{name}", headers=MASTER)
    assert (answer.status, answer.json()) == (200, {})
    for query in ({}, {"w": 64}):
        gone = service.get(path, **query)
        assert (gone.status, gone.body) == (404, b"File not found.")
    assert kept(service) == before
    refused(service.request("DELETE", f"{FILES}/{name}", headers=MASTER), DELETE)
    refused(service.request("DELETE", f"{FILES}/none", headers=MASTER), DELETE)


def test_the_public_and_anonymous_users_may_not_where_it_is_off(start, settings):
    settings(GEOSERVICE_PUBLIC_UPLOADS="off")
    service = start()
    refused(send(service, "a.txt", b"x"), SAVE)
    refused(service.request("POST", f"{FILES}/a.txt", form()), SAVE)
    assert send(service, "a.txt", b"x", MASTER).status == 201
    person = sign_up(service)
    assert send(service, "a.txt", b"x", {"X-Parse-Session-Token": person.token}).status == 201
    nobody = service.request("POST", "/parse/users", {
        "authData": {"anonymous": {"id": fresh("anonymous-id-of-some-length")}}}, CLIENT).json()
    token = {"X-Parse-Session-Token": nobody["sessionToken"]}
    refused(send(service, "a.txt", b"x", token), SAVE)


def test_the_public_may_not_through_a_proxy_unless_it_is_on(service, start, settings):
    forwarded = {"X-Forwarded-For": "192.0.2.1"}
    refused(send(service, "a.txt", b"x", forwarded), SAVE)
    settings(GEOSERVICE_PUBLIC_UPLOADS="on")
    assert send(start(), "a.txt", b"x", forwarded).status == 201


# MARK: In objects

def test_a_file_in_an_object_has_its_address(service):
    made = send(service, "a.txt", b"Hello").json()
    for value in ({"name": made["name"]}, made):
        post = service.create(fresh("Post"), file={"__type": "File", **value}, list=[
            {"__type": "File", **value}])
        (found,) = [name for name in service.get("/parse/schemas", MASTER).json()["results"]
                    if name["fields"].get("file")][-1:]
        read = service.get(f"/parse/classes/{found['className']}/{post}", CLIENT)
        if read.status == 200:
            assert read.json()["file"] == {"__type": "File", **made}
            assert read.json()["list"] == [{"__type": "File", **made}]


def test_the_records_of_files_are_no_class_of_the_app(service):
    keep(service, "a.txt", b"Hello")
    for keys in (CLIENT, MASTER):
        assert service.get("/parse/classes/_File", keys).status in (400, 403, 404)
    names = [one["className"] for one in service.get("/parse/schemas", MASTER).json()["results"]]
    assert "_File" not in names
