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
}
# The same of one command or method only.
SAME_OF = {}

# Values that are not the default, where the type does not give one; of an option, or of one with a method.
VALUES = {
    "target": "b", "start": "start.mercer", "on": "start.mercer", "weights": "weights.csv", "components": "1",
    "tolerance": "1e-3", "kernel": "polynomial:degree=2", "memory": "1G", "time": "1h", "device": "cpu", "precision": "single",
    "operator": "dense_gram", "solver": "lanczos", "format": "npy", "delimiter": ";", "decimal": ",", "thousands": "'",
    "na": "1.5", "skip": "1", "columns": "a,b", "drop": "a", "label": "none", "missing": "drop", "first-index": "1",
    "rejects": "rejects.csv", "output": "other.out", "scores": "scores.csv", "cross-validate": "3", "checkpoint": "c.checkpoint",
    "resume": "none.checkpoint", "header": "no", "truth": "1,2,3;4,5,7;1,1,3",
}


def rows(count):
    """Numbers without any order, the same always."""
    state, table = 7, []
    for i in range(count):
        line = []
        for _ in range(3):
            state = (state * 1103515245 + 12345) % 2**31
            line.append(state / 2**31 * 4 - 2 + (1.5 if i % 2 else 0))
        table.append(line)
    return table


def write_tables(mercer):
    body = "".join(f"{a:.3f},{b:.3f},{c:.3f},{'xy'[i % 2]},{a - 2 * b + c * c:.3f}\n" for i, (a, b, c) in enumerate(rows(30)))
    mercer.write("t.csv", "a,b,c,kind,y\n1.5,0.5,0.25,x,1.125\n" + body)
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
    before = {name: mercer.read(name) for name in mercer.files()}
    done = mercer(*words, status=None)
    out = done.out
    if out.startswith(b"{"):
        value = without(json.loads(out), "options", "seconds", "peak_bytes", "certificate")
        out = json.dumps(value, sort_keys=True)
    said = re.sub(r"[0-9.]+ ?(m?s|min)\b", "#", done.err)
    files = {}
    for name in mercer.files():
        data = mercer.read(name)
        if before.get(name) != data or name not in before:
            files[name] = content(name, data)
            os.remove(mercer.path(name))
    for name, data in before.items():
        mercer.write(name, data)
    return done.status, out, said, files


def value_of(option):
    """A value of this option that is not its default."""
    name = option["flags"][-1].lstrip("-")
    if name in VALUES:
        return VALUES[name]
    choices = option.get("choices") or (option["value"].split("|") if "|" in option["value"] else [])
    for word in choices:
        if word != option["default"]:
            return word
    return {"N": "3", "X": "0.5"}.get(option["value"], "7")


def pairs(mercer):
    """Command, method and option; with what stands before the option."""
    commands = {command["command"]: command for command in mercer("help", "--json").json["commands"]}
    for method in mercer("list", "methods", "--json").json["methods"]:
        learns = ["--target", "y"] if method["takes"]["targets"] == "must" else []
        for command in ("fit", "plan"):
            taken = mercer(command, "--method", method["name"], "--help", "--json").json["options"]
            for option in taken:
                yield method["name"], [command, "t.csv", "--method", method["name"], *learns, "--json"], option
    for words in (["transform", "start.mercer", "t.csv"], ["inverse", "inverse.mercer", "scores.csv"],
                  ["predict", "predict.mercer", "t.csv"], ["score", "impute.mercer", "t.csv"],
                  ["impute", "impute.mercer", "t.csv"], ["sample", "impute.mercer", "-n", "4"], ["convert", "t.csv", "-"],
                  ["data", "blobs"], ["data", "sources"], ["list"], ["explain"], ["info", "start.mercer"], ["help", "fit"],
                  ["completion", "bash"]):
        for option in commands[words[0]]["options"]:
            yield "", words, option


def test_no_option_is_ignored(mercer):
    write_tables(mercer)
    mercer("fit", "t.csv", "-o", "start.mercer", "--components", "2")
    mercer("fit", "t.csv", "--method", "pca", "-o", "inverse.mercer", "--scores", "scores.csv")
    mercer("fit", "t.csv", "--method", "nearest_mean", "-o", "predict.mercer")
    mercer("fit", "t.csv", "--method", "ppca", "-o", "impute.mercer")
    every = [pair for pair in pairs(mercer) if pair[2]["flags"][-1] not in ("--help", "--method", "--json")]
    step = 1 if ALL else max(1, len(every) // SAMPLE)
    baselines, ignored = {}, []
    for method, words, option in every[::step]:
        name = option["flags"][-1].lstrip("-")
        base = tuple(words)
        if base not in baselines:
            baselines[base] = outcome(mercer, words)
            assert baselines[base][0] in (0, 6), (words, baselines[base][2])
            assert baselines[base] == outcome(mercer, words), f"{words} gives two different answers"
        given = [option["flags"][-1]] + ([value_of(option)] if option["value"] else [])
        if outcome(mercer, [*words, *given]) != baselines[base]:
            continue
        if name in SAME or (method or words[0], name) in SAME_OF or (words[0], name) in SAME_OF:
            continue
        ignored.append(" ".join([words[0], method, *given]))
    assert len(every) > 500 and not ignored, f"{len(ignored)} ignored: {ignored}"
