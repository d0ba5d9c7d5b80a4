"""Redis: GEOADD pipelined, GEOSEARCH in 500 m, the 10 nearest in 2 km. One server, one connection.

    redis_geo.py POINTS.f64 FOLDER SUFFIX RUNS     FOLDER has nearest.csv and radius.csv

Places are kept in 52 bits and the Earth is larger by 0.03 %: answers are checked to a metre. The
ten nearest need a radius, for without one it looks at everything.
"""

import random
import socket
import sys

import measure
import private_server
import truth

WHO = "Redis"
KEY = b"city"
QUESTIONS = 300
NEAREST_METERS = 2_000
TOLERANCE_METERS = 1
BATCH = 500


def command(*parts):
    """A command as bytes of the protocol."""
    encoded = [part if isinstance(part, bytes) else str(part).encode() for part in parts]
    return b"*%d\r\n" % len(encoded) + b"".join(
        b"$%d\r\n%s\r\n" % (len(part), part) for part in encoded)


class Connection:
    """A connection that knows where answers end by asking for one more word after each."""

    MARK = command("ECHO", "end-of-answer")
    END = b"$13\r\nend-of-answer\r\n"

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))

    def ask(self, commands):
        """The bytes that answer some commands."""
        self.socket.sendall(commands + self.MARK)
        answer = bytearray()
        while not answer.endswith(self.END):
            more = self.socket.recv(1 << 20)
            if not more:
                raise OSError("the connection ended")
            answer += more
        return bytes(answer[:-len(self.END)])

    def ids(self, commands):
        """The numbers in an array of texts."""
        lines = self.ask(commands).split(b"\r\n")
        measure.check(lines[0].startswith(b"*"), lines[0].decode())
        return [int(line) for line in lines[2::2] if line]


def adding(numbers, points):
    """GEOADD for each object, one command each."""
    return b"".join(
        command("GEOADD", KEY, *points[number].tolist(), number) for number in numbers)


def load(connection, objects):
    """Adds all objects; microseconds that it took the server and the socket."""
    microseconds = 0
    for start in range(0, len(objects), 10 * BATCH):
        numbers = range(start, min(start + 10 * BATCH, len(objects)))
        commands = adding(numbers, objects.points)
        answer, wall, _ = measure.timed(lambda: connection.ask(commands))
        measure.check(answer == b":1\r\n" * len(numbers), "not every GEOADD added")
        microseconds += wall
    return microseconds


def moves(connection, objects, runs):
    """Moves a second in batches: random objects to where random others were."""
    generator = random.Random(11)
    rates = []
    for _ in range(runs):
        times = []
        for _ in range(40):
            commands = b"".join(
                command("GEOADD", KEY, *objects.points[generator.randrange(len(objects))].tolist(),
                        generator.randrange(len(objects))) for _ in range(BATCH))
            answer, wall, _ = measure.timed(lambda: connection.ask(commands))
            measure.check(answer == b":0\r\n" * BATCH, "a GEOADD did not move an object")
            times.append(wall)
        rates.append({key: BATCH * 1e6 / value for key, value in measure.spread(times).items()})
    return {"unit": "moves/s", "wall": measure.median_of(rates), "calls": 40, "runs": runs}


def search(lon, lat, radius, *more):
    return command("GEOSEARCH", KEY, "FROMLONLAT", lon, lat, "BYRADIUS", radius, "m", *more)


def nearest(lon, lat):
    return search(lon, lat, NEAREST_METERS, "ASC", "COUNT", 10)


def check_nearest(connection, objects, centre):
    distances = objects.distances(*centre)
    expected = sorted(distances)[:10]
    found = [distances[number] for number in connection.ids(nearest(*centre))]
    measure.check(
        len(found) == 10 and abs(found[9] - expected[9]) < TOLERANCE_METERS
        or expected[9] > NEAREST_METERS, f"the tenth neighbour of {centre}")


def check_circle(connection, objects, centre):
    distances = objects.distances(*centre)
    found = set(connection.ids(search(*centre, truth.CIRCLE_METERS)))
    inside = set((distances <= truth.CIRCLE_METERS - TOLERANCE_METERS).nonzero()[0])
    around = set((distances <= truth.CIRCLE_METERS + TOLERANCE_METERS).nonzero()[0])
    measure.check(inside <= found <= around, f"the circle around {centre}")


def main(points, folder, suffix, runs):
    objects = truth.Truth(points)
    centres = [row[:2] for row in truth.questions(folder, "nearest.csv", QUESTIONS)]
    circles = [row[:2] for row in truth.questions(folder, "radius.csv", QUESTIONS)]
    with private_server.PrivateServer("redis") as server:
        server.start("redis-server", "--port", "0", "--unixsocket", "socket", "--save", "",
                     "--appendonly", "no", "--daemonize", "no", "--dir", str(server.folder))
        path = server.folder / "socket"
        connection = server.wait_for(lambda: Connection(path), OSError)
        private_server.use_other_processors()
        before = measure.resident_bytes(server.process.pid)
        wall = load(connection, objects)
        size = (measure.resident_bytes(server.process.pid) - before) / len(objects)
        figures = {"p50": wall, "p99": wall, "mean": wall}
        measure.report(f"index.build.{suffix}", WHO, unit="us", wall=figures, calls=1, runs=1,
                       bytesPerObject=size, note="GEOADD pipelined over a socket")
        for centre in measure.sample(centres):
            check_nearest(connection, objects, centre)
        for centre in measure.sample(circles):
            check_circle(connection, objects, centre)
        checked = "8 questions against all objects, to a metre"
        measure.report(f"http.nearest.{suffix}", WHO, check=checked, note="in 2 km",
                       **measure.served(runs, [nearest(*centre) for centre in centres],
                                        connection.ask))
        measure.report(f"http.radius.{suffix}", WHO, check=checked, note="lists, it cannot count",
                       **measure.served(runs, [search(*centre, truth.CIRCLE_METERS)
                                               for centre in circles], connection.ask))
        measure.report(f"index.moves.{suffix}", WHO, note="GEOADD pipelined over a socket",
                       check="each moved an object", **moves(connection, objects, runs))


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
    except (OSError, measure.WrongResult) as failure:
        sys.exit(str(failure))
