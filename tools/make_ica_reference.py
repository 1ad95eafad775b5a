#!/usr/bin/env python3
"""Reference values of scikit-learn's FastICA.

Usage: tools/make_ica_reference.py              rewrite the stored files
       tools/make_ica_reference.py --check DIR  write to DIR and compare with the stored ones

Into tests/oracle/reference, 17 significant digits:
ica_white.csv                   120 x 3 whitened mixtures of a Laplace, a uniform and a skewed source
ica_start.csv                   the 3 x 3 matrix that every run starts from
ica_CONTRAST_APPROACH.csv       unmixing matrix of those rows after exactly 4 iterations (symmetric), or after as many
                                as settle to 1e-13 (deflation, one source after the other)
ica_wine_sources.csv            sources of scikit-learn's wine data (standardised), 5 components, logcosh, symmetric,
                                iterated until no direction turns by 1 - |cos| > 1e-14
"""
import argparse
import pathlib
import sys
import warnings

import numpy as np
from sklearn.datasets import load_wine
from sklearn.decomposition import FastICA
from sklearn.exceptions import ConvergenceWarning

STORED = pathlib.Path(__file__).resolve().parent.parent / "tests" / "oracle" / "reference"
ITERATIONS = 4
CLOSE = 1e-9  # between runs: other BLAS kernels round otherwise


def white_rows():
    random = np.random.default_rng(17)
    n = 120
    sources = np.column_stack([random.laplace(size=n), random.uniform(-1, 1, n), random.exponential(size=n)])
    mixed = sources @ random.standard_normal((3, 3)).T
    mixed -= mixed.mean(axis=0)
    values, vectors = np.linalg.eigh(mixed.T @ mixed / n)
    white = mixed @ vectors / np.sqrt(values)
    return white - white.mean(axis=0)


def unmixing(white, start, contrast, approach):
    symmetric = approach == "symmetric"
    ica = FastICA(whiten=False, algorithm="parallel" if symmetric else "deflation", fun=contrast, w_init=start,
                  max_iter=ITERATIONS if symmetric else 1000, tol=1e-300 if symmetric else 1e-13)
    return ica.fit(white).components_


def wine_sources():
    values = load_wine().data
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    ica = FastICA(5, whiten="unit-variance", tol=1e-14, max_iter=10000, random_state=1, whiten_solver="svd")
    return ica.fit_transform(values)


def tables():
    white = white_rows()
    start = np.linalg.qr(np.random.default_rng(18).standard_normal((3, 3)))[0]
    made = {"ica_white": white, "ica_start": start}
    for contrast in ("logcosh", "exp", "cube"):
        for approach in ("symmetric", "deflation"):
            made[f"ica_{contrast}_{approach}"] = unmixing(white, start, contrast, approach)
    made["ica_wine_sources"] = wine_sources()
    return made


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", type=pathlib.Path, metavar="DIR")
    folder = parser.parse_args().check
    warnings.simplefilter("ignore", ConvergenceWarning)  # four iterations are meant to be too few
    worst = 0.0
    for name, table in tables().items():
        np.savetxt((folder or STORED) / f"{name}.csv", table, delimiter=",", fmt="%.17g")
        if folder:
            stored = np.loadtxt(STORED / f"{name}.csv", delimiter=",", ndmin=2)
            # The order and sign of sources that a random start leads to are nobody's promise.
            gap = np.abs(np.abs(stored) - np.abs(table)).max()
            print(f"{name}: differs by {gap:.2g}")
            worst = max(worst, gap)
    sys.exit(1 if worst > CLOSE else 0)


if __name__ == "__main__":
    main()
