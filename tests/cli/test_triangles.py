"""Lower triangles of matrices of pairs: with a diagonal or without, with names or without, as R prints them."""

import math
import random

from program import close, numbers, says

NAMES = ["Athens", "Bonn", "Cadiz", "Delft", "Essen", "Faro"]


def points(n, seed=3):
    draw = random.Random(seed)
    return [[draw.gauss(0, 1) for _ in range(3)] for _ in range(n)]


def matrix_of(rows):
    return [[math.dist(x, y) for y in rows] for x in rows]


def square(d, names=None):
    head = "," + ",".join(names) + "\n" if names else ""
    return head + "".join((names[i] + "," if names else "") + ",".join(repr(x) for x in row) + "\n"
                          for i, row in enumerate(d))


def scores(mercer, text, *more, name="d.csv", what="distance"):
    mercer.write(name, text)
    mercer("fit", name, "--as", what, "-o", "m.mercer", "--scores", "s.csv", "--components", "2", *more)
    lines = mercer.read("s.csv").decode().splitlines()
    ids = not lines[0].startswith("PC1")
    return [[float(x) for x in line.split(",")[1 if ids else 0:]] for line in lines[1:]], \
        [line.split(",")[0] for line in lines[1:]] if ids else None


def printed(d, names, width=80, diagonal=False):
    """As R's print() shows an object of class dist: blocks of columns, numbers to the right."""
    first = 0 if diagonal else 1
    cells = [[f"{d[i][j]:.15f}" if j < i + (1 if diagonal else 0) else "" for j in range(len(d) - first)]
             for i in range(first, len(d))]
    label = max(len(name) for name in names)
    wide = max(max(len(cell) for row in cells for cell in row), label) + 1
    per_block = max(1, (width - label) // wide)
    text = ""
    for begin in range(0, len(d) - first, per_block):
        block = range(begin, min(begin + per_block, len(d) - first))
        text += " " * label + "".join(names[j].rjust(wide) for j in block) + "\n"
        for i, row in enumerate(cells):
            text += names[i + first].ljust(label) + "".join(row[j].rjust(wide) for j in block) + "\n"
    return text


def test_triangles_are_the_matrix_that_they_are_half_of(mercer):
    d = matrix_of(points(6))
    wanted, _ = scores(mercer, square(d))
    bare = "".join(",".join(repr(x) for x in d[i][:i]) + "\n" for i in range(1, 6))
    full = "".join(",".join(repr(x) for x in d[i][:i + 1]) + "\n" for i in range(6))
    padded = "".join(",".join([repr(x) for x in d[i][:i + 1]] + [""] * (5 - i)) + "\n" for i in range(6))
    for text in (bare, full, padded, bare.replace(",", " "), full.replace(",", "\t"), full.replace(",", ";"),
                 padded.replace(",\n", ",NA\n")):
        got, names = scores(mercer, text)
        close(got, wanted, 1e-12)
        assert names is None
    says(mercer("fit", "d.csv", "--as", "distance"), "a lower triangle with its diagonal: a symmetric matrix of 6")


def test_names_of_triangles_name_the_rows(mercer):
    d = matrix_of(points(6))
    wanted, _ = scores(mercer, square(d, NAMES))
    head = "," + ",".join(NAMES) + "\n"
    texts = [
        head + "".join(",".join([NAMES[i], *(repr(x) for x in d[i][:i + 1])]) + "\n" for i in range(6)),
        head + "".join(",".join([NAMES[i], *(repr(x) for x in d[i][:i])]) + "\n" for i in range(6)),
        "".join(" ".join([NAMES[i], *(repr(x) for x in d[i][:i])]) + "\n" for i in range(6)),
        "," + ",".join(NAMES[:5]) + "\n" +
        "".join(",".join([NAMES[i], *(repr(x) for x in d[i][:i])]) + "\n" for i in range(1, 6)),
        '"",' + ",".join(f'"{name}"' for name in NAMES) + "\n" +
        "".join(f'"{NAMES[i]}",' + ",".join([*(repr(x) for x in d[i][:i + 1]), *(["NA"] * (5 - i))]) + "\n"
                for i in range(6)),
    ]
    for text in texts:
        got, names = scores(mercer, text)
        close(got, wanted, 1e-12)
        assert names == NAMES, (names, text)


def test_tables_as_r_prints_them(mercer):
    d = matrix_of(points(6))
    wanted, _ = scores(mercer, square(d))
    for names in (NAMES, [str(i + 1) for i in range(6)], ["Fiat X1", "Hook of Holland", *NAMES[2:]]):
        for width in (200, 70, 45):
            for diagonal in (False, True):
                got, known = scores(mercer, printed(d, names, width, diagonal), name="d.txt")
                close(got, wanted, 1e-10)
                assert " ".join(names).count(" ") > 5 or known == names, (known, width, diagonal)


def test_new_rows_are_distances_to_the_samples(mercer):
    rows = points(7)
    d = matrix_of(rows[:6])
    text = "".join(",".join([NAMES[i], *(repr(x) for x in d[i][:i])]) + "\n" for i in range(6))
    mercer.write("d.csv", text)
    mercer("fit", "d.csv", "--as", "distance", "-o", "m.mercer")
    new = [math.dist(rows[6], x) for x in rows[:6]]
    mercer.write("new.csv", ",".join(NAMES) + "\n" + ",".join(repr(x) for x in new) + "\n")
    mercer.write("full.csv", square(d))
    mercer("fit", "full.csv", "--as", "distance", "-o", "full.mercer")
    mercer.write("bare.csv", ",".join(repr(x) for x in new) + "\n")
    close(numbers(mercer("transform", "m.mercer", "new.csv").text),
          numbers(mercer("transform", "full.mercer", "bare.csv", "--header", "no").text), 1e-12)


def test_other_matrices_of_pairs_may_be_triangles(mercer):
    rows = points(5)
    products = [[sum(a * b for a, b in zip(x, y)) for y in rows] for x in rows]
    squared = [[math.dist(x, y) ** 2 for y in rows] for x in rows]
    for what, values in (("kernel", products), ("squared-distance", squared)):
        wanted, _ = scores(mercer, square(values), what=what)
        got, _ = scores(mercer, "".join(",".join(repr(x) for x in values[i][:i + 1]) + "\n" for i in range(5)),
                        what=what)
        close(got, wanted, 1e-12)
    for method in ("mds", "metric_mds"):
        d = matrix_of(rows)
        wanted, _ = scores(mercer, square(d), "--method", method)
        got, _ = scores(mercer, "".join(",".join(repr(x) for x in d[i][:i]) + "\n" for i in range(1, 5)),
                        "--method", method)
        close(got, wanted, 1e-12)
