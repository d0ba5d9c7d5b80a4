"""Runs the benchmarks and their peers and prints one table."""

import argparse
import http.client
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import commands
import data_folder
import http_bench
import measure
import servers
import table
import uncached_bench
import viewer_bench

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / ".build" / "bench"
RELEASE = ROOT / ".build" / "release"
GENERATOR = ROOT.parent / "shared" / "bench" / "synthetic_city.py"
SIZES = {"100k": 100_000, "1M": 1_000_000, "10M": 10_000_000}
PEERS = ROOT / "bench" / "peers"
# Programs beside ours in this process, and the benchmarks for whose sake they are run.
LIBRARIES = (
    ([WORK / "rtree"], ("index.build", "index.nearest", "index.radius", "index.move")),
    ([WORK / "grid"], ("index.build", "index.radius")),
    ([WORK / "nanoflann"], ("index.build", "index.nearest", "index.radius-ids")),
    ([sys.executable, PEERS / "supercluster.py"], ("index.build", "index.clusters")),
    ([sys.executable, PEERS / "datashader_tiles.py"], ("tile.heat",)),
    # Debian's, for Debian's Python.
    (["/usr/bin/python3", PEERS / "mapnik_tiles.py"], ("tile.points",)))
# What encodes our own pictures anew, and reads our own table.
PICTURES = (([WORK / "png"], ("tile.png",)),
            ([sys.executable, PEERS / "duckdb_table.py"], ("import.parse",)))
# Database servers. They load all objects first, so one input must do, and some of their answers
# take a second at 10 M, so fewer runs must.
DATABASES = (
    ([sys.executable, PEERS / "redis_geo.py"], ("index.moves", "http.nearest", "http.radius")),
    ([sys.executable, PEERS / "postgis.py"],
     ("http.nearest", "http.radius", "http.fresh-tile", "http.view")))
ONE_BY_ONE = ("http.nearest", "http.radius", "http.view", "http.fresh-tile", "http.singles",
              "http.where")
DATABASE_RUNS = {"100k": 3, "1M": 3, "10M": 1}
UNDER_LOAD = ("http.tile", "http.tile-304", "http.tile-writes", "http.clusters")
UNCACHED = ("http.cluster-tiles",)
VIEWERS = ("http.viewer",)


def parse(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="1M", help="objects (default 1M)")
    parser.add_argument("--input", choices=("city", "peers", "all"), default="all",
                        help="our cities, the files of the peers' generator, or both (default)")
    parser.add_argument("--only", default="", metavar="PREFIX",
                        help="benchmarks whose names begin so: index.nearest, tile, http, parse, "
                             "export, import, start")
    parser.add_argument("--runs", type=int, default=5, help="figures are medians of (default 5)")
    parser.add_argument("--no-peers", action="store_true", help="ours alone")
    parser.add_argument("--build", type=pathlib.Path, default=RELEASE, metavar="FOLDER",
                        help="where GeoBench and geoservice are (default .build/release)")
    parser.add_argument("--generator", type=pathlib.Path, default=GENERATOR, metavar="FILE",
                        help="the peers' generator (default ../shared/bench/synthetic_city.py)")
    parser.add_argument("--record", action="store_true", help="write bench/RESULTS.md too")
    options = parser.parse_args(arguments)
    if not 1 <= options.runs <= 100:
        parser.error("--runs is a number from 1 to 100")
    return options


def wanted(options, *names):
    """Whether some benchmark with one of these names, or names that begin so, was asked for."""
    return any(name.startswith(options.only) or begins_with(options.only, name) for name in names)


def begins_with(only, name):
    """Whether `only` is the name or goes on behind it: "http.viewer" has nothing of "http.view"."""
    return only.startswith(name) and not only[len(name):][:1].isalnum()


def city_folder(options):
    """Our city and its questions in files, for the peers."""
    folder = WORK / f"city-{options.size}"
    folder.mkdir(parents=True, exist_ok=True)
    commands.run(options.build / "GeoBench", "--size", options.size, "--export", folder)
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
            commands.run(sys.executable, options.generator, "--out", folder,
                         "--n", SIZES[options.size])
        except commands.Failure as failure:
            return commands.leave_out("the peers' input", failure)
    return folder


def in_process(options, name, arguments, points, folder):
    """Ours, then the peers, on one input."""
    commands.announce(f"GeoBench on {name}.{options.size}")
    suffix = f"{name}.{options.size}"
    with tempfile.TemporaryDirectory(prefix="pictures-", dir=WORK) as pictures:
        records = commands.records(
            options.build / "GeoBench", "--json", "--size", options.size, "--runs", options.runs,
            "--only", options.only, "--pictures", pictures, *arguments)
        records += peers(options, PICTURES, options.runs, suffix, pictures, folder)
    return records + peers(options, LIBRARIES, options.runs, suffix, points, folder)


def peers(options, programs, runs, suffix, points, folder):
    """What those of the programs say whose benchmarks were asked for."""
    records = []
    for program, names in programs:
        label = pathlib.Path(program[-1]).stem
        if options.no_peers or not wanted(options, *names):
            continue
        commands.announce(f"{label} on {suffix}")
        try:
            records += commands.records(*program, points, folder, suffix, runs)
        except (commands.Failure, OSError) as failure:
            commands.leave_out(label, failure)
    return records


def served(options, folder):
    """The service on our city: under load, asked one question at a time, and started."""
    service, count = options.build / "geoservice", SIZES[options.size]
    records = []
    try:
        # They compare with numpy, which is not everywhere.
        import export_bench
        import import_bench
        import parse_bench
        import question_bench
        import start_bench
    except ImportError as failure:
        return commands.leave_out("the service", failure) or []
    try:
        data = data_folder.imported(service, WORK, options, count)
        if wanted(options, *ONE_BY_ONE, *UNDER_LOAD, *UNCACHED, *VIEWERS):
            with tempfile.TemporaryDirectory(prefix="geobench-", dir=WORK) as name:
                records += asked(
                    options, question_bench, data, folder, pathlib.Path(name))
        if wanted(options, "parse"):
            with tempfile.TemporaryDirectory(prefix="geobench-", dir=WORK) as name:
                records += parse_bench.records(
                    service, data, folder, pathlib.Path(name), options, count)
        if wanted(options, "export"):
            with tempfile.TemporaryDirectory(prefix="geobench-", dir=WORK) as name:
                records += export_bench.records(service, data, pathlib.Path(name), options, count)
        if wanted(options, "import"):
            with tempfile.TemporaryDirectory(prefix="geobench-", dir=WORK) as name:
                records += import_bench.records(service, pathlib.Path(name), options, count)
        if wanted(options, "start"):
            records += start_bench.records(service, data, folder, options)
    except (commands.Failure, OSError, subprocess.SubprocessError) as failure:
        commands.leave_out("the rest of the service", failure)
    return records


def asked(options, question_bench, data, folder, directory):
    """Questions to a service on a copy of the data, which some of them change."""
    running = servers.start_service(
        options.build / "geoservice", data_folder.copied(data, directory))
    records = []
    try:
        if wanted(options, *ONE_BY_ONE):
            commands.announce(f"one question at a time on city.{options.size}")
            with servers.other_processors():
                bench = question_bench.QuestionBench(running.port, folder, options)
                records += bench.records()
        if wanted(options, *UNDER_LOAD):
            bench = http_bench.HTTPBench(running, directory, folder, options, SIZES[options.size])
            records += bench.records()
        if wanted(options, *VIEWERS):
            bench = http_bench.HTTPBench(running, directory, folder, options, SIZES[options.size])
            records += viewer_bench.ViewerBench(bench, data_folder.LAYER).records()
    except (commands.Failure, OSError, http.client.HTTPException) as failure:
        commands.leave_out("the rest of http", failure)
    finally:
        running.stop()
    if wanted(options, *UNCACHED):
        try:
            records += uncached_bench.records(
                options.build / "geoservice", data, folder, directory, options,
                SIZES[options.size])
        except (commands.Failure, OSError, http.client.HTTPException) as failure:
            commands.leave_out("http.cluster-tiles", failure)
    return records


def main(arguments):
    options = parse(arguments)
    start = time.monotonic()
    records = []
    if wanted(options, "index", "tile"):
        if options.input != "peers":
            folder = city_folder(options)
            records += in_process(options, "city", [], folder / "points.f64", folder)
        folder = peers_folder(options) if options.input != "city" else None
        if folder:
            records += in_process(
                options, "peers", ["--input", folder],
                folder / f"points_{options.size.lower()}.f64", folder)
    if options.input != "peers":
        folder = city_folder(options)
        if wanted(options, "http", "parse", "export", "import", "start"):
            records += served(options, folder)
        runs = min(options.runs, DATABASE_RUNS[options.size])
        records += peers(options, DATABASES, runs, f"city.{options.size}",
                         folder / "points.f64", folder)
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
    except (commands.Failure, measure.WrongResult, table.Disagreement,
            subprocess.SubprocessError) as error:
        sys.exit(f"bench: {error}")
