"""Cases of the Parse surface as data: `Tests/cases/*.json`, told of in `Tests/cases/README.md`.

    python3 Tests/python/cases.py

writes the tables of that file anew.
"""

import itertools
import json
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "cases"

#: What stands in an expected answer for a value that nobody knows beforehand.
PATTERNS = {
    "<time>": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "<id>": r"[A-Za-z0-9]{10}",
    "<token>": r"r:[0-9a-f]{32}", "<text>": r"(?s).+",
}
MEMBERS = {"area", "settings", "cases"}
CASE_MEMBERS = {"row", "need", "section", "steps"}
STEP_MEMBERS = {
    "people": {"people", "fields"},
    "make": {"make", "objects", "as"},
    "many": {"many", "count"},
    "find": {"find", "query", "as", "found", "ordered", "count"},
    "do": {"do", "as", "headers", "query", "send", "raw", "status", "code", "is", "has", "keep",
           "answers", "text"},
}
#: What follows it in the README is made.
HEADING = "## Rows"
_numbers = itertools.count(1)


def areas():
    """Every file by its area's name."""
    found = {}
    for file in sorted(FOLDER.glob("*.json")):
        content = json.loads(file.read_text())
        assert set(content) <= MEMBERS and content["area"] == file.stem, file
        for case in content["cases"]:
            assert set(case) == CASE_MEMBERS, (file, case.get("row"))
            assert case["need"] in ("must", "should") and case["steps"], case["row"]
        found[file.stem] = content
    return found


def table():
    """The README: its text as it is, and which case is of which row."""
    text = (FOLDER / "README.md").read_text()
    lines = [text[:text.index(HEADING)] + HEADING]
    for area, content in areas().items():
        lines += ["", f"### {area}", "", "| § | need | row | case |", "|---|---|---|---|"]
        for number, case in enumerate(content["cases"], 1):
            row = case["row"].replace("|", "\\|")
            lines.append(f"| {case['section']} | {case['need']} | {row} | `{area}-{number}` |")
    return "\n".join(lines) + "\n"


class Run:
    """One case on a running service. Its classes and people are nobody else's."""

    def __init__(self, service, keys):
        self.service, self.keys = service, keys
        self.number = next(_numbers)
        self.values, self.tokens, self.labels = {}, {}, {}

    # MARK: Values

    def filled(self, value):
        """`#Name` is a class of this case, `$label` what a step before made or kept."""
        if isinstance(value, dict):
            return {self.filled(key): self.filled(member) for key, member in value.items()}
        if isinstance(value, list):
            return [self.filled(member) for member in value]
        if not isinstance(value, str):
            return value
        value = re.sub(r"#([A-Z]\w*)", lambda found: f"{found[1]}{self.number}", value)
        if value.startswith("$") and value[1:] in self.values:
            return self.values[value[1:]]
        return re.sub(
            r"\$([a-z][\w.]*\w|[a-z])",
            lambda found: str(self.values[found[1]]) if found[1] in self.values else found[0], value)

    def headers(self, who):
        if who == "bare":
            return {}
        keys = dict(self.keys["master" if who == "master" else "client"])
        if who in self.tokens:
            keys["X-Parse-Session-Token"] = self.tokens[who]
        else:
            assert who in (None, "master"), who
        return keys

    # MARK: Steps

    def step(self, step):
        kind = next(iter(step))
        assert set(step) <= STEP_MEMBERS[kind], step
        getattr(self, kind)(step)

    def people(self, step):
        for name in step["people"]:
            fields = self.filled(step.get("fields", {}))
            username = f"{name}{self.number}"
            answer = self.service.request("POST", "/parse/users", {
                "username": username, "password": f"pw-{name}",
                "email": f"{username}@example.org", **fields}, self.keys["client"])
            assert answer.status == 201, answer.body
            self.tokens[name] = answer.json()["sessionToken"]
            self.note(name, "_User", answer.json()["objectId"])
            self.values |= {f"{name}.token": self.tokens[name], f"{name}.name": username,
                            f"{name}.email": f"{username}@example.org"}

    def note(self, label, class_name, object_id):
        self.values[label] = object_id
        self.labels[object_id] = label
        self.values[f"{label}.pointer"] = {
            "__type": "Pointer", "className": class_name, "objectId": object_id}

    def make(self, step):
        class_name = self.filled(step["make"])
        for label, fields in step["objects"].items():
            answer = self.service.request(
                "POST", f"/parse/classes/{class_name}", self.filled(fields),
                self.headers(step.get("as")))
            assert answer.status == 201, answer.body
            self.note(label, class_name, answer.json()["objectId"])

    def many(self, step):
        """So many objects in one batch, with `n` from 0 on."""
        path = f"/parse/classes/{self.filled(step['many'])}"
        answer = self.service.request("POST", "/parse/batch", {"requests": [
            {"method": "POST", "path": path, "body": {"n": number}}
            for number in range(step["count"])]}, self.headers(None))
        assert all("success" in part for part in answer.json()), answer.body

    def find(self, step):
        query = {key: value if isinstance(value, str) else json.dumps(value)
                 for key, value in self.filled(step.get("query", {})).items()}
        answer = self.service.request(
            "GET", f"/parse/classes/{self.filled(step['find'])}", None,
            self.headers(step.get("as")), query)
        assert answer.status == 200, answer.body
        body = answer.json()
        found = [self.labels.get(item["objectId"]) for item in body["results"]]
        if step.get("ordered"):
            assert found == step["found"], (found, step)
        else:
            assert sorted(map(str, found)) == sorted(step["found"]), (found, step)
        if "count" in step:
            assert body["count"] == step["count"]

    def do(self, step):
        method, path = self.filled(step["do"]).split(" ", 1)
        query = {key: value if isinstance(value, str) else json.dumps(value)
                 for key, value in self.filled(step.get("query", {})).items()}
        body = step["raw"].encode() if "raw" in step else self.filled(step.get("send"))
        headers = {**self.headers(step.get("as")), **self.filled(step.get("headers", {}))}
        answer = self.service.request(method, f"/parse{path}", body, headers, query)
        assert answer.status == step.get("status", 400 if "code" in step else 200), (
            step["do"], answer.status, answer.body)
        if "text" in step:
            assert answer.body.decode() == step["text"]
        for name, value in step.get("answers", {}).items():
            wanted = ".*".join(map(re.escape, self.filled(value).split("<...>")))
            assert re.fullmatch(wanted, answer.headers[name] or ""), (name, answer.headers[name])
        found = answer.json() if answer.body else None
        if "code" in step:
            assert found.get("code") == step["code"] and found["error"], answer.body
        if "is" in step:
            self.match(found, self.filled(step["is"]), step, exactly=True)
        if "has" in step:
            self.match(found, self.filled(step["has"]), step, exactly=False)
        for label, member in step.get("keep", {}).items():
            self.values[label] = found[member]
            if member == "objectId":
                self.note(label, path.strip("/").split("/")[-1], found[member])
            if member == "sessionToken":
                self.tokens[label] = found[member]

    def match(self, found, wanted, step, exactly, place="answer"):
        """An object has the members that are wanted; with `exactly`, and no others."""
        what = (step, place, found, wanted)
        if isinstance(wanted, str) and wanted in PATTERNS:
            assert isinstance(found, str) and re.fullmatch(PATTERNS[wanted], found), what
        elif wanted == "<any>":
            pass
        elif isinstance(wanted, dict):
            assert isinstance(found, dict), what
            absent = {key for key, value in wanted.items() if value == "<none>"}
            assert not absent & set(found), what
            for key, value in wanted.items():
                if key not in absent:
                    assert key in found, (*what, key)
                    self.match(found[key], value, step, exactly, f"{place}.{key}")
            assert not exactly or set(found) == set(wanted) - absent, what
        elif isinstance(wanted, list):
            assert isinstance(found, list) and len(found) == len(wanted), what
            for number, (one, other) in enumerate(zip(found, wanted)):
                self.match(one, other, step, exactly, f"{place}.{number}")
        else:
            assert found == wanted and type(found) is type(wanted) or (
                found == wanted and not isinstance(found, bool)), what


if __name__ == "__main__":
    (FOLDER / "README.md").write_text(table())
