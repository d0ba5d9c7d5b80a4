"""Writes to the service while something else is measured."""

import contextlib
import http.client
import json
import random
import threading
import time

import commands
import servers
from parse_client import CLIENT

WRITES_PER_SECOND = 1_000
BATCH = 50


class Writer:
    """Moves objects far from the tile, a thousand a second in batches, while it is told to."""

    def __init__(self, port, layer, objects):
        self.layer, self.objects = layer, objects
        self.random = random.Random(11)
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.written, self.seconds = 0, 0.0
        self.failure = None

    @contextlib.contextmanager
    def writing(self):
        """Writes beside what the caller does."""
        stop = threading.Event()
        thread = threading.Thread(target=self.work, args=(stop,))
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()
        if self.failure:
            raise commands.Failure(self.failure)

    def summary(self):
        return f"{self.written / self.seconds:.0f} moves a second in another city meanwhile"

    def work(self, stop):
        # The server has the first processor for itself.
        servers.use_other_processors()
        start, before = time.monotonic(), self.written
        try:
            while not stop.is_set():
                self.write()
                due = start + (self.written - before) / WRITES_PER_SECOND
                stop.wait(max(0, due - time.monotonic()))
        except (OSError, http.client.HTTPException, commands.Failure) as failure:
            self.failure = f"writing failed: {failure}"
        self.seconds += time.monotonic() - start

    def write(self):
        def change(objects):
            (number, *_), (_, lon, lat) = objects
            return {"method": "PUT", "path": f"/parse/classes/{self.layer}/{number}",
                    "body": {"location": {
                        "__type": "GeoPoint", "longitude": lon, "latitude": lat}}}

        body = json.dumps({"requests": [
            change(self.random.sample(self.objects, 2)) for _ in range(BATCH)]})
        self.connection.request("POST", "/parse/batch", body, CLIENT)
        response = self.connection.getresponse()
        answers = json.loads(response.read() or b"[]")
        if response.status != 200 or not all("success" in answer for answer in answers):
            raise commands.Failure(f"a batch was answered by {response.status}: {answers}")
        self.written += BATCH
