"""Cases 1-20: mistakes on the command line."""

import os

from harness import Case
from tables import GOOD

X = {"x.csv": GOOD}
FIT_MODEL = ["fit", "x.csv", "-o", "m.mercer", "--quiet"]
FIT_PCA = ["fit", "x.csv", "--method", "pca", "-o", "p.mercer", "--scores", "s.csv", "--quiet"]


def fit(number, option, value, code, *texts):
    """`mercer fit x.csv OPTION VALUE` is refused before anything is written."""
    return Case(number, ["fit", "x.csv", option, value], 2, code, *texts, files=X, after=only("x.csv"))


def only(*names):
    """Nothing but these files is left."""
    def after(folder, _result):
        there = sorted(os.listdir(folder))
        return None if there == sorted(names) else f"leaves {there}"
    return after


def holds(name, content):
    """The file is untouched."""
    def after(folder, _result):
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            return None if file.read() == content else f"{name} was changed"
    return after


def is_model(name):
    def after(folder, _result):
        with open(os.path.join(folder, name), "rb") as file:
            return None if file.read(64)[8:].startswith(b'{"__metadata__"') else f"{name} is no model"
    return after


def overwriting():
    """18: the output is an input, under any of its names."""
    def link(folder):
        os.symlink("x.csv", os.path.join(folder, "link.csv"))
        os.link(os.path.join(folder, "x.csv"), os.path.join(folder, "twin.csv"))

    def case(*args, steps=()):
        return Case(18, list(args), 2, "M109", "same file", files=X, steps=steps, prepare=link,
                    after=holds("x.csv", GOOD))

    model = [FIT_MODEL]
    return [
        case("fit", "x.csv", "-o", "x.csv"),
        case("fit", "x.csv", "-o", "./x.csv", "--force"),
        case("fit", "x.csv", "-o", "link.csv"),
        case("fit", "x.csv", "-o", "twin.csv"),
        case("fit", "x.csv", "--scores", "x.csv"),
        case("fit", "x.csv", "-o", "s.csv", "--scores", "s.csv"),
        case("convert", "x.csv", "x.csv"),
        case("transform", "m.mercer", "x.csv", "-o", "x.csv", steps=model),
        case("transform", "m.mercer", "x.csv", "-o", "m.mercer", steps=model),
        case("inverse", "p.mercer", "s.csv", "-o", "s.csv", steps=[FIT_PCA]),
        case("transform", "m.mercer", "x.csv", "--rejects", "m.mercer", steps=model),
        case("transform", "m.mercer", "x.csv", "-o", "s.csv", "--rejects", "./s.csv", steps=model),
        case("plan", "x.csv", "--rejects", "link.csv"),
        case("fit", "x.csv", "--checkpoint", "twin.csv"),
        Case(18, ["fit", "x.csv", "--rejects", "-"], 2, "M102", "--rejects", files=X, after=only("x.csv")),
        Case(18, ["fit", "x.csv", "--checkpoint", "-"], 2, "M102", "checkpoint", files=X, after=only("x.csv")),
    ]


def outputs():
    """19 and 20: where the output may go."""
    taken = {"x.csv": GOOD, "x.mercer": "my notes\n"}
    return [
        Case(19, ["fit", "x.csv", "-o", "no/m.mercer"], 4, "M402", "no", files=X, after=only("x.csv"), about="no/"),
        Case(19, ["fit", "x.csv", "--scores", "no/s.csv"], 4, "M402", files=X, after=only("x.csv"), about="no/"),
        Case(19, ["transform", "m.mercer", "x.csv", "-o", "no/s.csv"], 4, "M402", files=X, steps=[FIT_MODEL],
             about="no/"),
        Case(19, ["data", "circles", "-o", "no/c.csv"], 4, "M402", about="no/"),
        Case(19, ["convert", "x.csv", "no/c.npy"], 4, "M402", files=X, about="no/"),
        Case(19, ["fit", "x.csv", "-o", "m" * 256], 4, "M410", "256 bytes", files=X, after=only("x.csv")),
        Case(19, ["fit", "x.csv", "--scores", "m" * 252 + ".csv"], 4, "M410", files=X, after=only("x.csv")),
        Case(19, ["fit", "n" * 250], 4, "M410", "-o model.mercer", files={"n" * 250: GOOD}, absent=["Reading"]),
        # What the name alone tells is said before the work.
        Case(19, ["fit", "x.csv", "--scores", "s.xyz"], 4, "M412", ".xyz", ".npy", files=X, after=only("x.csv")),
        Case(20, ["fit", "x.csv"], 4, "M409", "x.mercer", "--force", files=taken, about="x.mercer",
             after=holds("x.mercer", "my notes\n")),
        Case(20, ["fit", "x.csv", "--force"], 0, "ok", files=taken, after=is_model("x.mercer")),
        Case(20, ["fit", "x.csv", "-o", "x.mercer"], 4, "M409", "x.mercer", "--force", files=taken, about="x.mercer",
             after=holds("x.mercer", "my notes\n")),
        Case(20, ["fit", "x.csv"], 0, "ok", files=X, steps=[["fit", "x.csv"]], after=is_model("x.mercer")),
    ] + reports()


def reports():
    """18 to 20 for the page of a model."""
    def case(number, args, status, code, *texts, **more):
        return Case(number, ["report", *args], status, code, *texts, files={**X, "notes.html": "mine\n"}, steps=[FIT_MODEL], **more)

    return [
        case(18, ["m.mercer", "-o", "m.mercer"], 2, "M109", "same file"),
        case(18, ["m.mercer", "-o", "m.mercer", "--force"], 2, "M109", "same file"),
        case(18, ["m.mercer", "x.csv", "-o", "./x.csv", "--force"], 2, "M109", "same file", after=holds("x.csv", GOOD)),
        case(18, ["m.mercer", "-o", "-", "--image-size", "8"], 2, "M102", "--image-size 8", "28x28"),
        case(19, ["m.mercer", "-o", "no/r.html"], 4, "M402", "no", about="no/"),
        case(19, ["m.mercer", "-o", "r" * 256], 4, "M410", "256 bytes"),
        case(20, ["m.mercer", "-o", "notes.html"], 4, "M409", "notes.html", "not a report", "--force",
             after=holds("notes.html", "mine\n")),
        case(109, ["x.csv"], 7, "M700", about="x.csv"),
    ]


def cases():
    return [
        Case(1, [], 2, None, "fit", "transform", "mercer COMMAND --help", once=True),
        Case(2, ["ftt", "x.csv"], 2, "M100", 'did you mean "fit"', files=X),
        Case(2, ["fit"], 2, "M110", "TABLE", "--help"),
        Case(2, ["info", "x.csv", "y.csv"], 2, "M101", "y.csv", files=X),
        Case(2, ["fit", "x.csv", "y.csv"], 4, "M401", "y.csv", files=X),
        Case(3, ["fit", "x.csv", "--componets", "3"], 2, "M101", '"--componets"', 'did you mean "--components"',
             files=X),
        Case(3, ["fit", "x.csv", "--componets=3"], 2, "M101", 'did you mean "--components"', files=X),
        Case(3, ["fit", "x.csv", "--components"], 2, "M110", "--components", files=X),
        fit(4, "--components", "0", "M102", ">= 1"),
        fit(5, "--components", "-3", "M102", "-3", ">= 1"),
        fit(6, "--components", "2.7", "M102", "whole number", "share"),
        fit(7, "--components", "1e30", "M102", "too large"),
        fit(7, "--components", "many", "M102", "many"),
        fit(7, "--threads", "0", "M102", "--threads"),
        fit(7, "--tolerance", "2", "M102", "tolerance"),
        fit(7, "--tolerance", "nan", "M102", "tolerance"),
        fit(7, "--missing", "maen", "M102", 'did you mean "mean"'),
        fit(7, "--header", "maybe", "M102", "yes or no"),
        fit(7, "--precision", "half", "M102", "single"),
        fit(7, "--scale", "standart", "M102", "standard"),
        fit(7, "--indefinite", "clpi", "M102", "clip"),
        fit(7, "--method", "kernel_pac", "M112", 'did you mean "kernel_pca"'),
        fit(7, "--operator", "dense_gran", "M112", "dense_gram"),
        fit(7, "--solver", "dens", "M112", "dense"),
        fit(7, "--solver", "lanczos:partal", "M112", 'did you mean "partial"'),
        fit(7, "--solver", "dense:fast", "M112", "no variants"),
        Case(7, ["fit", "x.csv", "--solver", "lobpcg", "--components", "0.9"], 2, "M102", "whole spectrum", files=X),
        Case(7, ["fit", "big.csv", "--solver", "power", "--components", "60"], 2, "M102", "at most 50",
             steps=[["data", "blobs", "-n", "200", "-o", "big.csv"]]),
        fit(7, "--format", "cvs", "M112", "csv"),
        fit(7, "--progress", "bar", "M102", "json"),
        fit(7, "--delimiter", "ab", "M102", "one character"),
        Case(7, ["data", "circels"], 2, "M112", "circles"),
        Case(7, ["data", "moons", "-n", "0"], 2, "M102", "1"),
        Case(7, ["list", "kernel"], 2, "M112", "kernels"),
        Case(7, ["explain", "M999"], 2, "M113", "M999"),
        fit(8, "--kernel", "rfb", "M103", 'did you mean "rbf"', "gaussian", "polynomial", "sigmoid", "linear"),
        fit(9, "--kernel", "rbf:sgima=1", "M104", "sgima", "sigma"),
        fit(10, "--kernel", "rbf:sigma=0", "M105", "> 0"),
        fit(11, "--kernel", "rbf:sigma=-1", "M105", "-1", "> 0"),
        fit(12, "--kernel", "rbf:sigma=nan", "M105", "nan"),
        fit(12, "--kernel", "rbf:sigma=inf", "M105", "inf"),
        fit(13, "--kernel", "rbf:sigma=1,gamma=1", "M106", "one of them"),
        fit(13, "--kernel", "rbf:sigma=1,sigma=1", "M106", "one of them"),
        fit(14, "--kernel", "poly:degree=0", "M105", "degree"),
        fit(15, "--kernel", "poly:degree=2.5", "M107", "whole number"),
        fit(15, "--kernel", "gaussian+", "M111", "missing"),
        fit(15, "--kernel", "gaussian:sigma", "M111", "name=value"),
        fit(15, "--kernel", "2", "M111", "kernel"),
        fit(15, "--kernel", "(gaussian)", "M111", "gaussian"),
        fit(16, "--memory", "10", "M108", "10 B", "10G"),
        fit(17, "--memory", "4X", "M108", "unit", "4X"),
        fit(17, "--memory", "-1G", "M108", "-1G"),
        *overwriting(),
        *outputs(),
    ]
