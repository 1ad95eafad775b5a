"""PCA: scikit-learn's class with its parameters and attributes in their meaning, computed by the library."""
from __future__ import annotations

from numbers import Integral
from typing import Any, Dict

import numpy as np

from . import _errors
from ._parameters import number_or_word
from ._rows import Rows
from ._transform import Inverter, Spectral


class PCA(Spectral, Inverter):
    """Principal component analysis of the columns; a drop-in for ``sklearn.decomposition.PCA``.

    >>> import mercer
    >>> X = mercer.data("digits", n=200).data
    >>> pca = mercer.PCA(n_components=0.9).fit(X)
    >>> pca.components_.shape == (pca.n_components_, 64), bool(pca.explained_variance_ratio_.sum() >= 0.9)
    (True, True)

    Attributes
    ----------
    components_ : axes, a row each
    explained_variance_, explained_variance_ratio_, singular_values_ : of each component
    mean_, noise_variance_, n_components_, n_samples_ : of the rows
    certificate_, residuals_, plan_ : as of KernelPCA
    """

    method = "pca"
    own_parameters = {
        "n_components": (None, "a count, a share of variance in (0, 1), \"mle\", a rule such as \"auto:parallel\", or "
                               "None: as many as rows or columns"),
        "copy": (True, "taken for compatibility: rows are never changed"),
        "whiten": (False, "True: scores of variance 1, as scikit-learn counts it; or pca, zca"),
        "svd_solver": ("auto", "auto, arpack, randomized: the planner chooses; full: all eigenvalues"),
        "tol": (0.0, "largest relative residual of a search; 0: as tolerance says"),
        "iterated_power": ("auto", "taken for compatibility: a search ends when the tolerance is reached"),
        "n_oversamples": (10, "taken for compatibility, likewise"),
        "power_iteration_normalizer": ("auto", "taken for compatibility, likewise"),
        "random_state": (None, "of random starts: another one gives another answer within the tolerance")}
    replaced_options = ("components", "whiten", "seed")

    def _options(self, rows: Rows) -> Dict[str, Any]:
        options = super()._options(rows)
        options["components"] = self._count(rows)
        options["seed"] = self._seed()
        if self.tol:
            options["tolerance"] = float(self.tol)
        elif self.svd_solver == "arpack" and "tolerance" not in options:
            options["tolerance"] = 1e-10
        if self.whiten is not False:
            options["whiten"] = "pca" if self.whiten is True else str(self.whiten)
        return options

    def _count(self, rows: Rows) -> Any:
        """n_components as the library reads it, within scikit-learn's bounds."""
        count, solver = self.n_components, self.svd_solver
        if solver not in ("auto", "full", "arpack", "randomized"):
            raise _errors.as_scikit_learn(_errors.InvalidParameterError)(
                "The 'svd_solver' parameter of PCA must be a str among {'auto', 'full', 'arpack', 'randomized'}. Got "
                f"{solver!r} instead.")
        most = min(rows.shape)
        if count is None:
            return "all" if solver != "arpack" else most - 1
        if count == "mle":
            if solver in ("arpack", "randomized"):
                raise ValueError(f"n_components='mle' cannot be a string with svd_solver={solver!r}")
            if rows.shape[0] < rows.shape[1]:
                raise ValueError("n_components='mle' is only supported if n_samples >= n_features")
            return "auto:minka"
        if isinstance(count, Integral) and not isinstance(count, bool):
            solver = "full" if solver == "auto" else solver
            least = 0 if solver == "full" else 1
            if not least <= count <= most:
                raise ValueError(f"n_components={count!r} must be between {least} and min(n_samples, n_features)="
                                 f"{most!r} with svd_solver={solver!r}")
            if solver == "arpack" and count == most:
                raise ValueError(f"n_components={count!r} must be strictly less than min(n_samples, n_features)="
                                 f"{most!r} with svd_solver={solver!r}")
            rank = min(rows.shape[0] - 1 if self.center else rows.shape[0], rows.shape[1])
            return "all" if count >= rank else max(1, int(count))
        if isinstance(count, float) and not 0 < count < 1:
            raise ValueError(f"n_components={count!r} must be between 0 and min(n_samples, n_features)={most!r} with "
                             f"svd_solver={'full' if solver == 'auto' else solver!r}")
        return count if isinstance(count, str) else repr(float(count))

    def _fit_budget(self) -> Dict[str, Any]:
        budget = super()._fit_budget()
        if self.svd_solver == "full" and budget["solver"] == "auto":
            budget["solver"] = "dense"
        return budget

    def _fit(self, X: Any, y: Any = None) -> Rows:
        try:
            rows = super()._fit(X, y)
        except _errors.MercerError as error:
            if error.code != "M231":
                raise
            rows = Rows(X, "PCA", 2)
            self._take(None, rows.shape[1], self.__dict__.get("feature_names_in_"))
        found = 0 if self._model is None else int(self._model.score_columns)
        self.n_samples_ = rows.shape[0]
        self._kind = np.dtype(np.float32 if rows.single else np.float64)
        count = self.n_components
        self._columns = (min(rows.shape) if count is None and self.svd_solver != "arpack" else
                         int(count) if isinstance(count, Integral) else found)
        self._columns = max(found, self._columns) if count != 0 else 0
        self._kept_mean = rows.spread().mean(axis=0) if self._model is None else None
        return rows

    def _score_factor(self) -> float:
        return float(np.sqrt((self.n_samples_ - 1) / self.n_samples_)) if self.whiten is True else 1.0

    def inverse_transform(self, X: Any) -> np.ndarray:
        """From scores back to rows."""
        self._fitted()
        if self._model is None:
            return np.repeat(self.mean_[None], len(X), axis=0)
        return super().inverse_transform(X)

    @property
    def components_(self) -> np.ndarray:
        """Axes, a row each, float32 where the rows were; those of variance 0 that were asked for are completed to an
        orthonormal set."""
        self._fitted()
        width = self.n_features_in_
        axes = np.zeros((width, 0)) if self._model is None else self._array("axes")
        axes = axes[:, :self._columns]
        if self._columns > axes.shape[1]:
            axes = np.hstack([axes, np.linalg.qr(np.hstack([axes, np.eye(width)]))[0][:, axes.shape[1]:self._columns]])
        return np.ascontiguousarray(axes.T, self._kind)

    @property
    def mean_(self) -> np.ndarray:
        """Means of the columns."""
        self._fitted()
        return self._kept_mean if self._model is None else self._array("mean")

    @property
    def explained_variance_(self) -> np.ndarray:
        """Variance of each component, over n - 1."""
        return self.eigenvalues_ / max(1, self.n_samples_ - 1)

    @property
    def singular_values_(self) -> np.ndarray:
        """Lengths of the score columns."""
        return np.sqrt(self.eigenvalues_)

    @property
    def n_components_(self) -> int:
        """How many components there are."""
        return self._n_features_out

    @property
    def noise_variance_(self) -> float:
        """Mean variance of the components that were left out."""
        model = self._fitted()
        left = min(self.n_samples_, self.n_features_in_) - self._columns
        if model is None or left <= 0:
            return 0.0
        total = model.summary()["trace"] / (self.n_samples_ - 1)
        return max(0.0, float(total - self.explained_variance_.sum())) / left

    def get_covariance(self) -> np.ndarray:
        """Covariance of the columns as the components and the noise explain it."""
        axes, noise = self.components_.astype(float), self.noise_variance_
        beyond = np.maximum(self.explained_variance_ - noise, 0.0)
        return axes.T @ (beyond[:, None] * axes) + noise * np.eye(self.n_features_in_)

    def get_precision(self) -> np.ndarray:
        """The inverse of the covariance."""
        return np.linalg.inv(self.get_covariance())

    def score_samples(self, X: Any) -> np.ndarray:
        """Logarithm of each row's density under the normal distribution of this covariance."""
        centred = self._new_rows(X).spread() - self.mean_
        precision = self.get_precision()
        sign, volume = np.linalg.slogdet(precision)
        return 0.5 * (volume - self.n_features_in_ * np.log(2 * np.pi) -
                      np.einsum("ij,jk,ik->i", centred, precision, centred, optimize=True))

    def score(self, X: Any, y: Any = None) -> float:
        """Mean of the logarithms of the density."""
        return float(np.mean(self.score_samples(X)))

    @classmethod
    def _from_model(cls, model: Any) -> "PCA":
        self = super()._from_model(model)
        whiten = model.options.get("whiten", "none")
        self.set_params(whiten=False if whiten == "none" else whiten, n_components=number_or_word(str(model.options["components"])))
        self.__dict__.update(n_samples_=model.n, _columns=int(model.score_columns), _kept_mean=None,
                             _kind=np.dtype(np.float64))
        return self  # type: ignore[return-value]
