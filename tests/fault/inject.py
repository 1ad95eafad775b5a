"""One command with one failing call, and what must hold after it.

The run ends by itself with status 0 or that of an error; an error is told as code, reason and fix. The output file is
absent or the old one, or byte for byte what a run without fault writes, which it must be after status 0. Nothing else
is left in the folder.
"""

import os
import re
import shutil
import struct
import subprocess
import tempfile

from commands import INPUTS, environment, run

LIMIT = 20  # seconds one run may take

# What an error of a kind of fault may say: the program knows that memory lacks or a file failed, and says so.
MEMORY, FILES = {"M302"}, {"M402", "M404", "M405", "M410", "M411"}
CODES = {"alloc": MEMORY, "map": MEMORY, "thread": MEMORY}
STATUS = {"3": 5, "4": 4}  # by the hundreds of the code

# Signs of a mistake that no exit status excuses.
REPORTS = ["terminate called", "Assertion", "Sanitizer", "runtime error:"]


class Bench:
    """A folder with the inputs, where one run at a time takes place."""

    def __init__(self, binary, shim, inputs, parent):
        self.binary, self.shim = binary, shim
        self.folder = tempfile.mkdtemp(dir=parent)
        self.report = tempfile.mkstemp(dir=parent)[1]
        for name in INPUTS:
            shutil.copy(os.path.join(inputs, name), self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def content(self, name):
        if not os.path.exists(self.path(name)):
            return None
        with open(self.path(name), "rb") as file:
            return file.read()

    def put(self, name, content):
        if content is not None:
            with open(self.path(name), "wb") as file:
                file.write(content)
        elif os.path.exists(self.path(name)):
            os.remove(self.path(name))

    def clear(self):
        """Removes what another command has written."""
        for name in self.extra_files(None):
            os.remove(self.path(name))

    def extra_files(self, output):
        return sorted(set(os.listdir(self.folder)) - set(INPUTS) - {output})

    def counts(self):
        """Calls of the kind, those that failed, how many of these went to standard error, allocations left alone."""
        with open(self.report, "rb") as file:
            return struct.unpack("4l", file.read(32))


class Expected:
    """What a command leaves behind without a fault, and the file that lies there before."""

    def __init__(self, command, bench):
        self.old = None
        if command.output:
            run(bench.binary, command.other, bench.folder)
            self.old = bench.content(command.output)
        done = run(bench.binary, command.args, bench.folder)
        again = run(bench.binary, command.args, bench.folder)
        self.out = done.stdout if done.stdout == again.stdout else None
        self.new = bench.content(command.output) if command.output else None
        assert self.new is None or self.new != self.old, "the output should change"


def wrong_in_words(kind, status, err):
    """What is wrong with a run that ended with an error."""
    told = re.findall(r"^error\[(M\d{3})\]: \S.*\n(?:  --> .*\n)?  fix: \S", err, re.M)
    if len(told) != 1:
        yield f"status {status} without one error of code, reason and fix: {err[-200:]!r}"
        return
    if told[0] not in CODES.get(kind, FILES):
        yield f"says {told[0]}: {err[-200:]!r}"
    if status != STATUS.get(told[0][1]):
        yield f"status {status} with {told[0]}"


def wrong_in_files(command, bench, expected, before, status, kind):
    """What is wrong with the files."""
    after = bench.content(command.output) if command.output else None
    if status == 0 and after != expected.new:
        yield "status 0, but the output is not the right one"
    elif after not in (before, expected.new):
        yield f"the output is neither the old nor the new one ({after and len(after)} bytes)"
    if command.kept and status != 0 and bench.content(command.kept) is not None:
        run(bench.binary, command.args, bench.folder)  # goes on from what was kept
        if bench.content(command.output) != expected.new:
            yield "what was kept leads to another output"
    if extra := bench.extra_files(command.output):
        # A checkpoint is removed by its owner only, and without stat(2) nobody can tell whose it is.
        if kind != "stat" or extra != [command.kept]:
            yield f"left behind: {extra}"
        for name in extra:
            path = bench.path(name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


def inject(command, bench, expected, kind, fault, number):
    """Runs the command with the fault. Returns (whether the fault was met, what is wrong)."""
    before = expected.old if number % 2 else None
    if command.output:
        bench.put(command.output, before)
    with open(bench.report, "wb") as file:
        file.write(bytes(64))
    env = {**environment(bench.folder), "LD_PRELOAD": bench.shim, "MERCER_FAULT": fault,
           "MERCER_FAULT_REPORT": bench.report}
    try:
        done = subprocess.run([bench.binary, *command.args], cwd=bench.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=LIMIT, check=False, env=env)
    except subprocess.TimeoutExpired:
        return True, [f"runs for more than {LIMIT} s"]
    _, failed, silenced, _ = bench.counts()
    err = done.stderr.decode("utf-8", "replace")
    wrong = [f"shows {report!r}" for report in REPORTS if report in err]
    if done.returncode < 0:
        wrong.append(f"died of signal {-done.returncode}: {err[-200:]!r}")
    elif done.returncode > 0 and not silenced:
        wrong += wrong_in_words(kind, done.returncode, err)
    elif done.returncode == 0 and expected.out is not None and done.stdout != expected.out:
        wrong.append("status 0, but standard output differs")
    wrong += wrong_in_files(command, bench, expected, before, done.returncode, kind)
    return failed > 0, wrong
