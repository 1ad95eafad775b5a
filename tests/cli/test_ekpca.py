"""Kernel PCA on basic patterns: what is kept is named, and the program does with it what it does with others."""

import random

from program import close, needs, says


def table(mercer, rows=80):
    draw = random.Random(1)
    lines = ["name,a,b,c"]
    lines += [f"row{i}," + ",".join(repr(draw.gauss(0, 1)) for _ in range(3)) for i in range(rows)]
    mercer.write("t.csv", "\n".join(lines) + "\n")


FIT = ("fit", "t.csv", "--method", "ekpca", "--kernel", "gaussian:sigma=1.5")


def test_what_was_kept_is_named_by_number_and_name(mercer):
    table(mercer)
    figures = mercer(*FIT, "--patterns", "12", "--components", "3", "--json").json["figures"]
    needs(figures, "patterns", "variance_held", "likeness_left", "eigenvalues", "share", "pattern_rows", "pattern_ids",
          "pattern_likeness")
    assert figures["patterns"] == 12 and len(figures["pattern_rows"]) == 12 and len(figures["eigenvalues"]) == 3
    assert figures["pattern_ids"] == [f"row{int(row) - 1}" for row in figures["pattern_rows"]]
    assert 0.3 < figures["variance_held"] < 1
    text = mercer("info", "t.mercer").text
    for word in ("pattern_rows", "pattern_ids", figures["pattern_ids"][0], "variance_held", "ekpca"):
        assert word in text, f"no {word!r} in {text}"
    assert mercer("info", "t.mercer", "--json").json["figures"] == figures


def test_a_threshold_decides_how_many(mercer):
    table(mercer)
    counts = [mercer(*FIT, "--threshold", str(limit), "--json").json["figures"]["patterns"] for limit in (0.5, 0.8, 0.99)]
    assert counts[0] < counts[1] < counts[2], counts


def test_scores_come_back_from_the_file_and_from_other_tables(mercer):
    table(mercer)
    mercer(*FIT, "--patterns", "20", "--components", "2", "--scores", "s.csv")
    mercer("transform", "t.mercer", "t.csv", "-o", "again.csv")
    first, again = ([row[1:] for row in csv_rows(mercer, name)] for name in ("s.csv", "again.csv"))
    close([[float(x) for x in row] for row in first], [[float(x) for x in row] for row in again], 1e-14)


def csv_rows(mercer, name):
    return [line.split(",") for line in mercer.read(name).decode().split("\n")[1:] if line]


def test_all_rows_as_patterns_are_kernel_pca(mercer):
    table(mercer)
    mercer(*FIT, "--patterns", "80", "--components", "2", "--scores", "s.csv")
    mercer("fit", "t.csv", "--kernel", "gaussian:sigma=1.5", "--components", "2", "--scores", "k.csv", "-o", "k.mercer")
    ours, theirs = ([[abs(float(x)) for x in row[1:]] for row in csv_rows(mercer, name)] for name in ("s.csv", "k.csv"))
    close(ours, theirs, 1e-9)


def test_what_contradicts_itself_is_refused(mercer):
    table(mercer)
    says(mercer(*FIT, "--patterns", "12", "--threshold", "0.9", status=2), "error[M102]", "drop --threshold or --patterns")
    says(mercer(*FIT, "--patterns", "81", status=2), "81 patterns were asked for; there are 80 rows")
    says(mercer(*FIT, "--threshold", "2", status=2), "a likeness is between 0 and 1")
    says(mercer(*FIT, "--patterns", "5", "--components", "8", status=3), "error[M233]", "the patterns span 4")
    says(mercer(*FIT, "--select", "alike", status=2), "correlation")
    says(mercer(*FIT, "--select", "cholesky", status=2), "say how many: --patterns COUNT")


def test_classes_are_told_on_its_scores(mercer):
    draw = random.Random(2)
    lines = ["a,b,kind"]
    for i in range(200):
        radius = (1, 3)[i % 2]
        x, y = draw.gauss(0, 1), draw.gauss(0, 1)
        size = (x * x + y * y) ** 0.5
        lines.append(f"{radius * x / size!r},{radius * y / size!r},{('inner', 'outer')[i % 2]}")
    mercer.write("rings.csv", "\n".join(lines) + "\n")
    mercer("fit", "rings.csv", "--method", "ekpca", "--kernel", "gaussian:sigma=1", "--patterns", "30", "--components", "5",
           "-o", "e.mercer")
    result = mercer("fit", "rings.csv", "--method", "nearest_mean", "--kernel", "linear", "--on", "e.mercer", "-o",
                    "c.mercer", "--cross-validate", "5", "--json")
    assert result.json["figures"]["cv_accuracy"] == 1
    assert mercer("predict", "c.mercer", "rings.csv", "-o", "p.csv", "--json").json["figures"]["accuracy"] == 1


def test_equal_fits_give_equal_bytes(mercer):
    table(mercer)
    for name, threads in (("a.mercer", "1"), ("b.mercer", "2")):
        mercer(*FIT, "--patterns", "10", "--threads", threads, "--reproducible", "-o", name)
    assert mercer.read("a.mercer") == mercer.read("b.mercer")
