#!/usr/bin/env python3
"""How long `mercer --help` takes, start of the process included: median, least and most of 50 runs.

usage: startup.py MERCER
"""
import statistics
import subprocess
import sys
import time


def main():
    times = []
    for _ in range(50):
        start = time.perf_counter()
        subprocess.run([sys.argv[1], "--help"], stdout=subprocess.DEVNULL, check=True)
        times.append(1e3 * (time.perf_counter() - start))
    print(f"mercer --help   median {statistics.median(times):.1f} ms   least {min(times):.1f} ms   most {max(times):.1f} ms")


if __name__ == "__main__":
    main()
