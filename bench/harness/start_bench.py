"""From starting the service on a full data folder to its first right answer.

The files are in the system's cache; the process begins with nothing.
"""

import contextlib
import pathlib
import tempfile
import time

import commands
import connection
import measure
import servers
import truth
from data_folder import LAYER

# Where the data folder keeps the index's file beside the store, and how the log says that it was
# of no use.
SNAPSHOTS = "indexes/*.index"
UNUSED = "snapshot was not used"
# Half the side of the box that the question counts.
HALF_DEGREES = 0.0200003
LONGEST_SECONDS = 600


def records(binary, data, folder, options):
    """With the snapshot file that the service leaves when it is ended, and without any."""
    objects = truth.Truth(folder / "points.f64")
    lon, lat = objects.points[0]
    box = (lon - HALF_DEGREES, lat - HALF_DEGREES, lon + HALF_DEGREES, lat + HALF_DEGREES)
    question = f"/within/{LAYER}?bbox={','.join(map(str, box))}&count=true"
    right = b'{"count":%d}' % objects.count_in_box(*box)
    suffix = f"city.{options.size}"

    def measured(operation, prepare, is_used, note):
        commands.announce(f"{operation}.{suffix}")
        walls, resident = [], 0
        for _ in range(options.runs):
            prepare()
            wall, resident, log = start(binary, data, question, right)
            measure.check(UNUSED not in log or not is_used, f"{operation}: {UNUSED}")
            walls.append(wall)
        return {"name": f"{operation}.{suffix}", "who": "geoservice", "unit": "us",
                "wall": measure.spread(walls), "calls": 1, "runs": options.runs,
                "bytesPerObject": resident / len(objects),
                "check": "one box against all objects", "note": note}

    # What the import left may be another version's.
    start(binary, data, question, right)
    if snapshots(data):
        yield measured("start.snapshot", lambda: None, True,
                       "process start to first right answer")
    else:
        yield {"name": f"start.snapshot.{suffix}", "who": "geoservice",
               "absent": "the service leaves no snapshot file yet"}
    yield measured("start.rebuild", lambda: [path.unlink() for path in snapshots(data)],
                   False, "the same without a snapshot file")


def snapshots(data):
    return [path for path in data.glob(SNAPSHOTS) if path.is_file()]


def start(binary, data, question, right):
    """Microseconds to the first right answer, resident bytes then, and the log.

    Ends the service again, upon which it may write its snapshot file.
    """
    port = servers.free_port()
    with tempfile.NamedTemporaryFile() as log:
        begin = time.perf_counter_ns()
        server = servers.Server(
            [binary, "serve", "--data", data, "--listen", f"127.0.0.1:{port}"],
            stdout=log, stderr=log, env=servers.environment())
        try:
            asked = first_answer(server, port, question, begin)
            wall = (time.perf_counter_ns() - begin) / 1e3
            measure.check(asked.strip() == right, f"the first answer is {asked[:100]}")
            return wall, server.resident_bytes(), pathlib.Path(log.name).read_text("utf-8")
        finally:
            server.stop(LONGEST_SECONDS)


def first_answer(server, port, question, begin):
    """The body of the first answer that is no refusal."""
    while True:
        with contextlib.suppress(OSError):
            asked = connection.Connection(port)
            status, body = asked.ask(connection.Connection.request(question))
            asked.close()
            if status == 200:
                return body
        if server.process.poll() is not None:
            raise commands.Failure("the service ended while it started")
        if (time.perf_counter_ns() - begin) / 1e9 > LONGEST_SECONDS:
            raise commands.Failure("the service gave no answer")
        time.sleep(0.002)
