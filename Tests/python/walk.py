"""All questions that the OpenAPI document knows, asked as one viewer: what an answer is made of."""

import gzip
import json
import re

from clusters import project
from parse_client import pointer
from service import CLIENT, ask, place

#: Links are made from it, so that a restart on another port changes no answer.
HOST = {"Host": "localhost:8080"}
LAYER = "Meet"
WORLD = "-180,-90,180,90"

#: Operations that change something. What they answer to those who may not is asked by `PROBES`.
CHANGING = {
    "PUT /v1/collections/{layer}", "DELETE /v1/collections/{layer}", "POST /v1/map-token",
    "POST /hotspots/{layer}/{id}/pin", "POST /import/{layer}",
    "PUT /parse/classes/{class}/{id}", "DELETE /parse/classes/{class}/{id}",
    "PUT /parse/config", "POST /parse/events/{event}",
    "POST /parse/installations", "PUT /parse/installations/{id}", "DELETE /parse/installations/{id}",
    "POST /parse/files/{name}", "DELETE /parse/files/{name}", "DELETE /parse/purge/{class}", "POST /parse/schemas", "POST /parse/schemas/{class}",
    "PUT /parse/schemas/{class}", "DELETE /parse/schemas/{class}",
    "POST /parse/users", "PUT /parse/users/{id}", "DELETE /parse/users/{id}", "POST /parse/logout",
    "POST /parse/loginAs", "POST /parse/requestPasswordReset",
    "POST /parse/verificationEmailRequest", "POST /parse/sessions", "PUT /parse/sessions/{id}",
    "DELETE /parse/sessions/{id}", "POST /parse/upgradeToRevocableSession",
    "POST /parse/roles", "PUT /parse/roles/{id}", "DELETE /parse/roles/{id}",
    "PUT /v1/collections/{layer}/rules", "DELETE /v1/collections/{layer}/rules",
}

#: On how many of an address's paths every parameter is tried; the rest are asked as they are.
VARIED = 3
#: Other forms of what another address answers: every parameter is tried on one of their paths.
ALIKE = ("/tiles/{layer}/{z}/{x}/{y}.geojson",
         "/v1/collections/{layer}/tiles/WebMercatorQuad/{z}/{y}/{x}")
#: Addresses that tell of no object, and so know no viewer.
VIEWERLESS = ("/parse", "/v1/api", "/health", "/route/", "/table/", "/trip/", "/nearest/")
#: Header fields that differ by time alone.
TIMELY = {"date"}


class Secret:
    """What is hidden: three places, one of them amid what everybody sees, a note that is alone in
    its class, a user and a role. Their texts begin with `hush`."""

    id = "hushP1"
    position = (13.9123456, 52.8123456)
    kind, field, geohash = "hushkind", "hushnote", "u33zh"
    username, email = "hushuser", "hush@example.org"

    def __init__(self):
        # Before they exist, ids that nobody has stand for theirs.
        self.users, self.roles, self.sessions = ["nobody0001"], ["nobody0002"], ["nobody0003"]
        #: What the owner alone comes to see: ids of clusters and hotspots, cursors.
        self.clusters, self.hotspots = [], []
        self.near_cursor = self.within_cursor = self.area_cursor = None
        lon, lat = self.position
        ring = [[lon - 1, lat - 1], [lon + 1, lat - 1], [lon + 1, lat + 1], [lon - 1, lat + 1],
                [lon - 1, lat - 1]]
        self.area = {"type": "Polygon", "coordinates": [ring]}

    @property
    def objects(self):
        return [(LAYER, self.id), (LAYER, "hushP3"), (LAYER, "m1"), (LAYER, "nobody0000"),
                ("Note", "hushN1"), ("Comment", "c1"), ("Comment", "c2"), ("Board", "b1"),
                ("_User", self.users[0]), ("_Role", self.roles[0])]

    def tile(self, zoom):
        x, y = project(*self.position)
        return x >> (32 - zoom), y >> (32 - zoom)

    def without_ids(self, text):
        """A question, or its answer, without the ids that it repeats; they are equally long."""
        for ids in (self.users, self.roles, self.sessions):
            text = text.replace(ids[0], "?")
        return text

    def wheres(self):
        """Conditions on what the hidden place has."""
        lon, lat = self.position
        here = place(lon, lat)
        yield {"rank": {"$gte": 3}}
        yield {"rank": 12.5}
        yield {self.field: "hush text"}
        yield {self.field: {"$exists": True}}
        yield {self.field: {"$regex": "^hush"}}
        yield {"title": {"$regex": "hush"}}
        yield {"$or": [{"kind": self.kind}, {"rank": {"$lt": 4}}]}
        yield {"$nor": [{"title": "hush title"}]}
        yield {"tags": {"$all": ["hush tag"]}}
        yield {"objectId": {"$in": [self.id, "m2", "m3"]}}
        yield {"location": {"$within": {"$box": [place(lon - 1, lat - 1), place(lon + 1, lat + 1)]}}}
        yield {"location": {"$geoWithin": {"$centerSphere": [here, 0.001]}}}
        yield {"location": here}

    def finds(self, class_name):
        """Queries of the Parse surface; those of classes that point to what is hidden, too."""
        lon, lat = self.position
        yield {"order": "-createdAt", "count": 1}
        yield {"order": f"{self.field},rank,objectId", "limit": 5, "skip": 2}
        if class_name == LAYER:
            for where in self.wheres():
                yield {"where": where, "count": 1}
                yield {"where": where, "count": 1, "limit": 0}
            for more in ({}, {"$maxDistance": 0.001}, {"$maxDistanceInKilometers": 0.0}):
                yield {"where": {"location": {"$nearSphere": place(lon, lat), **more}},
                       "limit": 3, "count": 1}
            board = {"object": pointer("Board", "b1"), "key": "members"}
            yield {"where": {"$relatedTo": board}, "count": 1}
            yield {"where": {"$relatedTo": {
                "object": pointer(LAYER, self.id), "key": "friends"}}, "count": 1}
            yield {"where": {"title": {"$text": {"$search": {"$term": "hush"}}}}, "count": 1}
        if class_name == "Comment":
            for where in ({}, {"rank": {"$gte": 0}}, {"title": "hush title"}, {self.field: {
                    "$exists": True}}):
                inner = {"where": where, "className": LAYER}
                yield {"where": {"link": {"$inQuery": inner}}, "count": 1}
                yield {"where": {"link": {"$notInQuery": inner}}, "count": 1}
                yield {"where": {"text": {"$select": {"query": inner, "key": "title"}}}}
                yield {"where": {"text": {"$dontSelect": {"query": inner, "key": self.field}}}}
            yield {"include": "link,links,link.author", "order": "link.rank"}
            yield {"keys": "link.title,text"}
            yield {"where": {"link": pointer(LAYER, self.id)}, "include": "*"}
        if class_name == "_User":
            for where in ({"username": self.username}, {"email": self.email},
                          {"username": {"$regex": "."}}, {"objectId": {"$in": self.users}}):
                yield {"where": where, "count": 1}
            yield {"where": {"$relatedTo": {
                "object": pointer("_Role", self.roles[0]), "key": "users"}}, "count": 1}
            yield {"where": {"$relatedTo": {
                "object": pointer(LAYER, self.id), "key": "likers"}}, "count": 1}
        if class_name == "_Role":
            yield {"where": {"name": "hushrole"}, "count": 1}
            yield {"where": {"users": pointer("_User", self.users[0])}, "count": 1}
        if class_name == "Board":
            for condition in (pointer(LAYER, self.id), {"$ne": pointer(LAYER, self.id)},
                              {"$in": [pointer(LAYER, self.id)]}):
                yield {"where": {"members": condition}, "count": 1}


class Recipes:
    """Values for all parameters of the document. `secret` tells of what is hidden."""

    def __init__(self, secret):
        self.secret = secret
        lon, lat = secret.position
        near_it = f"{lon - 0.01:.4f},{lat - 0.01:.4f},{lon + 0.01:.4f},{lat + 0.01:.4f}"
        wheres = [json.dumps(where) for where in secret.wheres()]
        self.tiles = [
            (0, 0, 0), (9, *secret.tile(9)), (9, 275, 167), (14, *secret.tile(14)), (22, 5, 5),
            (3, 9, 0)]
        #: By name, or by path template and name where the name alone does not say what it is.
        self.values = {
            "layer": [LAYER, "Note"], "class": [LAYER, "Comment", "Note", "_User", "_Role", "Board", "Void"],
            "bbox": [WORLD, "13,52,14,53", near_it, "170,-60,-170,60"],
            "zoom": [0, 9, 16], "kind": ["event", secret.kind, f"event,{secret.kind}"],
            "since": ["2025-01-01T00:00:00.000Z", "2099-01-01T00:00:00.000Z"],
            "until": ["2099-01-01T00:00:00.000Z"], "where": wheres,
            "style": ["clusters", "points", "heat"], "palette": ["lagoon"], "halfLife": ["1h"],
            "window": ["500w"], "radius": [10, 60], "limit": [1, 7, 1000], "offset": [0, 5],
            "lon": [f"{lon:.3f}"], "lat": [f"{lat:.3f}"], "geodesic": ["true"],
            "/tiles/basemap.json style": ["light", "dark"],
            "/tiles/basemap/{z}/{x}/{y}.png style": ["light", "dark"],
            "/tiles/basemap/{z}/{x}/{y}@2x.png style": ["light", "dark"],
            "/near/{layer} cursor": [secret.near_cursor],
            "/within/{layer} cursor": [secret.within_cursor], "center": [f"{lon},{lat}"], "geohash": ["u33", secret.geohash],
            "hash": [secret.geohash], "count": ["true"], "grid": ["geohash", "geotile"],
            "precision": [2, 6], "z": [3, 9],
            "/near/{layer} radius": [500, 90000], "/within/{layer} radius": [500, 90000],
            "/clusters/{layer} limit": [3, 100000],
            "/clusters/{layer}/{id}/children limit": [3, 100000],
            "skip": [3], "order": ["rank", "-createdAt,objectId", f"-{secret.field}", "link.rank"],
            "include": ["author,link", "*", "link.author"], "includeAll": ["1"],
            "keys": ["title,rank", f"{secret.field},link.title"], "excludeKeys": ["title"],
            "/parse/classes/{class} count": ["1"], "/parse/aggregate/{class} where": wheres[:1],
            "format": ["mvt", "png"],
            "/v1/collections/{layer}/tiles/WebMercatorQuad/{z}/{y}/{x} f": ["mvt", "geojson", "png"],
            "/export/{layer} format": ["geojson", "csv", "pmtiles", "png"], "tiles": ["raster"], "minzoom": [3],
            "maxzoom": [5], "size": ["300x200"], "scale": [2],
            "distinct": ["title", secret.field], "pipeline": ['[{"$limit":3}]'],
            "username": [secret.username, "dora", "noSuchName"], "email": [secret.email],
            "password": ["correct horse", "wrong"], "f": ["json"],
            "appId": ["test-app"], "name": ["0123456789abcdef0123456789abcdef_hush.jpg"], "w": [100],
            "profile": ["foot", "car"], "coordinates": [f"{lon},{lat};13.4,52.5"],
            "/nearest/v1/{profile}/{coordinates} coordinates": [f"{lon},{lat}"],
            "steps": ["true"], "overview": ["full", "false"], "geometries": ["polyline6", "geojson"],
            "annotations": ["duration", "distance"], "alternatives": ["2"],
            "continue_straight": ["true"], "waypoints": ["0;1"], "sources": ["0"],
            "destinations": ["1"], "fallback_speed": ["5"], "fallback_coordinate": ["snapped"],
            "scale_factor": ["2"], "roundtrip": ["false"], "source": ["first"],
            "destination": ["last"], "number": [3], "bearings": [";", ""], "radiuses": ["5;", "5"],
            "generate_hints": ["false"], "hints": [";", ""], "approaches": ["curb;", "curb"],
            "exclude": ["toll"], "snapping": ["any"], "skip_waypoints": ["true"],
        }
        #: What has to be there for an answer at all.
        self.needed = {
            "/clusters/{layer}": {"bbox": WORLD, "zoom": 3},
            "/near/{layer}": {"lon": lon, "lat": lat}, "/within/{layer}": {"bbox": WORLD},
            "/aggregate/{layer}": {"grid": "geohash", "precision": 4},
            "/hotspots/{layer}": {"bbox": "13,52,14,53", "zoom": 12},
            "/tiles/{layer}/legend.json": {"style": "heat", "z": 9},
            "/export/{layer}": {"format": "pmtiles"},
            "/parse/aggregate/{class}": {"distinct": "title"},
            "/parse/login": {"username": "dora", "password": "correct horse"},
            "/parse/verifyPassword": {"username": "dora", "password": "correct horse"},
        }
        #: What a parameter takes the place of, or comes with.
        self.company = {
            "center": {"bbox": None, "radius": 5000}, "geohash": {"bbox": None},
            "/within/{layer} radius": {"bbox": None, "center": f"{lon},{lat}"},
            "/within/{layer} geodesic": {
                "bbox": None, "center": f"{lon},{lat}", "radius": 5000},
            "palette": {"style": "heat"}, "halfLife": {"style": "heat"},
            "/hotspots/{layer} halfLife": {}, "/tiles/{layer}/legend.json style": {"z": None},
            "pipeline": {"distinct": None},
            "email": {"username": None},
        }

    def of(self, template, name, table):
        return table.get(f"{template} {name}", table.get(name))

    # MARK: Paths

    def paths(self, template):
        """The template with values in it."""
        secret = self.secret
        if "{z}" in template:
            return [template.replace("{z}", str(z)).replace("{x}", str(x)).replace("{y}", str(y))
                    .replace("{layer}", LAYER) for z, x, y in self.tiles]
        if template.startswith("/clusters/{layer}/{id}"):
            return [template.replace("{layer}", LAYER).replace("{id}", str(number))
                    for number in secret.clusters]
        if template == "/parse/classes/{class}/{id}":
            return [f"/parse/classes/{name}/{one}" for name, one in secret.objects]
        ids = {"users": secret.users, "roles": secret.roles, "sessions": secret.sessions,
               "installations": ["nobody0000"]}
        for name, known in ids.items():
            if template == f"/parse/{name}/{{id}}":
                return [f"/parse/{name}/{one}" for one in known]
        found = [template]
        for name in re.findall(r"{(\w+)}", template):
            found = [path.replace(f"{{{name}}}", str(value))
                     for path in found for value in self.of(template, name, self.values)]
        return found

    def questions(self, document):
        """(name, method, path, query, body, keys) of every operation that reads."""
        missing = []
        for template, item in document["paths"].items():
            for method in ("get", "post", "put", "delete"):
                if method not in item:
                    continue
                operation = f"{method.upper()} {template}"
                names = [resolved(document, parameter)["name"]
                         for parameter in item[method].get("parameters", [])
                         if resolved(document, parameter)["in"] == "query"]
                if method == "get":
                    try:
                        yield from self.reads(template, names)
                    except (KeyError, TypeError) as error:
                        missing.append(f"{operation}: {error!r}")
                elif operation in self.bodies():
                    for number, (path, body) in enumerate(self.bodies()[operation]):
                        yield f"{operation} {number}", "POST", path, {}, body
                elif operation not in CHANGING:
                    missing.append(operation)
        assert not missing, f"the walk has no recipe for {missing}"

    def reads(self, template, names):
        base = self.needed.get(template, {})
        for number, path in enumerate(self.paths(template)):
            yield f"GET {path}", "GET", path, base, None
            for name in names if number < (1 if template in ALIKE else VARIED) else []:
                if name == "mapToken":
                    continue  # a viewer of the walk has one with every question
                values = self.of(template, name, self.values)
                if values is None:
                    raise KeyError(name)
                for value in values:
                    query = {**base, **(self.of(template, name, self.company) or {}), name: value}
                    query = {key: kept for key, kept in query.items() if kept is not None}
                    yield f"GET {path} {name}={value}", "GET", path, query, None

    def bodies(self):
        """What reading POSTs are sent: path and body."""
        secret = self.secret
        finds = [(f"/parse/classes/{name}", {"_method": "GET", **query})
                 for name in ("Meet", "Comment", "Note", "Board", "_User", "_Role")
                 for query in secret.finds(name)]
        batched = [{"method": "GET", "path": f"/parse/classes/{name}/{one}"}
                   for name, one in secret.objects]
        batched += [{"method": "GET", "path": f"/parse/classes/{LAYER}", "body": {
            "where": where, "count": 1}} for where in secret.wheres()]
        return {
            "POST /within/{layer}": [
                (f"/within/{LAYER}{query}", secret.area) for query in (
                    "", "?count=true", "?limit=2", f"?kind={secret.kind}",
                    f"?cursor={secret.area_cursor}", "?since=2025-01-01T00:00:00Z",
                    "?until=2025-01-01T00:00:00Z",
                    "?where=%7B%22rank%22%3A%7B%22%24gt%22%3A2%7D%7D")],
            "POST /parse/classes/{class}": finds,
            "POST /parse/batch": [("/parse/batch", {"requests": batched})],
            "POST /parse/aggregate/{class}": [
                (f"/parse/aggregate/{LAYER}", {"distinct": secret.field})],
            "POST /parse/login": [
                ("/parse/login", {"username": secret.username, "password": "wrong"}),
                ("/parse/login", {"email": secret.email, "password": "wrong"})],
            "POST /parse/verifyPassword": [
                ("/parse/verifyPassword", {"username": secret.username, "password": "wrong"})],
            "POST /parse/health": [("/parse/health", {})],
        }

    def probes(self):
        """Changes that are refused, or change nothing: (method, path, body)."""
        secret = self.secret
        hidden = f"/parse/classes/{LAYER}/{secret.id}"
        yield "PUT", hidden, {"rank": 1}
        yield "PUT", hidden, {secret.field: 5}
        yield "PUT", hidden, {"tags": {"__op": "AddUnique", "objects": ["x"]}}
        yield "DELETE", hidden, None
        yield "PUT", f"/parse/users/{secret.users[0]}", {"nick": "x"}
        yield "DELETE", f"/parse/users/{secret.users[0]}", None
        yield "PUT", f"/parse/roles/{secret.roles[0]}", {"name": "x"}
        yield "DELETE", f"/parse/roles/{secret.roles[0]}", None
        yield "POST", "/parse/batch", {"requests": [
            {"method": "PUT", "path": hidden, "body": {"rank": 1}},
            {"method": "DELETE", "path": hidden}], "transaction": True}
        yield "POST", "/parse/loginAs", {"userId": secret.users[0]}
        for spot in secret.hotspots:
            yield "POST", f"/hotspots/{LAYER}/{spot}/pin", None
        yield "PUT", f"/v1/collections/{LAYER}", {"title": "x"}
        yield "DELETE", f"/parse/schemas/{LAYER}", None
        yield "DELETE", f"/parse/purge/{LAYER}", None


def resolved(document, value):
    while "$ref" in value:
        name = value["$ref"].removeprefix("#/").split("/")
        value = document
        for part in name:
            value = value[part]
    return value


def seen(answer, secret):
    """All of an answer but what the time alone changes, and ids of the question."""
    fields = sorted((name.lower(), value) for name, value in answer.headers.items()
                    if name.lower() not in TIMELY)
    body = answer.body
    if answer.headers["Content-Encoding"] == "gzip":
        body = gzip.decompress(body)
    # A login makes a session of its own each time.
    body = re.sub(rb"r:[0-9a-f]{32}", b"r:-", body)
    return answer.status, fields, secret.without_ids(body.decode("latin-1")).encode("latin-1")


class Walker:
    """Somebody who asks everything. `token` is his session; `map_token` stands for it on the map."""

    def __init__(self, name, token=None, map_token=None):
        self.name, self.token, self.map_token = name, token, map_token

    def headers(self, path):
        found = dict(HOST)
        if path.startswith("/parse"):
            found |= CLIENT
        if self.token:
            found["X-Parse-Session-Token"] = self.token
        return found

    def walk(self, service, recipes, document, thorough=False, probing=False):
        """Everything that is answered: by the question, what is seen. `thorough` asks for heads,
        compressed bodies and revalidation besides; `probing` tries to change things."""
        connection, found = service.connect(), {}
        for name, method, path, query, body in recipes.questions(document):
            if self.map_token:
                if path.startswith(VIEWERLESS):
                    continue
                query = {**query, "mapToken": self.map_token}
            headers = self.headers(path)
            name = recipes.secret.without_ids(name)
            answer = ask(connection, method, path, body, headers, query)
            assert answer.status < 500, (name, answer.body)
            found[name] = seen(answer, recipes.secret)
            # Of each address once; whatever is asked of it, one place in the service answers these.
            is_plain = name.count(" ") == 1 and "login" not in path
            if thorough and method == "GET" and is_plain:
                for extra, how, more in (
                        ("HEAD", "HEAD", {}), ("gzip", "GET", {"Accept-Encoding": "gzip"}),
                        ("again", "GET", {"If-None-Match": answer.headers["ETag"] or '"none"'})):
                    again = ask(connection, how, path, body, {**headers, **more}, query)
                    found[f"{name} {extra}"] = seen(again, recipes.secret)
        if probing and not self.map_token:
            for number, (method, path, body) in enumerate(recipes.probes()):
                answer = ask(connection, method, path, body, self.headers(path))
                found[recipes.secret.without_ids(f"probe {number} {method} {path}")] = seen(answer, recipes.secret)
                assert answer.status >= 400 or path == "/parse/batch", (path, answer.body)
        connection.close()
        return found


def differences(one, other):
    """The questions of `other` that are answered otherwise, and where the answers part."""
    assert other.keys() <= one.keys()
    return {name: parting(one[name], other[name]) for name in other if one[name] != other[name]}


def parting(one, other):
    """Statuses, header fields and the bodies around the first byte that differs."""
    body, second = one[2], other[2]
    place = next((at for at, pair in enumerate(zip(body, second)) if pair[0] != pair[1]),
                 min(len(body), len(second)))
    fields = [field for field in one[1] + other[1] if (field in one[1]) != (field in other[1])]
    around = [text[max(0, place - 60):place + 60] for text in (body, second)]
    return one[0], other[0], fields, *(around if body != second else ())


def told(found):
    """Differences as lines for a reader."""
    return "\n".join(f"{name}: {what}" for name, what in list(found.items())[:20])
