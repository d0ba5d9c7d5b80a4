"""h2load, for answers that have no body but tell the length of one: wrk would wait for it."""

import re

import commands
from wrk import CONNECTIONS


def load(server, path, seconds, directory, headers, **options):
    """One run against a server, as `wrk.load` gives it.

    Raises Failure when an answer is an error.
    """
    log = directory / "h2load.log"
    log.unlink(missing_ok=True)
    fields = [part for name, value in headers.items() for part in ("-H", f"{name}: {value}")]
    before = server.processor_seconds()
    text = commands.run(
        "h2load", "--h1", *fields, "-t1", f"-c{CONNECTIONS}", f"-D{seconds}",
        f"--log-file={log}", f"http://127.0.0.1:{server.port}{path}", **options)
    used = server.processor_seconds() - before
    rate = float(re.search(r"finished in [^,]+, ([\d.]+) req/s", text)[1])
    failed = int(re.search(r"(\d+) failed", text)[1])
    if failed or re.search(r"[1-9]\d* [45]xx", text):
        raise commands.Failure(f"answers of {server.process.args[0]} failed: {text}")
    # A line is when it began, the status and the wait, in microseconds.
    waits = sorted(int(line.split("\t")[2]) for line in log.read_text().splitlines())
    if not waits:
        raise commands.Failure(f"{server.process.args[0]} gave no answer: {text}")
    return {"p50": waits[len(waits) // 2], "p99": waits[len(waits) * 99 // 100], "rate": rate,
            "cpu": used / len(waits) * 1e6, "requests": len(waits)}
