"""pysupercluster (C++): load and getClusters, one thread.

    supercluster.py POINTS.f64 FOLDER SUFFIX RUNS     FOLDER has viewports.csv

Its radius counts on tiles of 512, ours on tiles of 256: its 80 is our 40, its 40 our 20.
An answer is a list of Python dictionaries, which its time contains.
"""

import sys

import measure
import pysupercluster
import truth

WHO = "pysupercluster"
VIEWS = 1_000


def check(index, objects):
    """What holds of any clustering: at each zoom all objects are in the clusters, none twice."""
    for zoom in (0, 2, 4, 6):
        found = index.getClusters(top_left=(-180, 90), bottom_right=(180, -90), zoom=zoom)
        count = sum(cluster["count"] for cluster in found)
        measure.check(count == len(objects), f"{count} objects in the clusters of zoom {zoom}")


def build(objects, radius):
    """The index, with its times and size."""
    before = measure.resident_bytes()
    index, wall, processor = measure.timed(lambda: pysupercluster.SuperCluster(
        objects.points, min_zoom=0, max_zoom=16, radius=radius, extent=512))
    size = (measure.resident_bytes() - before) / len(objects)
    return index, {"unit": "us", "wall": measure.spread([wall]),
                   "cpu": measure.spread([processor]), "calls": 1, "runs": 1,
                   "bytesPerObject": size, "note": "all zooms for one radius"}


def views(index, boxes, runs):
    """The figures of asking for each view in each run."""
    walls, processors, found = [], [], 0
    for _ in range(runs):
        wall_times, processor_times, found = [], [], 0
        for zoom, west, south, east, north in boxes:
            answer, wall, processor = measure.timed(lambda: index.getClusters(
                top_left=(west, north), bottom_right=(east, south), zoom=int(zoom)))
            wall_times.append(wall)
            processor_times.append(processor)
            found += len(answer)
        walls.append(measure.spread(wall_times))
        processors.append(measure.spread(processor_times))
    return {"unit": "us", "wall": measure.median_of(walls), "cpu": measure.median_of(processors),
            "calls": len(boxes), "runs": runs,
            "note": f"{found // len(boxes)} results a view, its own clustering",
            "check": "at four zooms the counts sum up to all objects"}


def main(points, folder, suffix, runs):
    objects = truth.Truth(points)
    boxes = truth.questions(folder, "viewports.csv", VIEWS)
    for operation, radius in (("index.clusters", 80), ("index.clusters20", 40)):
        index, figures = build(objects, radius)
        check(index, objects)
        if operation == "index.clusters":
            measure.report(f"index.build.{suffix}", WHO, **figures)
        measure.report(f"{operation}.{suffix}", WHO, **views(index, boxes, runs))
        del index


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
    except measure.WrongResult as failure:
        sys.exit(str(failure))
