"""Methods and their options: none is ignored, what is shown is what runs, abilities are asked for."""

import json

from program import close, needs, numbers


def says(result, *words):
    for word in words:
        assert word in result.err, f"no {word!r} in {result.err}"


def blobs(mercer, name="t.csv", rows=60, dim=4):
    mercer("data", "blobs", "-n", str(rows), "--dim", str(dim), "--noise", "0.3", "-o", name)


def test_options_of_other_methods_are_refused(mercer):
    blobs(mercer)
    for option, word in (("--indefinite", "nonsense"), ("--kernel", "gaussian"), ("--as", "distance")):
        result = mercer("fit", "t.csv", "--method", "pca", option, word, status=2)
        says(result, "error[M102]", f"method pca has no {option}", "kernel_pca")
    says(mercer("fit", "t.csv", "--whiten", "pca", status=2), "M102", "method kernel_pca has no --whiten", "pca")
    says(mercer("fit", "t.csv", "--indefinite", "nonsense", status=2), "M102", "unknown policy")
    assert mercer.files() == [".config", "t.csv"] or mercer.files() == ["t.csv"]


def test_a_kernel_matrix_takes_no_kernel(mercer):
    mercer.write("d.csv", "0,1,2\n1,0,1\n2,1,0\n")
    result = mercer("fit", "d.csv", "--as", "kernel", "--kernel", "gaussian", status=2)
    says(result, "error[M102]", "comes with its kernel")
    mercer("fit", "d.csv", "--as", "distance")


def test_help_shows_the_options_of_the_method(mercer):
    plain = mercer("fit", "--help").text
    assert "Options of kernel_pca" in plain and "--kernel" in plain and "--whiten" not in plain
    for way in (["--method", "pca"], ["--method=pca"]):
        pca = mercer("fit", *way, "--help").text
        assert "Options of pca" in pca and "--whiten" in pca and "--indefinite" not in pca


def test_methods_are_described_to_programs(mercer):
    methods = {m["name"]: m for m in mercer("list", "methods", "--json").json["methods"]}
    pca = methods["pca"]
    needs(pca, "summary", "abilities", "takes", "options")
    assert pca["abilities"] == ["transform", "inverse"]
    options = {o["name"]: o for o in pca["options"]}
    assert options["whiten"]["choices"] == ["none", "pca", "zca"] and options["whiten"]["default"] == "none"
    assert options["center"]["type"] == "flag" and options["center"]["default"] is True


def test_the_plan_that_is_shown_is_the_plan_that_runs(mercer):
    # Scaled rows lie elsewhere: a plan of the rows as they came would be another one.
    mercer("data", "swiss_roll", "-n", "3000", "-o", "t.npy")
    args = ["t.npy", "--kernel", "gaussian:sigma=0.05", "--scale", "standard", "--components", "4"]
    plan = mercer("plan", *args, "--json").json["plan"]
    result = mercer("fit", *args, "--json", status=None)
    chosen = [c for c in result.json["plan"]["candidates"] if c["chosen"]][0]
    assert (chosen["operator"], chosen["solver"]) == (plan["operator"], plan["solver"])
    shown = [line for line in result.err.split("\n") if line.startswith("Plan")][0]
    assert f"{plan['operator']} + {plan['solver']}" in shown, shown
    assert result.json["plan"]["operator"] == plan["operator"], result.err


def test_plan_refuses_what_fit_refuses(mercer):
    mercer.write("m.csv", "1,2\n3,4\n5,6\n")
    for command in ("plan", "fit"):
        says(mercer(command, "m.csv", "--as", "kernel", status=3), "M240")
    mercer.write("same.csv", "1,2\n1,2\n1,2\n")
    for command in ("plan", "fit"):
        says(mercer(command, "same.csv", status=3), "M231")


def test_what_a_model_cannot_do_is_said(mercer):
    blobs(mercer)
    mercer("fit", "t.csv")
    says(mercer("predict", "t.mercer", "t.csv", status=7), "M715", "kernel_pca model cannot predict")
    says(mercer("inverse", "t.mercer", "t.csv", status=7), "M714", "--preimage")  # an option of this method
    mercer("fit", "t.csv", "--method", "kernel_lda", "-o", "l.mercer")
    says(mercer("inverse", "l.mercer", "t.csv", status=7), "M714", "methods that can:", " pca")
    says(mercer("fit", "t.csv", "--target", "x1", status=2), "M102", "no numbers to predict")
    says(mercer("fit", "t.csv", "--target", "q", status=3), "M216")


def test_a_model_remembers_all_options_and_its_input(mercer):
    blobs(mercer)
    mercer("fit", "t.csv", "--no-center", "--seed", "7")
    info = mercer("info", "t.mercer", "--json").json
    assert info["options"]["center"] is False and info["options"]["seed"] == 7
    needs(info["options"], "kernel", "components", "tolerance", "certify", "indefinite", "nullspace", "as", "scale")
    assert info["input"] == "t.csv" and len(info["fingerprint"]) == 32 and info["labels"] == 3


def test_shares_are_of_the_total_that_is_shown(mercer):
    blobs(mercer)
    mercer("fit", "t.csv", "--kernel", "sigmoid:scale=1,offset=1", "--indefinite", "flip", "--components", "3")
    info = mercer("info", "t.mercer", "--json").json
    for share, mu in zip(info["explained_variance_ratio"], info["eigenvalues"]):
        assert abs(share * info["total"] - mu) < 1e-9 * mu
    assert info["total"] > info["trace"]
    text = mercer("info", "t.mercer").text
    assert f"{info['total'] / info['n']:.6g}"[:5] in text, text


def test_a_fit_starts_from_an_earlier_one(mercer):
    mercer("data", "digits", "-o", "d.csv")
    solver = ["--operator", "blocked_gram", "--solver", "block_krylov", "--components", "10", "--json", "--quiet"]
    first = mercer("fit", "d.csv", "-o", "a.mercer", "--kernel", "gaussian:sigma=30", *solver).json
    cold = mercer("fit", "d.csv", "-o", "b.mercer", "--kernel", "gaussian:sigma=31.5", *solver).json
    warm = mercer("fit", "d.csv", "-o", "c.mercer", "--kernel", "gaussian:sigma=31.5", "--start", "a.mercer", *solver).json
    assert first["converged"] and warm["converged"] and warm["certificate"]["complete"]
    assert warm["plan"]["passes"] <= cold["plan"]["passes"], (warm["plan"]["passes"], cold["plan"]["passes"])
    again = mercer("fit", "d.csv", "-o", "d.mercer", "--kernel", "gaussian:sigma=30", "--start", "a.mercer", *solver).json
    assert 2 * again["plan"]["passes"] <= first["plan"]["passes"], (again["plan"]["passes"], first["plan"]["passes"])
    for a, b in zip(cold["eigenvalues"], warm["eigenvalues"]):
        assert abs(a - b) <= 1e-9 * a
    blobs(mercer)
    # Over a stored matrix a start saves half of the passes, where the width is 5 % away.
    stored = ["--components", "10", "--solver", "block_krylov", "--operator", "dense_gram", "--json"]
    mercer("fit", "d.csv", "-o", "e.mercer", "--kernel", "gaussian:sigma=49", *stored)
    cold = mercer("fit", "d.csv", "-o", "f.mercer", "--kernel", "gaussian:sigma=51.45", *stored).json
    near = mercer("fit", "d.csv", "-o", "g.mercer", "--kernel", "gaussian:sigma=51.45", "--start", "e.mercer", *stored).json
    assert near["converged"] and near["certificate"]["complete"] and 2 * near["plan"]["passes"] <= cold["plan"]["passes"], (
        near["plan"], cold["plan"])
    says(mercer("fit", "t.csv", "--start", "a.mercer", status=2), "M102", "fitted on other rows")
    says(mercer("fit", "d.csv", "--start", "none.mercer", status=4), "M401")
