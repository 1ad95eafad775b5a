"""Pictures of fitted estimators, as the program draws them: inline in a notebook, as a file, or in a terminal."""
from __future__ import annotations

import os
import warnings
from types import SimpleNamespace
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np

from . import _errors, _native
from ._base import Estimator, _check_names
from ._models import load
from ._rows import Rows, check_lengths, feature_names
from ._tables import Table

_MOST_CLASSES = 60  # whole numbers of more values than that are numbers, not names of classes


class Plot:
    """A picture of a model. A notebook shows it; ``save`` writes it, ``print`` draws it in characters.

    >>> import mercer
    >>> pca = mercer.PCA(n_components=2).fit(mercer.data("blobs", n=60).data)
    >>> picture = mercer.plot(pca, kind="scree")
    >>> picture
    <Plot scree, 640 x 460>
    >>> picture.svg()[:5]
    '<?xml'
    """

    def __init__(self, native: Any) -> None:
        self._native = native

    @property
    def kind(self) -> str:
        """What the picture shows: scatter, scree, contour, ..."""
        return str(self._native.kind)

    @property
    def kinds(self) -> List[str]:
        """Every kind of picture that fits the model."""
        return list(self._native.kinds)

    @property
    def size(self) -> Tuple[float, float]:
        """Width and height in pixels, 96 of which are an inch."""
        return tuple(self._native.size)  # type: ignore[return-value]

    def svg(self) -> str:
        """The picture as the text of an SVG file."""
        return str(self._native.svg())

    def png(self, dpi: Optional[float] = None) -> bytes:
        """The picture as the bytes of a PNG file."""
        return bytes(self._native.png(float(dpi or 0)))

    def pdf(self) -> bytes:
        """The picture as the bytes of a PDF file."""
        return bytes(self._native.pdf())

    def text(self, columns: int = 80, *, colors: bool = False) -> str:
        """The picture in characters, as a terminal shows it."""
        if not 20 <= columns <= 500:
            raise ValueError(f"columns is a number from 20 to 500, not {columns}")
        return str(self._native.characters(int(columns), bool(colors)))

    def save(self, path: Union[str, os.PathLike[str]], *, dpi: Optional[float] = None, force: bool = False) -> Plot:
        """Writes the picture: a name that ends in .svg, .png or .pdf. Returns the picture.

        A file that is there and no picture stays as it is, unless ``force=True``.

        >>> import mercer, tempfile, os
        >>> name = os.path.join(tempfile.mkdtemp(), "blobs.png")
        >>> pca = mercer.PCA(n_components=2).fit(mercer.data("blobs", n=60).data)
        >>> mercer.plot(pca).save(name, dpi=150)
        <Plot overview, 860 x 400>
        """
        self._native.save(os.fspath(path), float(dpi or 0), bool(force))
        return self

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_png_(self) -> bytes:
        return self.png()

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<Plot {self.kind}, {self.size[0]:g} x {self.size[1]:g}>"


def plot(estimator: Any, X: Any = None, labels: Any = None, *, kind: Optional[str] = None, x: Optional[str] = None,
         y: Optional[str] = None, z: Optional[str] = None, color: Optional[str] = None, targets: Any = None,
         names: Any = None, titles: bool = False, count: Optional[int] = None,
         image_shape: Optional[Tuple[int, ...]] = None, title: Optional[str] = None, theme: str = "light",
         size: Optional[Tuple[float, float]] = None, dpi: float = 96) -> Plot:
    """A picture of a fitted estimator, or of a model file.

    Without ``X`` it shows the training rows, as far as the model knows them; ``X`` are other rows: an array, a data frame,
    or a table of `mercer.read`, whose labels, targets and names are used. ``labels`` give each row a colour: classes, or
    numbers. ``kind`` is what it shows, by default what is usual for such a model; ``mercer.plot(...).kinds`` names those
    that fit. ``x``, ``y`` and ``z`` are components such as "PC2" (of maps: columns, by name or counted from 1), ``color``
    is "label", "none", a column or a component, ``targets`` what should be predicted, ``names`` a name for each row or
    True, ``titles`` tells rows apart where the mouse points, ``count`` how many components, columns or images are shown,
    ``image_shape`` the height and width where rows are images, ``size`` in pixels.

    >>> import mercer
    >>> table = mercer.data("circles", n=80)
    >>> kpca = mercer.KernelPCA(n_components=2, kernel="rbf", gamma=2).fit(table.data)
    >>> mercer.plot(kpca, labels=table.labels)
    <Plot overview, 860 x 400>
    >>> mercer.plot(kpca, kind="contour").kinds[:3]
    ['contour', 'overview', 'pairs']
    """
    fitted = _estimator_of(estimator)
    model = fitted._fitted()
    if model is None:
        raise ValueError("all training rows are the same: there is nothing to draw")
    given = _rows_given(fitted, X)
    n = model.n if X is None else given.pop("n")
    if isinstance(X, Table):
        if labels is None and X.labels is not None:
            given.update(_in_order(X.labels), label_name=X.label_name)
        targets = X.targets if targets is None else targets
        given["image_shape"] = list(X.image_shape)
    if labels is not None:
        given.update(_marks_of(labels, n))
    if targets is not None:
        given["targets"] = _targets_given(fitted, targets, n, X)
    if names is not None and names is not True and names is not False:
        given["names"] = [str(one) for one in names]
        check_lengths(n, given["names"])
    words: Dict[str, Any] = {"kind": kind, "x": x, "y": y, "z": z, "color": color, "title": title, "theme": theme,
                             "dpi": float(dpi), "names": names is not None and names is not False, "titles": bool(titles)}
    for name in ("kind", "x", "y", "z", "color", "title"):
        if words[name] is not None and not isinstance(words[name], str):
            raise TypeError(f"{name} is a text, such as {'PC2' if name in 'xyz' else 'label'!r}, not {words[name]!r}")
    if count is not None:
        if isinstance(count, bool) or int(count) != count or count < 1:
            raise ValueError(f"count is a whole number from 1 on, not {count!r}")
        words["count"] = int(count)
    if image_shape is not None:
        given["image_shape"] = words["image_shape"] = _image_shape(image_shape)
    if size is not None:
        words["size"] = [float(one) for one in size]
    return Plot(_native.picture(model, given, words, fitted._budget()))


def _estimator_of(given: Any) -> Estimator:
    if isinstance(given, Estimator):
        return given
    if isinstance(given, (str, os.PathLike)):
        return load(given)  # type: ignore[no-any-return]
    steps = getattr(given, "steps", None)
    if steps:
        raise TypeError("plot takes one estimator: for the last step of a pipeline give pipeline[-1], and as X what the "
                        "steps before it make: pipeline[:-1].transform(X)")
    raise TypeError(f"plot takes a fitted estimator of mercer or the name of a model file, not {type(given).__name__}")


def _rows_given(fitted: Estimator, X: Any) -> Dict[str, Any]:
    """Rows as the library takes them, their number and their names."""
    if X is None:
        return {}
    names = X.ids if isinstance(X, Table) else _index_names(X)
    rows = _rows_of_table(fitted, X) if isinstance(X, Table) else fitted._rows_to_show(X)
    native = rows.native if rows.sparse else np.ascontiguousarray(rows.native)
    given: Dict[str, Any] = {"rows": native, "n": rows.shape[0]}
    if names:
        given["names"] = names
    return given


def _rows_of_table(fitted: Estimator, table: Table) -> Rows:
    """The columns that the model knows, by their names where both have names."""
    known, data = fitted.__dict__.get("feature_names_in_"), table.data
    if known is None or not table.columns:
        return fitted._rows_to_show(data)
    places = {name: place for place, name in enumerate(table.columns)}
    if not set(known) <= set(places):
        _check_names(fitted, SimpleNamespace(columns=table.columns, shape=data.shape))  # says which are missing
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return fitted._rows_to_show(data if list(known) == table.columns else data[:, [places[one] for one in known]])


def _index_names(X: Any) -> List[str]:
    """The index of a data frame where it is made of texts."""
    index = getattr(X, "index", None)
    if index is None or not hasattr(X, "columns") or getattr(index, "dtype", None) != object:
        return []
    return [str(one) for one in index]


def _marks_of(labels: Any, n: int) -> Dict[str, Any]:
    """Classes of rows, or numbers that are shown as colours."""
    values = np.asarray(labels)
    if values.ndim != 1:
        values = values.reshape(len(values), -1)
        if values.shape[1] != 1:
            raise ValueError(f"labels are one for each row, got an array of shape {values.shape}")
        values = values.ravel()
    check_lengths(n, values)
    name = getattr(labels, "name", None)
    name = name if isinstance(name, str) else ""
    if values.dtype.kind == "f" and not np.all(values == np.floor(values)):
        return {"numbers": values.astype(float).tolist(), "numbers_name": name}
    classes, numbers = np.unique(values.astype(str) if values.dtype.kind == "O" else values, return_inverse=True)
    if values.dtype.kind in "fiu" and len(classes) > _MOST_CLASSES:
        return {"numbers": values.astype(float).tolist(), "numbers_name": name}
    if values.dtype.kind == "f":
        classes = classes.astype(np.int64)
    return {"classes": [str(one) for one in classes.tolist()], "class_of_row": numbers.ravel().tolist(),
            "label_name": name}


def _in_order(texts: np.ndarray) -> Dict[str, Any]:
    """Classes of a table, in the order in which they appear, as the program has them."""
    numbers: Dict[str, int] = {}
    own = [numbers.setdefault(str(one), len(numbers)) for one in texts]
    return {"classes": list(numbers), "class_of_row": own}


def _targets_given(fitted: Estimator, targets: Any, n: int, X: Any) -> np.ndarray:
    if X is None:
        raise ValueError("targets belong to rows: give X, too")
    wanted = fitted._fitted().input["targets"]
    columns = np.asarray(targets, float)
    columns = np.ascontiguousarray(columns.reshape(len(columns), -1))
    check_lengths(n, columns)
    names = feature_names(targets)
    if names is not None and len(wanted) == columns.shape[1] and list(names) != list(wanted):
        raise ValueError(f"the model predicts {', '.join(wanted)}; targets are {', '.join(names)}")
    if columns.shape[1] != len(wanted):
        raise ValueError(f"targets have {columns.shape[1]} column(s), the model predicts {len(wanted)}")
    return columns


def _image_shape(shape: Any) -> List[int]:
    sides = [int(one) for one in shape]
    if len(sides) not in (2, 3) or min(sides) < 1 or (len(sides) == 3 and sides[2] not in (1, 3)):
        raise ValueError(f"image_shape is (height, width) or (height, width, 3), not {tuple(shape)!r}")
    return sides
