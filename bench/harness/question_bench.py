"""The service asked one question at a time over one connection, as the database peers are.

Every answer holds the objects' documents where the peers give numbers.
"""

import json
import urllib.parse

import connection
import measure
import truth
from data_folder import LAYER

WHO = "geoservice"
# As many as the peers are asked.
QUESTIONS = 300
TILES = VIEWS = 40
SINGLES = 1_000
CANDIDATES = 20_000
FIELD, ABOVE = "owner", "user2"


class QuestionBench:
    """The measurements on a running service."""

    def __init__(self, port, folder, options):
        self.connection = connection.Connection(port)
        self.folder, self.options = folder, options
        self.objects = truth.Truth(folder / "points.f64")

    def records(self):
        for measurement in (self.nearest, self.radius, self.views, self.tiles, self.singles,
                            self.where):
            yield measurement()
        self.connection.close()

    def json(self, path):
        return json.loads(self.connection.get(path))

    def ask(self, request):
        """Asks, and wants 200."""
        status, body = self.connection.ask(request)
        path = request.split()[1].decode()
        measure.check(status == 200, f"{path} is answered by {status}")
        return body

    def record(self, operation, paths, check, note=""):
        """Asks for all paths in each run."""
        requests = [connection.Connection.request(path) for path in paths]
        return self.named(operation, check, note,
                          measure.served(self.options.runs, requests, self.ask))

    def named(self, operation, check, note, figures):
        return {"name": f"{operation}.city.{self.options.size}", "who": WHO, "check": check,
                "note": note, **figures}

    def absent(self, operation, why):
        return {"name": f"{operation}.city.{self.options.size}", "who": WHO, "absent": why}

    def nearest(self):
        def path(lon, lat):
            return f"/near/{LAYER}?lon={lon}&lat={lat}&limit=10"

        centres = [row[:2] for row in truth.questions(self.folder, "nearest.csv", QUESTIONS)]
        for centre in measure.sample(centres):
            features = self.json(path(*centre))["features"]
            measure.check(
                len(features) == 10 and abs(features[9]["properties"]["distance"]
                                            - self.objects.tenth(*centre)) < 1e-3,
                f"the tenth neighbour of {centre}")
        return self.record("http.nearest", [path(*centre) for centre in centres],
                           "8 questions against all objects", "one connection; whole objects")

    def radius(self):
        def path(lon, lat):
            return (f"/within/{LAYER}?center={lon},{lat}&radius={truth.CIRCLE_METERS}&count=true")

        centres = [row[:2] for row in truth.questions(self.folder, "radius.csv", QUESTIONS)]
        for centre in measure.sample(centres):
            distances = self.objects.distances(*centre)
            low, high = ((distances <= truth.CIRCLE_METERS + margin).sum()
                         for margin in (-1e-3, 1e-3))
            measure.check(low <= self.json(path(*centre))["count"] <= high, f"around {centre}")
        return self.record("http.radius", [path(*centre) for centre in centres],
                           "8 questions against all objects", "one connection; how many")

    def views(self):
        world = self.json(f"/clusters/{LAYER}?bbox=-180,-90,180,90&zoom=2")["features"]
        count = sum(feature["properties"].get("point_count", 1) for feature in world)
        measure.check(count == len(self.objects), f"{count} objects in the world's clusters")
        paths = [f"/clusters/{LAYER}?bbox={west},{south},{east},{north}&zoom={int(zoom)}"
                 for zoom, west, south, east, north in truth.questions(
                     self.folder, "viewports.csv", VIEWS)]
        return self.record("http.view", paths, "the world's counts sum up to all objects",
                           "one connection")

    def tiles(self):
        """Every tile once, so that none comes from the cache: other tiles in each run."""
        rows = truth.questions(self.folder, "tiles.csv", 1_000)
        walls = []
        for run in range(min(self.options.runs, max(1, len(rows) // TILES))):
            times = []
            for row in rows[run * TILES:(run + 1) * TILES]:
                zoom, column, line = map(int, row)
                path = f"/tiles/{LAYER}/{zoom}/{column}/{line}.png"
                request = connection.Connection.request(path)
                body, wall, _ = measure.timed(lambda: self.ask(request))
                measure.check(body.startswith(b"\x89PNG"), "a tile is no picture")
                times.append(wall)
            walls.append(measure.spread(times))
        return self.named("http.fresh-tile", "each is a picture",
                          "one connection; PNG, other tiles in each run",
                          {"unit": "us", "wall": measure.median_of(walls), "calls": TILES,
                           "runs": len(walls)})

    def box(self, enough):
        """The smallest box around the first object for which `enough` holds, by halving."""
        lon, lat = self.objects.points[0]

        def around(half):
            return lon - half, lat - half, lon + half, lat + half

        low, high = 0.0, 1e-4
        while not enough(around(high)) and high < 20:
            low, high = high, 2 * high
        for _ in range(14):
            middle = (low + high) / 2
            low, high = (low, middle) if enough(around(middle)) else (middle, high)
        return around(high)

    def singles(self):
        """A view at the deepest zoom in which 1,000 objects stand alone."""
        def path(box):
            return f"/clusters/{LAYER}?bbox={','.join(map(str, box))}&zoom=22&limit=20000"

        def alone(box):
            return [feature for feature in self.json(path(box))["features"]
                    if "cluster_id" not in feature["properties"]]

        box = self.box(lambda box: self.objects.count_in_box(*box) >= SINGLES
                       and len(alone(box)) >= SINGLES)
        found = alone(box)
        measure.check(len({feature["id"] for feature in found}) == len(found) >= SINGLES, "singles")
        for feature in found:
            lon, lat = self.objects.points[int(feature["id"]) - 1]
            west, south = feature["geometry"]["coordinates"]
            measure.check(abs(lon - west) + abs(lat - south) < 1e-6,
                          f"{feature['id']} is elsewhere")
        return self.record("http.singles", [path(box)] * 50, "each single against its object",
                           f"one connection; {len(found)} singles")

    def where(self):
        """What a condition on a field costs for each object that it is asked of."""
        least = min(CANDIDATES, len(self.objects) // 10)
        box = self.box(lambda box: self.objects.count_in_box(*box) >= least)
        candidates = self.objects.count_in_box(*box)
        condition = urllib.parse.quote(json.dumps({FIELD: {"$gt": ABOVE}}))

        def path(box, rest):
            return f"/within/{LAYER}?bbox={','.join(map(str, box))}&{rest}"

        try:
            self.check_where(path, condition)
            self.connection.get(path(box, f"count=true&where={condition}"))
        except connection.Refused as refused:
            return self.absent("http.where", f"where is answered by {refused.status}")
        plain, asked = (
            self.record("http.where", [path(box, "count=true" + more)] * 30,
                        "a listed box, filtered by the client")
            for more in ("", f"&where={condition}"))
        for key in asked["wall"]:
            asked["wall"][key] = (asked["wall"][key] - plain["wall"]["p50"]) / candidates
        asked["note"] = f"for each of {candidates} candidates, beyond the same without"
        return asked

    def check_where(self, path, condition):
        """Compares a small box's count with what a listing of it has."""
        box = self.box(lambda box: self.objects.count_in_box(*box) >= 500)
        listed = self.json(path(box, "limit=10000"))["features"]
        expected = sum(feature["properties"][FIELD] > ABOVE for feature in listed)
        found = self.json(path(box, f"count=true&where={condition}"))["count"]
        measure.check(found == expected and 0 < found < len(listed),
                      f"{found} objects where {FIELD} > {ABOVE}, not {expected}")
