#!/usr/bin/env python3
"""Which way of summing wins where: every operator on Gaussian kernels over rows, dimensions, widths and tolerances.

usage: fast_sums.py MERCER [--rows N ...] [--dims D ...] [--widths W ...] [--tolerances T ...] [--near FACTOR]
                           --csv FILE.csv [--picture FILE.svg] [--cache FOLDER]

Rows are uniform in a cube of side 1; the width of the kernel is in units of that side. In every cell each operator that
does not refuse and that the plan expects within FACTOR (4) of the fastest is run once, with 10 components; the winner is
the fastest measured. --csv adds all runs to a file, --picture draws the winners of all runs in it. Prints, for each cell, the planner's choice, how it
did against the winner, and predicted against measured seconds. Needs python3-numpy (in a child process).
"""
import argparse
import csv
import json
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT / "bench" / "compare"))
import process  # noqa: E402

COLOURS = {"cholesky_features": "#8fb8de", "fourier_features": "#f2b872", "taylor_features": "#b9a3d9",
           "fast_gauss": "#e59a9a", "near_field": "#9ccf9c", "blocked_gram": "#cfcfcf", "dense_gram": "#a8a8a8"}
CELL, HIGH, LEFT, TOP, GAP = 112, 38, 92, 46, 40


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mercer", type=Path)
    parser.add_argument("--rows", type=int, nargs="+", default=[5000, 20000, 100000, 1000000])
    parser.add_argument("--dims", type=int, nargs="+", default=[1, 2, 3, 4, 6])
    parser.add_argument("--widths", type=float, nargs="+", default=[0.01, 0.05, 0.2, 1.0])
    parser.add_argument("--tolerances", type=float, nargs="+", default=[1e-6])
    parser.add_argument("--near", type=float, default=4)
    parser.add_argument("--longest", type=float, default=60, help="plans predicted to take longer are not run")
    parser.add_argument("--csv", type=Path, required=True)
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--cache", type=Path, default=PROJECT / "build" / "bench-data")
    return parser.parse_args()


def table(options, rows, dim):
    path = options.cache / f"cube_{rows}_{dim}.npy"
    if not path.exists():
        options.cache.mkdir(parents=True, exist_ok=True)
        make = ("import sys, numpy; numpy.save(sys.argv[1], "
                "numpy.random.default_rng(1).random((int(sys.argv[2]), int(sys.argv[3]))))")
        process.run([sys.executable, "-c", make, path, rows, dim])
    return path


def flags(cell):
    return ["--components", 10, "--kernel", f"gaussian:sigma={cell['width']}", "--tolerance", cell["tolerance"], "--json",
            "--quiet"]


def candidates(options, path, cell):
    """The best solver of every operator that may win, by the plan."""
    plan = json.loads(process.run([options.mercer, "plan", path, *flags(cell)]).output)["plan"]
    best = {}
    for candidate in plan["candidates"]:
        if candidate["seconds"] and "fit (" not in candidate["verdict"]:
            name = candidate["operator"]
            if name not in best or candidate["seconds"] < best[name]["seconds"]:
                best[name] = candidate
    fastest = min(candidate["seconds"] for candidate in best.values())
    limit = min(options.near * fastest + 0.05, options.longest)
    return plan, [c for c in best.values() if c["seconds"] <= limit]


def run_cell(options, cell, folder):
    path = table(options, cell["rows"], cell["dim"])
    plan, chosen = candidates(options, path, cell)
    runs, flat = [], False
    for candidate in chosen:
        try:
            done = process.run([options.mercer, "fit", path, *flags(cell), "--operator", candidate["operator"], "--solver",
                                candidate["solver"], "--progress", "none", "-o", folder / "run.mercer"])
        except process.Failed as failure:
            # Exit status 6: eigenvalues so close to each other that none can be proven to be the largest.
            flat = flat or "exit status 6" in str(failure)
            if "exit status 6" not in str(failure):
                print(f"    {candidate['operator']}: {failure}", file=sys.stderr)
            continue
        report = json.loads(done.output)
        runs.append({**cell, "operator": candidate["operator"], "solver": candidate["solver"],
                     "predicted": candidate["seconds"], "seconds": report["seconds"]["solve"],
                     "bytes": done.peak_bytes, "planned": candidate["operator"] == plan["operator"]})
    return runs, flat


def say(cell, runs, flat):
    head = f"d {cell['dim']}  n {cell['rows']:>8}  width {cell['width']:<5} tolerance {cell['tolerance']:g}"
    if not runs:
        print(f"{head}  {FLAT if flat else 'nothing predicted within the limit'}", flush=True)
        return
    best = min(runs, key=lambda run: run["seconds"])
    mine = next((run for run in runs if run["planned"]), None)
    others = ", ".join(f"{run['operator']} {run['seconds']:.3g}" for run in sorted(runs, key=lambda r: r["seconds"]))
    slower = f"chosen {mine['seconds'] / best['seconds']:.2f} of the best, predicted {mine['predicted']:.3g} s" if mine else ""
    print(f"{head}  {others}   {slower}", flush=True)


def brief(seconds):
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"


def panel(options, runs, dim, tolerance, left):
    """One dimension: widths across, rows down; each cell named and coloured by the winner."""
    yield f'<text x="{left + LEFT}" y="{TOP - 26}" font-weight="bold">{dim} dimension{"s" if dim > 1 else ""}</text>'
    for i, width in enumerate(options.widths):
        yield f'<text x="{left + LEFT + (i + 0.5) * CELL}" y="{TOP - 8}" text-anchor="middle">width {width:g}</text>'
    for j, rows in enumerate(options.rows):
        y = TOP + j * HIGH
        yield f'<text x="{left + LEFT - 8}" y="{y + HIGH / 2 + 4}" text-anchor="end">{rows:,}</text>'.replace(",", " ")
        for i, width in enumerate(options.widths):
            x = left + LEFT + i * CELL
            found = [r for r in runs if (r["dim"], r["rows"], r["width"], r["tolerance"]) == (dim, rows, width, tolerance)]
            best = min(found, key=lambda run: run["seconds"], default=None)
            colour = COLOURS.get(best["operator"], "#eee") if best else "#fff"
            yield f'<rect x="{x}" y="{y}" width="{CELL}" height="{HIGH}" fill="{colour}" stroke="#fff"/>'
            name = best["operator"].removesuffix("_features") if best else "longer than"
            yield f'<text x="{x + CELL / 2}" y="{y + 16}" text-anchor="middle">{name}</text>'
            text = "" if best and best["operator"] == FLAT else brief(best["seconds"] if best else options.longest)
            yield f'<text x="{x + CELL / 2}" y="{y + 31}" text-anchor="middle">{text}</text>'


def picture(options, runs):
    across = LEFT + len(options.widths) * CELL + GAP
    down = TOP + len(options.rows) * HIGH + GAP
    lines = []
    for j, tolerance in enumerate(options.tolerances):
        for i, dim in enumerate(options.dims):
            x, y = (i % 2) * across, (j * ((len(options.dims) + 1) // 2) + i // 2) * down
            lines += [f'<g transform="translate(0 {y})">', *panel(options, runs, dim, tolerance, x), "</g>"]
    width, height = 2 * across, down * len(options.tolerances) * ((len(options.dims) + 1) // 2)
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
                      f'height="{height}" font-family="sans-serif" font-size="12" fill="#222">',
                      f'<rect width="{width}" height="{height}" fill="#fff"/>', *lines, "</svg>"]) + "\n"


FIELDS = {"dim": int, "rows": int, "width": float, "tolerance": float, "operator": str, "solver": str, "predicted": float,
          "seconds": float, "bytes": int, "planned": lambda text: text == "True"}
FLAT = "flat spectrum"  # stands for the operator where no run could prove its answer


def add(path, runs):
    new = not path.exists()
    with open(path, "a", newline="") as out:
        writer = csv.DictWriter(out, fieldnames=list(FIELDS))
        if new:
            writer.writeheader()
        writer.writerows(runs)


def read(path):
    with open(path, newline="") as file:
        return [{name: kind(row[name]) for name, kind in FIELDS.items()} for row in csv.DictReader(file)]


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        for tolerance in options.tolerances:
            for dim in options.dims:
                for rows in options.rows:
                    for width in options.widths:
                        cell = {"dim": dim, "rows": rows, "width": width, "tolerance": tolerance}
                        found, flat = run_cell(options, cell, Path(folder))
                        say(cell, found, flat)
                        nothing = {**cell, "operator": FLAT, "solver": "", "predicted": 0, "seconds": 0, "bytes": 0,
                                   "planned": False}
                        add(options.csv, found or ([nothing] if flat else []))
    if options.picture:
        options.picture.write_text(picture(options, read(options.csv)))


if __name__ == "__main__":
    main()
