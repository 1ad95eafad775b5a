"""What is said of columns to somebody who asks for one that is no measurement, and what is said too much."""

from program import needs, says

ROWS = "".join(f"p{i},{i * i % 11},{i % 7},{'ab'[i % 2]},{i % 3},{100 + 7 * i},2021-0{i % 4 + 1}-15\n" for i in range(24))
TABLE = "id,x,y,kind,class,target,when\n" + ROWS


def test_an_empty_class_is_none(mercer):
    mercer.write("t.csv", "x,y,kind\n1,2,a\n2,1,\n4,4,b\n0,3,a\n5,1,NA\n")
    told = mercer("fit", "t.csv", "--json")
    assert told.json["labels"] == 2
    says(told, '2 classes in "kind"', "used as labels (2 classes)")
    assert "Labels   2 classes" in mercer("info", "t.mercer").text
    assert mercer("convert", "t.csv", "--sniff", "--json").json["labels"] == 2


def test_a_class_of_rows_that_are_left_out_is_none(mercer):
    mercer.write("t.csv", "x,y,kind\n1,2,a\n2,,c\n4,4,b\n0,3,a\n,1,c\n")
    told = mercer("fit", "t.csv", "--missing", "drop", "--json")
    assert told.json["labels"] == 2
    says(told, '2 classes in "kind"')
    assert "Labels   2 classes" in mercer("info", "t.mercer").text


def test_methods_that_lack_classes_or_targets_name_what_was_set_aside(mercer):
    mercer.write("t.csv", TABLE)
    lda = mercer("fit", "t.csv", "--method", "kernel_lda", "--label", "none", status=3)
    says(lda, "error[M250]", "the columns are x, y; set aside: id (holds row names), kind (text)",
         "class (called as classes and targets are)", "when (dates)")
    pls = mercer("fit", "t.csv", "--method", "pls", "--drop", "y", status=3)
    says(pls, "error[M251]", "the columns are x; set aside:", "y (left out by --drop)", "kind (text)", "class (holds the classes)", "target (called")


def test_who_asks_for_a_column_that_is_no_measurement_is_told(mercer):
    mercer.write("t.csv", TABLE)
    says(mercer("fit", "t.csv", "--columns", "x,kind"), 'column "kind" is text: used as labels', "--encode onehot:COLUMN")
    says(mercer("fit", "t.csv", "--columns", "x,when"), 'column "when" holds dates: set aside   --encode date:COLUMN')
    says(mercer("fit", "t.csv", "--label", "kind", "--drop", "kind", status=3), "error[M216]", "--drop kind", "--label names")
    predict = ["fit", "t.csv", "--method", "pls", "--target"]
    says(mercer(*predict, "when", status=3), "error[M216]", "holds dates", "--encode date")
    says(mercer(*predict, "id", status=3), "error[M216]", "holds row names")
    mercer("fit", "t.csv", "--columns", "x,y", "-o", "m.mercer")
    mercer.write("n.csv", "x,y,z\n1,u,2\n2,v,1\n3,u,4\n")
    says(mercer("transform", "m.mercer", "n.csv", status=7), "error[M71", '"y" (')


def test_a_plan_says_which_columns_it_is_for(mercer):
    mercer.write("t.csv", TABLE)
    told = mercer("plan", "t.csv", "--json")
    says(told, "Columns  x, y   set aside: id (holds row names), kind (text), class (holds the classes)")
    fitted = mercer("fit", "t.csv", "--json").json
    needs(told.json, "columns", "set_aside", "set_aside_count", "encoded")
    assert all(told.json[name] == fitted[name] for name in ("columns", "set_aside", "set_aside_count"))


def test_what_comes_next_is_what_the_model_is_for(mercer):
    mercer.write("t.csv", TABLE)
    for method, command in (("kernel_bda", "score"), ("kernel_lda", "predict"), ("kernel_pca", "transform"), ("ppca", "transform")):
        told = mercer("fit", "t.csv", "--method", method, "--components", "1", "-o", "m.mercer")
        says(told, f"mercer {command} m.mercer NEW_TABLE")


def test_scales_are_no_matter_where_scaling_changes_nothing(mercer):
    """A warning where the answer is another one in other units, and none where it is not."""
    mercer.write("t.csv", "a,b,c,d,kind\n" + "".join(
        f"{i * i % 11},{1000 * (i * i * i % 13) + 900 * (i % 3)},{i * i % 11 + i % 5},{7 * i % 17},{'uvw'[i % 3]}\n" for i in range(60)))
    lda = ["--method", "kernel_lda", "--kernel", "linear"]
    for options, warned in ((["--method", "factor_analysis", "--components", "1"], False), (lda + ["--ridge", "0"], False),
                            (lda + ["--ridge", "1e-3"], True), (["--method", "ica"], False),
                            (["--method", "ica", "--components", "2"], True), (["--method", "pca"], True)):
        codes = [entry["code"] for entry in mercer("fit", "t.csv", *options, "-o", "m.mercer", "--json").json["warnings"]]
        assert ("W234" in codes) == warned, (options, codes)
    # What is claimed: the same classes, whatever the units.
    found = []
    for scale in ("none", "standard"):
        mercer("fit", "t.csv", *lda, "--ridge", "0", "--scale", scale, "-o", "m.mercer")
        found.append(mercer("predict", "m.mercer", "t.csv", "--json").json["classes"])
    assert found[0] == found[1]


def test_a_likelihood_of_new_rows_is_summed_up(mercer):
    mercer("data", "blobs", "-n", "60", "--dim", "4", "--noise", "0.3", "-o", "t.csv")
    mercer("fit", "t.csv", "--method", "ppca", "--components", "1")
    told = mercer("score", "t.mercer", "t.csv", "--json")
    assert abs(told.json["log_likelihood"] - sum(row[0] for row in told.json["scores"])) < 1e-9
    says(told, "Likelihood", "a row on average")


def test_dates_are_encoded_as_in_the_fit(mercer):
    mercer.write("t.csv", TABLE)
    fitted = mercer("fit", "t.csv", "--encode", "date", "-o", "m.mercer", "--json").json
    assert fitted["columns"] == ["x", "y", "when.day", "when.year_fraction", "when.weekday"], fitted["columns"]
    model = mercer("info", "m.mercer", "--json").json
    assert model["encoded"] == [{"column": "when", "as": "date", "levels": [], "format": "ymd"}], model["encoded"]
    assert "when as date, written ymd" in mercer("info", "m.mercer").text
    mercer.write("one.csv", "when,y,x\n2021-03-15,3,1\n")
    mercer.write("same.csv", "x,y,when.day,when.year_fraction,when.weekday\n1,3,18701,0.2,1\n")  # 73 of 365 days, a Monday
    new = mercer("transform", "m.mercer", "one.csv", "--json").json["scores"]
    mercer.write("numbers.csv", "x,y,when.day,when.year_fraction,when.weekday\n" + "".join(
        ",".join(map(str, row)) + "\n" for row in written(mercer)))
    mercer("fit", "numbers.csv", "-o", "n.mercer")
    expected = mercer("transform", "n.mercer", "same.csv", "--json").json["scores"]
    assert max(abs(a - b) for a, b in zip(new[0], expected[0])) < 1e-12, (new, expected)
    mercer.write("bad.csv", "when,y,x\n15.3.2021,3,1\n")
    says(mercer("transform", "m.mercer", "bad.csv", status=3), "error[M282]", "year-month-day", "row 1")


def written(mercer):
    """The rows of the table by another program's calendar."""
    import datetime
    for line in TABLE.splitlines()[1:]:
        cells = line.split(",")
        day = datetime.date.fromisoformat(cells[6])
        first = datetime.date(day.year, 1, 1)
        yield [cells[1], cells[2], (day - datetime.date(1970, 1, 1)).days,
               repr((day - first).days / (datetime.date(day.year + 1, 1, 1) - first).days), day.isoweekday()]
