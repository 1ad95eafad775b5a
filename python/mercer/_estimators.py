"""The other methods as estimators. Those that scikit-learn has too take its parameters in their meaning; everything else
comes from the methods' described options.
"""
from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np

from . import _errors
from ._base import Classifier, Estimator, Transformer
from ._rows import Rows, check_lengths


class Inverter(Transformer):
    """A transformer with a way back."""

    def inverse_transform(self, X: Any) -> np.ndarray:
        """From scores back to rows."""
        self._fitted()
        rows = Rows(X, type(self).__name__)
        found = int(self._model.score_columns)
        if rows.shape[1] != self._n_features_out:
            raise ValueError(f"X has {rows.shape[1]} features, but the scores of this {type(self).__name__} have "
                             f"{self._n_features_out}.")
        if found < rows.shape[1]:
            rows = Rows(np.ascontiguousarray(rows.matrix()[:, :found]), type(self).__name__)
        return self._model.inverse(rows.native, rows.single, self._budget())[0]

    def _array(self, name: str) -> np.ndarray:
        self._fitted()
        return np.asarray(self._model.arrays()[name])


class Density(Inverter):
    """A transformer whose models are densities."""

    def score_samples(self, X: Any) -> np.ndarray:
        """Logarithm of the density of each row."""
        rows = self._new_rows(X)
        return self._model.log_density(rows.native, self._budget())

    def score(self, X: Any, y: Any = None) -> float:
        """Mean of the logarithms of the density."""
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state: Any = 0) -> np.ndarray:
        """New rows drawn from the model; the same for the same random_state."""
        from ._base import seed_of
        self._fitted()
        return self._model.sample(int(n_samples), seed_of(random_state), self._budget())

    def impute(self, X: Any) -> np.ndarray:
        """Rows whose missing values (nan) are what the model expects."""
        rows = self._new_rows(X)
        return self._model.impute(rows.native, self._budget())


class PCA(Inverter):
    """Principal component analysis of the columns.

    >>> import mercer
    >>> X = mercer.data("digits", n=200).data
    >>> pca = mercer.PCA(n_components=0.9).fit(X)
    >>> round(float(pca.explained_variance_ratio_.sum()), 1)
    0.9
    """

    method = "pca"


class ProbabilisticPCA(Density):
    """Principal components as a density: likelihood, missing values, samples.

    >>> import mercer, numpy as np
    >>> X = mercer.data("blobs", n=100, dim=4).data.copy()
    >>> X[0, 0] = np.nan
    >>> ppca = mercer.ProbabilisticPCA(n_components=2).fit(X)
    >>> bool(np.isnan(ppca.impute(X)).any())
    False
    """

    method = "ppca"


class FactorAnalysis(Density):
    """Factors behind the columns."""

    method = "factor_analysis"


class FastICA(Inverter):
    """Independent sources of mixed columns."""

    method = "ica"


class KernelICA(Inverter):
    """Independent sources by kernels."""

    method = "kernel_ica"


class ClassicalMDS(Transformer):
    """Classical scaling."""

    method = "mds"


class MDS(Transformer):
    """Metric scaling."""

    method = "metric_mds"


class EKPCA(Transformer):
    """Kernel PCA rebuilt on a few patterns."""

    method = "ekpca"


class PLSRegression(Transformer):
    """Partial least squares."""

    method = "pls"


class PCR(Inverter):
    """Principal component regression."""

    method = "pcr"


class KernelLDA(Classifier, Transformer):
    """Discriminants in the feature space of a kernel."""

    method = "kernel_lda"


class KernelBDA(Classifier, Transformer):
    """One class against the rest."""

    method = "kernel_bda"


class NearestMean(Classifier):
    """The class whose mean is nearest in the feature space of a kernel."""

    method = "nearest_mean"
