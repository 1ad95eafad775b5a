"""Which row is which: names and numbers of rows through every output, rows that are kept in their places."""

import csv
import io
import json

from program import close, needs, says

GAPS = "a,b,kind\n1,2,u\n,5,v\n3,1,u\n4,4,v\n2,,u\n6,1,v\n5,2,u\n"
WHOLE = "a,b,kind\n1,2,u\n3,1,u\n4,4,v\n6,1,v\n5,2,u\n"


def cells(text):
    return list(csv.reader(io.StringIO(text)))


def model(mercer, *more):
    mercer.write("whole.csv", WHOLE)
    mercer("fit", "whole.csv", "-o", "m.mercer", "--kernel", "gaussian:sigma=2", *more)


def test_rows_that_were_left_out_leave_their_numbers(mercer):
    mercer.write("gaps.csv", GAPS)
    mercer("fit", "gaps.csv", "--missing", "drop", "-o", "m.mercer", "--scores", "s.csv")
    lines = cells(mercer.read("s.csv").decode())
    assert lines[0] == ["row", "PC1", "PC2", "kind"], lines[0]
    assert [line[0] for line in lines[1:]] == ["1", "3", "4", "6", "7"], lines
    value = mercer("transform", "m.mercer", "gaps.csv", "--missing", "drop", "--json").json
    assert value["rows"] == [1, 3, 4, 6, 7] and all(type(row) is int for row in value["rows"]), value["rows"]
    assert value["missing"]["rows_dropped"] == 2, value
    assert "rows" not in mercer("transform", "m.mercer", "gaps.csv", "--missing", "keep", "--json").json
    # Such a table is read back as what it is.
    says(mercer("convert", "s.csv", "--sniff"), "counts the rows: used as row names")
    mercer("fit", "gaps.csv", "--method", "pca", "--missing", "drop", "-o", "p.mercer", "--scores", "s.csv")
    back = mercer("inverse", "p.mercer", "s.csv", "--json").json
    assert back["n"] == 5 and back["row_names"] == [1, 3, 4, 6, 7], back


def test_rejected_rows_leave_their_numbers(mercer):
    mercer.write("t.csv", "a,b\n1,2\n3\n4,x\n5,6\n,8\n2,2\n9,1\n")
    out = cells(mercer("convert", "t.csv", "-", "--rejects", "bad.csv").text)
    assert out[0] == ["row", "a", "b"] and [line[0] for line in out[1:]] == ["1", "4", "5", "6", "7"], out
    dropped = cells(mercer("convert", "t.csv", "-", "--rejects", "bad.csv", "--missing", "drop").text)
    assert [line[0] for line in dropped[1:]] == ["1", "4", "6", "7"], dropped
    # An index column of the file is one still, although some of its rows are rejected.
    mercer.write("i.csv", ",a,b\n0,1,2\n1,3,x\n2,4,4\n3,5,6\n4,7,8\n5,2,2\n")
    value = mercer("convert", "i.csv", "o.csv", "--rejects", "bad.csv", "--json").json
    assert value["dim"] == 2, value
    assert [line[0] for line in cells(mercer.read("o.csv").decode())[1:]] == ["0", "2", "3", "4", "5"]


def test_rows_are_kept_in_their_places(mercer):
    model(mercer)
    mercer.write("gaps.csv", GAPS)
    mercer.write("dense.csv", "\n".join(line for line in GAPS.split("\n") if ",," not in line and line[:1] != ","))
    wanted = cells(mercer("transform", "m.mercer", "dense.csv").text)[1:]
    kept = mercer("transform", "m.mercer", "gaps.csv", "--missing", "keep")
    says(kept, "2 rows with missing values: empty in the result")
    lines = cells(kept.text)[1:]
    assert [line[:2] for line in lines if line[0]] == [line[:2] for line in wanted]
    assert [i for i, line in enumerate(lines) if line[:2] == ["", ""]] == [1, 4]
    assert [line[2] for line in lines] == list("uvuvuvu"), "the classes of all rows"
    value = mercer("transform", "m.mercer", "gaps.csv", "--missing", "keep", "--json").json
    assert value["n"] == 7 and value["missing"] == {"policy": "keep", "rows_dropped": 0, "rows_empty": 2,
                                                    "cells_filled": 0}, value["missing"]
    assert value["scores"][1] == [None, None] and None not in value["scores"][0]
    says(mercer("transform", "m.mercer", "gaps.csv", status=3), "--missing keep")


def test_a_table_of_gaps_alone_gives_empty_rows(mercer):
    model(mercer)
    mercer.write("gaps.csv", "a,b\n,1\n2,\n")
    assert mercer("transform", "m.mercer", "gaps.csv", "--missing", "keep").text == "PC1,PC2\n,\n,\n"


def test_many_rows_are_kept_in_their_places(mercer):
    model(mercer)
    lines = [f"{i % 7 + i / 5000},{'' if i % 3 == 0 or 1000 < i < 2400 else i % 5}" for i in range(4000)]
    mercer.write("long.csv", "a,b\n" + "\n".join(lines) + "\n")
    kept = cells(mercer("transform", "m.mercer", "long.csv", "--missing", "keep").text)[1:]
    dropped = cells(mercer("transform", "m.mercer", "long.csv", "--missing", "drop").text)[1:]
    assert [i for i, line in enumerate(lines) if not line.endswith(",")] == \
        [i for i, line in enumerate(kept) if line[0]] == [int(line[0]) - 1 for line in dropped]
    close([[float(x) for x in line] for line in kept if line[0]], [[float(x) for x in line[1:]] for line in dropped],
          1e-14)


def test_predictions_and_scores_keep_their_places(mercer):
    mercer("data", "blobs", "-n", "60", "-o", "b.csv")
    mercer("fit", "b.csv", "--method", "nearest_mean", "-o", "n.mercer")
    lines = mercer.read("b.csv").decode().splitlines()
    row = lines[3].split(",")
    lines[3] = ",".join(["", *row[1:]])
    mercer.write("g.csv", "\n".join(lines[:10]) + "\n")
    value = mercer("predict", "n.mercer", "g.csv", "--missing", "keep", "--json").json
    assert value["n"] == 9 and value["classes"][2] is None and value["classes"].count(None) == 1, value["classes"]
    out = cells(mercer("predict", "n.mercer", "g.csv", "--missing", "keep").text)
    assert len(out) == 10 and set(out[3]) == {""} and "" not in out[4], out
    mercer("fit", "b.csv", "--method", "ppca", "--components", "1", "-o", "p.mercer")
    scores = mercer("score", "p.mercer", "g.csv", "--missing", "keep", "--json").json
    assert [i for i, row in enumerate(scores["scores"]) if row == [None]] == [2], scores
    # A line of one empty cell would be passed over.
    mercer.write("n.csv", "\n".join(",".join(line.split(",")[:2]) for line in lines[:10]) + "\n")
    text = mercer("score", "p.mercer", "n.csv", "--missing", "keep").text.splitlines()
    assert len(text) == 10 and text[3] == "NaN", text


def test_nothing_but_results_can_be_kept_empty(mercer):
    model(mercer)
    mercer.write("gaps.csv", GAPS)
    for args in (["fit", "gaps.csv"], ["plan", "gaps.csv"], ["inverse", "m.mercer", "gaps.csv"]):
        says(mercer(*args, "--missing", "keep", status=2), "M102", "--missing drop")
    says(mercer("impute", "m.mercer", "gaps.csv", "--missing", "keep", status=2), "M102")


def test_row_names_reach_every_output(mercer):
    named = "name,a,b\n" + "".join(f"r{i},{i * i % 7},{i % 4}\n" for i in range(8))
    mercer.write("t.csv", named)
    mercer("fit", "t.csv", "-o", "m.mercer", "--method", "ppca", "--components", "1")
    names = [f"r{i}" for i in range(8)]
    for command, field in (("transform", "rows"), ("score", "rows"), ("impute", "row_names")):
        assert mercer(command, "m.mercer", "t.csv", "--json").json[field] == names, command
        assert [line[0] for line in cells(mercer(command, "m.mercer", "t.csv").text)] == ["name", *names], command


def test_arrays_have_a_file_with_the_names_of_their_rows(mercer):
    mercer.write("gaps.csv", GAPS)
    told = mercer("fit", "gaps.csv", "--missing", "drop", "-o", "m.mercer", "--scores", "s.npy")
    says(told, "s.npy (5 × 2), s.rows.csv")
    assert mercer.read("s.rows.csv").decode() == "row,kind\n1,u\n3,u\n4,v\n6,v\n7,u\n"
    value = mercer("transform", "m.mercer", "gaps.csv", "--missing", "keep", "-o", "t.npy", "--json").json
    assert value["rows_file"] == "t.rows.csv" and "rows" not in value, value
    assert mercer.read("t.rows.csv").decode().splitlines()[1:3] == ["1,u", "2,v"]
    # What tells of other rows does not stay.
    mercer.write("plain.csv", "a,b\n1,2\n3,4\n")
    mercer("transform", "m.mercer", "plain.csv", "-o", "t.npy")
    assert "t.rows.csv" not in mercer.files(), mercer.files()
    mercer("transform", "m.mercer", "gaps.csv", "--missing", "keep", "-o", "t.npz")
    value = mercer("convert", "t.npz", "--sniff", "--json").json
    assert value["n"] == 7 and value["labels"] == 2, value


def test_the_file_beside_an_array_is_an_output_like_others(mercer):
    mercer.write("s.rows.csv", WHOLE)
    says(mercer("fit", "s.rows.csv", "-o", "m.mercer", "--scores", "s.npy", status=2), "M109", "s.rows.csv")
    assert mercer.read("s.rows.csv").decode() == WHOLE
    mercer.write("t.csv", WHOLE)
    says(mercer("fit", "t.csv", "-o", "m.mercer", "--scores", "s.npy", status=4), "M409", "s.rows.csv")
    assert mercer.read("s.rows.csv").decode() == WHOLE and "m.mercer" not in mercer.files()
    says(mercer("fit", "t.csv", "-o", "u.rows.csv", "--scores", "u.npy", status=2), "M109")


def test_convert_keeps_texts_gaps_and_names(mercer):
    text = "id,place,a,note,b,species\nx1,Rome,1,first,,setosa\nx2,,,again,5,setosa\nx3,Rome,3,\"a, b\",6,virginica\n"
    mercer.write("t.csv", text)
    value = mercer("convert", "t.csv", "u.csv", "--json").json
    needs(value, "texts")
    out = cells(mercer.read("u.csv").decode())
    assert sorted(out[0]) == sorted(["id", "place", "a", "note", "b", "species"]), out[0]
    given = {tuple(sorted(zip(cells(text)[0], row))) for row in cells(text)[1:]}
    assert {tuple(sorted(zip(out[0], row))) for row in out[1:]} == given, out
    mercer("convert", "u.csv", "v.csv")
    assert mercer.read("v.csv") == mercer.read("u.csv")
    dropped = cells(mercer("convert", "t.csv", "-", "--missing", "drop").text)
    assert len(dropped) == 2 and "a, b" in dropped[1], dropped
    says(mercer("convert", "t.csv", "--missing", "error", "-", status=3), "M212")
    says(mercer("convert", "t.csv", "w.npz"), "left out, for the format has no place for texts")
    mercer("convert", "t.csv", "w.npy")
    assert "a, b" in [row[-1] for row in cells(mercer.read("w.rows.csv").decode())] + \
        sum(cells(mercer.read("w.rows.csv").decode()), [])


def test_the_name_of_the_classes_survives_an_archive(mercer):
    mercer.write("t.csv", "a,b,species\n1,,u\n3,4,v\n5,6,u\n")
    mercer("convert", "t.csv", "t.npz")
    assert mercer("convert", "t.npz", "-").text == "a,b,species\n1,,u\n3,4,v\n5,6,u\n"


def test_json_has_names_as_they_are(mercer):
    model(mercer)
    mercer.write("n.csv", "name,a,b\nb7,1,2\nx,3,4\n")
    assert json.loads(mercer("transform", "m.mercer", "n.csv", "--json").out)["rows"] == ["b7", "x"]
