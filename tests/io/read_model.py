#!/usr/bin/env python3
"""Scores new rows with a model file by docs/reference/model-file.md alone. Needs NumPy.

usage: read_model.py MODEL TABLE [transform | predict | score]
TABLE: CSV with a header, in which empty cells are missing, or NPY. Prints a line of numbers for each row.
"""

import json
import struct
import sys

import numpy as np

sys.dont_write_bytecode = True  # tests run this in the folder of the sources

from read_expansion import REAL, expansion  # noqa: E402

TYPES = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "U8": "u1"}


class Model:
    """Values and arrays of a model; `on` is the model whose scores its rows are, or None."""

    def __init__(self, kind, values, arrays):
        self.kind, self.values = kind, values
        self.arrays = {name: array for name, array in arrays.items() if not name.startswith("on.")}
        inner = {name[3:]: array for name, array in arrays.items() if name.startswith("on.")}
        self.on = Model(values["on"]["method"], values["on"], inner) if "on" in values else None

    def chosen(self):
        """Whether sums go over a few chosen rows, whose coefficients do not add up to 0."""
        if self.kind == "kernel_pca":
            return "score_factor" not in self.arrays and "feature_weights" not in self.arrays
        return self.kind in ("kernel_lda", "kernel_bda") and len(self.arrays["coefficients"]) != self.values["n"]


def read(path):
    with open(path, "rb") as file:
        content = file.read()
    (length,) = struct.unpack("<Q", content[:8])
    header, data, arrays = json.loads(content[8:8 + length]), content[8 + length:], {}
    metadata = header.pop("__metadata__")
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        arrays[name] = np.frombuffer(data[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"])
    return Model(metadata["mercer.kind"], json.loads(metadata["mercer.values"]), arrays)


def table(path, model):
    """The columns of the model, or of the one it stands on, from a CSV or NPY file."""
    while model.on is not None:
        model = model.on
    if path.endswith(".npy"):
        return np.load(path).astype(float)
    with open(path, encoding="utf-8") as file:
        names, *lines = [line.rstrip("\n").split(",") for line in file]
    wanted = model.values["columns"] if model.values["named_columns"] else names
    places = [names.index(name) for name in wanted]
    return np.array([[float(cells[j]) if cells[j] else np.nan for j in places] for cells in lines])


def prepared(model, rows):
    """What the method sees of rows: gaps filled, scores of the inner model, scaled columns."""
    if model.on is not None:
        rows = transform(model.on, rows)
    if "fill" in model.arrays:
        rows = np.where(np.isnan(rows), model.arrays["fill"], rows)
    rows = rows.astype(REAL)
    if "scale.shift" in model.arrays:
        rows = (rows - model.arrays["scale.shift"]) * model.arrays["scale.factor"]
    if "scale.forward" in model.arrays:
        rows = rows @ model.arrays["scale.forward"].astype(REAL)
    return rows


def gaussian_of(model):
    """Loadings with uncorrelated factors, variances of the noise, the root of the factors' correlations."""
    loadings = model.arrays["loadings"]
    if model.kind == "ppca":
        return loadings, np.full(len(loadings), model.values["noise"]), np.eye(loadings.shape[1])
    root = np.linalg.cholesky(model.arrays["factor_correlations"])
    return loadings @ root, model.arrays["uniquenesses"], root


def posterior(model, row):
    """E(factors | the values that are there), and their log density."""
    loadings, noise, _ = gaussian_of(model)
    there = ~np.isnan(row)
    a, psi, x = loadings[there], noise[there], (row - model.arrays["mean"])[there].astype(float)
    m = np.eye(a.shape[1]) + a.T @ (a / psi[:, None])
    e = np.linalg.solve(m, a.T @ (x / psi))
    rest = ((x - a @ e) ** 2 / psi).sum() + (e**2).sum()
    return e, -(len(x) * np.log(2 * np.pi) + np.log(psi).sum() + np.linalg.slogdet(m)[1] + rest) / 2


def factor_scores(model, rows):
    loadings, noise, root = gaussian_of(model)
    e = np.array([posterior(model, row)[0] for row in rows])
    if model.kind == "ppca":
        return e
    if model.values["scoring"] == "regression":
        return e @ root.T
    d, u = np.linalg.eigh(loadings.T @ (loadings / noise[:, None]))
    back = np.where(d > 1e-14 * d.max(), (1 + d) / d, 0)
    return e @ (root @ (u * back) @ u.T).T


def least_strain(mu, g, beta):
    """The place z with |z(e)|^2 = e + beta, z = g / (1 + e / mu), e >= -beta and > -min mu."""
    def place(e):
        return g / (1 + e / mu)

    low, high = max(-beta, -mu.min()), max(0, (g**2).sum() - beta)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if (place(middle) ** 2).sum() > middle + beta else (low, middle)
    return place(high)


def mds_scores(model, rows):
    scaling, values = model.values["scaling"], model.values
    if not scaling["pairs"]:
        moved = rows - model.arrays["mean"]
        scores, beta = moved @ model.arrays["axes"], (moved**2).sum(1)
    else:
        if scaling["added"] > 0:
            rows = np.sqrt(rows) if scaling["squares"] else rows
            rows = np.where(rows > 0, rows + scaling["added"], 0)
        scores = expansion(model, rows)
        squares = rows if values["as"] == "squared-distance" else rows**2
        beta = squares.mean(1) - REAL(values["trace"]) / values["n"]
    if scaling["out_of_sample"] == "gower":
        return scores
    mu = np.array(values["eigenvalues"], REAL)
    return np.array([least_strain(mu, g, b) for g, b in zip(scores, beta)])


def least_stress(places, wanted, weights):
    """The z with the least sum of w (wanted - |z - place|)^2: many starts, steps to means, then Newton's."""
    if (wanted == 0).any():
        return places[np.argmin(wanted)]
    k, best, least = places.shape[1], None, np.inf
    near = np.argsort(wanted)[:6 if k > 1 else None]  # a line has many minima
    for z in [places[i] + sign * wanted[i] * axis for i in near for axis in np.eye(k) for sign in (1, -1)]:
        for step in range(90):
            apart = z - places
            d = np.maximum(np.sqrt((apart**2).sum(1)), 1e-300)
            gradient = apart.T @ (weights * (1 - wanted / d))
            bend = (apart.T * (weights * wanted / d**3)) @ apart + np.eye(k) * (weights * (1 - wanted / d)).sum()
            z = z - (np.linalg.solve(bend.astype(float), gradient.astype(float)) if step >= 80 else gradient / weights.sum())
        value = (weights * (wanted - np.sqrt(((z - places) ** 2).sum(1))) ** 2).sum()
        if value < least * (1 - 1e-9):
            best, least = z, value
    return best


def stress_scores(model, rows):
    stress, places = model.values["stress"], model.arrays["configuration"].astype(REAL)
    if stress["as"] == "table":
        wanted = np.sqrt(((rows[:, None] - model.arrays["points"].astype(REAL)) ** 2).sum(2))
    else:
        wanted = np.sqrt(rows) if stress["as"] == "squared-distance" else rows
    found = []
    for row in wanted:
        known = ~np.isnan(row)
        found.append(least_stress(places[known], row[known], row[known] ** REAL(stress["power"])))
    return np.array(found)


def transform(model, rows):
    rows, arrays = prepared(model, rows), model.arrays
    kind = model.kind
    if kind in ("kernel_pca", "ekpca", "kernel_lda", "kernel_bda") or (kind == "pls" and "slopes" in arrays):
        return expansion(model, rows)
    if kind in ("pls", "pcr"):
        return (rows - arrays["mean"]) @ arrays["directions"]
    if kind in ("ica", "kernel_ica"):
        return (rows - arrays["mean"]) @ arrays["unmixing"]
    if kind == "mds":
        return mds_scores(model, rows)
    if kind == "metric_mds":
        return stress_scores(model, rows)
    if kind in ("ppca", "factor_analysis"):
        return factor_scores(model, rows)
    assert kind == "pca", f"{kind} does not transform"
    scores, whiten = (rows - arrays["mean"]) @ arrays["axes"], model.values["whiten"]
    if whiten != "none":
        scores = scores / np.sqrt(np.array(model.values["eigenvalues"]) / model.values["n"])
    return scores @ arrays["axes"].T if whiten == "zca" else scores


def class_probabilities(model, scores):
    means, logs = model.arrays["class_means"], []
    inverses = model.arrays.get("class_inverses")
    k = means.shape[1]
    for c, mean in enumerate(means):
        apart, extra = scores - mean, 0
        if inverses is not None:
            own = len(inverses) > k
            root = inverses[c * k:c * k + k] if own else inverses
            apart = apart @ np.tril(root).T
            extra = np.log(np.diag(root)).sum() if own else 0
        with np.errstate(divide="ignore"):
            logs.append(np.log(model.arrays["priors"][c]) + extra - (apart**2).sum(1) / 2)
    weights = np.exp(np.array(logs).T - np.max(logs, axis=0)[:, None])
    return weights / weights.sum(1, keepdims=True)


def predict(model, rows):
    """Numbers for each target, or a figure for each class: the largest is that of the predicted one."""
    if model.kind == "kernel_lda":
        return class_probabilities(model, transform(model, rows))
    rows, arrays = prepared(model, rows), model.arrays
    if model.kind == "nearest_mean":
        return expansion(model, rows)
    if "slopes" in arrays:
        return expansion(model, rows) @ arrays["slopes"] + arrays["target_mean"]
    return (rows - arrays["mean"]) @ arrays["coefficients"] + arrays["target_mean"]


def score(model, rows):
    if model.kind == "kernel_bda":
        return np.sqrt(((transform(model, rows) - model.arrays["positive_mean"]) ** 2).sum(1, keepdims=True))
    return np.array([[posterior(model, row)[1]] for row in prepared(model, rows)])


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    model = read(sys.argv[1])
    what = {"transform": transform, "predict": predict, "score": score}[(sys.argv + ["transform"])[3]]
    for row in what(model, table(sys.argv[2], model)):
        print(",".join(repr(float(number)) for number in row))


if __name__ == "__main__":
    main()
