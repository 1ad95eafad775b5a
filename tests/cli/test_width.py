"""Columns of units that differ, and widths that show nothing, are told: by deviations, flat spectra, and components
that are those of linear PCA."""

import json

from program import numbers


def fit(mercer, kernel, *words, table="t.csv"):
    """The report, and the messages of W235 and W236."""
    report = mercer("fit", table, "--kernel", kernel, "-o", "m.mercer", "--scores", "s.csv", "--json", *words).json
    return report, {w["code"]: w["message"] for w in report["warnings"] if w["code"] in ("W235", "W236")}


def moons(mercer, rows=300):
    mercer("data", "moons", "-n", str(rows), "-o", "t.csv", "--quiet")


def cosine(a, b):
    a, b = [x - sum(a) / len(a) for x in a], [y - sum(b) / len(b) for y in b]
    return abs(sum(x * y for x, y in zip(a, b))) / (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5


def test_a_flat_spectrum_is_said_to_be_noise(mercer):
    moons(mercer)
    report, said = fit(mercer, "gaussian:sigma=0.3*nearest")
    held = sum(report["eigenvalues"]) / report["trace"] * 299 / 2
    assert 1.2 < held < 2.5, f"the case is not what it should be: {held}"
    assert "the first 2 components hold" in said["W235"] and "2 of 299 equal parts" in said["W235"], said
    share = f"{100 * sum(report['eigenvalues']) / report['trace']:.2g} %"
    assert share in said["W235"], f"{share} is not in {said}"
    identity = mercer("fit", "t.csv", "--kernel", "gaussian:sigma=1e-9", "--force", "-o", "i.mercer", status=None)
    assert "so narrow that every point is alone" in identity.err, identity.err


def test_widths_that_show_something_are_not(mercer):
    moons(mercer)
    for kernel in ("gaussian:sigma=3*nearest", "gaussian:sigma=median/4", "gaussian:sigma=median", "laplacian", "matern"):
        assert fit(mercer, kernel)[1] == {}, kernel
    # All components hold everything, whatever the width.
    assert fit(mercer, "gaussian:sigma=median", "--components", "all")[1] == {}
    moons(mercer, rows=12)  # of so few rows two components cannot hold much more than an equal share
    assert fit(mercer, "gaussian:sigma=nearest")[1] == {}


def test_many_columns_flatten_a_spectrum_without_a_narrow_width(mercer):
    """Distances concentrate: the kernel of two rows is far from 0, and the width is not to blame."""
    mercer("data", "blobs", "-n", "60", "--classes", "1", "--dim", "2000", "--noise", "1", "-o", "t.csv", "--quiet")
    report, said = fit(mercer, "gaussian:sigma=median")
    assert sum(report["eigenvalues"]) / report["trace"] * 59 / 2 < 2.5
    assert "W235" not in said, said


def test_components_of_linear_pca_are_said_to_be(mercer):
    moons(mercer)
    report, said = fit(mercer, "gaussian:sigma=10*median")
    assert "the first 2 components are those of linear PCA, up to an angle of" in said["W236"], said
    angle = float(said["W236"].split("angle of ")[1].split()[0])
    kernel = list(zip(*numbers(mercer.read("s.csv").decode(), labels=1)))
    mercer("fit", "t.csv", "--method", "pca", "-o", "p.mercer", "--scores", "p.csv", "--quiet")
    linear = list(zip(*numbers(mercer.read("p.csv").decode(), labels=1)))
    worst = min(cosine(a, b) for a, b in zip(kernel, linear))
    assert worst > 0.999 and 0 < angle < 2.6, f"cosine {worst}, angle {angle}"
    assert report["trace"] > 1e-6 * 300  # what was said before of constant kernels does not reach here


def test_what_pca_does_not_show_is_not(mercer):
    moons(mercer)
    # Two columns have two linear components: the third is a curved one.
    assert fit(mercer, "gaussian:sigma=10*median", "--components", "3")[1] == {}
    # A wide exponential is a distance, not its square.
    assert fit(mercer, "exponential:length=10*median", "--components", "2")[1] == {}
    assert fit(mercer, "gaussian:sigma=2*median")[1] == {}


def test_methods_on_kernel_components_are_warned_as_well(mercer):
    moons(mercer)
    done = mercer("fit", "t.csv", "--method", "kernel_pca", "--scale", "standard", "--kernel", "gaussian:sigma=30", "-o", "m.mercer")
    assert "W236" in done.err, done.err
    stored = mercer("info", "m.mercer", "--json").json
    assert any(w["code"] == "W236" for w in stored["warnings"]), json.dumps(stored["warnings"])


def scales_of(mercer, content, *words, table="u.csv"):
    mercer.write(table, content)
    report = mercer("fit", table, "-o", "u.mercer", "--json", "--components", "1", *words).json
    return [w["message"] for w in report["warnings"] if w["code"] == "W234"]


def columns(names, factors, rows=30):
    """Columns with deviations in these proportions."""
    lines = [",".join(repr((i * (j + 3) % 11) * factor) for j, factor in enumerate(factors)) for i in range(rows)]
    return "\n".join([",".join(names), *lines]) + "\n"


def test_columns_of_other_units_are_named(mercer):
    table = columns(["age", "height", "income"], [1, 0.1, 30.0])
    for words in ([], ["--method", "pca"], ["--method", "ppca"]):
        (said,) = scales_of(mercer, table, *words)
        assert said.startswith('"income" varies 3') and 'times as much as "height"' in said, said
        assert "--scale standard" in said
    assert scales_of(mercer, table, "--scale", "standard") == []
    assert scales_of(mercer, columns(["age", "height", "income"], [1, 0.5, 30.0])) == []
    # Without names, by their numbers; the same of rows that come in chunks.
    mercer.write("u.csv", table)
    mercer("convert", "u.csv", "u.npy")
    for words in ([], ["--chunks"]):
        report = mercer("fit", "u.npy", "--method", "pca", "-o", "u.mercer", "--json", *words).json
        (said,) = [w["message"] for w in report["warnings"] if w["code"] == "W234"]
        assert said.startswith("column 3 varies 3") and "times as much as column 2;" in said, said
        report = mercer("fit", "u.npy", "--method", "pca", "--scale", "range", "-o", "u.mercer", "--json", *words).json
        assert "W234" not in [w["code"] for w in report["warnings"]], words


def test_pixels_share_their_unit(mercer):
    mercer("data", "digits", "-n", "400", "-o", "d.csv", "--quiet")
    rows = numbers(mercer.read("d.csv").decode(), labels=1)
    spread = [(sum(x * x for x in c) / 400 - (sum(c) / 400) ** 2) ** 0.5 for c in zip(*rows)]
    assert max(spread) > 100 * min(s for s in spread if s > 0), "the case is not what it should be"
    mercer("convert", "d.csv", "d.npy", "--label", "none", "--drop", "label")
    for table, words in (("d.csv", []), ("d.npy", ["--method", "pca", "--chunks"])):
        report = mercer("fit", table, "-o", "d.mercer", "--json", *words).json
        assert not [w for w in report["warnings"] if w["code"] == "W234"], words


def test_words_are_not_told_to_be_scaled(mercer):
    """Rare words vary less than frequent ones, and scaling would write sparse rows out."""
    rows = [f"0 1:{i % 7 + 1} 2:{(i * i) % 5 + 1}" + (" 3:0.03" if i == 4 else "") for i in range(60)]
    assert scales_of(mercer, "\n".join(rows) + "\n", table="w.svm") == []
