"""Independent components by kernels through the program: files, figures, what is refused."""

from program import close, needs, numbers, says


def mixtures(mercer, density="two_apart", rows="600"):
    """Mixed sources of one density, the same sources before they were mixed."""
    common = ["-n", rows, "--dim", "2", "--density", density, "--seed", "1"]
    mercer("data", "mixtures", *common, "-o", "t.csv")
    mercer("data", "sources", *common, "-o", "s.csv")


def correlation(a, b):
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    cross = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
    own = sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b)
    return abs(cross) / own ** 0.5


def columns(text):
    return list(zip(*numbers(text)))


def fit(mercer, *options, **more):
    return mercer("fit", "t.csv", "--method", "kernel_ica", "--restarts", "2", "--force", *options, **more)


def test_sources_are_found_and_mixed_again(mercer):
    mixtures(mercer)
    true = columns(mercer.read("s.csv").decode())
    for options in ([], ["--contrast", "kcc"], ["--no-narrow"], ["--sigma", "0.5", "--kappa", "0.01"]):
        model = fit(mercer, *options, "--scores", "found.csv", "--json").json
        needs(model["figures"], "iterations", "contrast", "contrast_start", "start", "sigma", "kappa", "landmarks", "mixing")
        assert model["converged"] is True, options
        found = columns(mercer.read("found.csv").decode())
        for source in true:
            assert max(correlation(source, other) for other in found) > 0.99, options
    narrow = fit(mercer, "--json").json["figures"]["sigma"]
    assert fit(mercer, "--no-narrow", "--json").json["figures"]["sigma"] == 2 * narrow
    mercer("transform", "t.mercer", "t.csv", "-o", "again.csv")
    mercer("inverse", "t.mercer", "again.csv", "-o", "back.csv")
    close(numbers(mercer.read("back.csv").decode()), numbers(mercer.read("t.csv").decode()), 1e-9)


def test_the_amari_index_needs_the_truth(mercer):
    mixtures(mercer)
    assert "amari_index" not in fit(mercer, "--json").json["figures"]
    # The truth by least squares would do; here the mixtures are made by hand.
    lines = ["a,b"] + [f"{2 * x + y!r},{x - y!r}" for x, y in numbers(mercer.read("s.csv").decode())]
    mercer.write("t.csv", "\n".join(lines) + "\n")
    assert fit(mercer, "--truth", "2,1;1,-1", "--json").json["figures"]["amari_index"] < 0.05
    assert "amari_index" in mercer("info", "t.mercer").text
    assert fit(mercer, "--truth", "2,1;1,1", "--json").json["figures"]["amari_index"] > 0.2
    for words, reason in (("1,2", "has 1 rows, the table has 2 columns"), ("1,2;3", "row 2 has 1 numbers"),
                          ("1,x;3,4", "is not a finite number"), (";", "there is no number"),
                          ("1,2,3;4,5,6", "has 3 sources, 2 are sought")):
        says(fit(mercer, "--truth", words, status=2), "error[M102]", reason)


def test_the_same_bytes_at_any_number_of_threads(mercer):
    mixtures(mercer, rows="5000")
    models = []
    for threads in ("1", "2", "3"):
        fit(mercer, "--restarts", "1", "--threads", threads, "-o", "m.mercer")
        models.append(mercer.read("m.mercer"))
    assert models[0] == models[1] == models[2]


def test_values_that_cannot_be_are_refused(mercer):
    mixtures(mercer, rows="100")
    for options, reason in ((["--sigma", "0.001"], "must be from 0.05 to 10"), (["--kappa", "5"], "must be from 1e-06 to 1"),
                            (["--contrast", "cube"], "kgv"), (["--kernel", "gaussian"], "kernel_ica"),
                            (["--tolerance", "eigenvalues:1e-3"], "no tolerance of eigenvalues")):
        says(fit(mercer, *options, status=2), "error[M10", reason)
    mercer.write("wide.csv", "\n".join(",".join(str((i * (j + 3) * 7919 + i * i * j) % 1013) for j in range(60))
                                       for i in range(200)) + "\n")
    says(mercer("fit", "wide.csv", "--method", "kernel_ica", status=3), "at most 50 sources", "--components 50")


def test_tables_without_sources_are_refused_or_warned_of(mercer):
    mercer.write("one.csv", "a,b\n1,2\n")
    assert mercer("fit", "one.csv", "--method", "kernel_ica", status=None).status in (2, 3)
    mercer.write("same.csv", "a,b\n" + "3,4\n" * 20)
    assert mercer("fit", "same.csv", "--method", "kernel_ica", status=None).status in (2, 3)
    mixtures(mercer, density="laplace", rows="300")
    lines = ["a,b"] + [f"{x!r},{x!r}" for x, _ in numbers(mercer.read("s.csv").decode())]
    mercer.write("t.csv", "\n".join(lines) + "\n")
    assert fit(mercer, "--json").json["components"] == 1  # the rows lie on a line
