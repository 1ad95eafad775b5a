#!/usr/bin/env python3
"""What the width of a Gaussian does to two components: the figures and the picture of docs/guide/choosing.md.

usage: widths.py MERCER FOLDER

Writes FOLDER/widths.svg and prints the table. For each table and width: how much more the two components hold than two
of n - 1 equal parts would; how far two models, each of a third of the rows, agree on the last third; how far the scores
agree with those of linear PCA; and which warning the program gives. Agreement is the mean squared cosine of the angles
between the spans of two pairs of score columns: 1 for the same plane.
"""
import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

TABLES = {"moons": "moons -n 450", "blobs": "blobs -n 450 --dim 5 --noise 0.3", "digits": "digits -n 450"}
FACTORS = [0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10]
IN_TABLE = [0.02, 0.1, 0.3, 1, 3, 10]
COLOURS = {"halves": "#0072b2", "PCA": "#d55e00"}


def run(mercer, folder, *words):
    done = subprocess.run([mercer, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def columns(path):
    names, *rows = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()]
    wanted = [names.index("PC1"), names.index("PC2")]
    table = [[float(row[j]) for row in rows] for j in wanted]
    return [[x - sum(column) / len(column) for x in column] for column in table]


def products(a, b):
    return [[sum(x * y for x, y in zip(p, q)) for q in b] for p in a]


def length(column):
    return math.sqrt(sum(x * x for x in column))


def basis(columns_of_scores):
    """An orthonormal basis of two columns, or None where rows out of the kernel's reach leave no plane."""
    first, second = columns_of_scores
    if min(length(first), length(second)) < 1e-12:
        return None
    first = [x / length(first) for x in first]
    for _ in range(2):
        along = sum(x * y for x, y in zip(first, second)) / length(second)
        second = [y / length(second) for y in second]
        second = [y - along * x for x, y in zip(first, second)]
        if length(second) < 1e-6:
            return None
    return [first, [y / length(second) for y in second]]


def agreement(one, other):
    a, b = basis(one), basis(other)
    if a is None or b is None:
        return 0.0
    return sum(cosine * cosine for row in products(a, b) for cosine in row) / 2


def measure(mercer, folder, name):
    run(mercer, folder, "data", *TABLES[name].split(), "-o", "all.csv", "--quiet")
    head, *rows = (folder / "all.csv").read_text(encoding="utf-8").splitlines()
    random.Random(0).shuffle(rows)
    for part in range(3):
        (folder / f"part{part}.csv").write_text("\n".join([head, *rows[part::3]]) + "\n", encoding="utf-8")
    run(mercer, folder, "fit", "all.csv", "--method", "pca", "-o", "pca.mercer", "--scores", "pca.csv", "--quiet")
    for factor in FACTORS:
        kernel = f"gaussian:sigma={factor}*median"
        report = json.loads(run(mercer, folder, "fit", "all.csv", "--kernel", kernel, "-o", "m.mercer", "--scores", "m.csv", "--json"))
        sigma = report["kernel"]["parameters"]["sigma"]
        for part in (0, 1):
            run(mercer, folder, "fit", f"part{part}.csv", "--kernel", f"gaussian:sigma={sigma!r}", "-o", f"{part}.mercer", "--quiet")
            run(mercer, folder, "transform", f"{part}.mercer", "part2.csv", "-o", f"{part}.csv", "--quiet")
        held = sum(report["eigenvalues"]) / report["trace"] * (report["n"] - 1) / 2
        codes = [warning["code"] for warning in report["warnings"] if warning["code"] in ("W235", "W236")]
        yield {"factor": factor, "held": held, "code": "".join(codes), "trace": report["trace"] / report["n"],
               "halves": agreement(columns(folder / "0.csv"), columns(folder / "1.csv")),
               "PCA": agreement(columns(folder / "m.csv"), columns(folder / "pca.csv"))}


def panel(name, found, top):
    left, width, height = 60, 620, 120

    def place(factor, value):
        part = math.log(factor / FACTORS[0]) / math.log(FACTORS[-1] / FACTORS[0])
        return f"{left + part * width:.1f},{top + (1 - value) * height:.1f}"

    lines = [f'<text x="{left}" y="{top - 10}" font-weight="bold">{name}</text>',
             f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#999"/>']
    for row in found:
        x = place(row["factor"], 0).split(",")[0]
        lines.append(f'<text x="{x}" y="{top + height + 14}" text-anchor="middle">{row["factor"]:g}</text>')
        if row["code"]:
            lines.append(f'<text x="{x}" y="{top - 2}" text-anchor="middle" font-size="10">{row["code"]}</text>')
    for value in (0, 0.5, 1):
        lines.append(f'<text x="{left - 6}" y="{top + (1 - value) * height + 4}" text-anchor="end">{value:g}</text>')
    for key, colour in COLOURS.items():
        points = " ".join(place(row["factor"], min(1, max(0, row[key]))) for row in found)
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
    return lines


def draw(all_found):
    lines, top = [], 70
    for name, found in all_found.items():
        lines += panel(name, found, top)
        top += 180
    legend = (f'<text x="60" y="20" fill="{COLOURS["halves"]}">two models of other rows agree</text>'
              f'<text x="290" y="20" fill="{COLOURS["PCA"]}">agreement with linear PCA</text>'
              f'<text x="520" y="20">over sigma / median</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="720" height="{top - 20}" font-family="sans-serif" font-size="12">'
            f'<rect width="100%" height="100%" fill="white"/>{legend}{"".join(lines)}</svg>\n')


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    mercer, all_found = str(Path(sys.argv[1]).resolve()), {}
    for name in TABLES:
        with tempfile.TemporaryDirectory() as folder:
            all_found[name] = list(measure(mercer, Path(folder), name))
    Path(sys.argv[2], "widths.svg").write_text(draw(all_found), encoding="utf-8")
    print("| table | sigma / median | held, of equal parts | two models agree | agreement with PCA | warning |\n|---|---|---|---|---|---|")
    for name, found in all_found.items():
        for row in found:
            if row["factor"] in IN_TABLE:
                print(f"| {name} | {row['factor']:g} | {float(format(row['held'], '.2g')):g}× | {row['halves']:.2f} | {row['PCA']:.3f} | {row['code'] or '–'} |")


if __name__ == "__main__":
    main()
