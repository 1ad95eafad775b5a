"""Rows out of the kernel's reach: W249 in transform, predict, score and JSON."""

import math

from program import says


def table(mercer):
    """Rows on a line, two classes; sigma is 1, so that rows 5 away have nothing left."""
    mercer.write("t.csv", "name,x,kind\n" + "".join(f"r{i},{i / 10},{'ab'[i // 10 % 2]}\n" for i in range(40)))
    mercer.write("n.csv", "name,x,kind\n" + "".join(f"q{i},{x},a\n" for i, x in enumerate((1, 50, 2.5, -40, 7, 12))))


def out_of_reach():
    """By the formula: the largest of all kernel values against that of training rows with each other."""
    least = 1e-3 * math.exp(-0.5 * 0.1 ** 2)
    return [i + 1 for i, x in enumerate((1, 50, 2.5, -40, 7, 12))
            if max(math.exp(-0.5 * (x - j / 10) ** 2) for j in range(40)) < least]


def test_commands_tell_which_rows_are_out_of_reach(mercer):
    table(mercer)
    expected = out_of_reach()
    assert expected == [2, 4, 6]
    for method, command in (("kernel_pca", "transform"), ("kernel_lda", "predict"), ("kernel_bda", "score"),
                            ("nearest_mean", "predict"), ("ekpca", "transform")):
        mercer("fit", "t.csv", "--method", method, "--kernel", "gaussian:sigma=1", "-o", "m.mercer")
        told = mercer(command, "m.mercer", "n.csv", "--json")
        assert told.json["out_of_reach"] == expected and told.json["out_of_reach_count"] == 3, (method, told.json["out_of_reach"])
        assert "W249" in [entry["code"] for entry in told.json["warnings"]]
        says(told, "warning[W249]: 3 of 6 rows are out of the kernel's reach (", "q1", "q3", "q5")
        own = mercer(command, "m.mercer", "t.csv", "--json")
        assert own.json["out_of_reach"] == [] and "W249" not in own.err, method


def test_rows_that_stay_in_their_places_are_counted_there(mercer):
    table(mercer)
    mercer("fit", "t.csv", "--kernel", "gaussian:sigma=1", "-o", "m.mercer")
    mercer.write("g.csv", "name,x,kind\na,,a\nb,1,a\nc,99,b\n")
    assert mercer("transform", "m.mercer", "g.csv", "--missing", "keep", "--json").json["out_of_reach"] == [3]


def test_kernels_that_grow_have_no_reach(mercer):
    table(mercer)
    for kernel in ("linear", "polynomial:degree=2", "multiquadric"):
        mercer("fit", "t.csv", "--kernel", kernel, "--components", "1", "-o", "m.mercer")
        told = mercer("transform", "m.mercer", "n.csv", "--json")
        assert told.json["out_of_reach"] == [], kernel
