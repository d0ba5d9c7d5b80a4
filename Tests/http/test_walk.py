"""Every question that the OpenAPI document knows, asked by all who may not read an object: they get
the same bytes, tags, orders, counts and errors whether it is there or not."""

import json

import pytest

from clusters import cell_key, cell_level, project
from parse_client import op, pointer
from people import Person, call, sign_up
from service import CLIENT, MASTER, Service, place
from walk import HOST, LAYER, Recipes, Secret, Walker, differences, told

PRIVATE_TO = '{"%s":{"read":true,"write":true}}'
LATE = {"__type": "Date", "iso": "2100-01-01T00:00:00.000Z"}
EARLY = {"__type": "Date", "iso": "2025-06-01T00:00:00.000Z"}

#: Who may read none of it: nobody in particular, a friend with a session, and one with a token.
OUTSIDERS = ["nobody", "friend", "friend's token"]


@pytest.fixture(autouse=True)
def quick_accounts(settings):
    settings(GEOSERVICE_PASSWORD_MEMORY_MB="8", GEOSERVICE_LOGINS_PER_ACCOUNT="off",
             GEOSERVICE_LOGINS_PER_ADDRESS="off")


class World:
    """What everybody sees, and people: an owner, a member of a role, a friend without rights."""

    def __init__(self, data):
        self.service = service = Service(data)
        rows = [f"m{n},{13.405 + n * n / 4000},{52.52 - n / 500},{['event', 'photo'][n % 2]},"
                f"{n},{1 + n % 3},Title {n}" for n in range(30)]
        self.put_in(LAYER, ["id,lon,lat,kind,rank,weight,title", *rows])
        self.put_in("Comment", ["id,lon,lat,text", "c1,1,1,One", "c2,2,2,Title 3", "c3,3,3,hm"])
        self.put_in("Board", ["id,lon,lat,text", "b1,5,5,All", "b2,6,6,None"])
        # Names of classes, fields and layers are no secret: the first object tells them.
        fields = {Secret.field: {"type": "String"}, "tags": {"type": "Array"},
                  "friends": {"type": "Relation", "targetClass": LAYER},
                  "likers": {"type": "Relation", "targetClass": "_User"}}
        assert call(service, "PUT", f"/schemas/{LAYER}", {"fields": fields}, master=True).status == 200
        self.put_in("Note", [f"id,lon,lat,kind,rank,weight,title,{Secret.field}", "n0,1,1,a,1,1,b,c"])
        call(service, "DELETE", "/classes/Note/n0", master=True)
        self.ann, self.bob, self.carol = (
            sign_up(service, name) for name in ("ann", "bob", "carol"))
        sign_up(service, "dora")
        self.role = call(service, "POST", "/roles", {
            "name": "crew", "ACL": {"*": {"read": True}},
            "users": op("AddRelation", self.bob.pointer)}, master=True).json()["objectId"]
        self.change(LAYER, "m1", author=self.ann.pointer, tags=["tag"], link=pointer("Comment", "c1"))
        for number in range(30):
            self.change(LAYER, f"m{number}", when=LATE if number % 3 else EARLY)
        settings = {"time": "when", "owner": "author", "aggregates": [
            {"field": "rank", "op": operation} for operation in ("sum", "min", "max")]}
        assert service.request("PUT", f"/v1/collections/{LAYER}", settings, MASTER).status == 200
        # What points to the hidden places is there before them.
        self.change("Comment", "c1", link=pointer(LAYER, Secret.id), links=[
            pointer(LAYER, "m1"), pointer(LAYER, Secret.id), pointer(LAYER, "m2")])
        self.change("Comment", "c2", link=pointer(LAYER, "m3"), links=[])
        self.change("Board", "b1", members=op(
            "AddRelation", pointer(LAYER, "m1"), pointer(LAYER, Secret.id)))

    def put_in(self, layer, lines, **options):
        report = self.service.import_csv(layer, "\n".join(lines) + "\n", id="id", **options)
        assert report["added"] == len(lines) - 1, report

    def change(self, class_name, object_id, person=None, **fields):
        path = f"/classes/{class_name}/{object_id}"
        answer = person.call("PUT", path, fields) if person else call(
            self.service, "PUT", path, fields, master=True)
        assert answer.status == 200, answer.body

    def hide(self, secret):
        """Makes what is hidden."""
        lon, lat = secret.position
        head = f"id,lon,lat,kind,rank,weight,title,{secret.field}"
        rows = [f"{name},{lon},{lat},{secret.kind},12.5,500,hush title,hush text"
                for lon, lat, name in (
                    (lon, lat, "hushP1"), (lon + 1e-4, lat, "hushP2"), (13.405, 52.52, "hushP3"))]
        acl = PRIVATE_TO % self.ann.id
        self.put_in(LAYER, [head, *rows], acl=acl)
        self.put_in("Note", [head, rows[0].replace("hushP1", "hushN1")], acl=acl)
        for name in ("hushP1", "hushP2", "hushP3"):
            self.change(LAYER, name, when=LATE, author=self.ann.pointer, tags=["hush tag"],
                        likers=op("AddRelation", self.carol.pointer),
                        friends=op("AddRelation", pointer(LAYER, "m1")))
        made = sign_up(self.service, secret.username, "hush hush", email=secret.email, ACL={})
        secret.users = [made.id]
        secret.sessions = [made.call("GET", "/sessions/me").json()["objectId"]]
        role = call(self.service, "POST", "/roles", {
            "name": "hushrole", "ACL": {}, "users": op("AddRelation", made.pointer)}, master=True)
        secret.roles = [role.json()["objectId"]]

    def unhide(self, secret):
        for name, one in (*((LAYER, f"hushP{n}") for n in (1, 2, 3)), ("Note", "hushN1"),
                          ("_Role", secret.roles[0]), ("_User", secret.users[0])):
            answer = call(self.service, "DELETE", f"/classes/{name}/{one}", master=True)
            assert answer.status == 200, answer.body

    def walkers(self):
        token = self.service.request("POST", "/v1/map-token", None, {
            "X-Parse-Session-Token": self.carol.token}).json()["token"]
        return {
            "nobody": Walker("nobody"), "friend": Walker("friend", self.carol.token),
            "friend's token": Walker("friend's token", map_token=token),
            "owner": Walker("owner", self.ann.token), "member": Walker("member", self.bob.token)}


def look_ahead(data):
    """What the owner comes to see, found out beside a twin of the service."""
    world, secret = World(data), Secret()
    world.hide(secret)
    service, session = world.service, {"X-Parse-Session-Token": world.ann.token}

    def cursor(answer):
        links = [link["href"] for link in answer.json()["links"] if link["rel"] == "next"]
        return links[0].split("cursor=")[1].split("&")[0]

    lon, lat = secret.position
    secret.near_cursor = cursor(service.get(f"/near/{LAYER}", session, lon=lon, lat=lat, limit=1))
    secret.within_cursor = cursor(service.get(
        f"/within/{LAYER}", session, bbox="-180,-90,180,90", limit=1))
    secret.area_cursor = cursor(service.request(
        "POST", f"/within/{LAYER}?limit=1", secret.area, session))
    spots = service.get(f"/hotspots/{LAYER}", session, bbox="13,52,14,53", zoom=12, limit=100)
    secret.hotspots = [spot["id"] for spot in spots.json()["features"]][:3]
    for zoom in (0, 3, 9, 16):
        level = cell_level(zoom, 40)
        secret.clusters.append(4 ** level + cell_key(*project(*secret.position), level))
        bbox = "-180,-90,180,90"
        secret.clusters += [
            feature["id"] for feature in service.get(
                f"/clusters/{LAYER}", session, bbox=bbox, zoom=zoom).json()["features"]
            if feature["properties"].get("cluster")][:3]
    secret.clusters = list(dict.fromkeys(secret.clusters))
    assert secret.hotspots and service.stop() == 0
    secret.users, secret.roles, secret.sessions = ["nobody0001"], ["nobody0002"], ["nobody0003"]
    return secret


def test_nobody_else_can_tell_that_a_private_object_is_there(tmp_path):
    secret = look_ahead(tmp_path / "twin")
    world = World(tmp_path / "data")
    walkers = world.walkers()

    def walk(name, thorough=False):
        document = world.service.get("/v1/api", HOST).json()
        return walkers[name].walk(
            world.service, Recipes(secret), document, thorough, probing=name in OUTSIDERS)

    def compare(title, thorough=False):
        for name in OUTSIDERS:
            if name not in before:
                continue
            found = walk(name, thorough)
            other = differences(before[name], found)
            if other:
                pytest.fail(f"{title}: {len(other)} answers to {name} tell of it\n{told(other)}")
            for question, (_, fields, body) in found.items():
                for text in (b"hush title", b"hush text", b"hush tag", b"hushuser", b"hushrole",
                             b"hush@"):
                    assert text not in body and text.decode() not in str(fields), (question, body)

    before = {name: walk(name, True) for name in OUTSIDERS}
    readers = {name: walk(name) for name in ("owner", "member")}
    world.hide(secret)
    compare("it is there", thorough=True)
    seen = differences(readers["owner"], walk("owner"))
    assert len(seen) > 300, "the owner's answers tell of it"
    assert not differences(readers["member"], walk("member"))
    world.change(LAYER, secret.id, world.ann, location=place(13.41, 52.51), rank=3, weight=1)
    compare("it moved")
    world.change(LAYER, secret.id, world.ann, ACL={
        world.ann.id: {"read": True, "write": True}, "role:crew": {"read": True}})
    compare("others may read it")
    seen = differences(readers["member"], walk("member"))
    assert len(seen) > 200, "the member's answers tell of it"
    world.change(LAYER, secret.id, world.ann, locationAccuracy=5000)
    compare("it is shown coarsely to the others")
    world.change(LAYER, secret.id, world.ann, location=place(-70, -33), kind="event")
    compare("it moved far away")
    world.change(LAYER, "hushP2", world.ann, ACL={"*": {"read": True}, world.ann.id: {
        "read": True, "write": True}})
    assert differences(before["nobody"], walk("nobody")), "now everybody sees it"
    world.change(LAYER, "hushP2", world.ann, ACL={world.ann.id: {"read": True, "write": True}})
    compare("it was open for a moment")
    assert world.service.stop() == 0
    world.service = Service(tmp_path / "data")
    # Tokens for addresses end with the process.
    del before["friend's token"]
    compare("after a restart")
    world.unhide(secret)
    compare("it is gone", thorough=True)
    assert world.service.stop() == 0


def test_an_operation_without_a_recipe_fails_the_walk(tmp_path):
    secret = Secret()
    secret.near_cursor = secret.within_cursor = secret.area_cursor = "x"
    for document in (
            {"paths": {"/new/{thing}": {"get": {"parameters": []}}}},
            {"paths": {"/near/{layer}": {"get": {"parameters": [{"name": "new", "in": "query"}]}}}},
            {"paths": {"/new": {"post": {}}}}):
        with pytest.raises(AssertionError, match="no recipe"):
            list(Recipes(secret).questions(document))
