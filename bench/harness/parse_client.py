"""A client of the Parse surface: one question at a time, and what wrk must send."""

import http.client
import json

import commands

CLIENT = {"X-Parse-Application-Id": "bench", "X-Parse-REST-API-Key": "bench-rest",
          "Content-Type": "application/json"}
MASTER = {"X-Parse-Application-Id": "bench", "X-Parse-Master-Key": "bench-master",
          "Content-Type": "application/json"}
LUA = "".join(f'wrk.headers["{name}"] = "{value}"\n' for name, value in CLIENT.items())
BATCH = 50


class Client:
    """One kept connection with the master key."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def get(self, path):
        """The answer to a read. Raises Failure unless it is 200."""
        return self.ask("GET", path, None)

    def create(self, class_name, objects):
        """Creates objects in batches."""
        calls = [{"method": "POST", "path": f"/parse/classes/{class_name}", "body": one}
                 for one in objects]
        for start in range(0, len(calls), BATCH):
            answers = self.ask("POST", "batch", {"requests": calls[start:start + BATCH]})
            if not all("success" in answer for answer in answers):
                raise commands.Failure(f"a batch was answered by {answers}"[:300])

    def ask(self, method, path, body):
        self.connection.request(
            method, f"/parse/{path}", None if body is None else json.dumps(body), MASTER)
        response = self.connection.getresponse()
        text = response.read()
        if response.status != 200:
            raise commands.Failure(f"{path} is answered by {response.status}: {text[:200]}")
        return json.loads(text)
