"""metric_mds from tables and distances: stress, starts, weights, new rows, and what is refused."""

import math
import random

from program import close, needs, numbers, says

SQUARE = "0,1,2,3\n1,0,1.5,2.5\n2,1.5,0,1\n3,2.5,1,0\n"


def matrix(rows):
    return "".join(",".join(repr(float(x)) for x in row) + "\n" for row in rows)


def table(mercer, name, header=True):
    return numbers(mercer.read(name).decode(), header=header)


def cloud():
    draws = random.Random(1)
    return [[draws.gauss(0, 1) for _ in range(5)] for _ in range(40)]


def stress(wanted, places, weight=lambda d: 1):
    return sum(weight(wanted[i][j]) * (wanted[i][j] - math.dist(places[i], places[j])) ** 2
               for i in range(len(places)) for j in range(i))


def test_the_stress_that_is_told_is_that_of_the_points(mercer):
    rows = cloud()
    mercer.write("t.csv", matrix(rows))
    wanted = [[math.dist(a, b) for b in rows] for a in rows]
    for args, weight in (([], lambda d: 1), (["--weight-power", "-1"], lambda d: 1 / d)):
        model = mercer("fit", "t.csv", "--method", "metric_mds", "--scores", "s.csv", "--json", *args).json
        needs(model["figures"], "stress", "stress_1", "iterations")
        told = stress(wanted, table(mercer, "s.csv"), weight)
        assert abs(model["figures"]["stress"] - told) < 1e-9 * told
        assert model["converged"] is True
    shown = mercer("info", "t.mercer").text
    assert "stress_1" in shown and "metric_mds" in shown, shown


def test_more_starts_are_no_worse_and_the_seed_counts(mercer):
    mercer.write("d.csv", SQUARE)
    args = ["d.csv", "--method", "metric_mds", "--as", "distance", "--components", "1"]
    one = mercer("fit", *args, "--json").json["figures"]["stress"]
    several = mercer("fit", *args, "--restarts", "5", "--json").json["figures"]
    assert several["stress"] <= one * (1 + 1e-9)
    assert len(several["stress_of_starts"]) == 6
    a, b, c = (mercer("fit", *args, "--start-from", "random", "--seed", seed, "-o", "m.mercer", "--reproducible",
                      "--json").json["figures"] for seed in ("1", "1", "2"))
    assert a == b and a["iterations"] + c["iterations"] > 0


def test_weights_come_as_a_table_too(mercer):
    mercer.write("d.csv", SQUARE)
    rows = [[float(x) for x in line.split(",")] for line in SQUARE.splitlines()]
    mercer.write("w.csv", matrix([[1 / d if d > 0 else 0 for d in row] for row in rows]))
    args = ["d.csv", "--method", "metric_mds", "--as", "distance", "--components", "1", "--json"]
    power = mercer("fit", *args, "--weight-power", "-1").json["figures"]
    table = mercer("fit", *args, "--weights", "w.csv").json["figures"]
    assert abs(power["stress"] - table["stress"]) < 1e-9 * power["stress"]
    mercer.write("few.csv", "1,1\n1,1\n")
    says(mercer("fit", *args[:-1], "--weights", "few.csv", status=3), "M240", "2 x 2")
    mercer.write("less.csv", matrix([[-1] * 4] * 4))
    says(mercer("fit", *args[:-1], "--weights", "less.csv", status=2), "M102", "row 1, column 1 of the weights")
    says(mercer("fit", "d.csv", "--as", "distance", "--weights", "w.csv", status=2), "M102", "metric_mds")


def test_a_search_that_is_cut_short_says_so(mercer):
    mercer.write("t.csv", matrix(cloud()))
    result = mercer("fit", "t.csv", "--method", "metric_mds", "--iterations", "2", status=6)
    says(result, "W600", "not converged", "2 steps")


def test_new_rows_come_by_columns_or_by_distances(mercer):
    places = [(0, 0), (3, 0), (0, 4), (3, 4), (1, 1)]
    new = [(2, 2), (-1, 5), (3, 0)]
    mercer.write("t.csv", matrix(places))
    mercer.write("d.csv", matrix([[math.dist(a, b) for b in places] for a in places]))
    mercer.write("nt.csv", matrix(new))
    mercer.write("nd.csv", matrix([[math.dist(a, b) for b in places] for a in new]))
    mercer("fit", "t.csv", "--method", "metric_mds", "--scores", "s.csv")
    mercer("fit", "d.csv", "--method", "metric_mds", "--as", "distance")
    mercer("transform", "t.mercer", "nt.csv", "-o", "a.csv")
    mercer("transform", "d.mercer", "nd.csv", "-o", "b.csv")
    close(table(mercer, "a.csv"), table(mercer, "b.csv"), 1e-9)
    close(table(mercer, "a.csv")[2:], table(mercer, "s.csv")[1:2], 1e-12)  # a training row


def test_what_is_no_matrix_of_distances_is_refused(mercer):
    for text, code, *words in (
            ("0,1,2\n1,0,3\n2,4,0\n", "M241", "(3, 2)"),
            ("0,-1,2\n-1,0,3\n2,3,0\n", "M245", "negative"),
            ("0,1,2\n1,0,3\n", "M240", "2 x 3"),
            ("0,0,0\n0,0,0\n0,0,0\n", "M244", "one place"),
            ("0\n", "M230", "1 row")):
        mercer.write("m.csv", text)
        result = mercer("fit", "m.csv", "--header", "no", "--method", "metric_mds", "--as", "distance", status=3)
        says(result, code, *words)
    mercer.write("m.csv", "0,1\n1,0\n")
    mercer("fit", "m.csv", "--header", "no", "--method", "metric_mds", "--as", "distance")
    mercer.write("same.csv", "1,2\n1,2\n1,2\n")
    says(mercer("fit", "same.csv", "--method", "metric_mds", status=3), "M231")
    mercer.write("d.csv", SQUARE)
    says(mercer("fit", "d.csv", "--method", "metric_mds", "--as", "distance", "--components", "4", status=3), "M233",
         "at most 3")


def test_options_that_make_no_sense(mercer):
    mercer.write("d.csv", SQUARE)
    for args, *words in (
            (["--as", "kernel"], "kernel values", "--method mds"),
            (["--as", "distance", "--components", "0.9"], "no shares"),
            (["--as", "distance", "--tolerance", "eigenvalues:1e-6"], "no eigenvalues"),
            (["--as", "distance", "--scale", "range"], "no columns"),
            (["--iterations", "0"], "whole number"),
            (["--start-from", "middle"], "classical")):
        says(mercer("fit", "d.csv", "--method", "metric_mds", *args, status=2), "M102", *words)


def test_new_rows_have_one_distance_for_each_sample(mercer):
    mercer.write("d.csv", SQUARE)
    mercer("fit", "d.csv", "--method", "metric_mds", "--as", "distance")
    mercer.write("few.csv", "1,2,3\n")
    says(mercer("transform", "d.mercer", "few.csv", status=7), "M713", "4 samples", "got 3")
    mercer.write("less.csv", "1,2,-3,1\n")
    says(mercer("transform", "d.mercer", "less.csv", status=3), "M245", "row 1, column 3")


def test_missing_distances_are_no_missing_values_of_a_table(mercer):
    mercer.write("g.csv", "0,1,2,3\n1,0,,2.5\n2,,0,1\n3,2.5,1,0\n")
    fit = ["fit", "g.csv", "--header", "no", "--as", "distance"]
    refused = mercer(*fit, "--method", "metric_mds", status=3)
    says(refused, "error[M212]", "leave those pairs out with --missing model")
    assert "--missing drop" not in refused.err and "--missing mean" not in refused.err
    for method in ("mds", "kernel_pca"):
        refused = mercer(*fit, "--method", method, status=3)
        says(refused, "error[M212]", "--method metric_mds --missing model")
        assert "--missing drop" not in refused.err
        says(mercer(*fit, "--method", method, "--missing", "model", status=2), "error[M102]", "needs every pair",
             "--method metric_mds --missing model")
    says(mercer(*fit[:-1], "kernel", "--method", "mds", status=3), "error[M212]", "complete the matrix")
    mercer(*fit, "--method", "metric_mds", "--missing", "model", "-o", "m.mercer")
    mercer.write("new.csv", "1,2,,2\n1,2,3,2\n")
    says(mercer("transform", "m.mercer", "new.csv", "--missing", "error", status=3), "error[M212]", "--missing model")
    mercer("transform", "m.mercer", "new.csv", "-o", "s.csv")  # gaps are treated as in the fit
    mercer("transform", "m.mercer", "new.csv", "--missing", "model", "-o", "again.csv")
    assert mercer.read("s.csv") == mercer.read("again.csv")
    assert len(table(mercer, "s.csv")) == 2
    mercer.write("none.csv", "1,2,3,2\n,,,\n")
    says(mercer("transform", "m.mercer", "none.csv", "--missing", "model", status=3), "error[M212]", "no distance to any")


def test_distances_that_are_read_as_a_table_are_told(mercer):
    mercer.write("d.csv", SQUARE)
    hint = "symmetric with a diagonal of zeros"
    says(mercer("fit", "d.csv", "--method", "mds"), hint, "   --as distance")
    says(mercer("fit", "d.csv", "--method", "pca"), hint, "--method mds --as distance")
    for args in (["mds", "--as", "distance"], ["mds", "--as", "table"]):
        assert hint not in mercer("fit", "d.csv", "--method", *args).err
    for other in ("0,1,0\n1,0,1\n0,1,0\n",          # a graph
                  "0,2,2\n2,0,2\n2,2,0\n",          # no two distances differ
                  "0,1,2\n1,0,3\n2,3.5,0\n",        # not symmetric
                  "0,1,-2\n1,0,3\n-2,3,0\n",        # negative
                  "1,0.5,0.2\n0.5,1,0.3\n0.2,0.3,1\n",  # correlations
                  "0,1,2\n1,0,3\n"):                 # not square
        mercer.write("o.csv", other)
        assert hint not in mercer("fit", "o.csv", "--header", "no", "--method", "pca").err, other


def test_more_components_than_columns_are_not_needed(mercer):
    mercer.write("t.csv", matrix([row[:2] for row in cloud()]))
    result = mercer("fit", "t.csv", "--method", "metric_mds", "--components", "4", "--scores", "s.csv")
    says(result, "warning[W233]", "2 of 4 components")
    assert len(table(mercer, "s.csv")[0]) == 2
