"""PCA of tables larger than memory, of sparse rows and narrow types: memory, passes, bytes, errors."""

import array
import json
import math
import random
import signal

from program import says
from test_large import peak_of, sanitized
from test_signals import stops_in_time

MIB = 2**20


def header(n, dim, descr="<f8", fortran=False):
    head = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': ({n}, {dim}), }}"
    head += " " * (117 - len(head)) + "\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode()


def sparse_npy(mercer, name, n, dim, written=3000, changes=()):
    """Doubles, mostly a hole of the file: the first, middle and last rows hold numbers, and `changes` say
    (row, column, value)."""
    numbers = random.Random(2)
    start = header(n, dim)
    with open(mercer.path(name), "wb") as file:
        file.write(start)
        file.truncate(len(start) + 8 * n * dim)
        for first in (0, n // 2, n - written):
            file.seek(len(start) + 8 * first * dim)
            file.write(array.array("d", (numbers.gauss(1, 1 + j % 7) for _ in range(written) for j in range(dim))).tobytes())
        for row, column, value in changes:
            file.seek(len(start) + 8 * (row * dim + column))
            file.write(array.array("d", [value]).tobytes())
    return name


def small_npy(mercer, name="small.npy", n=400, dim=4, descr="<f8", fortran=False, constant=None):
    numbers = random.Random(3)
    code = {"<f8": "d", "<f4": "f", "|u1": "B"}[descr]
    draw = (lambda: numbers.randrange(256)) if code == "B" else (lambda: numbers.gauss(2, 3))
    values = array.array(code, (draw() if constant is None else constant for _ in range(n * dim)))
    mercer.write(name, header(n, dim, descr, fortran) + values.tobytes())
    return name


def fails(mercer, code, *args, status=2, words=()):
    result = mercer("fit", *args, status=status)
    says(result, f"error[{code}]", *words)
    return result


def test_a_table_six_times_the_memory_allowed_is_walked_over(mercer):
    table = sparse_npy(mercer, "big.npy", 250_000, 100)  # 191 MiB
    args = ("fit", table, "--method", "pca", "--components", "3", "--reproducible")
    peak = peak_of(mercer, *args, "--memory", "32M", "-o", "chunks.mercer", "--scores", "chunks.npy")
    assert sanitized(mercer) or peak <= 96 * MIB, peak
    mercer(*args, "--memory", "1G", "-o", "whole.mercer", "--scores", "whole.npy")
    assert mercer.read("chunks.mercer") == mercer.read("whole.mercer"), "models differ"
    assert mercer.read("chunks.npy") == mercer.read("whole.npy"), "scores differ"
    peak = peak_of(mercer, "transform", "chunks.mercer", table, "--memory", "32M", "-o", "again.npy")
    assert sanitized(mercer) or peak <= 96 * MIB, peak
    assert mercer.read("again.npy") == mercer.read("chunks.npy"), "scores of new rows differ"


def test_the_plan_tells_the_passes_over_the_file(mercer):
    table = small_npy(mercer)
    plan = mercer("plan", table, "--method", "pca", "--chunks")
    assert "covariance + dense" in plan.text and "chosen: exact, 2 passes over the file" in plan.text, plan.text
    assert "the rows come in chunks" in plan.text, plan.text
    assert mercer("plan", table, "--method", "pca", "--chunks", "--json").json["plan"]["walks"] == 2
    assert "walks" not in mercer("plan", table, "--method", "pca", "--json").json["plan"]
    told = mercer("fit", table, "--method", "pca", "--chunks", "-o", "m.mercer")
    says(told, "in chunks: 12.5 KiB as a whole", "2 passes over the file")


def test_every_type_is_read_in_chunks_as_it_is_as_a_whole(mercer):
    for descr in ("<f8", "<f4", "|u1"):
        table = small_npy(mercer, descr=descr)
        for more in ((), ("--scale", "standard"), ("--whiten", "zca"), ("--no-center",)):
            args = ("fit", table, "--method", "pca", "--components", "2", "--reproducible", *more)
            mercer(*args, "-o", "a.mercer")
            mercer(*args, "-o", "b.mercer", "--chunks")
            if "--scale" in more:  # scaled before or after the sums: other roundings
                a, b = (mercer("info", name, "--json").json for name in ("a.mercer", "b.mercer"))
                for x, y in zip(a["variances"], b["variances"]):
                    assert abs(x - y) <= 1e-12 * x, (x, y)
            else:
                assert mercer.read("a.mercer") == mercer.read("b.mercer"), (descr, more)


def test_images_in_idx_files_come_in_chunks(mercer):
    numbers = random.Random(4)
    mercer.write("t.idx3-ubyte", bytes([0, 0, 8, 3]) + b"".join(v.to_bytes(4, "big") for v in (50, 3, 2))
                 + numbers.randbytes(300))
    args = ("fit", "t.idx3-ubyte", "--method", "pca", "--components", "2", "--reproducible")
    mercer(*args, "-o", "a.mercer")
    mercer(*args, "-o", "b.mercer", "--chunks")
    assert mercer.read("a.mercer") == mercer.read("b.mercer")


def test_info_says_that_scaled_columns_are_correlations_and_what_each_component_leaves(mercer):
    mercer("fit", small_npy(mercer), "--method", "pca", "--components", "4", "--scale", "standard", "-o", "m.mercer")
    text = mercer("info", "m.mercer").text
    assert "these are the principal components of the correlations" in text, text
    value = mercer("info", "m.mercer", "--json").json
    figures, variances = value["figures"], value["variances"]
    assert math.isclose(figures["total_variance"], 4, rel_tol=1e-12), figures
    for k, error in enumerate(figures["reconstruction_error"]):
        assert abs(error - sum(variances[k + 1:])) <= 1e-12, (k, error)


def test_sparse_tables_keep_their_zeros(mercer):
    numbers = random.Random(5)
    lines = ["0 " + " ".join(f"{j}:{numbers.gauss(0, 1):.3f}" for j in sorted(numbers.sample(range(1, 200_001), 8)))
             for _ in range(300)]
    mercer.write("wide.svm", "\n".join(lines + ["0 200000:1"]).encode())
    # Written out they would take 460 MiB.
    peak = peak_of(mercer, "fit", "wide.svm", "--method", "pca", "--components", "2", "--memory", "256M", "-o", "m.mercer")
    assert sanitized(mercer) or peak <= 320 * MIB, peak
    plan = mercer("plan", "wide.svm", "--method", "pca", "--memory", "256M").text
    assert "streamed_covariance" in plan and "sparse rows would have to be spread out" in plan, plan


def test_bad_numbers_in_a_later_chunk_are_named_by_row_and_column(mercer):
    table = sparse_npy(mercer, "nan.npy", 100_000, 30, changes=[(77_001, 12, math.nan)])
    result = fails(mercer, "M212", table, "--method", "pca", "--chunks", status=3)
    says(result, "the value is NaN", "row 77002, column 13", "nan.npy")
    mercer("fit", small_npy(mercer, dim=30), "--method", "pca", "-o", "m.mercer")
    told = mercer("transform", "m.mercer", table, "--memory", "32M", "-o", "s.npy", status=3)
    says(told, "error[M212]", "row 77002, column 13")


def test_tables_in_chunks_that_are_none(mercer):
    fit = ("--method", "pca", "--chunks", "-o", "m.mercer")
    fails(mercer, "M230", small_npy(mercer, n=1), *fit, status=3)
    fails(mercer, "M231", small_npy(mercer, constant=3.5), *fit, status=3)
    fails(mercer, "M233", small_npy(mercer, n=3), *fit, "--components", "3", status=3)
    mercer("fit", small_npy(mercer, n=3), *fit)
    mercer("fit", small_npy(mercer, dim=1), *fit)
    table = small_npy(mercer)
    whole = mercer.read(table)
    mercer.write(table, whole[:-9])
    fails(mercer, "M421", table, *fit, status=4, words=["need 12800 bytes, the array has 12791"])


def test_what_needs_the_whole_table_is_refused_with_the_reason(mercer):
    table = small_npy(mercer)
    fit = (table, "--method", "pca", "--chunks")
    for more, words in ((("--missing", "drop"), "missing values are looked for in all of it (--missing drop)"),
                        (("--missing", "mean"), "--missing mean"),
                        (("--columns", "1,2"), "columns are chosen"),
                        (("--label", "1"), "a column holds classes"),
                        (("--scale", "whiten"), "--scale whiten needs all rows in memory")):
        fails(mercer, "M102", *fit, *more, words=[words])
    fails(mercer, "M102", table, "--chunks", words=["method kernel_pca needs all rows in memory"])
    fails(mercer, "M102", small_npy(mercer, "f.npy", fortran=True), "--method", "pca", "--chunks",
          words=["Fortran order", "numpy.ascontiguousarray"])
    mercer.write("t.csv", b"a,b\n1,2\n3,5\n4,4\n")
    fails(mercer, "M102", "t.csv", "--method", "pca", "--chunks", words=["only NPY and IDX files"])
    mercer("fit", table, "--method", "pca", "-o", "m.mercer")
    fails(mercer, "M102", *fit, "--start", "m.mercer", words=["no use for --start"])


def test_a_walk_is_stopped_within_two_seconds(mercer):
    table = sparse_npy(mercer, "long.npy", 2_000_000, 200, written=500)  # 3 GiB of nothing
    stops_in_time(mercer, ["fit", table, "--method", "pca", "--memory", "256M", "-o", "m.mercer"], signal.SIGINT, 0.5)
    assert mercer.files() == ["long.npy"], mercer.files()


def test_json_of_a_chunked_fit_is_that_of_any_fit(mercer):
    value = json.loads(mercer("fit", small_npy(mercer), "--method", "pca", "--chunks", "-o", "m.mercer", "--json").out)
    assert value["n"] == 400 and value["dim"] == 4 and value["plan"]["operator"] == "covariance", value
    assert value["converged"] and value["plan"]["walks"] == 2, value


def test_rules_choose_the_number_of_components(mercer):
    mercer("data", "digits", "-o", "d.csv")
    for rule in ("auto", "auto:parallel", "auto:broken-stick"):
        result = mercer("fit", "d.csv", "--method", "pca", "--drop", "1", "--components", rule, "--json", "-o", "m.mercer").json
        count = result["components_chosen"]["count"]
        assert result["components"] == count > 1, (rule, count)
        assert f"Chosen   {count} components, by " in mercer("info", "m.mercer").text
    says(mercer("fit", "d.csv", "--method", "pca", "--components", "auto:kaiser", status=2), "error[M102]", '"kaiser"',
         "the rules are minka, parallel, broken-stick, likelihood")
    says(mercer("fit", "d.csv", "--method", "pca", "--components", "auto", "--no-center", status=2), "error[M102]", "centred")
    mercer("convert", "d.csv", "d.npy")
    says(mercer("fit", "d.npy", "--method", "pca", "--components", "auto", "--chunks", status=2), "error[M102]",
         "the rules need all rows in memory")
