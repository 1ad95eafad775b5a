"""Fits of many rows: plans, budgets of memory and time, certificates, and what cannot be had."""

import json
import os
import re
import signal
import subprocess
import time

from program import Result, needs, says
from test_signals import stops_in_time

MIB = 2**20


def blobs(mercer, rows, dim, name="big.csv"):
    mercer("data", "blobs", "-n", str(rows), "--dim", str(dim), "-o", name)
    return name


def strict(result):
    """The JSON object of a run; NaN and Infinity are not JSON."""
    def refuse(word):
        raise AssertionError(f"{word} is not JSON")
    return json.loads(result.out, parse_constant=refuse)


def fails(mercer, status, code, *args):
    """A run that ends in an error writes no model and says what to do."""
    before = mercer.files()
    result = mercer("fit", *args, status=status)
    says(result, f"error[{code}]", "fix: ")
    assert mercer.files() == before, mercer.files()
    return result


def run_any(mercer, *args):
    """A run whose exit status depends on how busy the machine is."""
    done = subprocess.run([mercer.binary, *args], cwd=mercer.folder, capture_output=True, timeout=60, check=False)
    return Result(done.returncode, done.stdout, done.stderr)


def peak_of(mercer, *args):
    """Peak resident bytes of a run, as the system saw it."""
    with subprocess.Popen([mercer.binary, *args], cwd=mercer.folder, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.returncode
    return usage.ru_maxrss * 1024


def test_plan_shows_every_pair_with_its_price_and_runs_nothing(mercer):
    table = blobs(mercer, 3000, 8)
    result = mercer("plan", table)
    lines = (result.text + result.err).splitlines()
    (head,) = [line for line in lines if line.startswith("operator + solver")]
    assert re.split(r"\s{2,}", head.strip()) == ["operator + solver", "memory", "time", "error", "verdict"], head
    chosen = [line for line in lines if line.startswith("▸")]
    assert len(chosen) == 1 and "chosen" in chosen[0], chosen
    for operator in ("blocked_gram", "dense_gram", "covariance", "linear_gram", "given_matrix"):
        refused = any(f"{operator} + any solver" in line for line in lines)
        for solver in ("dense", "block_krylov"):
            shown = any(f"{operator} + {solver}" in line for line in lines)
            assert shown != refused, f"{operator} + {solver} is missing"
    assert mercer.files() == [table], "the plan was run"
    plan = strict(mercer("plan", table, "--json"))["plan"]
    needs(plan, "operator", "solver", "precision", "passes", "predicted_seconds", "predicted_bytes", "candidates")
    solvers = {entry["name"] for entry in mercer("list", "solvers", "--json").json["solvers"]}
    assert {candidate["solver"] for candidate in plan["candidates"]} == solvers
    for candidate in plan["candidates"]:
        needs(candidate, "operator", "solver", "bytes", "seconds", "error", "verdict", "chosen")
        assert candidate["verdict"], candidate
    (best,) = [candidate for candidate in plan["candidates"] if candidate["chosen"]]
    assert (best["operator"], best["solver"]) == (plan["operator"], plan["solver"])


def test_explain_compares_predicted_with_measured(mercer):
    result = mercer("fit", blobs(mercer, 3000, 8), "--explain")
    says(result, "operator + solver", "verdict", "chosen", "block_krylov")
    assert re.search(r"Measured .* s \(predicted .* s\), .* \(predicted .*\)", result.err), result.err


def sanitized(mercer):
    """Whether the program carries a sanitizer, whose own memory is several times that of the program."""
    with open(mercer.binary, "rb") as program:
        return b"__asan_init" in program.read()


def test_memory_is_obeyed(mercer):
    table = blobs(mercer, 6000, 300)  # entries cost much, so that they are stored where they may be
    free = strict(mercer("fit", table, "--json", "--memory", "4G"))
    assert free["plan"]["operator"] == "dense_gram", free["plan"]["operator"]
    tight = strict(mercer("fit", table, "--json", "--memory", "64M"))
    assert tight["plan"]["operator"] == "blocked_gram" and tight["converged"], tight["plan"]
    for one, other in zip(free["eigenvalues"], tight["eigenvalues"]):
        assert abs(one - other) <= 2e-6 * free["eigenvalues"][0]
    if not sanitized(mercer):
        assert tight["peak_bytes"] <= 128 * MIB, tight["peak_bytes"]
        assert peak_of(mercer, "fit", table, "--memory", "64M") <= 128 * MIB
    (chosen,) = [candidate for candidate in tight["plan"]["candidates"] if candidate["chosen"]]
    assert chosen["bytes"] <= 64 * MIB, chosen


def test_too_little_memory_says_how_much_would_do(mercer):
    table = blobs(mercer, 6000, 20)
    result = fails(mercer, 5, "M301", table, "--memory", "2M")
    enough = re.search(r"--memory ([0-9]+M)", result.err)
    assert enough, result.err
    fit = strict(mercer("fit", table, "--json", "--memory", enough[1]))
    assert fit["converged"] and fit["certificate"]["complete"], fit["certificate"]
    result = fails(mercer, 5, "M301", table, "--memory", "64M", "--solver", "dense")
    says(result, "block_krylov")


def test_time_that_runs_out_leaves_the_best_answer_or_says_there_is_none(mercer):
    table = blobs(mercer, 5000, 20)
    hard = ["fit", table, "--operator", "blocked_gram", "--kernel", "laplacian", "--components", "25",
            "--tolerance", "1e-12", "--json", "-o", "m.mercer"]
    whole = strict(mercer(*hard))["seconds"]["total"]
    os.remove(mercer.path("m.mercer"))
    result = mercer(*hard, "--time", "0.02s", status=5)
    assert strict(result)["error"]["code"] == "M303" and mercer.files() == [table], result.err
    statuses = []
    for share in (0.75, 0.85, 0.65, 0.9, 0.55):
        result = run_any(mercer, *hard, "--time", f"{share * whole:.2f}s")
        statuses.append(result.status)
        if result.status == 6:
            break
    assert statuses[-1] == 6 and set(statuses) <= {0, 5, 6}, statuses
    fit = strict(result)
    assert not fit["converged"] and not fit["certificate"]["complete"], fit["certificate"]
    assert [warning["code"] for warning in fit["warnings"]].count("W602") == 1, fit["warnings"]
    assert len(fit["eigenvalues"]) == 25, fit["eigenvalues"]
    info = strict(mercer("info", "m.mercer", "--json"))
    assert info["eigenvalues"] == fit["eigenvalues"] and not info["converged"]


def test_a_dense_fit_without_time_for_all_components_keeps_the_leading_ones(mercer):
    table = blobs(mercer, 4000, 20)
    for more in (["--solver", "dense"], []):  # stopped in the middle; planned for fewer
        start = time.monotonic()
        result = run_any(mercer, "fit", table, "--components", "all", "--time", "2s", "--json", "-o", "m.mercer", *more)
        assert time.monotonic() - start < 10, "the time allowed was passed by far"
        if result.status == 5:  # so slow a machine that the matrix was not there in time
            assert strict(result)["error"]["code"] == "M303"
            continue
        assert result.status == 6, result.err
        fit = strict(result)
        assert not fit["converged"] and 1 <= len(fit["eigenvalues"]) < 3999, len(fit["eigenvalues"])
        assert "W602" in [warning["code"] for warning in fit["warnings"]], fit["warnings"]
        info = strict(mercer("info", "m.mercer", "--json"))
        assert info["eigenvalues"] == fit["eigenvalues"] and not info["converged"]
    plan = mercer("plan", table, "--components", "all", "--time", "1s").text
    assert "no time for all in 1.00 s" in plan or "may not finish in 1.00 s: the leading" in plan, plan


def test_pca_without_time_for_all_components_keeps_the_leading_ones(mercer):
    mercer("data", "blobs", "-n", "1500", "--dim", "1500", "-o", "wide.npy")
    start = time.monotonic()
    result = run_any(mercer, "fit", "wide.npy", "--method", "pca", "--components", "all", "--time", "0.4s", "--json",
                     "-o", "m.mercer")
    assert time.monotonic() - start < 8, "the time allowed was passed by far"
    assert result.status in (5, 6), result.err
    if result.status == 5:
        assert strict(result)["error"]["code"] == "M303"
    else:
        assert not strict(result)["converged"] and "m.mercer" in mercer.files()


def test_an_interrupted_dense_fit_ends_by_itself(mercer):
    """The program ends a run that cannot be stopped after about two seconds: here none is needed."""
    mercer("data", "blobs", "-n", "6000", "--dim", "3", "-o", "big.csv")
    args = [mercer.binary, "fit", "big.csv", "--operator", "dense_gram", "--solver", "dense", "--components", "all",
            "-o", "m.mercer"]
    for _ in range(5):
        process = subprocess.Popen(args, cwd=mercer.folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        time.sleep(2.5)  # well within the reduction
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        taken = time.monotonic() - start
        assert process.returncode == 130 and err.count(b"error[M001]") == 1, err
        assert mercer.files() == ["big.csv"], mercer.files()
        if taken < 1.5:  # before the watchdog
            return
    raise AssertionError(f"took {taken:.1f} s")


def test_time_and_other_words_are_checked_first(mercer):
    mercer.write("t.csv", "1,2\n3,4\n5,7\n")
    for option, word in [("--time", "abc"), ("--time", "0"), ("--time", "-3s"), ("--seed", "x"), ("--seed", "-1"),
                         ("--seed", "1.5"), ("--certify", "maybe"), ("--device", "npu"), ("--tolerance", "1e-20"),
                         ("--tolerance", "0"), ("--tolerance", "-1"), ("--tolerance", "nan"), ("--tolerance", "x"),
                         ("--tolerance", "eigenvalues:"), ("--tolerance", "eigenvalues:x"),
                         ("--tolerance", "eigenvalues:1e-20"), ("--tolerance", "eigenvalue:1e-6")]:
        fails(mercer, 2, "M102", "t.csv", option, word)
    says(fails(mercer, 2, "M102", "t.csv", "--certify", "determinstic"), 'did you mean "deterministic"?')
    says(fails(mercer, 2, "M112", "t.csv", "--operator", "blocked_gramm"), 'did you mean "blocked_gram"?')
    says(fails(mercer, 2, "M112", "t.csv", "--solver", "block_krilov"), 'did you mean "block_krylov"?')
    says(fails(mercer, 8, "M801", "t.csv", "--device", "cuda"), "no code for GPUs")
    for word in ("auto", "cpu"):
        mercer("fit", "t.csv", "--device", word)


def test_certificates_of_every_kind(mercer):
    table = blobs(mercer, 800, 6)
    kinds = {}
    for word in ("none", "deterministic", "probabilistic", "auto"):
        fit = strict(mercer("fit", table, "--json", "--solver", "block_krylov", "--certify", word))
        kinds[word] = fit["certificate"]["kind"]
        assert fit["converged"] and fit["certificate"]["complete"] == (word != "none"), fit["certificate"]
    assert kinds["none"] == "none" and kinds["deterministic"] == "deterministic", kinds
    assert {kinds["probabilistic"], kinds["auto"]} <= {"deterministic", "probabilistic"}, kinds
    says(mercer("fit", table, "--solver", "block_krylov", "--certify", "none"), "complete: not")


def test_info_shows_the_certificate_of_the_fit(mercer):
    table = blobs(mercer, 4000, 6)
    fit = strict(mercer("fit", table, "--json", "-o", "m.mercer", "--operator", "dense_gram"))
    assert fit["plan"]["solver"] == "block_krylov" and fit["certificate"]["complete"], fit["plan"]
    info = strict(mercer("info", "m.mercer", "--json"))
    for field in ("certificate", "residuals", "tolerance", "eigenvalues"):
        assert info[field] == fit[field], field
    assert "verified" in mercer("info", "m.mercer").text


def test_eigenvalues_alone_are_enclosed(mercer):
    table = blobs(mercer, 2000, 10)
    for width in (1e-3, 1e-8):
        fit = strict(mercer("fit", table, "--json", "--solver", "block_krylov", "--tolerance", f"eigenvalues:{width}"))
        assert fit["converged"] and fit["certificate"]["complete"]
        for mu, upper in zip(fit["eigenvalues"], fit["certificate"]["eigenvalue_upper"]):
            assert mu <= upper <= mu * (1 + 1.001 * width), (mu, upper)


def test_seeds_and_threads_do_not_change_the_answer(mercer):
    table = blobs(mercer, 3500, 10)
    run = ["fit", table, "--json", "--reproducible", "-o", "m.mercer", "--operator", "blocked_gram"]
    first = strict(mercer(*run))
    model = mercer.read("m.mercer")
    for threads in ("1", "2", "3", "8"):
        mercer(*run, "--threads", threads)
        assert mercer.read("m.mercer") == model, f"{threads} threads"
    other = strict(mercer(*run, "--seed", "11"))
    assert mercer.read("m.mercer") != model, "the seed has no effect"
    for one, two in zip(first["eigenvalues"], other["eigenvalues"]):
        assert abs(one - two) <= 1e-6 * first["eigenvalues"][0]


def test_as_many_components_as_rows_allow(mercer):
    table = blobs(mercer, 40, 5)
    fit = strict(mercer("fit", table, "--json", "--components", "39", "--kernel", "gaussian:sigma=1"))
    assert fit["components"] == 39 and fit["plan"]["solver"] == "dense", fit["components"]
    says(fails(mercer, 3, "M233", table, "--components", "40"), "at most 39")
    fails(mercer, 2, "M102", table, "--components", "39", "--solver", "block_krylov")


def test_a_flat_spectrum_is_proven_by_a_count(mercer):
    table = blobs(mercer, 300, 6)
    flat = ["fit", table, "--kernel", "gaussian:sigma=0.001", "--components", "3", "-o", "m.mercer"]
    for operator in ("blocked_gram", "dense_gram"):
        result = mercer(*flat, "--solver", "block_krylov", "--operator", operator)
        says(result, "complete: verified\n", "warning[W238]", "Wrote")
        fit = strict(mercer(*flat, "--solver", "block_krylov", "--operator", operator, "--json"))
        assert fit["converged"] and fit["certificate"]["complete"], fit["certificate"]
        assert fit["certificate"]["angle"] is None and fit["plan"]["solver"] == "block_krylov"
        assert all(abs(mu - 1) < 1e-9 for mu in fit["eigenvalues"]), fit["eigenvalues"]
    fit = strict(mercer(*flat, "--json"))
    assert fit["converged"] and fit["certificate"]["complete"]
    assert all(abs(mu - 1) < 1e-9 for mu in fit["eigenvalues"]), fit["eigenvalues"]


def test_interrupted_search_ends_within_two_seconds(mercer):
    table = blobs(mercer, 12000, 30)
    args = ["fit", table, "--kernel", "laplacian", "--components", "150", "--tolerance", "1e-13"]
    for operator in ("blocked_gram", "dense_gram"):
        for delay in (0.1, 0.8):
            stops_in_time(mercer, [*args, "--operator", operator, "--solver", "block_krylov"], signal.SIGINT, delay)
            # A long fit whose first pass was done leaves its checkpoint, and nothing else.
            left = [name for name in mercer.files() if name != "big.mercer.checkpoint"]
            assert left == [table], left
            if len(mercer.files()) > 1:
                os.remove(mercer.path("big.mercer.checkpoint"))
