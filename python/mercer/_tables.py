"""Tables from files, in every format of the program, and toy data."""
from __future__ import annotations

import os
from typing import Any, Dict, List, NamedTuple, Optional, Union

import numpy as np

from . import _errors, _native


_ROWS = {"digits": 1797, "grid": 2500}  # where nobody says, as in the program


class Table(NamedTuple):
    """What `read` and `data` give: numbers (``data``) and what belongs to them: ``columns``, ``labels``, ``targets``,
    ``target_names``, ``ids`` and ``notes``."""

    data: Any  # an array, or a sparse matrix of SciPy
    columns: List[str]  # names of its columns; empty where there are none
    labels: Optional[np.ndarray]  # the class of each row, as text
    targets: Optional[Any]  # columns to predict
    target_names: List[str]
    ids: List[str]  # names of the rows
    notes: List[str]  # what the reader guessed

    def frame(self) -> Any:
        """The numbers as a data frame of pandas, with the names of columns and rows."""
        import pandas  # type: ignore
        numbers = self.data.toarray() if hasattr(self.data, "toarray") else self.data
        return pandas.DataFrame(numbers, columns=self.columns or None, index=self.ids or None)


def _numbers(native: Any) -> Any:
    if not isinstance(native, tuple):
        return native
    from scipy.sparse import csr_matrix  # type: ignore
    starts, columns, values, width = native
    return csr_matrix((values, columns, starts), shape=(len(starts) - 1, width))


def _table(native: Dict[str, Any]) -> Table:
    labels = native["labels"]
    targets = native.get("targets")
    return Table(_numbers(native["data"]), list(native["columns"]),
                 None if labels is None else np.asarray(labels, dtype=object),
                 None if targets is None else _numbers(targets), list(native.get("target_names", [])),
                 list(native["ids"]), [text + (f"   {flag}" if flag else "") for text, flag in native.get("notes", [])])


def read(path: Union[str, os.PathLike[str]], *, format: Optional[str] = None, label: Optional[str] = None,
         targets: Optional[List[str]] = None, columns: Optional[List[str]] = None, drop: Optional[List[str]] = None,
         missing: str = "error", header: Optional[bool] = None, delimiter: Optional[str] = None,
         decimal: Optional[str] = None, skip: int = 0, na: Optional[List[str]] = None, member: Optional[str] = None,
         images: bool = False, pairs: Optional[str] = None, memory: Optional[str] = None) -> Table:
    """Reads a table: CSV and other texts, NPY, NPZ, LibSVM, Matrix Market, IDX, folders of images, compressed or not.

    What is not given is found from the content; ``Table.notes`` tells each guess. ``label`` names the column of classes
    (``"none"``: there is none), ``targets`` columns to predict, ``missing`` what becomes of rows with gaps (error, drop,
    mean, median, keep).

    >>> import mercer, tempfile, os
    >>> name = os.path.join(tempfile.mkdtemp(), "small.csv")
    >>> with open(name, "w") as file:
    ...     _ = file.write("length,width,kind\\n1,2,a\\n3,4,b\\n")
    >>> table = mercer.read(name, label="kind")
    >>> table.data.tolist(), table.columns, table.labels.tolist()
    ([[1.0, 2.0], [3.0, 4.0]], ['length', 'width'], ['a', 'b'])
    """
    options = {"format": format, "label": label, "targets": targets, "columns": columns, "drop": drop,
               "missing": missing, "header": header, "delimiter": delimiter, "decimal": decimal, "skip": skip, "na": na,
               "member": member, "images": images, "pairs": pairs}
    native = _native.read(os.fspath(path), options, {"memory": memory}, None)
    _errors.warn(native["warnings"])
    return _table(native)


def data(name: str, n: Optional[int] = None, *, noise: float = 0.05, seed: int = 0, dim: int = 2, classes: int = 3) -> Table:
    """Toy and bundled data: circles, moons, digits, swiss_roll and others, the same on every machine.

    ``n`` is the number of rows: 500 where nobody says, of digits all 1797, of the grid 2500.

    >>> import mercer
    >>> digits = mercer.data("digits", n=100)
    >>> digits.data.shape, len(set(digits.labels))
    ((100, 64), 10)
    """
    rows = _ROWS.get(name, 500) if n is None else n
    return _table(_native.generate(name, rows, noise, seed, dim, classes))
