"""The Parse surface of a running service: short forms of what tests ask again and again."""

import re

from service import CLIENT, MASTER

#: The one form of times: three digits of a second's fraction, and Z.
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def pointer(class_name, object_id):
    return {"__type": "Pointer", "className": class_name, "objectId": object_id}


def op(name, *objects, **members):
    """An operation: `op("Add", 1, 2)` or `op("Increment", amount=1)`."""
    if objects or name in ("Add", "AddUnique", "Remove", "AddRelation", "RemoveRelation"):
        members.setdefault("objects", list(objects))
    return {"__op": name, **members}


class Parse:
    """Calls below the mount, by a client or, with `master=True`, by the operator."""

    def __init__(self, service):
        self.service = service

    def call(self, method, path, body=None, master=False, **query):
        return self.service.request(
            method, f"/parse{path}", body, MASTER if master else CLIENT, query)

    def create(self, class_name, master=False, **fields):
        """Makes an object and gives the whole answer's body."""
        answer = self.call("POST", f"/classes/{class_name}", fields, master)
        assert answer.status == 201, answer.body
        return answer.json()

    def make(self, class_name, master=False, **fields):
        """Makes an object and gives its id."""
        return self.create(class_name, master, **fields)["objectId"]

    def update(self, class_name, object_id, master=False, **fields):
        answer = self.call("PUT", f"/classes/{class_name}/{object_id}", fields, master)
        assert answer.status == 200, answer.body
        return answer.json()

    def get(self, class_name, object_id, master=False, **query):
        answer = self.call("GET", f"/classes/{class_name}/{object_id}", None, master, **query)
        assert answer.status == 200, answer.body
        return answer.json()

    def refusal(self, method, path, body=None, master=False, **query):
        """What a refused call gives: status, code and text."""
        answer = self.call(method, path, body, master, **query)
        error = answer.json()
        assert set(error) == {"code", "error"}, answer.body
        return answer.status, error["code"], error["error"]

    def batch(self, *requests, transaction=None):
        """A batch of (method, path below the mount, body)."""
        body = {"requests": [
            {"method": method, "path": f"/parse{path}", "body": content}
            for method, path, content in requests]}
        if transaction is not None:
            body["transaction"] = transaction
        return self.call("POST", "/batch", body)
