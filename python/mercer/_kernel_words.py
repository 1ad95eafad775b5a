"""Kernels as scikit-learn names them, as functions of two rows, and as given matrices."""
from __future__ import annotations

from typing import Any, Callable, Dict

import numpy as np

from . import _errors
from ._rows import Rows

_THEIRS = {"linear": "linear", "rbf": "gaussian", "poly": "polynomial", "sigmoid": "sigmoid", "cosine": "cosine"}


def kernel_word(kernel: str, width: int, gamma: Any, sigma: Any, degree: Any, coef0: Any) -> str:
    """The kernel as the library writes it; scikit-learn's five names have its defaults (gamma = 1/columns)."""
    if gamma is not None and sigma is not None:
        raise ValueError("gamma and sigma are two words for one width (gamma = 1/(2 sigma^2)): give one of them")
    family = _THEIRS.get(kernel)
    if family is None:  # the library's own words, such as matern:nu=2.5
        extra = [f"{name}={_word(value)}" for name, value in (("gamma", gamma), ("sigma", sigma)) if value is not None]
        if not extra:
            return kernel
        return kernel + (":" if ":" not in kernel else ",") + ",".join(extra)
    if family in ("linear", "cosine"):
        return family
    if isinstance(gamma, str):
        if family != "gaussian":
            raise ValueError(f"gamma={gamma!r} is for the kernel rbf, whose width can be found from the data")
        gamma, sigma = None, gamma
    if family == "gaussian":
        if sigma is not None:
            return f"gaussian:sigma={_word(sigma)}"
        return f"gaussian:gamma={_word(1.0 / width if gamma is None else gamma)}"
    if sigma is not None:
        raise ValueError(f"sigma is a width: the kernel {kernel} has none")
    scale = _word(1.0 / width if gamma is None else gamma)
    if family == "sigmoid":
        return f"sigmoid:scale={scale},offset={_word(coef0)}"
    return f"polynomial:degree={_word(degree)},scale={scale},offset={_word(coef0)}"


def _word(value: Any) -> str:
    return value if isinstance(value, str) else repr(float(value)) if float(value) % 1 else str(int(value))


def values_of_pairs(kernel: Callable[..., float], more: Dict[str, Any], a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Values of a function for all pairs of rows; of the same rows each pair is asked for once."""
    values = np.empty((len(a), len(b)))
    for i, x in enumerate(a):
        start = i if a is b else 0
        for j in range(start, len(b)):
            values[i, j] = kernel(x, b[j], **more)
        if a is b:
            values[i + 1:, i] = values[i, i + 1:]
    return values


def refuse_gaps(rows: Rows) -> None:
    """A function of two rows must not be given what is not finite."""
    numbers = rows.native[2] if rows.sparse else rows.native
    if numbers.dtype.kind == "f" and not np.isfinite(numbers).all():
        raise ValueError("Input X contains NaN or infinity: the kernel is a function of two rows of numbers")


def symmetric(X: Any, center: bool) -> Any:
    """A kernel matrix as it is; one that only centring makes symmetric, as scikit-learn takes it, in a form that is."""
    rows = Rows(X, "KernelPCA", 2)
    n, width = rows.shape
    if n != width:
        raise ValueError(f"Precomputed matrix must be a square matrix. Input is a {n}x{width} matrix.")
    given = rows.spread() if rows.sparse else np.asarray(rows.native, float)
    if not center or _is_symmetric(given):
        return given if rows.sparse else X
    means = given.mean(axis=0)
    centred = given - means - (given.mean(axis=1) - means.mean())[:, None]
    if not _is_symmetric(centred):
        return X
    _errors.warn([{"code": "W241", "message": "the kernel matrix is symmetric after centring only"}])
    mirrored = np.tril(centred) + np.tril(centred, -1).T
    return mirrored + means[:, None] + means[None, :]  # centring takes the means out again, of new rows too


def _is_symmetric(matrix: np.ndarray) -> bool:
    size = float(np.abs(matrix).max(initial=0.0))
    return not np.isfinite(size) or float(np.abs(matrix - matrix.T).max(initial=0.0)) <= 1e-8 * size
