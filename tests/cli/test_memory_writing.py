"""Memory outside the readers: saving, scaled copies, scores, conversions and JSON stay within --memory, or M301 comes
before the memory is taken."""

import array
import json
import os
import random
import re
import subprocess
import tempfile

from program import says
from test_large import MIB, sanitized

SLACK = 64 * MIB


def npy(mercer, name, n, dim):
    """Doubles that repeat after a prime number of them, so that rows differ."""
    numbers = random.Random(1)
    base = array.array("d", (numbers.gauss(0, 1) for _ in range(10007)))
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({n}, {dim}), }}"
    head += " " * (117 - len(head)) + "\n"
    count = n * dim
    with open(mercer.path(name), "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode())
        while count > 0:
            file.write(base[:count].tobytes())
            count -= len(base)
    return name


def measured(mercer, *args):
    """Exit status, peak resident bytes and standard error of a run; what it writes to stdout goes nowhere."""
    with tempfile.TemporaryFile() as words:
        with subprocess.Popen([mercer.binary, *args], cwd=mercer.folder, stdout=subprocess.DEVNULL,
                              stderr=words) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        words.seek(0)
        return process.returncode, usage.ru_maxrss * 1024, words.read().decode()


def within(mercer, memory, *args, may_refuse=False):
    """A run that succeeds (or whose flat spectrum is not proven: 6), or is refused where that is a good answer, within
    --memory and what the program itself takes."""
    status, peak, words = measured(mercer, *args, "--memory", f"{memory}M")
    refused = may_refuse and status == 5 and "error[M301]" in words
    assert status in (0, 6) or refused, f"{args} at {memory}M: exit status {status}: {words[-300:]}"
    if not sanitized(mercer):
        assert peak <= memory * MIB + SLACK, f"{args} at {memory}M took {peak / MIB:.0f} MiB"
    return status


def test_a_fit_takes_no_more_than_its_own_refusal_asks_for(mercer):
    table = npy(mercer, "wide.npy", 400, 30000)  # 92 MiB
    for more in ([], ["--scale", "standard"], ["-o", "-"], ["--scores", "s.csv"], ["--kernel", "linear"]):
        args = ["fit", table, *(["-o", "m.mercer"] if "-o" not in more else []), *more]
        status, peak, words = measured(mercer, *args, "--memory", "100M")
        assert status == 5 and "error[M301]" in words, words
        if not sanitized(mercer):
            assert peak <= 100 * MIB + SLACK, f"{more} took {peak / MIB:.0f} MiB before it was refused"
        enough = re.search(r"--memory (\d+)M", words)
        assert enough and int(enough[1]) < 500, words
        within(mercer, int(enough[1]), *args)


def test_pca_walks_over_rows_that_do_not_fit(mercer):
    table = npy(mercer, "wide.npy", 400, 30000)  # 92 MiB
    for more in ([], ["--scale", "range"]):
        status, peak, words = measured(mercer, "fit", table, "-o", "m.mercer", "--method", "pca", *more, "--memory", "100M",
                                       "--tolerance", "0.5", "--certify", "none")  # the spectrum is flat
        assert status == 0 and "in chunks" in words, words
        if not sanitized(mercer):
            assert peak <= 100 * MIB + SLACK, f"{more} took {peak / MIB:.0f} MiB"


def test_few_rows_of_many_columns(mercer):
    table = npy(mercer, "wide.npy", 20, 600_000)  # 92 MiB: whatever is as long as a row counts
    for more in (["--kernel", "gaussian:sigma=300"], ["--kernel", "laplacian:length=9000", "--scale", "standard"],
                 ["--method", "pca", "--components", "2"], ["--method", "pca", "--components", "8"]):
        status, _, words = measured(mercer, "fit", table, "-o", "m.mercer", *more, "--memory", "100M")
        assert status == 5 and "error[M301]" in words, words
        within(mercer, int(re.search(r"--memory (\d+)M", words)[1]), "fit", table, "-o", "m.mercer", *more)


def test_a_model_that_does_not_fit_is_refused_before_it_is_read(mercer):
    table = npy(mercer, "wide.npy", 400, 30000)
    mercer("fit", table, "-o", "m.mercer", status=None)  # 6: the spectrum is flat
    for command in ("transform", "inverse"):
        status, peak, words = measured(mercer, command, "m.mercer", table, "--memory", "16M")
        assert status == 5 and "error[M301]" in words and "m.mercer" in words, words
        if not sanitized(mercer):
            assert peak <= 16 * MIB + SLACK, f"{command} took {peak / MIB:.0f} MiB"
    within(mercer, 400, "transform", "m.mercer", table, "-o", "s.csv")


def test_tables_are_converted_piece_by_piece(mercer):
    table = npy(mercer, "t.npy", 400000, 10)  # 31 MiB
    for output in ("t.csv", "t.tsv.gz", "t.csv.zst", "u.npy", "t.npz", "t.mtx", "-"):
        within(mercer, 34, "convert", table, output)
    assert mercer.read("u.npy") == mercer.read("t.npy")
    assert mercer.read("t.csv").count(b"\n") == 400000


def test_scores_and_rows_are_written_piece_by_piece(mercer):
    table = npy(mercer, "t.npy", 400000, 10)
    mercer.write("few.csv", "\n".join(",".join(str(random.Random(i * 10 + j).gauss(0, 1)) for j in range(10))
                                      for i in range(40)))
    mercer("fit", "few.csv", "--method", "pca", "-o", "pca.mercer")
    mercer("fit", "few.csv", "--method", "pca", "--scale", "whiten", "-o", "scaled.mercer")
    mercer("fit", "few.csv", "-o", "kernel.mercer")
    for model in ("pca", "scaled", "kernel"):
        for output in ("s.csv", "s.npy", "s.csv.gz", "-"):
            within(mercer, 40, "transform", f"{model}.mercer", table, "-o", output)
        for output in ("s.npz", "s.mtx"):  # these need all scores at once
            within(mercer, 40, "transform", f"{model}.mercer", table, "-o", output, may_refuse=True)
        within(mercer, 40, "transform", f"{model}.mercer", table, "--json", may_refuse=True)
        assert within(mercer, 90, "transform", f"{model}.mercer", table, "--json") == 0
    for model in ("pca", "scaled"):
        mercer("transform", f"{model}.mercer", table, "-o", "s.npy")
        within(mercer, 40, "inverse", f"{model}.mercer", "s.npy", "-o", "back.csv")
        within(mercer, 40, "inverse", f"{model}.mercer", "s.npy", "--json", may_refuse=True)


def test_memory_changes_no_byte_of_a_result(mercer):
    mercer("data", "blobs", "-n", "3000", "--dim", "40", "-o", "t.csv")
    mercer("data", "blobs", "-n", "200", "--dim", "40", "--seed", "3", "-o", "few.csv")
    for name, more in [("kernel", []), ("linear", ["--kernel", "linear"]), ("scaled", ["--scale", "whiten"]),
                       ("pca", ["--method", "pca"]), ("zca", ["--method", "pca", "--whiten", "zca"])]:
        mercer("fit", "few.csv", *more, "-o", f"{name}.mercer")
        results = {}
        for memory in ("4M", "8M", "4G"):
            mercer("transform", f"{name}.mercer", "t.csv", "-o", "s.csv", "--memory", memory)
            assert results.setdefault("scores", mercer.read("s.csv")) == mercer.read("s.csv"), (name, memory)
            told = mercer("transform", f"{name}.mercer", "t.csv", "--memory", memory)
            assert told.out == results["scores"], (name, memory)
            if name in ("pca", "zca"):
                mercer("inverse", f"{name}.mercer", "s.csv", "-o", "r.csv", "--memory", memory)
                assert results.setdefault("rows", mercer.read("r.csv")) == mercer.read("r.csv"), (name, memory)
        rows = [[float(cell) for cell in line.split(",")[:-1]] for line in results["scores"].decode().splitlines()[1:]]
        assert mercer("transform", f"{name}.mercer", "t.csv", "--json").json["scores"] == rows, name


def test_sparse_tables_can_be_scaled(mercer):
    numbers = random.Random(4)
    rows = [{j + 1: numbers.gauss(0, 1) for j in numbers.sample(range(30), 8)} for _ in range(60)]
    mercer.write("x.svm", "".join(f"{i % 2} " + " ".join(f"{j}:{v!r}" for j, v in sorted(row.items())) + "\n"
                                  for i, row in enumerate(rows)))
    entries = [f"{i + 1} {j} {v!r}" for i, row in enumerate(rows) for j, v in sorted(row.items())]
    mercer.write("x.mtx", f"%%MatrixMarket matrix coordinate real general\n60 30 {len(entries)}\n"
                          + "\n".join(entries) + "\n")
    mercer.write("x.csv", "\n".join(",".join(repr(row.get(j + 1, 0)) for j in range(30)) for row in rows) + "\n")
    mercer.write("slim.mtx", "%%MatrixMarket matrix coordinate real general\n3000 2 3000\n"
                 + "".join(f"{i + 1} {i % 2 + 1} {numbers.gauss(0, 1)!r}\n" for i in range(3000)))
    for scale in ("standard", "range", "whiten"):
        for method in (["--method", "pca"], [], ["--kernel", "linear"]):
            dense = mercer("fit", "x.csv", "--scale", scale, *method, "--json", "-o", "c.mercer").json
            for table in ("x.svm", "x.mtx"):
                plan = mercer("plan", table, "--scale", scale, *method, "--json").json["plan"]
                fit = mercer("fit", table, "--scale", scale, *method, "--json", "-o", "m.mercer").json
                assert (plan["operator"], plan["solver"]) == (fit["plan"]["operator"], fit["plan"]["solver"])
                for one, other in zip(fit["eigenvalues"], dense["eigenvalues"]):
                    assert abs(one - other) <= 1e-9 * dense["eigenvalues"][0], (table, scale, method)
                mercer("transform", "m.mercer", table)
            mercer("plan", "slim.mtx", "--scale", scale, *method)
            mercer("fit", "slim.mtx", "--scale", scale, *method, "-o", "m.mercer")


def test_results_that_no_double_can_hold_are_errors(mercer):
    # The axes are (1, 1) and (1, -1) over the root of two, about; deviations are small.
    mercer.write("t.csv", "\n".join(f"{0.01 * (i + i % 2 / 4)},{0.01 * (i - i % 2 / 4)}" for i in range(12)) + "\n")
    mercer.write("far.csv", "1,2\n1.7e308,1.7e308\n")
    mercer.write("scores.csv", "PC1,PC2\n0,0\n1,2\n1.7e308,1.7e308\n")
    for more in ([], ["--whiten", "pca"], ["--whiten", "zca"], ["--scale", "standard"], ["--scale", "range"]):
        mercer("fit", "t.csv", "--method", "pca", "--components", "2", *more, "-o", "m.mercer")
        result = mercer("transform", "m.mercer", "far.csv", "-o", "s.csv", status=3)
        says(result, "error[M213]", "row 2", "far.csv")
        result = mercer("transform", "m.mercer", "far.csv", "--json", status=3)
        assert json.loads(result.out)["error"]["code"] == "M213", result.out
        if not more:  # the others multiply by deviations
            says(mercer("inverse", "m.mercer", "scores.csv", "-o", "r.csv", status=3), "error[M213]", "row 3")
    assert not {"s.csv", "r.csv"} & set(mercer.files()), mercer.files()
    mercer("fit", "t.csv", "--scale", "standard", "-o", "k.mercer")
    says(mercer("transform", "k.mercer", "far.csv", status=3), "error[M213]", "row 2")
