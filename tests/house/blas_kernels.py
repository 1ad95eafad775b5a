"""Runs test programs with other kernels of the BLAS, and with other levels of our own code, than this processor gets.

usage: blas_kernels.py one|all MERCER PROGRAM...

OpenBLAS has kernels for many processors and takes those it thinks right; a test that passes with one set may rest on
its rounding. `one` tries the kernels that are most unlike those that run by themselves, with every third test of each
program. `all` tries every set that this processor can execute with every level of our own code (MERCER_CPU).
"""
import json
import os
import subprocess
import sys

# Kernels, and what /proc/cpuinfo calls the instructions they need.
KERNELS = {"Prescott": ["pni"], "Nehalem": ["sse4_2"], "Sandybridge": ["avx"], "Haswell": ["avx2", "fma"],
           "Zen": ["avx2", "fma"], "SkylakeX": ["avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"]}
LEVELS = ["baseline", "v3", "v4"]


def instructions():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("flags"):
                return set(line.split(":")[1].split())
    return set()


def about(mercer):
    """What the program says of a process whose kernels are those that come by themselves."""
    env = {name: value for name, value in os.environ.items() if name not in ("OPENBLAS_CORETYPE", "MERCER_CPU")}
    done = subprocess.run([mercer, "--version", "--verbose", "--json"], env={**env, "MERCER_BLAS": "keep"},
                          capture_output=True, check=True)
    return json.loads(done.stdout)


def chosen(which, mercer):
    """Pairs of kernels and level."""
    machine, here = about(mercer), instructions()
    known = [name for name, needed in KERNELS.items() if all(flag in here for flag in needed)]
    if which == "one":
        # The program itself runs with the best kernels, the test programs with those that come: a third set.
        usual = {machine["blas"]["kernels"], machine["blas"]["better_kernels"]}
        others = [name for name in ("Haswell", "SkylakeX", "Nehalem", "Prescott") if name in known and name not in usual]
        return [(others[0], machine["highest_cpu_level"])] if others else []
    levels = LEVELS[:LEVELS.index(machine["highest_cpu_level"]) + 1]
    return [(name, level) for name in known for level in levels]


def main():
    which, mercer, programs = sys.argv[1], sys.argv[2], sys.argv[3:]
    part = {"GTEST_TOTAL_SHARDS": "3", "GTEST_SHARD_INDEX": "0"} if which == "one" else {}
    failed = passed = 0
    for kernels, level in chosen(which, mercer):
        for program in programs:
            done = subprocess.run([program, "--gtest_brief=1"], capture_output=True, text=True, check=False,
                                  env={**os.environ, **part, "OPENBLAS_CORETYPE": kernels, "MERCER_CPU": level})
            ok = done.returncode == 0
            passed, failed = passed + ok, failed + (not ok)
            print(f"{'ok    ' if ok else 'FAILED'} {kernels} kernels, level {level}: {os.path.basename(program)}", flush=True)
            if not ok:
                print(done.stdout[-4000:], done.stderr[-1000:], flush=True)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
