"""Cases 121-128: pictures that cannot be drawn, of models and into places that are not for them."""

import os

from harness import Case
from tables import GOOD, csv

X = {"x.csv": GOOD}
PCA = [["fit", "x.csv", "--method", "pca", "-o", "m.mercer", "--quiet"]]
ONE = [["fit", "x.csv", "--method", "factor_analysis", "--components", "1", "-o", "m.mercer", "--quiet"]]
MEANS = [["fit", "x.csv", "--method", "nearest_mean", "-o", "m.mercer", "--quiet"]]


def bad(number, words, status, code, *texts, steps=PCA, files=X, **more):
    return Case(number, ["plot", "m.mercer", *words], status, code, *texts, files=files, steps=steps, **more)


def kinds_that_do_not_fit():
    """The error names the kinds that do."""
    yield bad(121, ["--kind", "confusion"], 7, "M716", "predict classes", "kinds that fit: ", "scatter", "scree")
    yield bad(121, ["--kind", "shepard", "-o", "p.svg"], 7, "M716", "no map of distances", "kinds that fit: ", after=nothing_written)
    yield bad(121, ["--kind", "scree"], 7, "M716", "no eigenvalues", "kinds that fit: confusion", steps=MEANS)
    yield bad(121, ["--kind", "scater"], 2, "M112", 'did you mean "scatter"?')
    yield bad(121, ["--kind", ""], 2, "M110", "--kind")


def components_that_are_not_there():
    yield bad(122, ["--kind", "biplot"], 7, "M716", "1 component, 2 are needed", steps=ONE)
    yield bad(122, ["--kind", "pairs"], 7, "M716", "1 component, 2 are needed", steps=ONE)
    yield bad(122, ["--kind", "scatter3d"], 7, "M716", "2 components, 3 are needed", "kinds that fit: ")
    yield bad(122, ["--kind", "scatter", "--y", "PC2"], 2, "M102", "no component", "give PC1", steps=ONE)
    yield bad(122, ["--kind", "scatter", "--x", "PC3"], 2, "M102", '"PC3"', "PC1 to PC2")
    yield bad(122, ["--kind", "scatter", "--x", "PC0"], 2, "M102", '"PC0"', "PC1 to PC2")


def columns_that_are_not_there():
    yield bad(123, ["x.csv", "--colour", "zz"], 3, "M216", '"zz"')
    yield bad(123, ["x.csv", "--kind", "contour", "--x", "w"], 3, "M216", '"w"')
    yield bad(123, ["x.csv", "--kind", "contour", "--x", "y", "--y", "y"], 2, "M102", "a map has two columns")
    yield bad(123, ["n.csv", "--colour", "label"], 2, "M102", "no classes", files={**X, "n.csv": csv([[1, 2, 3], [2, 1, 0]], "xyz")})
    yield bad(123, ["w.csv", "-o", "p.svg"], 7, "M710", files={**X, "w.csv": "a,b\n1,2\n2,3\n"}, after=nothing_written)


def nothing_written(folder, _):
    left = [name for name in os.listdir(folder) if name.startswith("p.")]
    return f"left behind: {left}" if left else None


def make_folder(folder):
    os.mkdir(os.path.join(folder, "p.svg"))


def not_a_picture(folder):
    with open(os.path.join(folder, "p.svg"), "w", encoding="utf-8") as file:
        file.write("notes")


def still_notes(folder, _):
    with open(os.path.join(folder, "p.svg"), encoding="utf-8") as file:
        return None if file.read() == "notes" else "the file was written over"


def outputs_that_are_none():
    yield bad(124, ["-o", "p.svg"], 4, "M406", "p.svg", prepare=make_folder)
    yield bad(124, ["-o", "."], 4, "M406", "folder")
    yield bad(124, ["-o", "nowhere/p.svg"], 4, "M402", "nowhere")
    yield bad(124, ["-o", "p.gif"], 4, "M412", ".svg, .png or .pdf", after=nothing_written)
    yield bad(124, ["-o", ""], 2, "M110")
    yield bad(124, ["-o", "p.svg"], 4, "M409", "--force", prepare=not_a_picture, after=still_notes)
    yield bad(124, ["-o", "m.mercer"], 4, "M412", "m.mercer")


def plain_text(_, result):
    text = result.out.decode()
    if "\x1b" in text:
        return "colours where nobody shows them"
    if not any("\u2800" < c <= "\u28ff" for c in text):
        return "no picture"
    return "lines of more than 80 characters" if max(map(len, text.split("\n"))) > 80 else None


def places_without_colour_or_width():
    """Standard output is a pipe here; terminals are in tests/cli/test_plot.py."""
    for kind in ("scatter", "scree", "contour", "loadings"):
        yield bad(125, ["x.csv", "--kind", kind], 0, "ok", after=plain_text)
    yield bad(125, ["--terminal", "paper"], 2, "M102", "auto, characters, kitty or sixel")


def sizes_that_are_none():
    for size in ("10", "0x10", "x", "1e9x1e9", "-5x5", "nanx10", "10x10x10"):
        yield bad(126, ["-o", "p.png", "--size", size], 2, "M102", "--size 640x480", after=nothing_written)
    for dpi in ("0", "x", "1e9", "-96", "nan"):
        yield bad(126, ["-o", "p.png", "--dpi", dpi], 2, "M102", "10 to 2400", after=nothing_written)
    yield bad(126, ["-o", "p.png", "--size", "20000x20000", "--dpi", "300"], 2, "M102", "too large", after=nothing_written)
    for count in ("0", "-1", "1.5", "x", "1e99"):
        yield bad(126, ["--count", count], 2, "M102", "whole number")
    yield bad(126, ["--theme", "blue"], 2, "M102", "light or dark")


def images_that_are_none():
    yield bad(127, ["--kind", "eigenimages"], 7, "M716", "too short")
    digits = {"d.csv": csv([[(i * j) % 7 for j in range(12)] for i in range(9)], [f"p{j}" for j in range(12)])}
    steps = [["fit", "d.csv", "--method", "pca", "-o", "m.mercer", "--quiet"]]
    for words, text in (([], "nothing says which images"), (["--image-size", "5x5"], "25 numbers"),
                        (["--image-size", "12"], "not a size"), (["--image-size", "0x12"], "not a size"),
                        (["--image-size", "2x3x2"], "not a size")):
        yield bad(127, ["--kind", "eigenimages", *words], 2, "M102", text, "--image-size" if not words else "", files=digits, steps=steps)


def rows_that_are_not_there():
    """What a model does not keep must be given."""
    yield bad(128, ["--kind", "contour"], 7, "M717", "mercer plot MODEL TABLE")
    yield bad(128, ["none.csv"], 4, "M401", "none.csv")
    yield bad(128, ["e.csv"], 3, "M201", "e.csv", files={**X, "e.csv": ""})


def cases():
    return [*kinds_that_do_not_fit(), *components_that_are_not_there(), *columns_that_are_not_there(), *outputs_that_are_none(),
            *places_without_colour_or_width(), *sizes_that_are_none(), *images_that_are_none(), *rows_that_are_not_there()]
