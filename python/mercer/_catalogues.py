"""What the library has: kernels, methods, codes of errors."""
from __future__ import annotations

from typing import Any, Dict, List

import numpy as np

from . import _native
from ._rows import Rows


def kernels() -> List[Dict[str, str]]:
    """Every kernel: name, formula, parameters, a word on its character.

    >>> import mercer
    >>> "matern" in [kernel["name"] for kernel in mercer.kernels()]
    True
    """
    return list(_native.kernels())


def methods() -> List[Dict[str, Any]]:
    """Every method: name, summary, what it learns from, what its models can do, its options.

    >>> import mercer
    >>> [method["name"] for method in mercer.methods()][:3]
    ['ekpca', 'factor_analysis', 'ica']
    """
    return list(_native.methods())


def operators() -> List[Dict[str, str]]:
    """Every way to apply the matrix, for the parameter ``operator``."""
    return list(_native.operators())


def solvers() -> List[Dict[str, str]]:
    """Every eigensolver, for the parameter ``solver``."""
    return list(_native.solvers())


def describe_kernel(spec: str) -> Dict[str, Any]:
    """Name, formula, parameters and gamma of a kernel.

    >>> import mercer
    >>> mercer.describe_kernel("gaussian:sigma=0.5")["gamma"]
    2.0
    """
    return dict(_native.describe_kernel(spec))


def kernel_matrix(X: Any, Y: Any = None, *, kernel: str = "gaussian") -> np.ndarray:
    """Values of a kernel for all pairs of rows, by the plain formula; widths of the data are those of Y.

    >>> import mercer
    >>> mercer.kernel_matrix([[0.0], [1.0]], kernel="linear:offset=1").tolist()
    [[1.0, 1.0], [1.0, 2.0]]
    """
    left = Rows(X, "kernel_matrix")
    right = left if Y is None else Rows(Y, "kernel_matrix")
    return _native.kernel_values(kernel, left.native, right.native, {})


def blas() -> Dict[str, str]:
    """The BLAS that is in use, its kernels, and better ones where there are any."""
    return dict(_native.blas())


def explain(code: str) -> str:
    """What an error or warning means.

    >>> import mercer
    >>> mercer.explain("M231").splitlines()[0]
    'M231: all rows are identical'
    """
    for entry in _native.codes():
        if f"{entry['letter']}{entry['number']:03d}" == code:
            return f"{code}: {entry['summary']}\n\n{entry['text']}"
    raise ValueError(f"unknown code {code!r}: codes are M101, W234, ...")
