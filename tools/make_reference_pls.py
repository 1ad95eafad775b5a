#!/usr/bin/env python3
"""Reference values of scikit-learn's PLSRegression for `mercer fit --method pls` with several targets.

Usage: tools/make_reference_pls.py              rewrite the stored files
       tools/make_reference_pls.py --check DIR  write to DIR, for tools/compare_reference.py DIR

Of the tables pls_CASE_x.csv and pls_CASE_y.csv, which tools/make_reference_pls.R writes: pls_CASE_sklearn.csv and, with
scale=True, pls_CASE_sklearn_scaled.csv hold the coefficients (a row for each column), then the predictions of the training
rows; 17 significant digits. The inner iteration is run to the end of double precision.
"""
import pathlib
import sys

import numpy as np
from sklearn.cross_decomposition import PLSRegression

STORED = pathlib.Path(__file__).resolve().parent.parent / "tests" / "oracle" / "reference"
CASES = {"olive": 3, "gasoline": 8}


def main():
    arguments = sys.argv[1:]
    if arguments and (len(arguments) != 2 or arguments[0] != "--check"):
        print(__doc__)
        return 2
    folder = pathlib.Path(arguments[1]) if arguments else STORED
    folder.mkdir(parents=True, exist_ok=True)
    for case, components in CASES.items():
        x = np.loadtxt(STORED / f"pls_{case}_x.csv", delimiter=",", ndmin=2)
        y = np.loadtxt(STORED / f"pls_{case}_y.csv", delimiter=",", ndmin=2)
        for scale in (False, True):
            model = PLSRegression(components, scale=scale, tol=1e-30, max_iter=100000).fit(x, y)
            name = f"pls_{case}_sklearn{'_scaled' if scale else ''}.csv"
            # coef_ is of scaled or unscaled columns, turned or not, by the version.
            slopes = model.predict(np.eye(x.shape[1])) - model.predict(np.zeros((1, x.shape[1])))
            both = np.vstack([slopes, model.predict(x)])
            np.savetxt(folder / name, both, fmt="%.17g", delimiter=",")
    return 0


if __name__ == "__main__":
    sys.exit(main())
