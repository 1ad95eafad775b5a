#!/usr/bin/env python3
"""The tables of methods.py, and how good an answer is.

usage: method_tables.py make TABLE ROWS FOLDER                paths and shape, as JSON; files that exist are kept
       method_tables.py loss TABLE NUMBERS ARRAY ANSWER.json  one number, less is better

fashion     Fashion-MNIST, training images and then test images, float32, 0 to 255   (Debian: dataset-fashion-mnist)
pixels      the same, float64, without pixels that are the same in all images
regression  200 columns with a decaying spectrum, 5 targets that are linear in them, and noise
distances   Euclidean distances of points in 6 dimensions whose scales fall off
cloud       three Gaussians in 10 dimensions, of which metric MDS sees the distances

Losses. fashion: with eigenvalues in the answer, their largest relative error against the covariance in float64; else
less the sum of |mean ln cosh y - that of a Gaussian| over the sources y at unit variance. pixels: less the mean log
likelihood of a row. regression: relative distance of the predicted targets from those of the textbook's algorithm with
exact singular vectors; the residual itself says nothing, for PLS does not minimise it. distances: |array - the exact
coordinates up to sign| / |coordinates|, in Frobenius norms. cloud: sum over pairs of (distance of the rows - distance of
the result)^2 over that of the squared distances.
"""
import gzip
import json
import os
import sys
from pathlib import Path

import numpy as np

FASHION = Path("/usr/share/datasets/fashion-mnist")
PIXELS = 784
GAUSSIAN_LOG_COSH = 0.374567207491438  # of a standard normal, by numerical integration
TARGETS = 5
PLS_COMPONENTS = 10


def images(name):
    path = FASHION / name
    if not path.exists():
        raise SystemExit("Fashion-MNIST is not installed: apt-get install dataset-fashion-mnist")
    with gzip.open(path) as stream:
        return np.frombuffer(stream.read(), np.uint8, offset=16).reshape(-1, PIXELS)


def fashion(rows):
    every = np.concatenate([images("train-images-idx3-ubyte.gz"), images("t10k-images-idx3-ubyte.gz")])
    return every[:rows].astype(np.float32)


def pixels(rows):
    every = fashion(rows).astype(np.float64)
    return every[:, every.std(axis=0) > 0]


def regression(rows):
    random = np.random.default_rng(2)
    columns = random.standard_normal((rows, 200)) * (0.97 ** np.arange(200)) @ np.linalg.qr(
        random.standard_normal((200, 200)))[0]
    return np.hstack([columns, columns @ random.standard_normal((200, TARGETS))
                      + 0.5 * random.standard_normal((rows, TARGETS))])


def points(rows):
    return np.random.default_rng(3).standard_normal((rows, 6)) * [5.0, 3.0, 1.0, 0.5, 0.3, 0.2]


def between(rows):
    squares = (rows ** 2).sum(axis=1)
    squared = squares[:, None] + squares[None, :] - 2 * rows @ rows.T
    np.fill_diagonal(squared, 0)
    distances = np.sqrt(np.maximum(squared, 0))
    return (distances + distances.T) / 2


def distances(rows):
    return between(points(rows))


def cloud(rows):
    random = np.random.default_rng(4)
    return 4.0 * random.standard_normal((3, 10))[random.integers(0, 3, rows)] + random.standard_normal((rows, 10))


MAKERS = {maker.__name__: maker for maker in (fashion, pixels, regression, distances, cloud)}


def save(path, write):
    """Writes through a temporary name, so that a broken run leaves no half file that looks whole."""
    partial = path.with_name(f".{os.getpid()}.{path.name}")
    write(partial)
    partial.replace(path)


def make(name, rows, folder):
    folder.mkdir(parents=True, exist_ok=True)
    numbers = folder / f"family_{name}_{rows}.npy"
    if not numbers.exists():
        made = np.ascontiguousarray(MAKERS[name](rows))
        save(numbers, lambda path: np.save(path, made))
    shape = np.load(numbers, mmap_mode="r").shape
    files = {"table": str(numbers), "numbers": str(numbers), "shape": shape}
    if name == "distances":
        raw = numbers.with_suffix(".bin")
        if not raw.exists():
            save(raw, lambda path: np.load(numbers).tofile(path))
        files["raw"] = str(raw)
    if name == "regression":  # targets are named: a table with a header
        text = numbers.with_suffix(".csv")
        header = ",".join([f"x{j + 1}" for j in range(200)] + [f"y{j + 1}" for j in range(TARGETS)])
        if not text.exists():
            save(text, lambda path: np.savetxt(path, np.load(numbers), delimiter=",", header=header, comments="", fmt="%.17g"))
        files["table"] = str(text)
    return files


def fashion_loss(numbers, array, answer):
    if array is not None and array.shape[1] == 20:
        sources = array.astype(np.float64)
        sources /= np.sqrt((sources ** 2).mean(axis=0))
        magnitude = np.abs(sources)
        log_cosh = (magnitude + np.log1p(np.exp(-2 * magnitude)) - np.log(2)).mean(axis=0)
        return -float(np.abs(log_cosh - GAUSSIAN_LOG_COSH).sum())
    values = np.asarray(answer["eigenvalues"])
    rows = numbers.astype(np.float64)
    rows -= rows.mean(axis=0)
    exact = np.linalg.eigvalsh(rows.T @ rows)[::-1][:len(values)]
    return float(np.abs(values / exact - 1).max())


def pixels_loss(_numbers, _array, answer):
    return -answer["log_likelihood"] / answer["n"]


def regression_loss(numbers, array, _answer):
    rows, targets = numbers[:, :200] - numbers[:, :200].mean(axis=0), numbers[:, 200:]
    mean = targets.mean(axis=0)
    left, exact = targets - mean, np.zeros_like(targets)
    for _ in range(PLS_COMPONENTS):  # weights, unit scores, and both sides without them
        scores = rows @ np.linalg.svd(rows.T @ left, full_matrices=False)[0][:, 0]
        scores /= np.linalg.norm(scores)
        rows = rows - np.outer(scores, scores @ rows)
        part = np.outer(scores, scores @ left)
        left, exact = left - part, exact + part
    return float(np.linalg.norm(array - mean - exact) / np.linalg.norm(exact))


def distances_loss(numbers, array, _answer):
    rows = points(len(numbers))
    rows -= rows.mean(axis=0)
    left, values, _ = np.linalg.svd(rows, full_matrices=False)
    exact = left[:, :2] * values[:2]
    signs = np.sign((exact * array).sum(axis=0))
    return float(np.linalg.norm(array * signs - exact) / np.linalg.norm(exact))


def cloud_loss(numbers, array, _answer):
    wanted = between(numbers)
    return float(((wanted - between(array)) ** 2).sum() / (wanted ** 2).sum())


LOSSES = {"fashion": fashion_loss, "pixels": pixels_loss, "regression": regression_loss, "distances": distances_loss,
          "cloud": cloud_loss}


def loss(name, numbers, array, answer):
    path = Path(array)
    return LOSSES[name](np.load(numbers), np.load(path) if path.exists() else None,
                        json.loads(Path(answer).read_text(encoding="utf-8")))


def main():
    words = sys.argv[1:]
    if len(words) == 4 and words[0] == "make" and words[1] in MAKERS:
        print(json.dumps(make(words[1], int(words[2]), Path(words[3]))))
    elif len(words) == 5 and words[0] == "loss" and words[1] in LOSSES:
        print(json.dumps({"loss": loss(*words[1:])}))
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
