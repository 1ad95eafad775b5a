#!/usr/bin/env python3
"""Two builds of Mercer on the data of the comparison, in turns: what a change costs.

usage: old_and_new.py OLD NEW [--rounds R] [--only NAME ...] [--data FOLDER]

Prints for each scenario the medians of R (7) interleaved fits, in the seconds that the programs report for solving, and
their ratio; transforms likewise. Machines are noisy: a ratio within 0.05 of 1 says nothing. Exit status 1 when a ratio
exceeds 1.05.
"""
import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import mercer_run
import scenarios
from measure import helper

PROJECT = Path(__file__).resolve().parent.parent.parent
LARGEST = 1.05


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--data", type=Path, default=PROJECT / "build" / "bench-data")
    return parser.parse_args()


def compare(scenario, options, folder):
    """The medians of the old and of the new program."""
    files = helper("data.py", scenario.data, scenario.rows, scenario.new_rows, options.data)
    kernel, _ = mercer_run.kernel_of(options.new.resolve(), files["train"], scenario.components, folder)
    key = "transform_seconds" if scenario.measures == "transform" else "seconds"
    seconds = {"old": [], "new": []}
    for _ in range(options.rounds):
        for name, program in (("old", options.old), ("new", options.new)):
            result = mercer_run.run(program.resolve(), files, scenario.components, kernel, folder)
            seconds[name].append(result[key])
    return statistics.median(seconds["old"]), statistics.median(seconds["new"])


def main():
    options = arguments()
    slower = []
    with tempfile.TemporaryDirectory() as folder:
        for scenario in scenarios.select(options.only, quick=False):
            old, new = compare(scenario, options, Path(folder))
            print(f"{scenario.name:22} old {old:8.3f} s   new {new:8.3f} s   new / old {new / old:.3f}", flush=True)
            if new > LARGEST * old:
                slower.append(scenario.name)
    if slower:
        sys.exit(f"slower by more than {LARGEST - 1:.0%}: {', '.join(slower)}")


if __name__ == "__main__":
    main()
