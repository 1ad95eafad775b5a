"""Columns by their names: targets and their gaps, a model's own columns whatever these are called."""

import random

from program import close, needs, numbers, says

BOTH = ("pls", "pcr")


def rows(count=40, seed=2):
    draw = random.Random(seed)
    table = []
    for _ in range(count):
        a, b = draw.gauss(0, 1), draw.gauss(0, 1)
        table.append([a, b, round(3 * a - 2 * b + draw.gauss(0, 0.1)), 5 * b + a])
    return table


def csv(header, table):
    cells = [["" if x is None else repr(x) for x in row] for row in table]
    return header + "\n" + "".join(",".join(row) + "\n" for row in cells)


def with_gaps(table, column, at):
    return [[None if j == column and i in at else x for j, x in enumerate(row)] for i, row in enumerate(table)]


def test_targets_with_gaps_are_not_invented(mercer):
    table = rows()
    mercer.write("t.csv", csv("a,b,y,z", table))
    mercer.write("g.csv", csv("a,b,y,z", with_gaps(with_gaps(table, 2, {3, 7}), 0, {5})))
    mercer.write("less.csv", csv("a,b,y,z", [row for i, row in enumerate(table) if i not in (3, 7, 5)]))
    fit = ["fit", "g.csv", "--method", "pcr", "--target", "y", "--drop", "z", "-o", "m.mercer"]
    for policy in ("mean", "median"):
        says(mercer(*fit, "--missing", policy, status=3), "error[M212]", "2 of 40 rows lack a target", 'row 4, target "y"',
             "--missing drop: targets are not filled in")
    refused = mercer(*fit, status=3)
    says(refused, "error[M212]", '"a": 1', '"y": 2', "targets are not filled in", "g.csv:5")
    dropped = mercer(*fit, "--missing", "drop", "--json").json
    assert dropped["n"] == 37 and dropped["missing"]["rows_dropped"] == 3
    known = mercer("fit", "less.csv", "--method", "pcr", "--target", "y", "--drop", "z", "--json").json
    assert dropped["figures"] == known["figures"]
    # Of the others the means are those of the columns of the table.
    mercer.write("h.csv", csv("a,b,y,z", with_gaps(table, 0, {5})))
    filled = mercer("fit", "h.csv", "--method", "pcr", "--target", "y", "--drop", "z", "--missing", "mean", "--json").json
    assert filled["missing"]["cells_filled"] == 1 and filled["n"] == 40


def test_rows_without_their_target_are_predicted_and_the_others_judged(mercer):
    table = rows()
    mercer.write("t.csv", csv("a,b,y,z", table))
    mercer.write("g.csv", csv("a,b,y,z", with_gaps(table, 2, {3, 7})))
    mercer.write("no.csv", csv("a,b,y,z", with_gaps(table, 2, range(40))))
    for method in BOTH:
        mercer("fit", "t.csv", "--method", method, "--target", "y,z", "-o", "m.mercer")
        whole = mercer("predict", "m.mercer", "t.csv", "-o", "p.csv", "--json").json["figures"]
        assert whole["rows_with_target"] == [40, 40]
        for policy in ("error", "drop"):
            judged = mercer("predict", "m.mercer", "g.csv", "-o", "q.csv", "--missing", policy)
            says(judged, "y 0.9", "(of 38 of 40 rows, the others lack it)", "z 1")
            assert mercer.read("p.csv") == mercer.read("q.csv")
        figures = mercer("predict", "m.mercer", "g.csv", "-o", "q.csv", "--json").json["figures"]
        assert figures["rows_with_target"] == [38, 40]
        predicted = [row[0] for row in numbers(mercer.read("p.csv").decode())]
        known = [(row[2], p) for i, (row, p) in enumerate(zip(table, predicted)) if i not in (3, 7)]
        mean = sum(y for y, _ in known) / 38
        by_hand = 1 - sum((y - p) ** 2 for y, p in known) / sum((y - mean) ** 2 for y, _ in known)
        assert abs(figures["r_squared"][0] - by_hand) < 1e-12
        told = mercer("predict", "m.mercer", "no.csv", "-o", "q.csv").err
        assert "R²       z 1" in told and "y" not in told.split("R²")[1].split("\n")[0], told
        assert mercer.read("p.csv") == mercer.read("q.csv")
        mercer("predict", "m.mercer", "g.csv", "-o", "q.csv", "--rejects", "r.csv")
        assert mercer.read("p.csv") == mercer.read("q.csv")


def test_whole_numbers_called_target_are_numbers_to_predict(mercer):
    table = rows()
    for name in ("target", "class", "Label"):
        mercer.write("t.csv", csv(f"a,b,{name},z", table))
        for method in BOTH:
            mercer("fit", "t.csv", "--method", method, "--target", name, "--drop", "z", "-o", "m.mercer")
            judged = mercer("predict", "m.mercer", "t.csv", "--drop", "z", "-o", "p.csv", "--json").json
            assert judged["figures"]["r_squared"][0] > 0.9, (name, method)
            scores = mercer("transform", "m.mercer", "t.csv", "--drop", "z", "-o", "s.csv")
            assert len(numbers(mercer.read("s.csv").decode())) == 40 and "class" not in scores.err.replace(f'"{name}"', "")


def test_a_model_finds_its_own_columns_whatever_they_are_called(mercer):
    table = rows()
    mercer.write("t.csv", csv("a,b,class,z", table))
    mercer("fit", "t.csv", "--method", "pca", "--columns", "a,b,class,z", "--components", "2", "-o", "m.mercer", "--scores", "s.csv")
    mercer("transform", "m.mercer", "t.csv", "-o", "again.csv")
    close(numbers(mercer.read("s.csv").decode()), numbers(mercer.read("again.csv").decode()), 1e-12)
    mercer("fit", "t.csv", "--method", "pls", "--target", "z", "-o", "p.mercer")
    assert mercer("predict", "p.mercer", "t.csv", "-o", "q.csv", "--json").json["figures"]["r_squared"][0] > 0.99
    mercer("fit", "t.csv", "--method", "ppca", "--columns", "a,b,class,z", "--components", "1", "-o", "i.mercer")
    assert mercer("impute", "i.mercer", "t.csv", "-o", "f.csv", "--json").json["cells_filled"] == 0


def test_predictions_are_judged_by_another_column(mercer):
    table = rows()
    mercer.write("t.csv", csv("a,b,y,z", table))
    mercer.write("n.csv", csv("a,b,y,other", table))
    mercer("fit", "t.csv", "--method", "pcr", "--target", "y", "--drop", "z", "-o", "m.mercer")
    figures = mercer("predict", "m.mercer", "n.csv", "--target", "other", "-o", "p.csv", "--json").json["figures"]
    assert figures["r_squared"][0] < 0.5
    mercer.write("r.csv", csv("a,b,truth", [row[:3] for row in table]))
    renamed = mercer("predict", "m.mercer", "r.csv", "--target", "truth", "-o", "p.csv", "--json").json["figures"]
    assert renamed["r_squared"][0] > 0.9


def test_why_a_column_is_no_target_is_said(mercer):
    mercer.write("t.csv", "a,b,kind,name,y\n" + "".join(f"{a!r},{b!r},{'uv'[i % 2]},n{i},{y}\n" for i, (a, b, y, _) in
                                                        enumerate(rows())))
    fit = ["fit", "t.csv", "--method", "pls"]
    says(mercer(*fit, "--target", "kind", status=3), "error[M216]", "holds text", "--label")
    says(mercer(*fit, "--target", "name", status=3), "error[M216]", "holds row names")
    says(mercer(*fit, "--target", "y", "--drop", "y", status=3), "error[M216]", "--drop leaves that column out")
    says(mercer(*fit, "--target", "y", "--label", "y", status=3), "error[M216]", "the classes")
    says(mercer(*fit, "--target", "yy", status=3), "error[M216]", "--target yy: there is no column", "y")


def test_one_value_is_missing_in_one_row(mercer):
    mercer.write("t.csv", csv("a,b,y,z", rows()))
    mercer("fit", "t.csv", "--method", "pca", "--label", "none", "-o", "m.mercer")
    mercer.write("one.csv", "a,b,y,z\n1,,2,3\n")
    says(mercer("transform", "m.mercer", "one.csv", status=3), "1 missing value in 1 row (")
