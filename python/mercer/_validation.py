"""Types that parameters may have: refused in scikit-learn's words, before anything is computed."""
from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Dict, List, Tuple

import numpy as np

from . import _errors

NOTHING = type(None)
_LIST = (list, tuple, np.ndarray)
_RANDOM = (Integral, np.random.RandomState, np.random.Generator, NOTHING)

# Parameters that take more than the type of their default.
_WIDER: Dict[str, Tuple[Any, ...]] = {
    "n_components": (Integral, Real, str, NOTHING), "tolerance": (Real, str), "random_state": _RANDOM,
    "kernel": (str, callable), "gamma": (Real, str, NOTHING), "sigma": (Real, str, NOTHING), "degree": (Real,),
    "coef0": (Real,), "kernel_params": (dict, NOTHING), "max_iter": (Integral, NOTHING), "iterated_power": (Integral, str),
    "indefinite": (str, NOTHING), "rotation": (str, NOTHING), "patterns": (Integral, NOTHING), "whiten": (bool, str),
    "scale": (bool, str), "n_jobs": (Integral, NOTHING), "memory": (str, NOTHING), "time": (Real, str, NOTHING),
    "progress": (bool, callable, NOTHING), "positive": (str, Real, np.generic, NOTHING), "fun": (str, callable),
    "fun_args": (dict, NOTHING), "w_init": (np.ndarray, NOTHING), "noise_variance_init": (*_LIST, NOTHING)}


def accepted(name: str, default: Any, kind: str) -> Tuple[Any, ...]:
    """Types of a parameter with this default, of an option of this kind ("" where it is none)."""
    if name in _WIDER:
        return _WIDER[name]
    if kind in ("text", "texts"):
        return (str, Real, *_LIST)
    if isinstance(default, bool):
        return (bool, np.bool_)
    return (str,) if isinstance(default, str) else (Integral,) if isinstance(default, Integral) else (Real,)


def _fits(value: Any, one: Any) -> bool:
    if one is callable:
        return callable(value)
    if one is Integral or one is Real:
        return isinstance(value, one) and not isinstance(value, (bool, np.bool_))
    return isinstance(value, one)


def _said(one: Any) -> str:
    return "a callable" if one is callable else "None" if one is NOTHING else f"an instance of {one.__name__!r}"


def check(caller: str, values: Dict[str, Any], constraints: Dict[str, List[Any]]) -> None:
    """Throws InvalidParameterError for the first value of a type that it cannot have."""
    for name, types in constraints.items():
        value = values[name]
        if any(_fits(value, one) for one in types):
            continue
        words = [_said(one) for one in types]
        listed = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
        raise _errors.as_scikit_learn(_errors.InvalidParameterError)(
            f"The {name!r} parameter of {caller} must be {listed}. Got {value!r} instead.")
