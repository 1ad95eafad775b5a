#!/usr/bin/env python3
"""How long pictures take, and how large they are: `mercer plot`, the start of the process included, median and worst of
nine runs. The table of 200 000 rows is read anew each time (NPY); the model is PCA of 2000 of its rows.

usage: plot.py MERCER
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = 9
ROWS = 200_000


def main():
    binary = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        def mercer(*words):
            subprocess.run([binary, *words, "--quiet"], cwd=folder, check=True)

        mercer("data", "blobs", "-n", str(ROWS), "--dim", "3", "-o", "many.npy")
        mercer("data", "blobs", "-n", "2000", "--dim", "3", "-o", "few.csv")
        mercer("data", "digits", "-o", "digits.csv")
        mercer("fit", "few.csv", "--method", "pca", "--components", "3", "-o", "few.mercer")
        mercer("fit", "many.npy", "--method", "pca", "--components", "2", "-o", "many.mercer")
        mercer("fit", "digits.csv", "--components", "8")
        cases = [(f"{ROWS} rows of a table, {extension}", f"a.{extension}", ["few.mercer", "many.npy", "--kind", "scatter"])
                 for extension in ("png", "pdf", "svg")]
        cases += [(f"{ROWS} rows of the fit, png", "a.png", ["many.mercer", "many.npy", "--kind", "scatter"]),
                  (f"{ROWS} rows, pairs of 3, png", "a.png", ["few.mercer", "many.npy", "--kind", "pairs"]),
                  ("digits, scores that the model keeps, svg", "a.svg", ["digits.mercer"]),
                  ("digits, the same, png", "a.png", ["digits.mercer"])]
        print("| picture | median | most of 9 | size |\n|---|---|---|---|")
        for name, output, words in cases:
            times = []
            for _ in range(RUNS):
                start = time.perf_counter()
                mercer("plot", *words, "-o", output)
                times.append(time.perf_counter() - start)
            size = os.path.getsize(os.path.join(folder, output))
            print(f"| {name} | {statistics.median(times):.2f} s | {max(times):.2f} s | {size / 1024:.0f} KiB |")


if __name__ == "__main__":
    main()
