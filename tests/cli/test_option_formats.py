"""No option of reading is ignored by a format: it changes what is read, is refused (M102), or stands below with the reason
why it changes nothing here. Every option, every format, every command that reads a table.
"""

import os
import struct

from test_options import outcome, rows

STEP = 1 if os.environ.get("MERCER_ALL_OPTIONS") else 3  # of the pairs, in the ordinary run

# What is given, where it is the same for all formats.
VALUES = {"format": "libsvm", "delimiter": ";", "decimal": ",", "thousands": "'", "header": "no", "na": "1.5", "skip": "1",
          "columns": "1,2", "drop": "1", "encode": "onehot:1", "missing": "drop", "first-index": "0",
          "rejects": "rejects.csv", "encode-unknown": "zero"}
VALUES_OF = {("libsvm", "format"): "csv"}
# What changes nothing, and why: of an option, or with a format, or with a command.
SAME = {
    ("csv", "thousands"): "no number is grouped", ("csv.xz", "thousands"): "no number is grouped",
    ("csv", "rejects"): "every row can be read", ("csv.xz", "rejects"): "every row can be read",
    ("npy", "images"): "a table of two dimensions is flat", ("npz", "images"): "likewise",
    ("idx", "images"): "they are flat in any case",
    ("transform", "columns"): "a model has its own", ("transform", "drop"): "likewise",
    ("libsvm", "na"): "no such number is there", ("mtx", "na"): "likewise",
}


def write_tables(mercer):
    """The same numbers in every format, and again with a gap where the format can have one."""
    lines = [",".join(f"{x:.3f}" for x in row) + f",{'xy'[i % 2]}\n" for i, row in enumerate(rows(12))]
    mercer.write("t.csv", "a,b,c,d,e,kind\n1.5,0.5,0.25,1,0,x\n" + "".join(lines))
    mercer.write("gaps.csv", mercer.read("t.csv") + b"1,,3,4,5,x\n")
    for name in ("t", "gaps"):
        for format in ("npy", "npz", "mtx"):
            mercer("convert", f"{name}.csv", f"{name}.{format}")
    import lzma
    for name in ("t", "gaps"):
        mercer.write(f"{name}.csv.xz", lzma.compress(mercer.read(f"{name}.csv")))
    mercer.write("t.libsvm", "".join(f"{i % 2} 1:{0.5 + i} 3:{i * i % 5}\n" for i in range(1, 9)))
    pixels = bytes(i * i % 251 for i in range(12 * 4))
    mercer.write("t.idx", struct.pack(">HBB3I", 0, 8, 3, 12, 2, 2) + pixels)
    for i in range(12):
        mercer.write(f"t.images/{'uv'[i % 2]}/{i}.pgm", b"P5 2 2 255\n" + pixels[4 * i:4 * i + 4])


def files():
    """Format, table, table with a gap, whether there are classes."""
    return [("csv", "t.csv", "gaps.csv", True), ("csv.xz", "t.csv.xz", "gaps.csv.xz", True),
            ("npy", "t.npy", "gaps.npy", False), ("npz", "t.npz", "gaps.npz", True), ("mtx", "t.mtx", "gaps.mtx", False),
            ("libsvm", "t.libsvm", None, True), ("idx", "t.idx", None, False), ("image_folder", "t.images", None, True)]


def pairs(mercer):
    """Format, command, the words without the option, the option with its value."""
    reading = [option for option in mercer("convert", "--help", "--json").json["options"] if option["group"] == "Table"]
    assert len(reading) >= 16, [option["flags"] for option in reading]
    for format, table, gaps, classes in files():
        for command in ("fit", "plan", "convert", "transform"):
            for option in reading:
                name = option["flags"][-1].lstrip("-")
                file = gaps if name == "missing" else table
                if file is None:  # such files have no gaps
                    continue
                words = {"fit": ["fit", file, "--scores", "s.csv", "--json"], "plan": ["plan", file, "--json"],
                         "convert": ["convert", file, "-"],
                         "transform": ["transform", f"{format}.mercer", file, "--json"]}[command]
                value = ("none" if classes else "1") if name == "label" else VALUES.get(name)
                given = [option["flags"][-1], VALUES_OF.get((format, name), value)]
                yield format, command, words, given[:1] if name == "images" else given


def test_no_option_of_reading_is_ignored_by_a_format(mercer):
    write_tables(mercer)
    for format, table, _, _ in files():
        mercer("fit", table, "--components", "1", "-o", f"{format}.mercer")
    every = list(pairs(mercer))
    baselines, ignored, refused = {}, [], 0
    for format, command, words, given in every[::STEP]:
        base = tuple(words)
        if base not in baselines:
            baselines[base] = outcome(mercer, words)
            assert baselines[base][0] in ((0, 3, 6) if "gaps" in " ".join(words) else (0, 6)), (words, baselines[base][2])
        got = outcome(mercer, [*words, *given])
        refused += "error[M102]" in got[2]
        name = given[0].lstrip("-")
        if got == baselines[base] and not SAME.keys() & {(format, name), (command, name)}:
            ignored.append(" ".join([*words, *given]))
    assert not ignored, f"{len(ignored)} ignored:\n" + "\n".join(ignored)
    assert len(every) > 400 and refused > 100 / STEP, (len(every), refused)


def test_an_option_of_another_format_is_refused_by_name(mercer):
    write_tables(mercer)
    for words, said in ((["t.npy", "--delimiter", ";"], "--delimiter has no meaning for a table in npy"),
                        (["t.idx", "--header", "no"], "--header has no meaning for a table in idx"),
                        (["t.csv", "--images"], "--images has no meaning for a table in csv"),
                        (["t.mtx", "--first-index", "0"], "--first-index has no meaning for a table in matrix_market")):
        for command in ("fit", "plan", "convert"):
            told = mercer(command, *words, *(["-"] if command == "convert" else []), status=2).err
            assert f"error[M102]: {said}" in told and f"fix: drop {words[1]}" in told, told
    # Read together, or with weights, a table may have options that the other one has not.
    mercer.write("semi.csv", "a;b;c;d;e\n" + "".join(";".join(f"{x:.2f}" for x in row) + "\n" for row in rows(6)))
    assert mercer("fit", "semi.csv", "t.npy", "--delimiter", ";", "--json", "-o", "m.mercer").json["n"] == 19
    # What a model remembers of its table is no option that somebody gave.
    mercer("fit", "t.libsvm", "-o", "l.mercer")
    mercer.write("dense.csv", "1,2,3\n2,0,1\n")
    mercer("transform", "l.mercer", "dense.csv", "--header", "no")
