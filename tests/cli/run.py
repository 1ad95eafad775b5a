#!/usr/bin/env python3
"""Tests of the program as its users see it: run.py MERCER_BINARY [NAME ...].

Each function test_* of the files test_*.py beside this one gets the program with an empty folder. A NAME is part of
FILE.TEST, or "FILE." for all tests of a file.
"""

import importlib
import os
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)

from program import Program  # noqa: E402


def all_tests():
    for file in sorted(os.listdir(HERE)):
        if not file.startswith("test_") or not file.endswith(".py"):
            continue
        module = importlib.import_module(file[:-3])
        for name in [name for name in vars(module) if name.startswith("test_")]:
            yield f"{file[5:-3]}.{name[5:]}", getattr(module, name)


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    binary, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    passed = failed = 0
    for name, test in all_tests():
        if wanted and not any(name.startswith(part) if part.endswith(".") else part in name for part in wanted):
            continue
        folder = tempfile.mkdtemp(prefix="mercer-cli-")
        start = time.monotonic()
        try:
            test(Program(binary, folder))
            passed += 1
        except Exception as problem:  # whatever it is, the next test runs
            failed += 1
            print(f"{name}: {type(problem).__name__}: {problem}")
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        if os.environ.get("SHOW"):
            print(f"{name}: {time.monotonic() - start:.2f} s")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
