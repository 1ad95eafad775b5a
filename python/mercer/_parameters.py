"""Parameters of estimators, made of the methods' described options; and what their values stand for."""
from __future__ import annotations

import inspect
import keyword
import numbers
import os
import sys
import textwrap
from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np

from . import _errors, _native

_SPELLINGS = {"components": "n_components", "seed": "random_state", "as": "as_"}

DESCRIPTIONS: Dict[str, Dict[str, Any]] = {entry["name"]: entry for entry in _native.methods()}

SHARED: Dict[str, Tuple[Any, str]] = {
    "n_jobs": (None, "threads to use; None: all processors this process may use, one inside a worker of joblib; -1: all"),
    "memory": (None, "most memory a call may take, rows and all, such as \"4G\"; None: half of the machine's beside the "
                     "rows"),
    "time": (None, "most time a fit may take, such as \"90s\" or a number of seconds; it then stops with the best it has"),
    "progress": (None, "True: a line on standard error; a function: called with phase, done (0 to 1) and a dict; None: "
                       "nothing")}
PLANNED: Dict[str, Tuple[Any, str]] = {
    "operator": ("auto", "how the matrix is applied (mercer.operators())"),
    "solver": ("auto", "eigensolver (mercer.solvers())"),
    "precision": ("auto", "inside kernel tiles: auto, single or double")}


def parameter_name(option: str) -> str:
    """What an option of the library is called in Python."""
    name = _SPELLINGS.get(option, option.replace("-", "_"))
    return name + "_" if keyword.iskeyword(name) else name


def default_of(option: Dict[str, Any]) -> Any:
    value = option["default"]
    if option["type"] in ("components", "tolerance"):
        try:
            return int(value) if option["type"] == "components" else float(value)
        except ValueError:
            return value
    if parameter_name(option["name"]) == "random_state":
        return None
    return value


def help_of(option: Dict[str, Any]) -> str:
    """The option's help, with what may be chosen where it does not say that itself."""
    text, choices = _errors.python_words(option["help"]), option.get("choices", [])
    if option["type"] == "flag" and option["default"] is True:
        return f"False: {text}"
    return text if all(choice in text for choice in choices) else f"{text} ({', '.join(choices)})"


def parameters_of(cls: type) -> Dict[str, Tuple[Any, str]]:
    """Name, default and help of every parameter of a class: scikit-learn's first, then the method's own."""
    description = DESCRIPTIONS[cls.method]  # type: ignore[attr-defined]
    own: Dict[str, Tuple[Any, str]] = dict(cls.own_parameters)  # type: ignore[attr-defined]
    replaced = cls.replaced_options  # type: ignore[attr-defined]
    parameters: Dict[str, Tuple[Any, str]] = {}
    names = [option["name"] for option in description["options"]]
    if "components" in names:
        parameters["n_components"] = own.pop("n_components") if "n_components" in own else (0, "")
    parameters.update(own)
    for option in description["options"]:
        name = parameter_name(option["name"])
        if option["name"] in replaced or (name in parameters and name != "n_components"):
            continue
        known = parameters.get(name, (0, ""))
        parameters[name] = known if known[1] else (default_of(option), help_of(option))
    if "certify" in names:
        parameters.update(PLANNED)
    parameters.update({name: one for name, one in SHARED.items() if name not in parameters})
    return parameters


def make_init(cls: type, parameters: Dict[str, Tuple[Any, str]]) -> Callable[..., None]:
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


def documentation(cls: type, parameters: Dict[str, Tuple[Any, str]]) -> str:
    """What help() shows: the class's own words, its parameters, its attributes, its examples."""
    text = inspect.cleandoc(cls.__doc__ or "")
    text, mark, attributes = text.partition("\n\nAttributes\n")
    start = text.find(">>> ")
    words, examples = (text[:start], text[start:]) if start >= 0 else (text, "")
    lines = [words.rstrip(), "", "Parameters", "----------"]
    for name, (default, meaning) in parameters.items():
        lines += [f"{name} : default {default!r}", *textwrap.wrap(meaning, 100, initial_indent="    ",
                                                                  subsequent_indent="    ", break_on_hyphens=False)]
    if mark:
        lines += ["", "Attributes", attributes]
    if examples:
        lines += ["", "Examples", "--------", examples]
    return "\n".join(lines).rstrip() + "\n"


def number_or_word(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return None if text == "all" else text


def plain(value: Any) -> Any:
    """A value as Python's own types have it."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.item() if isinstance(value, np.generic) else value


def word_of(value: Any) -> Any:
    """Numbers as the text of an option: 1,2,3, and the rows of a table with ; between them."""
    value = plain(value)
    if not isinstance(value, (list, tuple)):
        return value
    return (";" if any(isinstance(entry, (list, tuple)) for entry in value) else ",").join(
        str(word_of(entry)) for entry in value)


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


def threads(n_jobs: Optional[int]) -> Any:
    """How many threads n_jobs stands for, in words of the command line; None: all there are."""
    if n_jobs is not None and not isinstance(n_jobs, numbers.Integral):
        raise ValueError(f"n_jobs is a whole number or None, not {n_jobs!r}")
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 in Parallel has no meaning")
    if n_jobs is not None:
        processors = len(os.sched_getaffinity(0))
        return int(n_jobs) if n_jobs > 0 else max(1, processors + 1 + int(n_jobs))
    parallel = sys.modules.get("joblib.parallel")
    if parallel is not None and (getattr(parallel.get_active_backend()[0], "nesting_level", None) or 0) > 0:
        limit = os.environ.get("OMP_NUM_THREADS") or os.environ.get("OPENBLAS_NUM_THREADS") or "1"
        return limit if limit.isdigit() and int(limit) > 0 else None
    return None


def line_of_progress(name: str) -> Callable[..., None]:
    def tell(phase: str, done: float, search: Dict[str, Any]) -> None:
        more = f", {search['converged']} of {search['wanted']} components" if search.get("wanted") else ""
        sys.stderr.write(f"\r{name}: {phase} {100 * done:3.0f} %{more}\033[K")
        sys.stderr.flush()
        if done >= 1:
            sys.stderr.write("\n")

    return tell
