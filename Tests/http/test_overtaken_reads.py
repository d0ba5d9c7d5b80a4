"""Map answers while a commit lies between the store and the index: never mixed, never private."""

import threading
import time

import pytest

from service import MASTER, place

BOX = "/clusters/Post?bbox=0,0,3,3&zoom=12"
TILE = "/tiles/Post/0/0/0.mvt"
ROUNDS = 400


@pytest.fixture
def post(start):
    service = start()
    service.post = service.create("Post", location=place(1, 2), title="x")
    return service


def while_writing(service, write, read):
    """Writes in one thread while `read` is called; gives how often it was."""
    stop, failures = threading.Event(), []

    def keep_writing():
        try:
            round_number = 0
            while not stop.is_set():
                write(round_number)
                round_number += 1
        except Exception as failure:  # shown by the assertion below
            failures.append(failure)

    thread = threading.Thread(target=keep_writing)
    thread.start()
    count, end = 0, time.monotonic() + 60
    try:
        while count < ROUNDS and time.monotonic() < end:
            read()
            count += 1
    finally:
        stop.set()
        thread.join()
    assert not failures, failures
    assert count == ROUNDS


@pytest.mark.parametrize("path", [BOX, TILE])
def test_one_tag_never_stands_for_two_bodies(post, path):
    bodies = {}

    def read():
        answer = post.get(path)
        assert answer.status == 200
        tag = answer.headers["ETag"]
        if tag is None:
            assert answer.headers["Cache-Control"] == "no-store"
        else:
            assert bodies.setdefault(tag, answer.body) == answer.body

    while_writing(
        post, lambda number: post.update("Post", post.post, title="xy"[number % 2]), read)
    assert len(bodies) == 2


@pytest.mark.parametrize("path", [
    BOX, TILE, "/near/Post?lon=2&lat=1", "/within/Post?bbox=0,0,3,3", "/within/Post?center=2,1&radius=200000",
])
def test_what_was_written_into_a_private_object_is_never_shown(post, path):
    def write(number):
        if number % 2 == 0:
            body = {"title": "secret", "ACL": {}}
        else:
            body = {"title": "open", "ACL": {"*": {"read": True, "write": True}}}
        answer = post.request("PUT", f"/parse/classes/Post/{post.post}", body, MASTER)
        assert answer.status == 200, answer.body

    def read():
        answer = post.get(path)
        # A vector tile of nothing is 204.
        assert answer.status in ((200, 204) if path == TILE else (200,))
        assert b"secret" not in answer.body

    while_writing(post, write, read)
