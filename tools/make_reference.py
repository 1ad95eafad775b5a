#!/usr/bin/env python3
"""Reference values of scikit-learn's KernelPCA for the cases of tests/oracle/reference/cases.csv.

Usage: tools/make_reference.py              rewrite the stored files
       tools/make_reference.py --check DIR  write to DIR, for tools/compare_reference.py DIR

For every case of peer `sklearn`: STEM_eigenvalues.csv, STEM_scores.csv (training rows) and
STEM_new.csv (new rows), first 8 components, 17 significant digits. Also wine.csv, the raw data
that make_reference.R reads.
A case whose eigenvalues are too close or too small to compare digits is refused.
"""
import argparse
import csv
import pathlib
import sys

import numpy as np
import scipy
import sklearn
from sklearn.datasets import load_wine
from sklearn.decomposition import KernelPCA
from sklearn.metrics.pairwise import pairwise_kernels

ROOT = pathlib.Path(__file__).resolve().parent.parent
STORED = ROOT / "tests" / "oracle" / "reference"
COMPONENTS = 8
METRICS = {"laplacian": "laplacian", "chi_squared": "chi2", "additive_chi_squared": "additive_chi2"}
SMALLEST_GAP = 1e-6  # relative, between neighbours: below it eigenvectors lose too many digits
SMALLEST_SHARE = 1e-9  # of mu_8 in mu_1: below it mu_8 itself has too few digits


def digits():
    """The first 400 images train, the next 50 are new."""
    raw = np.fromfile(ROOT / "assets" / "digits" / "digits.bin", dtype=np.uint8)
    images = raw[: 1797 * 64].reshape(1797, 64).astype(float)
    return images[:400], images[400:450]


def wine():
    """Raw values; rows of even number train, those of odd number are new."""
    values = load_wine().data
    return values[0::2], values[1::2]


def parse(spec):
    """`polynomial:degree=3,scale=1e-6` as scikit-learn's arguments."""
    name, _, rest = spec.partition(":")
    given = {key: float(value) for key, value in (p.split("=") for p in rest.split(",") if p)}
    if name == "linear":
        return {"kernel": "linear"}
    if name == "gaussian":
        return {"kernel": "rbf", "gamma": given["gamma"]}
    if name == "polynomial":
        return {"kernel": "poly", "degree": int(given["degree"]), "gamma": given["scale"],
                "coef0": given["offset"]}
    if name == "sigmoid":
        return {"kernel": "sigmoid", "gamma": given["scale"], "coef0": given["offset"]}
    if name == "cosine":
        return {"kernel": "cosine"}
    if name in METRICS:
        return {"kernel": "precomputed", "metric": METRICS[name], "given": given}
    raise SystemExit(f"cases.csv: scikit-learn has no kernel for {spec}")


def prepared(arguments, train, new):
    """KernelPCA's arguments and data: kernels it does not know by name come as matrices."""
    if "metric" not in arguments:
        return arguments, train, new
    matrix = lambda rows: pairwise_kernels(rows, train, metric=arguments["metric"], **arguments["given"])
    return {"kernel": "precomputed"}, matrix(train), matrix(new)


def save(path, matrix):
    np.savetxt(path, np.atleast_2d(matrix), fmt="%.17g", delimiter=",")


def check_separation(stem, train, arguments):
    """Refuses a case in which one of the components kept, or the next one, is ill determined."""
    values = KernelPCA(COMPONENTS + 1, eigen_solver="dense", **arguments).fit(train).eigenvalues_
    kept = values[:COMPONENTS]
    gap = np.min((kept - values[1:COMPONENTS + 1]) / kept)
    share = kept[-1] / kept[0]
    print(f"{stem:28} mu_1 {kept[0]:<12.6g} mu_8/mu_1 {share:<10.3g} smallest gap {gap:.3g}")
    if len(values) <= COMPONENTS or gap < SMALLEST_GAP or share < SMALLEST_SHARE:
        raise SystemExit(f"{stem}: eigenvalues too close or too small for a reference")


def make_case(folder, stem, arguments, train, new):
    arguments, train, new = prepared(arguments, train, new)
    check_separation(stem, train, arguments)
    model = KernelPCA(COMPONENTS, eigen_solver="dense", **arguments)
    scores = model.fit_transform(train)
    save(folder / f"{stem}_eigenvalues.csv", model.eigenvalues_[:, None])
    save(folder / f"{stem}_scores.csv", scores)
    save(folder / f"{stem}_new.csv", model.transform(new))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", metavar="DIR", type=pathlib.Path, help="write here instead")
    folder = parser.parse_args().check or STORED
    folder.mkdir(parents=True, exist_ok=True)

    save(folder / "wine.csv", load_wine().data)
    data = {"digits": digits(), "wine": wine()}
    with open(STORED / "cases.csv", newline="") as file:
        cases = [case for case in csv.DictReader(file, delimiter=";") if case["peer"] == "sklearn"]
    for case in cases:
        make_case(folder, case["stem"], parse(case["kernel"]), *data[case["data"]])
    (folder / "versions_sklearn.txt").write_text(
        f"made by tools/make_reference.py\nPython {sys.version.split()[0]}\n"
        f"scikit-learn {sklearn.__version__}\nNumPy {np.__version__}\nSciPy {scipy.__version__}\n")


if __name__ == "__main__":
    main()
