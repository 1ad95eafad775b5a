"""No option is ignored: one that is not at its default changes what comes out, or is an error, or stands below with the
reason why it changes nothing.

Every option of every command is tried, those of `fit` and `plan` with every method: an evenly drawn part of these pairs, all
of them where MERCER_ALL_OPTIONS is set.
"""

import json
import os
import re
import struct

SAMPLE = 240  # pairs
ALL = bool(os.environ.get("MERCER_ALL_OPTIONS"))

# Options that change nothing that is compared here, and why.
SAME = {
    "memory": "a limit", "threads": "results do not depend on them", "time": "a limit", "device": "cpu is what auto takes",
    "start": "begins a search; few rows are solved without one", "force": "there is nothing to replace",
    "seed": "few rows are solved without drawing any", "thousands": "no number of the table is grouped",
    "rejects": "every row can be read",
    "reproducible": "leaves out times, which are not compared", "quiet": "such commands say nothing",
}
IN_DOUBLE = "this method computes in double precision whatever is asked for"
# The same of one method or command only.
SAME_OF = {
    **{(method, "precision"): IN_DOUBLE for method in ("ekpca", "factor_analysis", "kernel_bda", "kernel_lda", "metric_mds",
                                                       "pcr", "pls")},
    ("kernel_ica", "restarts"): "the best of all starts is kept, which is the first",
    ("nearest_mean", "precision"): "of products; such a method has no plan",
    ("mds", "out-of-sample"): "of new rows", ("inverse", "missing"): "scores have no gaps", ("inverse", "na"): "nor such a cell",
    ("pcr", "label"): "targets are numbers: classes are set aside",
    ("pls", "label"): "targets are numbers: classes are set aside",
}
# Options that no run here can have a use for.
ONLY_REFUSED = {
    "format": "the table is of another", "delimiter": "it has commas", "decimal": "and points", "images": "it has no more dimensions",
    "first-index": "it is no LibSVM file", "header": "its first row has names", "as": "its rows are no pairs",
    "additive": "of distances", "chunks": "of arrays", "encode-unknown": "no model here encodes texts",
    "sniff": "standard output carries the table", "resume": "there is no checkpoint", "z": "there are two components",
    "image-size": "rows are no images", "dpi": "SVG has no pixels", "terminal": "the picture is a file",
}
# What a fit is given in both runs, so that the option can matter.
WITH = {
    ("factor_analysis", ""): ["--components", "2"], ("kernel_pca", "nullspace"): ["--kernel", "thin_plate_spline"],
    ("kernel_pca", "indefinite"): ["--kernel", "thin_plate_spline", "--nullspace", "constant"],
    ("kernel_pca", "alpha"): ["--preimage"], ("kernel_pca", "preimage-kernel"): ["--preimage"],
    ("pls", "fold-type"): ["--folds", "3"], ("pcr", "fold-type"): ["--folds", "3"],
    ("kernel_lda", "covariance"): ["--classifier", "gaussian"],
    ("ica", "truth"): ["--components", "2"], ("kernel_ica", "truth"): ["--components", "2"],
    ("ppca", "iterations"): ["--algorithm", "em"], ("ica", "no-extended"): ["--algorithm", "likelihood"],
}

# Values that are not the default, where the type does not give one; of an option, or of one with a method.
VALUES = {
    "target": "b", "start": "start.mercer", "on": "start.mercer", "weights": "weights.csv", "components": "1",
    "tolerance": "1e-3", "kernel": "polynomial:degree=2", "memory": "1G", "time": "1h", "device": "cpu", "precision": "single",
    "operator": "dense_gram", "solver": "lanczos", "format": "npy", "delimiter": ";", "decimal": ",", "thousands": "'",
    "na": "1.5", "skip": "1", "columns": "a,b", "drop": "a", "label": "none", "missing": "drop", "first-index": "1",
    "rejects": "rejects.csv", "output": "other.out", "scores": "scores.csv", "cross-validate": "3", "checkpoint": "c.checkpoint",
    "resume": "none.checkpoint", "header": "no", "span": "landmarks", "classes": "4", "truth": "1,2;3,4;5,7;1,1;2,1;0,3",
    "positive": "z", "priors": "equal", "density": "laplace",
    "encode": "onehot:kind", "encode-unknown": "zero", "preimage-kernel": "linear", "alpha": "10",
    ("pls", "algorithm"): "simpls", ("factor_analysis", "components"): "1", ("ppca", "algorithm"): "em",
    **{(command, "output"): "other.csv" for command in ("transform", "inverse", "predict", "score", "impute", "sample", "data")},
    ("plot", "kind"): "scree", ("plot", "x"): "PC2", ("plot", "y"): "PC1", ("plot", "z"): "PC2", ("plot", "color"): "none",
    ("plot", "colour"): "none", ("plot", "count"): "1", ("plot", "image-size"): "1x5", ("plot", "title"): "words",
    ("plot", "size"): "300x200", ("plot", "dpi"): "50", ("plot", "output"): "other.svg",
}


def rows(count):
    """Numbers without any order, the same always."""
    state, table = 7, []
    for i in range(count):
        line = []
        for _ in range(5):
            state = (state * 1103515245 + 12345) % 2**31
            line.append(state / 2**31 * 4 - 2 + (1.5 if i % 2 else 0))
        table.append(line)
    return table


def write_tables(mercer):
    lines = [",".join(f"{x:.3f}" for x in row) + f",{'xyz'[i % 3]},{row[0] - 2 * row[1] + row[2] ** 2:.3f}\n"
             for i, row in enumerate(rows(30))]
    mercer.write("t.csv", "a,b,c,d,e,kind,y\n1.5,0.5,0.25,1,0,x,1.125\n" + "".join(lines))
    mercer.write("gaps.csv", mercer.read("t.csv") + b"1,,3,4,5,x,6\n")
    mercer.write("weights.csv", "".join(",".join(str(1 + (i * j) % 3) for j in range(31)) + "\n" for i in range(31)))


def without(value, *names):
    return {name: entry for name, entry in value.items() if name not in names}


def content(name, data):
    """A file without what differs from run to run, and without the record of the options."""
    if not name.endswith(".mercer") and not data[8:9] == b"{":
        return data
    length = struct.unpack("<Q", data[:8])[0]
    head = json.loads(data[8:8 + length])
    return data[8 + length:], sorted(without(head, "__metadata__"))


def outcome(mercer, words):
    """What a run leaves: status, words, data and files."""
    before = {name: mercer.read(name) for name in mercer.files() if os.path.isfile(mercer.path(name))}
    done = mercer(*words, status=None)
    out = done.out
    if out.startswith(b"{"):
        value = without(json.loads(out), "options", "seconds", "peak_bytes", "certificate")
        out = json.dumps(value, sort_keys=True)
    said = re.sub(r"[0-9.]+ ?(m?s|min)\b", "#", done.err)
    files = {}
    for name in [name for name in mercer.files() if os.path.isfile(mercer.path(name))]:
        data = mercer.read(name)
        if before.get(name) != data or name not in before:
            files[name] = content(name, data)
            os.remove(mercer.path(name))
    for name, data in before.items():
        mercer.write(name, data)
    return done.status, out, said, files


def value_of(method, command, option):
    """A value of this option that is not its default."""
    name = option["flags"][-1].lstrip("-")
    for key in ((method, name), (command, name), name):
        if key in VALUES:
            return VALUES[key]
    choices = option.get("choices") or (option["value"].split("|") if "|" in option["value"] else [])
    for word in choices:
        if word != option["default"]:
            return word
    return {"N": "3", "X": "0.5"}.get(option["value"], "7")


def pairs(mercer):
    """Command, method and option; with what stands before the option."""
    commands = {command["command"]: command for command in mercer("help", "--json").json["commands"]}
    for method in mercer("list", "methods", "--json").json["methods"]:
        name = method["name"]
        learns = ["--target", "y"] if method["takes"]["targets"] == "must" else []
        shown = ["--scores", "all.csv"] if "transform" in method["abilities"] else []
        for command in ("fit", "plan"):
            own = mercer(command, "--method", name, "--help", "--json").json["options"]
            shown_flags = {flag for option in own for flag in option["flags"]}
            # Those that its help does not show must be refused, or do something.
            rest = [option for option in commands[command]["options"]
                    if not option["of_method"] and not shown_flags & set(option["flags"])]
            for option in own + rest:
                # A plan shows operators, solvers and their prices: what changes none of these is seen in the fit.
                if command == "plan" and option["group"] != "Machine":
                    continue
                more = WITH.get((name, option["flags"][-1].lstrip("-")), WITH.get((name, ""), []))
                yield name, [command, "t.csv", "--method", name, *learns, *shown, *more, "--json"], option
    for words in (["transform", "start.mercer", "t.csv"], ["inverse", "inverse.mercer", "scores.csv"],
                  ["predict", "predict.mercer", "t.csv"], ["score", "impute.mercer", "t.csv"],
                  ["impute", "impute.mercer", "t.csv"], ["sample", "impute.mercer", "-n", "4"],
                  ["plot", "start.mercer", "t.csv", "-o", "picture.svg"], ["convert", "t.csv", "-"],
                  ["data", "blobs"], ["data", "sources"], ["list"], ["explain"], ["info", "start.mercer"], ["help", "fit"],
                  ["completion", "bash"]):
        for option in commands[words[0]]["options"]:
            gaps = option["flags"][-1] == "--missing"  # without it the table with gaps is refused
            yield "", ["gaps.csv" if gaps and word == "t.csv" else word for word in words], option


def test_no_option_is_ignored(mercer):
    write_tables(mercer)
    mercer("fit", "t.csv", "-o", "start.mercer", "--components", "2")
    mercer("fit", "t.csv", "--method", "pca", "-o", "inverse.mercer", "--scores", "scores.csv")
    mercer("fit", "t.csv", "--method", "nearest_mean", "-o", "predict.mercer")
    mercer("fit", "t.csv", "--method", "ppca", "-o", "impute.mercer")
    every = [pair for pair in pairs(mercer) if pair[2]["flags"][-1] not in ("--help", "--method", "--json")]
    step = 1 if ALL else max(1, len(every) // SAMPLE)
    baselines, ignored = {}, []
    accepted, tried = set(), set()
    for method, words, option in every[::step]:
        name = option["flags"][-1].lstrip("-")
        base = tuple(words)
        if base not in baselines:
            baselines[base] = outcome(mercer, words)
            assert baselines[base][0] in ((0, 3) if "gaps.csv" in words else (0, 6)), (words, baselines[base][2])
            assert baselines[base] == outcome(mercer, words), f"{words} gives two different answers"
        given = [option["flags"][-1]] + ([value_of(method, words[0], option)] if option["value"] else [])
        got = outcome(mercer, [*words, *given])
        tried.add(name)
        accepted |= {name} if got[0] in (0, 6) else set()
        if got != baselines[base]:
            continue
        if name in SAME or (method or words[0], name) in SAME_OF or (words[0], name) in SAME_OF:
            continue
        ignored.append(" ".join([words[0], method, *given]))
    assert len(every) > 500 and not ignored, f"{len(ignored)} ignored: {ignored}"
    # An error shows that an option is read, not that it does anything.
    assert not ALL or tried - accepted == ONLY_REFUSED.keys(), sorted(tried - accepted ^ ONLY_REFUSED.keys())
