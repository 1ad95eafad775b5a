"""Factor analysis from the program: figures, rotations, the test of the fit, and what is refused."""

from random import Random

from program import needs, numbers, says


def planted(mercer, name="t.csv", rows=150):
    """Two hidden numbers behind six columns, three each."""
    lines, random = ["a,b,c,x,y,z"], Random(1)
    for _ in range(rows):
        f, g = random.gauss(0, 0.6), random.gauss(0, 0.6)
        noise = [random.gauss(0, 0.3) for _ in range(6)]
        cells = [f + noise[0], 0.8 * f + noise[1], 1.2 * f + noise[2], g + noise[3], 0.7 * g + noise[4], -g + noise[5]]
        lines.append(",".join(repr(x) for x in cells))
    mercer.write(name, "\n".join(lines) + "\n")


def test_fit_reports_what_the_textbook_has(mercer):
    planted(mercer)
    result = mercer("fit", "t.csv", "--method", "factor_analysis", "--rotation", "varimax", "--json").json
    figures = result["figures"]
    needs(figures, "log_likelihood", "degrees_of_freedom", "chi_squared", "p_value", "sums_of_squares", "communalities",
          "uniquenesses", "loadings")
    assert figures["degrees_of_freedom"] == 4 and 0 <= figures["p_value"] <= 1
    loadings = figures["loadings"]
    assert len(loadings) == 6 and all(len(row) == 2 for row in loadings)
    groups = [max(range(2), key=lambda k: abs(row[k])) for row in loadings]
    assert groups[0] == groups[1] == groups[2] != groups[3] == groups[4] == groups[5], loadings
    info = mercer("info", "t.mercer").text
    for word in ("communalities", "uniquenesses", "loadings", "p_value", "\na ", "\nz "):
        assert word in info, info


def test_algorithms_and_rotations_have_one_likelihood(mercer):
    planted(mercer)
    found = []
    for options in ([], ["--algorithm", "em"], ["--rotation", "promax"], ["--scoring", "bartlett"], ["--scale", "range"]):
        result = mercer("fit", "t.csv", "--method", "factor_analysis", *options, "--json").json
        found.append(result["figures"])
    for other in found[1:4]:
        assert abs(other["log_likelihood"] - found[0]["log_likelihood"]) <= 1e-9 * abs(found[0]["log_likelihood"])
    assert abs(found[4]["chi_squared"] - found[0]["chi_squared"]) < 1e-6
    assert "factor_correlations" in found[2] and "factor_correlations" not in found[0]


def test_models_score_fill_in_and_draw(mercer):
    planted(mercer)
    mercer("fit", "t.csv", "--method", "factor_analysis", "--scores", "s.csv")
    mercer("transform", "t.mercer", "t.csv", "-o", "again.csv")
    assert mercer.read("s.csv") == mercer.read("again.csv")
    mercer.write("gap.csv", "a,b,c,x,y,z\n1,,1.2,,0,0\n")
    filled = numbers(mercer("impute", "t.mercer", "gap.csv").text)[0]
    assert filled[0] == 1 and filled[2] == 1.2 and 0.4 < filled[1] < 1.2, filled
    assert len(numbers(mercer("sample", "t.mercer", "-n", "7").text)) == 7
    assert len(numbers(mercer("inverse", "t.mercer", "s.csv").text)[0]) == 6


def test_a_heywood_case_is_told(mercer):
    planted(mercer)
    rows = numbers(mercer.read("t.csv").decode())
    lines = ["a,b,c,x,y,z"] + [",".join(repr(v) for v in [r[0], r[0] + 1e-6 * r[4], *r[2:]]) for r in rows]
    mercer.write("copy.csv", "\n".join(lines) + "\n")
    result = mercer("fit", "copy.csv", "--method", "factor_analysis", "--json")
    assert [w["code"] for w in result.json["warnings"]] == ["W262"], result.err
    says(result, "W262", "columns are at the bound of the uniqueness", "a, b")


def test_rules_choose_the_number_of_factors(mercer):
    planted(mercer)
    for rule in ("auto", "auto:parallel", "auto:likelihood"):
        result = mercer("fit", "t.csv", "--method", "factor_analysis", "--components", rule, "--json").json
        assert len(result["figures"]["sums_of_squares"]) == 2, rule
        assert result["components_chosen"]["count"] == 2, rule
    says(mercer("fit", "t.csv", "--method", "factor_analysis", "--components", "auto:minka", status=2), "error[M102]",
         "the rules are parallel, likelihood")


def test_bad_input_is_refused_with_its_reason(mercer):
    planted(mercer)
    fit = ["--method", "factor_analysis"]
    mercer("fit", "t.csv", *fit, "--components", "3")
    says(mercer("fit", "t.csv", *fit, "--components", "4", status=3), "error[M233]",
         "4 factors of 6 columns leave -3 degrees of freedom", "ask for at most 3")
    says(mercer("fit", "t.csv", *fit, "--components", "6", status=3), "error[M233]", "6 factors of 6 columns")
    says(mercer("fit", "t.csv", *fit, "--columns", "a,b", status=3), "error[M233]", "at least 3 columns")
    says(mercer("fit", "t.csv", *fit, "--columns", "a", status=3), "error[M233]", "at least 3 columns")
    says(mercer("fit", "t.csv", *fit, "--components", "0.9", status=2), "error[M102]", "factors are counted")
    mercer.write("few.csv", "a,b,c,d\n1,2,3,4\n2,1,4,3\n5,5,1,2\n2,8,1,1\n")
    says(mercer("fit", "few.csv", *fit, status=3), "error[M230]", "at least 5 rows; the table has 4", "ppca")
    mercer.write("row.csv", "a,b,c\n1,2,3\n")
    says(mercer("fit", "row.csv", *fit, status=3), "error[M230]")
    mercer.write("constant.csv", "a,b,c,d\n1,4,2,2\n2,4,3,2\n3,4,7,2\n5,4,1,2\n0,4,2,2\n")
    says(mercer("fit", "constant.csv", *fit, status=3), "error[M260]", "2 columns are the same in all rows: b, d",
         "--drop")
    mercer.write("gap.csv", "a,b,c\n1,4,2\n2,,3\n3,4,7\n5,4,1\n0,4,2\n")
    says(mercer("fit", "gap.csv", *fit, status=3), "error[M212]")
    says(mercer("fit", "t.csv", *fit, "--rotation", "oblimin", status=2), "error[M102]")
