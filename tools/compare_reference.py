#!/usr/bin/env python3
"""Compares regenerated reference values with the stored ones; prints "N passed, N failed".

Usage: tools/make_reference.py --check DIR; tools/make_reference.R --check DIR
       tools/compare_reference.py DIR

Eigenvalues and standard deviations must agree to 1e-9 relative. Scores, scores of new rows and
axes must agree to 1e-7 of the column's largest entry, up to one sign per component, the same in
all files of a case. wine.csv must be equal. A peer of which DIR holds nothing is skipped and
named; exit status 1 on a failure or when nothing was compared.
"""
import argparse
import csv
import pathlib
import sys

import numpy as np

STORED = pathlib.Path(__file__).resolve().parent.parent / "tests" / "oracle" / "reference"
VALUES = ("eigenvalues", "sdev")
VECTORS = ("scores", "new", "rotation")
VALUE_TOLERANCE = 1e-9
VECTOR_TOLERANCE = 1e-7


def load(path):
    return np.loadtxt(path, delimiter=",", ndmin=2)


def value_error(stored, fresh):
    return np.max(np.abs(fresh - stored) / np.abs(stored))


def vector_error(stored, fresh, signs):
    return np.max(np.abs(fresh * signs - stored) / np.abs(stored).max(axis=0))


def case_signs(folder, stem):
    """+1 or -1 per component: which orientation the new scores have."""
    stored, fresh = load(STORED / f"{stem}_scores.csv"), load(folder / f"{stem}_scores.csv")
    return np.where(np.sum(stored * fresh, axis=0) < 0, -1.0, 1.0)


def compare(folder, stem, part):
    """The error of one file and whether it is small enough."""
    fresh_path = folder / f"{stem}_{part}.csv"
    if not fresh_path.exists() or not (folder / f"{stem}_scores.csv").exists():
        return np.inf, False
    stored, fresh = load(STORED / fresh_path.name), load(fresh_path)
    if stored.shape != fresh.shape:
        return np.inf, False
    if part in VALUES:
        error = value_error(stored, fresh)
        return error, error <= VALUE_TOLERANCE
    error = vector_error(stored, fresh, case_signs(folder, stem))
    return error, error <= VECTOR_TOLERANCE


def compare_cases(folder, cases):
    passed = failed = 0
    for case in cases:
        stem = case["stem"]
        parts = [p for p in VALUES + VECTORS if (STORED / f"{stem}_{p}.csv").exists()]
        results = {part: compare(folder, stem, part) for part in parts}
        good = bool(results) and all(ok for _, ok in results.values())
        errors = "  ".join(f"{part} {error:.1e}" for part, (error, _) in results.items())
        print(f"{'pass' if good else 'FAIL'}  {stem:28} {errors}")
        passed, failed = passed + good, failed + (not good)
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", metavar="DIR", type=pathlib.Path)
    folder = parser.parse_args().folder
    with open(STORED / "cases.csv", newline="") as file:
        cases = list(csv.DictReader(file, delimiter=";"))
    for peer in sorted({case["peer"] for case in cases}):
        if not any(folder.glob(f"{peer}_*.csv")):
            print(f"skipped: {peer}")
            cases = [case for case in cases if case["peer"] != peer]
    passed, failed = compare_cases(folder, cases)
    if (folder / "wine.csv").exists():
        good = np.array_equal(load(STORED / "wine.csv"), load(folder / "wine.csv"))
        print(f"{'pass' if good else 'FAIL'}  wine.csv")
        passed, failed = passed + good, failed + (not good)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
