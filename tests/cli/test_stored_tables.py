"""The tables of tests/tables, each with a file beside it that says what must be understood of it."""

import csv
import io
import json
import os
import shutil

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tables")


def expectations():
    for file in sorted(os.listdir(FOLDER)):
        if not file.endswith(".json"):
            continue
        with open(os.path.join(FOLDER, file), encoding="utf-8") as text:
            expected = json.load(text)
        expected.setdefault("tables", [expected.get("table", file[:-len(".json")])])
        yield file, expected


def read_csv(text):
    rows = list(csv.reader(io.StringIO(text)))
    return rows[0], rows[1:]


def check_fit(mercer, expected):
    """What a fit, its model and its scores say of the columns."""
    options = expected.get("options", []) + expected.get("fit", [])
    fitted = mercer("fit", *expected["tables"], "--components", "1", *options, "-o", "m.mercer", "--force", "--json",
                    "--scores", "s.csv").json
    model = mercer("info", "m.mercer", "--json").json
    for value in (fitted, model):
        assert value["n"] == expected["rows"], f"{value['n']} rows"
        assert value["labels"] == expected.get("labels", 0), f"{value['labels']} classes"
        if "set_aside" in expected:
            aside = {entry["name"]: entry["reason"] for entry in value["set_aside"]}
            assert value["columns"] == expected["columns"] and aside == expected["set_aside"], (value["columns"], aside)
    assert model.get("targets", expected.get("targets")) == expected.get("targets")
    header, rows = read_csv(mercer.read("s.csv").decode())
    assert len(rows) == expected["rows"]
    if "names" in expected:
        assert header[0] != "PC1" and [rows[0][0], rows[-1][0]] == expected["names"], (rows[0], rows[-1])
    else:
        assert header[0] == "PC1", f"names of rows in {header}"


def check_values(mercer, expected):
    """What stands in the cells, by a conversion to plain CSV."""
    options = expected.get("options", [])
    rows = list(csv.reader(io.StringIO(mercer("convert", expected["tables"][0], "-", *options).text)))
    names = expected["columns"]
    if names is None or names[0] not in rows[0]:
        width = len(expected["first"])  # classes stand behind
        first, last = rows[-expected["rows"]][:width], rows[-1][:width]
    else:
        places = [rows[0].index(name) for name in names]
        first, last = [rows[1][place] for place in places], [rows[-1][place] for place in places]
    for got, wanted in ((first, expected["first"]), (last, expected["last"])):
        assert all(abs(float(a) - b) <= 1e-12 * max(1, abs(b)) for a, b in zip(got, wanted)), (got, wanted)


def test_every_stored_table_is_understood(mercer):
    for file in os.listdir(FOLDER):
        if not file.endswith(".json"):
            shutil.copy(os.path.join(FOLDER, file), mercer.folder)
    failed = []
    count = 0
    for file, expected in expectations():
        count += 1
        try:
            check_fit(mercer, expected)
            if "first" in expected:
                check_values(mercer, expected)
        except (AssertionError, ValueError, KeyError, IndexError) as problem:
            failed.append(f"{file}: {problem!r}")
    assert not failed, "\n" + "\n".join(failed)
    assert count >= 25
    spoken_of = {table for _, expected in expectations() for table in expected["tables"]}
    silent = {file for file in os.listdir(FOLDER) if not file.endswith(".json")} - spoken_of
    assert not silent, f"nothing is said of {sorted(silent)}"
