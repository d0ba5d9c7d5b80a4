"""What the peers in Python and the harness share: clocks, figures, lines of JSON."""

import json
import math
import os
import time


def spread(numbers):
    """Middle, tail and mean by nearest rank, as GeoBench does it."""
    ordered = sorted(numbers)

    def rank(share):
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)]

    return {"p50": rank(0.5), "p99": rank(0.99), "mean": sum(ordered) / len(ordered)}


def median_of(spreads):
    """Of each figure the median over several runs."""
    return {key: spread([one[key] for one in spreads])["p50"] for key in spreads[0]}


def resident_bytes(process="self"):
    """Resident memory of a process, counted in pages."""
    with open(f"/proc/{process}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def timed(question):
    """The answer, and microseconds of wall and of this thread's processor time."""
    processor, wall = time.thread_time_ns(), time.perf_counter_ns()
    answer = question()
    wall, processor = time.perf_counter_ns() - wall, time.thread_time_ns() - processor
    return answer, wall / 1e3, processor / 1e3


def served(runs, questions, ask):
    """The wall times of asking a server: `ask(question)` in each of some runs.

    The processor time that counts is another process's, so there is none here.
    """
    for question in questions[:10]:
        ask(question)
    walls = [spread([timed(lambda: ask(question))[1] for question in questions])
             for _ in range(runs)]
    return {"unit": "us", "wall": median_of(walls), "calls": len(questions), "runs": runs}


def report(name, who, **fields):
    """Prints a record."""
    print(json.dumps({"name": name, "who": who, **fields}), flush=True)


def sample(items, count=8):
    """Some of a list, spread evenly: what is compared with brute force."""
    count = min(count, len(items))
    return [items[(2 * number + 1) * len(items) // (2 * count)] for number in range(count)]


class WrongResult(Exception):
    """An answer was wrong: its time counts for nothing."""


def check(condition, what):
    """Raises WrongResult unless a condition holds."""
    if not condition:
        raise WrongResult(f"wrong result: {what}")
