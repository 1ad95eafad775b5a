#!/usr/bin/env python3
"""Every allocation and every call of the system fails once: run.py MERCER_BINARY SHIM [--all] [NAME ...].

For each command of commands.py and each kind of call, the first, the second, ... call fails, until a run meets no
fault; alone, or with all calls after it. By default the first ones and then every so-many-th; --all takes each. Then
the surroundings: full devices, closed streams, little memory, a small stack. NAME selects commands, or `surroundings`.
"""

import concurrent.futures
import os
import queue
import shutil
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from commands import COMMANDS, make_inputs  # noqa: E402
from inject import Bench, Expected, inject  # noqa: E402
from surroundings import run_surroundings  # noqa: E402

# Kind of call, and the ways in which it fails.
EINTR, ENOSPC, EIO, ESTALE = 4, 28, 5, 116
KINDS = [("alloc", ["", ":on"]), ("map", ["", ":on"]), ("thread", ["", ":on"]), ("open", ["", ":on", f":{EIO}"]),
         ("read", ["", ":on", f":{EINTR}", f":{ESTALE}"]), ("write", ["", ":on", f":{EIO}", f":{EINTR}"]),
         ("print", ["", ":on"]), ("sync", ["", ":on", f":{ENOSPC}"]), ("rename", ["", f":{ENOSPC}"]),
         ("close", ["", ":on", f":{EINTR}"]), ("stat", ["", ":on"])]

FIRST, STRIDE = 4, 293  # of the ordinary selection
SHOWN = 12              # failures told per kind


def numbers(everything, offset):
    """1, 2, 3, ... without end, or few of them."""
    n = 0
    while True:
        n += 1 if everything or n < FIRST else STRIDE
        yield n if everything or n <= FIRST else n + offset % STRIDE


class Loop:
    """The runs of one command with one kind of fault, on all benches at once."""

    def __init__(self, command, expected, kind, benches, pool):
        self.command, self.expected, self.kind, self.benches, self.pool = command, expected, kind, benches, pool
        self.met, self.wrong, self.left_alone = 0, [], 0

    def one(self, number, fault):
        bench = self.benches.get()
        try:
            met, wrong = inject(self.command, bench, self.expected, self.kind, fault, number)
            self.left_alone = max(self.left_alone, bench.counts()[3])
        finally:
            self.benches.put(bench)
        self.met += met
        self.wrong += [f"{self.command.name} {fault}: {text}" for text in wrong]
        return met

    def run(self, manner, selection):
        """Until a run meets no fault."""
        width = 4
        while True:
            chunk = [next(selection) for _ in range(width)]
            met = list(self.pool.map(lambda n: self.one(n, f"{self.kind}:{n}{manner}"), chunk))
            if not all(met):
                return


def short_transfers(command, expected, benches, pool):
    """Reads and writes that move few bytes at a time are no fault at all."""
    loop = Loop(command, expected, "short", benches, pool)
    for size in (1, 7, 4095):
        loop.one(size, f"short:{size}")
    for text in loop.wrong:
        print("  " + text)
    return loop.wrong


def test_command(command, benches, pool, everything):
    """Prints one line per kind. Returns what is wrong."""
    for bench in benches.queue:  # all are free between two commands
        bench.clear()
    expected = Expected(command, benches.queue[0])
    wrong = short_transfers(command, expected, benches, pool)
    for index, (kind, manners) in enumerate(KINDS):
        loop = Loop(command, expected, kind, benches, pool)
        for manner in manners:
            loop.run(manner, numbers(everything, 31 * index + 7 * len(manner) + len(command.name)))
        bad = len({text.split(": ")[0] for text in loop.wrong})
        if loop.met or bad:
            alone = f" ({loop.left_alone} inside OpenBLAS not tried)" if kind == "alloc" and loop.left_alone else ""
            print(f"{command.name:<11} {kind + ':':<7} {loop.met} injected, {loop.met - bad} handled{alone}", flush=True)
        for text in loop.wrong[:SHOWN]:
            print("  " + text)
        wrong += loop.wrong
    return wrong


def main():
    words = [word for word in sys.argv[1:] if word != "--all"]
    if len(words) < 2:
        print(__doc__)
        return 2
    binary, shim, wanted = os.path.abspath(words[0]), os.path.abspath(words[1]), words[2:]
    workers = max(2, len(os.sched_getaffinity(0)))
    start, failed = time.monotonic(), 0
    parent = tempfile.mkdtemp(prefix="mercer-fault-")
    try:
        inputs = os.path.join(parent, "inputs")
        os.mkdir(inputs)
        make_inputs(binary, inputs)
        benches = queue.Queue()
        for _ in range(workers):
            benches.put(Bench(binary, shim, inputs, parent))
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            for command in COMMANDS:
                if not wanted or command.name in wanted:
                    failed += len(test_command(command, benches, pool, "--all" in sys.argv))
        if not wanted or "surroundings" in wanted:
            failed += run_surroundings(benches.get())
    finally:
        shutil.rmtree(parent, ignore_errors=True)
    print(f"{failed} failed, {time.monotonic() - start:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
