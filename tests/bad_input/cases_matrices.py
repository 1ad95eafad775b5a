"""Cases 100-106 and 120: rows without direction, and matrices given instead of tables."""

from harness import Case

SQUARE = "0,1,2,3\n1,0,1.5,2.5\n2,1.5,0,1\n3,2.5,1,0\n"
KERNEL = "2,1,0,0\n1,2,1,0\n0,1,2,1\n0,0,1,2\n"


def given(number, content, what, status, code, *texts, options=()):
    return Case(number, ["fit", "m.csv", "--as", what, *options], status, code, *texts, files={"m.csv": content},
                about="m.csv" if status else None)


def zero_rows():
    table = "x,y\n0,0\n1,2\n2,1\n-1,3\n0.5,-1\n"
    return [
        Case(100, ["fit", "t.csv", "--kernel", "cosine"], 0, "W243", "row 1", files={"t.csv": table}),
        Case(100, ["fit", "t.csv", "--kernel", "cosine"], 0, "W243", "2 rows", files={"t.csv": table + "0,0\n"}),
        Case(100, ["fit", "t.svm", "--kernel", "cosine"], 0, "W243", "row 2",
             files={"t.svm": "1 1:1 2:2\n0\n1 1:2 2:1\n0 1:-1 2:3\n"}),
    ]


def wrong_shapes():
    return [
        given(101, "1,2,3\n2,1,4\n", "kernel", 3, "M240", "2 x 3"),
        given(101, "1,2\n2,1\n3,4\n", "distance", 3, "M240", "3 x 2"),
        given(102, "1,2,3\n2.5,1,4\n3,4,1\n", "kernel", 3, "M241", "(2, 1)", "2.5"),
        given(102, "0,2,3\n2.5,0,4\n3,4,0\n", "distance", 3, "M241"),
        given(102, KERNEL.replace("1,2,1,0", "1.000000000001,2,1,0"), "kernel", 0, "W241"),
        given(103, "-2,-1,0\n-1,-2,-1\n0,-1,-2\n", "kernel", 3, "M244", options=["--no-center"]),
        given(103, "-3,1,1\n1,-3,1\n1,1,-3\n", "kernel", 3, "M244"),
        # Eigenvalues 3, 1 and -1: positive ones are 0.8 of the magnitudes.
        given(103, "1,2,0\n2,1,0\n0,0,1\n", "kernel", 3, "M248", "0.9", "are 0.8 of", "flip",
              options=["--no-center", "--components", "0.9"]),
        given(103, "1,2,0\n2,1,0\n0,0,1\n", "kernel", 0, "W242", options=["--no-center", "--components", "0.8"]),
        given(104, "1,2\n2,nan\n", "kernel", 3, "M212"),
        given(104, "1,2,\n2,1,3\n0,3,1\n", "kernel", 3, "M212"),
        given(104, "0,inf\ninf,0\n", "distance", 3, "M212"),
    ]


def wrong_distances():
    return [
        given(105, SQUARE.replace("0,1,2,3", "0,-1,2,3"), "distance", 3, "M245", "row 1", "--as kernel"),
        given(105, KERNEL, "distance", 3, "M245", "itself", "--as kernel"),
        given(105, KERNEL, "squared-distance", 3, "M245"),
        given(106, "0,1,1,9\n1,0,1,1\n1,1,0,1\n9,1,1,0\n", "distance", 0, "W246", "negative"),
        Case(106, ["fit", "m.csv", "--as", "distance", "--method", "pca"], 2, "M102", "kernel_pca",
             files={"m.csv": SQUARE}),
        Case(106, ["fit", "m.csv", "--as", "distances"], 2, "M102", "distance", files={"m.csv": SQUARE}),
        Case(106, ["fit", "m.csv", "--as", "distance", "--no-center"], 3, "M232", files={"m.csv": SQUARE}),
        Case(106, ["fit", "m.csv", "--as", "kernel", "--kernel", "linear"], 2, "M102", files={"m.csv": KERNEL}),
        Case(106, ["fit", "m.csv", "--as", "distance", "--kernel", "cosine"], 2, "M102", "more of two rows",
             files={"m.csv": SQUARE}),
        Case(106, ["fit", "m.csv", "--as", "distance", "--kernel", "gaussian+linear"], 2, "M102", files={"m.csv": SQUARE}),
        Case(106, ["fit", "m.csv", "--as", "distance", "--kernel", "thin_plate_spline"], 2, "M102", "--nullspace constant",
             files={"m.csv": SQUARE}),
        Case(106, ["fit", "m.csv", "--as", "distance", "--kernel", "multiquadric", "--no-center"], 3, "M232",
             files={"m.csv": SQUARE}),
        Case(106, ["fit", "m.csv", "--as", "distance", "--kernel", "gaussian"], 3, "M231",
             files={"m.csv": "0,0,0\n0,0,0\n0,0,0\n"}),
    ]


def broken_triangles():
    return [
        given(104, "1\n2,3\n4,5\n", "distance", 3, "M207", "row 3", "2 numbers", "where 3", "m.csv:3"),
        given(104, "1\n2,3\n4,5,6,7\n", "distance", 3, "M207", "row 3", "m.csv:3"),
        given(104, "1\n2,3\n4,x,6\n", "distance", 3, "M204", '"x"', "m.csv:3:2"),
        given(104, "1\n2,3\n4,1e999,6\n", "distance", 3, "M213", "m.csv:3:2"),
        given(104, "a\nb,3\nc,4,6\n", "kernel", 3, "M212", "itself"),
        given(104, "1\n2,3\n4,,6\n", "distance", 3, "M212"),
        given(104, "1\n2,-3\n4,5,6\n", "distance", 3, "M245", "negative"),
    ]


def transform():
    steps = [["fit", "m.csv", "--as", "distance", "-o", "m.mercer"]]
    files = {"m.csv": SQUARE}
    return [
        Case(120, ["transform", "m.mercer", "new.csv"], 7, "M713", "4 samples", "got 2",
             files={**files, "new.csv": "1,2\n3,4\n"}, steps=steps, about="new.csv"),
        Case(120, ["transform", "m.mercer", "new.csv", "-o", "s.csv"], 0, "ok", "2 × 2",
             files={**files, "new.csv": "1,2,1,2\n3,4,2,1\n"}, steps=steps),
        Case(120, ["transform", "m.mercer", "new.csv"], 3, "M245",
             files={**files, "new.csv": "1,2,-1,2\n"}, steps=steps, about="new.csv"),
    ]


def cases():
    return [*zero_rows(), *wrong_shapes(), *wrong_distances(), *broken_triangles(), *transform()]
