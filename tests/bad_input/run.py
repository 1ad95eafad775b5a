#!/usr/bin/env python3
"""Golden tests of bad and degenerate input: run.py MERCER_BINARY [NUMBER ...]. SHOW=1 prints what a failing run said.

Every case has a number that stays its own; the cases_*.py files hold them by subject.
"""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import cases_binary  # noqa: E402
import cases_command_line  # noqa: E402
import cases_csv  # noqa: E402
import cases_data  # noqa: E402
import cases_files  # noqa: E402
import cases_formats  # noqa: E402
import cases_matrices  # noqa: E402
import cases_models  # noqa: E402
import cases_pictures  # noqa: E402
import harness  # noqa: E402


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    binary = os.path.abspath(sys.argv[1])
    subjects = [cases_command_line, cases_files, cases_csv, cases_binary, cases_formats, cases_data, cases_matrices,
                cases_models, cases_pictures]
    cases = [case for subject in subjects for case in subject.cases()]
    wanted = {int(number) for number in sys.argv[2:]}
    return harness.run_all([case for case in cases if not wanted or case.number in wanted], binary)


if __name__ == "__main__":
    sys.exit(main())
