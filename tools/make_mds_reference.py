#!/usr/bin/env python3
"""Stress of scikit-learn's metric MDS on eurodist and swiss, from the same 20 starts as the tests.

Usage: tools/make_mds_reference.py              rewrite the stored files
       tools/make_mds_reference.py --check DIR  write to DIR, then compare all mds_*.csv there with the
                                                stored ones: 1e-7 of a column's largest entry, points up
                                                to signs; stresses 1e-6 of their own

Reads mds_eurodist.csv and mds_swiss.csv (tools/make_mds_reference.R). mds_starts_NAME.csv: 20 starts
of two columns, side by side. mds_smacof_NAME.csv: what scikit-learn reaches from each of them, as the
stress of the configuration that it returns (scikit-learn 1.2 reports that before its last step): sums
over pairs i < j of (delta - d)^2. It runs until its own steps fall below eps = 1e-12.
"""
import argparse
import pathlib

import numpy as np
import sklearn
from scipy.spatial.distance import pdist, squareform
from sklearn.manifold import smacof

ROOT = pathlib.Path(__file__).resolve().parent.parent
STORED = ROOT / "tests" / "oracle" / "reference"
STARTS = 20


def save(path, matrix):
    np.savetxt(path, np.atleast_2d(matrix), fmt="%.17g", delimiter=",")


def compare(folder):
    """Prints "N passed, N failed"; whether nothing failed."""
    passed = failed = 0
    for path in sorted(folder.glob("mds_*.csv")):
        stored, fresh = (np.loadtxt(at, delimiter=",", ndmin=2) for at in (STORED / path.name, path))
        if path.stem.endswith("_points"):
            fresh = fresh * np.where(np.sum(stored * fresh, axis=0) < 0, -1.0, 1.0)
        if "_smacof_" in path.stem:
            stored, fresh = np.log(stored), np.log(fresh)
        size = 10 if "_smacof_" in path.stem else np.abs(stored).max(axis=0)
        good = stored.shape == fresh.shape and bool(np.all(np.abs(fresh - stored) <= 1e-7 * size))
        passed, failed = passed + good, failed + (not good)
        if not good:
            print(f"{path.name} differs")
    print(f"{passed} passed, {failed} failed")
    return failed == 0 and passed > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", metavar="DIR", type=pathlib.Path, help="write here instead")
    check = parser.parse_args().check
    folder = check or STORED
    folder.mkdir(parents=True, exist_ok=True)
    eurodist = np.loadtxt(STORED / "mds_eurodist.csv", delimiter=",")
    swiss = squareform(pdist(np.loadtxt(STORED / "mds_swiss.csv", delimiter=",")))
    for name, wanted in (("eurodist", eurodist), ("swiss", swiss)):
        draws = np.random.RandomState(7)
        starts = [draws.uniform(size=(len(wanted), 2)) for _ in range(STARTS)]
        reached = []
        for start in starts:
            z, _ = smacof(wanted, n_components=2, init=start, n_init=1, max_iter=20000, eps=1e-12)
            reached.append(np.sum((squareform(wanted, checks=False) - pdist(z)) ** 2))
        save(folder / f"mds_starts_{name}.csv", np.hstack(starts))
        save(folder / f"mds_smacof_{name}.csv", np.array(reached)[:, None])
        print(name, min(reached), max(reached))
    (folder / "versions_mds_sklearn.txt").write_text(
        f"made by tools/make_mds_reference.py\nscikit-learn {sklearn.__version__}\nNumPy {np.__version__}\n")
    if check and not compare(check):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
