"""Rules of classes over real HTTP: counters, uniqueness, owners, audiences, mutual matches."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from parse_client import op, pointer
from people import call, fresh, refusal, sign_up
from service import MASTER, Service


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    started = Service(tmp_path_factory.mktemp("rules") / "data")
    yield started
    assert started.stop() == 0


def rules(service, method, name, body=None):
    return service.request(method, f"/v1/collections/{name}/rules", body, MASTER)


def put(service, name, **members):
    answer = rules(service, "PUT", name, members)
    assert answer.status == 200, answer.body
    assert answer.json() == members
    return answer


def make(service, name, person=None, **fields):
    caller = person.call if person else lambda *a: call(service, *a, master=True)
    answer = caller("POST", f"/classes/{name}", fields)
    assert answer.status == 201, answer.body
    return answer.json()["objectId"]


def get(service, name, object_id):
    answer = call(service, "GET", f"/classes/{name}/{object_id}", master=True)
    assert answer.status == 200, answer.body
    return answer.json()


def delete(service, name, object_id):
    answer = call(service, "DELETE", f"/classes/{name}/{object_id}", master=True)
    assert answer.status == 200, answer.body


def found(service, name):
    return call(service, "GET", f"/classes/{name}", master=True, limit=1000).json()["results"]


@pytest.fixture
def posts(service):
    """A class whose objects count what points to them."""
    post, like = fresh("Post"), fresh("Like")
    put(service, post, count=[{"of": like, "by": "post", "into": "likes"}])
    return post, like


def test_only_the_operator_sets_rules(service, posts):
    path = f"/v1/collections/{posts[0]}/rules"
    for method, body in [("GET", None), ("PUT", {}), ("DELETE", None)]:
        assert service.request(method, path, body, {}).status == 401


def test_rules_are_shown_and_removed(service):
    name = fresh("Plain")
    assert rules(service, "GET", name).status == 404
    assert rules(service, "DELETE", name).status == 404
    put(service, name, owner="author")
    assert rules(service, "GET", name).json() == {"owner": "author"}
    assert rules(service, "DELETE", name).status == 204
    assert rules(service, "GET", name).status == 404


@pytest.mark.parametrize("members", [
    {"owner": "me"}, {"owner": "me", "mutual": {"to": "a", "creates": "M"}},
    {"owner": "me", "audience": {"field": "a", "values": {"x": {}}, "default": "x"}}])
def test_users_have_no_owner_and_no_audience(service, members):
    answer = rules(service, "PUT", "_User", members)
    assert answer.status == 400
    assert {error["field"] for error in answer.json()["errors"]} >= set(members)
    sign_up(service)


def test_a_refused_audience_shows_nothing(service):
    name = fresh("Secret")
    rows = "".join(f"a{n:04},1,2,{'bad' if n == 1199 else ''}\n" for n in range(1200))
    service.import_csv(name, "id,lon,lat,vis\n" + rows, acl="{}")
    answer = rules(service, "PUT", name, {"owner": "author", "audience": {
        "field": "vis", "default": "open", "values": {"open": {"public": True}}}})
    assert answer.status == 409 and "a1199" in answer.json()["detail"]
    shown = call(service, "GET", f"/classes/{name}", count=1, limit=0).json()
    assert shown["count"] == 0


def test_a_sync_that_rules_refuse_removes_nothing(service):
    name = fresh("Cafe")
    service.import_csv(name, "lon,lat,name\n1,1,a\n2,2,b\n")
    put(service, name, unique=[["name"]])
    report = service.import_csv(name, "lon,lat,name\n1,1,a\n2,2,b\n", sync="true")
    assert (report["added"], report["removed"], report["rejected"]) == (0, 0, 2)
    assert any("nothing was removed" in text for text in report["warnings"])
    assert len(found(service, name)) == 2


def test_nobody_bends_the_wish_of_another(service):
    wish, match = fresh("Wish"), fresh("Match")
    put(service, wish, owner="author", mutual={"to": "target", "creates": match})
    ann, bob, eve = sign_up(service), sign_up(service), sign_up(service)
    hers = make(service, wish, ann, target=bob.pointer)
    make(service, wish, eve, target=ann.pointer)
    path = f"/classes/{wish}/{hers}"
    assert call(service, "GET", f"/classes/{wish}").json()["results"] == []
    assert refusal(eve.call("PUT", path, {"target": eve.pointer})) == (404, 101)
    assert refusal(eve.call("DELETE", path)) == (404, 101)
    assert found(service, match) == []


@pytest.mark.parametrize("body,member", [
    ({"owner": "me", "mutual": {"to": "me", "creates": "M"}}, "mutual.to"),
    ({"count": [{"of": "A", "by": "b", "into": "expiresAt"}]}, "count[0].into"),
    ({"counts": []}, "counts"),
    ({"count": {}}, "count"),
    ({"count": [{"of": "A", "by": "b"}]}, "count[0].into"),
    ({"count": [{"of": "1", "by": "b", "into": "c"}]}, "count[0].of"),
    ({"count": [{"of": "A", "by": "ACL", "into": "c"}]}, "count[0].by"),
    ({"count": [{"of": "A", "by": "b", "into": "c", "if": 1}]}, "count[0].if"),
    ({"count": [{"of": "A", "by": "b", "into": "c"}] * 2}, "count[1].into"),
    ({"count": [{"of": "A", "by": "b", "into": "c", "sum": "missing"}]}, "count[0].sum"),
    ({"count": [{"of": "A", "by": "b", "into": "c"}] * 17}, "count"),
    ({"unique": ["a"]}, "unique[0]"), ({"unique": [[]]}, "unique[0]"),
    ({"unique": [["a", "a"]]}, "unique[0]"), ({"unique": [["missing"]]}, "unique[0]"),
    ({"count": [{"of": "A", "by": "b", "into": "c"}], "unique": [["c"]]}, "unique[0]"),
    ({"mutual": {"to": "a", "creates": "M"}}, "owner"),
    ({"owner": "me", "mutual": {"to": "a", "creates": "_User"}}, "mutual.creates"),
    ({"owner": "me", "audience": {"field": "a", "values": {}, "default": "x"}},
     "audience.values"),
    ({"owner": "me", "audience": {"field": "a", "values": {"x": {}}, "default": "y"}},
     "audience.default"),
    ({"owner": "me", "audience": {"field": "a", "values": {"x": {"role": 1}}, "default": "x"}},
     "audience.values.x.role"),
    ({"owner": "me", "audience": {"field": "a", "values": {"x": {"roles": []}},
                                  "default": "x"}}, "audience.values.x.roles"),
    *[({"owner": "me", "audience": {"field": "a", "values": {"x": {"roles": [role]}},
                                    "default": "x"}}, "audience.values.x.roles")
      for role in ("{owner}", "a{owner}b{owner}", "friends:{owner}", "", "x" * 129)],
])
def test_malformed_rules_are_refused_by_name(service, body, member):
    name = fresh("Bad")
    answer = rules(service, "PUT", name, body)
    assert answer.status == 400, answer.body
    assert member in [error["field"] for error in answer.json()["errors"]]
    assert rules(service, "GET", name).status == 404


def test_a_counter_follows_every_write(service, posts):
    post, like = posts
    a, b = make(service, post, title="a"), make(service, post, title="b")
    assert get(service, post, a)["likes"] == 0
    one = make(service, like, post=pointer(post, a))
    two = make(service, like, post=pointer(post, a))
    assert get(service, post, a)["likes"] == 2
    call(service, "PUT", f"/classes/{like}/{two}", {"post": pointer(post, b)}, master=True)
    assert (get(service, post, a)["likes"], get(service, post, b)["likes"]) == (1, 1)
    call(service, "PUT", f"/classes/{like}/{two}", {"post": op("Delete")}, master=True)
    assert get(service, post, b)["likes"] == 0
    delete(service, like, one)
    assert get(service, post, a)["likes"] == 0


def test_what_clients_send_for_a_counter_does_not_count(service, posts):
    post, like = posts
    made = call(service, "POST", f"/classes/{post}", {"likes": 7, "title": "x"}, master=True)
    name = made.json()["objectId"]
    assert get(service, post, name)["likes"] == 0
    make(service, like, post=pointer(post, name))
    for change in [{"likes": 9}, {"likes": op("Increment", amount=5)}, {"likes": op("Delete")}]:
        answer = call(service, "PUT", f"/classes/{post}/{name}", change, master=True)
        assert answer.status == 200
        assert answer.json().get("likes", 1) == 1
        assert get(service, post, name)["likes"] == 1


def test_an_object_that_comes_after_what_it_counts(service, posts):
    post, like = posts
    make(service, like, post=pointer(post, "later"))
    service.import_csv(post, "id,lon,lat,likes\nlater,1,2,50\n")
    assert get(service, post, "later")["likes"] == 1


def test_sums_are_of_whole_numbers(service):
    place, rating = fresh("Place"), fresh("Rating")
    call(service, "POST", f"/schemas/{rating}", {"fields": {"stars": {"type": "Number"}}},
         master=True)
    put(service, place, count=[
        {"of": rating, "by": "place", "into": "ratings"},
        {"of": rating, "by": "place", "into": "stars", "sum": "stars"}])
    one = make(service, place, title="x")
    for stars in (5, 4, 1):
        last = make(service, rating, place=pointer(place, one), stars=stars)
    make(service, rating, place=pointer(place, one))
    shown = get(service, place, one)
    assert (shown["ratings"], shown["stars"]) == (4, 10)
    refused = call(service, "POST", f"/classes/{rating}",
                   {"place": pointer(place, one), "stars": 4.5}, master=True)
    assert refusal(refused) == (400, 142)
    call(service, "PUT", f"/classes/{rating}/{last}", {"stars": 3}, master=True)
    assert get(service, place, one)["stars"] == 12 and get(service, place, one)["ratings"] == 4


def test_what_is_there_is_counted_when_rules_come(service):
    post, like = fresh("Post"), fresh("Like")
    ids = [make(service, post, likes=100 * n) for n in range(3)]
    counts = [0, 3, 1]
    for name, count in zip(ids, counts):
        for _ in range(count):
            make(service, like, post=pointer(post, name))
    put(service, post, count=[{"of": like, "by": "post", "into": "likes"}])
    assert [get(service, post, name)["likes"] for name in ids] == counts
    # Set anew and otherwise, all the same.
    put(service, post, owner="author", count=[{"of": like, "by": "post", "into": "likes"}])
    assert [get(service, post, name)["likes"] for name in ids] == counts
    assert rules(service, "DELETE", post).status == 204
    make(service, like, post=pointer(post, ids[0]))
    assert get(service, post, ids[0])["likes"] == 0


def test_counters_are_exact_among_many_writers(service, posts):
    post, like = posts
    ids = [make(service, post, title=str(n)) for n in range(4)]

    def write(seed):
        chance, mine = random.Random(seed), []
        for _ in range(40):
            if mine and chance.random() < 0.3:
                delete(service, like, mine.pop(chance.randrange(len(mine))))
            else:
                mine.append(make(service, like, post=pointer(post, chance.choice(ids))))

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(write, range(16)))
    true = {name: 0 for name in ids}
    for item in found(service, like):
        true[item["post"]["objectId"]] += 1
    assert {name: get(service, post, name)["likes"] for name in ids} == true


def test_a_transaction_that_fails_counts_nothing(service, posts):
    post, like = posts
    one = make(service, post, title="x")
    body = {"transaction": True, "requests": [
        {"method": "POST", "path": f"/parse/classes/{like}", "body": {"post": pointer(post, one)}},
        {"method": "PUT", "path": f"/parse/classes/{like}/missing", "body": {"a": 1}}]}
    assert call(service, "POST", "/batch", body, master=True).status != 200
    assert get(service, post, one)["likes"] == 0
    purge = call(service, "DELETE", f"/purge/{like}", master=True)
    assert purge.status == 200


def test_the_same_values_are_refused(service):
    post, like = fresh("Post"), fresh("Like")
    make(service, like, post=pointer(post, "p"), author=pointer("_User", "u"))
    put(service, like, unique=[["post", "author"]])
    again = {"author": pointer("_User", "u"), "post": pointer(post, "p")}
    assert refusal(call(service, "POST", f"/classes/{like}", again, master=True)) == (400, 137)
    other = make(service, like, post=pointer(post, "q"), author=pointer("_User", "u"))
    moved = call(service, "PUT", f"/classes/{like}/{other}", {"post": pointer(post, "p")},
                 master=True)
    assert refusal(moved) == (400, 137)
    assert get(service, like, other)["post"]["objectId"] == "q"
    # What lacks a value is unlike all others.
    make(service, like, post=pointer(post, "p"))
    make(service, like, post=pointer(post, "p"), author=None)
    first = [item for item in found(service, like)
             if item["post"]["objectId"] == "p" and item.get("author")][0]
    delete(service, like, first["objectId"])
    make(service, like, **again)


def test_rules_that_objects_do_not_keep_are_refused_and_the_former_hold(service):
    name = fresh("Twice")
    for _ in range(2):
        make(service, name, code=1)
    make(service, name, code=2, tag="t")
    put(service, name, unique=[["tag"]])
    answer = rules(service, "PUT", name, {"unique": [["code"]]})
    assert answer.status == 409, answer.body
    assert rules(service, "GET", name).json() == {"unique": [["tag"]]}
    make(service, name, code=1)
    assert refusal(call(service, "POST", f"/classes/{name}", {"tag": "t"}, master=True)) == (
        400, 137)


def test_rows_of_an_import_keep_the_rules(service):
    name = fresh("Rows")
    service.import_csv(name, "id,lon,lat,code\na,1,2,x\n")
    put(service, name, unique=[["code"]])
    report = service.request(
        "POST", f"/import/{name}", b"id,lon,lat,code\nb,1,2,x\nc,1,2,y\nd,1,2,y\n",
        {**MASTER, "Content-Type": "text/csv"}).json()
    assert (report["added"], report["rejected"]) == (1, 2), report
    assert sorted(item["objectId"] for item in found(service, name)) == ["a", "c"]


def test_an_owner_is_who_writes(service):
    name = fresh("Mine")
    put(service, name, owner="author")
    ann, bob = sign_up(service), sign_up(service)
    assert refusal(call(service, "POST", f"/classes/{name}", {"a": 1})) == (400, 206)
    made = ann.call("POST", f"/classes/{name}", {"a": 1}).json()
    assert made["author"] == ann.pointer
    forged = ann.call("POST", f"/classes/{name}", {"author": bob.pointer})
    assert refusal(forged) == (400, 119)
    given = ann.call("PUT", f"/classes/{name}/{made['objectId']}", {"author": bob.pointer})
    assert refusal(given) == (400, 119)
    assert ann.call("PUT", f"/classes/{name}/{made['objectId']}", {"a": 2}).status == 200


AUDIENCE = {
    "field": "shown", "default": "private", "values": {
        "public": {"public": True}, "friends": {"roles": ["friends-{owner}", "staff"]},
        "invited": {"users": "guests"}, "private": {}}}


def test_who_may_read_follows_from_a_field(service):
    name = fresh("Plan")
    ann, bob, cy = sign_up(service), sign_up(service), sign_up(service)
    old = make(service, name, author=ann.pointer)
    put(service, name, owner="author", audience=AUDIENCE)
    call(service, "POST", "/roles", {
        "name": f"friends-{ann.id}", "ACL": {},
        "users": op("AddRelation", bob.pointer)}, master=True)

    def readers(object_id):
        path = f"/classes/{name}/{object_id}"
        return [person is not None for person in (
            None if call(service, "GET", path).status == 404 else True,
            None if bob.call("GET", path).status == 404 else True,
            None if cy.call("GET", path).status == 404 else True)]

    assert get(service, name, old)["ACL"] == {ann.id: {"read": True, "write": True}}
    mine = make(service, name, ann, title="x", ACL={"*": {"read": True, "write": True}})
    assert readers(mine) == [False, False, False]
    for value, expected in [("public", [True, True, True]), ("friends", [False, True, False]),
                            ("invited", [False, False, True]), ("private", [False] * 3)]:
        answer = ann.call("PUT", f"/classes/{name}/{mine}",
                          {"shown": value, "guests": [cy.pointer]})
        assert answer.status == 200, answer.body
        assert readers(mine) == expected, value
        assert ann.call("GET", f"/classes/{name}/{mine}").status == 200
    assert refusal(bob.call("PUT", f"/classes/{name}/{mine}", {"shown": "public"})) == (404, 101)
    assert refusal(ann.call("PUT", f"/classes/{name}/{mine}", {"shown": "all"})) == (400, 142)


def test_two_who_name_each_other_share_one_object(service):
    wish, match = fresh("Wish"), fresh("Match")
    put(service, wish, owner="author", mutual={"to": "target", "creates": match})
    ann, bob = sign_up(service), sign_up(service)
    hers = make(service, wish, ann, target=bob.pointer)
    assert found(service, match) == []
    twice = ann.call("POST", f"/classes/{wish}", {"target": bob.pointer})
    assert refusal(twice) == (400, 137)
    his = make(service, wish, bob, target=ann.pointer)
    (made,) = found(service, match)
    assert {user["objectId"] for user in made["users"]} == {ann.id, bob.id}
    assert set(made["ACL"]) == {ann.id, bob.id}
    path = f"/classes/{match}/{made['objectId']}"
    assert call(service, "GET", path).status == 404 and bob.call("GET", path).status == 200
    # Nobody makes one by himself, or changes whose it is.
    assert refusal(ann.call("POST", f"/classes/{match}", {"users": [ann.pointer]})) == (400, 119)
    ann.call("PUT", path, {"users": [ann.pointer], "ACL": {"*": {"read": True}}, "note": "hi"})
    after = get(service, match, made["objectId"])
    assert (after["users"], after["ACL"], after["note"]) == (made["users"], made["ACL"], "hi")
    # Unmatched by one; it comes again when a wish is made anew, and not before.
    assert bob.call("DELETE", path).status == 200
    assert bob.call("PUT", f"/classes/{wish}/{his}", {"note": "x"}).status == 200
    assert found(service, match) == []
    delete(service, wish, hers)
    again = make(service, wish, ann, target=bob.pointer)
    assert len(found(service, match)) == 1
    delete(service, wish, again)
    assert found(service, match) == []


def test_matches_outlive_other_rules(service):
    wish, match = fresh("Wish"), fresh("Match")
    mutual = {"to": "target", "creates": match}
    put(service, wish, owner="author", mutual=mutual)
    ann, bob, cy = sign_up(service), sign_up(service), sign_up(service)
    hers = make(service, wish, ann, target=bob.pointer, note="a")
    make(service, wish, bob, target=ann.pointer, note="a")
    (kept,) = found(service, match)
    make(service, wish, ann, target=cy.pointer)
    make(service, wish, cy, target=ann.pointer)
    (parted,) = [item for item in found(service, match) if item != kept]
    assert cy.call("DELETE", f"/classes/{match}/{parted['objectId']}").status == 200
    # Rules that are taken, and rules that the notes refuse.
    put(service, wish, owner="author", mutual=mutual, unique=[["target", "note"]])
    refused = rules(service, "PUT", wish,
                    {"owner": "author", "mutual": mutual, "unique": [["note"]]})
    assert refused.status == 409, refused.body
    assert found(service, match) == [kept]
    # Nor is it made twice when the rules went, and came again.
    assert rules(service, "DELETE", wish).status == 204
    put(service, wish, owner="author", mutual=mutual)
    items = found(service, match)
    assert len(items) == 2 and kept in items
    delete(service, wish, hers)
    assert kept not in found(service, match)


def test_rules_that_are_refused_match_nobody(service):
    wish, match = fresh("Wish"), fresh("Match")
    ann, bob = sign_up(service), sign_up(service)
    for one, other in [(ann, bob), (bob, ann)]:
        make(service, wish, author=one.pointer, target=other.pointer, note="a")
    answer = rules(service, "PUT", wish, {
        "owner": "author", "mutual": {"to": "target", "creates": match}, "unique": [["note"]]})
    assert answer.status == 409, answer.body
    assert found(service, match) == []
    put(service, wish, owner="author", mutual={"to": "target", "creates": match})
    assert len(found(service, match)) == 1


def test_what_is_made_has_counters_of_its_own(service):
    wish, match, message = fresh("Wish"), fresh("Match"), fresh("Message")
    put(service, match, count=[{"of": message, "by": "match", "into": "messages"}])
    put(service, wish, owner="author", mutual={"to": "target", "creates": match})
    ann, bob = sign_up(service), sign_up(service)
    make(service, wish, ann, target=bob.pointer)
    make(service, wish, bob, target=ann.pointer)
    (made,) = found(service, match)
    assert made["messages"] == 0
    make(service, message, ann, match=pointer(match, made["objectId"]))
    assert get(service, match, made["objectId"])["messages"] == 1


def test_nobody_makes_the_role_that_reads_what_is_anothers(service):
    name = fresh("Plan")
    put(service, name, owner="author", audience={
        "field": "shown", "default": "private", "values": {
            "private": {}, "friends": {"roles": [f"{name}-{{owner}}", f"{name} staff"]}}})
    ann, mallory = sign_up(service), sign_up(service)

    def role(caller, title, **query):
        return caller("POST", "/roles", {
            "name": title, "ACL": {}, "users": op("AddRelation", mallory.pointer)}, **query)

    for title in (f"{name}-{ann.id}", f"{name} staff", f"{name}-"):
        assert refusal(role(mallory.call, title)) == (400, 119), title
        assert refusal(role(lambda *a: call(service, *a), title)) == (400, 119), title
    own = mallory.call("POST", "/roles", {
        "name": f"{name}-{mallory.id}", "ACL": {mallory.id: {"read": True, "write": True}}})
    assert own.status == 201, own.body
    renamed = mallory.call("PUT", f"/roles/{own.json()['objectId']}", {"name": f"{name}-{ann.id}"})
    assert refusal(renamed) == (400, 119)
    plan = make(service, name, ann, shown="friends")
    assert refusal(mallory.call("GET", f"/classes/{name}/{plan}")) == (404, 101)
    assert role(mallory.call, f"another {name}").status == 201
    assert role(lambda *a: call(service, *a, master=True), f"{name} staff").status == 201
    assert mallory.call("GET", f"/classes/{name}/{plan}").status == 200


def test_matches_are_made_once_among_many(service):
    wish, match = fresh("Wish"), fresh("Match")
    put(service, wish, owner="author", mutual={"to": "target", "creates": match, "users": "pair"})
    people = [sign_up(service) for _ in range(6)]
    pairs = [(a, b) for a in people for b in people if a is not b]
    random.Random(4).shuffle(pairs)
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda p: make(service, wish, p[0], target=p[1].pointer), pairs))
    assert len(found(service, match)) == 15
    assert len({tuple(u["objectId"] for u in item["pair"]) for item in found(service, match)}) == 15


def test_a_field_that_rules_need_stays(service, posts):
    post, like = posts
    make(service, like, post=pointer(post, "x"), note="n")
    for name, field in [(post, "likes"), (like, "post")]:
        answer = call(service, "PUT", f"/schemas/{name}",
                      {"fields": {field: {"__op": "Delete"}}}, master=True)
        assert refusal(answer) == (400, 255)
    assert call(service, "PUT", f"/schemas/{like}", {"fields": {"note": {"__op": "Delete"}}},
                master=True).status == 200


def test_rules_and_counters_outlive_the_process(tmp_path):
    data = tmp_path / "data"
    service = Service(data)
    put(service, "Post", count=[{"of": "Like", "by": "post", "into": "likes"}])
    post = make(service, "Post", title="x")
    done = []

    def like(seed):
        try:
            while True:
                done.append(make(service, "Like", post=pointer("Post", post)))
        except (AssertionError, OSError):
            pass

    with ThreadPoolExecutor(8) as pool:
        running = [pool.submit(like, n) for n in range(8)]
        while len(done) < 100:
            pass
        service.kill()
        for future in running:
            future.result()
    service = Service(data)
    likes = {item["objectId"] for item in found(service, "Like")}
    assert set(done) <= likes
    count = call(service, "GET", "/classes/Like", master=True, count=1, limit=0).json()["count"]
    assert get(service, "Post", post)["likes"] == count
    make(service, "Like", post=pointer("Post", post))
    assert get(service, "Post", post)["likes"] == count + 1
    assert service.stop() == 0
