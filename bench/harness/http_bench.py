"""The service over HTTP, beside nginx serving the same bytes as static files.

Both are held to one processor, wrk has the other: with two processors that is the only way to ask
both the same. nginx has one worker and no log; the service has its threads, all on that one.
"""

import array
import contextlib
import csv
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

import commands

SECONDS = 2
CONNECTIONS = 64
WRITES_PER_SECOND = 1_000
BATCH = 50
LAYER = "City"
KEYS = {"GEOSERVICE_APP_ID": "bench", "GEOSERVICE_REST_KEY": "bench-rest",
        "GEOSERVICE_MASTER_KEY": "bench-master"}
CLIENT = {"X-Parse-Application-Id": "bench", "X-Parse-REST-API-Key": "bench-rest",
          "Content-Type": "application/json"}
PROCESSORS = sorted(os.sched_getaffinity(0))


def run(service, folder, work, options, count):
    """Fills a service, measures it and gives the records."""
    try:
        with tempfile.TemporaryDirectory(prefix="geobench-", dir=work) as name:
            directory = pathlib.Path(name)
            fill(service, directory, count, options.size)
            bench = HTTPBench(service, directory, folder, options, count)
            return list(bench.records())
    except (commands.Failure, OSError, subprocess.SubprocessError,
            http.client.HTTPException) as failure:
        commands.leave_out("http", failure)
        return []


def fill(service, directory, count, size):
    """Imports our city, as anybody would."""
    commands.announce(f"importing city.{size} for http")
    points = directory / "city.csv"
    with open(points, "wb") as file:
        subprocess.run([service, "synth", "--points", str(count)], stdout=file, check=True)
    commands.run(service, "import", points, "--layer", LAYER, "--data", directory / "data",
                 "--acl", '{"*":{"read":true,"write":true}}',
                 env=environment())
    points.unlink()


def environment():
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GEOSERVICE_")}
    return {**kept, **KEYS}


class Server:
    """A server process held to the first processor, ended by its number."""

    def __init__(self, command, **options):
        self.process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.DEVNULL,
            preexec_fn=lambda: os.sched_setaffinity(0, PROCESSORS[:1]), **options)

    def processor_seconds(self):
        """Time of the process on processors so far."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self):
        """Its resident memory, counted in pages."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def start_service(binary, directory):
    server = Server(
        [binary, "serve", "--data", directory / "data", "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment(), text=True)
    for line in server.process.stdout:
        if line.startswith("listening on "):
            server.port = int(line.strip().rpartition(":")[2])
            return server
    raise commands.Failure("the service did not start")


def start_nginx(directory):
    """nginx with a configuration of its own: one process, no log, files below `directory`/www."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    configuration = directory / "nginx.conf"
    temporary = "".join(
        f"{kind}_temp_path {directory}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    configuration.write_text(f"""
daemon off;
master_process off;
worker_processes 1;
pid {directory}/nginx.pid;
error_log {directory}/nginx.log;
events {{ worker_connections 1024; }}
http {{
    {temporary}
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000000;
    open_file_cache max=1000 inactive=1h;
    types {{ image/png png; application/geo+json json; }}
    server {{
        listen 127.0.0.1:{port};
        root {directory}/www;
    }}
}}
""", encoding="ascii")
    nginx = shutil.which("nginx") or "/usr/sbin/nginx"
    server = Server([nginx, "-p", directory, "-c", configuration], stderr=subprocess.DEVNULL)
    server.port = port
    for _ in range(100):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return server
        time.sleep(0.05)
    server.stop()
    raise commands.Failure("nginx did not start")


def get(port, path):
    """Status, ETag and body of one request."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.headers.get("ETag"), response.read()
    finally:
        connection.close()


class HTTPBench:
    """The measurements, on one service and one nginx."""

    def __init__(self, binary, directory, folder, options, count):
        self.binary, self.directory, self.options = binary, directory, options
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
        service = start_service(self.binary, self.directory)
        try:
            self.service = service
            pages = self.directory / "www"
            pages.mkdir()
            # Run as root, nginx's worker may be somebody else.
            for part in (self.directory, pages):
                part.chmod(0o755)
            nginx = start_nginx(self.directory)
            try:
                self.nginx = nginx
                yield from self.tiles(pages)
                yield from self.clusters(pages)
            finally:
                nginx.stop()
        finally:
            service.stop()

    def tiles(self, pages):
        path = f"/tiles/{LAYER}/{self.tile}.png"
        status, tag, body = get(self.service.port, path)
        if status != 200:
            raise commands.Failure(f"{path} is answered by {status}")
        (pages / "tile.png").write_bytes(body)
        note = f"{len(body)} bytes, tile {self.tile}, {CONNECTIONS} connections"
        yield from self.pair("http.tile", [path], ["/tile.png"], note)
        if get(self.service.port, path)[1:] != (tag, body):
            raise commands.Failure("the cached tile is not the first one")
        writer = Writer(self.service.port, self.far)
        try:
            yield from self.pair(
                "http.tile-writes", [path], ["/tile.png"],
                lambda: f"{note}; {writer.summary()}", writer.writing)
        except commands.Failure as failure:
            commands.leave_out("http.tile-writes", failure)
        if get(self.service.port, path)[1] != tag:
            raise commands.Failure("writes in another city changed the tile's tag")

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
            record = {
                "name": name, "who": who, "unit": "requests/s", "runs": len(runs),
                "wall": {key: median([run[key] for run in runs]) for key in ("p50", "p99", "rate")},
                "cpu": {"p50": median([run["cpu"] for run in runs])}}
            if who == "geoservice":
                record["check"] = "all answers 2xx, bodies compared before and after"
                record["note"] = note() if callable(note) else note
                record["bytesPerObject"] = server.resident_bytes() / self.count
            yield record

    def load(self, server, paths):
        """One run of wrk against a server."""
        script = self.directory / "paths.lua"
        lines = ",\n".join(f'wrk.format("GET", "{path}")' for path in paths)
        script.write_text(
            "local requests, next\n"
            f"init = function() requests = {{ {lines} }}; next = 0 end\n"
            "request = function()\n    next = next % #requests + 1\n"
            "    return requests[next]\nend\n", encoding="ascii")
        before = server.processor_seconds()
        text = commands.run(
            "wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "--latency", "-s", script,
            f"http://127.0.0.1:{server.port}/",
            preexec_fn=lambda: os.sched_setaffinity(0, PROCESSORS[1:] or PROCESSORS))
        used = server.processor_seconds() - before
        if "Non-2xx" in text or "Socket errors" in text:
            raise commands.Failure(f"answers of {server.process.args[0]} failed: {text}")
        requests = int(re.search(r"(\d+) requests in", text)[1])
        rate = float(re.search(r"Requests/sec: +([\d.]+)", text)[1])
        waits = {name: microseconds(re.search(rf"{name[1:]}% +([\d.]+)(us|ms|s)\b", text))
                 for name in ("p50", "p99")}
        return {**waits, "rate": rate, "cpu": used / max(1, requests) * 1e6}


def microseconds(found):
    return float(found[1]) * {"us": 1, "ms": 1e3, "s": 1e6}[found[2]]


def median(numbers):
    return sorted(numbers)[(len(numbers) - 1) // 2]


class Writer:
    """Moves objects far from the tile, a thousand a second in batches, while it is told to."""

    def __init__(self, port, objects):
        self.objects = objects
        self.random = random.Random(11)
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.written, self.seconds = 0, 0.0
        self.failure = None

    @contextlib.contextmanager
    def writing(self):
        """Writes beside what the caller does."""
        stop = threading.Event()
        thread = threading.Thread(target=self.work, args=(stop,))
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()
        if self.failure:
            raise commands.Failure(self.failure)

    def summary(self):
        return f"{self.written / self.seconds:.0f} moves a second in another city meanwhile"

    def work(self, stop):
        # The server has the first processor for itself.
        os.sched_setaffinity(0, PROCESSORS[1:] or PROCESSORS)
        start, before = time.monotonic(), self.written
        try:
            while not stop.is_set():
                self.write()
                due = start + (self.written - before) / WRITES_PER_SECOND
                stop.wait(max(0, due - time.monotonic()))
        except (OSError, http.client.HTTPException, commands.Failure) as failure:
            self.failure = f"writing failed: {failure}"
        self.seconds += time.monotonic() - start

    def write(self):
        def change(objects):
            (number, *_), (_, lon, lat) = objects
            return {"method": "PUT", "path": f"/parse/classes/{LAYER}/{number}",
                    "body": {"location": {
                        "__type": "GeoPoint", "longitude": lon, "latitude": lat}}}

        body = json.dumps({"requests": [
            change(self.random.sample(self.objects, 2)) for _ in range(BATCH)]})
        self.connection.request("POST", "/parse/batch", body, CLIENT)
        response = self.connection.getresponse()
        answers = json.loads(response.read() or b"[]")
        if response.status != 200 or not all("success" in answer for answer in answers):
            raise commands.Failure(f"a batch was answered by {response.status}: {answers}")
        self.written += BATCH
