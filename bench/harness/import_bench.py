"""A table into the service's storage, durable and with its index, and by sqlite3's own `.import`.

By turns, each into a new folder, from the same file in the system's cache: the rate of a disk that
others use is that of the moment. sqlite3 keeps text as it is, checks nothing and makes no index.
"""

import os
import shutil
import subprocess
import time

import commands
import measure
import servers
from data_folder import LAYER

NAME = "import.csv"
PEER = "sqlite3 .import"


def records(binary, directory, options, count):
    """Ours, then the peer's."""
    name = f"{NAME}.city.{options.size}"
    commands.announce(name)
    points = directory / "points.csv"
    with open(points, "wb") as file:
        subprocess.run([binary, "synth", "--points", str(count)], stdout=file, check=True)
    data, database = directory / "data", directory / "peer.sqlite"
    ours = [str(binary), "import", str(points), "--layer", LAYER, "--id", "id", "--data", str(data)]
    theirs = [shutil.which("sqlite3"), str(database), ".mode csv", f".import {points} points"]
    has_peer = theirs[0] is not None and not options.no_peers
    if theirs[0] is None:
        commands.leave_out("sqlite3", "it is not installed")
    figures = {"geoservice": [], PEER: []}
    for _ in range(options.runs):
        figures["geoservice"].append(timed(ours))
        shutil.rmtree(data)
        if has_peer:
            figures[PEER].append(timed(theirs))
            database.unlink()
    for who, times in figures.items():
        if times:
            yield record(name, who, times, count)


def record(name, who, times, count):
    walls, processors = [wall for wall, _ in times], [processor for _, processor in times]
    rate = count / measure.spread(walls)["p50"] * 1e6
    used = measure.spread(processors)["p50"] / 1e6
    return {"name": name, "who": who, "unit": "us", "calls": 1, "runs": len(times),
            "wall": measure.spread(walls), "check": "exit status",
            "note": f"{rate / 1e3:.0f} k rows/s, {used:.1f} s of processors"}


def timed(command):
    """Microseconds of wall and of all processors that a command took."""
    begin = time.perf_counter_ns()
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env=servers.environment())
    complaint = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = (time.perf_counter_ns() - begin) / 1e3
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise commands.Failure(f"{command[0]} ended with {process.returncode}: {complaint[-300:]}")
    return wall, (usage.ru_utime + usage.ru_stime) * 1e6
