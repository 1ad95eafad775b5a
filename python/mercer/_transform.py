"""Estimators whose models give scores, and those whose scores lead back to rows."""
from __future__ import annotations

import sys
from typing import Any, Dict, Optional

import numpy as np

from . import _errors
from ._base import Estimator
from ._rows import Rows


class Transformer(Estimator):
    """An estimator whose models give scores."""

    def fit(self, X: Any, y: Any = None) -> "Transformer":
        """Learns from rows; y is ignored where the method learns from rows alone. Returns the estimator."""
        self._fit(X, y)
        return self

    def transform(self, X: Any) -> Any:
        """Scores of rows, one column for each component: float32 for float32 rows, else float64."""
        return self._framed(self._scores(self._new_rows(X)), X)

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Learns from rows and gives their scores."""
        rows = self._fit(X, y, **params)
        return self._framed(self._training_scores(rows), X)

    def _scores(self, rows: Rows) -> np.ndarray:
        if self._model is None:
            return self._padded(np.zeros((rows.shape[0], 0), np.float32 if rows.single else np.float64))
        scores, far, first = self._model.transform(rows.native, rows.single, self._budget(), None)
        if far:
            _errors.warn([{"code": "W248", "message": f"{far} row{'s' if far > 1 else ''} so far from the training "
                           f"rows that scores have few digits; the first is row {first + 1}"}])
        return self._padded(scores)

    def _training_scores(self, rows: Rows) -> np.ndarray:
        if self._model is None:
            return self._scores(rows)
        return self._padded(self._model.training_scores(rows.native, rows.single, self._budget()))

    def _padded(self, scores: np.ndarray) -> np.ndarray:
        """Scores with columns of zeros for components that were asked for and are not there."""
        count, found = self._n_features_out, scores.shape[1]
        if count < found:
            scores = np.ascontiguousarray(scores[:, :count])
        if count > found:
            scores = np.hstack([scores, np.zeros((len(scores), count - found), scores.dtype)])
        factor = self._score_factor()
        return scores if factor == 1 else scores * scores.dtype.type(factor)

    def _score_factor(self) -> float:
        """What scores are multiplied by where scikit-learn counts variances over n - 1, and we over n."""
        return 1.0

    @property
    def _n_features_out(self) -> int:
        model = self._fitted()
        return int(self.__dict__["_columns"] if "_columns" in self.__dict__ else model.score_columns)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns of scores: kernelpca0, kernelpca1, ..."""
        count = self._n_features_out
        known = self.__dict__.get("feature_names_in_")
        if input_features is not None:
            given = np.asarray(input_features, dtype=object)
            if known is not None and not np.array_equal(known, given):
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(given) != self.n_features_in_:
                raise ValueError("input_features should have length equal to number of features "
                                 f"({self.n_features_in_}), got {len(given)}")
        return np.asarray([f"{type(self).__name__.lower()}{i}" for i in range(count)], dtype=object)

    def set_output(self, *, transform: Optional[str] = None) -> "Transformer":
        """What transform gives: "default" (an array), "pandas" or "polars" (a data frame)."""
        if transform is None:
            return self
        if transform not in ("default", "pandas", "polars"):
            raise ValueError(f"output config must be 'default', 'pandas' or 'polars' got {transform}")
        if "_sklearn_output_config" not in self.__dict__:
            self._sklearn_output_config: Dict[str, str] = {}
        self._sklearn_output_config["transform"] = transform
        return self

    def _framed(self, scores: np.ndarray, X: Any) -> Any:
        """The scores as a data frame where that was asked for, here or of scikit-learn."""
        wanted = self.__dict__.get("_sklearn_output_config", {}).get("transform")
        if wanted is None and sys.modules.get("sklearn") is not None:
            wanted = sys.modules["sklearn"].get_config().get("transform_output", "default")
        if wanted == "polars":
            import polars  # type: ignore
            return polars.DataFrame(scores, schema=self.get_feature_names_out().tolist(), orient="row")
        if wanted != "pandas":
            return scores
        import pandas  # type: ignore
        index = X.index if hasattr(X, "index") and hasattr(X, "columns") else None
        return pandas.DataFrame(scores, index=index, columns=self.get_feature_names_out())


class Inverter(Transformer):
    """A transformer with a way back."""

    def inverse_transform(self, X: Any) -> np.ndarray:
        """From scores back to rows."""
        self._fitted()
        name, found = type(self).__name__, int(self._model.score_columns)
        rows = Rows(X, name)
        if rows.shape[1] != self._n_features_out:
            raise ValueError(f"X has {rows.shape[1]} features, but the scores of this {name} have "
                             f"{self._n_features_out}.")
        factor = self._score_factor()
        if found < rows.shape[1] or factor != 1:
            rows = Rows(np.ascontiguousarray(rows.matrix()[:, :found]) / rows.native.dtype.type(factor), name)
        return self._model.inverse(rows.native, rows.single, self._budget())[0]


class Spectral(Transformer):
    """A transformer whose components come from an eigenproblem."""

    @property
    def eigenvalues_(self) -> np.ndarray:
        """Eigenvalues of the centred Gram matrix, the largest first."""
        return self._figures_padded("eigenvalues")

    @property
    def explained_variance_ratio_(self) -> np.ndarray:
        """Share of the variance that each component explains; nan where the total is not known."""
        return self._figures_padded("explained_variance_ratio")

    @property
    def residuals_(self) -> np.ndarray:
        """``|K u - mu u| / mu_1`` of each component, at most."""
        return self._figures_padded("residuals")

    @property
    def certificate_(self) -> Dict[str, Any]:
        """How good the answer is: ``complete`` says that no component was missed, ``eigenvalue_upper`` and ``angle``
        bound the error."""
        model = self._fitted()
        return {} if model is None else dict(model.summary()["certificate"])
