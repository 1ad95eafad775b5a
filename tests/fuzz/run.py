#!/usr/bin/env python3
"""Fuzzes: each target for some time, two at a time, from the kept corpora on.

usage: run.py PROGRAMS [--targets a,b] [--keep]

PROGRAMS is the folder of fuzz_<target>, as preset `fuzz` builds them. MERCER_FUZZ_SECONDS (120) is the time for each,
MERCER_FUZZ_SEED the seed (the clock's by default). Prints the executions of each target. An input that broke something
stays in PROGRAMS/../fuzzing/<target>/findings. --keep brings the kept corpora up to date with what was reached.
"""
import argparse
import concurrent.futures
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
MOST_INPUTS, LONGEST_INPUT = 150, 4096


class Run:
    """One target: its program, its folders and what came of it."""

    def __init__(self, program, seconds, seed):
        self.name = program.name.removeprefix("fuzz_")
        self.program, self.seconds, self.seed = program, seconds, seed
        self.work = program.parent.parent / "fuzzing" / self.name
        self.findings = self.work / "findings"
        self.executions, self.failed, self.log = 0, False, ""

    def folders(self):
        kept = [HERE / "corpus" / self.name, HERE / "found" / self.name]
        return [str(self.work / "corpus"), *(str(folder) for folder in kept if folder.is_dir())]

    def start(self):
        for folder in (self.work / "corpus", self.findings):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        command = [self.program, *self.folders(), f"-max_total_time={self.seconds}", f"-seed={self.seed}",
                   "-rss_limit_mb=2048", "-timeout=2", f"-max_len={LONGEST_INPUT}", "-print_final_stats=1",
                   f"-artifact_prefix={self.findings}/"]
        dictionary = HERE / "dictionary" / f"{self.name}.dict"
        if dictionary.exists():
            command.append(f"-dict={dictionary}")
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.log = done.stdout.decode("utf-8", "replace")
        found = re.search(r"stat::number_of_executed_units:\s*(\d+)", self.log)
        self.executions = int(found[1]) if found else 0
        self.failed = done.returncode != 0 or any(self.findings.iterdir())
        return self

    def report(self):
        state = "FINDING" if self.failed else "ok"
        print(f"{state:8} {self.name:14} {self.executions:>10,} executions", flush=True)
        if self.failed:
            print("\n".join(self.log.splitlines()[-60:]), flush=True)

    def keep(self):
        """The fewest inputs that together reach nearly everything, under the names of their content."""
        merged = self.work / "merged"
        shutil.rmtree(merged, ignore_errors=True)
        merged.mkdir()
        subprocess.run([self.program, "-set_cover_merge=1", "-rss_limit_mb=2048", "-timeout=5", merged, *self.folders()],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        # libFuzzer writes first what reaches most.
        paths = sorted(merged.iterdir(), key=lambda path: path.stat().st_mtime_ns)
        inputs = [path.read_bytes() for path in paths if path.stat().st_size <= LONGEST_INPUT][:MOST_INPUTS]
        kept = HERE / "corpus" / self.name
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        for content in inputs:
            (kept / hashlib.sha1(content).hexdigest()[:16]).write_bytes(content)
        print(f"         {self.name:14} {len(inputs)} inputs kept, {sum(map(len, inputs)):,} bytes", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=Path)
    parser.add_argument("--targets", default="")
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    seconds = int(os.environ.get("MERCER_FUZZ_SECONDS", "120"))
    seed = int(os.environ.get("MERCER_FUZZ_SEED", str(int(time.time()) % 2**31)))
    programs = sorted(path.resolve() for path in arguments.programs.glob("fuzz_*"))
    chosen = [name for name in arguments.targets.split(",") if name]
    runs = [run for run in (Run(program, seconds, seed) for program in programs) if not chosen or run.name in chosen]
    print(f"{len(runs)} targets, {seconds} s each, seed {seed}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for done in concurrent.futures.as_completed([pool.submit(run.start) for run in runs]):
            done.result().report()
            if arguments.keep and not done.result().failed:
                done.result().keep()
    failed = sum(run.failed for run in runs)
    executions = sum(run.executions for run in runs)
    print(f"{failed} findings, {executions:,} executions, {len(runs) - failed} targets passed")
    return 1 if failed or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
