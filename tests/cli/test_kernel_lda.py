"""Kernel discriminant analysis through the program: scores, classes, figures, what is refused."""

import math
import random

from program import close, needs, numbers, says


def groups(mercer, name="t.csv", rows=120, seed=3, classes="abc"):
    """Rings around each other, which no line tells apart, and a column of noise."""
    draw = random.Random(seed)
    lines = ["x,y,z,class"]
    for i in range(rows):
        c = i % len(classes)
        angle, radius = draw.uniform(0, 6.2831853), 1 + 2 * c + draw.gauss(0, 0.2)
        x, y = radius * math.cos(angle), radius * math.cos(angle - 1.57079632679)
        lines.append(f"{x:.12f},{y:.12f},{draw.gauss(0, 1):.12f},{classes[c]}")
    mercer.write(name, "\n".join(lines) + "\n")


def probabilities(result):
    """The figures of a predicted table, without the class that comes first or last."""
    lines = [line.split(",") for line in result.strip().split("\n")]
    places = [i for i, word in enumerate(lines[0]) if word in ("a", "b", "c")]
    return [[float(line[i]) for i in places] for line in lines[1:]]


def test_rings_are_told_apart_and_new_rows_too(mercer):
    groups(mercer)
    groups(mercer, "new.csv", seed=4)
    fitted = mercer("fit", "t.csv", "--method", "kernel_lda", "--scores", "s.csv", "--json").json
    figures = fitted["figures"]
    needs(figures, "class_sizes", "discriminant_eigenvalues", "discriminant_share", "ridge", "ridge_added", "kernel_rank",
          "kernel_share", "class_means", "ridge_path")
    assert figures["class_sizes"] == [40, 40, 40]
    assert len(figures["discriminant_eigenvalues"]) == 2 and len(figures["class_means"]) == 3
    assert len(figures["ridge_path"]) == 21 and any(row[0] == figures["ridge"] for row in figures["ridge_path"])
    judged = mercer("predict", "t.mercer", "new.csv", "-o", "p.csv", "--json").json
    assert judged["figures"]["accuracy"] > 0.95, judged["figures"]
    for row in probabilities(mercer.read("p.csv").decode()):
        assert len(row) == 3 and abs(sum(row) - 1) < 1e-12 and min(row) >= 0
    scores = numbers(mercer("transform", "t.mercer", "t.csv").text, labels=1)
    close(scores, numbers(mercer.read("s.csv").decode(), labels=1), 1e-9)


def test_info_reads_as_the_textbook(mercer):
    groups(mercer)
    mercer("fit", "t.csv", "--method", "kernel_lda", "--kernel", "linear")
    text = mercer("info", "t.mercer").text
    for word in ("kernel_lda", "3 classes", "transform, predict", "discriminant_eigenvalues", "ridge", "class_means"):
        assert word in text, f"no {word!r} in {text}"


def test_every_classifier_gives_probabilities(mercer):
    groups(mercer)
    for options in ([], ["--priors", "equal"], ["--priors", "0.1,0.2,0.7"], ["--classifier", "gaussian"],
                    ["--classifier", "gaussian", "--covariance", "own"], ["--components", "1"],
                    ["--span", "landmarks", "--rank", "50"], ["--span", "landmarks", "--rank", "0.9"],
                    ["--rank", "10"], ["--rank", "0.9"], ["--ridge", "1e-3"]):
        mercer("fit", "t.csv", "--method", "kernel_lda", *options, "--force")
        told = mercer("predict", "t.mercer", "t.csv", "--json").json
        assert len(told["predictions"]) == 120 and told["columns"] == ["a", "b", "c"]
        for row in told["predictions"]:
            assert abs(sum(row) - 1) < 1e-12, options


def test_a_range_that_is_cut_says_so(mercer):
    groups(mercer)
    mercer("fit", "t.csv", "--method", "kernel_lda", "--span", "landmarks", "--rank", "20")
    text = mercer("info", "t.mercer").text
    assert "functions of 20 landmark rows, which hold" in text, text
    mercer("fit", "t.csv", "--method", "kernel_lda", "--rank", "20", "--force")
    text = mercer("info", "t.mercer").text
    assert "leading 20 kernel components, which hold" in text, text
    mercer("fit", "t.csv", "--method", "kernel_lda", "--force")
    assert "Note" not in mercer("info", "t.mercer").text


def test_classes_that_the_model_does_not_know_are_wrong(mercer):
    groups(mercer)
    groups(mercer, "new.csv", classes="abq")
    mercer("fit", "t.csv", "--method", "kernel_lda")
    judged = mercer("predict", "t.mercer", "new.csv", "-o", "p.csv", "--json").json
    assert judged["figures"]["accuracy"] <= 2 / 3, judged["figures"]


def test_the_same_bytes_with_any_number_of_threads(mercer):
    groups(mercer)
    for options in ([], ["--span", "landmarks", "--rank", "60"]):
        mercer("fit", "t.csv", "--method", "kernel_lda", *options, "--threads", "1", "-o", "one.mercer", "--force")
        mercer("fit", "t.csv", "--method", "kernel_lda", *options, "--threads", "3", "-o", "three.mercer", "--force")
        assert mercer.read("one.mercer") == mercer.read("three.mercer"), options


def test_bad_input_is_refused_with_a_way_out(mercer):
    groups(mercer)
    fit = ["fit", "t.csv", "--method", "kernel_lda"]
    says(mercer(*fit, "--ridge", "0", "--kernel", "gaussian:sigma=0.3", status=3), "error[M271]", "ridge = 0", "try --ridge ",
         "--ridge auto")
    says(mercer(*fit, "--ridge", "some", status=2), "error[M102]", "ridge = some")
    says(mercer(*fit, "--ridge", "-0.1", status=2), "error[M102]", "ridge = -0.1")
    says(mercer(*fit, "--priors", "0.5,0.5", status=2), "error[M102]", "2 numbers for 3 classes")
    says(mercer(*fit, "--priors", "0.5,0.5,0.5", status=2), "error[M102]", "add up to 1.5")
    says(mercer(*fit, "--priors", "often", status=2), "error[M102]", "empirical, equal")
    says(mercer(*fit, "--covariance", "own", status=2), "error[M102]", "--classifier gaussian")
    says(mercer(*fit, "--components", "3", status=3), "error[M233]", "3 classes have at most 2")
    says(mercer(*fit, "--components", "auto", status=2), "error[M102]", "no rule that chooses them")
    says(mercer(*fit, "--span", "landmarks", "--kernel", "sigmoid", status=2), "error[M102]", "--span components")
    says(mercer(*fit, "--span", "landmarks", "--rank", "121", status=3), "error[M233]", "there are 120 rows")


def test_tables_without_proper_classes_are_refused(mercer):
    groups(mercer, "one.csv", classes="a")
    says(mercer("fit", "one.csv", "--method", "kernel_lda", "--label", "class", status=3), "error[M270]",
         "all 120 rows are of one")
    lines = ["x,y,class"] + [f"{i},{i * i % 7},c{i}" for i in range(20)]
    mercer.write("names.csv", "\n".join(lines) + "\n")
    says(mercer("fit", "names.csv", "--method", "kernel_lda", "--label", "class", status=3), "error[M273]",
         "20 rows are of 20 classes")
    groups(mercer)
    lines = mercer.read("t.csv").decode().split("\n")
    lines[4] = lines[4].rsplit(",", 1)[0] + ","
    lines[9] = lines[9].rsplit(",", 1)[0] + ","
    mercer.write("holes.csv", "\n".join(lines))
    says(mercer("fit", "holes.csv", "--method", "kernel_lda", "--label", "class", status=3), "error[M272]",
         "2 of 120 rows have no class; the first is row 4")
    copies = ["x,y,class"] + [f"{i % 3},{(i % 3) ** 2},{'abc'[i % 3]}" for i in range(12)]
    mercer.write("copies.csv", "\n".join(copies) + "\n")
    says(mercer("fit", "copies.csv", "--method", "kernel_lda", status=3), "error[M271]",
         "the rows of every class are the same")
    same = ["x,y,class"] + [f"{i // 2},{i // 2 % 3},{'ab'[i % 2]}" for i in range(40)]
    mercer.write("same.csv", "\n".join(same) + "\n")
    says(mercer("fit", "same.csv", "--method", "kernel_lda", status=3), "error[M257]", "the classes have the same mean")


def test_a_class_with_one_row_is_told(mercer):
    groups(mercer)
    mercer.write("t.csv", mercer.read("t.csv") + b"30,30,0,d\n")
    says(mercer("fit", "t.csv", "--method", "kernel_lda", "--label", "class"), "W273", 'the first is "d"')
    says(mercer("fit", "t.csv", "--method", "kernel_lda", "--label", "class", "--classifier", "gaussian", "--covariance",
                "own", "--force", status=3), "error[M273]", 'class "d" has 1 row')


def test_an_indefinite_kernel_is_told(mercer):
    groups(mercer)
    says(mercer("fit", "t.csv", "--method", "kernel_lda", "--kernel", "sigmoid:scale=0.5,offset=-1"), "W242",
         "that part is left out")
