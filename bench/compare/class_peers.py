#!/usr/bin/env python3
"""One classifier of scikit-learn on a table of class_tables.py: accuracy and seconds, as JSON.

usage: class_peers.py svc|lda|knn TRAIN.npz TEST.npz          classifiers with their defaults
       class_peers.py scores TRAIN.npz TEST.npz A.npy B.npy   5 nearest neighbours on scores of both parts
"""
import json
import sys
import time

import numpy as np


def main():
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC
    makers = {"svc": SVC, "lda": LinearDiscriminantAnalysis, "knn": KNeighborsClassifier, "scores": KNeighborsClassifier}
    if len(sys.argv) < 4 or sys.argv[1] not in makers:
        raise SystemExit(__doc__)
    train, test = (np.load(name) for name in sys.argv[2:4])
    rows = [train["X"], test["X"]] if sys.argv[1] != "scores" else [np.load(name) for name in sys.argv[4:6]]
    start = time.perf_counter()
    model = makers[sys.argv[1]]().fit(rows[0], train["y"])
    fitted = time.perf_counter()
    right = float(np.mean(model.predict(rows[1]) == test["y"]))
    print(json.dumps({"accuracy": right, "fit_seconds": fitted - start, "new_seconds": time.perf_counter() - fitted}))


if __name__ == "__main__":
    main()
