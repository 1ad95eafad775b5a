#!/usr/bin/env python3
"""How time and memory of a matrix-free fit grow with the number of rows.

usage: scaling.py MERCER [--rows N ...] [--rounds R] [--components K] [--data images|blobs|fashion] [--flags="..."]
                         [--page FILE.md] [--picture FILE.svg] [--cache FOLDER]

Fits the first 5000, 10000, 20000 and 40000 rows with `--operator blocked_gram`, the sizes in turn, R times (3). Prints
medians and growth per doubling, and writes them as a Markdown page with a picture where --page is given.

images   8-bit images of 28 x 28 pixels, made here: smooth patterns in ten classes (the default)
blobs    `mercer data blobs` with 784 columns, float64
fashion  Fashion-MNIST as bench/compare/data.py reads it      (Debian: dataset-fashion-mnist)

Needs python3-numpy. Peak memory is handed down from parent to child by Linux, so this process stays small and makes
its data in children.
"""
import argparse
import json
import math
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT / "bench" / "compare"))
import process  # noqa: E402
from run import memory, processor  # noqa: E402

ROWS = (5000, 10000, 20000, 40000)
TIME_GOAL, MEMORY_GOAL = 4.3, 2.1
SIDE, CLASSES, WAVES = 28, 10, 24
BLOBS = 16  # more clouds than components: beyond their number the eigenvalues are all alike

HEADER = """# Scaling

A fit that never stores the kernel matrix evaluates all of it in every pass: time grows like n², memory like n. This
page is written by `bench/scaling.py`, the command below; do not edit it.

```text
{command}
```

{machine}. {what}.
Medians (rounds: {rounds}), the sizes in turn.

"""

FOOTER = """

![Seconds and memory over the number of rows, both axes logarithmic]({picture})

*Growth* is the factor per doubling of the rows, from the row above: at most {time_goal} for seconds and {memory_goal} for memory is
the goal. *Seconds* are those of the fit (`seconds.solve`: kernel, eigenproblem and certificate), *memory* is the peak of
the whole process, data and program included, *complete* the kind of proof that no component was missed.

Why not exactly 4 and 2: the number of passes may change by one; the start from landmarks costs `n l²`, which weighs
less as n grows; small problems leave threads idle at the end of a round; the program itself counts as memory too.

Where the matrix fits into memory `dense_gram` is faster, and the planner takes it: see [operators](operators.md) and
[planner](planner.md).
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mercer", type=Path)
    parser.add_argument("--rows", type=int, nargs="+", default=list(ROWS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--components", type=int, default=10)
    parser.add_argument("--data", choices=("images", "blobs", "fashion"), default="images")
    parser.add_argument("--flags", type=shlex.split, default=[])
    parser.add_argument("--page", type=Path)
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--cache", type=Path, default=PROJECT / "build" / "bench-data")
    options = parser.parse_args()
    options.mercer = options.mercer.resolve()
    if not options.mercer.is_file():
        raise SystemExit(f"{options.mercer}: no such program; ./dev build makes build/bin/mercer")
    if options.rounds < 1 or min(options.rows) <= options.components + 1:
        raise SystemExit("at least one round, and more rows than components")
    options.rows = sorted(set(options.rows))
    if options.page and not options.picture:
        options.picture = options.page.with_suffix(".svg")
    return options


def make_images(rows, path):
    """Sums of few smooth waves around ten patterns: eigenvalues that fall slowly, as those of photographs do."""
    import numpy as np
    random = np.random.default_rng(1)
    axis = np.linspace(0, math.pi, SIDE)
    waves = [np.outer(np.cos(i * axis), np.cos(j * axis)).ravel() / (1 + i * i + j * j)
             for i in range(WAVES) for j in range(WAVES) if i + j < WAVES]
    waves = np.array(waves, dtype=np.float32)
    patterns = random.standard_normal((CLASSES, len(waves)), dtype=np.float32)
    out = np.lib.format.open_memmap(path, mode="w+", dtype=np.uint8, shape=(rows, SIDE * SIDE))
    for first in range(0, rows, 4096):
        count = min(4096, rows - first)
        chosen = patterns[random.integers(CLASSES, size=count)]
        images = (chosen + 0.7 * random.standard_normal(chosen.shape, dtype=np.float32)) @ waves
        out[first:first + count] = np.clip(128 + 40 * images, 0, 255)
    out.flush()


def table(options, rows):
    """The path of a table with so many rows, made by a child process where it is not there yet."""
    options.cache.mkdir(parents=True, exist_ok=True)
    if options.data == "fashion":
        made = process.run([sys.executable, PROJECT / "bench/compare/data.py", "fashion_raw", rows, 0, options.cache])
        return json.loads(made.output)["train"]
    path = options.cache / f"scaling_{options.data}_{rows}.npy"
    if path.exists():
        return path
    partial = path.with_suffix(".part.npy")
    if options.data == "images":
        process.run([sys.executable, __file__, "--make-images", rows, partial])
    else:
        process.run([options.mercer, "data", "blobs", "-n", rows, "--dim", SIDE * SIDE, "--classes", BLOBS, "--noise",
                     "0.5", "--seed", "1", "-o", partial, "--quiet"])
    return partial.replace(path)


def fit_flags(options):
    return ["--components", options.components, "--operator", "blocked_gram", "--solver", "block_krylov",
            *options.flags]


def fit(options, path, folder):
    command = [options.mercer, "fit", path, *fit_flags(options), "--json", "--quiet", "--progress", "none", "-o",
               folder / "run.mercer"]
    finished = process.run(command)
    report = json.loads(finished.output)
    # What ran, and not what was planned, stands in the model.
    stored = json.loads(process.run([options.mercer, "info", folder / "run.mercer", "--json"]).output)
    certificate = stored["certificate"]
    return {"seconds": report["seconds"]["solve"], "bytes": finished.peak_bytes, "passes": stored["plan"]["passes"],
            "precision": stored["plan"]["precision"],
            "complete": f"{certificate['kind']}" if certificate["complete"] else "not proven"}


def per_doubling(before, after, field):
    """Growth of a field for twice the rows."""
    if before is None:
        return None
    return (after[field] / before[field]) ** (1 / math.log2(after["n"] / before["n"]))


def measure(options):
    runs = {rows: [] for rows in options.rows}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.rounds):
            for rows in options.rows:
                print(f"  round {number + 1}, {rows} rows", file=sys.stderr, flush=True)
                runs[rows].append(fit(options, table(options, rows), Path(folder)))
    results = []
    for rows, found in runs.items():
        result = {**found[-1], "n": rows}
        for field in ("seconds", "bytes"):
            result[field] = statistics.median(run[field] for run in found)
        before = results[-1] if results else None
        result["time_growth"] = per_doubling(before, result, "seconds")
        result["memory_growth"] = per_doubling(before, result, "bytes")
        results.append(result)
    return results


def cells(results):
    def growth(value, goal):
        return "–" if value is None else f"{value:.2f}" + ("" if value <= goal else " (over)")
    header = ["rows", "seconds", "growth", "memory", "growth", "passes", "seconds per pass", "precision", "complete"]
    rows = [[f"{r['n']}", f"{r['seconds']:.3g}", growth(r["time_growth"], TIME_GOAL), f"{r['bytes'] / 1e6:.0f} MB",
             growth(r["memory_growth"], MEMORY_GOAL), f"{r['passes']}", f"{r['seconds'] / max(1, r['passes']):.3g}",
             r["precision"], r["complete"]] for r in results]
    return [header, *rows]


def plain(rows):
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def markdown(rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in [rows[0], ["---"] * len(rows[0]), *rows[1:]])


class Panel:
    """One diagram of a picture: points of a field over n, both axes logarithmic, and a line of a given slope."""
    WIDTH, HEIGHT, LEFT, TOP = 300, 260, 70, 40

    def __init__(self, results, field, unit, title, power):
        self.points = [(r["n"], r[field] / unit) for r in results]
        self.title, self.power = title, power
        self.x_range = self.widened([n for n, _ in self.points])
        self.y_range = self.widened([value for _, value in self.points])

    @staticmethod
    def widened(values):
        low, high = math.log10(min(values)), math.log10(max(values))
        room = 0.08 * (high - low) + 0.1
        return low - room, high + room

    def place(self, x, y):
        def share(value, ends):
            return (math.log10(value) - ends[0]) / (ends[1] - ends[0])
        return (self.LEFT + self.WIDTH * share(x, self.x_range),
                self.TOP + self.HEIGHT * (1 - share(y, self.y_range)))

    @staticmethod
    def ticks(ends):
        """1, 2, 5 times powers of ten within the range."""
        found = [m * 10.0 ** e for e in range(math.floor(ends[0]), math.ceil(ends[1]) + 1) for m in (1, 2, 5)]
        return [value for value in found if ends[0] <= math.log10(value) <= ends[1]]

    def axes(self):
        right, bottom = self.LEFT + self.WIDTH, self.TOP + self.HEIGHT
        yield (f'<rect x="{self.LEFT}" y="{self.TOP}" width="{self.WIDTH}" height="{self.HEIGHT}" fill="none" '
               'stroke="#888"/>')
        yield f'<text x="{self.LEFT}" y="{self.TOP - 14}" font-weight="bold">{self.title}</text>'
        yield f'<text x="{right}" y="{bottom + 36}" text-anchor="end">rows</text>'
        for value in self.ticks(self.y_range):
            y = self.place(self.points[0][0], value)[1]
            yield f'<line x1="{self.LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#ddd"/>'
            yield f'<text x="{self.LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>'
        for n, _ in self.points:
            x = self.place(n, self.points[0][1])[0]
            yield f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{n}</text>'

    def curves(self):
        first, last = self.points[0], self.points[-1]
        reference = first[1] * (last[0] / first[0]) ** self.power
        x1, y1 = self.place(*first)
        x2, y2 = self.place(last[0], reference)
        inside = max(y2, self.TOP)  # a line that leaves the frame ends at it
        x2 = x1 + (x2 - x1) * (y1 - inside) / (y1 - y2) if y1 != y2 else x2
        yield (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{inside:.1f}" stroke="#999" '
               'stroke-dasharray="5 4"/>')
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (self.place(*point) for point in self.points))
        yield f'<polyline points="{path}" fill="none" stroke="#1f6fb2" stroke-width="2"/>'
        for x, y in (self.place(*point) for point in self.points):
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#1f6fb2"/>'


def picture(results):
    panels = [Panel(results, "seconds", 1, "seconds (dashed: n²)", 2),
              Panel(results, "bytes", 1e6, "peak memory, MB (dashed: n)", 1)]
    step = Panel.WIDTH + Panel.LEFT + 30
    width, height = step * len(panels), Panel.TOP + Panel.HEIGHT + 50
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
             f'height="{height}" font-family="sans-serif" font-size="12" fill="#222">',
             f'<rect width="{width}" height="{height}" fill="#fff"/>']
    for number, panel in enumerate(panels):
        lines += [f'<g transform="translate({number * step} 0)">', *panel.axes(), *panel.curves(), "</g>"]
    return "\n".join([*lines, "</svg>"]) + "\n"


def page(results, options):
    kind = {"images": "Made 8-bit images of 784 pixels", "blobs": "Blobs of 784 columns, float64",
            "fashion": "Fashion-MNIST, 8-bit, 784 pixels"}[options.data]
    # Paths of one machine have no place on a page.
    words = ["python3", "bench/scaling.py", "build/bin/mercer"]
    if options.rows != list(ROWS):
        words += ["--rows", *options.rows]
    words += [f"--data={options.data}", f"--rounds={options.rounds}", "--page", f"docs/how/{options.page.name}"]
    if options.flags:
        words.append(f'--flags="{shlex.join(options.flags)}"')
    text = HEADER.format(command=" ".join(map(str, words)), rounds=options.rounds,
                         machine=f"{processor()}, {process.CORES} cores, {memory()}",
                         what=f"{kind}; `mercer fit {shlex.join(map(str, fit_flags(options)))}`")
    return text + markdown(cells(results)) + FOOTER.format(picture=options.picture.name, time_goal=TIME_GOAL,
                                                           memory_goal=MEMORY_GOAL)


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--make-images":  # the child that may grow
        return make_images(int(sys.argv[2]), Path(sys.argv[3]))
    options = arguments()
    try:
        results = measure(options)
    except (process.Failed, subprocess.SubprocessError, OSError) as reason:
        raise SystemExit(f"scaling.py: {reason}") from None
    print(plain(cells(results)))
    if options.picture:
        options.picture.write_text(picture(results), encoding="utf-8")
    if options.page:
        options.page.write_text(page(results, options), encoding="utf-8")
    return None


if __name__ == "__main__":
    main()
