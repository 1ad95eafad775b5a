"""Biased discriminants through the program: ranking, rounds of feedback, what is refused."""

import random

from program import close, needs, numbers, says


def table(mercer, name="t.csv", rows=90, labelled=90, seed=5):
    """Rows near one point are sought (p); the others lie anywhere. Rows after the first `labelled` have no class."""
    draw = random.Random(seed)
    lines = ["x,y,z,class"]
    for i in range(rows):
        sought = i % 4 == 0
        middle, spread = (1, 0.3) if sought else (0, 1.5)
        lines.append(",".join(f"{middle + spread * draw.gauss(0, 1):.12f}" for _ in range(3)) + "," +
                     (("p" if sought else "mn"[i % 2]) if i < labelled else ""))
    mercer.write(name, "\n".join(lines) + "\n")


def distances(text):
    lines = [line.split(",") for line in text.strip().split("\n")]
    place = lines[0].index("distance")
    return [float(line[place]) for line in lines[1:]]


def precision(values):
    """The share of sought rows among as many first ones as there are."""
    count = sum(1 for i in range(len(values)) if i % 4 == 0)
    first = sorted(range(len(values)), key=lambda i: values[i])[:count]
    return sum(1 for i in first if i % 4 == 0) / count


def test_sought_rows_come_first(mercer):
    table(mercer)
    table(mercer, "new.csv", seed=6)
    fitted = mercer("fit", "t.csv", "--method", "kernel_bda", "--positive", "p", "--scores", "s.csv", "--json").json
    needs(fitted["figures"], "positive_rows", "negative_rows", "rows_to_rank", "biased_eigenvalues", "ridge", "kernel_rank",
          "kernel_share", "positive_mean")
    assert (fitted["figures"]["positive_rows"], fitted["figures"]["negative_rows"]) == (23, 67)
    assert precision(distances(mercer("score", "t.mercer", "t.csv").text)) > 0.9
    assert precision(distances(mercer("score", "t.mercer", "new.csv").text)) > 0.8
    scores = numbers(mercer("transform", "t.mercer", "t.csv").text, labels=1)
    close(scores, numbers(mercer.read("s.csv").decode(), labels=1), 1e-9)
    mean = fitted["figures"]["positive_mean"]
    known = [sum((y - m) ** 2 for y, m in zip(row, mean)) ** 0.5 for row in scores]
    close([known], [distances(mercer("score", "t.mercer", "t.csv").text)], 1e-9 * max(known))


def test_feedback_goes_on_with_more_labels_of_the_same_rows(mercer):
    table(mercer, "first.csv", labelled=16)
    table(mercer, "second.csv", labelled=60)
    first = mercer("fit", "first.csv", "--method", "kernel_bda", "--positive", "p", "--label", "class", "--json").json
    assert first["figures"]["rows_to_rank"] == 74
    mercer("fit", "second.csv", "--method", "kernel_bda", "--positive", "p", "--label", "class", "--start", "first.mercer")
    before = precision(distances(mercer("score", "first.mercer", "first.csv", "--label", "class").text))
    after = precision(distances(mercer("score", "second.mercer", "second.csv", "--label", "class").text))
    assert after >= before and after > 0.7, (before, after)


def test_info_names_the_positive_class(mercer):
    table(mercer)
    mercer("fit", "t.csv", "--method", "kernel_bda", "--positive", "p")
    text = mercer("info", "t.mercer").text
    for word in ("kernel_bda", '"p" is the positive class', "biased_eigenvalues", "transform, score"):
        assert word in text, f"no {word!r} in {text}"


def test_bad_input_is_refused(mercer):
    table(mercer)
    fit = ["fit", "t.csv", "--method", "kernel_bda"]
    says(mercer(*fit, "--positive", "q", status=2), "error[M102]", "positive = q", "classes of the table: p, n, m")
    says(mercer(*fit, "--ridge", "auto", status=2), "error[M102]", "from 0 to 1")
    says(mercer(*fit, "--ridge", "1.5", status=2), "error[M102]", "ridge = 1.5")
    says(mercer(*fit, "--positive", "p", "--ridge", "0", status=3), "error[M271]", "try --ridge 0.01")
    says(mercer(*fit, "--positive", "p", "--components", "24", status=3), "error[M233]", "at most 23")
    lines = ["x,y,class"] + [f"{i},{i * i % 7},p" for i in range(9)]
    mercer.write("one.csv", "\n".join(lines) + "\n")
    says(mercer("fit", "one.csv", "--method", "kernel_bda", "--label", "class", status=3), "error[M270]")
    mercer.write("single.csv", "\n".join(lines + ["3,4,q"]) + "\n")
    says(mercer("fit", "single.csv", "--method", "kernel_bda", "--label", "class", "--positive", "q", status=3),
         "error[M273]", 'class "q" has one row')
