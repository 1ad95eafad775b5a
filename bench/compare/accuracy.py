#!/usr/bin/env python3
"""Measures answers against a float64 reference that shares no code with Mercer.

usage: accuracy.py reference TRAIN.npy GAMMA COMPONENTS FOLDER
       accuracy.py fit REFERENCE.npz VECTORS.npy VALUE,VALUE,...
       accuracy.py scores REFERENCE.npz TRAIN.npy NEW.npy SCORES.npy

The reference: K_ij = exp(-gamma |x_i - x_j|^2) in float64, centred, and its leading pairs by SciPy's eigsh with
tolerance 0 and five spare pairs; kept in FOLDER under a name made of the data's hash. `fit` prints the largest relative
error of an eigenvalue and the sine of the largest angle between the span of VECTORS and that of the reference's leading
vectors, |(I - U U') Q|. `scores` prints the largest error of a score of a new row, relative to the largest score of its
component, up to the sign of the component.
"""
import hashlib
import json
import os
import sys
from pathlib import Path

import numpy as np

SPARE = 5
BLOCK = 500


def kernel_block(rows, columns, gamma):
    squared = np.add.outer(np.sum(rows**2, axis=1), np.sum(columns**2, axis=1))
    squared -= 2.0 * (rows @ columns.T)
    np.maximum(squared, 0.0, out=squared)
    squared *= -gamma
    return np.exp(squared, out=squared)


def kernel_matrix(table, gamma):
    """The centred kernel matrix, and the means of the columns of the one before centring."""
    n = len(table)
    matrix = np.empty((n, n))
    for first in range(0, n, BLOCK):
        matrix[first:first + BLOCK] = kernel_block(table[first:first + BLOCK], table, gamma)
    matrix.flat[::n + 1] = 1.0
    means = matrix.mean(axis=0)
    for first in range(0, n, BLOCK):
        matrix[first:first + BLOCK] -= means
        matrix[first:first + BLOCK] -= (means[first:first + BLOCK] - means.mean())[:, None]
    return matrix, means


def centred_rows(path, centre=None):
    """The rows in float64, moved to the mean of the training rows: the kernel cannot tell, rounding is smaller."""
    table = np.load(path).astype(np.float64)
    centre = table.mean(axis=0) if centre is None else centre
    return table - centre, centre


def make_reference(train, gamma, components, folder):
    digest = hashlib.blake2b(Path(train).read_bytes(), digest_size=8).hexdigest()
    path = Path(folder) / f"reference_{digest}_{gamma:.17g}_{components}.npz"
    if not path.exists():
        from scipy.sparse.linalg import eigsh
        table, _ = centred_rows(train)
        matrix, means = kernel_matrix(table, gamma)
        values, vectors = eigsh(matrix, components + SPARE, which="LA", tol=0.0,
                                v0=np.random.default_rng(7).standard_normal(len(table)))
        order = np.argsort(values)[::-1]
        values, vectors = values[order], vectors[:, order]
        residual = np.max(np.linalg.norm(matrix @ vectors - vectors * values, axis=0)) / values[0]
        if residual > 1e-11:
            raise SystemExit(f"the reference itself has a residual of {residual:.1e}")
        partial = path.with_suffix(f".{os.getpid()}.npz")
        np.savez(partial, values=values, vectors=vectors, means=means, gamma=gamma, components=components)
        partial.replace(path)
    found = np.load(path)
    values = found["values"]
    gap = (values[components - 1] - values[components]) / values[0]
    return {"reference": str(path), "eigenvalues": values[:components].tolist(), "gap": gap}


def fit_error(reference, vectors, values):
    found = np.load(reference)
    k = int(found["components"])
    basis, exact = found["vectors"][:, :k], found["values"][:k]
    columns = np.load(vectors).astype(np.float64)
    if columns.shape != basis.shape or len(values) != k:
        raise SystemExit(f"{columns.shape[1]} vectors and {len(values)} eigenvalues where {k} were asked for")
    # Columns of equal length keep QR from losing the small ones.
    span, _ = np.linalg.qr(columns / np.linalg.norm(columns, axis=0))
    outside = span - basis @ (basis.T @ span)
    return {"eigenvalue_error": float(np.max(np.abs(np.array(values) - exact) / exact)),
            "sine": float(np.linalg.norm(outside, 2))}


def score_error(reference, train, new, scores):
    found = np.load(reference)
    k, gamma, means = int(found["components"]), float(found["gamma"]), found["means"]
    coefficients = found["vectors"][:, :k] / np.sqrt(found["values"][:k])
    table, centre = centred_rows(train)
    rows, _ = centred_rows(new, centre)
    exact = np.empty((len(rows), k))
    for first in range(0, len(rows), BLOCK):
        block = kernel_block(rows[first:first + BLOCK], table, gamma)
        block -= block.mean(axis=1)[:, None] + (means - means.mean())
        exact[first:first + BLOCK] = block @ coefficients
    given = np.load(scores).astype(np.float64)
    given *= np.where(np.sum(given * exact, axis=0) < 0, -1.0, 1.0)
    return {"score_error": float(np.max(np.abs(given - exact) / np.abs(exact).max(axis=0)))}


def main():
    words = sys.argv[1:]
    if len(words) == 5 and words[0] == "reference":
        result = make_reference(words[1], float(words[2]), int(words[3]), words[4])
    elif len(words) == 4 and words[0] == "fit":
        result = fit_error(words[1], words[2], [float(value) for value in words[3].split(",")])
    elif len(words) == 5 and words[0] == "scores":
        result = score_error(*words[1:])
    else:
        raise SystemExit(__doc__)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
