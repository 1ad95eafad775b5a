"""Cases 83-99: tables that are well formed and degenerate."""

import json
import math

from harness import Case
from tables import GOOD, csv, grid, npy, npy_of, wave


def fit(number, rows, code, *texts, options=(), status=None, after=None, header=None):
    status = status if status is not None else 3 if code.startswith("M") else 0
    return Case(number, ["fit", "t.csv", *options], status, code, *texts, files={"t.csv": csv(rows, header)},
                after=after, about="t.csv")


def info(number, rows, check, code="ok", options=()):
    """Fits and looks at what `mercer info --json` says of the model; check returns what is wrong or None."""
    def after(_folder, result):
        try:
            return check(json.loads(result.out))
        except ValueError:
            return "info --json is no JSON"
    return Case(number, ["info", "t.mercer", "--json"], 0, code, files={"t.csv": csv(rows)}, after=after, once=True,
                steps=[["fit", "t.csv", "--quiet", *options]])


def components(count):
    return lambda model: None if model["components"] == count else f"{model['components']} components"


def all_finite(model):
    numbers = model["eigenvalues"] + model["explained_variance_ratio"] + model["residuals"]
    if not all(isinstance(x, (int, float)) and math.isfinite(x) for x in numbers):
        return f"not finite: {numbers}"
    return None if model["eigenvalues"][0] > 0 else f"eigenvalues {model['eigenvalues']}"


def rank_one(model):
    codes = [warning["code"] for warning in model["warnings"]]
    return components(1)(model) if codes == ["W233"] else f"warnings {codes}"


def few():
    two, one = [[1, 2], [3, 5]], [[1, 2]]
    pair = {"t.csv": csv([[1, 2], [3, 5], [4, 4]]), "one.csv": "1,2\n"}
    return [
        Case(83, ["fit", "t.npy"], 3, "M202", files={"t.npy": npy((0, 3))}, about="t.npy"),
        Case(83, ["fit", "t.npy"], 3, "M211", files={"t.npy": npy((3, 0))}, about="t.npy"),
        Case(83, ["fit", "t.csv", "--missing", "drop"], 3, "M212", "all 2 rows", "--missing mean",
             files={"t.csv": "x,y\n1,NA\nNA,2\n"}, about="t.csv"),
        fit(84, one, "M230", "1 row", "at least 2", options=["--header", "no"]),
        Case(84, ["transform", "t.mercer", "one.csv", "--header", "no"], 0, "ok", files=pair,
             steps=[["fit", "t.csv"]]),
        fit(85, two, "ok", "1 component "),
        info(85, two, components(1)),
        fit(85, two, "M233", "1", options=["--components", "2"]),
        fit(86, [[1, 2], [3, 5]], "M211", options=["--drop", "1,2"]),
        fit(86, [["a", "b"], ["a", "c"]], "M211", header=["p", "q"]),
        fit(87, [[1], [3], [4]], "ok", "3 × 1"),
        info(87, [[1], [3], [4]], all_finite),
    ]


def equal_rows():
    copies = grid(10, 3, wave) * 2
    pca = ["fit", "t.csv", "--method", "pca", "--quiet", "--components", "3", "--scores", "s.csv"]

    def came_back(_folder, result):
        got = [[float(cell) for cell in line.split(",")] for line in result.out.decode().split()]
        worst = max(abs(a - b) for g, w in zip(got, copies) for a, b in zip(g, w))
        return None if len(got) == 20 and worst < 1e-12 else f"inverse is off by {worst}"

    return [
        fit(88, [[1, 2]] * 5, "M231", "all 5 rows are identical"),
        fit(88, [[1, 2]] * 5, "M231", "all 5 rows are identical", options=["--method", "pca"]),
        fit(89, [[1, 2]] * 5 + [[3, 4]], "W239", "1 component "),
        info(89, [[1, 2]] * 5 + [[3, 4]], all_finite),
        fit(90, [[1, 7, 2], [3, 7, 5], [4, 7, 4]], "ok", "constant"),
        info(90, [[1, 7, 2], [3, 7, 5], [4, 7, 4]], all_finite, options=["--scale", "standard"]),
        info(91, copies, all_finite),
        Case(91, ["inverse", "t.mercer", "s.csv"], 0, "ok", files={"t.csv": csv(copies)}, steps=[pca], once=True,
             after=came_back),
    ]


def too_many():
    rows = grid(8, 3, wave)
    flat = [[i, 2 * i, 3 * i] for i in range(8)]
    return [
        fit(92, rows, "M233", "7", options=["--components", "8"]),
        fit(92, rows, "M233", "3", options=["--components", "4", "--method", "pca"]),
        fit(92, rows, "M233", "3", options=["--components", "4", "--kernel", "linear"]),
        fit(92, rows, "ok", "8 components", options=["--components", "8", "--no-center"]),
        fit(92, flat, "W233", "rank", "1", options=["--components", "3", "--method", "pca"]),
        info(92, flat, rank_one, options=["--components", "3", "--method", "pca"]),
        fit(92, flat, "W233", "rank", "1", options=["--components", "2", "--kernel", "linear"]),
    ]


def scales():
    rows = grid(20, 3, wave)
    wide = [[row[0] * 1e9, row[1], row[2]] for row in rows]
    found = [fit(93, wide, "W234", "--scale"), fit(93, wide, "ok", options=["--scale", "standard"])]
    for factor in (1e150, 1e-150, 1e-310, 1e300):
        scaled = [[cell * factor for cell in row] for row in rows]
        found.append(info(94, scaled, all_finite))
    moved = [[cell + 1e8 for cell in row] for row in rows]
    found.append(info(95, moved, all_finite, code=None))
    return found


def widths():
    rows = grid(20, 3, wave)
    return [
        fit(96, rows, "W235", "alone", options=["--kernel", "gaussian:sigma=1e-3"]),
        fit(97, rows, "W236", "constant", options=["--kernel", "gaussian:sigma=1e9"]),
        fit(98, [[cell * 1e3 for cell in row] for row in rows], "M221", options=["--kernel", "poly:degree=200"]),
        fit(99, rows, "W242", "negative", options=["--kernel", "sigmoid:scale=0.01,offset=-1"]),
        fit(99, rows, "M242", options=["--kernel", "sigmoid:scale=0.01,offset=-1", "--indefinite", "error"]),
        Case(99, ["fit", "x.csv", "--memory", "1M"], 5, "M301", files={"x.csv": csv(grid(600, 3, wave))}),
        Case(99, ["fit", "t.npy"], 3, "M212", "row 2", files={"t.npy": npy_of([[1, 2], [math.nan, 3], [4, 5]])},
             about="t.npy"),
        Case(99, ["fit", "x.csv", "--label", "kind"], 0, "ok", "2 classes", files={"x.csv": GOOD}),
    ]


def planes_and_far_rows():
    rows = grid(20, 3, wave)
    flat = [[*row, 3.7] for row in rows]
    plate = ["--kernel", "thin_plate_spline"]
    files = {"x.csv": csv(rows), "new.csv": "0.1,0.2,0.3\n1e17,2e17,-1e17\n"}
    return [
        fit(96, flat, "W247", "1 of 4 columns (4) is an affine function", options=plate),
        fit(96, [[*row, row[0], row[1]] for row in rows], "W247", "2 of 5 columns", options=plate),
        fit(96, rows, "ok", options=plate),
        Case(96, ["transform", "m.mercer", "new.csv", "-o", "s.csv"], 0, "W248", "1 of 2 rows lies", "row 2",
             files=files, steps=[["fit", "x.csv", *plate, "-o", "m.mercer"]]),
        # A kernel that falls with the distance has no digits to lose there, and nothing to say.
        Case(96, ["transform", "m.mercer", "new.csv", "-o", "s.csv"], 0, "W249", "1 of 2 rows is out", "row 2",
             files=files, steps=[["fit", "x.csv", "-o", "m.mercer"]]),
    ]


def cases():
    return [*few(), *equal_rows(), *too_many(), *scales(), *widths(), *planes_and_far_rows()]
