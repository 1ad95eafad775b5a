"""Hostile surroundings: full devices, closed streams, a full disk, limits on files, stack, descriptors and memory."""

import os
import resource
import shutil
import subprocess

from commands import COMMANDS, environment
from inject import LIMIT, REPORTS, Expected, wrong_in_words

FIT, INFO = next(c for c in COMMANDS if c.name == "fit-krylov"), next(c for c in COMMANDS if c.name == "info")
KIB, MIB = 1 << 10, 1 << 20

# For a case: the work succeeds; files or streams fail (M4xx); memory lacks (M302 or M301), or it does not.
SUCCEEDS, FAILS, MAY_LACK = "succeeds", "fails", "may lack memory"


def closing(*numbers):
    return lambda: [os.close(number) for number in numbers]


def limiting(which, value):
    return lambda: resource.setrlimit(which, (value, value))


class Suite:
    """Runs cases on one bench, and keeps what is wrong."""

    def __init__(self, bench):
        self.bench, self.done, self.wrong = bench, 0, []
        self.expected = {}

    def knows(self, command):
        if command.name not in self.expected:
            self.expected[command.name] = Expected(command, self.bench)
        return self.expected[command.name]

    def start(self, args, setting, stdout=subprocess.PIPE, program=None, limit=LIMIT):
        return subprocess.run(program or [self.bench.binary, *args], cwd=self.bench.folder, stdin=subprocess.DEVNULL,
                              stdout=stdout, stderr=subprocess.PIPE, preexec_fn=setting, timeout=limit, check=False,
                              env=environment(self.bench.folder))

    def judge(self, title, done, wanted, silent=False):
        """The status and the words of a run."""
        self.done += 1
        err = done.stderr.decode("utf-8", "replace")
        wrong = [f"shows {report!r}" for report in REPORTS if report in err]
        if done.returncode < 0:
            wrong.append(f"died of signal {-done.returncode}: {err[-200:]!r}")
        elif wanted == SUCCEEDS and done.returncode != 0 or wanted == FAILS and done.returncode == 0:
            wrong.append(f"status {done.returncode}: {err[-200:]!r}")
        elif done.returncode > 0 and not silent:
            wrong += wrong_in_words("alloc" if wanted == MAY_LACK else "write", done.returncode, err)
        self.wrong += [f"{title}: {text}" for text in wrong]

    def case(self, title, command, wanted, setting=None, stdout=subprocess.PIPE, silent=False):
        """A command of the list: its output file afterwards is the right one, or the one that was there."""
        self.bench.clear()
        expected = self.knows(command)
        if command.output:
            self.bench.put(command.output, expected.old)
        try:
            done = self.start(command.args, setting, stdout)
        except subprocess.TimeoutExpired:
            self.wrong.append(f"{title}: {command.name} runs for more than {LIMIT} s")
            return
        self.judge(f"{title}: {command.name}", done, wanted, silent)
        after = self.bench.content(command.output) if command.output else None
        if after != (expected.new if done.returncode == 0 else expected.old):
            self.wrong.append(f"{title}: {command.name} leaves a wrong output file")
        if extra := self.bench.extra_files(command.output):
            self.wrong.append(f"{title}: {command.name} leaves {extra}")
            for name in extra:
                os.remove(self.bench.path(name))


def streams(suite):
    """Words are a courtesy and their loss is no error; lost data are one."""
    with open("/dev/full", "wb") as full:
        suite.case("stdout is /dev/full", INFO, FAILS, stdout=full)
        suite.case("stdout is /dev/full", FIT, SUCCEEDS, stdout=full)
    suite.case("stdout closed", INFO, FAILS, closing(1))
    for title, numbers in (("stdin closed", [0]), ("stdout closed", [1]), ("stderr closed", [2]),
                           ("all streams closed", [0, 1, 2])):
        suite.case(title, FIT, SUCCEEDS, closing(*numbers))
    suite.case("stderr closed", INFO, SUCCEEDS, closing(2))
    suite.case("all streams closed", INFO, FAILS, closing(0, 1, 2), silent=True)
    suite.judge("reading a closed stdin", suite.start(["fit", "-", "-o", "out.mercer"], closing(0)), FAILS)
    suite.judge("/dev/full as model", suite.start(["fit", "points.csv", "-o", "/dev/full"], None), FAILS)


def limits(suite):
    """Small files, a small stack, few descriptors."""
    suite.case("RLIMIT_FSIZE 4 KiB", FIT, FAILS, limiting(resource.RLIMIT_FSIZE, 4 * KIB))
    for command in COMMANDS:
        suite.case("stack of 64 KiB", command, SUCCEEDS, limiting(resource.RLIMIT_STACK, 64 * KIB))
        suite.case("32 descriptors", command, SUCCEEDS, limiting(resource.RLIMIT_NOFILE, 32))
    suite.case("3 descriptors", FIT, FAILS, limiting(resource.RLIMIT_NOFILE, 3), silent=True)


def starts(suite, setting):
    try:
        probe = suite.start(["--version"], setting, limit=5)
    except subprocess.TimeoutExpired:
        return False
    return probe.returncode == 0 and not probe.stderr


def memory(suite):
    """Below some limit the dynamic linker gives up before the program has begun: these are left out. From there on
    every run succeeds or says that memory lacks, also where OpenBLAS finds no room for its buffers."""
    started = 0
    for mebibytes in (60, 100, 150, 200, 220, 260, 320, 400, 600, 1000):
        setting = limiting(resource.RLIMIT_AS, mebibytes * MIB)
        if not starts(suite, setting):
            continue
        started += 1
        for command in COMMANDS:
            suite.case(f"RLIMIT_AS {mebibytes} MiB", command, MAY_LACK, setting)
    if started == 0:
        suite.wrong.append("no memory limit lets the program start")


def full_disk(suite):
    """A file system of four pages: the old model fits, a second one beside it does not. Needs the right to mount."""
    folder, outside = suite.bench.path("disk"), suite.bench.path("copy")
    old = suite.knows(FIT).old
    suite.bench.put("old.mercer", old)
    os.mkdir(folder)
    script = ('mount -t tmpfs -o size=16k none disk || exit 99; cp old.mercer disk/out.mercer || exit 98; '
              '"$0" fit points.csv --components 3 -o disk/out.mercer; status=$?; ls -A disk > listing; '
              'cp disk/out.mercer copy; exit $status')
    done = suite.start([], None, program=["unshare", *([] if os.geteuid() == 0 else ["-r"]), "-m", "sh", "-c", script,
                                          suite.bench.binary])
    if done.returncode == 99 or b"unshare" in done.stderr:
        print("full disk: not tried, mounting is not permitted here")
    else:
        suite.judge("full disk", done, FAILS)
        if suite.bench.content("copy") != old or suite.bench.content("listing") != b"out.mercer\n":
            suite.wrong.append("full disk: the old model is not alone and untouched")
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("old.mercer", "listing", outside):
        if os.path.exists(suite.bench.path(name)):
            os.remove(suite.bench.path(name))


def restarts(suite):
    """The new start with better BLAS kernels, where memory lacks on the way: it comes, or the run goes on without."""
    env = {name: value for name, value in environment(suite.bench.folder).items() if name != "MERCER_BLAS"}
    for number in range(1, 25):
        for manner in ("", ":on"):
            fault = f"alloc:{number}{manner}"
            faulty = {**env, "LD_PRELOAD": suite.bench.shim, "MERCER_FAULT": fault,
                      "MERCER_FAULT_REPORT": suite.bench.report}
            done = subprocess.run([suite.bench.binary, *INFO.args], cwd=suite.bench.folder, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=LIMIT, check=False, env=faulty)
            suite.judge(f"restart, {fault}", done, MAY_LACK)


def run_surroundings(bench):
    """Prints the count and what is wrong. Returns how many are."""
    suite = Suite(bench)
    for part in (streams, limits, memory, full_disk, restarts):
        part(suite)
    print(f"surroundings: {suite.done} cases, {len(suite.wrong)} wrong")
    for text in suite.wrong:
        print("  " + text)
    return len(suite.wrong)
