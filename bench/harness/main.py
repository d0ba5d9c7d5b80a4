"""Runs the benchmarks and their peers and prints one table."""

import argparse
import os
import pathlib
import subprocess
import sys
import time

import commands
import http_bench
import table

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / ".build" / "bench"
GEOBENCH = ROOT / ".build" / "release" / "GeoBench"
SERVICE = ROOT / ".build" / "release" / "geoservice"
GENERATOR = ROOT.parent / "shared" / "bench" / "synthetic_city.py"
SIZES = {"100k": 100_000, "1M": 1_000_000, "10M": 10_000_000}
# Programs that answer the same questions, and which of them.
PEERS = (
    ([WORK / "rtree"], ("build", "nearest", "radius", "move")),
    ([WORK / "grid"], ("build", "radius")),
    ([sys.executable, ROOT / "bench" / "peers" / "supercluster.py"], ("build", "clusters")),
)


def parse(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="1M", help="objects (default 1M)")
    parser.add_argument("--input", choices=("city", "peers", "all"), default="all",
                        help="our cities, the files of the peers' generator, or both (default)")
    parser.add_argument("--only", default="", metavar="PREFIX",
                        help="benchmarks whose names begin so: index.nearest, tile, http")
    parser.add_argument("--runs", type=int, default=3, help="figures are medians of (default 3)")
    parser.add_argument("--no-peers", action="store_true", help="ours alone")
    parser.add_argument("--generator", type=pathlib.Path, default=GENERATOR, metavar="FILE",
                        help="the peers' generator (default ../shared/bench/synthetic_city.py)")
    parser.add_argument("--record", action="store_true", help="write bench/RESULTS.md too")
    options = parser.parse_args(arguments)
    if not 1 <= options.runs <= 100:
        parser.error("--runs is a number from 1 to 100")
    return options


def wanted(options, kind):
    """Whether some benchmark of a type (index, tile, http) was asked for."""
    return options.only.startswith(kind) or kind.startswith(options.only)


def city_folder(options):
    """Our city and its questions in files, for the peers."""
    folder = WORK / f"city-{options.size}"
    folder.mkdir(parents=True, exist_ok=True)
    commands.run(GEOBENCH, "--size", options.size, "--export", folder)
    return folder


def peers_folder(options):
    """The files of the peers' own generator, made on first use; None where it is not at hand."""
    folder = WORK / "peers-data"
    points = folder / f"points_{options.size.lower()}.csv"
    if not points.exists() or not (folder / "tiles.csv").exists():
        if not options.generator.exists():
            return commands.leave_out("the peers' input", f"there is no {options.generator}")
        commands.announce(f"making the peers' input ({options.size})")
        folder.mkdir(parents=True, exist_ok=True)
        try:
            commands.run(sys.executable, options.generator, "--out", folder, "--n", SIZES[options.size])
        except commands.Failure as failure:
            return commands.leave_out("the peers' input", failure)
    return folder


def in_process(options, name, arguments, points, folder):
    """Ours, then the peers, on one input."""
    commands.announce(f"GeoBench on {name}.{options.size}")
    records = commands.records(
        GEOBENCH, "--json", "--size", options.size, "--runs", options.runs, "--only",
        options.only, *arguments)
    if options.no_peers or not wanted(options, "index"):
        return records
    suffix = f"{name}.{options.size}"
    for program, operations in PEERS:
        label = pathlib.Path(program[-1]).stem
        if not any(wanted(options, f"index.{operation}") for operation in operations):
            continue
        commands.announce(f"{label} on {suffix}")
        try:
            records += commands.records(*program, points, folder, suffix, options.runs)
        except commands.Failure as failure:
            commands.leave_out(label, failure)
    return records


def main(arguments):
    options = parse(arguments)
    start = time.monotonic()
    records = []
    if wanted(options, "index") or wanted(options, "tile"):
        if options.input != "peers":
            folder = city_folder(options)
            records += in_process(options, "city", [], folder / "points.f64", folder)
        folder = peers_folder(options) if options.input != "city" else None
        if folder:
            records += in_process(
                options, "peers", ["--input", folder],
                folder / f"points_{options.size.lower()}.f64", folder)
    if wanted(options, "http") and options.input != "peers":
        records += http_bench.run(
            SERVICE, city_folder(options), WORK, options, SIZES[options.size])
    records = [record for record in records if record["name"].startswith(options.only)]
    table.check_agreement(records)
    seconds = time.monotonic() - start
    # What the run was, without where things lie on this machine.
    kept = [f"--{key} {value}" for key, value in (
        ("size", options.size), ("input", options.input), ("only", options.only),
        ("runs", options.runs)) if value]
    command = f'make bench ARGS="{" ".join(kept)}"'
    text = table.render(records, options)
    print(text)
    print(f"took {seconds:.0f} s; load at the end {os.getloadavg()[0]:.1f}")
    if options.record:
        (ROOT / "bench" / "RESULTS.md").write_text(
            table.results(text, command, seconds), encoding="utf-8")
        print("written to bench/RESULTS.md")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (commands.Failure, table.Disagreement, subprocess.SubprocessError) as error:
        sys.exit(f"bench: {error}")
