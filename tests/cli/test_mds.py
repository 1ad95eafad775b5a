"""mds from tables and matrices: the same points, the constant, new rows, and what is refused."""

import math

from program import close, needs, numbers, says

# Five points of the plane, and the distances between them.
PLACES = [(0, 0), (3, 0), (0, 4), (3, 4), (1, 1)]


def matrix(rows):
    return "".join(",".join(repr(float(x)) for x in row) + "\n" for row in rows)


def distances(some, others):
    return [[math.dist(a, b) for b in others] for a in some]


def table(mercer, name, header=True):
    return numbers(mercer.read(name).decode(), header=header)


def rough(mercer):
    """No points have these distances."""
    mercer.write("m.csv", "0,1,1,9\n1,0,1,1\n1,1,0,1\n9,1,1,0\n")


def test_a_table_and_its_distances_have_the_same_points(mercer):
    mercer.write("t.csv", "x,y\n" + matrix(PLACES))
    mercer.write("d.csv", matrix(distances(PLACES, PLACES)))
    mercer("fit", "t.csv", "--method", "mds", "--scores", "st.csv")
    model = mercer("fit", "d.csv", "--method", "mds", "--as", "distance", "--scores", "sd.csv", "--json").json
    close(table(mercer, "st.csv"), table(mercer, "sd.csv"), 1e-12)
    needs(model, "eigenvalues", "certificate", "figures")
    assert abs(model["figures"]["goodness_of_fit"] - 1) < 1e-12, model["figures"]
    assert model["kernel"]["formula"] == "-d(x,y)^2/2 of the given distances"


def test_new_rows_come_by_columns_or_by_distances(mercer):
    new = [(2, 2), (-1, 5)]
    mercer.write("t.csv", matrix(PLACES))
    mercer.write("d.csv", matrix(distances(PLACES, PLACES)))
    mercer.write("nt.csv", matrix(new))
    mercer.write("nd.csv", matrix(distances(new, PLACES)))
    for way in ("gower", "trosset-priebe"):
        mercer("fit", "t.csv", "--method", "mds", "--out-of-sample", way)
        mercer("fit", "d.csv", "--method", "mds", "--as", "distance", "--out-of-sample", way)
        mercer("transform", "t.mercer", "nt.csv", "-o", "a.csv")
        mercer("transform", "d.mercer", "nd.csv", "-o", "b.csv")
        close(table(mercer, "a.csv"), table(mercer, "b.csv"), 1e-10)


def test_distances_that_are_not_euclidean_are_told_and_mended(mercer):
    rough(mercer)
    result = mercer("fit", "m.csv", "--method", "mds", "--as", "distance")
    says(result, "W246", "negative", "--additive cailliez")
    result = mercer("fit", "m.csv", "--method", "mds", "--as", "distance", "--additive", "cailliez", "--json")
    assert "W246" not in result.err, result.err
    constant = result.json["figures"]["additive_constant"]
    assert constant > 0
    shown = mercer("info", "m.mercer").text
    for word in ("additive_constant", "goodness_of_fit", "d(x,y) + "):
        assert word in shown, shown
    # The training rows come back through the constant.
    mercer("fit", "m.csv", "--method", "mds", "--as", "distance", "--additive", "cailliez", "--scores", "s.csv")
    mercer("transform", "m.mercer", "m.csv", "-o", "again.csv")
    close(table(mercer, "s.csv"), table(mercer, "again.csv"), 1e-9)


def test_what_is_no_matrix_of_distances_is_refused(mercer):
    for text, code, *words in (
            ("0,1,2\n1,0,3\n2,4,0\n", "M241", "(3, 2)", "row 3, column 2"),
            ("0,-1,2\n-1,0,3\n2,3,0\n", "M245", "negative", "row 1, column 2"),
            ("0,1,2\n1,0,3\n", "M240", "2 x 3"),
            ("0,1,2\n1,0,nan\n2,nan,0\n", "M212", "missing"),
            ("0,0,0\n0,0,0\n0,0,0\n", "M244", "one place"),
            ("0\n", "M230", "1 row")):
        mercer.write("m.csv", text)
        says(mercer("fit", "m.csv", "--header", "no", "--method", "mds", "--as", "distance", status=3), code, *words)


def test_few_rows_and_many_components(mercer):
    mercer.write("two.csv", "1,2\n4,6\n")
    mercer("fit", "two.csv", "--method", "mds", "--scores", "s.csv")
    scores = table(mercer, "s.csv")
    assert abs(abs(scores[0][0] - scores[1][0]) - 5) < 1e-12, scores
    says(mercer("fit", "two.csv", "--method", "mds", "--components", "2", status=3), "M233", "allow 1")
    mercer.write("same.csv", "1,2\n1,2\n1,2\n")
    says(mercer("fit", "same.csv", "--method", "mds", status=3), "M231")
    rough(mercer)
    says(mercer("fit", "m.csv", "--method", "mds", "--as", "distance", "--components", "4", status=3), "M233")


def test_options_that_contradict_each_other(mercer):
    rough(mercer)
    for args, *words in (
            (["--as", "kernel", "--additive", "cailliez"], "not to kernel values"),
            (["--additive", "cailliez"], "Euclidean already"),
            (["--as", "kernel", "--out-of-sample", "trosset-priebe"], "how long"),
            (["--as", "distance", "--scale", "standard"], "no columns to scale"),
            (["--out-of-sample", "nearest"], "gower"),
            (["--components", "auto"], "no rule")):
        says(mercer("fit", "m.csv", "--method", "mds", *args, status=2), "M102", *words)


def test_new_rows_have_one_distance_for_each_sample(mercer):
    rough(mercer)
    mercer("fit", "m.csv", "--method", "mds", "--as", "distance")
    mercer.write("few.csv", "1,2,3\n")
    says(mercer("transform", "m.mercer", "few.csv", status=7), "M713", "4 samples", "got 3")
    mercer.write("less.csv", "1,2,-3,1\n")
    says(mercer("transform", "m.mercer", "less.csv", status=3), "M245", "row 1, column 3")
