"""KernelPCA: scikit-learn's class with every parameter and attribute in its meaning, computed by the library."""
from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, Dict, Optional, Tuple

import numpy as np

from . import _errors, _native
from ._kernel_words import kernel_word, refuse_gaps, symmetric, values_of_pairs
from ._parameters import components_word, number_or_word
from ._rows import Rows, feature_names
from ._transform import Spectral, Transformer

_SIGNIFICANT = 1e-5  # scikit-learn's bound: a negative eigenvalue beyond this share of the largest is significant


class KernelPCA(Spectral, Transformer):
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
    >>> bool(kpca.explained_variance_ratio_.sum() < 1)
    True

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
    replaced_options = ("kernel", "components", "seed", "indefinite", "preimage", "alpha", "preimage-kernel")

    # What is asked of the library.

    def _pairwise(self) -> bool:
        return self.kernel == "precomputed" or self.as_ != "table"

    def _check(self) -> None:
        """Words and numbers that scikit-learn refuses are refused in its words."""
        self._validate_params()
        refused = _errors.as_scikit_learn(_errors.InvalidParameterError)

        def demand(fits: bool, name: str, what: str) -> None:
            if not fits:
                raise refused(f"The {name!r} parameter of KernelPCA must be {what}. Got {getattr(self, name)!r} "
                              "instead.")

        demand(self.gamma is None or isinstance(self.gamma, str) or self.gamma >= 0, "gamma",
               "a float in the range [0, inf), a rule or None")
        demand(self.degree >= 0, "degree", "a number in the range [0, inf)")
        demand(self.alpha >= 0, "alpha", "a float in the range [0, inf)")
        demand(self.eigen_solver in ("auto", "dense", "arpack", "randomized"), "eigen_solver",
               "a str among {'auto', 'dense', 'arpack', 'randomized'}")
        demand(self.tol >= 0, "tol", "a float in the range [0, inf)")
        demand(self.max_iter is None or self.max_iter >= 1, "max_iter", "an int in the range [1, inf) or None")

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
        if self.__dict__.get("_every_component"):
            options["components"] = "all"
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
        for name in ("_kept_rows", "_found", "_pairs_of", "_dual"):
            self.__dict__.pop(name, None)
        if callable(self.kernel):
            rows = Rows(X, "KernelPCA", 2)
            refuse_gaps(rows)
            self._pairs_of = rows.spread() if not self.copy_X else rows.spread().copy()
            fitted = self._fit_or_nothing(self._pairs(self._pairs_of, self._pairs_of))
            self._take(self._model, rows.shape[1], feature_names(X))
        else:
            given = self.kernel == "precomputed" and self.as_ == "table"
            fitted = self._fit_or_nothing(symmetric(X, self.center) if given else X)
        self._finish(fitted, X)
        return fitted

    def _fit_or_nothing(self, X: Any) -> Rows:
        """Fits; a count beyond the rank gives all there are, and rows that are all the same no component at all."""
        counted = self.n_components is None or isinstance(self.n_components, Integral)
        try:
            return self._fit(X)
        except _errors.MercerError as error:
            nothing = error.code in ("M231", "M244")
            if not counted or not (nothing or error.code == "M233"):
                raise
        if nothing:
            rows = Rows(X, "KernelPCA", 2)
            self._take(None, rows.shape[1], feature_names(X))
            return rows
        self._every_component = True
        try:
            return self._fit(X)
        finally:
            del self._every_component

    def _finish(self, rows: Rows, X: Any) -> None:
        """Zero eigenvalues that were asked for, negative ones that are none, the way back, and the rows where nobody
        keeps them."""
        model = self._model
        self._found = found = 0 if model is None else int(model.score_columns)
        asked = isinstance(self.n_components, Integral)
        wanted = min(rows.shape[0], int(self.n_components)) if asked else found
        self._columns = max(found, wanted) if asked and not self.remove_zero_eig else found
        if model is not None and self.indefinite is None:
            self._refuse_negative(model, found, wanted if asked else rows.shape[0])
        if model is None or self._stored_points() is None:
            self._kept_rows = X if not self.copy_X else None if self._pairwise() else rows.matrix().copy()
        if self.fit_inverse_transform and model is not None:
            self._learn_inverse(rows, model)

    def _learn_inverse(self, rows: Rows, model: Any) -> None:
        if rows.sparse:
            raise NotImplementedError("Inverse transform not implemented for sparse matrices!")
        if callable(self.kernel):
            scores = self._scores_of_training_rows()
            values = self._pairs(scores, scores)
            values[np.diag_indices_from(values)] += self.alpha
            self._dual = np.linalg.solve(values, self._pairs_of)
            return
        kernel = kernel_word(self.kernel, self._columns, self.gamma, self.sigma, self.degree, self.coef0)
        _native.learn_inverse(model, rows.native, kernel, float(self.alpha), self._budget(), self._progress())

    def _refuse_negative(self, model: Any, found: int, wanted: int) -> None:
        """scikit-learn's error where a significant negative eigenvalue is among the components."""
        summary = model.summary()
        share = summary.get("negative_share") or 0.0
        total = summary.get("total") or 0.0
        lowest, largest = -share * total, (summary["eigenvalues"] or [0.0])[0]
        if self.eigen_solver == "randomized":
            signs = model.arrays().get("signature")
            lowest = -largest if signs is not None and np.any(signs < 0) else 0.0
        elif found >= wanted:
            return
        if lowest < -_SIGNIFICANT * largest:
            raise ValueError(
                f"There are significant negative eigenvalues ({-lowest / largest:g} of the maximum positive). Either "
                "the matrix is not PSD, or there was an issue while computing the eigendecomposition of the matrix. "
                "Ask for fewer components, or choose what becomes of them: indefinite=\"clip\"")

    def _pairs(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Values of a kernel that is a function, for all pairs of rows."""
        return values_of_pairs(self.kernel, self.kernel_params or {}, a, b)

    # Results.

    def transform(self, X: Any) -> Any:
        """Scores of rows, one column for each component: float32 for float32 rows, else float64."""
        return self._framed(self._scores(self._rows_to_show(X)), X)

    def _rows_to_show(self, X: Any) -> Rows:
        rows = self._new_rows(X)
        return Rows(self._pairs(rows.spread(), self._pairs_of), "KernelPCA") if callable(self.kernel) else rows

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
        if callable(self.kernel):
            return self._pairs(rows.spread(), self._scores_of_training_rows()) @ self._dual
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
    def eigenvectors_(self) -> np.ndarray:
        """Unit eigenvectors of the centred kernel matrix, a column for each component."""
        scores = self.X_transformed_fit_ if self.fit_inverse_transform else self._scores_of_training_rows()
        roots = np.sqrt(self.eigenvalues_)
        return np.divide(scores, roots, out=np.zeros_like(scores), where=roots > 0)

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
        return self._dual if callable(self.kernel) else np.asarray(model.arrays()["preimage.coefficients"])

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

    @classmethod
    def _from_model(cls, model: Any) -> "KernelPCA":
        self = super()._from_model(model)
        options, kernel = model.options, model.summary()["kernel"] or {}
        setattr(self, "kernel", kernel.get("spec") or options.get("kernel", "linear"))
        if options.get("as") == "kernel":
            self.set_params(kernel="precomputed", as_="table")
        self.set_params(fit_inverse_transform=bool(options.get("preimage")), alpha=float(options.get("alpha", 1.0)),
                        indefinite=options.get("indefinite"))
        setattr(self, "n_components", number_or_word(str(options.get("components", "all"))))
        self.__dict__.update(_found=int(model.score_columns), _columns=int(model.score_columns))
        return self  # type: ignore[return-value]
