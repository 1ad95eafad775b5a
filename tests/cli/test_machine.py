"""What the program says of the machine, and that it runs with the BLAS kernels which the processor deserves."""

import json

from program import needs, says

# The levels OpenBLAS' kernels need, as far as the tests name them.
LEVELS = ["baseline", "v3", "v4"]
KERNELS = {"Prescott": "baseline", "Nehalem": "baseline", "Haswell": "v3", "Zen": "v3", "SkylakeX": "v4"}
AS_IT_COMES = {"OPENBLAS_CORETYPE": None, "MERCER_BLAS": None}


def about(mercer, **env):
    return mercer("--version", "--verbose", "--json", env={**AS_IT_COMES, **env}).json


def kernels_that_run(mercer):
    highest = LEVELS.index(about(mercer)["highest_cpu_level"])
    return [name for name, level in KERNELS.items() if LEVELS.index(level) <= highest]


def test_version_tells_of_the_machine_when_asked(mercer):
    value = about(mercer)
    needs(value, "schema", "version", "processor", "cpu_level", "highest_cpu_level", "byte_instructions", "blas",
          "threads", "memory", "default_memory", "rates")
    needs(value["blas"], "library", "kernels", "better_kernels")
    assert value["byte_instructions"] in ("AVX512-VNNI", "AVX-VNNI", "none")
    assert value["threads"] >= 1 and value["default_memory"] * 2 <= value["memory"] + 1
    text = mercer("--version", "--verbose", env=AS_IT_COMES).text
    for part in (value["version"], value["processor"], value["cpu_level"], value["blas"]["library"], "threads", "memory"):
        assert part in text, part
    assert json.loads(mercer("--version", "--json").text)["version"] == value["version"]
    assert mercer("--version").text == f"mercer {value['version']}\n"


def test_the_program_takes_the_best_kernels_and_keeps_those_it_is_told_to(mercer):
    assert about(mercer)["blas"]["better_kernels"] is None, "a restart did not help"
    kept = about(mercer, MERCER_BLAS="keep")["blas"]
    native = about(mercer)["blas"]["kernels"]
    assert native == (kept["better_kernels"] or kept["kernels"])
    for name in kernels_that_run(mercer):
        blas = about(mercer, OPENBLAS_CORETYPE=name)["blas"]
        assert blas["kernels"] == name and blas["better_kernels"] is None, blas


def test_another_wish_about_the_blas_is_refused(mercer):
    result = mercer("list", "kernels", env={"MERCER_BLAS": "fast"}, status=2)
    says(result, "error[M102]", "MERCER_BLAS", "keep")
    told = mercer("--version", "--verbose", "--json", env={"MERCER_BLAS": "fast"}, status=2)
    assert told.json["error"]["code"] == "M102"


def test_a_restart_loses_no_argument_and_no_input(mercer):
    mercer("data", "circles", "-n", "50", "-o", "with space.csv", env=AS_IT_COMES)
    table = mercer.read("with space.csv")
    mercer("fit", "-", "-o", "from stdin.mercer", "--reproducible", stdin=table, env=AS_IT_COMES)
    mercer("fit", "with space.csv", "-o", "named.mercer", "--reproducible", env=AS_IT_COMES)
    scores = [mercer("transform", name, "-", stdin=table, env=AS_IT_COMES).out for name in ("from stdin.mercer", "named.mercer")]
    assert scores[0] == scores[1] and scores[0].count(b"\n") == 51
    says(mercer("fit", "", status=None, env=AS_IT_COMES), "error[M")
    says(mercer("fit", "no\nsuch\nfile.csv", status=4, env=AS_IT_COMES), "M401")


def test_slow_kernels_are_told_where_they_stay(mercer):
    mercer("data", "circles", "-n", "50", "-o", "t.csv")
    better = about(mercer, MERCER_BLAS="keep")["blas"]["better_kernels"]
    result = mercer("fit", "t.csv", "--json", env={**AS_IT_COMES, "MERCER_BLAS": "keep"})
    codes = [warning["code"] for warning in result.json["warnings"]]
    assert ("W802" in codes) == (better is not None), codes
    if better:
        says(result, f"OPENBLAS_CORETYPE={better}")
    quiet = mercer("fit", "t.csv", "--json", "--force", env=AS_IT_COMES).json
    assert "W802" not in [warning["code"] for warning in quiet["warnings"]]


def test_kernels_change_rounding_only(mercer):
    mercer("data", "digits", "-n", "300", "-o", "t.csv")
    values = []
    for name in kernels_that_run(mercer):
        for level in LEVELS[:LEVELS.index(about(mercer)["highest_cpu_level"]) + 1]:
            env = {"OPENBLAS_CORETYPE": name, "MERCER_CPU": level}
            values.append(mercer("fit", "t.csv", "--components", "5", "--force", "--json", env=env).json["eigenvalues"])
    for other in values[1:]:
        assert all(abs(a - b) <= 1e-12 * values[0][0] for a, b in zip(values[0], other)), (values[0], other)


def test_an_unknown_processor_is_measured_before_a_long_fit_only(mercer):
    # Below its highest level no processor is in the table of rates.
    if about(mercer)["highest_cpu_level"] == "baseline":
        return
    env = {"MERCER_CPU": "baseline", "XDG_CONFIG_HOME": mercer.path("config")}
    mercer("data", "blobs", "-n", "300", "-o", "small.csv")
    plan = mercer("plan", "small.csv", "--json", env=env)
    assert plan.json["plan"]["rates"] == "estimated" and "config" not in mercer.files()
    says(mercer("fit", "small.csv", env=env), "by the rates of another processor")
    mercer("data", "blobs", "-n", "20000", "-o", "large.npy")
    long = ("large.npy", "--json", "--operator", "blocked_gram", "--solver", "lanczos", "--components", "40")
    assert mercer("plan", *long, "--reproducible", env=env).json["plan"]["rates"] == "estimated"
    assert "config" not in mercer.files()
    first = mercer("plan", *long, env=env)
    says(first, "measuring its rates")
    assert first.json["plan"]["rates"] == "quick"
    again = mercer("plan", *long, env=env)
    assert "measuring" not in again.err and again.json["plan"]["rates"] == "quick"
    assert again.json["plan"]["predicted_seconds"] == first.json["plan"]["predicted_seconds"]
