"""pysupercluster (C++): load and getClusters, one thread.

    supercluster.py POINTS.f64 FOLDER SUFFIX RUNS     FOLDER has viewports.csv

Its radius counts on tiles of 512, ours on tiles of 256: its 80 is our 40, its 40 our 20.
An answer is a list of Python dictionaries, which its time contains.
"""

import csv
import json
import math
import os
import sys
import time

import numpy
import pysupercluster

WHO = "pysupercluster"


def spread(numbers):
    ordered = sorted(numbers)

    def rank(share):
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)]

    return {"p50": rank(0.5), "p99": rank(0.99), "mean": sum(ordered) / len(ordered)}


def median_of(spreads):
    return {key: spread([one[key] for one in spreads])["p50"] for key in ("p50", "p99", "mean")}


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def timed(question):
    """The answer, and microseconds of wall and processor time."""
    processor, wall = time.thread_time_ns(), time.perf_counter_ns()
    answer = question()
    wall, processor = time.perf_counter_ns() - wall, time.thread_time_ns() - processor
    return answer, wall / 1e3, processor / 1e3


def report(name, walls, processors, **more):
    print(json.dumps({
        "name": name, "who": WHO, "unit": "us", "wall": median_of(walls),
        "cpu": median_of(processors), "runs": len(walls), **more}), flush=True)


def main(path, folder, suffix, runs):
    points = numpy.fromfile(path, "<f8").reshape(-1, 2)
    with open(os.path.join(folder, "viewports.csv"), encoding="ascii") as file:
        views = [
            (int(row["zoom"]), (float(row["west"]), float(row["north"])),
             (float(row["east"]), float(row["south"])))
            for row, _ in zip(csv.DictReader(file), range(1_000))]
    for operation, radius in (("index.clusters", 80), ("index.clusters20", 40)):
        before = resident_bytes()
        index, wall, processor = timed(lambda: pysupercluster.SuperCluster(
            points, min_zoom=0, max_zoom=16, radius=radius, extent=512))
        size = (resident_bytes() - before) / len(points)
        if operation == "index.clusters":
            report(f"index.build.{suffix}", [spread([wall])], [spread([processor])], calls=1,
                   bytesPerObject=size, note="all zooms for one radius")
        walls, processors, found = [], [], 0
        for _ in range(runs):
            wall_times, processor_times, found = [], [], 0
            for zoom, top_left, bottom_right in views:
                answer, wall, processor = timed(lambda: index.getClusters(
                    top_left=top_left, bottom_right=bottom_right, zoom=zoom))
                wall_times.append(wall)
                processor_times.append(processor)
                found += len(answer)
            walls.append(spread(wall_times))
            processors.append(spread(processor_times))
        report(f"{operation}.{suffix}", walls, processors, calls=len(views),
               note=f"{found // len(views)} results a view, its own clustering")
        del index


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
