"""Probabilistic PCA from the program: missing values, impute, sample, rules, and what is refused."""

from random import Random

from program import close, needs, numbers, says

TABLE_ROWS = 80


def planted(mercer, name="t.csv", rows=TABLE_ROWS):
    """Three columns that follow one hidden number, and a fourth that does not."""
    lines, random = ["a,b,c,d,kind"], Random(1)
    for _ in range(rows):
        hidden = random.gauss(0, 1)
        noise = [random.gauss(0, 0.06) for _ in range(4)]
        lines.append(f"{hidden + noise[0]!r},{2 * hidden + noise[1]!r},{-hidden + noise[2]!r},{noise[3]!r},"
                     f"{'low' if hidden < 0 else 'high'}")
    mercer.write(name, "\n".join(lines) + "\n")
    return lines


def with_gaps(mercer, name="g.csv"):
    lines = planted(mercer)
    table = [line.split(",") for line in lines]
    for i in range(1, len(table)):
        if i % 3 == 0:
            table[i][i % 4] = ""
    mercer.write(name, "\n".join(",".join(row) for row in table) + "\n")
    return table


def test_fit_reports_the_likelihood_and_the_noise(mercer):
    planted(mercer)
    closed = mercer("fit", "t.csv", "--method", "ppca", "--components", "1", "--json").json
    em = mercer("fit", "t.csv", "--method", "ppca", "--components", "1", "--algorithm", "em", "-o", "em.mercer", "--json").json
    needs(closed["figures"], "log_likelihood", "log_likelihood_per_row", "noise_variance", "component_variances", "values_used")
    needs(closed, "eigenvalues", "certificate")
    assert "eigenvalues" not in em and em["figures"]["iterations"] > 2
    for figure in ("log_likelihood", "noise_variance"):
        a, b = closed["figures"][figure], em["figures"][figure]
        assert abs(a - b) <= 1e-9 * abs(a), (figure, a, b)
    assert abs(closed["figures"]["log_likelihood_per_row"] * TABLE_ROWS - closed["figures"]["log_likelihood"]) < 1e-9 * 500
    info = mercer("info", "t.mercer").text
    assert "log_likelihood" in info and "noise_variance" in info and "impute, sample" in info, info


def test_scores_go_back_to_the_plane(mercer):
    planted(mercer)
    mercer("fit", "t.csv", "--method", "ppca", "--components", "1", "--scores", "s.csv")
    mercer("transform", "t.mercer", "t.csv", "-o", "again.csv")
    assert mercer.read("s.csv") == mercer.read("again.csv")
    back = numbers(mercer("inverse", "t.mercer", "s.csv").text, labels=1)
    mercer.write("back.csv", "a,b,c,d\n" + "\n".join(",".join(repr(x) for x in row) for row in back) + "\n")
    scores = numbers(mercer.read("s.csv").decode(), labels=1)
    close(numbers(mercer("transform", "t.mercer", "back.csv").text), scores, 1e-12)


def test_missing_values_are_filled_in_and_nothing_else_changes(mercer):
    table = with_gaps(mercer)
    result = mercer("fit", "g.csv", "--method", "ppca", "--components", "1", "--missing", "model", "--json")
    assert result.json["missing"] == {"policy": "model", "rows_dropped": 0, "cells_filled": 0}, result.json["missing"]
    gaps = sum(cell == "" for row in table for cell in row)
    assert result.json["figures"]["values_used"] == 4 * TABLE_ROWS - gaps
    result = mercer("impute", "g.mercer", "g.csv", "-o", "whole.csv")
    says(result, "Filled", f"{gaps} missing values in {gaps} of {TABLE_ROWS} rows")
    whole = [line.split(",") for line in mercer.read("whole.csv").decode().split("\n")]
    truth = [line.split(",") for line in planted(mercer)]
    for i, row in enumerate(table):
        for j, cell in enumerate(row):
            if cell == "":
                limit = 0.5 if j == 3 else 0.4  # the noise of the columns, doubled where it is halved
                assert abs(float(whole[i][j]) - float(truth[i][j])) < limit, (i, j, whole[i][j], truth[i][j])
            elif i == 0 or j == 4:
                assert whole[i][j] == cell
            else:
                assert float(whole[i][j]) == float(cell)
    told = mercer("impute", "g.mercer", "g.csv", "--json").json
    assert told["cells_filled"] == gaps and len(told["rows"]) == TABLE_ROWS
    close(told["rows"], numbers(mercer.read("whole.csv").decode(), labels=1), 0)


def test_models_that_were_fitted_with_gaps_score_rows_with_gaps(mercer):
    with_gaps(mercer)
    mercer("fit", "g.csv", "--method", "ppca", "--components", "1", "--missing", "model", "--scores", "s.csv")
    says(mercer("transform", "g.mercer", "g.csv", "--missing", "error", status=3), "M212", "--missing model")
    mercer("transform", "g.mercer", "g.csv", "-o", "again.csv")  # gaps are treated as in the fit
    assert mercer.read("s.csv") == mercer.read("again.csv")
    mercer("fit", "t.csv", "--method", "ppca", "--components", "1")
    says(mercer("transform", "t.mercer", "g.csv", "--missing", "model", status=2), "M102", "mercer impute")
    assert len(numbers(mercer("impute", "t.mercer", "g.csv").text, labels=1)) == TABLE_ROWS


def test_samples_are_the_same_for_the_same_seed(mercer):
    planted(mercer)
    mercer("fit", "t.csv", "--method", "ppca", "--components", "1")
    ten = mercer("sample", "t.mercer", "-n", "10", "--seed", "3").text
    assert ten.startswith("a,b,c,d\n") and len(numbers(ten)) == 10
    assert mercer("sample", "t.mercer", "-n", "10", "--seed", "3", "--threads", "1").text == ten
    assert mercer("sample", "t.mercer", "-n", "25", "--seed", "3").text.startswith(ten)
    assert mercer("sample", "t.mercer", "-n", "10", "--seed", "4").text != ten
    mercer("sample", "t.mercer", "-n", "2000", "-o", "drawn.npy")
    drawn = mercer("fit", "drawn.npy", "--method", "ppca", "--components", "1", "--json").json["figures"]
    known = mercer("info", "t.mercer", "--json").json["figures"]
    spread = known["noise_variance"] * (2 / (2000 * 3)) ** 0.5  # of the estimate
    assert abs(drawn["noise_variance"] - known["noise_variance"]) < 4 * spread
    told = mercer("sample", "t.mercer", "-n", "4", "--json").json
    assert told["n"] == 4 and told["seed"] == 0 and len(told["rows"]) == 4


def test_rules_choose_the_number_of_components(mercer):
    planted(mercer)
    for rule in ("auto", "auto:minka", "auto:parallel", "auto:broken-stick", "auto:likelihood"):
        result = mercer("fit", "t.csv", "--method", "ppca", "--components", rule, "--json").json
        assert result["components"] == 1, (rule, result["components"])
        assert result["options"]["components"] == rule
        assert result["components_chosen"]["count"] == 1 and rule in ("auto", "auto:" + result["components_chosen"]["rule"])
    told = mercer("fit", "t.csv", "--method", "ppca", "--components", "auto:parallel", "--tolerance", "1e-8")
    says(told, "Chosen   1 component, by parallel analysis")
    text = mercer("info", "t.mercer").text
    assert "Chosen   1 component, by parallel analysis\n" in text, text
    assert "Options  components auto:parallel   tolerance 1e-08\n" in text, text
    mercer("fit", "t.csv", "--method", "ppca")
    text = mercer("info", "t.mercer").text
    assert "Chosen" not in text and "Options" not in text, text
    result = mercer("fit", "t.csv", "--method", "ppca", "--components", "auto:kaiser", status=2)
    says(result, "error[M102]", '"kaiser"', "the rules are minka, parallel, broken-stick, likelihood")


def test_bad_input_is_refused_with_its_reason(mercer):
    planted(mercer)
    fit = ["--method", "ppca"]
    for option in ([], ["--algorithm", "em"]):
        says(mercer("fit", "t.csv", *fit, "--components", "4", *option, status=3), "error[M233]",
             "4 components leave no noise: 80 rows and 4 columns allow 3", "ask for at most 3")
    mercer.write("one.csv", "x\n1\n2\n4\n7\n")
    says(mercer("fit", "one.csv", *fit, status=3), "error[M233]", "at least 2 columns and 3 rows")
    mercer.write("row.csv", "x,y,z\n1,2,3\n")
    says(mercer("fit", "row.csv", *fit, status=3), "error[M230]")
    mercer.write("wide.csv", "a,b,c,d,e\n1,2,3,4,9\n2,1,4,3,0\n5,5,1,2,3\n2,8,1,1,4\n")
    mercer("fit", "wide.csv", *fit)
    says(mercer("fit", "wide.csv", *fit, "--components", "3", status=3), "error[M233]", "allow 2")
    says(mercer("fit", "wide.csv", *fit, "--components", "auto:minka", status=2), "error[M102]", "more rows than columns",
         "auto:parallel")
    mercer.write("flat.csv", "a,b,c\n1,1,2\n2,2,4\n3,3,6\n5,5,10\n")
    says(mercer("fit", "flat.csv", *fit, "--components", "1", status=3), "error[M233]", "no noise is left")
    mercer.write("same.csv", "a,b\n1,2\n1,2\n1,2\n1,2\n")
    says(mercer("fit", "same.csv", *fit, status=3), "error[M231]")
    mercer.write("constant.csv", "a,b,c\n1,4,2\n2,4,3\n3,4,7\n5,4,1\n0,4,2\n")
    mercer("fit", "constant.csv", *fit, "--components", "1")
    mercer.write("hole.csv", "a,b,c\n1,4,2\n,,\n3,4.5,7\n5,4,1\n0,4,2\n")
    says(mercer("fit", "hole.csv", *fit, "--missing", "model", status=3), "error[M212]", "row 2 has no value at all")


def test_missing_model_is_for_methods_that_can(mercer):
    with_gaps(mercer)
    for method in ("pca", "kernel_pca", "factor_analysis"):
        for command in ("fit", "plan"):
            says(mercer(command, "g.csv", "--method", method, "--missing", "model", status=2), "error[M102]",
                 f"method {method} cannot fit rows with missing values", "a method that can:")
    says(mercer("convert", "g.csv", "h.csv", "--missing", "model", status=2), "error[M102]", "no model here")
    says(mercer("fit", "g.csv", "--method", "ppca", "--missing", "guess", status=2), "error[M102]", "--missing guess")
    says(mercer("fit", "g.csv", "--method", "ppca", "--missing", "model", "--algorithm", "closed", status=2),
         "error[M102]", "no closed form")
    says(mercer("fit", "g.csv", "--method", "ppca", "--missing", "model", "--components", "0.9", status=2),
         "error[M102]", "auto:likelihood")
    says(mercer("fit", "g.csv", "--method", "ppca", "--missing", "model", "--components", "auto:minka", status=2),
         "error[M102]", "auto:minka: the rule needs rows without missing values", "only auto:likelihood works")
    says(mercer("fit", "g.csv", "--method", "ppca", status=3), "error[M212]", "or leave them to the model with --missing model")
    assert "--missing model" not in mercer("fit", "g.csv", "--method", "pca", status=3).err
    refused = mercer("fit", "g.csv", "--method", "metric_mds", "--missing", "model", status=2)
    says(refused, "error[M102]", "a method that can: ppca")
    assert "metric_mds" not in refused.err.split("a method that can")[1], "what is named must be able to"
    for more in (["--algorithm", "em"], ["--missing", "model"]):
        says(mercer("fit", "g.csv", "--method", "ppca", *more, "--tolerance", "eigenvalues:1e-6",
                    status=2), "error[M102]", "EM has no eigenvalues", "--tolerance 1e-6")
    says(mercer("fit", "g.csv", "--method", "ppca", "--missing", "model", "--scale", "whiten", status=2), "error[M102]",
         "cannot be whitened")
    mercer("fit", "g.csv", "--method", "ppca", "--missing", "model", "--scale", "standard")


def test_an_empty_column_is_no_column(mercer):
    table = with_gaps(mercer)
    lines = [",".join(row[:4] + ["extra" if i == 0 else ""]) for i, row in enumerate(table)]
    mercer.write("empty.csv", "\n".join(lines) + "\n")
    result = mercer("fit", "empty.csv", "--method", "ppca", "--missing", "model", "--json")
    assert result.json["dim"] == 4, result.err


def test_only_models_that_can_impute_and_draw(mercer):
    planted(mercer)
    mercer("fit", "t.csv", "--method", "pca")
    says(mercer("impute", "t.mercer", "t.csv", status=7), "error[M715]", "methods that can: factor_analysis, ppca")
    says(mercer("sample", "t.mercer", "-n", "3", status=7), "error[M715]", "methods that can: factor_analysis, ppca")
    mercer("fit", "t.csv", "--method", "ppca")
    says(mercer("sample", "t.mercer", status=2), "error[M110]", "-n")
    for bad in ("0", "-1", "2.5", "many"):
        says(mercer("sample", "t.mercer", "-n", bad, status=2), "error[M102]", "--rows")
    says(mercer("sample", "t.mercer", "-n", "3", "--seed", "x", status=2), "error[M102]", "--seed")
    says(mercer("sample", "t.mercer", "-n", "100000000", "--memory", "100M", status=5), "error[M301]")
    says(mercer("impute", "t.mercer", "t.csv", "--missing", "mean", status=2), "error[M102]", "fills missing values in")
    says(mercer("impute", "t.mercer", "t.csv", "-o", "t.csv", status=2), "error[M109]")
