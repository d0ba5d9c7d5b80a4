"""The map of signed-in viewers beside everybody's, of one service by turns.

One viewer has 1,000 objects that nobody else sees, the other is in 500 roles with two objects each.
All three are asked for the same views and the same tile.
"""

import http.client
import json
import random

import commands
import wrk
from http_bench import get
from writer import BATCH, CLIENT

PRIVATE = 1_000
ROLES = 500
OBJECTS_A_ROLE = 2
MASTER = {**CLIENT, "X-Parse-Master-Key": "bench-master"}


class Connection:
    """Requests of the objects' API, all of which must succeed."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def call(self, path, body, headers):
        self.connection.request("POST", path, json.dumps(body), headers)
        response = self.connection.getresponse()
        answer = json.loads(response.read())
        failed = isinstance(answer, list) and [one for one in answer if "error" in one]
        if response.status >= 300 or failed:
            raise commands.Failure(f"{path} is answered by {response.status}: {failed or answer}")
        return answer

    def create(self, objects, layer):
        """Makes objects of the layer in batches."""
        for start in range(0, len(objects), BATCH):
            self.call("/parse/batch", {"requests": [
                {"method": "POST", "path": f"/parse/classes/{layer}", "body": body}
                for body in objects[start:start + BATCH]]}, MASTER)


class ViewerBench:
    """The measurements; `bench` has the service, its views and its load."""

    def __init__(self, bench, layer):
        self.bench, self.layer = bench, layer
        self.port = bench.service.port
        self.connection = Connection(self.port)
        self.random = random.Random(7)

    def records(self):
        viewers = {"public": None, "private": self.private(), "roles": self.roles()}
        tile = [f"/tiles/{self.layer}/{self.bench.tile}.png"]
        for operation, paths in (("clusters", self.bench.views), ("tile", tile)):
            # Twice before: the second time leaves what is worth it remembered.
            sizes = {}
            for name, token in list(viewers.items()) * 2:
                sizes[name] = sum(self.size(path, token) for path in paths)
            runs = {name: [] for name in viewers}
            commands.announce(f"http.viewer-{operation}")
            for _ in range(self.bench.options.runs):
                for name, token in viewers.items():
                    runs[name].append(self.bench.load(
                        self.bench.service, paths, self.headers(token)))
            for name, loads in runs.items():
                yield {
                    "name": f"http.viewer-{name}-{operation}.city.{self.bench.options.size}",
                    "who": "geoservice", "unit": "requests/s", "runs": len(loads),
                    "wall": {key: wrk.median([load[key] for load in loads])
                             for key in ("p50", "p99", "rate")},
                    "cpu": {"p50": wrk.median([load["cpu"] for load in loads])},
                    "check": "all answers 2xx",
                    "note": f"{len(paths)} addresses by turns, {sizes[name] // len(paths)} bytes"}

    def size(self, path, token):
        status, _, body = get(self.port, path, self.headers(token))
        if status != 200:
            raise commands.Failure(f"{path} is answered by {status}")
        return len(body)

    @staticmethod
    def headers(token):
        return {"X-Parse-Session-Token": token} if token else {}

    def signed_up(self, name):
        """Somebody's objectId and session token."""
        answer = self.connection.call(
            "/parse/users", {"username": name, "password": f"{name} of the bench"}, CLIENT)
        return answer["objectId"], answer["sessionToken"]

    def place(self):
        """Beside an object that is there."""
        _, lon, lat = self.random.choice(self.bench.far)
        return {"__type": "GeoPoint", "longitude": lon, "latitude": lat}

    def objects(self, count, readers):
        return [{"location": self.place(), "ACL": {readers: {"read": True}}}
                for _ in range(count)]

    def private(self):
        user, token = self.signed_up("private")
        self.connection.create(self.objects(PRIVATE, user), self.layer)
        return token

    def roles(self):
        user, token = self.signed_up("roles")
        users = {"__op": "AddRelation", "objects": [
            {"__type": "Pointer", "className": "_User", "objectId": user}]}
        for number in range(ROLES):
            self.connection.call(
                "/parse/roles", {"name": f"bench{number}", "ACL": {}, "users": users}, MASTER)
        self.connection.create(
            [body for number in range(ROLES)
             for body in self.objects(OBJECTS_A_ROLE, f"role:bench{number}")], self.layer)
        return token
