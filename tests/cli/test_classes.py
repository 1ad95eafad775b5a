"""Classes that are predicted: how right they are, cross-validation, and what is refused."""

import random

from program import close, needs, numbers, says


def table(mercer, name="t.csv", rows=90, classes=("low", "middle", "high"), seed=1, label="kind"):
    """Two columns in clouds a few deviations apart, of unequal size."""
    draw = random.Random(seed)
    lines = [f"a,b,{label}"]
    for i in range(rows):
        own = min(i % 4, len(classes) - 1)
        lines.append(f"{draw.gauss(3 * own, 1)!r},{draw.gauss(-2 * own, 1)!r},{classes[own]}")
    mercer.write(name, "\n".join(lines) + "\n")


FIT = ("fit", "t.csv", "--method", "nearest_mean", "-o", "m.mercer")


def test_accuracy_and_confusion_are_those_of_the_rows(mercer):
    table(mercer)
    table(mercer, "new.csv", seed=2)
    mercer(*FIT)
    judged = mercer("predict", "m.mercer", "new.csv", "-o", "p.csv", "--json").json
    figures = judged["figures"]
    needs(figures, "accuracy", "rows", "rows_without_class", "classes", "confusion", "recall", "precision")
    own = [line.split(",")[-1] for line in mercer.read("new.csv").decode().split("\n")[1:] if line]
    found = [line.split(",")[-1] for line in mercer.read("p.csv").decode().split("\n")[1:] if line]
    assert found == judged["classes"]
    classes = figures["classes"]
    assert classes == ["low", "middle", "high"]
    for i, name in enumerate(classes):
        row = [sum(a == name and b == other for a, b in zip(own, found)) for other in classes]
        assert figures["confusion"][i] == row
        assert abs(figures["recall"][i] - row[i] / own.count(name)) < 1e-15
        assert abs(figures["precision"][i] - row[i] / found.count(name)) < 1e-15
    right = sum(a == b for a, b in zip(own, found))
    assert 0.8 < right / 90 < 1 and abs(figures["accuracy"] - right / 90) < 1e-15
    told = mercer("predict", "m.mercer", "new.csv", "-o", "p.csv")
    says(told, f"{100 * right / 90:.2f} % of 90 rows", "own \\ predicted", "recall", "precision")


def test_figures_of_two_classes_differ_by_the_function_of_the_textbook(mercer):
    table(mercer, classes=("minus", "plus"))
    mercer("fit", "t.csv", "--method", "nearest_mean", "--kernel", "linear", "-o", "m.mercer")
    mercer("predict", "m.mercer", "t.csv", "-o", "p.csv")
    rows = [line.split(",") for line in mercer.read("t.csv").decode().split("\n")[1:] if line]
    mean = {c: [sum(float(r[j]) for r in rows if r[2] == c) / sum(r[2] == c for r in rows) for j in (0, 1)]
            for c in ("minus", "plus")}
    b = 0.5 * (sum(v * v for v in mean["minus"]) - sum(v * v for v in mean["plus"]))
    for row, figure in zip(rows, numbers(mercer.read("p.csv").decode(), labels=1)):
        f = sum(float(row[j]) * (mean["plus"][j] - mean["minus"][j]) for j in (0, 1)) + b
        assert abs(figure[1] - figure[0] - f) < 1e-12


def test_rows_without_a_class_are_predicted_and_not_judged(mercer):
    table(mercer)
    mercer(*FIT)
    lines = mercer.read("t.csv").decode().split("\n")
    for i, none in ((3, ""), (7, "NA"), (11, "?")):
        lines[i] = ",".join(lines[i].split(",")[:2] + [none])
    mercer.write("new.csv", "\n".join(lines))
    result = mercer("predict", "m.mercer", "new.csv", "-o", "p.csv", "--json")
    figures = result.json["figures"]
    assert (figures["rows"], figures["rows_without_class"]) == (87, 3) and len(result.json["classes"]) == 90
    says(result, "of 87 rows; 3 without a class left out")
    refused = mercer("fit", "new.csv", "--method", "nearest_mean", status=3)
    says(refused, "error[M272]", "3 of 90 rows have no class; the first is row 3")


def test_classes_that_the_model_does_not_know_are_wrong_and_named(mercer):
    table(mercer)
    mercer(*FIT)
    table(mercer, "new.csv", classes=("low", "middle", "huge"), seed=3)
    result = mercer("predict", "m.mercer", "new.csv", "-o", "p.csv", "--json")
    figures = result.json["figures"]
    assert figures["classes"] == ["low", "middle", "high", "huge"] and figures["rows_of_unknown_classes"] == 44
    assert figures["accuracy"] < 46 / 90 and figures["recall"][3] == 0 and figures["recall"][2] is None
    says(result, "W259", '44 of 90 rows are of classes that the model does not know ("huge"): they count as wrong')
    assert any(w["code"] == "W259" for w in result.json["warnings"])
    table(mercer, "other.csv", classes=("red", "blue"), seed=3)
    nothing = mercer("predict", "m.mercer", "other.csv", "-o", "p.csv", "--json")
    assert nothing.json["figures"] == {} and len(nothing.json["classes"]) == 90
    says(nothing, "how right the predictions are is not told")


def test_many_classes_are_told_by_those_found_least_often(mercer):
    draw = random.Random(5)
    lines = ["a,b,y"]
    for i in range(300):
        own = i % 20
        lines.append(f"{draw.gauss(own % 5, 0.4)!r},{draw.gauss(own // 5, 0.4)!r},class{own}")
    mercer.write("t.csv", "\n".join(lines) + "\n")
    mercer(*FIT)
    result = mercer("predict", "m.mercer", "t.csv", "-o", "p.csv", "--json")
    says(result, "most taken for", "the 12 of 20 classes that are found least often; all with --json")
    assert len(result.json["figures"]["confusion"]) == 20


def test_folds_judge_a_method_by_rows_left_out(mercer):
    table(mercer)
    first = mercer(*FIT, "--cross-validate", "5", "--json")
    figures = first.json["figures"]
    needs(figures, "cv_folds", "cv_accuracy", "cv_accuracy_se", "cv_recall", "cv_precision", "cv_confusion")
    assert figures["cv_folds"] == 5 and 0.8 < figures["cv_accuracy"] < 1 and 0 < figures["cv_accuracy_se"] < 0.1
    assert sum(map(sum, figures["cv_confusion"])) == 90
    says(first, "5 folds:", "of rows left out are right")
    assert "cv_accuracy" in mercer("info", "m.mercer").text
    assert mercer("info", "m.mercer", "--json").json["figures"] == figures
    again = mercer(*FIT, "--cross-validate", "5", "--json", "--threads", "1").json["figures"]
    assert again == figures
    others = [mercer(*FIT, "--cross-validate", "5", "--json", "--seed", str(seed)).json["figures"]["cv_confusion"]
              for seed in (1, 2, 3)]
    assert any(other != figures["cv_confusion"] for other in others)
    assert "cv_accuracy" not in mercer(*FIT, "--json").json["figures"]


def test_folds_of_regression_have_errors_of_each_target(mercer):
    draw = random.Random(4)
    lines = ["a,b,c,y,z"]
    for _ in range(60):
        a, b, c = (draw.gauss(0, 1) for _ in range(3))
        lines.append(f"{a!r},{b!r},{c!r},{a + b + draw.gauss(0, 0.1)!r},{100 * c + draw.gauss(0, 20)!r}")
    mercer.write("r.csv", "\n".join(lines) + "\n")
    for method in ("pls", "pcr"):
        result = mercer("fit", "r.csv", "--method", method, "--target", "y,z", "--components", "3", "--folds", "6",
                        "--cross-validate", "6", "--json")
        figures = result.json["figures"]
        for j in (0, 1):
            assert abs(figures["cv_rmse"][j] - figures["rmsep"][j][3]) < 1e-10 * figures["cv_rmse"][j]
            assert 0.9 < figures["cv_r_squared"][j] < 1 and figures["cv_r_squared_se"][j] > 0
        says(result, "6 folds: RMSE", "R²")


def test_what_cannot_be_cross_validated_is_said_before_the_table_is_read(mercer):
    table(mercer)
    for words, said in ((["--cross-validate", "1"], "at least 2"), (["--cross-validate", "0"], "0 folds"),
                        (["--cross-validate", "x"], "not a number of folds"),
                        (["--cross-validate", "2.5"], "not a number of folds")):
        says(mercer("fit", "absent.csv", "--method", "nearest_mean", *words, status=2), "error[M102]", said)
    says(mercer("fit", "absent.csv", "--cross-validate", "5", status=2), "error[M102]",
         "method kernel_pca predicts nothing", "nearest_mean", "pls")
    says(mercer(*FIT, "--cross-validate", "91", status=2), "91 folds were asked for; there are 90 rows")


def test_a_class_with_few_rows_is_warned_of(mercer):
    table(mercer, rows=12)
    result = mercer(*FIT, "--cross-validate", "6", "--json")
    says(result, "W258", 'classes have fewer rows than there are folds (6): "low" (3)')
    assert any(w["code"] == "W258" for w in mercer("info", "m.mercer", "--json").json["warnings"])


def test_one_class_is_none(mercer):
    table(mercer, classes=("same",))
    says(mercer(*FIT, "--label", "kind", status=3), "error[M270]", "all 90 rows are of one")


def test_a_model_on_scores_is_one_file_that_takes_the_first_table(mercer):
    table(mercer)
    table(mercer, "new.csv", seed=2)
    mercer("fit", "t.csv", "--components", "2", "--scale", "standard", "-o", "inner.mercer")
    result = mercer(*FIT, "--on", "inner.mercer", "--kernel", "linear", "--cross-validate", "5", "--json")
    assert result.json["on"]["method"] == "kernel_pca" and result.json["dim"] == 2
    says(result, "2 scores of the kernel_pca model")
    mercer("predict", "m.mercer", "new.csv", "-o", "p.csv", "--json")
    mercer("transform", "inner.mercer", "new.csv", "-o", "scores.csv")
    mercer("transform", "inner.mercer", "t.csv", "-o", "known.csv")
    mercer("fit", "known.csv", "--method", "nearest_mean", "--kernel", "linear", "-o", "two.mercer")
    mercer("predict", "two.mercer", "scores.csv", "-o", "q.csv")
    one, two = (numbers(mercer.read(name).decode(), labels=1) for name in ("p.csv", "q.csv"))
    close(one, two, 1e-12)
    text = mercer("info", "m.mercer").text
    assert "On       the scores of a kernel_pca model" in text and "90 rows × 2 columns" in text, text
    # Columns are those of the first table, by name.
    swapped = [",".join([line.split(",")[1], line.split(",")[0], line.split(",")[2]])
               for line in mercer.read("new.csv").decode().split("\n") if line]
    mercer.write("swapped.csv", "\n".join(swapped) + "\n")
    mercer("predict", "m.mercer", "swapped.csv", "-o", "r.csv")
    assert mercer.read("r.csv") == mercer.read("p.csv")
    says(mercer("predict", "m.mercer", "scores.csv", status=7), "error[M711]")


def test_what_cannot_stand_on_scores_is_said(mercer):
    table(mercer)
    mercer("fit", "t.csv", "-o", "inner.mercer")
    mercer(*FIT)
    says(mercer("fit", "t.csv", "--method", "pca", "--on", "inner.mercer", status=2), "--on is for methods that predict")
    says(mercer("fit", "t.csv", "--method", "nearest_mean", "--on", "m.mercer", "-o", "n.mercer", status=7),
         "error[M715]", "cannot transform")
    says(mercer("fit", "t.csv", "--method", "nearest_mean", "--on", "inner.mercer", "-o", "inner.mercer", status=2),
         "error[M109]")
    says(mercer("fit", "t.csv", "--method", "nearest_mean", "--on", "inner.mercer", "--missing", "mean", status=2),
         "--missing drop")


def test_a_kernel_matrix_of_your_own_tells_classes(mercer):
    lines = ["a,b,c,d,kind", "2,1,0,0,x", "1,2,0,0,x", "0,0,2,1,y", "0,0,1,2,y"]
    mercer.write("k.csv", "\n".join(lines) + "\n")
    mercer("fit", "k.csv", "--method", "nearest_mean", "--as", "kernel", "-o", "m.mercer")
    mercer.write("new.csv", "a,b,c,d\n1,1,0,0\n0,0,0.5,1\n")
    mercer("predict", "m.mercer", "new.csv", "-o", "p.csv")
    rows = [line.split(",") for line in mercer.read("p.csv").decode().split("\n")[1:] if line]
    assert [row[-1] for row in rows] == ["x", "y"]
    # mean_c k - mean_cc / 2, less that of all rows: 1 - 3/4 - (1/2 - 3/8) for the first.
    assert abs(float(rows[0][0]) - (1 - 0.75 - 0.5 + 0.375)) < 1e-15


def test_time_that_is_over_leaves_the_model_without_figures(mercer):
    table(mercer, rows=4000)
    result = mercer(*FIT, "--cross-validate", "2000", "--time", "2s", "--json", status=6)
    assert "cv_accuracy" not in result.json["figures"]
    says(result, "W602", "the time was over before the cross-validation")
    mercer("predict", "m.mercer", "t.csv", "-o", "p.csv")
