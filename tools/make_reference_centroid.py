#!/usr/bin/env python3
"""Reference values of scikit-learn's NearestCentroid for the wine data of tests/oracle/reference.

Usage: tools/make_reference_centroid.py [FOLDER]    writes centroid_sklearn_wine_*.csv there (default: the stored files)

The classes are those of the three growers (59, 71 and 48 rows in their order); every second row is learnt from, raw.
Centroids, 17 significant digits, and the classes of all rows. Needs numpy and scikit-learn.
"""
import pathlib
import sys

import numpy as np
from sklearn.neighbors import NearestCentroid

STORED = pathlib.Path(__file__).resolve().parent.parent / "tests" / "oracle" / "reference"
SIZES = (59, 71, 48)


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else STORED
    wine = np.loadtxt(STORED / "wine.csv", delimiter=",")
    classes = np.repeat(np.arange(3), SIZES)
    model = NearestCentroid().fit(wine[::2], classes[::2])
    np.savetxt(folder / "centroid_sklearn_wine_centroids.csv", model.centroids_, "%.17g", ",")
    np.savetxt(folder / "centroid_sklearn_wine_predicted.csv", model.predict(wine), "%d", ",")


if __name__ == "__main__":
    main()
