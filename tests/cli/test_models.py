"""Models: inverse, whitening, info, and files that are the same whatever does not matter."""

import json
import os
import subprocess
import sys

from program import close, needs, numbers

READER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "io", "read_safetensors.py")


def table(mercer, rows=60, dim=4):
    mercer("data", "blobs", "-n", str(rows), "--dim", str(dim), "--noise", "0.3", "-o", "t.csv")
    return numbers(mercer.read("t.csv").decode(), labels=1)


def test_inverse_gives_the_rows_back(mercer):
    rows = table(mercer)
    for whiten in ("none", "pca", "zca"):
        mercer("fit", "t.csv", "--method", "pca", "--whiten", whiten, "--components", "4", "--scores", "s.csv")
        back = mercer("inverse", "t.mercer", "s.csv")
        close(rows, numbers(back.text, labels=1), 1e-11)
        mercer("inverse", "t.mercer", "s.csv", "-o", "back.npy")
        value = mercer("inverse", "t.mercer", "s.csv", "--json").json
        needs(value, "schema", "n", "dim", "output", "extrapolated", "rows")
        assert (value["n"], value["dim"], value["extrapolated"]) == (60, 4, [])
        close(rows, value["rows"], 1e-11)


def test_whitened_scores_have_unit_covariance(mercer):
    table(mercer)
    for whiten in ("pca", "zca"):
        mercer("fit", "t.csv", "--method", "pca", "--whiten", whiten, "--components", "4", "--scores", "s.csv")
        scores = numbers(mercer.read("s.csv").decode(), labels=1)
        covariance = [[sum(row[i] * row[j] for row in scores) / 60 for j in range(4)] for i in range(4)]
        close(covariance, [[float(i == j) for j in range(4)] for i in range(4)], 1e-11)


def test_info_repeats_what_fit_said(mercer):
    table(mercer)
    fit = mercer("fit", "t.csv", "--json", "--components", "3").json
    info = mercer("info", "t.mercer", "--json").json
    for field in ("schema", "version", "method", "n", "dim", "labels", "kernel", "components", "eigenvalues",
                  "variances", "explained_variance_ratio", "trace", "tolerance", "converged", "negative_share",
                  "residuals", "certificate", "warnings"):
        assert info[field] == fit[field], f"{field}: {info[field]} is not {fit[field]}"
    needs(info["plan"], "operator", "solver", "precision", "passes")
    text = mercer("info", "t.mercer").text
    for word in ("kernel_pca", "60 rows × 4 columns", "gaussian:sigma=", "PC3", "residual", "3 classes"):
        assert word in text, f"no {word!r} in {text}"


def test_transform_as_json_and_as_file(mercer):
    table(mercer)
    mercer("fit", "t.csv")
    value = mercer("transform", "t.mercer", "t.csv", "--json").json
    needs(value, "schema", "n", "components", "output", "scores")
    assert value["output"] is None and len(value["scores"]) == 60
    result = mercer("transform", "t.mercer", "t.csv", "-o", "s.csv", "--json")
    assert result.json["output"] == "s.csv" and "scores" not in result.json
    close(value["scores"], numbers(mercer.read("s.csv").decode(), labels=1), 0)


def test_same_bytes_at_any_number_of_threads(mercer):
    mercer("data", "digits", "-o", "digits.csv")
    mercer("data", "blobs", "-n", "700", "--dim", "5", "-o", "blobs.csv")
    for name in ("digits.csv", "blobs.csv"):
        for options in (["--kernel", "gaussian"], ["--kernel", "poly:degree=2,scale=0.01"], ["--method", "pca"]):
            models = set()
            for threads in "1234":
                mercer("fit", name, "--reproducible", "--threads", threads, "-o", f"m{threads}.mercer", *options)
                models.add(mercer.read(f"m{threads}.mercer"))
            assert len(models) == 1, f"{name} {' '.join(options)}: {len(models)} different models"


def test_nothing_of_the_run_is_written_to_a_reproducible_model(mercer):
    table(mercer)
    mercer("fit", "t.csv", "--reproducible", "-o", "a.mercer")
    mercer("fit", mercer.path("t.csv"), "--reproducible", "-o", mercer.path("b.mercer"), "--json", "--progress",
           "json", "--memory", "1G", "--explain")
    assert mercer.read("a.mercer") == mercer.read("b.mercer")
    assert mercer.folder.encode() not in mercer.read("a.mercer")


def test_an_independent_reader_opens_the_model(mercer):
    table(mercer)
    for options in ([], ["--method", "pca"], ["--scale", "standard"]):
        mercer("fit", "t.csv", "-o", "m.mercer", *options)
        done = subprocess.run([sys.executable, "-B", READER, mercer.path("m.mercer")], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        arrays = {array["name"]: array for array in json.loads(done.stdout)}
        assert arrays["labels"]["shape"] == [60], arrays
        wanted = "axes" if "pca" in options else "coefficients"
        assert arrays[wanted]["dtype"] == "F64" and arrays[wanted]["shape"][1] == 2, arrays


def test_the_locale_changes_nothing(mercer):
    table(mercer)
    german = {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "LC_NUMERIC": "de_DE.UTF-8"}
    plain = {"LC_ALL": "C"}
    for env, name in ((german, "german"), (plain, "plain")):
        mercer("fit", "t.csv", "--reproducible", "-o", f"{name}.mercer", "--scores", f"{name}.csv", env=env)
    assert mercer.read("german.mercer") == mercer.read("plain.mercer")
    assert mercer.read("german.csv") == mercer.read("plain.csv") and b"." in mercer.read("plain.csv")
    assert mercer("info", "plain.mercer", env=german).out == mercer("info", "plain.mercer", env=plain).out
