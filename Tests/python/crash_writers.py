"""Writers to a server that is killed under them, and what each of them knows afterwards."""

import http.client
import json
import random
import threading
from dataclasses import dataclass, field

from parse_client import op, pointer
from service import CLIENT, ask, place

#: What a writer sees of a server that has gone.
GONE = (OSError, http.client.HTTPException)

LAYER, TALLY, COUNTER, ACCOUNT, BOARD = "Crash", "Tally", "Counter", "Account", "Board"
DELETED = None


@dataclass
class Known:
    """An object by what was acknowledged, and by what was sent and not answered."""

    id: str
    state: dict | None
    #: Another state that it may be in; missing when nothing is open.
    open: list = field(default_factory=list)

    def may_be(self, state):
        return state == self.state or state in self.open


@dataclass
class Ledger:
    """What all writers know together, over all kills of one store."""

    objects: dict = field(default_factory=dict)
    #: Creates without an answer: the state by the serial.
    unanswered: dict = field(default_factory=dict)
    #: How many objects each transaction's group must have: 0 or all of them.
    groups: dict = field(default_factory=dict)
    open_groups: set = field(default_factory=set)
    counted: int = 0
    tried: int = 0
    #: Requests with an id of their own: whether each was answered.
    tallied: dict = field(default_factory=dict)
    #: Members of the board, and those that may be.
    related: set = field(default_factory=set)
    open_relations: set = field(default_factory=set)
    surprises: list = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def acknowledged(self):
        return (len(self.objects) + sum(self.tallied.values()) + self.counted
                + len(self.groups) + len(self.related))


GROUP_SIZE = 3


def state_of(item):
    """What is compared of an object, as it is in the store."""
    return {"n": item["n"], "place": item["location"], "acl": item["ACL"]}


class Surprise(Exception):
    """An answer that nobody expects; what it is stands in the ledger."""


class Writer(threading.Thread):
    """Writes until the server has gone. Its own objects are nobody else's, so that it knows them."""

    def __init__(self, service, ledger, fixed, person, seed):
        super().__init__(daemon=True)
        self.connection = service.connect()
        self.ledger, self.fixed, self.person = ledger, fixed, person
        self.headers = {**CLIENT, "X-Parse-Session-Token": person.token}
        self.name, self.generator = seed, random.Random(seed)
        self.mine, self.count = [], 0

    def run(self):
        steps = [self.create, self.change, self.delete, self.transact, self.fail, self.tally,
                 self.increment, self.relate, self.batch]
        weights = [30, 25, 8, 10, 3, 15, 5, 6, 4]
        try:
            while True:
                self.count += 1
                self.generator.choices(steps, weights)[0]()
        except (*GONE, Surprise):
            pass
        finally:
            self.connection.close()

    def send(self, method, path, body, status, headers=None):
        answer = ask(self.connection, method, f"/parse{path}", body, {**self.headers, **(headers or {})})
        if answer.status not in status:
            self.ledger.surprises.append((method, path, answer.status, answer.body))
            raise Surprise
        return answer.json()

    def serial(self):
        return f"{self.name}-{self.count}"

    def place(self):
        lon = self.generator.uniform(-180.2, -179.8) if self.generator.random() < 0.2 else (
            self.generator.gauss(13.4, 0.1))
        return place(round(lon + 360 if lon < -180 else lon, 6),
                     round(self.generator.gauss(52.5, 0.1), 6))

    def new(self):
        reader = self.person.id if self.generator.random() < 0.25 else "*"
        return {"n": 0, "place": self.place(), "acl": {reader: {"read": True, "write": True}}}

    def body(self, state, **more):
        return {"n": state["n"], "location": state["place"], "ACL": state["acl"],
                "counter": pointer(COUNTER, self.fixed[COUNTER]), **more}

    # MARK: What is written

    def create(self):
        serial, state = self.serial(), self.new()
        self.ledger.unanswered[serial] = state
        made = self.send("POST", f"/classes/{LAYER}", self.body(state, serial=serial), [201])
        self.ledger.objects[serial] = Known(made["objectId"], state)
        del self.ledger.unanswered[serial]
        self.mine.append(serial)

    def change(self):
        """A step of its counter, and now and then another place."""
        if not self.mine:
            return self.create()
        known = self.ledger.objects[self.generator.choice(self.mine)]
        body, after = {"n": op("Increment", amount=1)}, {**known.state, "n": known.state["n"] + 1}
        if self.generator.random() < 0.5:
            body["location"] = after["place"] = self.place()
        known.open.append(after)
        answer = self.send("PUT", f"/classes/{LAYER}/{known.id}", body, [200])
        if answer.get("n") != after["n"]:
            self.ledger.surprises.append((known.id, answer, after))
        known.state, known.open = after, []

    def delete(self):
        if len(self.mine) < 3:
            return self.create()
        serial = self.mine.pop(self.generator.randrange(len(self.mine)))
        known = self.ledger.objects[serial]
        known.open.append(DELETED)
        self.send("DELETE", f"/classes/{LAYER}/{known.id}", None, [200])
        known.state, known.open = DELETED, []

    def parts(self, group):
        return [{"method": "POST", "path": f"/parse/classes/{LAYER}",
                 "body": self.body(self.new(), group=group)} for _ in range(GROUP_SIZE)]

    def transfer(self):
        """What one account gives another: the sum of all stays."""
        giver, taker = self.generator.sample(self.fixed[ACCOUNT], 2)
        amount = self.generator.randrange(1, 100)
        return [{"method": "PUT", "path": f"/parse/classes/{ACCOUNT}/{account}",
                 "body": {"n": op("Increment", amount=change)}}
                for account, change in ((giver, -amount), (taker, amount))]

    def transact(self):
        group = self.serial()
        self.ledger.open_groups.add(group)
        one, other = self.transfer()
        self.send("POST", "/batch", {
            "requests": [one, *self.parts(group), other], "transaction": True}, [200])
        self.ledger.groups[group] = GROUP_SIZE
        self.ledger.open_groups.discard(group)

    def batch(self):
        """A batch without a transaction is one commit as well."""
        group = self.serial()
        self.ledger.open_groups.add(group)
        self.send("POST", "/batch", {"requests": self.parts(group)}, [200])
        self.ledger.groups[group] = GROUP_SIZE
        self.ledger.open_groups.discard(group)

    def fail(self):
        """A transaction of which one part fails leaves nothing."""
        group = self.serial()
        self.ledger.groups[group] = 0
        missing = {"method": "DELETE", "path": f"/parse/classes/{LAYER}/missing"}
        self.send("POST", "/batch", {
            "requests": [self.transfer()[0], *self.parts(group), missing],
            "transaction": True}, [400])

    def tally(self):
        request = self.serial()
        self.ledger.tallied[request] = False
        tally(self.send, self.fixed[TALLY], request, [200])
        self.ledger.tallied[request] = True

    def increment(self):
        with self.ledger.lock:
            self.ledger.tried += 1
        self.send("PUT", f"/classes/{COUNTER}/{self.fixed[COUNTER]}", {
            "n": op("Increment", amount=1)}, [200])
        with self.ledger.lock:
            self.ledger.counted += 1

    def relate(self):
        if not self.mine:
            return self.create()
        serial = self.generator.choice(self.mine)
        self.ledger.open_relations.add(serial)
        self.send("PUT", f"/classes/{BOARD}/{self.fixed[BOARD]}", {"members": op(
            "AddRelation", pointer(LAYER, self.ledger.objects[serial].id))}, [200])
        self.ledger.related.add(serial)


def tally(send, object_id, request, status):
    """One step of the counter that counts each request once."""
    return send("PUT", f"/classes/{TALLY}/{object_id}", {"n": op("Increment", amount=1)},
                status, {"X-Parse-Request-Id": request})


def everything(service, class_name, headers, **where):
    """All objects of a class that a caller may read, in the order of their ids."""
    found, last = [], ""
    while True:
        condition = {**where, "objectId": {"$gt": last}} if last else where
        answer = service.get(
            f"/parse/classes/{class_name}", headers, limit=5000, order="objectId",
            where=json.dumps(condition))
        assert answer.status == 200, answer.body
        page = answer.json()["results"]
        found += page
        if len(page) < 5000:
            return found
        last = page[-1]["objectId"]
