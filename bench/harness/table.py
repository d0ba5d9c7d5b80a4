"""The one table, and the page that keeps it."""

import datetime
import os
import pathlib
import platform
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What the first version aims at: (benchmark, size) -> (clock's figure, bound, how to say it).
# Times in µs.
AIMS = {
    ("index.build", "1M"): ("p50", 0.3e6, "≤ 0.3 s"),
    ("index.build", "10M"): ("p50", 3e6, "≤ 3 s"),
    ("index.nearest", "1M"): ("mean", 12, "mean ≤ 12 µs"),
    ("index.clusters", "1M"): ("p50", 120, "p50 ≤ 120 µs"),
    ("index.move", "10M"): ("p99", 200, "p99 ≤ 200 µs"),
    ("tile.heat", "1M"): ("p50", 2_000, "p50 ≤ 2 ms"),
}
# Requests a second as a share of the peer's.
RATIO_AIMS = {"http.tile": 0.6, "http.tile-writes": 0.3}

HEAD = ("benchmark", "p50", "p99", "mean", "processor p50 / p99", "B/object", "peer", "p50", "p99",
        "mean", "processor p50 / p99", "ratio p50", "ratio p99", "aim")


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


def short(value, unit):
    """A figure with its unit, three digits of it."""
    if unit == "us":
        for step, name in ((1e6, "s"), (1e3, "ms")):
            if value >= step:
                return f"{value / step:.3g} {name}"
        return f"{value:.3g} µs"
    return f"{value:,.0f}/s"


def times(value):
    """A ratio."""
    return f"{value:.2f}×"


def ratio(mine, other, key):
    """How many times as fast as the peer.

    By processor time where both have it, since the machine is shared; for HTTP the p50 column
    compares requests a second, the p99 column the waiting.
    """
    if mine["unit"] == "requests/s":
        if key == "p50":
            return mine["wall"]["rate"] / other["wall"]["rate"]
        return other["wall"][key] / mine["wall"][key]
    return other["cpu"][key] / mine["cpu"][key]


def aim_of(record, peers):
    operation, size = ".".join(record["name"].split(".")[:2]), record["name"].split(".")[-1]
    if operation in RATIO_AIMS and peers:
        bound = RATIO_AIMS[operation]
        met = ratio(record, peers[0], "p50") >= bound
        return f"≥ {bound}× {'met' if met else 'missed'}"
    aim = AIMS.get((operation, size))
    if not aim:
        return ""
    key, bound, text = aim
    # By processor time, which other programs on the machine do not lengthen.
    return f"{text} {'met' if record['cpu'][key] <= bound else 'missed'}"


def figures(record):
    """p50, p99, mean and processor time, as the table shows them."""
    unit, wall, cpu = record["unit"], record["wall"], record["cpu"]
    if unit == "requests/s":
        return [short(wall["p50"], "us"), short(wall["p99"], "us"), short(wall["rate"], unit),
                f"{short(cpu['p50'], 'us')} a request"]
    return [short(wall["p50"], unit), short(wall["p99"], unit), short(wall["mean"], unit),
            f"{short(cpu['p50'], unit)} / {short(cpu['p99'], unit)}"]


def rows(records):
    """A line for each of our benchmarks and peer of it."""
    for record in records:
        if record["who"] != "geoservice":
            continue
        peers = [other for other in records
                 if other["name"] == record["name"] and other is not record]
        size = f"{record['bytesPerObject']:.0f}" if record.get("bytesPerObject") else ""
        cells = [record["name"], *figures(record), size]
        aim = aim_of(record, peers)
        if not peers:
            yield cells + [""] * 7 + [aim]
        for peer in peers:
            size = f" ({peer['bytesPerObject']:.0f} B)" if peer.get("bytesPerObject") else ""
            yield cells + [peer["who"] + size, *figures(peer), times(ratio(record, peer, "p50")),
                           times(ratio(record, peer, "p99")), aim]
            cells, aim = ["″"] + [""] * 5, ""


def render(records, options):
    """The table in Markdown, aligned for a terminal, and its notes."""
    lines = [HEAD] + list(rows(records))
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    text = []
    for number, line in enumerate(lines):
        text.append("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |")
        if number == 0:
            text.append("|" + "|".join("-" * (width + 2) for width in widths) + "|")
    text += [
        "",
        f"Wall time unless it says processor; medians of {options.runs} runs. A ratio says how many "
        "times as fast as the peer we are, by",
        "processor time, since other programs share the machine; aims are judged by it too. HTTP: "
        "p50 and p99 are what one of 64 connections",
        "waits, the mean is requests a second, and the first ratio compares those. Servers have "
        "one processor, wrk has the other.",
        "All of ours were checked in the run, and peers with the same question gave the same "
        "answer.", ""]
    for record in records:
        facts = [part for part in (record.get("note"), record.get("check") and
                                   f"checked: {record['check']}") if part]
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
    return f"""# Results

`{command}` took {seconds:.0f} s on {date}, at commit {git('rev-parse', '--short', 'HEAD')}{changed},
on {os.cpu_count()} cores ({platform.machine()}) with {gigabytes:.0f} GB of memory, load average {os.getloadavg()[1]:.1f}.

{text}
"""
