"""Regression on components: fit, predict, transform, info and what they refuse."""

import math
import random

from program import close, needs, numbers


def says(result, *words):
    for word in words:
        assert word in result.err, f"no {word!r} in {result.err}"


def table(mercer, name="t.csv", rows=60, noise=0.1, seed=1):
    """Six columns that follow two hidden ones; two targets that are linear in those but for noise."""
    draw = random.Random(seed)
    lines = ["a,b,c,d,e,f,first,second"]
    for _ in range(rows):
        u, v = draw.gauss(0, 1), draw.gauss(0, 1)
        x = [u + v, u - v, 2 * u, v + 3, u / 2 + v, draw.gauss(0, 0.2)]
        x = [value + draw.gauss(0, 0.05) for value in x]
        y = [3 * u + v + draw.gauss(0, noise), 100 + v - u + draw.gauss(0, noise)]
        lines.append(",".join(repr(value) for value in x + y))
    mercer.write(name, "\n".join(lines) + "\n")


BOTH = ("pls", "pcr")


def test_several_targets_are_predicted_and_judged(mercer):
    table(mercer)
    for method in BOTH:
        fitted = mercer("fit", "t.csv", "--method", method, "--target", "first,second", "-o", "m.mercer", "--json").json
        needs(fitted["figures"], "components", "r_squared", "x_explained", "intercept", "coefficients", "loadings")
        assert len(fitted["figures"]["coefficients"]) == 6 and len(fitted["figures"]["coefficients"][0]) == 2
        judged = mercer("predict", "m.mercer", "t.csv", "-o", "p.csv", "--json").json
        assert judged["columns"] == ["first", "second"]
        for here, there in zip(judged["figures"]["r_squared"], fitted["figures"]["r_squared"]):
            assert here > 0.9 and abs(here - there) < 1e-12
        told = mercer("predict", "m.mercer", "t.csv", "-o", "p.csv").err
        assert "R²" in told and "first 0.9" in told and "second 0.9" in told, told


def test_coefficients_and_intercepts_are_those_of_the_table(mercer):
    table(mercer)
    rows = numbers(mercer.read("t.csv").decode())
    for method in BOTH:
        for scale in ("none", "standard", "whiten"):
            figures = mercer("fit", "t.csv", "--method", method, "--target", "first,second", "-o", "m.mercer",
                             "--scale", scale, "--json").json["figures"]
            mercer("predict", "m.mercer", "t.csv", "-o", "p.csv")
            predicted = numbers(mercer.read("p.csv").decode())
            for row, known in zip(rows, predicted):
                for t in range(2):
                    sum_ = figures["intercept"][t] + sum(x * b[t] for x, b in zip(row, figures["coefficients"]))
                    assert abs(sum_ - known[t]) < 1e-9 * 100, (method, scale)


def test_info_reads_as_the_textbook(mercer):
    table(mercer)
    mercer("fit", "t.csv", "--method", "pls", "--target", "first,second", "--components", "auto")
    text = mercer("info", "t.mercer").text
    assert "Chosen   2 components, by cross-validation (one standard error)\n" in text, text
    for word in ("Targets  first, second", "r_squared", "rmsep_se", "coefficients", "vip", "loadings", "predict, "[:7]):
        assert word in text, f"no {word!r} in {text}"
    for column in "abcdef":
        assert f"\n{column} " in text.replace("\n  ", "\n"), text


def test_the_curve_of_the_cross_validation_begins_with_the_mean(mercer):
    table(mercer)
    rows = numbers(mercer.read("t.csv").decode())
    for method in BOTH:
        figures = mercer("fit", "t.csv", "--method", method, "--target", "first", "--drop", "second", "--components", "3",
                         "--folds", "5", "--fold-type", "interleaved", "--json").json["figures"]
        y = [row[6] for row in rows]
        squares = 0
        for fold in range(5):
            others = [value for i, value in enumerate(y) if i % 5 != fold]
            mean = sum(others) / len(others)
            squares += sum((value - mean) ** 2 for i, value in enumerate(y) if i % 5 == fold)
        curve = figures["rmsep"][0]
        assert len(curve) == 4 and abs(curve[0] - math.sqrt(squares / 60)) < 1e-12 * curve[0]
        assert curve[2] < 0.2 < curve[0] and len(figures["rmsep_se"][0]) == 4


def test_folds_come_from_the_seed_and_kinds_of_folds_without(mercer):
    table(mercer)
    for method in BOTH:
        args = ["fit", "t.csv", "--method", method, "--target", "first", "--drop", "second", "--folds", "7", "--json"]
        first = mercer(*args).json["figures"]["rmsep"]
        assert mercer(*args, "--seed", "0").json["figures"]["rmsep"] == first
        assert mercer(*args, "--seed", "1").json["figures"]["rmsep"] != first
        ordered = mercer(*args, "--fold-type", "consecutive").json["figures"]["rmsep"]
        assert mercer(*args, "--fold-type", "consecutive", "--seed", "1").json["figures"]["rmsep"] == ordered


def test_help_tells_an_option_as_the_method_means_it(mercer):
    for method in BOTH:
        text = " ".join(mercer("fit", "--method", method, "--help").text.split())
        assert "auto: by cross-validation" in text and "of random folds" in text, text
    assert "cross-validation" not in mercer("fit", "--method", "pca", "--help").text


def test_kernel_fits_predict_and_come_back(mercer):
    table(mercer)
    mercer("fit", "t.csv", "--method", "pls", "--target", "first,second", "--kernel", "gaussian:sigma=4",
           "--components", "6", "--scores", "s.csv")
    figures = mercer("predict", "t.mercer", "t.csv", "-o", "p.csv", "--json").json["figures"]
    assert min(figures["r_squared"]) > 0.95
    mercer("transform", "t.mercer", "t.csv", "--drop", "first,second", "-o", "again.csv")
    for a, b in zip(numbers(mercer.read("s.csv").decode()), numbers(mercer.read("again.csv").decode())):
        assert all(abs(x - y) < 1e-9 for x, y in zip(a, b))
    assert "gaussian" in mercer("info", "t.mercer").text


def test_what_cannot_be_predicted_is_said(mercer):
    table(mercer)
    for method in BOTH:
        fit = ["fit", "t.csv", "--method", method]
        says(mercer(*fit, status=3), "error[M251]", f"method {method} learns to predict numbers", "--target COLUMNS")
        says(mercer(*fit, "--target", "third", status=3), "error[M216]", "--target third")
        says(mercer(*fit, "--target", "first", "--components", "8", status=3), "error[M233]", "8 components", "allow 7")
        says(mercer(*fit, "--target", "first", "--folds", "61", status=2), "error[M102]", "61 folds", "60 rows")
        says(mercer(*fit, "--target", "first", "--folds", "1", status=2), "error[M102]", "at least 2")
        says(mercer(*fit, "--target", "first", "--components", "auto:best", status=2), "error[M102]", "auto:one-se")
        mercer.write("same.csv", "a,b,y\n1,2,5\n2,1,5\n4,4,5\n")
        says(mercer("fit", "same.csv", "--method", method, "--target", "y", status=3), "error[M254]",
             "the target is the same in all rows")
        mercer.write("one.csv", "a,b,y\n1,2,5\n")
        says(mercer("fit", "one.csv", "--method", method, "--target", "y", status=3), "error[M230]")
        mercer.write("gap.csv", "a,b,y\n1,2,5\n2,1,NaN\n4,4,6\n")
        says(mercer("fit", "gap.csv", "--method", method, "--target", "y", status=3), "error[M212]")
    says(mercer("fit", "t.csv", "--method", "pls", "--target", "first", "--kernel", "gaussian", "--algorithm", "simpls",
                status=2), "error[M102]", "features of gaussian", "drop --algorithm")


def test_what_is_doubtful_is_warned_of(mercer):
    table(mercer)
    lines = mercer.read("t.csv").decode().split("\n")
    rows = [line.split(",") for line in lines[1:] if line]
    mercer.write("w.csv", "a,copy,flat,other,y\n" + "".join(
        f"{r[0]},{r[0]},4,{-2 * float(r[6])!r},{r[6]}\n" for r in rows))
    for method in BOTH:
        told = mercer("fit", "w.csv", "--method", method, "--target", "y", "--components", "4").err
        for word in ("warning[W233]", "2 of 4 components", "warning[W255]", 'column "other" is target "y"'):
            assert word in told, told
        mercer.write("c.csv", "a,b,y,z\n" + "".join(f"{r[0]},{r[1]},{r[6]},8\n" for r in rows))
        says(mercer("fit", "c.csv", "--method", method, "--target", "y,z"), "warning[W254]", 'target "z"')
    draw = random.Random(3)
    mercer.write("n.csv", "a,b,y\n" + "".join(f"{draw.gauss(0, 1)},{draw.gauss(0, 1)},{draw.gauss(0, 1)}\n"
                                              for _ in range(50)))
    for method in BOTH:
        says(mercer("fit", "n.csv", "--method", method, "--target", "y", "--components", "auto"), "warning[W256]")
