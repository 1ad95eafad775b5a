"""Methods that learn to predict: numbers (PLS, PCR) or classes (kernel discriminants, nearest means)."""
from __future__ import annotations

import re
from typing import Any, Dict, List, Tuple

import numpy as np

from . import _errors
from ._base import Estimator
from ._rows import Rows, check_lengths, class_texts, feature_names
from ._transform import Inverter, Transformer


class Regressor(Estimator):
    """An estimator whose models predict numbers, one or more for each row."""

    _estimator_type = "regressor"

    def _more_tags(self) -> Dict[str, Any]:
        return {**super()._more_tags(), "multioutput": True, "poor_score": True}

    def _given(self, rows: Rows, y: Any) -> Dict[str, Any]:
        given = super()._given(rows, y)
        targets, self._new_targets = _targets_of(y, type(self).__name__)
        check_lengths(rows.shape[0], targets)
        given.update(targets=targets, target_names=self._new_targets[1])
        return given

    def _fit(self, X: Any, y: Any = None) -> Rows:
        self._validate_params()
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        try:
            rows = super()._fit(X, y)
            self._flat = self._new_targets[0]
            return rows
        finally:
            self.__dict__.pop("_new_targets", None)

    def fit(self, X: Any, y: Any = None) -> Any:
        """Learns from rows and the numbers that belong to them. Returns the estimator."""
        self._fit(X, y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Numbers for rows, in the shape that y had in the fit."""
        predicted = self._model_predicts(X)
        return predicted.ravel() if self._flat else predicted

    def _model_predicts(self, X: Any) -> np.ndarray:
        rows = self._new_rows(X)
        return self._model.predict(rows.native, self._budget(), None)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination, R^2, the mean over targets."""
        wanted = np.asarray(y, float).reshape(len(y), -1)
        weights = np.ones(len(wanted)) if sample_weight is None else np.asarray(sample_weight, float)
        missed = wanted - self._model_predicts(X)
        spread = wanted - np.average(wanted, axis=0, weights=weights)
        left, all_of_it = (weights[:, None] * missed ** 2).sum(axis=0), (weights[:, None] * spread ** 2).sum(axis=0)
        shares = np.where(all_of_it > 0, 1 - left / np.where(all_of_it > 0, all_of_it, 1), np.where(left > 0, 0.0, 1.0))
        return float(shares.mean())

    @property
    def coef_(self) -> np.ndarray:
        """Slopes of the targets (rows) in the columns."""
        return np.asarray(self._figure("coefficients"), float).T

    @property
    def intercept_(self) -> np.ndarray:
        """What is predicted where all columns are 0."""
        return np.asarray(self._figure("intercept"), float)

    @classmethod
    def _from_model(cls, model: Any) -> Any:
        self = super()._from_model(model)
        self.__dict__["_flat"] = len(model.input["targets"]) == 1
        return self


def _targets_of(y: Any, name: str) -> Tuple[np.ndarray, Tuple[bool, List[str]]]:
    """Targets as columns of doubles; whether y was flat, and their names."""
    names = feature_names(y)
    array = np.asarray(y)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    array = array.astype(float)
    flat = array.ndim == 1
    if array.ndim not in (1, 2):
        raise ValueError(f"y should be a 1d or 2d array, got an array of shape {array.shape} instead.")
    if np.isnan(array).any():
        raise ValueError("Input y contains NaN.")
    if np.isinf(array).any():
        raise ValueError("Input y contains infinity or a value too large for dtype('float64').")
    columns = np.ascontiguousarray(array.reshape(len(array), -1))
    if names is None:
        label = getattr(y, "name", None)
        names = [label] if flat and isinstance(label, str) else [f"y{i}" for i in range(columns.shape[1])]
    return columns, (flat, [str(one) for one in names])


class PLSRegression(Regressor, Transformer):
    """Partial least squares; takes the parameters of ``sklearn.cross_decomposition.PLSRegression``.

    >>> import mercer
    >>> X = mercer.data("digits", n=200).data
    >>> pls = mercer.PLSRegression(n_components=3).fit(X, X.sum(axis=1))
    >>> pls.predict(X).shape
    (200,)
    """

    method = "pls"
    own_parameters = {
        "n_components": (2, "a count, a share of variance in (0, 1), \"auto\" (by cross-validation), or None: all"),
        "scale": (True, "columns and targets over their deviations; or none, standard, range, whiten of the columns"),
        "max_iter": (500, "taken for compatibility: every component is found without steps"),
        "tol": (1e-6, "taken for compatibility, likewise"),
        "copy": (True, "taken for compatibility: rows are never changed")}
    replaced_options = ("scale", "scale-targets")

    def _options(self, rows: Rows) -> Dict[str, Any]:
        options = super()._options(rows)
        options["scale"] = {True: "standard", False: "none"}.get(self.scale, self.scale)
        options["scale-targets"] = self.scale is True
        return options

    def _fit(self, X: Any, y: Any = None) -> Rows:
        try:
            rows = super()._fit(X, y)
        except _errors.MercerError as error:
            if error.code != "M233":
                raise
            most = re.sub(r"\D", "", error.hint) or "less"
            raise type(error)(f"`n_components` upper bound is {most}. Got {self.n_components} instead. Reduce "
                              "`n_components`.", error.code) from error
        targets = _targets_of(y, "PLSRegression")[0]
        self._y_mean = targets.mean(axis=0)
        deviations = targets.std(axis=0, ddof=1) if self.scale is True else np.ones(targets.shape[1])
        self._y_std = np.where(deviations > 0, deviations, 1.0)
        self.x_scores_ = np.asarray(self._training_scores(rows), float)
        centred = (targets - self._y_mean) / self._y_std
        lengths = (self.x_scores_ ** 2).sum(axis=0)
        self.y_loadings_ = centred.T @ self.x_scores_ / np.where(lengths > 0, lengths, 1.0)
        self.n_iter_ = [1] * self.x_scores_.shape[1]
        return rows

    @classmethod
    def _from_model(cls, model: Any) -> Any:
        self = super()._from_model(model)
        word = model.options["scale"]
        return self.set_params(scale={"none": False}.get(word, True if model.options["scale-targets"] else word))

    def _score_factor(self) -> float:
        return float(np.sqrt((self._model.n - 1) / self._model.n)) if self.scale is True else 1.0

    def transform(self, X: Any, y: Any = None, copy: bool = True) -> Any:
        """Scores of rows; with y also those of the targets, as scikit-learn's class gives them."""
        scores = self._framed(self._scores(self._new_rows(X)), X)
        return scores if y is None else (scores, self._target_scores(y))

    def predict(self, X: Any, copy: bool = True) -> np.ndarray:
        """Numbers for rows, in the shape that y had in the fit."""
        return super().predict(X)

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Learns, and gives the scores of rows and of targets."""
        rows = self._fit(X, y)
        return self._framed(self._training_scores(rows), X), self._target_scores(y)

    def inverse_transform(self, X: Any) -> np.ndarray:
        """From scores back to rows, as far as the components tell them."""
        self._fitted()
        scores = Rows(X, "PLSRegression").spread()
        rows = scores @ self.x_loadings_.T + self._array("mean")
        arrays = self._model.arrays()
        if "scale.factor" not in arrays:
            return rows
        return rows / self._score_factor() / arrays["scale.factor"] + arrays["scale.shift"]

    def _target_scores(self, y: Any) -> np.ndarray:
        targets = np.asarray(y, float).reshape(len(np.asarray(y)), -1)
        return (targets - self._y_mean) / self._y_std @ self.y_rotations_

    @property
    def x_rotations_(self) -> np.ndarray:
        """What scaled and centred rows are multiplied by for their scores."""
        return self._array("directions")

    @property
    def x_loadings_(self) -> np.ndarray:
        """Slopes of the columns in the scores."""
        return np.asarray(self._figure("loadings"), float)

    @property
    def x_weights_(self) -> np.ndarray:
        """Orthonormal directions that span those of the scores, one after the other."""
        weights, triangle = np.linalg.qr(self.x_rotations_)
        return weights * np.where(np.diag(triangle) < 0, -1.0, 1.0)

    @property
    def y_weights_(self) -> np.ndarray:
        """Slopes of the targets in the scores."""
        return self.y_loadings_

    @property
    def y_rotations_(self) -> np.ndarray:
        """What scaled and centred targets are multiplied by for their scores."""
        return self.y_weights_ @ np.linalg.pinv(self.y_loadings_.T @ self.y_weights_)


class PCR(Regressor, Inverter):
    """Principal component regression: numbers predicted from principal components.

    >>> import mercer
    >>> X = mercer.data("digits", n=200).data
    >>> left, right = X[:, :32], X[:, 32:].sum(axis=1)
    >>> mercer.PCR(n_components=10).fit(left, right).predict(left).shape
    (200,)
    """

    method = "pcr"


class Labelled(Estimator):
    """An estimator that learns from a class for each row."""

    def _given(self, rows: Rows, y: Any) -> Dict[str, Any]:
        given = super()._given(rows, y)
        self._new_classes, texts, numbers = class_texts(y, type(self).__name__)
        check_lengths(rows.shape[0], numbers)
        given.update(classes=texts, class_of_row=numbers)
        return given

    def _fit(self, X: Any, y: Any = None) -> Rows:
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        try:
            rows = super()._fit(X, y)
            self.classes_ = self._new_classes
            return rows
        finally:
            self.__dict__.pop("_new_classes", None)

    def fit(self, X: Any, y: Any = None) -> Any:
        """Learns from rows and the class of each. Returns the estimator."""
        self._fit(X, y)
        return self

    @classmethod
    def _from_model(cls, model: Any) -> Any:
        self = super()._from_model(model)
        texts = sorted(model.input["classes"])
        whole = all(text.lstrip("-").isdigit() for text in texts)
        self.__dict__["classes_"] = np.asarray(sorted(int(text) for text in texts) if whole else texts)
        return self


class Classifier(Labelled):
    """An estimator whose models predict a class."""

    _estimator_type = "classifier"

    def _figures_of_classes(self, X: Any) -> np.ndarray:
        """The model's figure of every class for every row, in the order of classes_."""
        rows = self._new_rows(X)
        figures = self._model.predict(rows.native, self._budget(), None)
        names = list(self._model.prediction_names)
        return figures[:, [names.index(str(one)) for one in self.classes_.tolist()]]

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        figures = self._figures_of_classes(X)
        return self.classes_[np.argmax(figures, axis=1)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of rows whose class is predicted right."""
        right = np.asarray(self.predict(X) == np.asarray(y).ravel(), float)
        check_lengths(len(right), y)
        return float(np.average(right, weights=sample_weight))


class KernelLDA(Classifier, Transformer):
    """Discriminant analysis in the feature space of a kernel: scores that tell classes apart.

    >>> import mercer
    >>> table = mercer.data("moons", n=200)
    >>> lda = mercer.KernelLDA(kernel="gaussian:sigma=0.5").fit(table.data, table.labels)
    >>> lda.score(table.data, table.labels) > 0.95
    True
    """

    method = "kernel_lda"
    own_parameters = {"n_components": (None, "discriminants: a count, a share, or None: all (classes less 1)")}

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class for each row, in the order of classes_."""
        return self._figures_of_classes(X)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class KernelBDA(Labelled, Transformer):
    """One class against the rest: rows ranked by the distance to its mean.

    >>> import mercer
    >>> table = mercer.data("moons", n=100)
    >>> bda = mercer.KernelBDA(positive=table.labels[0]).fit(table.data, table.labels)
    >>> bda.decision_function(table.data).shape
    (100,)
    """

    method = "kernel_bda"
    own_parameters = {"n_components": (None, "directions: a count, a share, or None: all"),
                      "positive": (None, "the class that is sought; None: the first")}
    replaced_options = ("positive",)

    def _options(self, rows: Rows) -> Dict[str, Any]:
        options = super()._options(rows)
        if self.positive is not None:
            options["positive"] = str(self.positive)
        return options

    def distances(self, X: Any) -> np.ndarray:
        """Distance of each row to the mean of the class that is sought."""
        rows = self._new_rows(X)
        return self._model.rate(rows.native, self._budget())

    def decision_function(self, X: Any) -> np.ndarray:
        """The negative distances: the larger, the nearer to the class that is sought."""
        return -self.distances(X)


class NearestMean(Classifier):
    """The class whose mean is nearest in the feature space of a kernel.

    >>> import mercer
    >>> table = mercer.data("circles", n=200)
    >>> mercer.NearestMean(kernel="gaussian:sigma=0.3").fit(table.data, table.labels).score(table.data, table.labels)
    1.0
    """

    method = "nearest_mean"

    def decision_function(self, X: Any) -> np.ndarray:
        """Negative squared distances to the means; of two classes their difference."""
        figures = self._figures_of_classes(X)
        return figures[:, 1] - figures[:, 0] if figures.shape[1] == 2 else figures
