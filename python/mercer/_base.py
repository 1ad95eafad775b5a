"""What every estimator shares: scikit-learn's conventions, without scikit-learn.

Parameters come from the method's described options (mercer._native.methods); a class names only those that scikit-learn
calls otherwise. The protocol (get_params, clone, set_output, tags, feature names) is implemented here, so that ``import
mercer`` loads nothing but NumPy.
"""
from __future__ import annotations

import html
import inspect
import keyword
import numbers
import os
import sys
import warnings
from typing import Any, Callable, ClassVar, Dict, List, Optional, Tuple

import numpy as np

from . import _errors, _native
from ._rows import Rows, check_lengths, class_texts, feature_names

_SPELLINGS = {"components": "n_components", "seed": "random_state", "as": "as_"}

_DESCRIPTIONS: Dict[str, Dict[str, Any]] = {entry["name"]: entry for entry in _native.methods()}

_SHARED: Dict[str, Tuple[Any, str]] = {
    "n_jobs": (None, "threads to use; None: all processors this process may use, one inside a worker of joblib; -1: all"),
    "memory": (None, "most memory a call may take, rows and all, such as \"4G\"; None: half of the machine's beside the "
                     "rows"),
    "time": (None, "most time a fit may take, such as \"90s\" or a number of seconds; it then stops with the best it has"),
    "progress": (None, "True: a line on standard error; a function: called with phase, done (0 to 1) and a dict; None: "
                       "nothing")}
_PLANNED: Dict[str, Tuple[Any, str]] = {
    "operator": ("auto", "how the matrix is applied (mercer.operators())"),
    "solver": ("auto", "eigensolver (mercer.solvers())"),
    "precision": ("auto", "inside kernel tiles: auto, single or double")}

ESTIMATORS: Dict[str, type] = {}  # by the name of the method


def parameter_name(option: str) -> str:
    """What an option of the library is called in Python."""
    name = _SPELLINGS.get(option, option.replace("-", "_"))
    return name + "_" if keyword.iskeyword(name) else name


def _default_of(option: Dict[str, Any]) -> Any:
    value = option["default"]
    if option["type"] in ("components", "tolerance"):
        try:
            return int(value) if option["type"] == "components" else float(value)
        except ValueError:
            return value
    if parameter_name(option["name"]) == "random_state":
        return None
    return value


def _parameters_of(cls: type) -> Dict[str, Tuple[Any, str]]:
    """Name, default and help of every parameter of a class: scikit-learn's first, then the method's own."""
    description = _DESCRIPTIONS[cls.method]  # type: ignore[attr-defined]
    own: Dict[str, Tuple[Any, str]] = dict(cls.own_parameters)  # type: ignore[attr-defined]
    replaced = cls.replaced_options  # type: ignore[attr-defined]
    parameters: Dict[str, Tuple[Any, str]] = {}
    names = [option["name"] for option in description["options"]]
    if "components" in names:
        parameters["n_components"] = own.pop("n_components", None) or (0, "")
    parameters.update(own)
    for option in description["options"]:
        name = parameter_name(option["name"])
        if option["name"] in replaced or (name in parameters and name != "n_components"):
            continue
        words = f" ({', '.join(option['choices'])})" if option.get("choices") and "|" not in option["help"] else ""
        known = parameters.get(name, (0, ""))
        parameters[name] = known if known[1] else (_default_of(option), option["help"] + ("" if words[2:-1] in
                                                                                          option["help"] else words))
    if "certify" in names:
        parameters.update(_PLANNED)
    parameters.update({name: one for name, one in _SHARED.items() if name not in parameters})
    return parameters


def _make_init(cls: type, parameters: Dict[str, Tuple[Any, str]]) -> Callable[..., None]:
    """__init__ with these parameters: n_components may be given by place, the others by name."""
    arguments, body, defaults = ["self"], [], {}
    for place, (name, (default, _)) in enumerate(parameters.items()):
        if place == (1 if "n_components" in parameters else 0):
            arguments.append("*")
        arguments.append(f"{name}=defaults['{name}']")
        body.append(f"    self.{name} = {name}")
        defaults[name] = default
    source = f"def __init__({', '.join(arguments)}):\n" + "\n".join(body)
    scope: Dict[str, Any] = {"defaults": defaults}
    exec(source, scope)  # the names are those of described options
    init = scope["__init__"]
    init.__qualname__, init.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    init.__doc__ = f"A new, unfitted {cls.__name__}."
    return init


def _documentation(cls: type, parameters: Dict[str, Tuple[Any, str]]) -> str:
    lines = [inspect.cleandoc(cls.__doc__ or ""), ""] if cls.__doc__ else []
    lines += ["Parameters", "----------"]
    for name, (default, text) in parameters.items():
        lines += [f"{name} : default {default!r}", f"    {text}"]
    head, mark, tail = "\n".join(lines[:2]).partition("\nAttributes\n")
    return "\n".join([head, *lines[2:]]) + ("\n\nAttributes\n" + tail if mark else "\n")


class Estimator:
    """An estimator over one method of the library."""

    method: ClassVar[str] = ""
    own_parameters: ClassVar[Dict[str, Tuple[Any, str]]] = {}
    replaced_options: ClassVar[Tuple[str, ...]] = ()  # options that have another parameter
    parameter_help: ClassVar[Dict[str, Tuple[Any, str]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if not cls.method or "method" not in vars(cls):
            return
        parameters = _parameters_of(cls)
        cls.parameter_help = parameters
        setattr(cls, "__init__", _make_init(cls, parameters))
        cls.__doc__ = _documentation(cls, parameters)
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
        rows = [(name, value) for name, value in self._facts().items()]
        cells = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
                        f"<td style='text-align:left'>{html.escape(str(value))}</td></tr>" for name, value in rows)
        return f"<div><pre>{html.escape(repr(self))}</pre>" + (f"<table>{cells}</table>" if cells else "") + "</div>"

    def _facts(self) -> Dict[str, Any]:
        """What a picture of a fitted model says of it."""
        model = self.__dict__.get("_model")
        if model is None:
            return {}
        summary = model.summary()
        facts: Dict[str, Any] = {"rows": summary["n"], "columns": summary["dim"]}
        if summary.get("kernel"):
            facts["kernel"] = summary["kernel"].get("formula") or summary["kernel"]["name"]
        if summary.get("explained_variance_ratio"):
            facts["variance explained"] = f"{100 * sum(summary['explained_variance_ratio']):.1f} %"
        if "plan" in summary:
            facts["computed by"] = f"{summary['plan']['operator']}, {summary['plan']['solver']}"
        facts["converged"] = summary["converged"]
        return facts

    # Tags, as scikit-learn asks for them.

    def _more_tags(self) -> Dict[str, Any]:
        takes = _DESCRIPTIONS[self.method]["takes"]
        return {"preserves_dtype": [np.float64, np.float32], "allow_nan": takes["missing"],
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
            regressor_tags=RegressorTags() if kind == "regressor" else None,
            input_tags=InputTags(sparse=True, pairwise=tags["pairwise"], allow_nan=tags["allow_nan"]))

    def _pairwise(self) -> bool:
        return getattr(self, "as_", "table") != "table"

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

    def save(self, path: "str | os.PathLike[str]") -> None:
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
        budget: Dict[str, Any] = {"threads": _threads(self.n_jobs), "memory": self.memory}  # type: ignore[attr-defined]
        for name in _PLANNED:
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
        return progress if callable(progress) else _line_of_progress(type(self).__name__)

    def _seed(self) -> int:
        return seed_of(self.random_state)  # type: ignore[attr-defined]

    def _options(self, rows: Rows) -> Dict[str, Any]:
        """What the library is asked for; classes with parameters of their own add to it."""
        options: Dict[str, Any] = {}
        for option in _DESCRIPTIONS[self.method]["options"]:
            name = parameter_name(option["name"])
            if option["name"] in self.replaced_options or name not in self.parameter_help:
                continue
            value = self._seed() if name == "random_state" else getattr(self, name)
            if name == "n_components":
                value = components_word(value, rows.shape, type(self).__name__)
            if value is None or (not isinstance(value, (list, tuple, np.ndarray)) and value == option["default"]):
                continue
            options[option["name"]] = _plain(value)
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
        names = feature_names(X)
        rows = Rows(X, type(self).__name__, self._least_rows())
        if y is not None:
            check_lengths(rows.shape[0], y)
        self.__dict__.pop("_names", None)
        if names is not None:
            self._names = names
        try:
            model = _native.fit(self.method, self._given(rows, y), self._options(rows), self._fit_budget(),
                                self._progress())
        finally:
            self.__dict__.pop("_names", None)
        self._take(model, rows.shape[1], names)
        _errors.warn(model.warnings, stacklevel=4)
        return rows

    def _plan(self, X: Any, y: Any = None) -> Dict[str, Any]:
        """What a fit would do."""
        rows = Rows(X, type(self).__name__, self._least_rows())
        return _native.plan(self.method, self._given(rows, y), self._options(rows), self._fit_budget())

    def _least_rows(self) -> int:
        return 2

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

    # What a report says.

    def report(self) -> Dict[str, Any]:
        """What is known of the fitted model, as ``mercer info --json`` prints it."""
        model = self._fitted()
        return {} if model is None else dict(model.summary())

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
        for option in _DESCRIPTIONS[cls.method]["options"]:
            name = parameter_name(option["name"])
            if option["name"] in known and option["name"] not in cls.replaced_options and name in cls.parameter_help:
                value = known[option["name"]]
                if option["type"] == "components":
                    value = _number_or_word(value)
                if option["type"] == "tolerance":
                    value = _default_of({**option, "default": value})
                setattr(self, name, value)
        facts = model.input
        names = np.asarray(facts["columns"], dtype=object) if facts["named_columns"] else None
        self._take(model, model.dim, names)
        return self


def _number_or_word(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return None if text == "all" else text


def _plain(value: Any) -> Any:
    """A value as Python's own types have it."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.item() if isinstance(value, np.generic) else value


def components_word(value: Any, shape: Tuple[int, int], name: str) -> Any:
    """n_components as the library reads it: a count, a share of variance, a rule, or all."""
    if value is None:
        return "all"
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise _errors.as_scikit_learn(_errors.InvalidParameterError)(
            f"The 'n_components' parameter of {name} must be a count, a share of variance in (0, 1), a word or None. "
            f"Got {value!r} instead.")
    if isinstance(value, numbers.Integral):
        count = int(value)
        if count < 1:
            raise _errors.as_scikit_learn(_errors.InvalidParameterError)(
                f"The 'n_components' parameter of {name} must be an int in the range [1, inf) or None. Got {value!r} "
                "instead.")
        return count
    return repr(float(value)) if not float(value).is_integer() else f"{float(value)}"


def seed_of(random_state: Any) -> int:
    """The seed that a random_state stands for: a number as it is, a generator's next one; None is 0, so that equal
    fits give equal models."""
    if random_state is None:
        return 0
    if isinstance(random_state, numbers.Integral):
        return int(random_state) % (1 << 32)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(1 << 31))
    if hasattr(random_state, "randint"):
        return int(random_state.randint(np.iinfo(np.int32).max))
    raise ValueError(f"{random_state!r} cannot be used to seed a numpy.random.RandomState instance")


def _threads(n_jobs: Optional[int]) -> Any:
    """How many threads n_jobs stands for, in words of the command line; None: all there are."""
    if n_jobs is not None and not isinstance(n_jobs, numbers.Integral):
        raise ValueError(f"n_jobs is a whole number or None, not {n_jobs!r}")
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 in Parallel has no meaning")
    if n_jobs is not None:
        processors = len(os.sched_getaffinity(0))
        return int(n_jobs) if n_jobs > 0 else max(1, processors + 1 + int(n_jobs))
    parallel = sys.modules.get("joblib.parallel")
    if parallel is not None and getattr(parallel.get_active_backend()[0], "nesting_level", 0):
        limit = os.environ.get("OMP_NUM_THREADS") or os.environ.get("OPENBLAS_NUM_THREADS") or "1"
        return limit if limit.isdigit() and int(limit) > 0 else None
    return None


def _line_of_progress(name: str) -> Callable[..., None]:
    def tell(phase: str, done: float, search: Dict[str, Any]) -> None:
        more = f", {search['converged']} of {search['wanted']} components" if search.get("wanted") else ""
        sys.stderr.write(f"\r{name}: {phase} {100 * done:3.0f} %{more}\033[K")
        sys.stderr.flush()
        if done >= 1:
            sys.stderr.write("\n")

    return tell


def _check_names(estimator: Estimator, X: Any) -> None:
    """The columns of a data frame must be those of the fit, in their order."""
    known, given = estimator.__dict__.get("feature_names_in_"), feature_names(X)
    name = type(estimator).__name__
    if known is None or given is None:
        if given is not None:
            warnings.warn(f"X has feature names, but {name} was fitted without feature names", stacklevel=4)
        elif known is not None:
            warnings.warn(f"X does not have valid feature names, but {name} was fitted with feature names",
                          stacklevel=4)
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
                           f"rows that scores have few digits; the first is row {first + 1}"}], stacklevel=5)
        return self._padded(scores)

    def _training_scores(self, rows: Rows) -> np.ndarray:
        if self._model is None:
            return self._scores(rows)
        return self._padded(self._model.training_scores(rows.native, rows.single, self._budget()))

    def _padded(self, scores: np.ndarray) -> np.ndarray:
        """Scores with columns of zeros for components that were asked for and are not there."""
        missing = self._n_features_out - scores.shape[1]
        if missing <= 0:
            return scores
        return np.hstack([scores, np.zeros((len(scores), missing), scores.dtype)])

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
        """What transform gives: "default" (an array) or "pandas" (a data frame)."""
        if transform is None:
            return self
        if transform not in ("default", "pandas"):
            raise ValueError(f"output config must be 'default' or 'pandas' got {transform}")
        if "_sklearn_output_config" not in self.__dict__:
            self._sklearn_output_config: Dict[str, str] = {}
        self._sklearn_output_config["transform"] = transform
        return self

    def _framed(self, scores: np.ndarray, X: Any) -> Any:
        """The scores as a data frame where that was asked for, here or of scikit-learn."""
        wanted = self.__dict__.get("_sklearn_output_config", {}).get("transform")
        if wanted is None and "sklearn" in sys.modules:
            wanted = sys.modules["sklearn"].get_config().get("transform_output", "default")
        if wanted != "pandas":
            return scores
        import pandas  # type: ignore
        index = X.index if hasattr(X, "index") and hasattr(X, "columns") else None
        return pandas.DataFrame(scores, index=index, columns=self.get_feature_names_out())


class Classifier(Estimator):
    """An estimator whose models predict a class."""

    _estimator_type = "classifier"

    def _given(self, rows: Rows, y: Any) -> Dict[str, Any]:
        given = super()._given(rows, y)
        classes, texts, numbers_of_rows = class_texts(y, type(self).__name__)
        given.update(classes=texts, class_of_row=numbers_of_rows)
        self.__dict__["_new_classes"] = classes
        return given

    def _fit(self, X: Any, y: Any = None) -> Rows:
        try:
            if y is None:
                raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
            rows = super()._fit(X, y)
            self.classes_ = self.__dict__["_new_classes"]
            return rows
        finally:
            self.__dict__.pop("_new_classes", None)
