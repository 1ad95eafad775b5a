#!/usr/bin/python3
"""scikit-learn's own tests, as its package installs them, with Mercer's classes in place of theirs.

usage: sklearn_suites.py [--page docs/reference/python-compatibility.md] [--write] [SUITE...]

Every suite is a module of tests of scikit-learn. The class it is about is replaced where that module imports it from,
before it is imported; nothing of scikit-learn is copied or changed on disk. Tests that never make an estimator of ours
(those of scikit-learn's other classes and of its private functions) are left out of the count. Fails when a test fails
that EXPECTED does not name, and when one that it names passes. --page compares the table of a page with what was found,
--write writes it there.
"""
import argparse
import contextlib
import fnmatch
import functools
import importlib
import io
import sys
import unittest.mock
from pathlib import Path

import pytest
import sklearn

import mercer
from sklearn_expected import EXPECTED

BEGIN, END = "<!-- scores: written by tests/python/sklearn_suites.py -->", "<!-- end of scores -->"
TESTED_VERSION = "1.2"  # of scikit-learn: what EXPECTED was written for

# Suite: the class, the module of its tests, where that module imports the class from.
SUITES = {
    "kernel_pca": ("KernelPCA", "sklearn.decomposition.tests.test_kernel_pca", ["sklearn.decomposition"]),
    "pca": ("PCA", "sklearn.decomposition.tests.test_pca", ["sklearn.decomposition"]),
    "factor_analysis": ("FactorAnalysis", "sklearn.decomposition.tests.test_factor_analysis", ["sklearn.decomposition"]),
    "fastica": ("FastICA", "sklearn.decomposition.tests.test_fastica", ["sklearn.decomposition"]),
    "pls": ("PLSRegression", "sklearn.cross_decomposition.tests.test_pls",
            ["sklearn.cross_decomposition", "sklearn.cross_decomposition._pls"]),
}


class Recorder:
    """Of every test: whether it passed, what it said, and whether an estimator of ours was made in it."""

    def __init__(self):
        self.passed, self.failed, self.ours = set(), {}, set()
        self.running = None

    def pytest_runtest_logstart(self, nodeid):
        self.running = nodeid.split("::")[-1]

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.split("::")[-1]
        if report.when == "call" and report.outcome == "passed":
            self.passed.add(name)
        elif report.outcome != "passed":
            self.failed[name] = str(report.longrepr)

    def watching(self, cls):
        """cls.__init__ that notes the test which runs it."""
        original = cls.__init__

        @functools.wraps(original)
        def noted(*args, **kwargs):
            self.ours.add(self.running)
            original(*args, **kwargs)

        return noted


def of_parameters(name, cls):
    """Whether a test was given the class, or an estimator of it, when its module was imported: test[PCA], test[ica0]."""
    return cls.lower() in name.partition("[")[2].lower() or "[ica" in name


def run(suite):
    """The tests of a suite that are about the class: those that passed, and what the others said."""
    name, module, homes = SUITES[suite]
    cls, recorder, output = getattr(mercer, name), Recorder(), io.StringIO()
    with contextlib.ExitStack() as stack:
        stack.enter_context(unittest.mock.patch.object(cls, "__init__", recorder.watching(cls)))
        for home in homes:
            stack.enter_context(unittest.mock.patch.object(importlib.import_module(home), name, cls))
        stack.enter_context(contextlib.redirect_stdout(output))
        code = pytest.main(["--pyargs", module, "-q", "-p", "no:cacheprovider", "--tb=short"], plugins=[recorder])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise SystemExit(f"{module} could not be run:\n{output.getvalue()}")
    every = recorder.passed | set(recorder.failed)
    about = {test for test in every if test in recorder.ours or of_parameters(test, name)}
    return about & recorder.passed, {test: recorder.failed[test] for test in about - recorder.passed}


def reason_of(suite, test):
    """Why a test is expected to fail; None: it is not."""
    for pattern, reason in EXPECTED.get(suite, {}).items():
        if fnmatch.fnmatchcase(test, pattern.replace("[", "[[]")):
            return reason
    return None


def judge(suite, passed, failed):
    """Prints what is not as expected; how much that was."""
    wrong = 0
    for test, text in sorted(failed.items()):
        if reason_of(suite, test) is None:
            wrong += 1
            print(f"{suite}: {test} failed, which is not expected:\n{text}\n")
    for test in sorted(passed):
        if reason_of(suite, test) is not None:
            wrong += 1
            print(f"{suite}: {test} passes: take it out of EXPECTED")
    for pattern in EXPECTED.get(suite, {}):
        if not any(fnmatch.fnmatchcase(test, pattern.replace("[", "[[]")) for test in {*passed, *failed}):
            wrong += 1
            print(f"{suite}: there is no test {pattern}: take it out of EXPECTED")
    return wrong


def table(found):
    """The scores, and every miss with its reason, as a page shows them."""
    lines = ["| scikit-learn's tests | class | pass | of | misses |", "|---|---|---|---|---|"]
    for suite, (passed, failed) in found.items():
        name, module, _ = SUITES[suite]
        lines.append(f"| `{module.rsplit('.', 1)[1]}.py` | `{name}` | {len(passed)} | {len(passed) + len(failed)} | "
                     f"{len(failed) or 'none'} |")
    lines += ["", "| test that does not pass | times | why |", "|---|---|---|"]
    for suite, (_, failed) in found.items():
        for pattern, reason in EXPECTED.get(suite, {}).items():
            count = sum(reason_of(suite, test) == reason and
                        fnmatch.fnmatchcase(test, pattern.replace("[", "[[]")) for test in failed)
            lines.append(f"| `{pattern}` ({SUITES[suite][0]}) | {count} | {reason} |")
    return "\n".join(lines)


def check_page(page, text, write):
    """The table on the page against what was found."""
    whole = page.read_text(encoding="utf-8")
    before, _, rest = whole.partition(BEGIN)
    _, _, after = rest.partition(END)
    wanted = f"{before}{BEGIN}\n\n{text}\n\n{END}{after}"
    if write:
        page.write_text(wanted, encoding="utf-8")
    elif whole != wanted:
        print(f"{page.name} has other scores: run {Path(__file__).name} --page {page} --write")
        return 1
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("suites", nargs="*", default=list(SUITES), metavar="SUITE")
    arguments = parser.parse_args()
    found = {suite: run(suite) for suite in arguments.suites}
    wrong = sum(judge(suite, *results) for suite, results in found.items())
    if arguments.page and sklearn.__version__.startswith(TESTED_VERSION + "."):
        wrong += check_page(arguments.page, table(found), arguments.write)
    for suite, (passed, failed) in found.items():
        print(f"{suite}: {len(passed)} of {len(passed) + len(failed)} tests of {SUITES[suite][0]} pass")
    total = sum(len(passed) for passed, _ in found.values())
    print(f"{total} passed, {wrong} not as expected (scikit-learn {sklearn.__version__})")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
