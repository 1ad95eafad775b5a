#!/usr/bin/env python3
"""Reference values of scikit-learn's LinearDiscriminantAnalysis for the wine data of tests/oracle/reference.

Usage: tools/make_reference_lda.py [FOLDER]    writes lda_sklearn_wine_*.csv there (default: the stored files)

Solver "eigen": scores of the rows, and probabilities of the classes; the rows are standardised, the classes are those of
the three growers (59, 71 and 48 rows in their order). 17 significant digits. Needs numpy and scikit-learn.
"""
import pathlib
import sys

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

STORED = pathlib.Path(__file__).resolve().parent.parent / "tests" / "oracle" / "reference"
SIZES = (59, 71, 48)


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else STORED
    wine = np.loadtxt(STORED / "wine.csv", delimiter=",")
    wine = (wine - wine.mean(axis=0)) / wine.std(axis=0)
    classes = np.repeat(np.arange(3), SIZES)
    model = LinearDiscriminantAnalysis(solver="eigen").fit(wine, classes)
    np.savetxt(folder / "lda_sklearn_wine_scores.csv", model.transform(wine), "%.17g", ",")
    np.savetxt(folder / "lda_sklearn_wine_probabilities.csv", model.predict_proba(wine), "%.17g", ",")


if __name__ == "__main__":
    main()
