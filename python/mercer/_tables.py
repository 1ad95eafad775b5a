"""Tables from files, in every format of the program, and toy data."""
from __future__ import annotations

import os
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _errors, _native
from ._parameters import threads


_ROWS = {"digits": 1797, "grid": 2500}  # where nobody says, as in the program


class Table(NamedTuple):
    """What `read` and `data` give: numbers (``data``) and what belongs to them: ``columns``, ``labels``, ``targets``,
    ``target_names``, ``ids``, ``notes``, ``label_name`` and ``image_shape``."""

    data: Any  # an array, or a sparse matrix of SciPy
    columns: List[str]  # names of its columns; empty where there are none
    labels: Optional[np.ndarray]  # the class of each row, as text
    targets: Optional[Any]  # columns to predict
    target_names: List[str]
    ids: List[str]  # names of the rows
    notes: List[str]  # what the reader guessed
    label_name: str = ""  # of the column of classes
    image_shape: Tuple[int, ...] = ()  # height, width (and 3) where rows are images

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
                 list(native["ids"]), [text + (f"   {flag}" if flag else "") for text, flag in native.get("notes", [])],
                 str(native.get("label_name", "")), tuple(native.get("image_shape", ())))


def _texts(value: Any) -> Optional[List[str]]:
    """One text or several, as a list."""
    return value if value is None else [value] if isinstance(value, str) else [str(one) for one in value]


def _encodings(encode: Any) -> List[str]:
    """"onehot" for all columns of text, or {"onehot": ["colour"], "date": "day"}: as words of the command line."""
    if encode is None or isinstance(encode, str):
        return _texts(encode) or []
    words: List[str] = []
    for how, columns in encode.items():
        first, *more = _texts(columns) or [""]
        words += [f"{how}:{first}", *more]
    return words


def _word(value: Any) -> Any:
    return value if value is None else ("yes" if value else "no") if isinstance(value, bool) else str(value)


def read(path: Union[str, os.PathLike[str]], *, format: Optional[str] = None, label: Optional[str] = None,
         targets: Union[str, List[str], None] = None, columns: Union[str, List[str], None] = None,
         drop: Union[str, List[str], None] = None, missing: str = "error", header: Optional[bool] = None,
         delimiter: Optional[str] = None, decimal: Optional[str] = None, thousands: Optional[str] = None, skip: int = 0,
         na: Union[str, List[str], None] = None, encode: Union[str, Dict[str, Any], None] = None,
         member: Optional[str] = None, images: bool = False, pairs: Optional[str] = None,
         first_index: Optional[int] = None, rejects: Union[str, os.PathLike[str], None] = None,
         memory: Optional[str] = None, n_jobs: Optional[int] = None) -> Table:
    """Reads a table: CSV and other texts, NPY, NPZ, LibSVM, Matrix Market, IDX, folders of images, compressed or not.

    What is not given is found from the content; ``Table.notes`` tells each guess. ``label`` names the column of classes
    (``"none"``: there is none), ``targets`` columns to predict, ``missing`` what becomes of rows with gaps (error, drop,
    mean, median, keep), ``encode`` how columns of text become numbers (``"onehot"``, or ``{"date": ["day"]}``), ``member``
    an array of an NPZ file, ``pairs`` that the table is a matrix of kernel values or distances, ``first_index`` where the
    indices of LibSVM begin, ``rejects`` a file for lines that cannot be read, which are then left out.

    >>> import mercer, tempfile, os
    >>> name = os.path.join(tempfile.mkdtemp(), "small.csv")
    >>> with open(name, "w") as file:
    ...     _ = file.write("length,width,kind\\n1,2,a\\n3,4,b\\n")
    >>> table = mercer.read(name, label="kind")
    >>> table.data.tolist(), table.columns, table.labels.tolist()
    ([[1.0, 2.0], [3.0, 4.0]], ['length', 'width'], ['a', 'b'])
    """
    options = {"format": format, "label": label, "target": _texts(targets), "columns": _texts(columns),
               "drop": _texts(drop), "missing": None if missing == "error" else missing, "header": _word(header),
               "delimiter": {"\t": "tab", " ": "space"}.get(delimiter or "", delimiter), "decimal": decimal,
               "thousands": thousands, "skip": str(skip), "na": _texts(na), "encode": _encodings(encode),
               "member": member, "images": images, "pairs": pairs, "first_index": _word(first_index),
               "rejects": None if rejects is None else os.fspath(rejects)}
    native = _native.read(os.fspath(path), options, {"memory": memory, "threads": threads(n_jobs)}, None)
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
