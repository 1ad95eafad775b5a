"""Which columns are used: said by fit, info and JSON, kept in the model, found again in new tables."""

import random

from program import close, numbers, says


def people(count=30, seed=3):
    """Rows of id, x, y, smoker (text), class (0 or 1), target (many numbers)."""
    draw = random.Random(seed)
    rows = []
    for i in range(count):
        x, y = draw.gauss(0, 1), draw.gauss(0, 2)
        rows.append([f"p{i}", repr(x), repr(y), "yes" if i % 3 else "no", str(i % 2), str(100 + 7 * i)])
    return rows


def text(names, rows):
    return ",".join(names) + "\n" + "".join(",".join(row) + "\n" for row in rows)


NAMES = ["id", "x", "y", "smoker", "class", "target"]


def aside(value):
    return {entry["name"]: entry["reason"] for entry in value["set_aside"]}


def scores(program, *args):
    """The numbers of PC1 and PC2, whatever columns of text stand beside them."""
    return scores_in(program(*args).text)


def scores_in(text_of_table):
    lines = text_of_table.splitlines()
    places = [lines[0].split(",").index(name) for name in ("PC1", "PC2")]
    return [[float(line.split(",")[place]) for place in places] for line in lines[1:]]


def test_used_columns_and_those_set_aside_are_listed(mercer):
    mercer.write("t.csv", text(NAMES + ["empty", "town"], [row + ["", f"t{i % 4}"] for i, row in enumerate(people())]))
    told = mercer("fit", "t.csv", "--label", "smoker", "--drop", "y", "--json")
    expected = {"id": "holds row names", "y": "left out by --drop", "smoker": "holds the classes", "town": "text",
                "class": "called as classes and targets are", "target": "called as classes and targets are",
                "empty": "empty"}
    for value in (told.json, mercer("info", "t.mercer", "--json").json):
        assert value["columns"] == ["x"] and value["dim"] == 1, value["columns"]
        assert aside(value) == expected and value["set_aside_count"] == 7, aside(value)
        assert [entry["name"] for entry in value["set_aside"]] == ["id", "y", "smoker", "class", "target", "empty", "town"]
    says(told, "Columns  x   set aside: id (holds row names), y (left out by --drop)")
    assert "Columns  x   set aside: id (holds row names)" in mercer("info", "t.mercer").text
    chosen = mercer("fit", "t.csv", "--columns", "target,x", "--json").json
    assert chosen["columns"] == ["target", "x"] and aside(chosen)["y"] == "not among --columns"
    # A constant column is a column like others.
    mercer.write("c.csv", "a,b\n1,2\n1,3\n1,5\n")
    assert mercer("fit", "c.csv", "--json").json["columns"] == ["a", "b"]
    predicted = mercer("fit", "t.csv", "--method", "pcr", "--target", "y", "--components", "1", "--json").json
    assert predicted["columns"] == ["x"] and aside(predicted)["y"] == "to be predicted"


def test_tables_without_names_have_no_list_but_what_was_chosen(mercer):
    mercer("data", "blobs", "-n", "30", "-o", "b.csv")
    mercer("convert", "b.csv", "b.npy")
    plain = mercer("fit", "b.npy", "--json").json
    assert plain["columns"] is None and plain["set_aside"] == []
    chosen = mercer("fit", "b.npy", "--columns", "2,1", "-o", "c.mercer", "--scores", "s.csv", "--json").json
    assert chosen["columns"] == ["col2", "col1"] and chosen["set_aside"] == []
    dropped = mercer("fit", "b.npy", "--drop", "1", "--json").json
    assert dropped["columns"] == ["col2"] and aside(dropped) == {"col1": "left out by --drop"}


def test_what_is_called_class_or_target_is_no_measurement(mercer):
    mercer.write("t.csv", text(NAMES, people()))
    named = mercer("fit", "t.csv", "--label", "smoker", "--json")
    assert named.json["columns"] == ["x", "y"] and named.json["labels"] == 2
    says(named, 'column "target" is called as numbers to predict are: set aside   --target target', "or --columns",
         'column "class" is called as classes are: set aside   --label class')
    by_target = mercer("fit", "t.csv", "--method", "pcr", "--target", "x", "--components", "1", "--json").json
    assert by_target["columns"] == ["y"] and aside(by_target)["class"] == "called as classes and targets are"
    # Nobody names anything: the classes are found, and the target is not taken for hundreds of them.
    alone = mercer("fit", "t.csv", "--drop", "smoker", "--json")
    assert alone.json["columns"] == ["x", "y"] and alone.json["labels"] == 2
    only = mercer("fit", "t.csv", "--drop", "smoker,class", "--json")
    assert only.json["columns"] == ["x", "y"] and only.json["labels"] == 0
    says(only, "set aside   --target target")
    # Who wants it as a measurement says so.
    assert mercer("fit", "t.csv", "--columns", "x,target", "--label", "smoker", "--json").json["columns"] == ["x", "target"]
    none = mercer("fit", "t.csv", "--label", "none", "--json")
    assert none.json["columns"] == ["x", "y"] and none.json["labels"] == 0
    says(none, 'column "class" is called as classes are: set aside', 'column "target" is called as numbers to predict')
    both = mercer("fit", "t.csv", "--label", "none", "--columns", "x-y,class-target", "--json").json
    assert both["columns"] == ["x", "y", "class", "target"] and both["labels"] == 0


def test_a_target_of_few_numbers_is_classes_and_one_of_many_or_broken_ones_is_none(mercer):
    for numbers_of, classes in ((lambda i: i % 3, 3), (lambda i: i, 0), (lambda i: i % 3 + 0.5, 0), (lambda i: i // 2, 15)):
        mercer.write("t.csv", "a,b,target\n" + "".join(f"{i * i % 7},{i % 5},{numbers_of(i)}\n" for i in range(30)))
        value = mercer("fit", "t.csv", "--json").json
        assert value["columns"] == ["a", "b"] and value["labels"] == classes, (value["labels"], classes)
    mercer.write("one.csv", "target\n1\n2\n4\n")
    assert mercer("fit", "one.csv", "--json").json["columns"] == ["target"]


def test_a_model_takes_its_own_columns_from_a_wider_table(mercer):
    rows = people()
    mercer.write("t.csv", text(NAMES, rows))
    for options in (["--label", "smoker"], ["--columns", "y,x"], ["--drop", "smoker,class,target"], ["--columns", "2-3"]):
        mercer("fit", "t.csv", "-o", "m.mercer", "--scores", "s.csv", *options)
        expected = scores_in(mercer.read("s.csv").decode())
        mercer.write("swapped.csv", text(NAMES[::-1], [row[::-1] for row in rows]))
        for table in ("t.csv", "swapped.csv"):
            close(scores(mercer, "transform", "m.mercer", table), expected, 1e-9)
    told = mercer("transform", "m.mercer", "t.csv")
    says(told, "not in the model and ignored", '"target"')
    # What is wrong with a column that the model does not use is nobody's business.
    mercer.write("gaps.csv", text(NAMES + ["z"], [row[:5] + ["", "n/a" if i == 4 else "1"] for i, row in enumerate(rows)]))
    close(scores(mercer, "transform", "m.mercer", "gaps.csv"), expected, 1e-9)
    says(mercer("transform", "m.mercer", "gaps.csv"), '"z"')
    mercer.write("lacks.csv", text(["x", "z", "w"], [[row[1], "1", "2"] for row in rows]))
    says(mercer("transform", "m.mercer", "lacks.csv", status=7), "error[M71", '"y"')


def test_tables_without_names_are_matched_by_place(mercer):
    rows = people()
    mercer.write("t.csv", "".join(",".join([row[1], row[4], row[2]]) + "\n" for row in rows))
    mercer("convert", "t.csv", "t.npy")
    for table in ("t.csv", "t.npy"):
        for chosen in (["--drop", "2"], ["--columns", "3,1"]):
            mercer("fit", table, "-o", "m.mercer", "--scores", "s.csv", *chosen)
            expected = numbers(mercer.read("s.csv").decode())
            for new in ("t.csv", "t.npy"):
                close(scores(mercer, "transform", "m.mercer", new), expected, 1e-9)
                close(scores(mercer, "transform", "m.mercer", new, *chosen), expected, 1e-9)


def test_the_way_with_missing_values_is_that_of_the_fit(mercer):
    mercer.write("t.csv", "a,b,c\n1,2,3\n,5,1\n3,1,2\n4,4,4\n2,2,9\n")
    mercer.write("new.csv", "a,b,c\n2,,1\n1,2,3\n")
    for policy in ("mean", "median", "drop"):
        mercer("fit", "t.csv", "--missing", policy, "-o", "m.mercer")
        plain = mercer("transform", "m.mercer", "new.csv", "--json").json
        asked = mercer("transform", "m.mercer", "new.csv", "--missing", policy, "--json").json
        assert plain["scores"] == asked["scores"] and plain["missing"] == asked["missing"], policy
        assert plain["missing"]["policy"] == policy and len(plain["scores"]) == (1 if policy == "drop" else 2)
        says(mercer("transform", "m.mercer", "new.csv", "--missing", "error", status=3), "error[M212]")
    mercer("fit", "t.csv", "--missing", "mean", "-o", "m.mercer")
    says(mercer("transform", "m.mercer", "new.csv", "--missing", "median", status=2), "error[M102]", "means")
    mercer("fit", "t.csv", "--method", "ppca", "--components", "1", "--missing", "model", "-o", "p.mercer")
    assert mercer("score", "p.mercer", "new.csv", "--json").json["missing"]["policy"] == "model"


def test_columns_that_occur_twice_are_found_as_they_were_renamed(mercer):
    mercer.write("t.csv", "x,x,y\n1,2,3\n3,5,1\n4,4,4\n0,2,2\n")
    mercer("fit", "t.csv", "-o", "m.mercer", "--scores", "s.csv")
    assert mercer("info", "m.mercer", "--json").json["columns"] == ["x", "x.1", "y"]
    expected = numbers(mercer.read("s.csv").decode())
    close(scores(mercer, "transform", "m.mercer", "t.csv"), expected, 1e-9)
    mercer.write("y.csv", "y,x,x\n3,1,2\n1,3,5\n4,4,4\n2,0,2\n")
    close(scores(mercer, "transform", "m.mercer", "y.csv"), expected, 1e-9)
    mercer.write("once.csv", "x,y,z\n1,3,2\n")
    says(mercer("transform", "m.mercer", "once.csv", status=7), "error[M71", '"x.1"')


def test_columns_are_named_by_ranges_and_patterns(mercer):
    names = ["id", "pixel_0_0", "pixel_0_1", "pixel_1_0", "a-b", "last"]
    mercer.write("t.csv", text(names, [[f"r{i}"] + [str((i * k) % 11) for k in (1, 2, 3, 5, 7)] for i in range(9)]))

    def used(*options):
        return mercer("fit", "t.csv", *options, "--json").json["columns"]

    assert used("--columns", "3-5") == names[2:5]
    assert used("--columns", "pixel_0_*") == names[1:3]
    assert used("--columns", "*_0") == ["pixel_0_0", "pixel_1_0"]
    assert used("--columns", "a-b") == ["a-b"]
    assert used("--columns", "pixel_0_1-a-b,2") == ["pixel_0_1", "pixel_1_0", "a-b", "pixel_0_0"]
    assert used("--drop", "pixel*,a-b") == ["last"]
    assert used("--method", "pcr", "--components", "1", "--target", "4-5") == ["pixel_0_0", "pixel_0_1", "last"]
    for word, told in (("3-70", "goes beyond the 6"), ("5-3", "goes down"), ("zz*", "there is no column"),
                       ("last-id", "goes down"), ("0-2", "goes beyond"), ("7", "there is no column")):
        says(mercer("fit", "t.csv", "--columns", word, status=3), "error[M216]", told, "t.csv")
    says(mercer("fit", "t.csv", "--method", "pcr", "--target", "no*", status=3), "error[M216]", "--target no*")
    # Numbers count the columns of the file, whatever is text among them.
    assert aside(mercer("fit", "t.csv", "--method", "pcr", "--components", "1", "--target", "6", "--json").json)["last"] \
        == "to be predicted"


def test_a_model_on_scores_takes_the_columns_of_the_first(mercer):
    rows = people()
    mercer.write("t.csv", text(NAMES, rows))
    mercer("fit", "t.csv", "--columns", "x,y", "--method", "pca", "--components", "2", "-o", "p.mercer")
    mercer("fit", "t.csv", "--on", "p.mercer", "--method", "kernel_lda", "--label", "smoker", "-o", "l.mercer", "--kernel",
           "linear", "--components", "1")
    assert mercer("predict", "l.mercer", "t.csv", "--json").json["n"] == 30


SHIRTS = "x,colour,size\n1,red,S\n2,blue,L\n4,red,M\n3,green,S\n2,blue,M\n5,red,L\n"


def table_of(program, *args):
    lines = program("convert", "t.csv", "-", *args).text.splitlines()
    return lines[0].split(","), [line.split(",") for line in lines[1:]]


def test_texts_become_numbers(mercer):
    mercer.write("t.csv", SHIRTS)
    names, rows = table_of(mercer, "--encode", "onehot:colour,ordinal:size")
    assert names == ["x", "colour=blue", "colour=green", "colour=red", "size"], names
    assert [[float(cell) for cell in row] for row in rows] == [
        [1, 0, 0, 1, 3], [2, 1, 0, 0, 1], [4, 0, 0, 1, 2], [3, 0, 1, 0, 3], [2, 1, 0, 0, 2], [5, 0, 0, 1, 1]]
    names, rows = table_of(mercer, "--encode", "frequency:colour")
    assert names == ["x", "colour", "size"], "size is the classes"
    assert [float(row[1]) for row in rows] == [1 / 2, 1 / 3, 1 / 2, 1 / 6, 1 / 3, 1 / 2]
    # Without columns it is for those that would be set aside: colour is the classes, size would be.
    value = mercer("fit", "t.csv", "--encode", "onehot", "-o", "m.mercer", "--json").json
    assert value["columns"] == ["x", "size=L", "size=M", "size=S"] and value["labels"] == 3
    says(mercer("fit", "t.csv"), "is text and set aside   --label COLUMN, or --encode onehot:COLUMN")
    # A column of numbers can be one of texts, too.
    mercer.write("t.csv", "x,zip\n1,100\n2,20\n3,100\n")
    assert table_of(mercer, "--encode", "onehot:2")[0] == ["x", "zip=100", "zip=20"]


def test_a_model_encodes_new_rows_as_those_of_its_fit(mercer):
    mercer.write("t.csv", SHIRTS)
    for how in ("onehot:colour,size", "ordinal:colour,ordinal:size", "frequency:colour,size"):
        mercer("fit", "t.csv", "--encode", how, "-o", "m.mercer", "--scores", "s.csv")
        expected = scores_in(mercer.read("s.csv").decode())
        mercer.write("new.csv", "size,colour,x,more\nL,red,5,7\nS,green,3,7\n")  # fewer levels, another order
        got = scores(mercer, "transform", "m.mercer", "new.csv")
        close(got, [expected[5], expected[3]], 1e-9)
        mercer.write("bad.csv", "x,colour,size\n1,red,S\n2,pink,L\n3,pink,L\n")
        refused = mercer("transform", "m.mercer", "bad.csv", status=3)
        says(refused, "error[M281]", 'column "colour": "pink"', "3 texts", "2 such rows", "row 2", "bad.csv",
             "--encode-unknown zero")
        assert len(scores(mercer, "transform", "m.mercer", "bad.csv", "--encode-unknown", "zero")) == 3
    value = mercer("info", "m.mercer", "--json").json
    assert [(one["column"], one["as"], one["levels"]) for one in value["encoded"]] == [
        ("colour", "frequency", ["blue", "green", "red"]), ("size", "frequency", ["L", "M", "S"])]
    assert "Encoded  size as frequency, 3 levels: L, M, S" in mercer("info", "m.mercer").text
    says(mercer("transform", "m.mercer", "t.csv", "--encode", "onehot", status=2), "error[M102]", "as in its fit")


def test_what_is_missing_among_texts_stays_missing(mercer):
    mercer.write("t.csv", "x,colour\n1,red\n2,\n4,blue\n3,red\n5,blue\n")
    says(mercer("fit", "t.csv", "--encode", "onehot:colour", status=3), "error[M212]", "row 2")
    value = mercer("fit", "t.csv", "--encode", "onehot:colour", "--missing", "drop", "--json").json
    assert value["n"] == 4 and value["columns"] == ["x", "colour=blue", "colour=red"]
    assert mercer("transform", "t.mercer", "t.csv", "--json").json["n"] == 4


def test_encode_without_a_text_to_encode_is_an_error(mercer):
    mercer.write("t.csv", "x,y,sex\n1,2,f\n2,1,m\n4,4,f\n3,0,m\n")
    says(mercer("fit", "t.csv", "--encode", "onehot", status=3), "error[M216]", '"sex" holds the classes')
    assert mercer("fit", "t.csv", "--encode", "onehot:sex", "--json").json["dim"] == 4


def test_what_cannot_be_encoded_is_said(mercer):
    mercer.write("t.csv", SHIRTS)
    for words, code, told in ((["--encode", "dummy"], "M102", "onehot"), (["--encode", "onehot:"], "M102", "names no column"),
                              (["--encode", "onehot:kolour"], "M216", "colour"),
                              (["--encode", "onehot:colour", "--label", "colour"], "M216", "the classes"),
                              (["--encode-unknown", "one"], "M102", "error or zero")):
        says(mercer("fit", "t.csv", *words, status=2 if code == "M102" else 3), f"error[{code}]", told)
