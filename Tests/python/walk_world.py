"""A service with people and places for the walk of its whole API."""

from parse_client import op, pointer
from people import call, sign_up
from service import MASTER, Service
from walk import LAYER, Secret, Walker

PRIVATE_TO = '{"%s":{"read":true,"write":true}}'
LATE = {"__type": "Date", "iso": "2100-01-01T00:00:00.000Z"}
EARLY = {"__type": "Date", "iso": "2025-06-01T00:00:00.000Z"}


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
