"""wrk, the program that asks over many connections."""

import re

import commands

CONNECTIONS = 64


def load(server, script, seconds, directory, headers=None, **options):
    """One run against a server: requests a second, waits and the server's processor time for each
    request, both in microseconds, and how many requests there were.

    `script` is what wrk is told in Lua. Raises Failure when an answer is no 2xx.
    """
    file = directory / "load.lua"
    file.write_text(script, encoding="ascii")
    fields = [part for name, value in (headers or {}).items() for part in ("-H", f"{name}: {value}")]
    before = server.processor_seconds()
    text = commands.run(
        "wrk", *fields, "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "-s", file,
        f"http://127.0.0.1:{server.port}/", **options)
    used = server.processor_seconds() - before
    if "Non-2xx" in text or "Socket errors" in text:
        raise commands.Failure(f"answers of {server.process.args[0]} failed: {text}")
    requests = int(re.search(r"(\d+) requests in", text)[1])
    rate = float(re.search(r"Requests/sec: +([\d.]+)", text)[1])
    waits = {name: microseconds(re.search(rf"{name[1:]}% +([\d.]+)(us|ms|s)\b", text))
             for name in ("p50", "p99")}
    return {**waits, "rate": rate, "cpu": used / max(1, requests) * 1e6, "requests": requests}


def by_turns(paths):
    """A script that asks for paths by turns."""
    lines = ",\n".join(f'wrk.format("GET", "{path}")' for path in paths)
    return ("local requests, next\n"
            f"init = function() requests = {{ {lines} }}; next = 0 end\n"
            "request = function()\n    next = next % #requests + 1\n"
            "    return requests[next]\nend\n")


def record(name, who, runs, **more):
    """What the table shows of some runs: medians."""
    return {"name": name, "who": who, "unit": "requests/s", "runs": len(runs),
            "wall": {key: median([run[key] for run in runs]) for key in ("p50", "p99", "rate")},
            "cpu": {"p50": median([run["cpu"] for run in runs])}, **more}


def microseconds(found):
    return float(found[1]) * {"us": 1, "ms": 1e3, "s": 1e6}[found[2]]


def median(numbers):
    return sorted(numbers)[(len(numbers) - 1) // 2]
