"""The command score: one number for each new row."""

import math

from program import close, needs, numbers, says


def table(mercer, name="t.csv"):
    mercer("data", "blobs", "-n", "60", "--dim", "4", "--noise", "0.3", "-o", name)


def column(mercer, text, heading):
    """The numbers of a column."""
    lines = [line.split(",") for line in text.strip().split("\n")]
    place = lines[0].index(heading)
    return [float(line[place]) for line in lines[1:]]


def test_models_with_a_likelihood_score_by_the_log_density(mercer):
    table(mercer)
    for method in ("ppca", "factor_analysis"):
        fitted = mercer("fit", "t.csv", "--method", method, "--components", "1", "-o", "m.mercer", "--force", "--json").json
        scored = mercer("score", "m.mercer", "t.csv")
        values = column(mercer, scored.text, "log_density")
        assert len(values) == 60 and all(math.isfinite(value) for value in values)
        # What the fit maximises is their sum.
        total = fitted["figures"]["log_likelihood"]
        assert abs(sum(values) - total) < 1e-6 * abs(total), (method, sum(values), total)


def test_models_that_rate_rows_score_under_their_own_heading(mercer):
    table(mercer)
    mercer("fit", "t.csv", "--method", "kernel_bda")
    values = column(mercer, mercer("score", "t.mercer", "t.csv").text, "distance")
    assert len(values) == 60 and min(values) >= 0


def test_scores_go_to_files_and_into_json(mercer):
    table(mercer)
    mercer("fit", "t.csv", "--method", "kernel_bda")
    value = mercer("score", "t.mercer", "t.csv", "--json").json
    needs(value, "schema", "n", "method", "column", "missing", "output", "scores", "warnings", "seconds", "peak_bytes")
    assert (value["n"], value["method"], value["column"], value["output"]) == (60, "kernel_bda", "distance", None)
    needs(value["seconds"], "read", "score", "total")
    told = mercer("score", "t.mercer", "t.csv", "-o", "s.csv", "--json").json
    assert told["output"] == "s.csv" and "scores" not in told
    close(value["scores"], [[one] for one in column(mercer, mercer.read("s.csv").decode(), "distance")], 0)
    mercer("score", "t.mercer", "t.csv", "-o", "s.npy")
    says(mercer("score", "t.mercer", "t.csv", "-o", "s.csv"), "Wrote", "60 × 1")


def test_names_of_rows_stay_beside_their_scores(mercer):
    lines = ["name,a,b,class"] + [f"row{i},{i % 7},{i * i % 11},{'pq'[i % 2]}" for i in range(20)]
    mercer.write("t.csv", "\n".join(lines) + "\n")
    mercer("fit", "t.csv", "--method", "kernel_bda", "--label", "class")
    first = mercer("score", "t.mercer", "t.csv", "--label", "class").text.split("\n")[1]
    assert first.startswith("row0,"), first


def test_other_models_say_which_methods_have_scores(mercer):
    table(mercer)
    mercer("fit", "t.csv", "--method", "pca")
    result = mercer("score", "t.mercer", "t.csv", status=7)
    says(result, "error[M715]", "a pca model has no score for a row", "kernel_bda", "ppca", "factor_analysis")


def test_rows_that_do_not_fit_are_refused(mercer):
    table(mercer)
    mercer("fit", "t.csv", "--method", "ppca", "--components", "1")
    mercer.write("narrow.csv", "1,2\n3,4\n")
    says(mercer("score", "t.mercer", "narrow.csv", status=7), "error[M710]")
    says(mercer("score", "t.mercer", "t.csv", "-o", "t.mercer", status=2), "error[M109]")
