#!/usr/bin/env python3
"""Writes assets/digits/digits.bin from scikit-learn's copy of the UCI digits.

Usage: tools/make_digits.py [OUTPUT]

Layout: 1797 x 64 bytes, one 8x8 image per row, row-major, values 0..16; then 1797 labels, 0..9.
"""
import pathlib
import sys

import numpy as np
from sklearn.datasets import load_digits

DEFAULT = pathlib.Path(__file__).resolve().parent.parent / "assets" / "digits" / "digits.bin"


def digits_bytes():
    images, labels = load_digits(return_X_y=True)
    pixels = images.astype(np.uint8)
    if images.shape != (1797, 64) or not np.array_equal(pixels, images) or pixels.max() != 16:
        raise SystemExit("load_digits() is not the data set this script was written for")
    return pixels.tobytes() + labels.astype(np.uint8).tobytes()


if __name__ == "__main__":
    output = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_bytes(digits_bytes())
