#!/usr/bin/env python3
"""The page docs/reference/python.md and the stubs of the estimators, from the package itself.

usage: make_python_docs.py PACKAGE_FOLDER STUB_FOLDER [--check]

make_docs.py writes the page with the other generated ones; this, run by itself, writes the stubs (python/mercer/*.pyi): the
signatures of estimators are made of the methods' described options when the package is imported, where no type checker
sees them.
"""
import inspect
import re
import sys
from pathlib import Path

STUBBED = ("_kernel_pca", "_pca", "_estimators", "_supervised")
TYPES = {bool: "bool", int: "int", float: "float", str: "str"}
# Parameters that take more than their default shows.
WIDER = {"n_components": "Union[int, float, str, None]", "kernel": "Union[str, Callable[..., float]]",
         "random_state": "Any", "gamma": "Union[float, str, None]", "sigma": "Union[float, str, None]",
         "progress": "Union[bool, Callable[..., None], None]", "n_jobs": "Optional[int]", "memory": "Optional[str]",
         "time": "Union[float, str, None]", "kernel_params": "Optional[Dict[str, Any]]", "max_iter": "Optional[int]",
         "iterated_power": "Union[int, str]", "whiten": "Union[bool, str]", "indefinite": "Optional[str]",
         "rotation": "Optional[str]", "positive": "Any", "patterns": "Optional[int]", "scale": "Union[bool, str]",
         "tolerance": "Union[float, str]", "preimage_kernel": "str", "tol": "float", "alpha": "float", "degree": "float",
         "coef0": "float"}


def package(folder):
    sys.path.insert(0, str(folder))
    import mercer
    return mercer


def public_classes(mercer):
    return [getattr(mercer, name) for name in mercer.__all__ if inspect.isclass(getattr(mercer, name))]


def first_sentence(text):
    words = re.sub(r"\s+", " ", inspect.cleandoc(text or "").split("\n\n")[0]).strip()
    return words.replace("|", "\\|")


def shown(default):
    return f"`{default!r}`"


def members(cls):
    """Public methods and attributes in the order of their definition, those of the class itself first."""
    seen, found = set(), []
    for base in cls.__mro__[:-1]:
        if base.__module__.split(".")[0] != "mercer":
            continue
        for name, value in vars(base).items():
            if name.startswith("_") or name in seen:
                continue
            seen.add(name)
            plain = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
            if isinstance(plain, property) or inspect.isfunction(plain):
                found.append((name, plain))
    return found


def signature_of(function):
    text = str(inspect.signature(function))
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", re.sub(r"^\(self(, )?", "(", text))  # annotations are texts
    return text.replace("Union[str, os.PathLike[str]]", "str or path")


def table_row(*cells):
    return "| " + " | ".join(cells) + " |\n"


def estimator_section(cls):
    page = f"\n### {cls.__name__}\n\n{first_sentence(cls.__doc__)}\n\n"
    page += "| parameter | default | meaning |\n|---|---|---|\n"
    for name, (default, meaning) in cls.parameter_help.items():
        page += table_row(f"`{name}`", shown(default), meaning.replace("|", "\\|"))
    attributes = [(name, value) for name, value in members(cls) if isinstance(value, property)]
    methods = [(name, value) for name, value in members(cls) if not isinstance(value, property)]
    page += "\n| method | meaning |\n|---|---|\n"
    page += "".join(table_row(f"`{name}`", first_sentence(value.__doc__)) for name, value in methods)
    if attributes:
        page += "\n| attribute | meaning |\n|---|---|\n"
        page += "".join(table_row(f"`{name}`", first_sentence(value.fget.__doc__)) for name, value in attributes)
    return page


def class_section(cls):
    """A class that is no estimator: a named tuple's fields, or attributes and methods."""
    page = f"\n**`{cls.__name__}`**: {first_sentence(cls.__doc__)}\n\n| member | meaning |\n|---|---|\n"
    for name, value in members(cls):
        plain = value.fget if isinstance(value, property) else value
        shown_as = name if isinstance(value, property) else name + signature_of(value)
        page += table_row(f"`{shown_as}`", first_sentence(plain.__doc__))
    return page


def python_page(folder, note):
    mercer = package(folder)
    classes = public_classes(mercer)
    estimators = [cls for cls in classes if hasattr(cls, "parameter_help")]
    errors = [cls for cls in classes if issubclass(cls, (Exception, Warning))]
    page = (f"# Python\n\n{note}The package `mercer`: what `help()` says, as one page. [The guide](../guide/python.md) "
            "begins at the beginning.\n\n## Functions\n")
    for name in mercer.__all__:
        value = getattr(mercer, name)
        if inspect.isfunction(value):
            page += f"\n**`{name}{signature_of(value)}`**  \n{first_sentence(value.__doc__)}\n"
    others = [cls for cls in classes if cls not in estimators and cls not in errors]
    page += "\n## Tables and pictures\n"
    page += "".join(class_section(cls) for cls in others)
    page += "\n## Estimators\n"
    page += "".join(estimator_section(cls) for cls in estimators)
    page += "\n## Errors and warnings\n\n| class | inherits from | meaning |\n|---|---|---|\n"
    for cls in errors:
        bases = ", ".join(f"`{base.__name__}`" for base in cls.__bases__)
        page += table_row(f"`{cls.__name__}`", bases, first_sentence(cls.__doc__))
    return page


def annotation(name, default):
    if name in WIDER:
        return WIDER[name]
    return TYPES.get(type(default), "Any")


def init_stub(cls):
    lines = ["    def __init__(", "        self,"]
    for place, (name, parameter) in enumerate(list(inspect.signature(cls.__init__).parameters.items())[1:]):
        if parameter.kind is parameter.KEYWORD_ONLY and (place == 0 or "        *," not in lines):
            lines.append("        *,")
        lines.append(f"        {name}: {annotation(name, parameter.default)} = ...,")
    return lines + ["    ) -> None: ..."]


def member_stub(name, value):
    if isinstance(value, property):
        result = value.fget.__annotations__.get("return", "Any")
        return ["    @property", f"    def {name}(self) -> {result}: ..."]
    signature = inspect.signature(value)
    known = [one if one.default is one.empty else one.replace(default=...) for one in signature.parameters.values()]
    text = str(signature.replace(parameters=known)).replace("'", "").replace("Ellipsis", "...")
    return [f"    def {name}{text}: ..."]


def class_stub(cls):
    bases = ", ".join(base.__name__ for base in cls.__bases__)
    lines = [f"class {cls.__name__}({bases}):"]
    if hasattr(cls, "parameter_help") and cls.parameter_help and "method" in vars(cls):
        lines += [f"    {name}: {annotation(name, default)}" for name, (default, _) in cls.parameter_help.items()]
        lines += init_stub(cls)
    for name, value in vars(cls).items():
        plain = value.__func__ if isinstance(value, classmethod) else value
        if not name.startswith("_") and (isinstance(plain, property) or inspect.isfunction(plain)):
            lines += member_stub(name, plain)
    if cls.__name__ in ("Labelled", "Classifier"):
        lines.append("    classes_: np.ndarray")
    return lines + ([] if len(lines) > 1 else ["    ..."])


def stub(module):
    """The stub of one module: its classes, with what they inherit from."""
    classes = [value for value in vars(module).values() if inspect.isclass(value) and value.__module__ == module.__name__]
    homes = {}
    for cls in classes:
        for base in cls.__bases__:
            if base.__module__ not in (module.__name__, "builtins"):
                homes.setdefault(base.__module__.rsplit(".", 1)[1], set()).add(base.__name__)
    lines = ["# Made by tools/make_python_docs.py. Do not edit: run ./dev docs.",
             "from typing import Any, Callable, Dict, Optional, Tuple, Union", "", "import numpy as np", ""]
    lines += [f"from .{home} import {', '.join(sorted(names))}" for home, names in sorted(homes.items())]
    for cls in classes:
        lines += ["", *class_stub(cls)]
    return "\n".join(lines) + "\n"


def stubs(folder):
    mercer = package(folder)
    return {f"{name}.pyi": stub(sys.modules[f"{mercer.__name__}.{name}"]) for name in STUBBED}


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    if len(arguments) != 2:
        raise SystemExit(__doc__)
    different = 0
    for name, text in stubs(Path(arguments[0]).resolve()).items():
        path = Path(arguments[1]) / name
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path} is not up to date: run ./dev docs")
            different += 1
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
