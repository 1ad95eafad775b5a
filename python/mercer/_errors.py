"""Errors and warnings of the library as exceptions of Python.

Every error has a code ("M102"), a hint (what to do) and a place (file, row, column). What the hint names are parameters:
``scale=``, where the command line says ``--scale``. Classes inherit from the built-in ones that other code expects.
"""
from __future__ import annotations

import re
import sys
import warnings
from typing import Any, Dict, Iterable, Tuple, Type

_PARAMETERS = {"components": "n_components", "seed": "random_state", "threads": "n_jobs", "as": "as_", "label": "y",
               "target": "y", "no-center": "center=False",
               "colour": "color"}
# What a command line would do, and what does it here.
_COMMANDS = ((r"\bmercer list (\w+)", r"mercer.\1()"), (r"\bmercer plot MODEL TABLE", "mercer.plot(estimator, X)"),
             (r"--image-size (\d+)x(\d+)", r"image_shape=(\1, \2)"), (r"--image-size", "image_shape"),
             (r"--size (\d+)x(\d+)", r"size=(\1, \2)"), (r"another output with -o", "another file"),
             (r"\(--label\)", "(labels)"),
             (r"name another (?:column|one): --label COLUMN", "give other classes"),
             (r"name the column that holds them: --label COLUMN", "give them as y"), (r"add --force", "force=True"))


def python_words(text: str) -> str:
    """The text with parameters in place of options of the command line."""
    def parameter(match: "re.Match[str]") -> str:
        name = match[1]
        if name in _PARAMETERS:
            return _PARAMETERS[name]
        if name.startswith("no-"):
            return name[3:].replace("-", "_") + "=False"
        return name.replace("-", "_")

    for command, call in _COMMANDS:
        text = re.sub(command, call, text)
    return re.sub(r"--([a-z](?:[a-z_-]*[a-z])?)", parameter, text)


class MercerError(Exception):
    """An error of the library: ``code``, ``message``, ``hint`` and ``place``.

    >>> import mercer
    >>> try:
    ...     mercer.kernel_matrix([[0.0], [1.0]], kernel="gausian")
    ... except mercer.MercerError as error:
    ...     print(error.code, "|", error.hint[:24])
    M103 | did you mean "gaussian"?
    """

    code: str = ""
    message: str = ""
    hint: str = ""
    place: str = ""

    def __init__(self, message: str, code: str = "", hint: str = "", place: str = "") -> None:
        text = f"{place}: {message}" if place else message
        super().__init__(f"{text} [{code}]{'; ' + hint if hint else ''}" if code else text)
        self.code, self.message, self.hint, self.place = code, message, hint, place

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self.message, self.code, self.hint, self.place)


class MercerValueError(MercerError, ValueError):
    """A parameter or data that cannot be used."""


class MercerMemoryError(MercerError, MemoryError):
    """More memory would be needed than is allowed."""


class MercerTimeout(MercerError, TimeoutError):
    """The time allowed ran out before there was an answer."""


class MercerFileError(MercerError, OSError):
    """A file that cannot be read or written."""

    def __str__(self) -> str:
        return str(self.args[0])


class MercerFileNotFoundError(MercerFileError, FileNotFoundError):
    """There is no file of this name."""


class MercerPermissionError(MercerFileError, PermissionError):
    """The file may not be read, or the folder not written."""


class MercerModelError(MercerError, ValueError):
    """A model file that is damaged, or a model that does not fit what it is given."""


class MercerInternalError(MercerError, RuntimeError):
    """A mistake of ours: please report it."""


class NotFittedError(ValueError, AttributeError):
    """Something that only a fitted estimator has. With scikit-learn loaded its own class of this name is a base."""


class InvalidParameterError(ValueError, TypeError):
    """A parameter of a type or value that it cannot have."""


class MercerWarning(UserWarning):
    """What is worth knowing about a result that stands: ``code`` and ``message``."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(f"{message} [{code}]" if code else message)
        self.message, self.code = message, code

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self.message, self.code)


class ConvergenceWarning(MercerWarning):
    """The answer is not as exact, or not as complete, as was asked for."""


_CLASSES: Dict[str, Type[MercerError]] = {
    "M301": MercerMemoryError, "M302": MercerMemoryError, "M303": MercerTimeout,
    "M401": MercerFileNotFoundError, "M402": MercerFileNotFoundError, "M404": MercerPermissionError}
_BY_HUNDREDS: Dict[str, Type[MercerError]] = {
    "0": MercerInternalError, "1": MercerValueError, "2": MercerValueError, "3": MercerMemoryError,
    "4": MercerFileError, "6": MercerError, "7": MercerModelError, "8": MercerValueError}


def error_of(code: str, message: str, hint: str, place: str) -> MercerError:
    """The exception of an error of the library; called by the module below."""
    kind = _CLASSES.get(code, _BY_HUNDREDS.get(code[1], MercerError))
    error = kind(python_words(message), code, python_words(hint), place)
    if code == "M212" and place.startswith("row "):  # of arrays: scikit-learn's sentence, which other code looks for
        what = "NaN" if "NaN" in message else "infinity or a value too large for dtype('float64')"
        error.args = (f"Input X contains {what}.\n{error.args[0]}",)
    return error


_merged: Dict[str, type] = {}


def _again(name: str, *arguments: Any) -> Any:
    """An exception that was pickled, as the class that this process has for it."""
    return as_scikit_learn(globals()[name])(*arguments)


def _pickled(self: Any) -> Tuple[Any, ...]:
    return _again, (type(self).__name__, *self.args) if not isinstance(self, MercerWarning) else (
        type(self).__name__, self.message, self.code)


def as_scikit_learn(ours: Any) -> Any:
    """The class, which is also scikit-learn's of this name where scikit-learn is loaded."""
    home = "sklearn.utils._param_validation" if ours is InvalidParameterError else "sklearn.exceptions"
    theirs = getattr(sys.modules.get(home), ours.__name__, None)
    if theirs is None or issubclass(ours, theirs):
        return ours
    name = ours.__name__
    if name not in _merged:
        _merged[name] = type(name, (ours, theirs), {"__module__": ours.__module__, "__doc__": ours.__doc__,
                                                   "__reduce__": _pickled})
    return _merged[name]


_NOT_CONVERGED = ("W600", "W601", "W602")


def issue(message: Any, kind: Any = UserWarning) -> None:
    """A warning at the line that called the package."""
    frame, level = sys._getframe(0).f_back, 2
    while frame is not None and frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] == "mercer":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, None if isinstance(message, Warning) else kind, stacklevel=level)


def warn(entries: Iterable[Dict[str, str]]) -> None:
    """Warnings of a report as those of Python."""
    for entry in entries:
        kind = as_scikit_learn(ConvergenceWarning) if entry["code"] in _NOT_CONVERGED else MercerWarning
        issue(kind(python_words(entry["message"]), entry["code"]))
