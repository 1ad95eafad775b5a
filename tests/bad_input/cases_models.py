"""Cases 109-119: model files, and tables that do not fit them."""

import json
import os
import struct
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

import model_edit  # noqa: E402 - found by the line above
from harness import Case
from tables import GOOD, csv, npy, npy_of

X = {"x.csv": GOOD}
KERNEL = [["fit", "x.csv", "-o", "m.mercer", "--quiet"]]
PCA = [["fit", "x.csv", "--method", "pca", "-o", "m.mercer", "--scores", "s.csv", "--quiet"]]


def edited(change):
    """Replaces the model's bytes by change(bytes)."""
    def prepare(folder):
        path = os.path.join(folder, "m.mercer")
        with open(path, "rb") as file:
            content = file.read()
        with open(path, "wb") as file:
            file.write(change(content))
    return prepare


def flipped(content, place):
    return content[:place] + bytes([content[place] ^ 4]) + content[place + 1:]


def of_format(content, number):
    """The same file, calling itself another format."""
    assert content[8:].startswith(b'{"__metadata__":{"mercer.format":"1"')
    return content.replace(b'"mercer.format":"1"', b'"mercer.format":"%d"' % number, 1)


def header_end(content):
    return 8 + struct.unpack("<Q", content[:8])[0]


def broken(number, change, code, *texts, status=7):
    """The damage is found by every command that opens a model."""
    commands = [["info", "m.mercer"], ["transform", "m.mercer", "x.csv"], ["inverse", "m.mercer", "x.csv"]]
    return [Case(number, args, status, code, *texts, files=X, steps=PCA, prepare=edited(change), about="m.mercer")
            for args in commands]


def hostile(steps, change, *texts, inverse=True):
    """A model of right checksums and wrong content: every command that opens it says which field it is."""
    commands = [["info", "m.mercer"], ["transform", "m.mercer", "x.csv"]]
    commands += [["inverse", "m.mercer", "s.csv"]] if inverse else []
    return [Case(112, args, 7, "M703", *texts, files=X, steps=steps, about="m.mercer",
                 prepare=edited(lambda content: model_edit.edited(content, change)))
            for args in commands]


def contradictions():
    """Values and arrays that do not fit together."""
    def with_values(**values):
        return lambda model: model.values.update(values)

    def with_nan(model):
        dtype, shape, data = model.arrays["points"]
        model.arrays["points"] = [dtype, shape, data[:-8] + struct.pack("<d", float("nan"))]

    def without_points(model):
        model.arrays["points"] = ["F64", [0, 3], b""]

    return [
        *hostile(PCA, with_values(residuals=[]), "residuals", "0 entries instead of 2"),
        *hostile(PCA, with_values(explained_variance_ratio=[0.5]), "explained_variance_ratio", "1 entries instead of 2"),
        *hostile(PCA, with_values(tolerance_of="eigenvalues", certificate={"kind": "none", "complete": True}),
                 "certificate.eigenvalue_upper"),
        *hostile(PCA, with_values(whiten="much"), "whiten", "much"),
        *hostile(PCA, with_values(columns=["a", "b"]), "columns", "2 entries instead of 3"),
        *hostile(PCA, with_values(n=2 ** 63 - 1), "n: 9223372036854775807"),
        *hostile(KERNEL, with_nan, "points", "not finite", inverse=False),
        *hostile(KERNEL, without_points, "points", "no rows", inverse=False),
        *hostile(KERNEL, with_values(dim=600_000_000), "columns", inverse=False),
        *hostile(KERNEL, with_values(kernel={"spec": "gaussian:sigma=0"}), "kernel.spec", inverse=False),
        *hostile(KERNEL, with_values(features={"name": "monomials", "scale": 1, "degree": 2 ** 63 - 1}), "feature",
                 inverse=False),
    ]


def scores_in(text):
    """The numbers of a table with a header and a class at the end of each row."""
    return [[float(cell) for cell in line.split(",")[:-1]] for line in text.split("\n")[1:] if line]


def not_models():
    return [
        Case(109, ["info", "x.csv"], 7, "M700", "text", files=X, about="x.csv"),
        Case(109, ["transform", "x.csv", "x.csv"], 7, "M700", files=X, about="x.csv"),
        Case(109, ["info", "t.npy"], 7, "M700", "NumPy", files={"t.npy": npy_of([[1, 2], [3, 4]])}, about="t.npy"),
        Case(109, ["info", "t.png"], 7, "M700", "PNG", files={"t.png": b"\x89PNG\r\n\x1a\n" + bytes(80)},
             about="t.png"),
        Case(109, ["info", "/bin/sh"], 7, "M700", "ELF", about="/bin/sh"),
        Case(109, ["info", "t.st"], 7, "M700", "safetensors",
             files={"t.st": struct.pack("<Q", 56) + b'{"a":{"dtype":"F64","shape":[0],"data_offsets":[0,0]}}  '},
             about="t.st"),
    ]


def damaged():
    return [
        *broken(110, lambda c: c[:-1], "M701", "ends"),
        *broken(110, lambda c: c[:header_end(c) - 9], "M701"),
        *broken(110, lambda c: c[:header_end(c)], "M701"),
        *broken(110, lambda c: c + b"\0", "M701", "1 bytes too many"),
        *broken(111, lambda c: flipped(c, len(c) - 3), "M701", "array"),
        *broken(111, lambda c: flipped(c, header_end(c) + 5), "M701", "array"),
        *broken(111, lambda c: flipped(c, 200), "M701", "header"),
        *broken(112, lambda c: of_format(c, 3), "M702", "format 3", "update Mercer"),
    ]


def fitting():
    """113-116: tables for a model."""
    floats = npy((4, 2), struct.pack("<8f", 1, 2, 3, 5, 4, 4, 0, 1), "<f4")
    model = {"x.csv": GOOD}
    other = "x,w,z,kind\n1,2,3,a\n2,1,0,b\n"
    swapped = "z,kind,y,x\n3,a,2,1\n0,b,1,2\n"

    def same_scores(folder, result):
        with open(os.path.join(folder, "plain.csv"), encoding="utf-8") as file:
            plain = scores_in(file.read())[:2]
        got = scores_in(result.out.decode())
        worst = max(abs(a - b) for g, p in zip(got, plain) for a, b in zip(g, p))
        return None if len(got) == 2 and worst < 1e-12 else f"scores differ by {worst} after reordering"

    def transform(number, text, code, *texts, status=7, after=None, options=(), once=False):
        steps = [*KERNEL, ["transform", "m.mercer", "x.csv", "-o", "plain.csv"]]
        return Case(number, ["transform", "m.mercer", "t.csv", *options], status, code, *texts,
                    files={**model, "t.csv": text}, steps=steps, after=after, once=once,
                    about="t.csv" if code != "ok" else None)

    return [
        Case(113, ["transform", "t.mercer", "d.npy"], 0, "ok", steps=[["fit", "t.npy"]],
             files={"t.npy": floats, "d.npy": npy_of([[1, 2], [3, 4]])}),
        Case(113, ["transform", "d.mercer", "t.npy"], 0, "ok", steps=[["fit", "d.npy"]],
             files={"t.npy": floats, "d.npy": npy_of([[1, 2], [3, 4], [0, 9]])}),
        transform(114, "x,z,kind\n1,3,a\n2,0,b\n", "M710", "expects 3", "got 2", 'missing: "y"'),
        transform(114, "x,y,z,w,kind\n1,2,3,4,a\n2,1,0,1,b\n", "ok", "ignored", '"w"', status=0),
        transform(114, "x,y,q,w,kind\n1,2,3,4,a\n2,1,0,1,b\n", "M710", "expects 3", "got 4", 'missing: "z"', '"w"'),
        transform(114, "1,2\n2,1\n", "M710", "expects 3", "got 2"),
        transform(115, swapped, "ok", "order", "by name", status=0, after=same_scores),
        transform(116, other, "M711", '"y"', '"w"', "--header no"),
        transform(116, other, "ok", status=0, options=["--header", "no", "--skip", "1"]),
    ]


def inverses():
    """117-119: scores for a model."""
    def inverse(number, text, code, *texts, status, after=None, once=False, steps=None):
        return Case(number, ["inverse", "m.mercer", "t.csv"], status, code, *texts, files={**X, "t.csv": text},
                    steps=steps or PCA, after=after, once=once, about="t.csv" if code in ("M712", "M212") else None)

    far = csv([[1, 2], [1e6, 0], [0, 1]], ["PC1", "PC2"])
    npy_case = Case(118, ["inverse", "m.mercer", "t.npy"], 3, "M212", "row 2", steps=PCA, about="t.npy",
                    files={**X, "t.npy": npy_of([[1, 2], [3, float("nan")]])})

    def flagged(_folder, result):
        value = json.loads(result.out)
        return None if value["extrapolated"] == [2] and len(value["rows"]) == 3 else f"json is {value}"

    return [
        inverse(117, csv([[1, 2, 3], [4, 5, 6]]), "M712", "2", "3", status=7),
        inverse(117, csv([[1], [4]], ["PC1"]), "M712", "2", "1", status=7),
        inverse(118, "PC1,PC2\n1,2\nnan,3\n", "M212", "t.csv:3:1", status=3),
        npy_case,
        inverse(119, far, "ok", "1 of 3", "extrapolated", "row 2", status=0),
        Case(119, ["inverse", "m.mercer", "t.csv", "--json"], 0, "ok", files={**X, "t.csv": far}, steps=PCA,
             after=flagged, once=True),
        inverse(119, csv([[1, 2], [3, 4]], ["PC1", "PC2"]), "M714", "no inverse", status=7, steps=KERNEL),
    ]


def cases():
    return [*not_models(), *damaged(), *contradictions(), *fitting(), *inverses()]
