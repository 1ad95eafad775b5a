"""Fits whose time grows with the rows: what the plan says of them, what their models keep, and who is refused."""

import json
import os

from program import says


def curve(mercer, rows=4000, name="curve.csv", kind="s_curve", *more):
    mercer("data", kind, "-n", str(rows), "-o", name, *more)
    return name


def fit(mercer, table, *more, model="m.mercer"):
    return json.loads(mercer("fit", table, "--components", "5", "--json", "-o", model, *more).out)


def same_values(one, other, share):
    for a, b in zip(one["eigenvalues"], other["eigenvalues"], strict=True):
        assert abs(a - b) <= share * other["eigenvalues"][0], (a, b)


def test_the_plan_says_what_an_expansion_takes(mercer):
    table = curve(mercer)
    text = mercer("plan", table, "--components", "5").text
    assert "columns, error ≤" in text and "modes, error ≤" in text, text
    assert "chosen: within the tolerance" in text, text
    named = mercer("plan", table, "--components", "5", "--operator", "fourier_features").text
    (chosen,) = [line for line in named.splitlines() if line.startswith("▸")]
    assert "fourier_features" in chosen and "modes, error ≤" in chosen, chosen


def test_every_way_gives_the_same_answer_within_the_tolerance(mercer):
    table, fresh = curve(mercer), curve(mercer, 50, "new.csv", "s_curve", "--seed", "9")
    exact = fit(mercer, table, "--operator", "blocked_gram", "--precision", "double", "--tolerance", "1e-10")
    mercer("transform", "m.mercer", fresh, "-o", "exact.csv")
    wide = ["--kernel", "gaussian:sigma=" + repr(exact["kernel"]["parameters"]["sigma"])]
    for operator in ("cholesky_features", "fourier_features", "fast_gauss", "near_field"):
        found = fit(mercer, table, "--operator", operator, *wide, model="f.mercer")
        assert found["plan"]["operator"] == operator and found["converged"], found["plan"]
        assert found["certificate"]["complete"] and max(found["residuals"]) <= 1e-6, found["residuals"]
        assert 0 < found["certificate"]["operator_error"] <= 1e-7 or operator == "near_field"
        same_values(found, exact, 1e-6)
        mercer("transform", "f.mercer", fresh, "-o", "f.csv")
        for one, other in zip(numbers(mercer, "f.csv"), numbers(mercer, "exact.csv"), strict=True):
            assert abs(abs(one) - abs(other)) < 1e-4, (operator, one, other)


def numbers(mercer, name):
    with open(mercer.path(name), encoding="utf-8") as file:
        return [float(cell) for line in file.readlines()[1:] for cell in line.strip().split(",")]


def test_models_of_features_do_not_grow_with_the_rows(mercer):
    sizes = {}
    for rows in (4000, 16000):
        found = fit(mercer, curve(mercer, rows), model=f"{rows}.mercer")
        kept = 8 * rows * found["components"]  # the scores, for pictures of the model
        sizes[rows] = os.path.getsize(mercer.path(f"{rows}.mercer")) - kept
    assert sizes[16000] < 1.5 * sizes[4000] and sizes[16000] < 200_000, sizes


def test_polynomial_kernels_take_their_monomials(mercer):
    mercer("data", "blobs", "-n", "3000", "--dim", "6", "-o", "b.csv")
    how = ["--kernel", "polynomial:degree=3"]
    found = fit(mercer, "b.csv", *how)
    assert found["plan"]["operator"] == "polynomial_features", found["plan"]
    assert found["certificate"]["operator_error"] < 1e-10  # rounding alone
    same_values(found, fit(mercer, "b.csv", *how, "--operator", "dense_gram", "--solver", "dense"), 1e-12)
    assert "84 features" in mercer("plan", "b.csv", *how).text
    # A share of the variance, which needs the whole spectrum: that of the small matrix suffices.
    share = json.loads(mercer("fit", "b.csv", *how, "--components", "0.9", "--json", "-o", "s.mercer").out)
    assert share["plan"]["operator"] == "polynomial_features", share["plan"]
    assert sum(share["explained_variance_ratio"]) >= 0.9


def test_expansions_that_explode_say_how_large_they_would_be(mercer):
    curve(mercer)
    mercer("data", "blobs", "-n", "3000", "--dim", "12", "-o", "b.csv")
    def refused(table, operator, *more):
        result = mercer("fit", table, "--operator", operator, *more, status=2)
        says(result, "error[M102]", operator, "cannot be used here", "fix: ")
        return result.err

    assert "modes" in refused("curve.csv", "fourier_features", "--kernel", "gaussian:sigma=1e-3")
    assert "more than 3 columns" in refused("b.csv", "fourier_features")
    assert "features" in refused("b.csv", "taylor_features") or "one expansion" in refused("b.csv", "taylor_features")
    assert "in 12 dimensions" in refused("b.csv", "fast_gauss")
    assert "features" in refused("b.csv", "polynomial_features", "--kernel", "polynomial:degree=9")
    assert "not polynomial" in refused("b.csv", "polynomial_features")
    assert "nearly constant" in refused("curve.csv", "cholesky_features", "--kernel", "gaussian:sigma=1e6")
    # Nobody asked for them: another way is taken, and the plan says why.
    text = mercer("plan", "curve.csv", "--kernel", "gaussian:sigma=1e-3").text
    assert "modes" in text and "chosen" in text, text


def test_copies_and_constant_columns_work(mercer):
    rows = [f"{i % 50 / 7},{(i % 50) ** 2 / 900},5" for i in range(3000)]
    mercer.write("copies.csv", "a,b,c\n" + "\n".join(rows) + "\n")
    exact = fit(mercer, "copies.csv", "--kernel", "gaussian:sigma=2", "--operator", "dense_gram", "--precision", "double",
                "--tolerance", "1e-10")
    for operator in ("cholesky_features", "fourier_features", "taylor_features", "fast_gauss", "near_field"):
        kernel = "gaussian:sigma=8" if operator == "taylor_features" else "gaussian:sigma=2"
        found = fit(mercer, "copies.csv", "--kernel", kernel, "--operator", operator)
        assert found["converged"], operator
        if kernel == "gaussian:sigma=2":
            same_values(found, exact, 1e-6)
