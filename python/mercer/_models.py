"""Models of files, and plans."""
from __future__ import annotations

import os
from typing import Any, Dict, Optional, Union

import numpy as np

from . import _native
from ._base import ESTIMATORS, Estimator


def load(path: Union[str, os.PathLike[str]], *, memory: Optional[str] = None) -> Any:
    """The fitted estimator of a model file, whoever wrote it: `save`, or the program (``mercer fit``)."""
    model = _native.Model.load(os.fspath(path), {"memory": memory})
    return ESTIMATORS[model.kind]._from_model(model)  # type: ignore[attr-defined]


def plan(estimator: Estimator, X: Any, y: Any = None) -> Dict[str, Any]:
    """What a fit would do, and the time and memory it is expected to take; nothing is fitted.

    >>> import mercer
    >>> X = mercer.data("circles", n=200).data
    >>> mercer.plan(mercer.KernelPCA(n_components=2, kernel="rbf"), X)["solver"]
    'dense'
    """
    return dict(estimator._plan(X, y))
