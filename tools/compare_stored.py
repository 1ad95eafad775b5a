#!/usr/bin/env python3
"""Compares tables that a peer made anew with the stored ones; prints "N passed, N failed".

usage: compare_stored.py FOLDER PREFIX...    stored files that begin with a PREFIX, against FOLDER

Differences are relative to the largest number of a table and may be 1e-9. Columns of scores may have another sign.
Exit status 1 on a failure, or where a prefix has no file.
"""
import pathlib
import sys

import numpy as np

STORED = pathlib.Path(__file__).resolve().parent.parent / "tests" / "oracle" / "reference"
LARGEST = 1e-9


def difference(path, folder):
    if not (folder / path.name).exists():
        return np.inf
    old, new = (np.loadtxt(where / path.name, delimiter=",", ndmin=2) for where in (STORED, folder))
    if old.shape != new.shape:
        return np.inf
    if "scores" in path.name:
        new = new * np.sign(np.sum(old * new, axis=0))
    return np.max(np.abs(old - new)) / np.max(np.abs(old))


def main():
    folder, failed, compared = pathlib.Path(sys.argv[1]), 0, 0
    for prefix in sys.argv[2:]:
        paths = sorted(STORED.glob(f"{prefix}*.csv"))
        failed += not paths
        for path in paths:
            found = difference(path, folder)
            failed += not found <= LARGEST
            compared += found <= LARGEST
            print(f"{'pass' if found <= LARGEST else 'FAIL'}  {path.stem:38} {found:.1e}")
    print(f"{compared} passed, {failed} failed")
    return 1 if failed or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
