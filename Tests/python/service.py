"""A geoservice process for tests: started on a free port, asked over real HTTP, stopped."""

import http.client
import json
import os
import pathlib
import queue
import signal
import subprocess
import threading
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("GEOSERVICE_BIN", REPOSITORY / ".build/release/geoservice"))
SHARED = REPOSITORY.parent / "shared"

KEYS = {
    "GEOSERVICE_APP_ID": "test-app",
    "GEOSERVICE_REST_KEY": "test-rest-key",
    "GEOSERVICE_MASTER_KEY": "test-master-key",
}
CLIENT = {"X-Parse-Application-Id": "test-app", "X-Parse-REST-API-Key": "test-rest-key"}
MASTER = {"X-Parse-Application-Id": "test-app", "X-Parse-Master-Key": "test-master-key"}


@dataclass(frozen=True)
class Answer:
    """What came back: `headers` can be asked in any letter case."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self):
        return json.loads(self.body)


def environment(**changes):
    """This process's environment without settings of a service, but with the keys of the tests."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GEOSERVICE_")}
    return {**kept, **KEYS, **changes}


def run(*arguments, stdin=None, timeout=300):
    """Runs a command of the program to its end and gives the finished process."""
    return subprocess.run(
        [BINARY, *map(str, arguments)], input=stdin, capture_output=True, timeout=timeout,
        env=environment(), check=False)


class Service:
    """One running server. `data` outlives it, so that another can go on with it."""

    def __init__(self, data, *arguments):
        self.data = pathlib.Path(data)
        self.log = self.data.parent / f"{self.data.name}.log"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [BINARY, "serve", "--data", self.data, "--listen", "127.0.0.1:0", *arguments],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, env=environment())
        self.lines = queue.Queue()
        threading.Thread(target=self._read_lines, daemon=True).start()
        self.address = self._wait_for_address()
        self.port = urlsplit(self.address).port

    def _read_lines(self):
        for line in self.process.stdout:
            self.lines.put(line.decode().rstrip("\n"))
        self.lines.put(None)

    def _wait_for_address(self, timeout=120):
        while True:
            try:
                line = self.lines.get(timeout=timeout)
            except queue.Empty:
                line = None
            if line is None:
                self.process.kill()
                raise AssertionError(f"the server did not start:\n{self.log.read_text()}")
            if line.startswith("listening on http://"):
                return line.removeprefix("listening on ").strip()

    def stop(self, timeout=30):
        """Asks it to stop and gives its exit code."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise

    def kill(self):
        """Ends it at once, as a power cut would."""
        self.process.kill()
        self.process.wait()

    @property
    def is_running(self):
        return self.process.poll() is None

    def connect(self):
        """A connection to be used several times."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def request(self, method, path, body=None, headers=None, query=None):
        """One request on a connection of its own. A body that is not bytes is sent as JSON."""
        connection = self.connect()
        try:
            return ask(connection, method, path, body, headers, query)
        finally:
            connection.close()

    def get(self, path, headers=None, **query):
        return self.request("GET", path, headers=headers, query=query)

    def import_csv(self, layer, text, **options):
        """Imports CSV text into a layer and gives the report."""
        answer = self.request(
            "POST", f"/import/{layer}", text.encode(), {**MASTER, "Content-Type": "text/csv"}, options)
        assert answer.status == 200, answer.body
        return answer.json()

    def create(self, layer, headers=None, **fields):
        """Writes an object and gives its id."""
        answer = self.request("POST", f"/parse/classes/{layer}", fields, headers or CLIENT)
        assert answer.status == 201, answer.body
        return answer.json()["objectId"]

    def update(self, layer, object_id, **fields):
        answer = self.request("PUT", f"/parse/classes/{layer}/{object_id}", fields, CLIENT)
        assert answer.status == 200, answer.body

    def delete(self, layer, object_id):
        answer = self.request("DELETE", f"/parse/classes/{layer}/{object_id}", headers=CLIENT)
        assert answer.status == 200, answer.body

    def clusters(self, layer, zoom=0, bbox="-180,-90,180,90", **query):
        """The features of a cluster answer."""
        answer = self.get(f"/clusters/{layer}", bbox=bbox, zoom=zoom, **query)
        assert answer.status == 200, answer.body
        return answer.json()["features"]


def ask(connection, method, path, body=None, headers=None, query=None):
    """One request on a given connection."""
    if query:
        path += "?" + urlencode(query)
    headers = dict(headers or {})
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
        headers.setdefault("Content-Type", "application/json")
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    return Answer(response.status, response.headers, response.read())


def place(lon, lat):
    """A Parse GeoPoint."""
    return {"__type": "GeoPoint", "longitude": lon, "latitude": lat}


def count_of(features):
    """How many objects clusters and singles stand for together."""
    return sum(
        feature["properties"]["point_count"] if feature["properties"].get("cluster") else 1
        for feature in features)
