#!/usr/bin/env python3
"""Reading one CSV file: Mercer's reader against pandas.read_csv (C engine, its default options).

    bench/compare_csv.py build/bench/io_bench [ROWS]

Writes a table of ROWS (default 200 000) rows and 50 columns of numbers with eight significant digits, then reads it
with one and the other in turn, five times, and prints the medians in MB/s and their ratio. Both read from the page
cache; pandas uses one thread, Mercer one and then all of them. Needs python3-pandas.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import pandas

ROUNDS = 5
COLUMNS = 50


def write_table(path, rows):
    numbers = numpy.random.default_rng(1).standard_normal((rows, COLUMNS))
    names = ",".join(f"x{j}" for j in range(COLUMNS))
    numpy.savetxt(path, numbers, fmt="%.8g", delimiter=",", header=names, comments="")


def seconds_of_pandas(path):
    start = time.perf_counter()
    table = pandas.read_csv(path)
    seconds = time.perf_counter() - start
    assert table.shape[1] == COLUMNS
    return seconds


def seconds_of_mercer(program, path, threads):
    result = subprocess.run(
        [program, f"--benchmark_filter=csv_file/threads:{threads}/", "--benchmark_format=json",
         "--benchmark_min_time=0.001"],
        env={**os.environ, "MERCER_BENCH_CSV": path}, check=True, capture_output=True, text=True)
    return json.loads(result.stdout)["benchmarks"][0]["real_time"] / 1000


def main():
    program = sys.argv[1]
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 200_000
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "table.csv")
        write_table(path, rows)
        megabytes = os.path.getsize(path) / 1e6
        print(f"{rows} rows x {COLUMNS} columns, {megabytes:.0f} MB, {os.cpu_count()} processors")
        ways = {
            "pandas": lambda: seconds_of_pandas(path),
            "mercer, 1 thread": lambda: seconds_of_mercer(program, path, 1),
            "mercer, all threads": lambda: seconds_of_mercer(program, path, 0),
        }
        times = {name: [] for name in ways}
        for _ in range(ROUNDS):
            for name, run in ways.items():
                times[name].append(run())
    base = statistics.median(times["pandas"])
    for name, values in times.items():
        middle = statistics.median(values)
        print(f"{name:20} {megabytes / middle:7.0f} MB/s   {base / middle:5.2f} x pandas   "
              f"(seconds: {', '.join(f'{value:.2f}' for value in values)})")


if __name__ == "__main__":
    main()
