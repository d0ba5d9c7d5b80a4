"""Running programs, and saying what is done."""

import json
import subprocess
import sys


class Failure(Exception):
    """A program did not do what it was asked."""


def announce(what):
    """Says on standard error what is being done: a run takes minutes."""
    print(f"==> {what}", file=sys.stderr, flush=True)


def leave_out(what, why):
    """Says that something is left out. Gives None."""
    announce(f"left out: {what}: {why}")


def run(*command, **options):
    """Runs a program to its end and gives what it wrote.

    Raises Failure, with the end of what it complained of, when it fails.
    """
    done = subprocess.run(
        [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, check=False, **options)
    if done.returncode != 0:
        complaint = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise Failure(f"{command[0]} ended with {done.returncode}: {complaint}")
    return done.stdout


def records(*command):
    """The records that a program prints, one a line of JSON."""
    return [json.loads(line) for line in run(*command).splitlines() if line.startswith("{")]
