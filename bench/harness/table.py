"""The table of figures, the table of aims, and the page that keeps them."""

import datetime
import os
import pathlib
import platform
import subprocess

import aims
from figures import columns, ratio, short

ROOT = pathlib.Path(__file__).resolve().parents[2]

HEAD = ("benchmark", "p50", "p99", "mean", "processor p50 / p99", "B/object", "peer", "p50", "p99",
        "mean", "processor p50 / p99", "ratio p50", "ratio p99")
AIMS_HEAD = ("benchmark", "aim", "found", "")


class Disagreement(Exception):
    """Two programs gave different answers to the same questions."""


def check_agreement(records):
    """Peers that answer the same question must have found the same: a wrong answer counts not."""
    ours = {record["name"]: record for record in records if record["who"] == "geoservice"}
    for record in records:
        mine = ours.get(record["name"], record)
        if "result" not in record or "result" not in mine or "move" in record["name"]:
            continue
        if abs(record["result"] - mine["result"]) > 1e-6 * abs(mine["result"]):
            raise Disagreement(
                f"{record['name']}: {record['who']} found {record['result']}, "
                f"geoservice {mine['result']}")


def rows(records):
    """A line for each of our benchmarks and peer of it."""
    for record in records:
        if record["who"] != aims.OURS:
            continue
        if "absent" in record:
            yield [record["name"], "not there yet"] + [""] * (len(HEAD) - 2)
            continue
        peers = [other for other in records
                 if other["name"] == record["name"] and other is not record]
        size = f"{record['bytesPerObject']:.0f}" if record.get("bytesPerObject") else ""
        cells = [record["name"], *columns(record), size]
        if not peers:
            yield cells + [""] * 7
        for peer in peers:
            size = f" ({peer['bytesPerObject']:.0f} B)" if peer.get("bytesPerObject") else ""
            yield cells + [peer["who"] + size, *columns(peer),
                           short(ratio(record, peer, "p50"), "times"),
                           short(ratio(record, peer, "p99"), "times")]
            cells = ["″"] + [""] * 5


def aligned(head, lines):
    """A table in Markdown, aligned for a terminal."""
    lines = [head] + list(lines)
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    text = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |"
            for line in lines]
    text.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return text


def render(records, options):
    """Both tables and the notes."""
    text = aligned(HEAD, rows(records))
    judged = list(aims.verdicts(records, options.size, options.only))
    if judged:
        text += ["", *aligned(AIMS_HEAD, judged)]
    text += [
        "",
        f"Wall time unless it says processor; medians of {options.runs} runs. A ratio says how "
        "many times as good as the peer we are, by",
        "processor time where both have it, since other programs share the machine; aims are "
        "judged by it too. HTTP under load (http.tile,",
        "http.tile-writes, http.clusters): p50 and p99 are what one of 64 connections waits, the "
        "mean is requests a second, and the first",
        "ratio compares those. Servers have one processor, who asks has the other; parse.* is under "
        "load, too, but both share all processors.",
        "All of ours were checked in the run, and peers with the same question gave the same "
        "answer.", ""]
    for record in records:
        facts = [part for part in (
            record.get("note"), record.get("check") and f"checked: {record['check']}",
            record.get("absent")) if part]
        if facts:
            text.append(f"- {record['name']}, {record['who']}: {'; '.join(facts)}")
    return "\n".join(text)


def results(text, command, seconds):
    """The page that keeps a run: command, commit, date and machine."""
    def git(*arguments):
        return subprocess.run(("git", "-C", ROOT) + arguments, capture_output=True, text=True,
                              check=False).stdout.strip()

    with open("/proc/meminfo", encoding="ascii") as file:
        gigabytes = int(file.readline().split()[1]) / (1 << 20)
    changed = " with changes" if git("status", "--porcelain", "--untracked-files=no") else ""
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    commit = git("rev-parse", "--short", "HEAD")
    load = os.getloadavg()[1]
    return f"""# Results

`{command}` took {seconds:.0f} s on {date}, at commit {commit}{changed},
on {os.cpu_count()} cores ({platform.machine()}) with {gigabytes:.0f} GB of memory, load average {load:.1f}.

{text}
"""
