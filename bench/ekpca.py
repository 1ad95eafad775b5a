#!/usr/bin/env python3
"""Writes the table of docs/how/ekpca.md: patterns chosen by likeness, by pivoted Cholesky and at random, against all rows.

usage: ekpca.py MERCER [PAGE]      PAGE: docs/how/ekpca.md, of which what stands between the two marks is replaced

Data: the bundled digits (1797 x 64) and Letter recognition (20 000 x 16; Debian: r-cran-mlbench), standardised. Four fifths
of the rows train, drawn at random; the others are scored and classified. Accuracies are of the class whose mean is nearest
and of the nearest neighbour in the scores. Times are the best of three runs of `mercer transform` on all rows, reading
and writing apart. Needs numpy and scikit-learn.
"""
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

ROOT = Path(__file__).resolve().parent.parent
COMPONENTS = 32
LETTER = """
data(LetterRecognition, package = "mlbench")
cat(as.integer(LetterRecognition[, 1]), t(as.matrix(LetterRecognition[, -1])), sep = "\n")
"""
BEGIN, END = "<!-- table -->", "<!-- end of the table -->"


def digits():
    raw = np.fromfile(ROOT / "assets" / "digits" / "digits.bin", dtype=np.uint8)
    return raw[:1797 * 64].reshape(1797, 64).astype(float), raw[1797 * 64:1797 * 65].astype(int)


def letter():
    try:
        done = subprocess.run(["Rscript", "-e", LETTER], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        raise SystemExit("the Letter data are not installed: apt-get install r-base-core r-cran-mlbench") from None
    numbers = np.array(done.stdout.split(), dtype=float)
    return numbers[20000:].reshape(20000, 16), numbers[:20000].astype(int)


def mercer(binary, *args):
    done = subprocess.run([binary, *map(str, args), "--json"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 6):
        raise SystemExit(f"mercer {' '.join(map(str, args))}: {done.stderr}")
    return json.loads(done.stdout)


def judge(binary, folder, name, options, classes, train, test):
    """One model: seconds of the fit and of scoring, variance held, accuracies."""
    model = folder / "model.mercer"
    start = time.monotonic()
    fitted = mercer(binary, "fit", folder / "train.npy", "--components", COMPONENTS, "--kernel", name, *options, "-o", model)
    fit_seconds = time.monotonic() - start
    seconds = []
    for _ in range(3):
        done = mercer(binary, "transform", model, folder / "all.npy", "-o", folder / "scores.npy")
        seconds.append(done["seconds"]["transform"])
    scores = np.load(folder / "scores.npy")
    known, new = scores[train], scores[test]
    nearest_mean = NearestCentroid().fit(known, classes[train]).score(new, classes[test])
    neighbour = KNeighborsClassifier(1).fit(known, classes[train]).score(new, classes[test])
    held = fitted["figures"].get("variance_held")
    first = fitted["figures"].get("eigenvalues", fitted.get("eigenvalues"))
    return {"fit": fit_seconds, "score": min(seconds), "held": held, "first": sum(first),
            "mean": nearest_mean, "neighbour": neighbour}


def line(rule, patterns, found, whole):
    held = f"{100 * found['held']:.1f} %" if found["held"] is not None else "100 %"
    return (f"| {rule} | {patterns} | {held} | {100 * found['first'] / whole['first']:.2f} % | {found['fit']:.2f} s "
            f"| {1000 * found['score']:.0f} ms | {100 * found['mean']:.1f} % | {100 * found['neighbour']:.1f} % |")


def table_of(title, binary, rows, classes, counts, width):
    rows = (rows - rows.mean(axis=0)) / np.where(rows.std(axis=0) > 0, rows.std(axis=0), 1)
    order = np.random.default_rng(1).permutation(len(rows))
    cut = len(rows) * 4 // 5
    train, test = np.sort(order[:cut]), np.sort(order[cut:])
    kernel = f"gaussian:sigma={width}"
    lines = [f"**{title}**, {len(train)} rows train, {len(test)} are new, {kernel}, {COMPONENTS} components:", "",
             "| patterns by | patterns | variance held | first components | fit | score all rows | nearest mean | 1-NN |",
             "|---|---|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "train.npy", rows[train])
        np.save(folder / "all.npy", rows)
        whole = judge(binary, folder, kernel, [], classes, train, test)
        lines.append(line("all rows (kernel PCA)", len(train), whole, whole))
        for count in counts:
            for rule, option in (("likeness", "correlation"), ("likeness, cosine", "cosine"), ("pivoted Cholesky", "cholesky"),
                                 ("chance", "random")):
                found = judge(binary, folder, kernel, ["--method", "ekpca", "--patterns", count, "--select", option],
                              classes, train, test)
                lines.append(line(rule, count, found, whole))
                print(lines[-1], file=sys.stderr)
    return lines


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    binary = Path(sys.argv[1]).resolve()
    lines = table_of("Digits", binary, *digits(), (50, 100, 200, 400), 8)
    lines += [""] + table_of("Letter", binary, *letter(), (50, 100, 200, 500, 1000), 2)
    if len(sys.argv) < 3:
        print("\n".join(lines))
        return
    page = Path(sys.argv[2])
    text = page.read_text()
    before, rest = text.split(BEGIN)
    page.write_text(before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
