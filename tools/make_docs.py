#!/usr/bin/env python3
"""Writes the generated reference pages from what the program says of itself.

usage: make_docs.py MERCER_BINARY OUT_FOLDER [--check]

kernels.md from `mercer list kernels`, methods.md from `mercer list methods`, cli.md from the --help texts, errors.md from
`mercer explain --json`, cpp.md from the public headers (make_cpp_docs.py), python.md from the package beside the program
(make_python_docs.py).
With --check nothing is written: exit status 1 and the names of the pages that differ.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from make_cpp_docs import cpp_page  # noqa: E402
from make_python_docs import python_page  # noqa: E402

NOTE = "<!-- Made by tools/make_docs.py. Do not edit: run ./dev docs. -->\n\n"
EXITS = {0: "done", 1: "internal error", 2: "usage", 3: "bad data", 4: "a file cannot be read or written",
         5: "over the memory budget", 6: "not converged: the result is written and marked",
         7: "model damaged or incompatible", 8: "backend unavailable", 130: "cancelled"}


def said(binary, *arguments):
    result = subprocess.run([binary, *arguments], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"mercer {' '.join(arguments)}: exit status {result.returncode}\n{result.stderr}")
    return result.stdout


def cell(text):
    return text.replace("|", "\\|")


def aliases(binary):
    """The JSON names a kernel once; the text shows its second name in brackets."""
    return dict(re.findall(r"^  (\w+) \((\w+)\) ", said(binary, "list", "kernels"), re.M))


def kernels_page(binary):
    second = aliases(binary)
    rows = []
    for kernel in json.loads(said(binary, "list", "kernels", "--json"))["kernels"]:
        parameters, _, summary = kernel["detail"].partition("   ")
        name = f"`{kernel['name']}`"
        if kernel["name"] in second:
            name += f", `{second[kernel['name']]}`"
        rows.append(f"| {name} | `{cell(kernel['formula'])}` | {cell(parameters)} | {cell(summary)} |\n")
    return (f"# Kernels\n\n{NOTE}| name | formula | parameters and defaults | character |\n|---|---|---|---|\n"
            + "".join(rows) + KERNEL_TEXT)


KERNEL_TEXT = """
`x.y` is the dot product of two rows and `|x-y|` their Euclidean distance.

A kernel is written as one word:

```text
kernel    = product { "+" product }
product   = factor { "*" factor }
factor    = number | name [ ":" parameter "=" value { "," parameter "=" value } ]
value     = number | rule | number "*" rule | rule "/" number
rule      = "median" | "nearest"
```

`*` binds before `+`, there are no brackets, and a number ends where it can no longer go on (`1e+5` is one number).
Parameters that are not given have their defaults. `median` is found from the data: the median distance between rows (for
`laplacian` of the summed coordinate distances; of all pairs up to 2000 rows, of a million random pairs with a fixed seed above). `nearest` is the mean distance from a row to the nearest one that
differs from it (above 2000 rows the mean over 200 to 1000 of them, drawn with a fixed seed). Both take a factor:
`sigma=0.5*median`, `length=median/4`, `sigma=3*nearest`; they stand for lengths whose default is `median`, and for those
where that is possible. A parameter may be given once, under one of its spellings.

kernlab's names are read with kernlab's meaning and defaults: `rbfdot:sigma=0.2` is `gaussian:gamma=0.2`, `polydot` has
degree, scale and offset 1, `tanhdot` has scale and offset 1, `laplacedot:sigma=0.2` is `exponential:gamma=0.2`, and
`vanilladot` is `linear`. Reports always show this page's
form, with the numbers filled in. [conventions.md](conventions.md) compares sigma and gamma of several programs.
"""


def option_row(option):
    flag = f"--{option['name']}"
    if option["type"] == "flag":
        flag = f"--no-{option['name']}" if option["default"] else flag
    value = "" if option["type"] == "flag" else f"`{option['default']}`"
    choices = ", ".join(f"`{word}`" for word in option.get("choices", [])) or option.get("limit", "")
    return f"| `{flag}` | {option['type']} | {value} | {cell(choices)} | {cell(option['help'])} |\n"


def learns_from(takes):
    parts = ["rows"]
    if takes["pairs"]:
        parts.append("or kernel values or distances between them (`--as`)")
    for name, text in (("labels", "a class for each (`--label`)"), ("targets", "numbers to predict (`--target`)")):
        if takes[name] == "must":
            parts.append("and " + text)
        elif takes[name] == "may":
            parts.append("and, where there are, " + text)
    return " ".join(parts)


def abilities(method):
    asked = method.get("inverse_option")
    return method["abilities"] + ([f"inverse with `{asked}`"] if asked else [])


def methods_page(binary):
    page = (f"# Methods\n\n{NOTE}`mercer fit --method NAME` fits one of them; `mercer fit --method NAME --help` shows its "
            "options, and `mercer list methods --json` gives this page to programs. An option that a method does not "
            "have is refused (M102).\n")
    for method in json.loads(said(binary, "list", "methods", "--json"))["methods"]:
        page += (f"\n## {method['name']}\n\n{method['summary'][0].upper()}{method['summary'][1:]}.\n\n"
                 f"- learns from: {learns_from(method['takes'])}\n"
                 f"- its models can: {', '.join(abilities(method))}\n\n"
                 "| option | type | default | choices or limit | meaning |\n|---|---|---|---|---|\n"
                 + "".join(option_row(option) for option in method["options"]))
    return page


def cli_page(binary):
    top = said(binary, "--help")
    listed = top.split("Commands:\n", 1)[1].split("\n\n", 1)[0]
    commands = re.findall(r"^  (\w+)\s", listed, re.M)
    page = f"# The command line\n\n{NOTE}```text\n{top.strip()}\n```\n"
    for command in commands:
        text = said(binary, command, "--help").strip()
        text = text[: text.rfind("\n\n")]  # the last paragraph is the same everywhere
        page += f"\n## mercer {command}\n\n```text\n{text}\n```\n"
    return page


def errors_page(binary):
    codes = json.loads(said(binary, "explain", "--json"))["codes"]
    page = f"# Errors and warnings\n\n{NOTE}| exit status | meaning |\n|---|---|\n"
    used = {0} | {entry["exit_status"] for entry in codes if "exit_status" in entry}
    page += "".join(f"| {status} | {EXITS[status]} |\n" for status in sorted(used))
    for letter, title in (("M", "Errors"), ("W", "Warnings")):
        page += f"\n## {title}\n"
        for entry in codes:
            if not entry["code"].startswith(letter):
                continue
            status = f" Exit status {entry['exit_status']}." if "exit_status" in entry else ""
            stop = "" if entry["summary"].endswith("?") else "."
            page += f"\n**{entry['code']}** `{entry['name']}`: {entry['summary']}{stop}  \n{entry['text']}{status}\n"
    return page


def python_page_of(binary):
    """The Python package stands beside the program; a build without one leaves the page as it is."""
    package = Path(binary).parent.parent / "python"
    if not list(package.glob("mercer/_native*.so")):
        return None
    return python_page(package, NOTE)


PAGES = {"python.md": python_page_of, "kernels.md": kernels_page, "methods.md": methods_page, "cli.md": cli_page, "errors.md": errors_page,
         "cpp.md": lambda _: cpp_page(Path(__file__).resolve().parent.parent, NOTE)}


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    if len(arguments) != 2:
        raise SystemExit(__doc__)
    binary, folder = str(Path(arguments[0]).resolve()), Path(arguments[1])
    different = 0
    for name, make in PAGES.items():
        path, text = folder / name, make(binary)
        if text is None:
            continue
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path} is not up to date: run ./dev docs")
            different += 1
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
