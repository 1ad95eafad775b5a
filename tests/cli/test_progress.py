"""Progress that is true: one bar for the whole command, whose end is the end."""

import json
import signal

from program import needs, says

# Every way through the eigensolvers, and methods that have a search of their own.
FITS = [["--operator", "blocked_gram", "--solver", "block_krylov"], ["--operator", "dense_gram", "--solver", "dense"],
        ["--operator", "dense_gram", "--solver", "lanczos"], ["--operator", "polynomial_features", "--kernel", "polynomial:degree=2"],
        ["--components", "0.9"], ["--method", "pca"], ["--method", "ica", "--restarts", "2"],
        ["--method", "metric_mds", "--restarts", "1"], ["--method", "ppca", "--algorithm", "em"],
        ["--method", "kernel_lda", "--cross-validate", "3"]]


def lines_of(result):
    return [json.loads(line) for line in result.err.split("\n") if line.startswith("{")]


def is_true(lines, stages):
    """The lines tell of one whole, which only grows, and of these stages in this order."""
    for line in lines:
        needs(line, "phase", "done", "of_phase", "seconds")
    done = [line["done"] for line in lines]
    assert done == sorted(done), "the whole fell"
    phases = [line["phase"] for line in lines]
    at = [phases.index(stage) for stage in stages]
    assert at == sorted(at) and at[0] == 0, phases
    assert phases[-1] == "done" and done[-1] == 1 and phases.count("done") == 1
    assert all(share <= 0.97 for share in done[:phases.index("write") + 1]), "nearly done before anything was written"
    assert done[-2] < 1, "done before the end"


def test_the_bar_of_a_fit_is_that_of_the_whole_fit(mercer):
    mercer("data", "blobs", "-n", "700", "--dim", "3", "-o", "b.csv")
    for words in FITS:
        fit = mercer("fit", "b.csv", *words, "--scores", "s.csv", "--quiet", "--progress", "json")
        lines = lines_of(fit)
        folds = ["folds"] if "--cross-validate" in words else []
        is_true(lines, ["read", "plan", "solve", *folds, "write"])
        solving = [line["done"] for line in lines if 0.5 < line["done"] < 0.95]
        assert solving, f"nothing told of the second half: {words}"


def test_products_with_the_matrix_fill_the_bar_as_the_plan_expects_them(mercer):
    mercer("data", "swiss_roll", "-n", "4000", "-o", "b.npy")
    fit = mercer("fit", "b.npy", "--operator", "blocked_gram", "--solver", "block_krylov", "--components", "10", "--kernel",
                 "gaussian:sigma=1", "--certify", "none", "--quiet", "--progress", "json", "--json")
    lines = lines_of(fit)
    is_true(lines, ["read", "plan", "solve", "write"])
    search = [line for line in lines if "pass" in line]
    first = [line["done"] for line in search[:[line["pass"] for line in search].index(2)]]
    last = search[-1]["done"]
    passes = fit.json["plan"]["passes"]
    assert passes > 8 and max(first) < 0.4 and 0.5 < last < 0.95, (passes, first, last)
    half = next(line["done"] for line in search if line["pass"] >= passes // 2)
    assert half < 0.8, f"half of the products are made, and the bar stands at {half}"


def test_a_share_leaves_room_for_the_searches_that_follow(mercer):
    mercer("data", "digits", "-o", "d.csv")
    lines = lines_of(mercer("fit", "d.csv", "--components", "0.88", "--memory", "26M", "--quiet", "--progress", "json"))
    is_true(lines, ["read", "plan", "solve", "write"])
    search = [line for line in lines if "pass" in line]
    again = [i for i in range(1, len(search)) if search[i]["pass"] < search[i - 1]["pass"]]
    assert again, "the first search sufficed"
    assert search[again[0] - 1]["done"] < 0.6 < search[-1]["done"], (search[again[0] - 1], search[-1])


def test_folds_fill_their_part_of_the_bar_evenly(mercer):
    mercer("data", "blobs", "-n", "600", "--dim", "3", "-o", "b.csv")
    for method in (["kernel_lda"], ["pls", "--target", "1"], ["nearest_mean"]):
        fit = mercer("fit", "b.csv", "--method", *method, "--cross-validate", "8", "--quiet", "--progress", "json")
        lines = lines_of(fit)
        is_true(lines, ["read", "plan", "solve", "folds", "write"])
        folds = lines[[line["phase"] for line in lines].index("folds") + 1:-2]
        assert {line["phase"] for line in folds} == {"cross-validation"}, folds
        told = sorted({line["done"] for line in folds})
        steps = [b - a for a, b in zip(told, told[1:])]
        assert told[0] < 0.56 and 0.75 < told[-1] < 0.92 and max(steps) < 0.15, (method, told)


def test_reading_and_writing_of_a_large_table_are_told(mercer):
    mercer("data", "blobs", "-n", "800000", "--dim", "4", "-o", "b.csv")
    mercer("data", "blobs", "-n", "100", "--dim", "4", "-o", "small.csv")
    told = lines_of(mercer("convert", "b.csv", "c.csv", "--quiet", "--progress", "json"))
    is_true(told, ["read", "write"])
    for phase in ("read", "write"):
        assert [line for line in told if line["phase"] == phase and 0 < line["of_phase"] < 1], f"nothing of {phase}"
    mercer("fit", "small.csv", "--method", "pca", "-o", "m.mercer")
    told = lines_of(mercer("transform", "m.mercer", "b.csv", "-o", "t.csv", "--quiet", "--progress", "json"))
    is_true(told, ["read", "write"])
    between = [line["phase"] for line in told if 0.4 < line["done"] < 1]
    assert between.count("transform") > 1, between


def test_the_kernel_is_told_before_the_search_for_its_components(mercer):
    mercer("data", "blobs", "-n", "300", "-o", "b.csv")
    for words in ([], ["--kernel", "polynomial"], ["--method", "kernel_lda"]):
        said = mercer("fit", "b.csv", *words, "--progress", "json").err.split("\n")
        kernel = [i for i, line in enumerate(said) if line.startswith("Kernel ")]
        solving = [i for i, line in enumerate(said) if line.startswith('{"phase":"solve"')]
        assert len(kernel) == 1 and kernel[0] < solving[0], said


def stopped(mercer, *args):
    """What is said after Ctrl-C during the search."""
    process = mercer.start(*args, "--progress", "json")
    for line in process.stderr:
        if b'"phase":"solve"' in line:
            break
    process.send_signal(signal.SIGINT)
    rest = process.stderr.read().decode()
    process.communicate(timeout=30)
    assert process.returncode == 130, rest
    return rest


def test_ctrl_c_says_how_to_go_on_or_what_would_have_kept_it(mercer):
    mercer("data", "blobs", "-n", "20000", "--dim", "3", "-o", "b.npy")
    search = ["fit", "b.npy", "--operator", "blocked_gram", "--solver", "block_krylov", "--precision", "double"]
    said = stopped(mercer, *search)
    assert "error[M001]" in said and "with --checkpoint FILE the fit could go on from here" in said, said
    mercer("data", "blobs", "-n", "5000", "--dim", "3", "-o", "d.npy")
    said = stopped(mercer, "fit", "d.npy", "--operator", "dense_gram", "--solver", "dense")
    assert "nothing is kept of such a fit: start it again" in said, said
    said = stopped(mercer, *search, "--checkpoint", "c")
    kept = "c" in mercer.files()
    assert ("--resume c" in said) if kept else ("nothing was kept yet: start the fit again" in said), said
