"""Several tables that are read as one."""

import gzip

from program import close, numbers, says


def halves(mercer):
    mercer("data", "blobs", "-n", "40", "-o", "all.csv")
    lines = mercer.read("all.csv").decode().splitlines()
    names = lines[0].split(",")
    rows = [line.split(",") for line in lines[1:]]
    mercer.write("a.csv", "\n".join([",".join(names)] + [",".join(row) for row in rows[:15]]) + "\n")
    order = [2, 0, 1]  # the columns come in another order
    mercer.write("b.csv", "\n".join([",".join(names[j] for j in order)] +
                                    [",".join(row[j] for j in order) for row in rows[15:]]) + "\n")
    return names, rows


def test_tables_of_the_same_columns_are_one(mercer):
    halves(mercer)
    whole = mercer("fit", "all.csv", "--scores", "all_scores.csv", "--json").json
    both = mercer("fit", "a.csv", "b.csv", "--scores", "both.csv", "-o", "both.mercer", "--json")
    assert both.json["n"] == 40 and both.json["fingerprint"] == whole["fingerprint"]
    assert both.json["eigenvalues"] == whole["eigenvalues"] and both.json["labels"] == whole["labels"]
    assert mercer.read("both.csv") == mercer.read("all_scores.csv")
    says(both, "Reading  a.csv", "Reading  b.csv", "Together 2 tables   40 × 2")
    assert mercer("info", "both.mercer", "--json").json["input"] == "a.csv, b.csv"
    assert mercer("plan", "a.csv", "b.csv", "--json").json["n"] == 40
    mercer("fit", "a.csv", "b.csv")
    assert "a.mercer" in mercer.files()


def test_every_format_may_be_part_of_it(mercer):
    halves(mercer)
    whole = mercer("fit", "all.csv", "--label", "none", "--json").json["fingerprint"]
    mercer("convert", "b.csv", "b.npz")
    mercer.write("a.csv.gz", gzip.compress(mercer.read("a.csv")))
    assert mercer("fit", "a.csv.gz", "b.npz", "--json", "-o", "m.mercer").json["fingerprint"] == whole
    for name in ("a", "b"):
        mercer("convert", f"{name}.csv", f"{name}.npy", "--columns", "1-2" if name == "a" else "2-3")
    assert mercer("fit", "a.npy", "b.npy", "--json", "-o", "m.mercer").json["fingerprint"] == whole
    mercer.write("one.svm", "1 1:0.5 2:2\n0 2:1\n1 1:0.25\n")
    mercer.write("two.svm", "0 1:2 3:0.5\n1 2:1 3:1\n")
    mercer.write("all.svm", mercer.read("one.svm") + mercer.read("two.svm"))
    both = mercer("fit", "one.svm", "two.svm", "--json", "-o", "m.mercer").json
    assert (both["n"], both["dim"], both["labels"]) == (5, 3, 2)
    assert both["fingerprint"] == mercer("fit", "all.svm", "--json", "-o", "m.mercer").json["fingerprint"]


def test_row_names_targets_and_gaps_are_joined(mercer):
    mercer.write("a.csv", "id,x,y,t\nr1,1,2,3\nr2,,5,4\nr3,3,1,9\n")
    mercer.write("b.csv", "t,y,x,id\n5,4,8,s1\n1,,6,s2\n")
    mercer("fit", "a.csv", "b.csv", "--missing", "mean", "--drop", "t", "-o", "m.mercer", "--scores", "s.csv")
    names = [line.split(",")[0] for line in mercer.read("s.csv").decode().split()]
    assert names == ["id", "r1", "r2", "r3", "s1", "s2"], names
    mercer.write("c.csv", "id,x,y,t\nr1,1,2,3\nr2,,5,4\nr3,3,1,9\ns1,8,4,5\ns2,6,,1\n")
    mercer("fit", "c.csv", "--missing", "mean", "--drop", "t", "-o", "n.mercer", "--scores", "u.csv")
    assert mercer.read("s.csv") == mercer.read("u.csv"), "the means are those of all rows"
    value = mercer("fit", "a.csv", "b.csv", "--missing", "drop", "--method", "pcr", "--target", "t", "--components", "1",
                   "--json", "-o", "p.mercer").json
    assert value["n"] == 3 and value["missing"]["rows_dropped"] == 2
    assert value["figures"] == mercer("fit", "c.csv", "--missing", "drop", "--method", "pcr", "--target", "t", "--json",
                                      "--components", "1", "-o", "q.mercer").json["figures"]
    mercer("transform", "m.mercer", "c.csv", "-o", "v.csv")
    close(numbers(mercer.read("v.csv").decode().replace("id,", "").replace("r", "").replace("s", ""))[:1],
          numbers(mercer.read("u.csv").decode().replace("id,", "").replace("r", "").replace("s", ""))[:1], 1e-9)


def test_columns_that_differ_are_named_with_their_file(mercer):
    mercer.write("a.csv", "x,y,kind\n1,2,u\n3,5,v\n4,4,u\n5,1,v\n")
    mercer.write("lacks.csv", "x,kind\n1,u\n3,v\n4,u\n")
    mercer.write("more.csv", "x,y,z,kind\n1,2,9,u\n3,5,8,v\n4,4,7,u\n")
    mercer.write("text.csv", "x,y,kind\n1,a,u\n3,b,v\n4,a,u\n")
    mercer.write("plain.csv", "x,y\n1,2\n3,5\n4,4\n")
    says(mercer("fit", "a.csv", "lacks.csv", status=3), "error[M280]", 'lacks column "y", which a.csv has', "lacks.csv")
    says(mercer("fit", "a.csv", "more.csv", status=3), "error[M280]", 'column "z" holds measurements', "more.csv")
    says(mercer("fit", "a.csv", "text.csv", status=3), "error[M280]", 'column "y"', "is none here: text", "text.csv")
    says(mercer("fit", "a.csv", "plain.csv", status=3), "error[M280]", "no classes", '"kind"', "plain.csv")
    assert mercer("fit", "plain.csv", "a.csv", "--json").json["n"] == 7
    # What is left out in the first one is left out in all.
    assert mercer("fit", "more.csv", "more.csv", "--drop", "z", "--json", "-o", "m.mercer").json["columns"] == ["x", "y"]
    assert mercer("fit", "more.csv", "a.csv", "--drop", "3", "--json", "-o", "m.mercer").json["n"] == 7
    mercer.write("one.csv", "1,2\n3,4\n5,1\n")
    mercer.write("two.csv", "1,2,3\n3,4,1\n5,1,1\n")
    says(mercer("fit", "one.csv", "two.csv", status=3), "error[M280]", "3 columns", "one.csv has 2", "two.csv")


def test_what_several_tables_cannot_have_is_refused(mercer):
    halves(mercer)
    says(mercer("fit", "a.csv", "b.csv", "--rejects", "r.csv", status=2), "error[M102]", "--rejects")
    says(mercer("fit", "a.csv", "b.csv", "--method", "pca", "--chunks", status=2), "error[M102]", "several tables")
    says(mercer("fit", "a.csv", "b.csv", "-o", "b.csv", status=2), "error[M109]", "b.csv")
    says(mercer("fit", "a.csv", "nothing.csv", status=4), "error[M401]", "nothing.csv")


def test_the_first_table_says_which_texts_there_are(mercer):
    mercer.write("a.csv", "x,colour\n1,red\n2,blue\n4,red\n")
    mercer.write("b.csv", "colour,x\nblue,7\nblue,1\n")
    mercer.write("c.csv", "colour,x\npink,7\nblue,1\n")
    value = mercer("fit", "a.csv", "b.csv", "--encode", "onehot:colour", "--json").json
    assert value["columns"] == ["x", "colour=blue", "colour=red"] and value["n"] == 5
    says(mercer("fit", "a.csv", "c.csv", "--encode", "onehot:colour", status=3), "error[M281]", '"pink"', "c.csv, row 1")
