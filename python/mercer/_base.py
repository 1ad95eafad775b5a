"""What every estimator shares: scikit-learn's conventions, without scikit-learn.

Parameters come from the method's described options (mercer._native.methods); a class names only those that scikit-learn
calls otherwise. The protocol (get_params, clone, set_output, tags, feature names) is implemented here, so that ``import
mercer`` loads nothing but NumPy.
"""
from __future__ import annotations

import inspect
import os
import sys
from typing import Any, Callable, ClassVar, Dict, List, Optional, Tuple, Union

import numpy as np

from . import _errors, _native, _summary, _validation
from ._parameters import (DESCRIPTIONS, PLANNED, components_word, default_of, documentation, line_of_progress, make_init,
                          number_or_word, parameter_name, parameters_of, plain, seed_of, threads, word_of)
from ._rows import Rows, feature_names

ESTIMATORS: Dict[str, type] = {}  # by the name of the method


class Estimator:
    """An estimator over one method of the library."""

    method: ClassVar[str] = ""
    own_parameters: ClassVar[Dict[str, Tuple[Any, str]]] = {}
    replaced_options: ClassVar[Tuple[str, ...]] = ()  # options that have another parameter
    least_columns: ClassVar[int] = 1
    parameter_help: ClassVar[Dict[str, Tuple[Any, str]]] = {}
    _parameter_constraints: ClassVar[Dict[str, List[Any]]] = {}  # as scikit-learn calls them

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.method or "method" not in vars(cls):
            return
        parameters = parameters_of(cls)
        cls.parameter_help = parameters
        kinds = {parameter_name(option["name"]): option["type"] for option in DESCRIPTIONS[cls.method]["options"]}
        cls._parameter_constraints = {name: list(_validation.accepted(name, default, kinds.get(name, "")))
                                      for name, (default, _) in parameters.items()}
        setattr(cls, "__init__", make_init(cls, parameters))
        cls.__doc__ = documentation(cls, parameters)
        ESTIMATORS.setdefault(cls.method, cls)

    # Parameters.

    @classmethod
    def _get_param_names(cls) -> List[str]:
        return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The parameters and their values."""
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self, **params: Any) -> "Estimator":
        """Sets parameters by name; returns the estimator."""
        known = self._get_param_names()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {known}.")
            setattr(self, name, value)
        return self

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        words = []
        signature = inspect.signature(type(self).__init__).parameters
        for name in self._get_param_names():
            value, default = getattr(self, name, None), signature[name].default
            if value is not default and repr(value) != repr(default):
                words.append(f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(words)})"

    def _repr_html_(self) -> str:
        model = self.__dict__.get("_model")
        return _summary.html_of(repr(self), {} if model is None else model.summary())

    # Tags, as scikit-learn asks for them.

    def _more_tags(self) -> Dict[str, Any]:
        takes = DESCRIPTIONS[self.method]["takes"]
        gaps = takes["missing"] and (self._pairwise() or not takes["pairs"])
        return {"preserves_dtype": [np.float64, np.float32], "allow_nan": gaps,
                "requires_y": "must" in (takes["labels"], takes["targets"]), "pairwise": self._pairwise()}

    def _get_tags(self) -> Dict[str, Any]:
        defaults = {
            "non_deterministic": False, "requires_positive_X": False, "requires_positive_y": False,
            "X_types": ["2darray"], "poor_score": False, "no_validation": False, "multioutput": False,
            "allow_nan": False, "stateless": False, "multilabel": False, "_skip_test": False, "_xfail_checks": False,
            "multioutput_only": False, "binary_only": False, "requires_fit": True, "preserves_dtype": [np.float64],
            "requires_y": False, "pairwise": False}
        return {**defaults, **self._more_tags()}

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import (ClassifierTags, InputTags, RegressorTags, Tags, TargetTags,  # type: ignore
                                   TransformerTags)
        tags = self._get_tags()
        kind = getattr(self, "_estimator_type", None)
        return Tags(
            estimator_type=kind, target_tags=TargetTags(required=tags["requires_y"],
                                                        multi_output=tags["multioutput"]),
            transformer_tags=TransformerTags(preserves_dtype=["float64", "float32"]) if hasattr(self, "transform")
            else None,
            classifier_tags=ClassifierTags() if kind == "classifier" else None,
            regressor_tags=RegressorTags(poor_score=tags["poor_score"]) if kind == "regressor" else None,
            input_tags=InputTags(sparse=True, pairwise=tags["pairwise"], allow_nan=tags["allow_nan"]))

    def _pairwise(self) -> bool:
        return getattr(self, "as_", "table") != "table"

    def _validate_params(self) -> None:
        _validation.check(type(self).__name__, self.get_params(deep=False), self._parameter_constraints)

    # State.

    def __sklearn_is_fitted__(self) -> bool:
        return "n_features_in_" in self.__dict__

    def _fitted(self) -> Any:
        """The model; an error before there is one."""
        if not self.__sklearn_is_fitted__():
            raise _errors.as_scikit_learn(_errors.NotFittedError)(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
                "using this estimator.")
        return self.__dict__["_model"]

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(self.__dict__)
        state["_mercer_version"] = _native.version()
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        state = dict(state)
        state.pop("_mercer_version", None)
        self.__dict__.update(state)

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the model to a file that `mercer.load` and the program open.

        >>> import mercer, tempfile, os
        >>> X = mercer.data("circles", n=50).data
        >>> name = os.path.join(tempfile.mkdtemp(), "circles.mercer")
        >>> mercer.KernelPCA(n_components=2, kernel="gaussian").fit(X).save(name)
        >>> mercer.load(name).transform(X).shape
        (50, 2)
        """
        model = self._fitted()
        if model is None:
            raise ValueError("all training rows are the same: there is no model to save")
        model.save(os.fspath(path))

    # Calls into the library.

    def _budget(self) -> Dict[str, Any]:
        budget: Dict[str, Any] = {"threads": threads(self.n_jobs), "memory": self.memory}  # type: ignore[attr-defined]
        for name in PLANNED:
            if name in self.parameter_help:
                budget[name] = getattr(self, name)
        return budget

    def _fit_budget(self) -> Dict[str, Any]:
        budget, time = self._budget(), self.time  # type: ignore[attr-defined]
        if time is not None:
            budget["time"] = time if isinstance(time, str) else f"{float(time)!r}s"
        return budget

    def _progress(self) -> Optional[Callable[..., None]]:
        progress = self.progress  # type: ignore[attr-defined]
        if progress is None or progress is False:
            return None
        return progress if callable(progress) else line_of_progress(type(self).__name__)

    def _seed(self) -> int:
        return seed_of(self.random_state)  # type: ignore[attr-defined]

    def _options(self, rows: Rows) -> Dict[str, Any]:
        """What the library is asked for; classes with parameters of their own add to it."""
        options: Dict[str, Any] = {}
        for option in DESCRIPTIONS[self.method]["options"]:
            name = parameter_name(option["name"])
            if option["name"] in self.replaced_options or name not in self.parameter_help:
                continue
            value = self._seed() if name == "random_state" else getattr(self, name)
            if name == "n_components":
                value = components_word(value, rows.shape, type(self).__name__)
            if value is None or (not isinstance(value, (list, tuple, np.ndarray)) and value == option["default"]):
                continue
            options[option["name"]] = word_of(value) if option["type"] == "text" else plain(value)
        return options

    def _given(self, rows: Rows, y: Any) -> Dict[str, Any]:
        """Rows and what belongs to them, for the library."""
        given: Dict[str, Any] = {"rows": rows.native}
        if self._names is not None and not self._pairwise():
            given["columns"] = list(self._names)
        return given

    _names: Optional[np.ndarray] = None

    def _fit(self, X: Any, y: Any = None) -> Rows:
        """Fits; what the estimator knew before stands until there is a new model."""
        self._validate_params()
        names = feature_names(X)
        rows = Rows(X, type(self).__name__, 2, self.least_columns)
        self.__dict__.pop("_names", None)
        if names is not None:
            self._names = names
        try:
            model = _native.fit(self.method, self._given(rows, y), self._options(rows), self._fit_budget(),
                                self._progress())
        finally:
            self.__dict__.pop("_names", None)
        self._take(model, rows.shape[1], names)
        _errors.warn(model.warnings)
        return rows

    def _plan(self, X: Any, y: Any = None) -> Dict[str, Any]:
        """What a fit would do."""
        rows = Rows(X, type(self).__name__, 2, self.least_columns)
        return _native.plan(self.method, self._given(rows, y), self._options(rows), self._fit_budget())

    def _take(self, model: Any, width: int, names: Optional[np.ndarray]) -> None:
        """A new model in place of the old one."""
        for name in ("feature_names_in_", "_columns"):
            self.__dict__.pop(name, None)
        if names is not None:
            self.feature_names_in_ = names
        self.n_features_in_ = width
        self._model = model

    def _new_rows(self, X: Any) -> Rows:
        """New rows, which must have the columns of the training rows."""
        self._fitted()
        _check_names(self, X)
        rows = Rows(X, type(self).__name__)
        if rows.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {rows.shape[1]} features, but {type(self).__name__} is expecting "
                             f"{self.n_features_in_} features as input.")
        return rows

    def _rows_to_show(self, X: Any) -> Rows:
        """New rows as the model takes them."""
        return self._new_rows(X)

    # What a report says.

    def report(self) -> Dict[str, Any]:
        """What is known of the fitted model, as ``mercer info --json`` prints it."""
        model = self._fitted()
        return {} if model is None else dict(model.summary())

    def _array(self, name: str) -> np.ndarray:
        """An array of the model by its name in the file."""
        return np.asarray(self._fitted().arrays()[name])

    def _figure(self, name: str) -> Any:
        """A figure of the report."""
        return self._fitted().summary()["figures"][name]

    def _figures_padded(self, name: str) -> np.ndarray:
        """Numbers of the report, one for each component; 0 for those that were asked for and are not there, nan where
        nothing is known."""
        model, count = self._fitted(), self._n_features_out  # type: ignore[attr-defined]
        values = [] if model is None else model.summary()[name]
        if values is None:
            return np.full(count, np.nan)
        found = np.asarray([np.nan if value is None else value for value in values], float)[:count]
        return np.concatenate([found, np.zeros(count - len(found))])

    @property
    def plan_(self) -> Dict[str, Any]:
        """What the planner chose and what else it considered: operator, solver, predicted time and memory."""
        model = self._fitted()
        return {} if model is None else dict(model.plan)

    @classmethod
    def _from_model(cls, model: Any) -> "Estimator":
        """The estimator of a model that comes from a file."""
        self = cls()
        known = model.options
        for option in DESCRIPTIONS[cls.method]["options"]:
            name = parameter_name(option["name"])
            if option["name"] in known and option["name"] not in cls.replaced_options and name in cls.parameter_help:
                value = known[option["name"]]
                if option["type"] == "components":
                    value = number_or_word(value)
                if option["type"] == "tolerance":
                    value = default_of({**option, "default": value})
                setattr(self, name, value)
        facts = model.input
        names = np.asarray(facts["columns"], dtype=object) if facts["named_columns"] else None
        self._take(model, model.dim, names)
        return self


def _check_names(estimator: Estimator, X: Any) -> None:
    """The columns of a data frame must be those of the fit, in their order."""
    known, given = estimator.__dict__.get("feature_names_in_"), feature_names(X)
    name = type(estimator).__name__
    if known is None or given is None:
        if given is not None:
            _errors.issue(f"X has feature names, but {name} was fitted without feature names")
        elif known is not None:
            _errors.issue(f"X does not have valid feature names, but {name} was fitted with feature names")
        return
    if len(known) == len(given) and not np.any(known != given):
        return
    message = "The feature names should match those that were passed during fit.\n"
    unseen, missing = sorted(set(given) - set(known)), sorted(set(known) - set(given))
    for title, names in (("Feature names unseen at fit time:\n", unseen),
                         ("Feature names seen at fit time, yet now missing:\n", missing)):
        if names:
            message += title + "".join(f"- {one}\n" for one in names[:5]) + ("- ...\n" if len(names) > 5 else "")
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise ValueError(message)
