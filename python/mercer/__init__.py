"""Kernel principal component analysis and its relatives, with proofs.

>>> import mercer
>>> X = mercer.data("circles", n=200).data
>>> mercer.KernelPCA(n_components=2, kernel="rbf", gamma=2).fit_transform(X).shape
(200, 2)

Estimators follow scikit-learn's conventions and need NumPy alone. `mercer.load` opens the models that the program or `save`
wrote, `mercer.read` every table the program reads, `mercer.plot` draws what was fitted; `mercer.kernels()` and
`mercer.methods()` list what there is.
"""
from __future__ import annotations

from . import _blas

_blas.prepare()

from . import _native  # noqa: E402

_blas.check(_native.blas()["better"], _native.blas()["kernels"])

from ._catalogues import (blas, describe_kernel, explain, kernel_matrix, kernels, methods, operators,  # noqa: E402
                          solvers)
from ._errors import (ConvergenceWarning, InvalidParameterError, MercerError, MercerFileError,  # noqa: E402
                      MercerFileNotFoundError, MercerInternalError, MercerMemoryError, MercerModelError,
                      MercerPermissionError, MercerTimeout, MercerValueError, MercerWarning, NotFittedError)
from ._estimators import (EKPCA, MDS, ClassicalMDS, FactorAnalysis, FastICA, KernelICA,  # noqa: E402
                          ProbabilisticPCA)
from ._kernel_pca import KernelPCA  # noqa: E402
from ._pca import PCA  # noqa: E402
from ._supervised import PCR, KernelBDA, KernelLDA, NearestMean, PLSRegression  # noqa: E402
from ._tables import Table, data, read  # noqa: E402
from ._models import load, plan  # noqa: E402
from ._plot import Plot, plot  # noqa: E402

__version__: str = _native.version()

__all__ = [
    "ClassicalMDS", "ConvergenceWarning", "EKPCA", "FactorAnalysis", "FastICA", "InvalidParameterError", "KernelBDA",
    "KernelICA", "KernelLDA", "KernelPCA", "MDS", "MercerError", "MercerFileError", "MercerFileNotFoundError",
    "MercerInternalError", "MercerMemoryError", "MercerModelError", "MercerPermissionError", "MercerTimeout",
    "MercerValueError", "MercerWarning", "NearestMean", "NotFittedError", "PCA", "PCR", "PLSRegression",
    "Plot", "ProbabilisticPCA", "Table", "blas", "data", "describe_kernel", "explain", "kernel_matrix", "kernels", "load",
    "methods", "operators", "plan", "plot", "read", "solvers"]
