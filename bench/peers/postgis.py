"""PostGIS: the 10 nearest, circles, vector tiles and views on a grid. One server, one connection.

    postgis.py POINTS.f64 FOLDER SUFFIX RUNS     FOLDER has the four files of questions

Prepared statements, one process, no sync to disk: what it does best. Times end when the answer is
in the client's memory; turning it into Python's objects is not in them.
"""

import pathlib
import signal
import sys

import measure
import numpy
import private_server
import psycopg
import truth
import vector_tile

QUESTIONS = 300
# A tile or a view looks at every object in it.
SLOW_QUESTIONS = 40
CLUSTER_PIXELS = 40
BUFFER = 64
SETTINGS = {
    "listen_addresses": "", "port": 54329, "shared_buffers": "1GB", "work_mem": "256MB",
    "maintenance_work_mem": "1GB", "max_wal_size": "16GB", "fsync": "off",
    "synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off", "jit": "off",
    "max_parallel_workers_per_gather": 0, "max_parallel_maintenance_workers": 0}

LOAD = (
    "CREATE TABLE city AS SELECT id, ST_Transform(place, 3857) AS plane, place::geography AS globe "
    "FROM (SELECT id, ST_SetSRID(ST_MakePoint(lon, lat), 4326) AS place FROM raw) AS places",
    "CREATE INDEX ON city USING gist (plane)", "CREATE INDEX ON city USING gist (globe)",
    "VACUUM ANALYZE city")
ON_PLANE = ("SELECT id FROM city ORDER BY plane <-> "
            "ST_Transform(ST_SetSRID(ST_MakePoint(%s, %s), 4326), 3857) LIMIT 10")
ON_GLOBE = "SELECT id FROM city ORDER BY globe <-> ST_MakePoint(%s, %s)::geography LIMIT 10"
CIRCLE = ("SELECT count(*) FROM city WHERE "
          f"ST_DWithin(globe, ST_MakePoint(%s, %s)::geography, {truth.CIRCLE_METERS}, false)")
TILE = ("SELECT ST_AsMVT(features, 'city', 4096, 'shape') FROM (SELECT id, ST_AsMVTGeom(plane, "
        f"ST_TileEnvelope(%s, %s, %s), 4096, {BUFFER}) AS shape FROM city WHERE plane && "
        f"ST_TileEnvelope(%s, %s, %s, margin => {BUFFER / 4096})) AS features")
VIEW = ("SELECT count(*), avg(ST_X(plane)), avg(ST_Y(plane)) FROM city WHERE plane && "
        "ST_MakeEnvelope(%s, %s, %s, %s, 3857) GROUP BY ST_SnapToGrid(plane, %s)")


def start(server):
    """Makes and starts a database, and gives a connection to it."""
    programs = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"),
                   key=lambda path: int(path.parent.name), default=None)
    if not programs:
        raise OSError("there is no /usr/lib/postgresql")
    data = server.folder / "data"
    server.run(programs / "initdb", "-D", data, "-U", "bench", "-A", "trust", "--no-sync",
               "-E", "UTF8", "--locale=C")
    settings = [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")]
    server.start(programs / "postgres", "-D", data, "-k", server.folder, *settings)
    return server.wait_for(
        lambda: psycopg.connect(host=str(server.folder), port=SETTINGS["port"], user="bench",
                                dbname="postgres", autocommit=True), psycopg.OperationalError)


def load(connection, objects):
    """Copies, projects and indexes all objects."""
    rows = numpy.empty(len(objects), [
        ("fields", ">i2"), ("size", ">i4"), ("id", ">i4"), ("lon size", ">i4"), ("lon", ">f8"),
        ("lat size", ">i4"), ("lat", ">f8")])
    rows["fields"], rows["size"], rows["lon size"], rows["lat size"] = 3, 4, 8, 8
    rows["id"] = numpy.arange(len(objects))
    rows["lon"], rows["lat"] = objects.points.T
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION postgis")
    cursor.execute("CREATE UNLOGGED TABLE raw (id int, lon float8, lat float8)")

    def work():
        with cursor.copy("COPY raw FROM STDIN (FORMAT BINARY)") as copy:
            copy.write(b"PGCOPY\n\377\r\n\0" + bytes(8))
            for start_row in range(0, len(rows), 100_000):
                copy.write(rows[start_row:start_row + 100_000].tobytes())
            copy.write(b"\377\377")
        for statement in LOAD:
            cursor.execute(statement)

    _, wall, _ = measure.timed(work)
    return wall


class Questions:
    """Asks, and compares with brute force."""

    def __init__(self, connection, objects, folder):
        self.cursor = connection.cursor(binary=True)
        self.objects = objects
        self.x, self.y = objects.mercator()
        self.centres = [row[:2] for row in truth.questions(folder, "nearest.csv", QUESTIONS)]
        self.circles = [row[:2] for row in truth.questions(folder, "radius.csv", QUESTIONS)]
        self.tiles = [tuple(map(int, row)) * 2
                      for row in truth.questions(folder, "tiles.csv", SLOW_QUESTIONS)]
        self.views = [self.view(*row)
                      for row in truth.questions(folder, "viewports.csv", SLOW_QUESTIONS)]

    @staticmethod
    def view(zoom, west, south, east, north):
        """A box in metres and the side of its grid."""
        (left, right), (bottom, top) = truth.mercator(
            numpy.array((west, east)), numpy.array((south, north)))
        around = 2 * numpy.pi * truth.MERCATOR_RADIUS_METERS
        side = around / 2 ** zoom / 256 * CLUSTER_PIXELS
        return tuple(map(float, (left, bottom, right, top, side)))

    def ask(self, statement):
        return lambda question: self.cursor.execute(statement, question, prepare=True)

    def rows(self, statement, question):
        return self.ask(statement)(question).fetchall()

    def count(self, left, bottom, right, top):
        """How many objects lie in a box on the plane."""
        return int(((self.x >= left) & (self.x <= right)
                    & (self.y >= bottom) & (self.y <= top)).sum())

    def check_plane(self, centre):
        x, y = truth.mercator(*centre)
        distances = numpy.hypot(self.x - x, self.y - y)
        found = [distances[number] for number, in self.rows(ON_PLANE, centre)]
        measure.check(len(found) == 10 and abs(found[9] - numpy.partition(distances, 9)[9]) < 1e-3,
                      f"the tenth neighbour of {centre} on the plane")

    def check_globe(self, centre):
        # It goes by the ellipsoid, brute force by the sphere: they differ by 0.6 % at most.
        distances = self.objects.distances(*centre)
        found = [distances[number] for number, in self.rows(ON_GLOBE, centre)]
        measure.check(len(found) == 10
                      and max(found) <= numpy.partition(distances, 9)[9] * 1.012 + 1e-3,
                      f"the tenth neighbour of {centre} on the globe")

    def check_circle(self, centre):
        distances = self.objects.distances(*centre)
        (found,), = self.rows(CIRCLE, centre)
        low, high = ((distances <= truth.CIRCLE_METERS + margin).sum() for margin in (-0.01, 0.01))
        measure.check(low <= found <= high, f"{found} objects around {centre}")

    def check_tile(self, question):
        zoom, column, row = question[:3]
        (found,), = self.rows(TILE, question)
        half = numpy.pi * truth.MERCATOR_RADIUS_METERS
        side = 2 * half / 2 ** zoom
        left, top = column * side - half, half - row * side
        counts = []
        for margin in (BUFFER - 1, BUFFER + 1):
            wide = margin / 4096 * side
            counts.append(self.count(
                left - wide, top - side - wide, left + side + wide, top + wide))
        features = vector_tile.feature_count(found)
        measure.check(counts[0] <= features <= counts[1],
                      f"{features} features in {zoom}/{column}/{row}, not {counts}")

    def check_view(self, question):
        found = sum(count for count, _, _ in self.rows(VIEW, question))
        left, bottom, right, top, _ = question
        counts = [self.count(left + inset, bottom + inset, right - inset, top - inset)
                  for inset in (1e-3, -1e-3)]
        measure.check(counts[0] <= found <= counts[1], f"{found} objects in the view {question}")


def main(points, folder, suffix, runs):
    objects = truth.Truth(points)
    with private_server.PrivateServer("postgres", stop_signal=signal.SIGINT) as server:
        with start(server) as connection:
            private_server.use_other_processors()
            wall = load(connection, objects)
            size, = connection.execute("SELECT pg_total_relation_size('city')").fetchone()
            figures = {"p50": wall, "p99": wall, "mean": wall}
            measure.report(f"index.build.{suffix}", "PostGIS", unit="us", wall=figures, calls=1,
                           runs=1, bytesPerObject=size / len(objects),
                           note="COPY and two indexes; bytes on disk")
            asked = Questions(connection, objects, folder)
            for operation, who, statement, questions, check in (
                    ("nearest", "PostGIS plane", ON_PLANE, asked.centres, asked.check_plane),
                    ("nearest", "PostGIS globe", ON_GLOBE, asked.centres, asked.check_globe),
                    ("radius", "PostGIS globe", CIRCLE, asked.circles, asked.check_circle),
                    ("fresh-tile", "PostGIS ST_AsMVT", TILE, asked.tiles, asked.check_tile),
                    ("view", "PostGIS snap to grid", VIEW, asked.views, asked.check_view)):
                for question in measure.sample(questions):
                    check(question)
                measure.report(
                    f"http.{operation}.{suffix}", who, check="8 questions against all objects",
                    **measure.served(runs, questions, asked.ask(statement)))


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
    except (OSError, psycopg.Error, measure.WrongResult) as failure:
        sys.exit(str(failure))
