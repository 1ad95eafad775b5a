"""Arrays, sparse matrices and data frames as rows that the library sees without a copy, wherever that is possible.

Sentences about bad input are scikit-learn's own where it has one, so that code which looks for them goes on working.
"""
from __future__ import annotations

import sys
import warnings
from typing import Any, List, Optional, Tuple

import numpy as np

from . import _errors, _native

_KEPT = ("float64", "float32", "uint8")


def is_sparse(X: Any) -> bool:
    """Whether it is a sparse matrix or array of SciPy."""
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def feature_names(X: Any) -> Optional[np.ndarray]:
    """Column names of a data frame when all are texts; None for others."""
    columns = getattr(X, "columns", None)
    if columns is None or not hasattr(X, "shape"):
        return None
    names = np.asarray(columns, dtype=object)
    kinds = sorted({type(name).__qualname__ for name in names})
    if len(kinds) > 1 and "str" in kinds:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{kinds} as feature name / column name types. If you want feature names to be stored and validated, you "
            "must convert them all to strings, by using X.columns = X.columns.astype(str) for example. Otherwise you "
            "can remove feature / column names from your input data, or convert them all to a non-string data type.")
    return names if kinds == ["str"] else None


def _refuse_shape(array: np.ndarray, name: str) -> None:
    if array.ndim == 0:
        raise ValueError(
            f"Expected 2D array, got scalar array instead:\narray={array}.\nReshape your data either using "
            "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains a single "
            "sample.")
    if array.ndim == 1:
        raise ValueError(
            f"Expected 2D array, got 1D array instead:\narray={array}.\nReshape your data either using "
            "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains a single "
            "sample.")
    if array.ndim > 2:
        raise ValueError(f"Found array with dim {array.ndim}. {name} expected <= 2.")


def check_sizes(shape: Tuple[int, int], name: str, least_rows: int = 1, least_columns: int = 1) -> None:
    """Enough rows and columns."""
    n, width = shape
    if n < least_rows:
        raise ValueError(f"Found array with {n} sample(s) (shape={shape}) while a minimum of {least_rows} is required "
                         f"by {name}.")
    if width < least_columns:
        raise ValueError(f"Found array with {width} feature(s) (shape={shape}) while a minimum of {least_columns} is "
                         f"required by {name}.")


def as_array(X: Any, name: str) -> np.ndarray:
    """A numeric array of two dimensions, of a type that the library knows; the same memory where it can be."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", getattr(np, "VisibleDeprecationWarning", DeprecationWarning))
        array = np.asarray(X)
    if array.dtype.kind == "O" and hasattr(X, "dtypes") and hasattr(X, "columns"):
        array = _numbers_of_frame(X, array)
    if array.dtype.kind == "c" or (array.dtype.kind == "O" and _holds_complex(array)):
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.dtype.kind in "USV":
        raise ValueError("dtype='numeric' is not compatible with arrays of bytes/strings. Convert your data to "
                         "numeric values explicitly instead.")
    if array.dtype.kind in "Mm":
        raise TypeError(f"dates and times are no numbers: {array.dtype}; convert them explicitly")
    _refuse_shape(array, name)
    if array.dtype.kind == "b":
        return array.view(np.uint8)
    if array.dtype.kind == "f" and array.dtype.itemsize < 4:
        return array.astype(np.float32)
    if array.dtype.name in _KEPT:
        return array if array.dtype.isnative else array.astype(array.dtype.name)
    return array.astype(np.float64)


def _numbers_of_frame(frame: Any, array: np.ndarray) -> np.ndarray:
    """Columns of several types as doubles, missing values of pandas as nan; an error names the column of text."""
    if _holds_complex(array):
        return array
    for place, column in enumerate(frame.columns):
        values = array[:, place]
        absent = [value is None or str(value) == "<NA>" for value in values]
        try:
            np.asarray(values[~np.asarray(absent, bool)], np.float64)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{error} (column {column!r}: leave it out, or make numbers of it)") from None
        values[np.asarray(absent, bool)] = np.nan
    return array.astype(np.float64)


def _holds_complex(array: np.ndarray) -> bool:
    return any(isinstance(entry, (complex, np.complexfloating)) for entry in array.ravel()[:1000])


def _sparse_rows(X: Any) -> Tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """The arrays of compressed rows, as the library reads them."""
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{X}\n")
    rows = X.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy() if rows is X else rows
        rows.sum_duplicates()
    if rows.shape[1] > np.iinfo(np.int32).max:
        raise ValueError(f"sparse rows have at most {np.iinfo(np.int32).max} columns, not {rows.shape[1]}")
    return (np.ascontiguousarray(rows.indptr, np.int64), np.ascontiguousarray(rows.indices, np.int32),
            np.ascontiguousarray(rows.data, np.float64), int(rows.shape[1]))


class Rows:
    """Rows for the library: ``native`` is what it takes, ``single`` whether results should be float32."""

    def __init__(self, X: Any, name: str, least_rows: int = 1, least_columns: int = 1) -> None:
        self.sparse = is_sparse(X)
        if self.sparse:
            check_sizes(X.shape, name, least_rows, least_columns)
            self.native: Any = _sparse_rows(X)
            self.shape: Tuple[int, int] = (int(X.shape[0]), int(X.shape[1]))
            self.single = X.dtype == np.float32
            return
        array = as_array(X, name)
        check_sizes(array.shape, name, least_rows, least_columns)  # type: ignore[arg-type]
        self.single = array.dtype == np.float32
        self.native = array if _native.viewable(array) else np.ascontiguousarray(array)
        if not _native.viewable(self.native):  # in order, but not aligned
            self.native = self.native.copy()
        self.shape = array.shape  # type: ignore[assignment]

    def matrix(self) -> Any:
        """The rows as NumPy or SciPy have them."""
        if not self.sparse:
            return self.native
        starts, columns, values, width = self.native
        return sys.modules["scipy.sparse"].csr_matrix((values, columns, starts), shape=self.shape)

    def spread(self) -> np.ndarray:
        """The rows as a dense array of doubles."""
        return np.asarray(self.matrix().toarray() if self.sparse else self.native, np.float64)


def class_texts(y: Any, name: str) -> Tuple[np.ndarray, List[str], List[int]]:
    """The sorted classes of y, their texts, and the number of each row's class."""
    y = column_of(y, name)
    if y.dtype.kind == "f" and not np.all(np.isfinite(y)):
        raise ValueError("Input y contains NaN." if np.isnan(y).any() else
                         "Input y contains infinity or a value too large for dtype('float64').")
    if y.dtype.kind == "f" and np.any(y != np.floor(y)):
        raise ValueError("Unknown label type: 'continuous': classes are whole numbers or texts")
    if y.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{y}\n")
    classes, numbers = np.unique(y, return_inverse=True)
    return classes, [str(one) for one in classes.tolist()], numbers.ravel().tolist()


def column_of(y: Any, name: str) -> np.ndarray:
    """One value for each row; a single column is taken as such, with scikit-learn's warning."""
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None")
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        kind = getattr(sys.modules.get("sklearn.exceptions"), "DataConversionWarning", UserWarning)
        _errors.issue("A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                      "(n_samples, ), for example using ravel().", kind)
        array = array.ravel()
    if array.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    return array


def check_lengths(n: int, y: Any) -> None:
    """As many labels or targets as rows."""
    if len(y) != n:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{n}, {len(y)}]")
