#!/usr/bin/env python3
"""PCA of a table far larger than the memory allowed: time, passes over the file, peak memory.

usage: bench/large_pca.py MERCER_BINARY FOLDER [GIGABYTES] [MEMORY]

Writes an NPY file of doubles with 1000 columns, GIGABYTES long (default 20), to FOLDER: a hole but for 6000 rows at its
beginning, middle and end, so that it takes 46 MB of the disk; fits 10 components within MEMORY (default 1G), writes
the scores, and compares the variances with those of NumPy's sums over the same rows. Removes what it wrote.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

COLUMNS, WRITTEN = 1000, 2000
ALLOWED_BESIDE = 64 << 20  # bytes of peak memory beside the budget


def write(path, rows):
    table = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=(rows, COLUMNS))
    draw = np.random.default_rng(0)
    total, squares = np.zeros(COLUMNS), np.zeros((COLUMNS, COLUMNS))
    for first in (0, rows // 2, rows - WRITTEN):
        part = draw.normal(size=(WRITTEN, COLUMNS)) * np.linspace(3, 1, COLUMNS) + 1
        table[first:first + WRITTEN] = part
        total += part.sum(axis=0)
        squares += part.T @ part
    mean = total / rows
    return np.linalg.eigvalsh(squares / rows - np.outer(mean, mean))[::-1]


def bytes_of(text):
    return int(float(text[:-1]) * 1024 ** ("KMGT".index(text[-1]) + 1))


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    binary, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    gigabytes, memory = float(sys.argv[3]) if len(sys.argv) > 3 else 20.0, sys.argv[4] if len(sys.argv) > 4 else "1G"
    rows = int(gigabytes * 1e9 / (8 * COLUMNS))
    with tempfile.TemporaryDirectory(dir=folder) as work:
        table = os.path.join(work, "table.npy")
        known = write(table, rows)
        done = subprocess.run([binary, "fit", table, "--method", "pca", "--components", "10", "--memory", memory, "-o",
                               os.path.join(work, "m.mercer"), "--scores", os.path.join(work, "scores.npy"), "--json",
                               "--quiet"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(done.stderr)
            return 1
        result = json.loads(done.stdout)
    error = np.abs(np.array(result["variances"]) - known[:10]).max() / known[0]
    print(f"{rows} x {COLUMNS}, {gigabytes:g} GB, --memory {memory}: {result['seconds']['total']:.1f} s, "
          f"{result['plan']['walks']} passes and one for the scores, peak {result['peak_bytes'] / 2**20:.0f} MiB, "
          f"error of the variances {error:.1e} of the largest")
    return 0 if result["peak_bytes"] <= bytes_of(memory) + ALLOWED_BESIDE and error < 1e-6 else 1


if __name__ == "__main__":
    sys.exit(main())
