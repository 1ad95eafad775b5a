#!/usr/bin/env python3
"""scikit-learn's KernelPCA on one table, timed around fit alone (and around transform alone when new rows are given).

usage: peer_sklearn.py TRAIN.npy --gamma G --components K --solver arpack|randomized --dtype float32|float64
                       [--jobs J] [--new NEW.npy] --vectors OUT.npy [--scores OUT.npy]

Loading, and turning the table into `dtype`, is not timed. Prints one JSON object: seconds of fit and transform, peak
memory of the process until the end of fit, and during transform, eigenvalues. The eigenvectors, and the scores of the
new rows, go into files for accuracy.py.
"""
import argparse
import json
import sys
import time

import numpy as np
from sklearn.decomposition import KernelPCA


def peak_bytes():
    """The most memory this program has held; unlike ru_maxrss it starts at zero with the program."""
    with open("/proc/self/status", encoding="ascii") as lines:
        for line in lines:
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    raise SystemExit("/proc/self/status names no VmHWM")


def forget_peak():
    """Starts the peak anew at what the process holds now, so that transform is not charged for the memory of fit."""
    with open("/proc/self/clear_refs", "w", encoding="ascii") as stream:
        stream.write("5")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("--gamma", type=float, required=True)
    parser.add_argument("--components", type=int, required=True)
    parser.add_argument("--solver", choices=("arpack", "randomized"), required=True)
    parser.add_argument("--dtype", choices=("float32", "float64"), required=True)
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--new")
    parser.add_argument("--vectors", required=True)
    parser.add_argument("--scores")
    return parser.parse_args()


def timed(action):
    start = time.perf_counter()
    result = action()
    return result, time.perf_counter() - start


def main():
    options = arguments()
    train = np.load(options.train).astype(options.dtype)
    new = np.load(options.new).astype(options.dtype) if options.new else None
    # With remove_zero_eig left at False, fit keeps exactly the components that were asked for.
    estimator = KernelPCA(options.components, kernel="rbf", gamma=options.gamma, eigen_solver=options.solver,
                          random_state=0, n_jobs=options.jobs)
    _, seconds = timed(lambda: estimator.fit(train))
    report = {"seconds": seconds, "peak_bytes": peak_bytes(), "eigenvalues": estimator.eigenvalues_.tolist(),
              "vectors": options.vectors}
    np.save(options.vectors, estimator.eigenvectors_)
    if new is not None:
        forget_peak()
        scores, report["transform_seconds"] = timed(lambda: estimator.transform(new))
        report["transform_peak_bytes"] = peak_bytes()
        np.save(options.scores, scores)
        report["scores"] = options.scores
    json.dump(report, sys.stdout)


if __name__ == "__main__":
    main()
