#!/usr/bin/env python3
"""The planner against the clock: twenty-one fits, predicted and measured.

For each case every plan that the planner holds possible and not hopelessly slow is run, in turn, several
times; printed are predicted and measured seconds and bytes of the chosen one, and how much slower it was
than the best. Usage: planner_cases.py MERCER [--runs N] [--only NAME] [--json FILE]"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

# name, generator, rows, columns, further options of the fit
CASES = [
    ("small", "blobs", 1000, 10, []),
    ("digits", "digits", 1797, 64, ["--components", "10"]),
    ("s_curve_5k", "s_curve", 5000, 3, ["--components", "10"]),
    ("s_curve_20k", "s_curve", 20000, 3, ["--components", "10"]),
    ("normal_1m", "normal", 1000000, 3, ["--components", "10"]),
    ("swiss_10k_tight", "swiss_roll", 10000, 3, ["--components", "10", "--tolerance", "1e-10"]),
    ("floats_3k_20", "decaying", 3000, 20, ["--components", "5"]),
    ("floats_5k_100", "decaying", 5000, 100, ["--components", "10"]),
    ("floats_10k_50", "decaying", 10000, 50, ["--components", "10"]),
    ("floats_10k_50_k50", "decaying", 10000, 50, ["--components", "50"]),
    ("floats_20k_16", "decaying", 20000, 16, ["--components", "10"]),
    ("floats_20k_700", "decaying", 20000, 700, ["--components", "10"]),
    ("bytes_20k_784", "bytes", 20000, 784, ["--components", "10"]),
    ("little_memory", "decaying", 20000, 50, ["--components", "10", "--memory", "250M"]),
    ("bytes_20k_little", "bytes", 20000, 784, ["--components", "10", "--memory", "200M"]),
    ("double_tiles", "decaying", 10000, 100, ["--components", "10", "--tolerance", "1e-9"]),
    ("deterministic", "decaying", 10000, 30, ["--components", "8", "--certify", "deterministic"]),
    ("polynomial", "decaying", 10000, 40, ["--components", "10", "--kernel", "polynomial:degree=3,scale=0.01"]),
    ("laplacian", "decaying", 6000, 20, ["--components", "5", "--kernel", "laplacian"]),
    ("linear", "decaying", 20000, 100, ["--components", "10", "--kernel", "linear"]),
    ("pca", "decaying", 50000, 60, ["--components", "10", "--method", "pca"]),
]
HOPELESS = 3  # plans predicted to take so many times longer than the chosen one are not run


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 6):
        raise SystemExit(f"{' '.join(command)}: {done.stderr[-400:]}")
    return json.loads(done.stdout)


# Rows of a few groups whose spread falls along the columns' axes, as that of measured data does. Made by a process
# of its own: a child inherits the peak of its parent's memory.
MAKE = """
import sys, numpy
path, rows, columns, kind = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
random = numpy.random.default_rng(1)
spread = (1.0 + numpy.arange(columns)) ** -0.8
x = random.normal(size=(rows, columns))
if kind != "normal":
    x *= spread
    x += 2 * random.normal(size=(10, columns))[numpy.arange(rows) % 10] * spread
if kind == "bytes":
    x = x @ numpy.linalg.qr(random.normal(size=(columns, columns)))[0]
    x = numpy.clip(numpy.rint(128 + 30 * x / x.std()), 0, 255)
numpy.save(path, x.astype(numpy.uint8 if kind == "bytes" else numpy.float32))
"""


def table_of(mercer, folder, generator, rows, columns):
    path = os.path.join(folder, f"{generator}_{rows}_{columns}.npy")
    if generator in ("decaying", "bytes", "normal") and not os.path.exists(path):
        subprocess.run([sys.executable, "-c", MAKE, path, str(rows), str(columns), generator], check=True)
    elif not os.path.exists(path):
        text = os.path.join(folder, "table.csv")
        dim = ["--dim", str(columns)] if generator == "blobs" else []
        size = [] if generator == "digits" else ["-n", str(rows)]
        subprocess.run([mercer, "data", generator, *size, *dim, "-o", text, "--quiet"], check=True)
        subprocess.run([mercer, "convert", text, path, "--quiet"], check=True)
    return path


def measure(mercer, path, options, pairs, runs):
    """Median seconds and largest peak of fits by each pair of operator and solver, run in turn."""
    results = {pair: [] for pair in pairs}
    for _ in range(runs):
        for pair in pairs:
            results[pair].append(run([mercer, "fit", path, "--json", "--quiet", "-o", os.devnull,
                                      "--operator", pair[0], "--solver", pair[1], *options]))
    return {pair: (statistics.median(r["seconds"]["solve"] for r in made), max(r["peak_bytes"] for r in made))
            for pair, made in results.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mercer")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only")
    parser.add_argument("--json")
    args = parser.parse_args()
    mercer, lines = os.path.abspath(args.mercer), []
    print(f"{'case':18} {'chosen plan':28} {'predicted':>9} {'measured':>9} {'factor':>6}  {'bytes predicted':>15} {'measured':>9} {'off':>6}  slower than best")
    with tempfile.TemporaryDirectory() as folder:
        for name, generator, rows, columns, options in CASES:
            if args.only and args.only != name:
                continue
            path = table_of(mercer, folder, generator, rows, columns)
            plan = run([mercer, "plan", path, "--json", "--quiet", *options])["plan"]
            chosen = (plan["operator"], plan["solver"])
            others = [(c["operator"], c["solver"]) for c in plan["candidates"]
                      if c["seconds"] is not None and not c["verdict"].startswith("does not fit")
                      and c["seconds"] <= HOPELESS * max(plan["predicted_seconds"], 0.05)]
            found = measure(mercer, path, options, others, args.runs)
            seconds, peak = found[chosen]
            line = {"case": name, "plan": " + ".join(chosen), "predicted_seconds": plan["predicted_seconds"],
                    "seconds": seconds, "predicted_bytes": plan["predicted_bytes"], "bytes": peak,
                    "slower_than_best": seconds / min(time for time, _ in found.values()),
                    "best": " + ".join(min(found, key=lambda pair: found[pair][0])), "plans": len(found)}
            lines.append(line)
            factor = max(seconds / line["predicted_seconds"], line["predicted_seconds"] / seconds)
            print(f"{name:18} {line['plan']:28} {line['predicted_seconds']:8.3f}s {seconds:8.3f}s {factor:6.2f}  "
                  f"{line['predicted_bytes'] / 1e6:12.0f} MB {peak / 1e6:6.0f} MB {100 * (line['predicted_bytes'] / peak - 1):+5.0f} %  "
                  f"{line['slower_than_best']:.2f} of {line['plans']} ({line['best']})", flush=True)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(lines, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
