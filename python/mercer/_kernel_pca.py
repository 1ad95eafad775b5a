"""KernelPCA: scikit-learn's class with every parameter and attribute in its meaning, computed by the library."""
from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, Dict, Optional, Tuple

import numpy as np

from . import _errors, _native
from ._base import Transformer, components_word
from ._rows import Rows

_THEIRS = {"linear": "linear", "rbf": "gaussian", "poly": "polynomial", "sigmoid": "sigmoid", "cosine": "cosine"}
_MOST_PADDED = 1e-5  # scikit-learn's bound: a negative eigenvalue beyond this share of the largest is significant


def kernel_word(kernel: str, width: int, gamma: Any, sigma: Any, degree: Any, coef0: Any) -> str:
    """The kernel as the library writes it; scikit-learn's five names have its defaults (gamma = 1/columns)."""
    if gamma is not None and sigma is not None:
        raise ValueError("gamma and sigma are two words for one width (gamma = 1/(2 sigma^2)): give one of them")
    family = _THEIRS.get(kernel)
    if family is None:  # the library's own words, such as matern:nu=2.5
        extra = [f"{name}={_word(value)}" for name, value in (("gamma", gamma), ("sigma", sigma)) if value is not None]
        if not extra:
            return kernel
        return kernel + (":" if ":" not in kernel else ",") + ",".join(extra)
    if family in ("linear", "cosine"):
        return family
    if isinstance(gamma, str):
        if family != "gaussian":
            raise ValueError(f"gamma={gamma!r} is for the kernel rbf, whose width can be found from the data")
        gamma, sigma = None, gamma
    if family == "gaussian":
        if sigma is not None:
            return f"gaussian:sigma={_word(sigma)}"
        return f"gaussian:gamma={_word(1.0 / width if gamma is None else gamma)}"
    if sigma is not None:
        raise ValueError(f"sigma is a width: the kernel {kernel} has none")
    scale = _word(1.0 / width if gamma is None else gamma)
    if family == "sigmoid":
        return f"sigmoid:scale={scale},offset={_word(coef0)}"
    return f"polynomial:degree={_word(degree)},scale={scale},offset={_word(coef0)}"


def _word(value: Any) -> str:
    return value if isinstance(value, str) else repr(float(value)) if float(value) % 1 else str(int(value))


class KernelPCA(Transformer):
    """Kernel principal component analysis.

    A drop-in for ``sklearn.decomposition.KernelPCA``: parameters and attributes mean what they mean there. Beyond it:
    ``n_components`` may be a share of the variance (0.95), ``kernel`` any kernel of `mercer.kernels()` such as
    ``"matern:nu=2.5"``, ``gamma="median"`` (or ``sigma="0.5*median"``) takes the width from the data; ``certificate_``
    proves that no component was missed; ``memory``, ``time`` and ``progress`` keep a long fit in hand.

    >>> import mercer
    >>> X = mercer.data("circles", n=300).data
    >>> kpca = mercer.KernelPCA(n_components=2, kernel="rbf", gamma="median").fit(X)
    >>> kpca.transform(X).shape
    (300, 2)
    >>> kpca.certificate_["complete"]
    True
    >>> [round(float(share), 2) for share in kpca.explained_variance_ratio_]
    [0.28, 0.27]

    Attributes
    ----------
    eigenvalues_, eigenvectors_ : of the centred kernel matrix, the largest first
    X_fit_ : the training rows
    X_transformed_fit_, dual_coef_ : scores of the training rows and weights of the way back (fit_inverse_transform)
    gamma_ : the width that was used; None for kernels without one
    explained_variance_ratio_ : share of the variance of each component; nan where it is not known
    residuals_ : ``|K u - mu u| / mu_1`` of each component, at most
    certificate_ : how good the answer is, and whether no component can be missing
    plan_ : what the planner chose, and why
    n_features_in_, feature_names_in_ : of the rows
    """

    method = "kernel_pca"
    own_parameters = {
        "n_components": (None, "a count, a share of variance in (0, 1), or None: all whose eigenvalue is not zero"),
        "kernel": ("linear", "linear, poly, rbf, sigmoid, cosine or precomputed as in scikit-learn, a kernel of "
                             "mercer.kernels() with its parameters, or a function of two rows"),
        "gamma": (None, "of rbf, poly and sigmoid; None: 1/columns; \"median\": from the distances between rows"),
        "degree": (3, "of poly"), "coef0": (1, "of poly and sigmoid"),
        "kernel_params": (None, "keyword arguments of a kernel that is a function"),
        "alpha": (1.0, "ridge of the regression that learns the way back"),
        "fit_inverse_transform": (False, "learn the way back from scores to rows, for inverse_transform"),
        "eigen_solver": ("auto", "auto: the planner chooses; dense: all eigenvalues; arpack, randomized: a search for "
                                 "the leading ones"),
        "tol": (0, "largest relative residual of a search; 0: as tolerance says"),
        "max_iter": (None, "taken for compatibility: a search ends when the tolerance is reached"),
        "iterated_power": ("auto", "taken for compatibility, likewise"),
        "remove_zero_eig": (False, "leave out components whose eigenvalue is zero, also where n_components asks for "
                                   "them"),
        "random_state": (None, "of random starts: another one gives another answer within the tolerance"),
        "copy_X": (True, "False: the model shares the memory of X, which must not change"),
        "n_jobs": (None, "threads to use; None: all processors this process may use, one inside a worker of joblib"),
        "sigma": (None, "width of a Gaussian, in place of gamma: a number, or a rule such as \"0.5*median\""),
        "indefinite": (None, "negative eigenvalues: clip, flip, shift, krein or error; None: as scikit-learn, which "
                             "refuses significant ones among the components")}
    replaced_options = ("kernel", "components", "seed", "indefinite")

    # What is asked of the library.

    def _pairwise(self) -> bool:
        return self.kernel == "precomputed" or self.as_ != "table"

    def _check(self) -> None:
        """Words and numbers that scikit-learn refuses are refused in its words."""
        refused = _errors.as_scikit_learn(_errors.InvalidParameterError)

        def demand(fits: bool, name: str, what: str) -> None:
            if not fits:
                raise refused(f"The {name!r} parameter of KernelPCA must be {what}. Got {getattr(self, name)!r} "
                              "instead.")

        def number(value: Any, least: Optional[float] = None) -> bool:
            real = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
            return real and (least is None or float(value) >= least)

        demand(isinstance(self.kernel, str) or callable(self.kernel), "kernel", "a str or a callable")
        demand(self.gamma is None or isinstance(self.gamma, str) or number(self.gamma, 0), "gamma",
               "a float in the range [0, inf), a rule or None")
        demand(number(self.degree, 0), "degree", "a number in the range [0, inf)")
        demand(number(self.coef0), "coef0", "a number")
        demand(self.kernel_params is None or isinstance(self.kernel_params, dict), "kernel_params", "a dict or None")
        demand(number(self.alpha, 0), "alpha", "a float in the range [0, inf)")
        demand(self.eigen_solver in ("auto", "dense", "arpack", "randomized"), "eigen_solver",
               "a str among {'auto', 'dense', 'arpack', 'randomized'}")
        demand(number(self.tol, 0), "tol", "a float in the range [0, inf)")
        demand(self.max_iter is None or (isinstance(self.max_iter, Integral) and self.max_iter >= 1), "max_iter",
               "an int in the range [1, inf) or None")

    def _options(self, rows: Rows) -> Dict[str, Any]:
        options = super()._options(rows)
        n = rows.shape[0]
        count = components_word(self.n_components, rows.shape, "KernelPCA")
        most = n - 1 if self.center else n
        options["components"] = "all" if isinstance(count, int) and count >= most else count
        options["seed"] = self._seed()
        if self.tol:
            options["tolerance"] = float(self.tol)
        elif self.eigen_solver == "arpack" and "tolerance" not in options:
            options["tolerance"] = 1e-10  # as exact as that search is where nobody says
        if self.indefinite is not None:
            options["indefinite"] = self.indefinite
        elif self.eigen_solver == "randomized":
            options["indefinite"] = "krein"  # which tells negative ones among the largest magnitudes
        if self.as_ != "table":
            if self.kernel not in ("linear", "precomputed"):  # a kernel of the given distances
                options["kernel"] = kernel_word(self.kernel, rows.shape[1], self.gamma, self.sigma, self.degree,
                                                self.coef0)
        elif callable(self.kernel) or self.kernel == "precomputed":
            options["as"] = "kernel"
        else:
            options["kernel"] = kernel_word(self.kernel, rows.shape[1], self.gamma, self.sigma, self.degree,
                                            self.coef0)
        if self.fit_inverse_transform:
            options["preimage"], options["alpha"] = True, float(self.alpha)
        return options

    def _fit_budget(self) -> Dict[str, Any]:
        budget = super()._fit_budget()
        if self.eigen_solver == "dense" and budget["solver"] == "auto":
            budget["solver"] = "dense"
        return budget

    def _given(self, rows: Rows, y: Any) -> Dict[str, Any]:
        given = super()._given(rows, y)
        given["share"] = not self.copy_X
        return given

    # Fitting.

    def fit(self, X: Any, y: Any = None) -> "KernelPCA":
        """Learns the components of rows; y is ignored. Returns the estimator."""
        self._learn(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Learns the components of rows and gives their scores."""
        rows = self._learn(X, **params)
        return self._framed(self._training_scores(rows), X)

    def _learn(self, X: Any) -> Rows:
        self._check()
        if self.fit_inverse_transform and self._pairwise():
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")
        before = dict(self.__dict__)
        try:
            return self._learn_rows(X)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _learn_rows(self, X: Any) -> Rows:
        for name in ("_kept_rows", "_found", "_pairs_of"):
            self.__dict__.pop(name, None)
        fitted_on: Any = X
        if callable(self.kernel):
            rows = Rows(X, "KernelPCA", 2)
            self._pairs_of = rows.spread() if not self.copy_X else rows.spread().copy()
            fitted_on = self._pairs(self._pairs_of, self._pairs_of)
        elif self.kernel == "precomputed" and self.as_ == "table":
            fitted_on = _symmetric(X, self.center)
        try:
            rows_fitted = self._fit(fitted_on)
        except _errors.MercerError as error:
            if error.code not in ("M231", "M244") or self._pairwise() or isinstance(self.n_components, str):
                raise
            rows_fitted = Rows(X, "KernelPCA", 2)
            self._take(None, rows_fitted.shape[1], self.__dict__.get("feature_names_in_"))
        if callable(self.kernel):
            self._take(self._model, rows.shape[1], None)
        self._finish(rows_fitted, X)
        return rows_fitted

    def _finish(self, rows: Rows, X: Any) -> None:
        """Zero eigenvalues that were asked for, negative ones that are none, and the rows where nobody keeps them."""
        n = rows.shape[0]
        model = self._model
        found = 0 if model is None else int(model.score_columns)
        self._found = found
        wanted = found
        if isinstance(self.n_components, Integral):
            wanted = min(n, int(self.n_components))
        keep = isinstance(self.n_components, Integral) and not self.remove_zero_eig
        self._columns = max(found, wanted) if keep else found
        if model is not None and self.indefinite is None:
            self._refuse_negative(model, found, wanted)
        if model is None or self._stored_points() is None:
            shared = not self.copy_X
            self._kept_rows = X if shared else (None if self._pairwise() else _copy_of(rows))

    def _refuse_negative(self, model: Any, found: int, wanted: int) -> None:
        """scikit-learn's error where a significant negative eigenvalue is among the components."""
        summary = model.summary()
        share = summary.get("negative_share") or 0.0
        total = summary.get("total") or 0.0
        lowest, largest = -share * total, (summary["eigenvalues"] or [0.0])[0]
        if self.eigen_solver == "randomized":
            signs = model.arrays().get("signature")
            lowest = -largest if signs is not None and np.any(signs < 0) else 0.0
        elif found >= wanted and self.n_components is not None:
            return
        if lowest < -_MOST_PADDED * largest:
            raise ValueError(
                f"There are significant negative eigenvalues ({-lowest / largest:g} of the maximum positive). Either "
                "the matrix is not PSD, or there was an issue while computing the eigendecomposition of the matrix. "
                "Ask for fewer components, or choose what becomes of them: indefinite=\"clip\"")

    def _pairs(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Values of a kernel that is a function, for all pairs of rows."""
        kernel, more = self.kernel, self.kernel_params or {}
        values = np.empty((len(a), len(b)))
        for i, x in enumerate(a):
            start = i if a is b else 0
            for j in range(start, len(b)):
                values[i, j] = kernel(x, b[j], **more)
            if a is b:
                values[i + 1:, i] = values[i, i + 1:]
        return values

    # Results.

    def transform(self, X: Any) -> Any:
        """Scores of rows, one column for each component: float32 for float32 rows, else float64."""
        rows = self._new_rows(X)
        if callable(self.kernel):
            rows = Rows(self._pairs(rows.spread(), self._pairs_of), "KernelPCA")
        return self._framed(self._scores(rows), X)

    def inverse_transform(self, X: Any) -> np.ndarray:
        """From scores back to rows, by the regression that ``fit_inverse_transform=True`` learns.

        >>> import mercer
        >>> X = mercer.data("circles", n=100).data
        >>> kpca = mercer.KernelPCA(n_components=4, kernel="rbf", gamma=2, fit_inverse_transform=True, alpha=0.01)
        >>> kpca.inverse_transform(kpca.fit_transform(X)).shape
        (100, 2)
        """
        if not self.fit_inverse_transform:
            raise _errors.as_scikit_learn(_errors.NotFittedError)(
                "The fit_inverse_transform parameter was not set to True when instantiating and hence the inverse "
                "transform is not available.")
        model = self._fitted()
        rows = Rows(X, "KernelPCA")
        if rows.shape[1] != self._columns:
            raise ValueError(f"X has {rows.shape[1]} features, but the scores of this KernelPCA have "
                             f"{self._columns}.")
        if model is None:
            return np.repeat(self.X_fit_[:1], rows.shape[0], axis=0)
        if self._columns > self._found:
            rows = Rows(np.ascontiguousarray(rows.matrix()[:, :self._found]), "KernelPCA")
        return model.inverse(rows.native, rows.single, self._budget())[0]

    def component_map(self, component: int = 0, *, features: Tuple[int, int] = (0, 1), resolution: int = 100,
                      bounds: Optional[Tuple[float, float, float, float]] = None, at: Any = None
                      ) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A component's score over a plane of two columns: x, y and values[y, x], as contour plots take them.

        ``bounds`` are (x least, x most, y least, y most), by default those of the training rows and a tenth more;
        ``at`` is a row with the values of the other columns, by default their means.

        >>> import mercer
        >>> kpca = mercer.KernelPCA(n_components=1, kernel="rbf", gamma=2).fit(mercer.data("circles", n=60).data)
        >>> x, y, values = kpca.component_map(resolution=20)
        >>> values.shape
        (20, 20)
        """
        self._fitted()
        first, second = features
        known = None if at is not None and bounds is not None else Rows(self.X_fit_, "KernelPCA").spread()
        middle = np.asarray(at, float) if at is not None else known.mean(axis=0)  # type: ignore[union-attr]
        if bounds is None:
            part = known[:, [first, second]]  # type: ignore[index]
            low, high = part.min(axis=0), part.max(axis=0)
            more = 0.1 * (high - low)
            bounds = (low[0] - more[0], high[0] + more[0], low[1] - more[1], high[1] + more[1])
        x, y = np.linspace(bounds[0], bounds[1], resolution), np.linspace(bounds[2], bounds[3], resolution)
        plane = np.tile(middle, (resolution * resolution, 1))
        plane[:, first], plane[:, second] = (grid.ravel() for grid in np.meshgrid(x, y))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = np.asarray(self.transform(plane))
        return x, y, scores[:, component].reshape(resolution, resolution)

    def _stored_points(self) -> Optional[np.ndarray]:
        """The training rows, where the model has all of them."""
        model = self._model
        if callable(self.kernel):
            return self._pairs_of
        if model is None or self._pairwise():
            return None
        arrays = model.arrays()
        if "points" in arrays and len(arrays["points"]) == model.n and "feature_weights" not in arrays:
            return arrays["points"]
        if "points.starts" in arrays and len(arrays["points.starts"]) == model.n + 1:
            from scipy.sparse import csr_matrix  # type: ignore
            return csr_matrix((arrays["points.values"], arrays["points.columns"], arrays["points.starts"]),
                              shape=(model.n, model.dim))
        return None

    @property
    def X_fit_(self) -> Any:
        """The training rows; of a precomputed kernel only with ``copy_X=False``."""
        self._fitted()
        kept = self.__dict__.get("_kept_rows")
        if kept is not None:
            return kept
        points = self._stored_points()
        if points is None:
            raise AttributeError("the model does not keep its training rows: fit with copy_X=False to share them")
        return points

    @property
    def eigenvalues_(self) -> np.ndarray:
        """Eigenvalues of the centred kernel matrix, the largest first."""
        model = self._fitted()
        found = np.zeros(0) if model is None else np.asarray(model.summary()["eigenvalues"], float)
        return np.concatenate([found, np.zeros(self._columns - len(found))])

    @property
    def eigenvectors_(self) -> np.ndarray:
        """Unit eigenvectors of the centred kernel matrix, a column for each component."""
        scores = self.X_transformed_fit_ if self.fit_inverse_transform else self._scores_of_training_rows()
        roots = np.sqrt(self.eigenvalues_)
        return np.divide(scores, roots, out=np.zeros_like(scores), where=roots > 0)

    @property
    def lambdas_(self) -> np.ndarray:
        """What scikit-learn before 1.0 called eigenvalues_."""
        return self.eigenvalues_

    @property
    def alphas_(self) -> np.ndarray:
        """What scikit-learn before 1.0 called eigenvectors_."""
        return self.eigenvectors_

    def _scores_of_training_rows(self) -> np.ndarray:
        model = self._fitted()
        if model is None:
            return np.zeros((len(self.X_fit_), self._columns))
        if "score_factor" in (arrays := model.arrays()):
            scores = np.asarray(arrays["coefficients"]) * np.asarray(arrays["score_factor"])
        else:
            scores = model.training_scores(Rows(self.X_fit_, "KernelPCA").native, False, self._budget())
        return self._padded(scores)

    @property
    def X_transformed_fit_(self) -> np.ndarray:
        """Scores of the training rows; of fits with ``fit_inverse_transform=True``."""
        self._fitted()
        if not self.fit_inverse_transform:
            raise AttributeError("X_transformed_fit_ is there after a fit with fit_inverse_transform=True")
        return self._scores_of_training_rows()

    @property
    def dual_coef_(self) -> np.ndarray:
        """Weights of the way back; of fits with ``fit_inverse_transform=True``."""
        model = self._fitted()
        if not self.fit_inverse_transform or model is None:
            raise AttributeError("dual_coef_ is there after a fit with fit_inverse_transform=True")
        return np.asarray(model.arrays()["preimage.weights"])

    @property
    def gamma_(self) -> Optional[float]:
        """The width that was used, as gamma; None for kernels without one."""
        model = self._fitted()
        kernel = {} if model is None else model.summary()["kernel"] or {}
        if kernel.get("gamma") is not None:
            return float(kernel["gamma"])
        scale = (kernel.get("parameters") or {}).get("scale")
        return None if scale is None else float(scale)

    @property
    def explained_variance_(self) -> np.ndarray:
        """Variance of the scores of each component."""
        model = self._fitted()
        return self.eigenvalues_ / (1 if model is None else model.n)

    @property
    def explained_variance_ratio_(self) -> np.ndarray:
        """Share of the variance that each component explains; nan where the total is not known."""
        return self._figures("explained_variance_ratio")

    @property
    def residuals_(self) -> np.ndarray:
        """``|K u - mu u| / mu_1`` of each component, at most."""
        return self._figures("residuals")

    def _figures(self, name: str) -> np.ndarray:
        model = self._fitted()
        values = [] if model is None else model.summary()[name]
        if values is None:
            return np.full(self._columns, np.nan)
        found = np.asarray([np.nan if value is None else value for value in values], float)
        return np.concatenate([found, np.zeros(self._columns - len(found))])

    @property
    def certificate_(self) -> Dict[str, Any]:
        """How good the answer is: ``complete`` says that no component was missed, ``eigenvalue_upper`` and ``angle``
        bound the error."""
        model = self._fitted()
        return {} if model is None else dict(model.summary()["certificate"])

    @classmethod
    def _from_model(cls, model: Any) -> "KernelPCA":
        self = super()._from_model(model)
        options, kernel = model.options, model.summary()["kernel"] or {}
        setattr(self, "kernel", kernel.get("spec") or options.get("kernel", "linear"))
        if options.get("as") == "kernel":
            self.set_params(kernel="precomputed", as_="table")
        self.set_params(fit_inverse_transform=bool(options.get("preimage")), alpha=float(options.get("alpha", 1.0)),
                        indefinite=options.get("indefinite"))
        components = str(options.get("components", "all"))
        setattr(self, "n_components", None if components == "all" else
                float(components) if "." in components or "e" in components else int(components))
        self.__dict__.update(_found=int(model.score_columns), _columns=int(model.score_columns))
        return self  # type: ignore[return-value]


def _copy_of(rows: Rows) -> Any:
    return rows.matrix().copy()


def _symmetric(X: Any, center: bool) -> Any:
    """A kernel matrix as it is; one that is not symmetric as scikit-learn takes it: centred by its own means, of
    which the lower triangle counts."""
    rows = Rows(X, "KernelPCA", 2)
    n, width = rows.shape
    if n != width:
        raise ValueError(f"Precomputed matrix must be a square matrix. Input is a {n}x{width} matrix.")
    if rows.sparse:
        return rows.spread()
    given = np.asarray(rows.native, float)
    size = max(1.0, float(np.abs(given).max(initial=0.0)))
    if not np.isfinite(size) or np.abs(given - given.T).max(initial=0.0) <= 1e-8 * size:
        return X
    warnings.warn(_errors.MercerWarning("the kernel matrix is not symmetric: its lower triangle counts, after "
                                        "centring", "W241"), stacklevel=5)
    means = given.mean(axis=0) if center else np.zeros(n)
    centred = given - means - (given.mean(axis=1) - means.mean())[:, None] if center else given
    lower = np.tril(centred)
    mirrored = lower + np.tril(centred, -1).T
    # Constants of rows and columns that centring takes out again; new rows are centred by them.
    return mirrored + means[:, None] + means[None, :] if center else mirrored
