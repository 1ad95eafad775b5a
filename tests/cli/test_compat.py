"""Models written by earlier versions open, and give the scores they gave then."""

import os

from program import close, numbers

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "compat")
ROWS = {"unew.csv": ("cholesky", "taylor"), "wnew.csv": ("fourier",), "dn.csv": ("distances",), "sn.svm": ("sparse",)}


def rows_for(name):
    for table, models in ROWS.items():
        if name in models:
            return table
    return "new.csv"


def scores_in(text):
    header, *lines = text.strip().split("\n")
    count = sum(word.startswith("PC") for word in header.split(","))
    return [[float(cell) for cell in line.split(",")[:count]] for line in lines]


def test_old_models_score_as_they_did(mercer):
    models = sorted(name[:-7] for name in os.listdir(os.path.join(FOLDER, "models")) if name.endswith(".mercer"))
    assert len(models) == 15, models
    for name in models:
        model = os.path.join(FOLDER, "models", name)
        result = mercer("transform", model + ".mercer", os.path.join(FOLDER, rows_for(name)), "--quiet")
        then = scores_in(open(model + ".scores.csv").read())
        now = scores_in(result.text)
        size = max(abs(value) for row in then for value in row)
        # Float tiles of another processor round differently.
        close(then, now, (1e-5 if name == "single" else 1e-12) * max(1, size))
        mercer("info", model + ".mercer", "--json")
