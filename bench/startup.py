#!/usr/bin/env python3
"""How long `mercer --help` takes, start of the process included: median, least and most of 50 runs; and the same where
the program may not start itself again with better kernels of the BLAS.

usage: startup.py MERCER
"""
import os
import statistics
import subprocess
import sys
import time


def measure(name, env):
    times = []
    for _ in range(50):
        start = time.perf_counter()
        subprocess.run([sys.argv[1], "--help"], stdout=subprocess.DEVNULL, check=True, env=env)
        times.append(1e3 * (time.perf_counter() - start))
    print(f"{name:32} median {statistics.median(times):.1f} ms   least {min(times):.1f} ms   most {max(times):.1f} ms")


def main():
    measure("mercer --help", dict(os.environ))
    measure("MERCER_BLAS=keep mercer --help", {**os.environ, "MERCER_BLAS": "keep"})


if __name__ == "__main__":
    main()
