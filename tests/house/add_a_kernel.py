"""Follows docs/develop/add-a-kernel.md to the letter in a copy of the project: writes the files it shows, builds and runs
its commands. The copy is built as a part of the client project of tests/consume (add_subdirectory, the client with
-march=native), so that one build shows both. Its flags are those of the preset dev: where ccache is installed, what that
build compiled is not compiled again.

usage: add_a_kernel.py PROJECT_FOLDER
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path


def run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode != 0:
        print(command, result.stdout[-3000:], result.stderr[-3000:])
        raise SystemExit(1)
    return result.stdout + result.stderr


def main():
    project = Path(sys.argv[1])
    page = (project / "docs/develop/add-a-kernel.md").read_text()
    files = re.findall(r"^ *```cpp file=(\S+)\n(.*?)^ *```", page, re.M | re.S)
    commands = re.findall(r"^ *```sh run\n(.*?)^ *```", page, re.M | re.S)
    assert files and commands, "the page shows no file or no command"
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "mercer"
        shutil.copytree(project, copy, ignore=shutil.ignore_patterns("build*", ".git", "docs"))
        for name, text in files:
            assert not (copy / name).exists(), f"{name} exists already"
            (copy / name).write_text(textwrap.dedent(text))
        cache = shutil.which("ccache")
        os.environ.update(CCACHE_BASEDIR=str(copy), CCACHE_NOHASHDIR="1")
        run(["cmake", "-G", "Ninja", "-S", copy / "tests/consume/project", "-B", copy / "build",
             "-DCMAKE_CXX_FLAGS=-O2", f"-DMERCER_SOURCE={copy}", "-DMERCER_CLI=ON", "-DCLIENT_NATIVE=ON",
             *([f"-DCMAKE_CXX_COMPILER_LAUNCHER={cache}", "-DMERCER_WERROR=ON"] if cache else [])])
        binary = copy / "build/mercer/apps/cli/mercer"
        path = f"{binary.parent}:{os.environ['PATH']}"
        output = run(["bash", "-ec", textwrap.dedent(commands[0])], cwd=copy, env={**os.environ, "PATH": path})
        name = Path(files[0][0]).stem
        assert name in output, output
        info = run([binary, "info", copy / "circles.mercer"])
        assert f"{name}:length=0.5" in info, info
        run([copy / "build/client"], cwd=folder)
    print("3 passed, 0 failed")


if __name__ == "__main__":
    main()
