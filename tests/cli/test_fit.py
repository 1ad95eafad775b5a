"""mercer fit: what it chooses, what it writes, what it says."""

import math

from program import close, needs, npy_numbers, numbers, says

TABLE = "x,y,z,kind\n1,2,3,a\n2,1,0,b\n4,4,1,a\n0,1,7,b\n3,3,3,a\n5,0,2,b\n1,6,4,a\n"


def fitted(mercer, *options):
    """The JSON of a fit of the small table."""
    mercer.write("t.csv", TABLE)
    return mercer("fit", "t.csv", "--json", *options).json


def test_alone_does_the_sensible_thing(mercer):
    mercer.write("folder/iris.csv", TABLE)
    result = mercer("fit", "folder/iris.csv")
    assert result.out == b"", "words on standard output"
    says(result, "Reading  iris.csv   7 × 3 (csv), 2 classes", "Kernel   gaussian", "median", "gamma = ", "--kernel",
         "Plan ", "Solved   2 components", "Variance PC1", "Wrote    iris.mercer", "mercer transform iris.mercer",
         "--label COLUMN", "--header no", "--delimiter")
    assert mercer.files() == ["folder", "iris.mercer"], mercer.files()


def test_model_is_named_after_the_table(mercer):
    for name, model in [("a.csv", "a"), ("b.tsv", "b"), ("c.txt", "c"), ("d", "d"), ("e.f.csv", "e.f"),
                        (".csv", ".csv")]:
        mercer.write(name, TABLE)
        mercer("fit", name)
        assert f"{model}.mercer" in mercer.files(), f"{name}: {mercer.files()}"
    mercer("convert", "a.csv", "g.npy")
    mercer("fit", "g.npy")
    mercer("fit", "-", stdin=TABLE.encode())
    assert {"g.mercer", "stdin.mercer"} <= set(mercer.files()), mercer.files()


def test_output_can_be_named(mercer):
    mercer.write("t.csv", TABLE)
    mercer.write("sub/old.mercer", "anything")
    mercer("fit", "t.csv", "-o", "sub/old.mercer", "--force")
    assert mercer.files() == ["sub", "t.csv"]
    assert mercer.read("sub/old.mercer")[8:].startswith(b'{"__metadata__"')
    mercer("info", "sub/old.mercer")


def test_scores_in_three_formats(mercer):
    mercer.write("t.csv", TABLE)
    for name in ("s.csv", "s.tsv", "s.npy"):
        mercer("fit", "t.csv", "--scores", name)
    assert mercer.read("s.csv").startswith(b"PC1,PC2,kind\n") and mercer.read("s.tsv").startswith(b"PC1\tPC2\tkind\n")
    scores = numbers(mercer.read("s.csv").decode(), labels=1)
    assert [line.split(",")[2] for line in mercer.read("s.csv").decode().split()[1:]] == list("abababa")
    close(scores, numbers(mercer.read("s.tsv").decode(), "\t", labels=1), 0)
    close(scores, npy_numbers(mercer.read("s.npy")), 0)
    # Scores are sqrt(mu) u: their squares sum to the eigenvalue, and centred ones to zero.
    mu = mercer("info", "t.mercer", "--json").json["eigenvalues"]
    for j in (0, 1):
        assert abs(sum(row[j] ** 2 for row in scores) - mu[j]) < 1e-12
        assert abs(sum(row[j] for row in scores)) < 1e-12


def test_transform_of_the_training_table_gives_its_scores(mercer):
    mercer.write("t.csv", TABLE)
    for options in ([], ["--kernel", "poly:degree=2"], ["--kernel", "sigmoid:scale=0.01"], ["--kernel", "linear"],
                    ["--method", "pca"], ["--method", "pca", "--whiten", "zca"], ["--no-center"],
                    ["--scale", "standard"], ["--kernel", "gaussian:sigma=2+0.5*linear"]):
        mercer("fit", "t.csv", "-o", "m.mercer", "--scores", "s.csv", *options)
        again = mercer("transform", "m.mercer", "t.csv")
        scores = numbers(mercer.read("s.csv").decode(), labels=1)
        close(scores, numbers(again.text, labels=1), 1e-10)
        one = "\n".join(TABLE.split("\n")[:2]) + "\n"
        alone = mercer("transform", "m.mercer", "-", stdin=one.encode()).text
        close(scores[:1], numbers(alone, labels=1), 1e-10)


def test_json_has_the_fields_of_the_contract(mercer):
    fit = fitted(mercer, "--components", "3")
    needs(fit, "schema", "version", "method", "n", "dim", "labels", "kernel", "components", "eigenvalues",
          "variances", "explained_variance_ratio", "trace", "tolerance", "converged", "negative_share", "residuals",
          "certificate", "plan", "seconds", "peak_bytes", "warnings")
    needs(fit["kernel"], "name", "spec", "formula", "gamma", "parameters")
    needs(fit["certificate"], "kind", "complete", "eigenvalue_upper", "angle")
    needs(fit["plan"], "operator", "solver", "precision", "passes", "predicted_seconds", "predicted_bytes")
    needs(fit["seconds"], "read", "plan", "solve", "total")
    assert (fit["schema"], fit["method"], fit["n"], fit["dim"], fit["labels"]) == (1, "kernel_pca", 7, 3, 2)
    assert fit["components"] == 3 and fit["converged"] is True and fit["warnings"] == []
    for mu, variance, share in zip(fit["eigenvalues"], fit["variances"], fit["explained_variance_ratio"]):
        assert math.isclose(variance, mu / 7, rel_tol=1e-14) and math.isclose(share, mu / fit["trace"], rel_tol=1e-12)
    assert all(residual <= fit["tolerance"] for residual in fit["residuals"])
    assert all(up >= mu for up, mu in zip(fit["certificate"]["eigenvalue_upper"], fit["eigenvalues"]))
    assert math.isclose(fit["kernel"]["gamma"], 0.5 / fit["kernel"]["parameters"]["sigma"] ** 2, rel_tol=1e-14)


def test_components_as_count_share_and_all(mercer):
    assert fitted(mercer, "--components", "1")["components"] == 1
    assert fitted(mercer, "--components", "all")["components"] == 6
    everything = fitted(mercer, "--components", "all")
    assert abs(sum(everything["explained_variance_ratio"]) - 1) < 1e-12
    share = fitted(mercer, "--components", "0.95")["explained_variance_ratio"]
    assert sum(share) >= 0.95 > sum(share[:-1]), share
    assert share == everything["explained_variance_ratio"][:len(share)] or abs(sum(share) - sum(
        everything["explained_variance_ratio"][:len(share)])) < 1e-12


def test_kernels_are_echoed_with_their_numbers(mercer):
    def kernel(spec):
        return fitted(mercer, "--kernel", spec)["kernel"]

    assert kernel("gaussian:gamma=2")["parameters"]["sigma"] == 0.5
    assert kernel("rbf:sigma=0.5")["gamma"] == 2 and kernel("rbf:sigma=0.5")["name"] == "gaussian"
    assert math.isclose(kernel("rbfdot:sigma=0.2")["gamma"], 0.2, rel_tol=1e-15)
    assert kernel("polydot:degree=2")["parameters"] == {"degree": 2, "scale": 1, "offset": 1}
    assert kernel("poly")["parameters"] == {"degree": 3, "scale": 1, "offset": 1}
    assert kernel("tanhdot:scale=0.01,offset=0")["name"] == "sigmoid"
    assert kernel("vanilladot")["name"] == "linear"
    assert kernel("gaussian:sigma=3")["formula"] == "exp(-|x-y|^2/(2*3^2))"
    both = kernel("gaussian:sigma=1+0.5*linear")
    assert both["gamma"] is None and " + 0.5 * " in both["formula"], both
    result = mercer("fit", "t.csv", "--kernel", "rbfdot:sigma=0.2")
    says(result, "gaussian   exp(-|x-y|^2/(2*1.58114^2))", "gamma = 0.2")


def test_centring_can_be_switched_off(mercer):
    mercer.write("p.csv", "1\n2\n")
    linear = ["fit", "p.csv", "--json", "--kernel", "linear", "--components", "1"]
    # Rows 1 and 2: X'X = 5, about the mean 0.5.
    assert abs(mercer(*linear).json["eigenvalues"][0] - 0.5) < 1e-15
    assert abs(mercer(*linear, "--no-center").json["eigenvalues"][0] - 5) < 1e-14


def test_columns_can_be_scaled(mercer):
    mercer.write("t.csv", "1,10\n2,50\n4,20\n7,90\n")
    columns = [[1, 2, 4, 7], [10, 50, 20, 90]]
    scaled = []
    for column in columns:
        mean = sum(column) / 4
        deviation = math.sqrt(sum((x - mean) ** 2 for x in column) / 4)
        scaled.append([(x - mean) / deviation for x in column])
    mercer.write("u.csv", "".join(f"{a!r},{b!r}\n" for a, b in zip(*scaled)))
    ours = mercer("fit", "t.csv", "--json", "--scale", "standard").json
    theirs = mercer("fit", "u.csv", "--json").json
    close([ours["eigenvalues"]], [theirs["eigenvalues"]], 1e-13)
    assert fitted(mercer, "--scale", "range")["scale"] == "range"
    assert fitted(mercer, "--scale", "whiten")["scale"] == "whiten"


def test_missing_values_are_dropped_or_filled(mercer):
    mercer.write("g.csv", "x,y\n1,2\n3,NA\n5,6\n,1\n4,4\n")
    mercer.write("whole.csv", "x,y\n1,2\n5,6\n4,4\n")
    mercer.write("means.csv", "x,y\n1,2\n3,3.25\n5,6\n3.25,1\n4,4\n")
    drop = mercer("fit", "g.csv", "--json", "--missing", "drop").json
    assert drop["n"] == 3 and drop["eigenvalues"] == mercer("fit", "whole.csv", "--json").json["eigenvalues"]
    mean = mercer("fit", "g.csv", "--json", "--missing", "mean").json
    assert mean["n"] == 5 and mean["eigenvalues"] == mercer("fit", "means.csv", "--json").json["eigenvalues"]
    assert mercer("fit", "g.csv", "--json", "--missing", "median").json["n"] == 5


def test_digits_have_labels_and_sixty_four_columns(mercer):
    mercer("data", "digits", "-n", "200", "-o", "d.csv")
    fit = mercer("fit", "d.csv", "--json").json
    assert (fit["n"], fit["dim"], fit["labels"]) == (200, 64, 10), fit
    none = mercer("fit", "d.csv", "--json", "--label", "none").json
    assert none["dim"] == 64 and none["labels"] == 0, "the classes became a measurement"
    assert mercer("fit", "d.csv", "--json", "--columns", "1-65").json["dim"] == 65
    other = mercer("fit", "d.csv", "--json", "--label", "1").json
    assert other["dim"] == 63 and [column["name"] for column in other["set_aside"]] == ["pixel_0_0", "label"]


def test_explain_shows_the_plan_and_what_became_of_it(mercer):
    mercer.write("t.csv", TABLE)
    says(mercer("fit", "t.csv", "--explain"), "operator + solver", "dense_gram + dense", "chosen", "Measured",
         "predicted")


def test_model_can_go_to_standard_output(mercer):
    mercer.write("t.csv", TABLE)
    mercer("fit", "t.csv", "--reproducible")
    result = mercer("fit", "t.csv", "--reproducible", "-o", "-")
    assert result.out == mercer.read("t.mercer")
    assert mercer("info", "-", "--json", stdin=result.out).json["n"] == 7
    mercer("fit", "t.csv", "-o", "-", "--json", status=2)
