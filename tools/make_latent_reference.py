#!/usr/bin/env python3
"""Reference values of scikit-learn's PCA and FactorAnalysis as probabilistic models, on wine.csv.

Usage: tools/make_latent_reference.py          rewrite the stored files
       tools/make_latent_reference.py --check  make them anew and compare with the stored ones

sklearn_wine_pca_model.csv: for 1 to 5 components noise_variance_ and score (mean log density of a row). Both divide by
n - 1 where the maximum of the likelihood divides by n.
sklearn_wine_factors.csv: for 1 to 3 factors the mean log density of a row under FactorAnalysis.
"""
import sys
from pathlib import Path

import numpy as np
import sklearn
from sklearn.decomposition import PCA, FactorAnalysis

STORED = Path(__file__).resolve().parent.parent / "tests" / "oracle" / "reference"
TOLERANCE = 1e-9  # relative; versions of LAPACK differ by rounding


def made():
    wine = np.loadtxt(STORED / "wine.csv", delimiter=",")
    models = [PCA(k, svd_solver="full").fit(wine) for k in range(1, 6)]
    yield "sklearn_wine_pca_model", np.array([[m.noise_variance_, m.score(wine)] for m in models])
    # Columns of one size: the search starts from the same noise for all.
    scaled = (wine - wine.mean(0)) / wine.std(0)
    factors = [FactorAnalysis(k, svd_method="lapack", tol=1e-10, max_iter=200000).fit(scaled) for k in range(1, 4)]
    yield "sklearn_wine_factors", np.array([[m.score(scaled)] for m in factors])


def main():
    check, failed, count = sys.argv[1:] == ["--check"], 0, 0
    for name, values in made():
        path, count = STORED / f"{name}.csv", count + 1
        if not check:
            np.savetxt(path, values, fmt="%.17g", delimiter=",")
            continue
        old = np.loadtxt(path, delimiter=",", ndmin=2)
        if not np.allclose(values, old, rtol=TOLERANCE, atol=0):
            failed += 1
            print(f"{name} differs by {abs(values - old).max()}")
    if check:
        print(f"{count - failed} passed, {failed} failed")
        sys.exit(failed > 0)
    (STORED / "versions_latent_sklearn.txt").write_text(f"scikit-learn {sklearn.__version__}\nnumpy {np.__version__}\n")


if __name__ == "__main__":
    main()
