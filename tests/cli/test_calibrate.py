"""Measuring the machine, where the rates are kept, and the scenarios that predictions are compared with."""

import json
import os

from program import needs, says

RATES = {"gemm_double", "gemm_single", "map_double", "map_single", "bandwidth", "integer", "skinny_single",
         "skinny_double", "tridiagonal"}
QUICK = ("--seconds", "0.001")
STORED = "config/mercer/machine.json"
MEASURED = []  # once for all tests


def home(mercer):
    return {"XDG_CONFIG_HOME": mercer.path("config")}


def stored(mercer):
    """A calibration of this machine as the program writes it, in its place."""
    if not MEASURED:
        mercer("calibrate", *QUICK, env=home(mercer))
        MEASURED.append(mercer.read(STORED))
    mercer.write(STORED, MEASURED[0])
    return json.loads(MEASURED[0])


def predicted(mercer, *more, env=None):
    """What `mercer plan` says of a table's plan."""
    if "t.csv" not in mercer.files():
        mercer("data", "blobs", "-n", "600", "--seed", "1", "-o", "t.csv")
    result = mercer("plan", "t.csv", "--json", *more, env=env or home(mercer))
    return result.json["plan"], result.err


def test_calibrate_measures_shows_and_stores(mercer):
    result = mercer("calibrate", "--json", *QUICK, env=home(mercer))
    value = result.json
    needs(value, "schema", "cpu_level", "processor", "rates", "stored")
    assert set(value["rates"]) == RATES and all(rate > 0 for rate in value["rates"].values()), value["rates"]
    assert value["stored"] == mercer.path(STORED)
    says(result, "built in", "measured", "GFLOP/s", mercer.path(STORED), *RATES)
    kept = json.loads(mercer.read(STORED))
    assert set(kept) == {"schema", "cpu_level", "processor", "blas_kernels", "origin", "rates"} and kept["rates"] == value["rates"]
    assert os.listdir(mercer.path("config/mercer")) == ["machine.json"], "a temporary file was left"


def test_a_dry_run_stores_nothing(mercer):
    value = mercer("calibrate", "--dry-run", "--json", *QUICK, env=home(mercer)).json
    assert value["stored"] is None and set(value["rates"]) == RATES
    assert mercer.files() == []


def test_remove_forgets_the_rates(mercer):
    stored(mercer)
    assert mercer("calibrate", "--remove", "--json", env=home(mercer)).json["removed"] == mercer.path(STORED)
    assert not os.path.exists(mercer.path(STORED))
    says(mercer("calibrate", "--remove", env=home(mercer)), "Nothing")
    assert mercer("calibrate", "--remove", "--json", env=home(mercer)).json["removed"] is None


def test_home_is_taken_where_there_is_no_configuration_folder(mercer):
    mercer("calibrate", *QUICK, env={"XDG_CONFIG_HOME": "", "HOME": mercer.folder})
    assert os.path.isfile(mercer.path(".config/mercer/machine.json"))


def test_without_a_home_nothing_is_kept_and_plans_work(mercer):
    nowhere = {"XDG_CONFIG_HOME": "", "HOME": ""}
    assert "error[M402]" in mercer("calibrate", env=nowhere, status=4).err  # at once: before it measures
    says(mercer("calibrate", "--remove", env=nowhere), "Nothing")
    assert "ignored" not in predicted(mercer, env=nowhere)[1]


def test_a_folder_that_cannot_be_made_is_said_before_measuring(mercer):
    mercer.write("config", "a file, not a folder")
    error = mercer("calibrate", env=home(mercer), status=4).err
    assert "error[M4" in error and "measuring" not in error, error


def test_values_that_make_no_sense_are_refused(mercer):
    for arguments in (("--seconds", "0"), ("--seconds", "1e9"), ("--remove", "--dry-run")):
        assert "error[M102]" in mercer("calibrate", *arguments, env=home(mercer), status=2).err


def test_plans_use_the_stored_rates(mercer):
    before, _ = predicted(mercer)
    record = stored(mercer)
    record["rates"] = {name: 1e6 for name in RATES}
    mercer.write(STORED, json.dumps(record))
    after, told = predicted(mercer)
    assert after["predicted_seconds"] > before["predicted_seconds"] * 100, (before, after)
    assert "ignored" not in told


def test_a_reproducible_fit_does_not_look_at_them(mercer):
    before, _ = predicted(mercer)
    record = stored(mercer)
    record["rates"] = {name: 1e15 for name in RATES}
    mercer.write(STORED, json.dumps(record))
    plan = mercer("fit", "t.csv", "--reproducible", "--json", env=home(mercer)).json["plan"]
    assert plan["predicted_seconds"] == before["predicted_seconds"]
    assert predicted(mercer, "--reproducible")[0] == before


def test_rates_of_another_machine_are_ignored(mercer):
    before, _ = predicted(mercer)
    record = stored(mercer)
    mercer.write(STORED, json.dumps({**record, "processor": "Abacus 3000"}))
    after, told = predicted(mercer)
    assert after == before and "of another machine: ignored   mercer calibrate" in told, told
    mercer.write(STORED, json.dumps({**record, "cpu_level": "v99"}))
    assert "of CPU level v99" in predicted(mercer)[1]
    mercer.write(STORED, json.dumps({**record, "schema": 99}))
    assert "of another version" in predicted(mercer)[1]


def test_garbage_is_ignored(mercer):
    before, _ = predicted(mercer)
    record = stored(mercer)
    rates = record["rates"]
    odd = [{**rates, "integer": value} for value in (0, -1.0, "fast", None, [], {})]
    odd += [{}, [], None, "fast", {name: rates[name] for name in RATES - {"bandwidth"}}]
    contents = [json.dumps({**record, "rates": value}) for value in odd]
    contents += ["", "{", "[]", "null", "7", '{"schema": 1}', '{"schema": "1"}', b"\xff\xfe\x00\x01", "[" * 5000,
                 " " * 70000, '{"schema": 1, "schema": 1}', json.dumps({**record, "processor": 5}),
                 json.dumps({**record, "cpu_level": None}), json.dumps(record).replace("e", "e9999", 1)]
    for content in contents:
        mercer.write(STORED, content)
        after, told = predicted(mercer)
        assert after == before and "ignored" in told, (content[:80], told)
    os.remove(mercer.path(STORED))
    os.mkdir(mercer.path(STORED))
    assert predicted(mercer)[0] == before
    assert "error[M406]" in mercer("calibrate", "--remove", env=home(mercer), status=4).err


SCENARIO = """# A small one.
name = "small"   # not "large"
data = "swiss_roll"
n = 300
noise = 0.05
seed = 1
components = 5
kernel = "gaussian"
tolerance = 1e-6
memory = "1G"
eigenvalue_error = 1e-6
"""


def test_bench_runs_scenarios(mercer):
    mercer.write("small.toml", SCENARIO)
    mercer.write("other.toml", 'data = "circles"\nn = 200\n')
    result = mercer("bench", "small.toml", "other.toml", "--runs", "3", "--json", env=home(mercer)).json
    assert [entry["name"] for entry in result] == ["small", "other"]
    small, other = result
    needs(small, "schema", "n", "dim", "components", "plan", "seconds", "bytes", "residual", "complete", "kept")
    assert small["n"] == 300 and small["dim"] == 3 and small["components"] == 5
    runs = small["seconds"]["runs"]
    assert len(runs) == 3 and small["seconds"]["median"] == sorted(runs)[1]
    assert small["seconds"]["predicted"] > 0 and small["bytes"]["predicted"] > 0
    assert small["bytes"]["peak"] > 300 * 300 * 8
    assert 0 <= small["eigenvalue_error"] <= 1e-6 and small["kept"] and small["complete"]
    assert other["eigenvalue_error"] is None and other["components"] == 2
    text = mercer("bench", "small.toml", "--runs", "1", env=home(mercer)).text
    assert len(text.splitlines()) == 2 and "small" in text and "300 × 3" in text and "kept" in text


def test_bench_reads_tables_beside_the_scenario(mercer):
    mercer("data", "blobs", "-n", "120", "-o", "b.csv")
    mercer.write("folder/s.toml", 'data = "../b.csv"\nn = 100\n')
    assert mercer("bench", "folder/s.toml", "--runs", "1", "--json", env=home(mercer)).json[0]["n"] == 100


def test_bench_tells_a_promise_that_was_not_kept(mercer):
    mercer.write("s.toml", SCENARIO.replace("eigenvalue_error = 1e-6", "eigenvalue_error = 1e-300"))
    result = mercer("bench", "s.toml", "--runs", "1", "--solver", "block_krylov", env=home(mercer), status=6)
    assert "MISSED" in result.text
    skipped = mercer("bench", "s.toml", "--runs", "1", "--no-check", "--json", env=home(mercer)).json
    assert skipped[0]["kept"] and skipped[0]["eigenvalue_error"] is None


def test_bench_refuses_what_it_does_not_know(mercer):
    wrong = {"colour = 1": "unknown key", "n 5": "is not key = value", "dim = five": "neither a number",
             "dim = 2.5": "not a whole number", 'dim = "-3"': "not a number >= 0", 'scale = "a\\"': "neither a number",
             "dim = -1": "not a number >= 0", "dim = nan": "not a number >= 0", 'scale = "a': "neither a number",
             "n = 400": "given twice", "[section]": "is not key = value"}
    for line, message in wrong.items():
        mercer.write("s.toml", SCENARIO + line + "\n")
        error = mercer("bench", "s.toml", status=2).err
        assert "error[M102]" in error and "s.toml, line 12" in error and message in error, error
    mercer.write("s.toml", SCENARIO.replace("components", "componets"))
    assert 'did you mean "components"?' in mercer("bench", "s.toml", status=2).err
    mercer.write("s.toml", "# nothing\n")
    assert "names no data" in mercer("bench", "s.toml", status=2).err
    mercer.write("s.toml", 'data = "swiss_rol"\n')
    assert "error[M112]" in mercer("bench", "s.toml", status=2).err
    mercer.write("s.toml", 'data = "no.csv"\n')
    assert "error[M401]" in mercer("bench", "s.toml", status=4).err
    assert "error[M401]" in mercer("bench", "no.toml", status=4).err
    assert "error[M102]" in mercer("bench", "s.toml", "--runs", "0", status=2).err
    assert "error[M110]" in mercer("bench", status=2).err
    mercer.write("s.toml", SCENARIO.replace('"gaussian"', '"gausian"'))
    error = mercer("bench", "s.toml", status=2).err
    assert "error[M103]" in error and "--> s.toml" in error, error
