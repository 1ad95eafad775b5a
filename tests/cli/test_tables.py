"""Tables in and out: data, convert, plan, pipes."""

import subprocess

from program import close, needs, npy_numbers, numbers, says


def test_every_data_set_can_be_made(mercer):
    for entry in mercer("list", "data", "--json").json["data"]:
        name = entry["name"]
        value = mercer("data", name, "-n", "40", "-o", f"{name}.csv", "--json").json
        needs(value, "schema", "name", "n", "dim", "labels", "output")
        rows = 36 if name == "grid" else 40  # a grid is square
        assert value["n"] == rows and value["output"] == f"{name}.csv", value
        lines = mercer.read(f"{name}.csv").decode().split()
        width = value["dim"] + (1 if value["labels"] else 0)
        assert len(lines) == rows + 1 and all(len(line.split(",")) == width for line in lines), name
        assert mercer("data", name, "-n", "40").out == mercer.read(f"{name}.csv"), "another table the second time"
        if name not in ("digits", "grid"):
            assert mercer("data", name, "-n", "40", "--seed", "1").text != mercer("data", name, "-n", "40").text
        mercer("data", name, "-n", "40", "-o", f"{name}.npy")
        mercer("fit", f"{name}.csv", "--quiet")
    names = [entry["name"] for entry in mercer("list", "data", "--json").json["data"]]
    assert {"circles", "moons", "swiss_roll", "s_curve", "blobs", "digits"} <= set(names), names


def test_tables_survive_the_way_through_npy(mercer):
    text = "a,b\n1.5,-2\n0.1,1e300\n-0,4.9e-324\n123456789.125,1e-5\n"
    mercer.write("t.csv", text)
    mercer("convert", "t.csv", "t.npy")
    mercer("convert", "t.npy", "u.csv")
    mercer("convert", "t.csv", "t.tsv")
    mercer("convert", "t.tsv", "v.csv")
    rows = numbers(text)
    close(rows, npy_numbers(mercer.read("t.npy")), 0)
    close(rows, numbers(mercer.read("u.csv").decode(), header=False), 0)
    close(rows, numbers(mercer.read("v.csv").decode()), 0)
    assert mercer.read("v.csv").startswith(b"a,b\n")
    mercer("convert", "u.csv", "w.npy")
    assert mercer.read("w.npy") == mercer.read("t.npy")


def test_convert_says_what_it_found(mercer):
    mercer.write("t.csv", "x;kind\n1,5;a\n2,5;a\n")
    value = mercer("convert", "t.csv", "--sniff", "--json").json
    needs(value, "schema", "format", "n", "dim", "columns", "labels", "notes")
    assert (value["n"], value["dim"], value["columns"], value["labels"]) == (2, 1, ["x"], 1)
    assert {"--decimal", "--delimiter", "--header no"} <= {note["flag"] for note in value["notes"]}, value
    says(mercer("convert", "t.csv", "--sniff"), "decimal mark is a comma   --decimal")
    assert mercer("convert", "t.csv", "-", "--json").json["n"] == 2
    assert mercer("convert", "t.csv", "-").text == "x,kind\n1.5,a\n2.5,a\n"


def test_conversion_keeps_columns_whatever_they_are_called(mercer):
    text = "x,target,class\n1,151.5,0\n2,75,1\n4,141,0\n0,206,1\n"
    mercer.write("t.csv", text)
    assert mercer("convert", "t.csv", "-").text == text
    assert mercer("convert", "t.csv", "-", "--label", "none").text == text
    mercer("convert", "t.csv", "t.npy", "--label", "none")
    close(npy_numbers(mercer.read("t.npy")), numbers(text), 0)


def test_pipes_carry_tables(mercer):
    made = mercer("data", "moons", "-n", "50")
    mercer("fit", "-", "-o", "m.mercer", "--scores", "s.csv", stdin=made.out)
    piped = mercer("transform", "m.mercer", "-", stdin=made.out)
    assert piped.out.startswith(b"PC1,PC2,label\n")
    close(numbers(mercer.read("s.csv").decode(), labels=1), numbers(piped.text, labels=1), 1e-10)
    scores = mercer("fit", "-", "-o", "n.mercer", "--scores", "-", stdin=made.out)
    assert scores.out == mercer.read("s.csv"), "words among the scores"


def test_a_closed_pipe_ends_quietly(mercer):
    for args in (["data", "digits"], ["list"]):
        process = mercer.start(*args)
        process.stdout.close()
        error = process.stderr.read()
        process.stderr.close()
        process.wait(timeout=60)
        assert b"error" not in error, error
    done = subprocess.run(f"'{mercer.binary}' data digits | head -n 1", shell=True, capture_output=True, check=False)
    assert done.stdout.count(b"\n") == 1 and done.stderr == b"", done


def test_plan_prices_and_runs_nothing(mercer):
    mercer("data", "digits", "-o", "d.csv")
    result = mercer("plan", "d.csv", "--components", "5")
    for word in ("kernel_pca   n 1797   dim 64   components 5", "dense_gram + dense", "chosen: exact", "MiB"):
        assert word in result.text, f"no {word!r} in {result.text}"
    value = mercer("plan", "d.csv", "--json").json
    needs(value, "schema", "method", "n", "dim", "plan")
    needs(value["plan"], "operator", "solver", "precision", "passes", "predicted_seconds", "predicted_bytes",
          "candidates")
    assert sum(candidate["chosen"] for candidate in value["plan"]["candidates"]) == 1
    assert mercer("plan", "d.csv", "--json", "--method", "pca").json["plan"]["operator"] == "covariance"
    assert mercer.files() == ["d.csv"]


def test_plan_and_fit_refuse_what_does_not_fit(mercer):
    mercer("data", "digits", "-o", "d.csv")
    for command in ("plan", "fit"):
        result = mercer(command, "d.csv", "--memory", "2M", "--json", status=5)
        assert result.json["error"]["code"] == "M301"
        says(result, "error[M301]", "2.0 MiB", "fix: ")
    assert mercer.files() == ["d.csv"]
    # Columns only: the same budget would suffice for a smaller operator.
    mercer("plan", "d.csv", "--memory", "4M", "--method", "pca")
    says(mercer("plan", "d.csv", "--memory", "2M", "--method", "pca", status=5), "covariance + ", " needs 2.2 MiB")


def test_a_model_remembers_where_libsvm_indices_begin(mercer):
    mercer.write("train.svm", "1 0:0.5 2:2\n0 1:1\n1 0:0.25 2:1\n0 1:2 2:0.5\n")
    mercer.write("new.svm", "1 1:0.5 2:2\n")  # no index 0 occurs here
    mercer.write("new.csv", "0,0.5,2\n")
    mercer("fit", "train.svm", "--label", "none", "-o", "m.mercer")
    sparse = mercer("transform", "m.mercer", "new.svm").text.splitlines()[1].split(",")[:2]
    dense = mercer("transform", "m.mercer", "new.csv", "--header", "no").text.splitlines()[1].split(",")[:2]
    assert all(abs(float(a) - float(b)) < 1e-12 for a, b in zip(sparse, dense)), (sparse, dense)
    told = mercer("transform", "m.mercer", "new.svm", "--first-index", "1").text.splitlines()[1].split(",")[:2]
    assert told != sparse


def test_labels_and_row_names_survive_conversion(mercer):
    mercer.write("t.svm", "3 1:1 2:2\n5 1:3\n3 2:4\n5 1:1 3:2\n")
    mercer("convert", "t.svm", "t.csv")
    value = mercer("convert", "t.csv", "--sniff", "--json").json
    assert value["dim"] == 3 and value["labels"] == 2, value
    mercer.write("d.csv", "date,id,x\n2020-01-01,7,1.5\n2020-01-02,3,2\n2020-01-03,9,4\n")
    assert mercer("convert", "d.csv", "-").text.splitlines()[0] == "date,id,x"
    for output in ("t.npz", "t.csv.gz", "t.csv.zst"):
        mercer("convert", "t.csv", output)
        assert mercer("convert", output, "--sniff", "--json").json["labels"] == 2, output


def test_detected_flags_read_the_same_table(mercer):
    mercer.write("t.csv", "a title\nx;y\n1,5;2\n3;4,25\n5;6\n")
    flags = mercer("convert", "t.csv", "--sniff").text.replace("'", "").split()
    assert "--decimal" in flags and "--skip" in flags, flags
    again = mercer("convert", "t.csv", "-", *flags)
    assert again.text == mercer("convert", "t.csv", "-").text and "--delimiter" not in again.err


def test_gaps_in_new_rows_are_filled_by_training_figures(mercer):
    mercer.write("t.csv", "a,b\n1,2\n,5\n3,1\n4,4\n")
    mercer("fit", "t.csv", "--missing", "median", "-o", "m.mercer")
    mercer.write("gap.csv", "a,b\n,4\n")
    mercer.write("filled.csv", "a,b\n3,4\n")  # the median of 1, 3, 4
    for options in ([], ["--missing", "median"]):
        assert mercer("transform", "m.mercer", "gap.csv", *options).text == \
            mercer("transform", "m.mercer", "filled.csv").text
    assert "M212" in mercer("transform", "m.mercer", "gap.csv", "--missing", "error", status=3).err
    assert "M102" in mercer("transform", "m.mercer", "gap.csv", "--missing", "mean", status=2).err


def test_rows_that_cannot_be_read_go_to_the_rejects_file(mercer):
    mercer.write("t.csv", "a,b\n1,2\n3\n4,x\n5,6\n7,8\n2,2\n")
    value = mercer("convert", "t.csv", "ok.csv", "--rejects", "bad.csv", "--json").json
    assert value["n"] == 4, value
    lines = mercer.read("bad.csv").decode().splitlines()
    assert [line.split(",")[0] for line in lines] == ["line", "3", "4"] and "M207" in lines[1] and "M204" in lines[2]
    assert "M109" in mercer("convert", "t.csv", "ok.csv", "--rejects", "t.csv", status=2).err
