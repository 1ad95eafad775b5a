#!/usr/bin/env python3
"""scikit-learn's linear methods on one table, timed around fit alone.

usage: peer_methods.py WAY NUMBERS.npy ARRAY.npy       prints JSON: seconds, peak_bytes, answer
       peer_methods.py versions

Every way fits the table as it lies in the file. ARRAY gets the scores, or the predicted targets, for the loss.
"""
import json
import sys
import time
import warnings

import numpy as np
import scipy
import sklearn
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA, FactorAnalysis, FastICA
from sklearn.manifold import MDS

from peer_sklearn import peak_bytes

TARGETS = 5
LATE = {"max_iter": 1000}  # enough for all to reach their tolerance


def pca(solver):
    def fit(rows):
        model = PCA(50, svd_solver=solver, random_state=0).fit(rows)
        return model, {"eigenvalues": (model.singular_values_.astype(np.float64) ** 2).tolist()}
    return fit


def ica(solver):
    def fit(rows):
        model = FastICA(20, whiten="unit-variance", whiten_solver=solver, tol=1e-6, random_state=0, **LATE).fit(rows)
        return model, {"iterations": model.n_iter_}
    return fit


def factors(method, tolerance):
    def fit(rows):
        model = FactorAnalysis(10, svd_method=method, tol=tolerance, random_state=0, **LATE).fit(rows)
        return model, {"iterations": model.n_iter_}
    return fit


def pls(tolerance):
    def fit(rows):
        model = PLSRegression(10, scale=False, tol=tolerance, max_iter=100000)
        return model.fit(rows[:, :-TARGETS], rows[:, -TARGETS:]), {}
    return fit


def smacof(tolerance):
    def fit(rows):
        model = MDS(2, n_init=1, max_iter=3000, eps=tolerance, random_state=0, n_jobs=None).fit(rows)
        return model, {"iterations": model.n_iter_}
    return fit


WAYS = {"pca_full": pca("full"), "pca_arpack": pca("arpack"), "pca_randomized": pca("randomized"),
        "ica_svd": ica("svd"), "ica_eigh": ica("eigh"), "fa_randomized": factors("randomized", 1e-2),
        "fa_lapack": factors("lapack", 1e-2), "fa_lapack_tight": factors("lapack", 1e-6),
        "pls": pls(1e-6), "pls_tight": pls(1e-14), "smacof": smacof(1e-3), "smacof_tight": smacof(1e-6)}


def array_of(model, rows):
    if isinstance(model, PLSRegression):
        return model.predict(rows[:, :-TARGETS])
    if isinstance(model, MDS):
        return model.embedding_
    return model.transform(rows)


def main():
    if sys.argv[1:] == ["versions"]:
        print(json.dumps({"text": f"scikit-learn {sklearn.__version__}, NumPy {np.__version__}, SciPy {scipy.__version__}"}))
        return
    if len(sys.argv) != 4 or sys.argv[1] not in WAYS:
        raise SystemExit(__doc__)
    warnings.simplefilter("ignore")  # what did not converge shows in its loss
    rows = np.load(sys.argv[2])
    start = time.perf_counter()
    model, answer = WAYS[sys.argv[1]](rows)
    seconds = time.perf_counter() - start
    peak = peak_bytes()
    if isinstance(model, FactorAnalysis):
        answer.update(log_likelihood=float(model.score(rows)) * len(rows), n=len(rows))
    np.save(sys.argv[3], array_of(model, rows))
    json.dump({"seconds": seconds, "peak_bytes": peak, "answer": answer}, sys.stdout)


if __name__ == "__main__":
    main()
