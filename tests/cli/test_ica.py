"""Independent components through the program: files, figures, what is refused."""

import json
import math

from program import close, needs, numbers, says


def table(mercer, name):
    return numbers(mercer.read(name).decode())


def uniform(seed):
    """Numbers in (0, 1) from a small generator of our own: the same everywhere."""
    state = seed * 2654435761 % 2**32 or 1
    while True:
        state = (1664525 * state + 1013904223) % 2**32
        yield (state + 0.5) / 2**32


def laplace(u):
    return math.log(2 * u) if u < 0.5 else -math.log(2 - 2 * u)


def mixtures(mercer, name="t.csv", rows=2000):
    """A heavy-tailed source, a light-tailed and a skewed one, mixed; a column that is constant."""
    draws = [uniform(seed) for seed in (1, 2, 3)]
    lines = ["a,b,c,fixed"]
    for _ in range(rows):
        s = laplace(next(draws[0])), 2 * next(draws[1]) - 1, -math.log(next(draws[2]))
        lines.append(f"{s[0] + s[1]:.9f},{s[1] - 2 * s[2]:.9f},{s[0] + s[2]:.9f},7")
    mercer.write(name, "\n".join(lines) + "\n")


def gaussian(mercer, name="g.csv", rows=400, dim=3):
    draw = uniform(9)
    lines = []
    for _ in range(rows):
        lines.append(",".join(f"{math.sqrt(-2 * math.log(next(draw))) * math.cos(2 * math.pi * next(draw)):.9f}"
                              for _ in range(dim)))
    mercer.write(name, "\n".join(lines) + "\n")


def test_sources_are_found_and_mixed_again(mercer):
    mixtures(mercer)
    for options in ([], ["--contrast", "exp"], ["--contrast", "cube", "--approach", "deflation"],
                    ["--algorithm", "likelihood"]):
        result = mercer("fit", "t.csv", "--method", "ica", *options, "--scores", "s.csv", "--json")
        model = result.json
        needs(model["figures"], "iterations", "source_negentropy", "source_excess_kurtosis", "source_skewness",
              "source_variance_share", "mixing")
        assert model["converged"] is True and model["components"] == 3, result.err
        assert [len(row) for row in model["figures"]["mixing"]] == [3] * 4
        # The fourth column is constant: nothing is mixed into it.
        assert max(abs(number) for number in model["figures"]["mixing"][3]) < 1e-12
        kurtosis = sorted(model["figures"]["source_excess_kurtosis"])
        assert kurtosis[0] < -1 and kurtosis[1] > 2, kurtosis
        mercer("inverse", "t.mercer", "s.csv", "-o", "back.csv")
        mercer("transform", "t.mercer", "t.csv", "-o", "again.csv")
        assert mercer.read("again.csv") == mercer.read("s.csv")
        close(table(mercer, "back.csv"), table(mercer, "t.csv"), 1e-8)  # of values up to 20, written in full


def test_the_same_bytes_at_any_number_of_threads(mercer):
    mixtures(mercer, rows=9000)
    for options in ([], ["--algorithm", "likelihood"], ["--approach", "deflation"]):
        models = []
        for threads in ("1", "2", "3"):
            mercer("fit", "t.csv", "--method", "ica", "--threads", threads, *options, "--force", "-o", "m.mercer")
            models.append(mercer.read("m.mercer"))
        assert models[0] == models[1] == models[2], options


def test_info_shows_the_mixing_matrix_by_column(mercer):
    mixtures(mercer)
    mercer("fit", "t.csv", "--method", "ica")
    text = mercer("info", "t.mercer").text
    for word in ("ica", "source_negentropy", "source_excess_kurtosis", "mixing", "fixed", "iterations"):
        assert word in text, text
    lines = text.split("\n")
    header = next(i for i, line in enumerate(lines) if line.split()[:2] == ["column", "mixing"])
    assert lines[header].split() == ["column", "mixing", "2", "3"], text


def test_figures_of_sources_are_not_shown_by_column(mercer):
    # As many sources as columns.
    gaussian(mercer)
    mercer("fit", "g.csv", "--method", "ica", status=None)
    text = mercer("info", "g.mercer").text
    header = next(line for line in text.split("\n") if line.split()[:1] == ["column"])
    assert header.split() == ["column", "mixing", "2", "3"], text


def test_gaussian_sources_are_warned_of(mercer):
    gaussian(mercer)
    result = mercer("fit", "g.csv", "--method", "ica")
    says(result, "warning[W265]", "3 of 3 sources cannot be told from Gaussian ones by 400 rows",
         "their directions are not determined")
    assert "Gaussian" in mercer("explain", "W265").text


def test_few_rows_in_many_columns_are_warned_of(mercer):
    gaussian(mercer, rows=5, dim=9)
    result = mercer("fit", "g.csv", "--method", "ica", "--json")
    assert result.json["components"] == 4
    says(result, "W265", "5 rows whitened in 4 dimensions look the same whatever the data")


def test_more_sources_than_the_rank(mercer):
    mixtures(mercer)
    result = mercer("fit", "t.csv", "--method", "ica", "--components", "4", "--json")
    assert result.json["components"] == 3
    says(result, "W233", "4 components were asked for", "3 kept")
    says(mercer("fit", "t.csv", "--method", "ica", "--components", "5", status=3), "error[M233]",
         "5 components were asked for; 2000 rows and 4 columns allow 4", "ask for at most 4")


def test_one_row_one_column_equal_rows(mercer):
    mercer.write("one.csv", "1,2,3\n")
    says(mercer("fit", "one.csv", "--method", "ica", "--header", "no", status=3), "error[M230]")
    mercer.write("same.csv", "1,2\n1,2\n1,2\n")
    says(mercer("fit", "same.csv", "--method", "ica", status=3), "error[M231]")
    mercer.write("column.csv", "x\n1\n2\n4\n9\n3\n")
    result = mercer("fit", "column.csv", "--method", "ica", "--scores", "s.csv", "--json")
    assert result.json["components"] == 1 and len(result.json["figures"]["mixing"]) == 1
    scores = [row[0] for row in table(mercer, "s.csv")]
    assert abs(sum(scores)) < 1e-12 and abs(sum(s * s for s in scores) - 5) < 1e-12, scores


def test_options_that_contradict_each_other(mercer):
    mixtures(mercer, rows=50)
    likely = ["fit", "t.csv", "--method", "ica", "--algorithm", "likelihood"]
    for option, word in (("--contrast", "exp"), ("--approach", "deflation")):
        says(mercer(*likely, option, word, status=2), "error[M102]", f"{option} belongs to fastica", f"drop {option}")
    fast = ["fit", "t.csv", "--method", "ica"]
    says(mercer(*fast, "--no-extended", status=2), "error[M102]", "belongs to --algorithm likelihood")
    says(mercer(*fast, "--contrast", "tanh", status=2), "error[M102]", 'unknown contrast "tanh"')
    says(mercer(*fast, "--algorithm", "infomax", status=2), "error[M102]", 'unknown algorithm "infomax"')
    says(mercer(*fast, "--tolerance", "eigenvalues:1e-3", status=2), "error[M102]", "no tolerance of eigenvalues")
    says(mercer(*fast, "--restarts", "-1", status=2), "error[M102]", "restarts")
    says(mercer(*fast, "--components", "auto", status=2), "error[M102]", "no rule that chooses them")
    says(mercer(*fast, "--kernel", "gaussian", status=2), "error[M102]", "method ica has no --kernel")


def test_a_search_that_did_not_converge_ends_with_status_6(mercer):
    mixtures(mercer)
    result = mercer("fit", "t.csv", "--method", "ica", "--iterations", "1", "--tolerance", "1e-12", "--json", status=6)
    assert result.json["converged"] is False
    says(result, "W600", "not converged after 1 iterations", "the tolerance is 1e-12")
    assert json.loads(mercer("info", "t.mercer", "--json").out)["converged"] is False
