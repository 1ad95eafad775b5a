#!/usr/bin/env python3
"""Makes the data of one comparison as .npy files in a cache folder and prints their paths as JSON.

usage: data.py KIND ROWS NEW_ROWS FOLDER

fashion_raw    Fashion-MNIST images, the first ROWS, 8-bit        (Debian: dataset-fashion-mnist)
fashion_float  the same, standardised by the mean and deviation of each pixel, float32; constant pixels are 0
letter         Letter recognition, 20 000 x 16, float64           (Debian: r-cran-mlbench)
s_curve, swiss_roll                3-D, noise 0.05, float64       (scikit-learn's generators)
mixture        12 Gaussians of unit spread in 20 dimensions, float64

NEW_ROWS more Fashion-MNIST rows follow the first ROWS as rows to transform. Files that exist are kept: what makes them
is fixed by their names.
"""
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

FASHION = Path("/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz")
PIXELS = 784
LETTER_SCRIPT = """
data(LetterRecognition, package = "mlbench")
cat(t(as.matrix(LetterRecognition[, -1])), sep = "\n")
"""


def fashion_images(first, count):
    if not FASHION.exists():
        raise SystemExit("Fashion-MNIST is not installed: apt-get install dataset-fashion-mnist")
    with gzip.open(FASHION) as stream:
        header = np.frombuffer(stream.read(16), ">u4")
        if header[0] != 0x803 or header[2] * header[3] != PIXELS or first + count > header[1]:
            raise SystemExit(f"Fashion-MNIST holds {header[1]} images; rows {first} to {first + count} are asked for")
        stream.read(first * PIXELS)
        return np.frombuffer(stream.read(count * PIXELS), np.uint8).reshape(count, PIXELS)


def fashion_raw(rows, new_rows):
    images = fashion_images(0, rows + new_rows)
    return images[:rows], images[rows:]


def fashion_float(rows, new_rows):
    train, new = (part.astype(np.float64) for part in fashion_raw(rows, new_rows))
    mean, spread = train.mean(axis=0), train.std(axis=0)
    factor = np.divide(1.0, spread, out=np.zeros(PIXELS), where=spread > 0)
    return tuple(((part - mean) * factor).astype(np.float32) for part in (train, new))


def letter(rows, _):
    try:
        result = subprocess.run(["Rscript", "-e", LETTER_SCRIPT], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        raise SystemExit("the Letter data are not installed: apt-get install r-base-core r-cran-mlbench") from None
    table = np.array(result.stdout.split(), dtype=np.float64).reshape(-1, 16)
    if rows > len(table):
        raise SystemExit(f"the Letter data hold {len(table)} rows; {rows} are asked for")
    return table[:rows], None


def s_curve(rows, _):
    from sklearn.datasets import make_s_curve
    return make_s_curve(rows, noise=0.05, random_state=1)[0], None


def swiss_roll(rows, _):
    from sklearn.datasets import make_swiss_roll
    return make_swiss_roll(rows, noise=0.05, random_state=1)[0], None


def mixture(rows, _):
    random = np.random.default_rng(1)
    centres = 2.0 * random.standard_normal((12, 20))
    weights = np.arange(1.0, 13.0) / 78.0
    classes = random.choice(12, size=rows, p=weights)
    return centres[classes] + random.standard_normal((rows, 20)), None


MAKERS = {maker.__name__: maker for maker in (fashion_raw, fashion_float, letter, s_curve, swiss_roll, mixture)}


def save(path, array):
    """Writes through a temporary name, so that a broken run leaves no half file that looks whole."""
    partial = path.with_suffix(f".{os.getpid()}.npy")
    np.save(partial, np.ascontiguousarray(array))
    partial.replace(path)


def main():
    if len(sys.argv) != 5 or sys.argv[1] not in MAKERS:
        raise SystemExit(__doc__)
    kind, rows, new_rows, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    folder.mkdir(parents=True, exist_ok=True)
    train_path = folder / f"{kind}_{rows}.npy"
    new_path = folder / f"{kind}_{rows}_new_{new_rows}.npy" if new_rows else None
    if not all(path.exists() for path in (train_path, new_path) if path):
        train, new = MAKERS[kind](rows, new_rows)
        save(train_path, train)
        if new_path:
            save(new_path, new)
    shape = np.load(train_path, mmap_mode="r").shape
    print(json.dumps({"train": str(train_path), "new": str(new_path) if new_path else None, "shape": shape}))


if __name__ == "__main__":
    main()
