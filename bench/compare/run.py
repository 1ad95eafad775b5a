#!/usr/bin/env python3
"""Mercer and other programs back to back, on the same data and at equal accuracy.

usage: run.py MERCER [--quick] [--only NAME ...] [--rounds R] [--output PAGE.md] [--json FILE] [--data FOLDER]
              [--flags="--memory 4G ..."]

Prints the ratio of the fastest peer's seconds to Mercer's, memory, errors against a float64 reference and whether the
goal is met. --quick takes 2000 rows everywhere and proves only that it all works. --flags go to every `mercer fit`.
Data and references are kept in FOLDER (build/bench-data). Needs python3-numpy, python3-scipy, python3-sklearn; for
Letter r-cran-mlbench, for kernlab r-cran-kernlab, for the images dataset-fashion-mnist: what is missing is skipped and
named. The full run takes about a quarter of an hour on two cores and 8 GB. Exit status 1 when a scenario was skipped
or not of equal accuracy.
"""
import argparse
import json
import shlex
import sys
import tempfile
from pathlib import Path

import measure
import mercer_run
import page
import peers
import process
import scenarios

PROJECT = Path(__file__).resolve().parent.parent.parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mercer", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--data", type=Path, default=PROJECT / "build" / "bench-data")
    parser.add_argument("--flags", type=shlex.split, default=[])
    options = parser.parse_args()
    options.mercer = options.mercer.resolve()
    if not options.mercer.is_file():
        raise SystemExit(f"{options.mercer}: no such program; ./dev build makes build/bin/mercer")
    if options.rounds < 1:
        raise SystemExit(f"--rounds {options.rounds}: at least 1")
    return options


def processor():
    for text in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if text.startswith("model name"):
            return text.split(":", 1)[1].strip()
    return "unknown processor"


def memory():
    total = int(Path("/proc/meminfo").read_text(encoding="ascii").split()[1])
    return f"{total / 2**20:.0f} GiB"


def description(options):
    versions = {"Mercer": mercer_run.version(options.mercer).removeprefix("mercer "), **peers.versions()}
    return {"machine": f"{processor()}, {process.CORES} cores, {memory()}", "rounds": options.rounds,
            "versions": ", ".join(f"{name} {version}" for name, version in versions.items()), "quick": options.quick,
            "flags": options.flags,
            "limits": {"eigenvalues": measure.EIGENVALUE_ERROR, "sine": measure.SINE_FLOOR,
                       "scores": measure.SCORE_FLOOR}}


def progress(text):
    print(f"  {text}", file=sys.stderr, flush=True)


def measure_all(chosen, options):
    results, skipped = [], []
    for scenario in chosen:
        print(f"{scenario.name}", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            options.work = Path(folder)
            try:
                results.append(measure.measure(scenario, options, progress))
            except (process.Failed, OSError) as reason:
                progress(f"skipped: {reason}")
                skipped.append((scenario.name, str(reason)))
    return results, skipped


def main():
    options = arguments()
    about = description(options)
    chosen = scenarios.select(options.only, options.quick)
    results, skipped = measure_all(chosen, options)
    print(about["machine"], about["versions"], "", page.terminal(results, skipped, options.quick), sep="\n")
    if options.json:
        options.json.write_text(json.dumps({"about": about, "results": results, "skipped": skipped}, indent=1) + "\n")
    if options.output:
        options.output.write_text(page.page(results, skipped, about), encoding="utf-8")
    raise SystemExit(0 if not skipped and all(result["equal"] for result in results) else 1)


if __name__ == "__main__":
    main()
