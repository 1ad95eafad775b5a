#!/usr/bin/env python3
"""Fails on an include between layers that the layer's CMakeLists.txt does not allow.

usage: check_layers.py PROJECT_FOLDER

Each mercer/<layer>/CMakeLists.txt holds mercer_layer(<layer> DEPENDS ...). A dependency is a layer, or one header of
it. detail/ folders are private to their layer, and no public header includes one of theirs: they are not installed.
Apps and the Python module include public headers only. nlohmann-json, CLI11, CBLAS, Eigen's QR and FFT, and threads have one home each.
So have the names of methods: models/kind/, and models/kind.h for the default.
"""
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.M)
HOMES = {  # foreign header -> the only files that may include it
    "nlohmann/json.hpp": {"mercer/io/json.cpp"},
    "CLI/CLI.hpp": {"apps/cli/command.cpp"},
    "cblas.h": {"mercer/linalg/blas.cpp"},
    "Eigen/QR": {"mercer/linalg/householder.cpp"},
    "unsupported/Eigen/FFT": {"mercer/linalg/grid_fft.cpp"},
    "thread": {"mercer/core/parallel.cpp", "apps/cli/main.cpp"},
}
METHOD_HOMES = ("mercer/models/kind/", "mercer/models/kind.h")


def allowed(project):
    rules = {}
    for path in sorted((project / "mercer").glob("*/CMakeLists.txt")):
        match = re.search(r"mercer_layer\((\w+)(?:\s+DEPENDS\s+([^)]*))?\)", path.read_text())
        if match is None or match[1] != path.parent.name:
            raise SystemExit(f"{path}: no mercer_layer({path.parent.name} ...)")
        rules[match[1]] = (match[2] or "").split()
    return rules


def is_public_header(name):
    """What cmake/install.cmake installs: every header of the library outside detail/."""
    return name.startswith("mercer/") and name.endswith(".h") and "/detail/" not in name


def breach(source, layer, target, rules):
    """Why `source` (of a layer, or None for apps) may not include `target`, or None."""
    parts = target.split("/")
    if parts[0] != "mercer" or len(parts) < 3:
        return None
    other = parts[1]
    if "detail" in parts[2:-1] and other != layer:
        return f"{target} is private to {other}"
    if "detail" in parts[2:-1] and is_public_header(source):
        return f"{target} is not installed, this header is"
    if layer is None or other == layer or other not in rules:
        return None
    if other in rules[layer] or "/".join(parts[1:]) in rules[layer]:
        return None
    return f"{layer} may not include {target}"


def check(project):
    rules = allowed(project)
    problems = []
    methods = [p.stem for p in (project / "mercer/models/kind").glob("*.cpp")]
    files = [p for folder in ("mercer", "apps", "python") for p in (project / folder).rglob("*") if p.suffix in (".h", ".cpp")]
    for path in sorted(files):
        name = path.relative_to(project).as_posix()
        layer = name.split("/")[1] if name.startswith("mercer/") and name.count("/") > 1 else None
        for method in methods:
            if f'"{method}"' in path.read_text() and not name.startswith(METHOD_HOMES):
                problems.append(f"{name}: names the method {method}; ask for an ability or an option instead")
        for target in INCLUDE.findall(path.read_text()):
            reason = breach(name, layer, target, rules)
            if reason is None and target in HOMES and name not in HOMES[target]:
                reason = f"{target} belongs in {', '.join(sorted(HOMES[target]))} alone"
            if reason:
                problems.append(f"{name}: {reason}")
    return problems, len(files)


def main():
    problems, count = check(Path(sys.argv[1]))
    for problem in problems:
        print(problem)
    print(f"{count} files, {len(problems)} forbidden includes")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
