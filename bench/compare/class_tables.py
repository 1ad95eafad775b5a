#!/usr/bin/env python3
"""The tables of classifiers.py: rows with classes, cut once into a training and a test part.

usage: class_tables.py TABLE FOLDER [LIMIT]    writes TABLE_train.npz and TABLE_test.npz, prints them and the sizes as JSON

digits      1 797 images of 8 x 8, 599 of them for the test             (scikit-learn)
letter      16 000 rows for training, 4 000 for the test                (Debian: r-base-core r-cran-mlbench)
satellite   4 435 for training, 2 000 for the test                      (the same)
fashion     the first 10 000 training and all 10 000 test images of Fashion-MNIST (Debian: dataset-fashion-mnist)

Letter keeps its order, whose first 16 000 rows are the usual training set; Fashion-MNIST comes in two parts; the others
are cut by a permutation of NumPy's generator with seed 1. LIMIT: at most so many rows of each part.
"""
import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

FASHION = Path("/usr/share/datasets/fashion-mnist")
PIXELS = 784
MLBENCH = """
data({name}, package = "mlbench")
y <- {name}[, {label}]
x <- as.matrix({name}[, -{label}])
cat(as.integer(y), sep = "\\n")
cat(t(x), sep = "\\n")
"""


def of_mlbench(name, columns, first):
    """A data set of R's mlbench, whose class is its first or its last column."""
    script = MLBENCH.format(name=name, label=1 if first else columns + 1)
    try:
        text = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        raise SystemExit(f"{name} is not installed: apt-get install r-base-core r-cran-mlbench") from None
    numbers = np.array(text.split(), dtype=np.float64)
    rows = len(numbers) // (columns + 1)
    return numbers[rows:].reshape(rows, columns), numbers[:rows].astype(int)


def shuffled(x, y, train):
    order = np.random.default_rng(1).permutation(len(y))
    return (x[order[:train]], y[order[:train]]), (x[order[train:]], y[order[train:]])


def digits():
    from sklearn.datasets import load_digits
    data = load_digits()
    return shuffled(data.data, data.target, 1198)


def letter():
    x, y = of_mlbench("LetterRecognition", 16, True)
    return (x[:16000], y[:16000]), (x[16000:], y[16000:])


def satellite():
    return shuffled(*of_mlbench("Satellite", 36, False), 4435)


def fashion():
    if not FASHION.exists():
        raise SystemExit("Fashion-MNIST is not installed: apt-get install dataset-fashion-mnist")

    def part(name):
        with gzip.open(FASHION / f"{name}-images-idx3-ubyte.gz") as images, \
                gzip.open(FASHION / f"{name}-labels-idx1-ubyte.gz") as labels:
            x = np.frombuffer(images.read(), np.uint8, offset=16).reshape(-1, PIXELS)
            return x[:10000].astype(np.float64), np.frombuffer(labels.read(), np.uint8, offset=8)[:10000].astype(int)

    return part("train"), part("t10k")


MAKERS = {maker.__name__: maker for maker in (digits, letter, satellite, fashion)}


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in MAKERS:
        raise SystemExit(__doc__)
    name, folder = sys.argv[1], Path(sys.argv[2])
    limit = int(sys.argv[3]) if len(sys.argv) == 4 else None
    folder.mkdir(parents=True, exist_ok=True)
    files, sizes = {}, {}
    for part, (x, y) in zip(("train", "test"), MAKERS[name]()):
        path = folder / f"{name}_{part}.npz"
        np.savez(path, X=x[:limit], y=np.array([f"c{c}" for c in y[:limit]]))
        files[part], sizes[part] = str(path), len(y[:limit])
        columns, variance = x.shape[1], float(x[:limit].var())
        if part == "train":  # the width of scikit-learn's SVC, gamma="scale"
            files["gamma"] = 1 / (columns * variance)
            sizes["columns"], sizes["classes"] = columns, len(set(y))
    print(json.dumps({**files, "sizes": sizes}))


if __name__ == "__main__":
    main()
