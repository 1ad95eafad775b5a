"""docs/reference/model-file.md suffices: tests/io/read_model.py, written from that page, scores new rows as the program does."""

import json
import math
import os
import random
import struct
import subprocess
import sys

READER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "io", "read_model.py")
NAMES = ["a", "b", "c", "d"]

# For each method fits of it: a table and further words. What is compared is what the method can do.
CASES = {
    "ekpca": [("t", "--patterns 9 --components 3"), ("t", "--kernel polynomial --patterns 8 --select cholesky --scale range"),
              ("words", "--kernel cosine --patterns 6 --select random")],
    "factor_analysis": [("t", "--components 1"), ("six", "--components 2 --rotation promax --scoring bartlett"),
                        ("six", "--components 2 --rotation promax --scale standard"), ("six", "--components 2 --rotation varimax")],
    "ica": [("t", "--scale whiten"), ("t", "--components 2 --algorithm likelihood")],
    "kernel_bda": [("t", "--ridge 0.3"), ("t", "--positive s --span landmarks --rank 9 --ridge 0.5 --components 3"),
                   ("t", "--kernel polynomial:degree=2,offset=1 --ridge 0.2")],
    "kernel_ica": [("t", "--restarts 1"), ("t", "--components 2 --restarts 0 --contrast kcc --scale standard")],
    "kernel_lda": [("t", "--ridge 0.1"), ("t", "--ridge 0.1 --classifier gaussian"),
                   ("t", "--ridge 0.1 --classifier gaussian --covariance own --priors 0.5,0.25,0.25"),
                   ("t", "--ridge 0.2 --span landmarks --rank 8 --kernel laplacian"),
                   ("t", "--ridge 0.2 --span landmarks --rank 3 --kernel linear:offset=2"),
                   ("t", "--ridge 0.2 --span components --rank 6 --scale standard --priors equal")],
    "kernel_pca": [("t", "--scale standard"), ("t", "--scale range --components 5"), ("t", "--scale whiten"), ("t", "--no-center"),
                   ("f32", ""), ("u8", "--kernel gaussian:sigma=60"), ("u8", "--kernel polynomial:degree=2,scale=0.001"),
                   ("words", "--kernel cosine"), ("words", "--kernel gaussian:sigma=1"), ("words", "--kernel tps"),
                   ("t", "--kernel linear:offset=2"), ("words", "--kernel linear:offset=2"),
                   ("t", "--kernel gaussian:sigma=300"), ("t", "--kernel exponential:length=1e4"),
                   ("t", "--kernel 0.5*gaussian:sigma=1.5+2*linear:offset=1"),
                   ("t", "--kernel polynomial:degree=2*gaussian:sigma=2+0.1*laplacian"),
                   ("two", "--kernel 0.5*gaussian:sigma=3+linear:offset=1 --operator cholesky_features"),
                   ("two", "--kernel gaussian:sigma=4 --operator cholesky_features"),
                   ("two", "--kernel polynomial:degree=3 --operator polynomial_features"),
                   ("two", "--kernel polynomial:degree=3,offset=0,scale=0.3 --operator polynomial_features"),
                   ("two", "--kernel polynomial:degree=2,offset=2 --operator polynomial_features --no-center"),
                   ("one", "--kernel gaussian:sigma=2 --operator taylor_features"),
                   ("two", "--kernel gaussian:sigma=4 --operator taylor_features --no-center --scale range"),
                   ("two", "--kernel gaussian:sigma=2 --operator fourier_features"),
                   ("one", "--kernel matern:nu=2.5,length=2 --operator fourier_features --tolerance 1e-4"),
                   ("one", "--kernel matern:nu=1.5,length=4 --operator fourier_features --tolerance 1e-3"),
                   ("two", "--kernel gaussian:sigma=0.2 --operator near_field"),
                   ("two", "--kernel gaussian:sigma=0.5 --operator fast_gauss"),
                   ("t", "--operator dense_gram --solver lanczos"), ("t", "--operator blocked_gram"),
                   ("t", "--kernel linear --operator linear_gram"), ("t", "--kernel tps --nullspace constant"),
                   ("t", "--kernel tps:c=3 --scale standard"), ("two", "--kernel shifted_thin_plate_spline"),
                   ("t", "--kernel tps+gaussian:sigma=1"),
                   ("t", "--kernel sigmoid:scale=-0.5,offset=1 --indefinite krein"),
                   ("t", "--kernel sigmoid:scale=-0.5,offset=1 --indefinite flip"),
                   ("t", "--kernel sigmoid:scale=-0.5,offset=1 --indefinite shift"),
                   ("k", "--as kernel --components 3"), ("d", "--as distance"), ("d2", "--as squared-distance"),
                   ("k", "--as kernel --no-center"), ("gaps", "--missing mean"), ("gaps", "--missing median --scale standard")],
    "mds": [("t", "--components 3"), ("t", "--out-of-sample trosset-priebe"), ("k", "--as kernel"),
            ("d", "--as distance --out-of-sample trosset-priebe"), ("d2", "--as squared-distance"),
            ("far", "--as distance --additive cailliez"),
            ("far2", "--as squared-distance --additive cailliez --out-of-sample trosset-priebe")],
    "metric_mds": [("t", ""), ("t", "--components 1"), ("d", "--as distance --weight-power -1"),
                   ("d2", "--as squared-distance --components 3"), ("holes", "--as distance --missing model")],
    "nearest_mean": [("t", ""), ("t", "--kernel linear"), ("t", "--kernel linear:offset=3 --scale range"),
                     ("t", "--kernel polynomial"), ("kc", "--as kernel"), ("dc", "--as distance")],
    "pca": [("t", ""), ("t", "--whiten pca --scale range"), ("t", "--whiten zca"), ("t", "--no-center"), ("words", ""),
            ("t", "--operator streamed_covariance --scale standard"), ("t", "--operator covariance")],
    "pcr": [("y", "--target y,z"), ("y", "--target y --drop z --scale standard --select response")],
    "pls": [("y", "--target y,z"), ("y", "--target y,z --algorithm simpls --scale-targets --scale standard"),
            ("y", "--target y,z --kernel gaussian:sigma=1.5 --scale-targets"), ("y", "--target z --drop y --kernel polynomial:degree=2")],
    "ppca": [("t", ""), ("t", "--scale standard"), ("gaps", "--missing model"), ("gaps", "--missing model --scale standard")],
}
ON = [("kernel_pca", "--components 4 --scale standard --label none", "kernel_lda", "--ridge 0.1 --scale range"),
      ("pca", "--components 3 --whiten pca --label none", "nearest_mean", "--kernel gaussian:sigma=1"),
      ("kernel_pca", "--components 3 --operator polynomial_features --kernel polynomial:degree=2", "nearest_mean", "--kernel linear")]
ABLE = {"transform": "transform", "predict": "predict", "score": "score", "likelihood": "score"}

# What the program and the reader round is at most a few hundred units of a column's largest score.
TOLERANCE = 1e-12


def npy(rows, code="d"):
    head = f"{{'descr': '{'|u1' if code == 'B' else '<f4' if code == 'f' else '<f8'}', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    content = b"".join(struct.pack(f"<{len(row)}{code}", *row) for row in rows)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + content


def csv(names, rows):
    def cell(x):
        return x if isinstance(x, str) else "" if math.isnan(x) else repr(x)

    return "\n".join([",".join(names)] + [",".join(map(cell, row)) for row in rows]) + "\n"


def svm(rows):
    lines = (" ".join(f"{j + 1}:{x!r}" for j, x in enumerate(row) if x != 0) for row in rows)
    return "".join(f"0 {line}\n" for line in lines)


def distances(rows, others, squared=False, power=1.0):
    table = [[sum((p - q) ** 2 for p, q in zip(x, y)) for y in others] for x in rows]
    return table if squared else [[value ** (power / 2) for value in row] for row in table]


class Tables:
    """Every table as a pair of files: for fits, and of new rows; sparse new rows also as the reader takes them."""

    def __init__(self, mercer):
        self.mercer, draw, nan = mercer, random.Random(5), math.nan
        self.known = [[round(draw.uniform(0, 2), 6) for _ in range(4)] for _ in range(36)]
        for i, row in enumerate(self.known):
            row[0] += 0.8 * (i % 3)
            row[1] += 0.5 * row[0] * row[2]
        self.new = [[round(draw.uniform(0, 2.5), 6) for _ in range(4)] for _ in range(9)]
        self.classes = ["qrs"[i % 3] for i in range(36)]
        both = [self.known, self.new]
        self.files("t", NAMES, [[[*row, name] for row, name in zip(self.known, self.classes)], self.new], ["kind"])
        many = [[[round(draw.gauss(1, 0.8), 6), round(draw.uniform(0, 3), 6)] for _ in range(count)] for count in (600, 9)]
        many[1].append([9.0, -7.0])  # out of reach of features
        self.files("two", NAMES[:2], many)
        self.files("one", NAMES[:1], [[row[:1] for row in rows] for rows in many])
        self.files("y", NAMES, [[[*row, row[0] ** 2 - row[1], row[2] + 10 * row[3]] for row in self.known], self.new], ["y", "z"])
        self.files("six", [*NAMES, "e", "f"], [[[*row, row[0] - row[1] + draw.gauss(0, 0.3), row[2] + draw.gauss(0, 0.3)]
                                                for row in rows] for rows in both])
        self.files("gaps", NAMES, [[[nan if (7 * i + j) % 11 == 0 else x for j, x in enumerate(row)]
                                    for i, row in enumerate(rows)] for rows in both])
        for name, code, unit in (("f32", "f", 1), ("u8", "B", 40)):
            for part, rows in zip(("", ".new"), both):
                numbers = [[int(x * unit) if code == "B" else x for x in row] for row in rows]
                mercer.write(f"{name}{part}.npy", npy(numbers, code))
        for part, rows in zip(("", ".new"), both):
            words = [[x if (i + 2 * j) % 3 else 0.0 for j, x in enumerate(row)] for i, row in enumerate(rows)]
            mercer.write(f"words{part}.svm", svm(words))
            mercer.write(f"words{part}.npy", npy(words))
        self.pairs()

    def files(self, name, columns, parts, more=()):
        self.mercer.write(f"{name}.csv", csv([*columns, *more], parts[0]))
        # New rows have their columns in another order: a model knows them by name.
        self.mercer.write(f"{name}.new.csv", csv(columns[::-1], [row[::-1] for row in parts[1]]))

    def pairs(self):
        def product(x, y):
            return (1 + sum(p * q for p, q in zip(x, y))) ** 2 / 10

        def lacking(rows):
            return [[math.nan if i != j and (i + j) % 17 == 3 else d for j, d in enumerate(row)] for i, row in enumerate(rows)]

        for part, rows in zip(("", ".new"), (self.known, self.new)):
            tables = {"k": [[product(x, y) for y in self.known] for x in rows], "d": distances(rows, self.known),
                      "d2": distances(rows, self.known, True), "far": distances(rows, self.known, power=3.0),
                      "holes": lacking(distances(rows, self.known))}
            tables["far2"] = [[d * d for d in row] for row in tables["far"]]
            for name, table in tables.items():
                self.mercer.write(f"{name}{part}.npy", npy(table))
            for name, table in (("kc", tables["k"]), ("dc", tables["d"])):
                named = [f"s{j}" for j in range(len(self.known))]
                kept = table if part else [[*row, label] for row, label in zip(table, self.classes)]
                self.mercer.write(f"{name}{part}.csv", csv(named if part else [*named, "kind"], kept))

    def of(self, name):
        """The table for a fit, and that of new rows for the program and for the reader."""
        if name == "words":
            return "words.svm", "words.new.svm", "words.new.npy"
        kind = "csv" if os.path.exists(self.mercer.path(f"{name}.csv")) else "npy"
        return f"{name}.{kind}", f"{name}.new.{kind}", f"{name}.new.{kind}"


def python_with_numpy():
    for python in (sys.executable, "/usr/bin/python3", "python3"):
        try:
            if subprocess.run([python, "-c", "import numpy"], capture_output=True, check=False).returncode == 0:
                return python
        except OSError:
            continue
    raise AssertionError("no Python with NumPy: install python3-numpy")


def numeric(text):
    """The numbers of a table of results: its labels and predicted classes are left out."""
    names, *rows = [line.split(",") for line in text.splitlines()]
    keep = [j for j, name in enumerate(names) if name not in ("label", "predicted")]
    return [[float(row[j]) for j in keep] for row in rows]


def words_of(extra):
    return ["--missing", extra.split("--missing ")[1].split()[0]] if "--missing" in extra else []


def compare(mercer, python, model, verb, new, extra):
    """The largest difference, each column's against its largest magnitude."""
    missing = words_of(extra)
    theirs = numeric(mercer(verb, model, new[0], *missing, "--quiet").text)
    done = subprocess.run([python, READER, mercer.path(model), mercer.path(new[1]), verb], capture_output=True, check=False)
    assert done.returncode == 0, f"{model}: {done.stderr.decode()[-300:]}"
    ours = [[float(cell) for cell in line.split(",")] for line in done.stdout.decode().splitlines()]
    assert len(ours) == len(theirs) and len(ours[0]) == len(theirs[0]), f"{model}: {verb}: tables of different shape"
    worst = 0.0
    for a, b in zip(zip(*ours), zip(*theirs)):
        size = max(map(abs, b))
        worst = max(worst, max(abs(x - y) for x, y in zip(a, b)) / size)
    return worst


def check(mercer, python, model, abilities, new, extra):
    verbs = sorted({ABLE[ability] for ability in abilities if ability in ABLE})
    assert verbs, f"{model}: nothing to compare"
    far = [(verb, worst) for verb in verbs if not (worst := compare(mercer, python, model, verb, new, extra)) <= TOLERANCE]
    return [f"{verb}: {worst:.2g}" for verb, worst in far]


def abilities_of(mercer):
    return {method["name"]: method["abilities"] for method in mercer("list", "methods", "--json").json["methods"]}


def all_cases(mercer, methods):
    python, tables, abilities = python_with_numpy(), Tables(mercer), abilities_of(mercer)
    failed = []
    for method in methods:
        for i, (name, extra) in enumerate(CASES[method]):
            table, *new = tables.of(name)
            model = f"{method}.{i}.mercer"
            mercer("fit", table, "--method", method, *extra.split(), "-o", model, "--quiet")
            failed += [f"{method} {extra} of {table}: {text}" for text in check(mercer, python, model, abilities[method], new, extra)]
    assert not failed, "; ".join(failed)


def test_every_method_has_a_case(mercer):
    lacking = set(abilities_of(mercer)) - set(CASES)
    assert not lacking, f"no case of {lacking}: tell docs/reference/model-file.md and tests/io/read_model.py of it"


def test_every_operator_has_a_case(mercer):
    """Features are kept in models: an operator that brings new ones must say so on the page."""
    asked = " ".join(extra for cases in CASES.values() for _, extra in cases)
    silent = {"given_matrix"}  # chosen by --as
    names = {entry["name"] for entry in mercer("list", "operators", "--json").json["operators"]}
    lacking = {name for name in names - silent if f"--operator {name}" not in asked}
    assert not lacking, f"no case of {lacking}"


def test_kernel_pca_is_read(mercer):
    all_cases(mercer, ["kernel_pca"])


def test_other_methods_are_read(mercer):
    all_cases(mercer, [method for method in CASES if method != "kernel_pca"])


def test_every_kernel_is_read(mercer):
    python, tables, failed = python_with_numpy(), Tables(mercer), []
    for family in mercer("list", "kernels", "--json").json["kernels"]:
        mercer("fit", "t.csv", "--kernel", family["name"], "-o", "m.mercer", "--quiet")
        worst = compare(mercer, python, "m.mercer", "transform", tables.of("t")[1:], "")
        failed += [f"{family['name']}: {worst:.2g}"] if not worst <= TOLERANCE else []
    assert not failed, "; ".join(failed)


def test_models_on_models_are_read(mercer):
    python, tables, abilities, failed = python_with_numpy(), Tables(mercer), abilities_of(mercer), []
    for inner, first, outer, second in ON:
        mercer("fit", "t.csv", "--method", inner, *first.replace("--label none", "--drop kind").split(), "-o", "in.mercer", "--quiet")
        mercer("fit", "t.csv", "--on", "in.mercer", "--method", outer, *second.split(), "-o", "on.mercer", "--quiet")
        failed += [f"{outer} on {inner}: {text}"
                   for text in check(mercer, python, "on.mercer", abilities[outer], tables.of("t")[1:], "")]
    assert not failed, "; ".join(failed)
