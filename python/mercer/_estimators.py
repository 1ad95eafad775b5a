"""The methods of numbers alone as estimators: components, densities, sources, scaling.

Those that scikit-learn has too take its parameters in their meaning; everything else comes from the methods' described
options.
"""
from __future__ import annotations

from numbers import Integral
import warnings
from typing import Any, Dict

import numpy as np

from . import _errors
from ._parameters import seed_of
from ._rows import Rows
from ._transform import Inverter, Spectral, Transformer


_LEAST_TOLERANCE = 1e-14  # what rounding allows, for a tol of 0


class Density(Inverter):
    """A transformer whose models are densities."""

    def score_samples(self, X: Any) -> np.ndarray:
        """Logarithm of the density of each row."""
        return self._model_for(X).log_density(self._rows_of(X).native, self._budget())

    def score(self, X: Any, y: Any = None) -> float:
        """Mean of the logarithms of the density."""
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state: Any = 0) -> np.ndarray:
        """New rows drawn from the model; the same for the same random_state."""
        return self._fitted().sample(int(n_samples), seed_of(random_state), self._budget())

    def impute(self, X: Any) -> np.ndarray:
        """Rows whose missing values (nan) are what the model expects; all others keep every bit."""
        return self._model_for(X).impute(self._rows_of(X).native, self._budget())

    def get_covariance(self) -> np.ndarray:
        """Covariance of the columns under the model."""
        loadings = self.components_.T
        return loadings @ loadings.T + np.diag(np.broadcast_to(self.noise_variance_, len(loadings)))

    def get_precision(self) -> np.ndarray:
        """The inverse of the covariance."""
        return np.linalg.inv(self.get_covariance())

    def _model_for(self, X: Any) -> Any:
        return self._fitted()

    def _rows_of(self, X: Any) -> Rows:
        return self._new_rows(X)

    @property
    def components_(self) -> np.ndarray:
        """Loadings: a row for each component, a column for each column of the rows."""
        return self._array("loadings").T

    @property
    def mean_(self) -> np.ndarray:
        """Means of the columns."""
        return self._array("mean")

    @property
    def noise_variance_(self) -> Any:
        """Variance of what no component explains."""
        return self._figure("noise_variance")


class ProbabilisticPCA(Density):
    """Principal components as a density: likelihood, missing values (nan), samples.

    >>> import mercer, numpy as np
    >>> X = mercer.data("blobs", n=100, dim=4).data.copy()
    >>> X[0, 0] = np.nan
    >>> ppca = mercer.ProbabilisticPCA(n_components=2).fit(X)
    >>> bool(np.isnan(ppca.impute(X)).any())
    False
    """

    method = "ppca"
    least_columns = 2
    own_parameters = {"n_components": (1, "a count, a share of variance in (0, 1), or a rule such as \"auto\"")}


class FactorAnalysis(Density):
    """Factors behind the columns; takes the parameters of ``sklearn.decomposition.FactorAnalysis``.

    >>> import mercer
    >>> X = mercer.data("digits", n=300).data[:, 18:24]
    >>> mercer.FactorAnalysis(n_components=1).fit_transform(X).shape
    (300, 1)
    """

    method = "factor_analysis"
    least_columns = 3
    own_parameters = {
        "n_components": (1, "factors: a count, a rule such as \"auto\", or None: as many as can be told apart"),
        "tol": (1e-2, "taken for compatibility: a search goes on until the likelihood stands"),
        "copy": (True, "taken for compatibility: rows are never changed"),
        "max_iter": (10000, "steps at most"),
        "noise_variance_init": (None, "taken for compatibility: a search starts where the library starts"),
        "svd_method": ("randomized", "taken for compatibility: eigenvalues are always exact"),
        "iterated_power": (3, "taken for compatibility, likewise"),
        "rotation": (None, "varimax, promax or None")}
    replaced_options = ("iterations", "rotation")

    def _more_tags(self) -> Dict[str, Any]:
        reason = "rows of two columns: factor analysis has no degrees of freedom with fewer than three"
        return {**super()._more_tags(), "_xfail_checks": {name: reason for name in (
            "check_estimators_fit_returns_self", "check_estimators_overwrite_params", "check_fit_idempotent",
            "check_fit_check_is_fitted", "check_n_features_in")}}

    def _options(self, rows: Rows) -> Dict[str, Any]:
        options = super()._options(rows)
        options["iterations"] = int(self.max_iter)
        options["rotation"] = self.rotation or "none"
        return options

    @property
    def noise_variance_(self) -> np.ndarray:
        """Variance of each column that no factor explains."""
        return self._array("uniquenesses")

    def get_covariance(self) -> np.ndarray:
        """Covariance of the columns under the model, of factors that may be correlated (promax)."""
        loadings = self.components_.T
        return loadings @ self._array("factor_correlations") @ loadings.T + np.diag(self.noise_variance_)

    @property
    def loglike_(self) -> list:
        """The logarithm of the likelihood that was reached."""
        return [self._figure("log_likelihood")]

    @property
    def n_iter_(self) -> int:
        """Steps that were made."""
        return int(self._figure("iterations"))


class FastICA(Inverter):
    """Independent sources of mixed columns; takes the parameters of ``sklearn.decomposition.FastICA``.

    >>> import mercer
    >>> X = mercer.data("mixtures", n=500, dim=2).data
    >>> mercer.FastICA(n_components=2).fit(X).mixing_.shape
    (2, 2)
    """

    method = "ica"
    own_parameters = {
        "n_components": (None, "a count of sources, a share of variance in (0, 1), or None: all"),
        "algorithm": ("parallel", "parallel: all sources at once; deflation: one by one; likelihood: of heavy-tailed "
                                  "sources"),
        "whiten": ("unit-variance", "unit-variance: sources of variance 1; arbitrary-variance or True: of 1/rows; "
                                    "False: the rows are white already, and n_components is left aside"),
        "fun": ("logcosh", "contrast: logcosh, exp or cube"),
        "fun_args": (None, "of the contrast: None, or {\"alpha\": 1.0} of logcosh"),
        "max_iter": (200, "steps at most, from each start"),
        "tol": (1e-4, "1 - |cos| between steps"),
        "w_init": (None, "taken for compatibility: a search starts where the library starts"),
        "whiten_solver": ("svd", "taken for compatibility: rows are whitened one way"),
        "random_state": (None, "of random starts")}
    replaced_options = ("algorithm", "approach", "contrast", "iterations", "tolerance")

    def _options(self, rows: Rows) -> Dict[str, Any]:
        options = super()._options(rows)
        if self.algorithm == "likelihood":
            options["algorithm"] = "likelihood"
        elif self.algorithm in ("parallel", "deflation"):
            options["approach"] = "symmetric" if self.algorithm == "parallel" else "deflation"
        else:
            raise _errors.as_scikit_learn(_errors.InvalidParameterError)(
                "The 'algorithm' parameter of FastICA must be a str among {'parallel', 'deflation', 'likelihood'}. Got "
                f"{self.algorithm!r} instead.")
        if callable(self.fun):
            raise ValueError("fun is logcosh, exp or cube: a contrast of one's own would be called in every step")
        options.update(iterations=int(self.max_iter), tolerance=max(float(self.tol), _LEAST_TOLERANCE))
        if self.algorithm != "likelihood":
            options["contrast"] = self.fun
        alpha = (self.fun_args or {}).get("alpha", 1.0)
        if not 1 <= alpha <= 2:
            raise ValueError("alpha must be in [1,2]")
        if alpha != 1:
            raise ValueError(f"fun_args: the contrast logcosh has alpha 1 here, not {alpha!r}")
        if self.whiten is False:
            options.pop("components", None)
        return options

    def _fit(self, X: Any, y: Any = None) -> Rows:
        if self.whiten not in ("unit-variance", "arbitrary-variance", True, False):
            raise _errors.as_scikit_learn(_errors.InvalidParameterError)(
                "The 'whiten' parameter of FastICA must be a str among {'unit-variance', 'arbitrary-variance'} or a bool. "
                f"Got {self.whiten!r} instead.")
        if self.whiten is False and self.n_components is not None:
            warnings.warn("Ignoring n_components with whiten=False.", stacklevel=3)
        return super()._fit(X, y)

    def _length(self) -> float:
        """Length of sources over that of sources of variance 1."""
        narrow = self.whiten is True or self.whiten == "arbitrary-variance"
        return float(1 / np.sqrt(self._fitted().n)) if narrow else 1.0

    def _padded(self, scores: np.ndarray) -> np.ndarray:
        scores = super()._padded(scores)
        return scores if self._length() == 1 else scores * scores.dtype.type(self._length())

    def inverse_transform(self, X: Any, copy: bool = True) -> np.ndarray:
        """From sources back to rows."""
        self._fitted()
        return super().inverse_transform(X if self._length() == 1 else np.asarray(X) / self._length())

    @property
    def components_(self) -> np.ndarray:
        """The unmixing: a row for each source, a column for each column of the rows."""
        return self._array("unmixing").T * self._length()

    @property
    def mixing_(self) -> np.ndarray:
        """The mixing: a row for each column of the rows, a column for each source."""
        return self._array("mixing") / self._length()

    @property
    def whitening_(self) -> np.ndarray:
        """What centred rows are multiplied by so that they are uncorrelated, with squares that sum to 1; the axes in the
        order of their variances."""
        axes, deviations = np.linalg.svd(self._array("mixing"), full_matrices=False)[:2]
        axes = axes * np.where(axes[0] < 0, -1.0, 1.0)
        return (axes / (deviations * np.sqrt(self._fitted().n))).T

    @property
    def mean_(self) -> np.ndarray:
        """Means of the columns."""
        return self._array("mean")

    @property
    def n_iter_(self) -> int:
        """Steps that were made."""
        return int(self._figure("iterations"))


class KernelICA(Inverter):
    """Independent sources of mixed columns by kernels, whatever their densities.

    >>> import mercer
    >>> X = mercer.data("mixtures", n=200, dim=2).data
    >>> mercer.KernelICA(restarts=1).fit(X).mixing_.shape
    (2, 2)
    """

    method = "kernel_ica"
    own_parameters = {"n_components": (None, "a count of sources, a share of variance in (0, 1), or None: all")}
    mean_ = FastICA.mean_

    @property
    def components_(self) -> np.ndarray:
        """The unmixing: a row for each source, a column for each column of the rows."""
        return self._array("unmixing").T

    @property
    def mixing_(self) -> np.ndarray:
        """The mixing: a row for each column of the rows, a column for each source."""
        return self._array("mixing")


class FromDistances(Transformer):
    """scikit-learn's word for distances in place of a table."""

    def _pairwise(self) -> bool:
        return super()._pairwise() or self.dissimilarity == "precomputed"

    def _options(self, rows: Rows) -> Dict[str, Any]:
        if self.dissimilarity not in ("euclidean", "precomputed"):
            raise _errors.as_scikit_learn(_errors.InvalidParameterError)(
                f"dissimilarity={self.dissimilarity!r}: it is 'euclidean', for a table, or 'precomputed', for distances")
        options = super()._options(rows)
        if self.dissimilarity == "precomputed":
            options.setdefault("as", "distance")
        return options


_DISSIMILARITY = {"dissimilarity": ("euclidean", "scikit-learn's word: \"precomputed\" is as_=\"distance\"")}


class ClassicalMDS(FromDistances, Spectral):
    """Classical scaling: points from a table, or from distances (``as_="distance"``).

    >>> import mercer
    >>> X = mercer.data("blobs", n=60).data
    >>> mercer.ClassicalMDS(n_components=2).fit_transform(X).shape
    (60, 2)
    """

    method = "mds"
    own_parameters = _DISSIMILARITY


class MDS(FromDistances):
    """Points whose distances are nearest to given ones, by least stress (SMACOF).

    >>> import mercer
    >>> X = mercer.data("blobs", n=40).data
    >>> mercer.MDS(n_components=2).fit_transform(X).shape
    (40, 2)
    """

    method = "metric_mds"
    own_parameters = _DISSIMILARITY

    @property
    def embedding_(self) -> np.ndarray:
        """The points of the training rows."""
        return self._array("configuration")

    @property
    def stress_(self) -> float:
        """What is left of the squared differences of distances."""
        return float(self._figure("stress"))

    @property
    def n_iter_(self) -> int:
        """Steps that were made."""
        return int(self._figure("iterations"))


class EKPCA(Transformer):
    """Kernel PCA rebuilt on a few basic patterns: rows whose kernel columns are unlike.

    >>> import mercer
    >>> X = mercer.data("circles", n=100).data
    >>> ekpca = mercer.EKPCA(n_components=2, kernel="gaussian:sigma=0.5").fit(X)
    >>> len(ekpca.pattern_indices_) < 100
    True
    """

    method = "ekpca"
    own_parameters = {
        "patterns": (None, "keep so many patterns, whatever the threshold; None: by the threshold, but one more than "
                           "there are components at least")}

    def _options(self, rows: Rows) -> Dict[str, Any]:
        options = super()._options(rows)
        if self.__dict__.get("_too_alike"):
            options["patterns"] = min(rows.shape[0], 1 + int(self.n_components))
        return options

    def _fit(self, X: Any, y: Any = None) -> Rows:
        try:
            return super()._fit(X, y)
        except _errors.MercerError as error:
            if error.code != "M244" or self.patterns is not None or not isinstance(self.n_components, Integral):
                raise
        self._too_alike = True
        try:
            return super()._fit(X, y)
        finally:
            del self._too_alike

    @property
    def pattern_indices_(self) -> np.ndarray:
        """The rows that were kept, counted from 0."""
        return np.asarray(self._figure("pattern_rows"), int) - 1

    @property
    def eigenvalues_(self) -> np.ndarray:
        """Eigenvalues of the components."""
        return np.asarray(self._figure("eigenvalues"), float)
