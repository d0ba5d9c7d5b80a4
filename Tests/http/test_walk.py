"""Every question that the OpenAPI document knows, asked by all who may not read an object: they get
the same bytes, tags, orders, counts and errors whether it is there or not."""

import pytest

from clusters import cell_key, cell_level, project
from service import Service, place
from walk import HOST, LAYER, Recipes, Secret, differences, told
from walk_world import World

#: Who may read none of it: nobody in particular, a friend with a session, and one with a token.
OUTSIDERS = ["nobody", "friend", "friend's token"]


@pytest.fixture(autouse=True)
def quick_accounts(settings):
    settings(GEOSERVICE_PASSWORD_MEMORY_MB="8", GEOSERVICE_LOGINS_PER_ACCOUNT="off",
             GEOSERVICE_LOGINS_PER_ADDRESS="off")


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
            # One with a token is asked for whatever one with a session is.
            if name not in before or name == "friend's token" and not thorough:
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
