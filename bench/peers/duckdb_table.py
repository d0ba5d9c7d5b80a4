"""DuckDB beside import.parse: the same table into one of its own in memory, on one thread."""

import pathlib
import sys
import time

import duckdb

import measure


def main(folder, suffix, runs):
    table = pathlib.Path(folder) / "table.csv"
    if not table.exists():
        return
    connection = duckdb.connect()
    connection.execute("set threads = 1")
    walls, processors = [], []
    for _ in range(runs):
        # Its thread is one of its own, so the time is that of the process.
        processor, wall = time.process_time_ns(), time.perf_counter_ns()
        connection.execute(f"create or replace table rows as select * from read_csv('{table}')")
        wall, processor = time.perf_counter_ns() - wall, time.process_time_ns() - processor
        count, total = connection.execute("select count(*), sum(lon) from rows").fetchone()
        walls.append(count * 1e9 / wall)
        processors.append(count * 1e9 / processor)
    measure.report(
        f"import.parse.{suffix}", "DuckDB", unit="rows/s", wall=measure.spread(walls),
        cpu=measure.spread(processors), calls=1, runs=runs, result=round(total, 3),
        note="read_csv into a table in memory, one thread", check="count; sum of longitudes")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[3], int(sys.argv[4]))
