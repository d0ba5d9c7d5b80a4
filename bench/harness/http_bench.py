"""The service over HTTP, beside nginx serving the same bytes as static files.

Both are held to one processor, wrk has the other: with two processors that is the only way to ask
both the same. nginx has one worker and no log; the service has its threads, all on that one.
"""

import array
import contextlib
import csv
import http.client
import json

import commands
import h2load
import servers
import writer
import wrk
from data_folder import LAYER

SECONDS = 2


def get(port, path, headers=None):
    """Status, ETag and body of one request."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path, headers=headers or {})
        response = connection.getresponse()
        return response.status, response.headers.get("ETag"), response.read()
    finally:
        connection.close()


class HTTPBench:
    """The measurements, on one service and one nginx."""

    def __init__(self, service, directory, folder, options, count):
        self.service, self.directory, self.options = service, directory, options
        self.count = count
        self.tile, self.far = self.places(folder)
        self.views = self.view_paths(folder)

    @staticmethod
    def places(folder):
        """The first tile of the questions at zoom 12, and ids of objects far away from it."""
        with open(folder / "tiles.csv", encoding="ascii") as file:
            tiles = [tuple(int(row[key]) for key in ("z", "x", "y"))
                     for row in csv.DictReader(file)]
        tile = min(tiles, key=lambda tile: abs(tile[0] - 12))
        west = tile[1] / (1 << tile[0]) * 360 - 180
        points = array.array("d")
        with open(folder / "points.f64", "rb") as file:
            points.frombytes(file.read())
        far = [(number // 2 + 1, points[number], points[number + 1])
               for number in range(0, min(len(points), 2_000_000), 2)
               if 90 < abs(points[number] - west) < 270]
        return "/".join(map(str, tile)), far

    @staticmethod
    def view_paths(folder):
        with open(folder / "viewports.csv", encoding="ascii") as file:
            rows = list(csv.DictReader(file))[:100]
        return [f"/clusters/{LAYER}?bbox={row['west']},{row['south']},{row['east']},{row['north']}"
                f"&zoom={row['zoom']}" for row in rows]

    def records(self):
        pages = self.directory / "www"
        pages.mkdir()
        # Run as root, nginx's worker may be somebody else.
        for part in (self.directory, pages):
            part.chmod(0o755)
        self.nginx = servers.start_nginx(self.directory)
        try:
            yield from self.tiles(pages)
            yield from self.clusters(pages)
        finally:
            self.nginx.stop()

    def tiles(self, pages):
        path = f"/tiles/{LAYER}/{self.tile}.png"
        status, tag, body = get(self.service.port, path)
        if status != 200:
            raise commands.Failure(f"{path} is answered by {status}")
        (pages / "tile.png").write_bytes(body)
        note = f"{len(body)} bytes, tile {self.tile}, {wrk.CONNECTIONS} connections"
        yield from self.pair("http.tile", [path], ["/tile.png"], note)
        if get(self.service.port, path)[1:] != (tag, body):
            raise commands.Failure("the cached tile is not the first one")
        yield from self.unchanged(path, tag)
        moving = writer.Writer(self.service.port, LAYER, self.far)
        try:
            yield from self.pair(
                "http.tile-writes", [path], ["/tile.png"],
                lambda: f"{note}; {moving.summary()}", moving.writing)
        except commands.Failure as failure:
            commands.leave_out("http.tile-writes", failure)
        if get(self.service.port, path)[1] != tag:
            raise commands.Failure("writes in another city changed the tile's tag")

    def unchanged(self, path, tag):
        """The same tile for somebody who has it."""
        headers = []
        for port, file, mark in (
                (self.service.port, path, tag),
                (self.nginx.port, "/tile.png", get(self.nginx.port, "/tile.png")[1])):
            headers.append({"If-None-Match": mark})
            if get(port, file, headers[-1])[::2] != (304, b""):
                raise commands.Failure(f"{file} is not answered by 304 to its own tag")
        def load(server, path, headers):
            return h2load.load(server, path, SECONDS, self.directory, headers,
                               preexec_fn=servers.use_other_processors)
        name = f"http.tile-304.city.{self.options.size}"
        commands.announce(name)
        ours, theirs = [], []
        for _ in range(self.options.runs):
            ours.append(load(self.service, path, headers[0]))
            theirs.append(load(self.nginx, "/tile.png", headers[1]))
        yield wrk.record(name, "geoservice", ours, check="304 without a body to the tile's own tag",
                         note="If-None-Match with the tile's tag; asked by h2load")
        yield wrk.record(name, "nginx static", theirs)

    def clusters(self, pages):
        (pages / "clusters").mkdir()
        size = results = 0
        files = []
        for number, path in enumerate(self.views):
            status, _, body = get(self.service.port, path)
            if status != 200:
                raise commands.Failure(f"{path} is answered by {status}")
            name = f"/clusters/{number}.json"
            (pages / name[1:]).write_bytes(body)
            files.append(name)
            size += len(body)
            results += len(json.loads(body)["features"])
        count = len(self.views)
        yield from self.pair(
            "http.clusters", self.views, files,
            f"{count} views by turns, {results // count} results and {size // count} bytes each; "
            "computed for each request, nginx has them as files")

    def pair(self, operation, paths, files, note, meanwhile=contextlib.nullcontext):
        """Our records and nginx's, measured by turns; `meanwhile` goes on during ours only."""
        name = f"{operation}.city.{self.options.size}"
        commands.announce(name)
        ours, theirs = [], []
        for _ in range(self.options.runs):
            with meanwhile():
                ours.append(self.load(self.service, paths))
            theirs.append(self.load(self.nginx, files))
        for who, runs, server in (
                ("geoservice", ours, self.service), ("nginx static", theirs, self.nginx)):
            record = wrk.record(name, who, runs)
            if who == "geoservice":
                record["check"] = "all answers 2xx, bodies compared before and after"
                record["note"] = note() if callable(note) else note
                record["bytesPerObject"] = server.resident_bytes() / self.count
            yield record

    def load(self, server, paths, headers=None):
        """One run of wrk against a server."""
        return wrk.load(server, wrk.by_turns(paths), SECONDS, self.directory, headers,
                        preexec_fn=servers.use_other_processors)
