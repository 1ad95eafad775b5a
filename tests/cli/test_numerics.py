"""Every operator with every solver, in both precisions: the same components by every way, and the same bytes twice.

Also run under sanitizers: what reads beyond a block is seen there.
"""

import math
import random

ROWS = 300
# What each operator serves; the others are sums and tables of any kind.
KERNELS = {
    "covariance": "linear",
    "linear_gram": "linear",
    "polynomial_features": "polynomial:degree=2,offset=0.5",
    "taylor_features": "gaussian:sigma=4",
    "cholesky_features": "gaussian:sigma=4",
    "fast_gauss": "gaussian:sigma=2",
    "near_field": "gaussian:sigma=0.05",
    "given_matrix": None,
}


def table(columns, seed=1):
    """Rows whose columns are spread differently."""
    draw = random.Random(seed)
    return [[draw.gauss(0, 0.7 ** j) for j in range(columns)] for _ in range(ROWS)]


def text_of(rows):
    return "".join(",".join(map(repr, row)) + "\n" for row in rows)


def names(mercer, kind):
    """Names of a catalogue."""
    return [line.split()[0] for line in mercer("list", kind).text.split("\n")[1:] if line.strip()]


def prepare(mercer):
    rows = table(3)
    mercer.write("t.csv", text_of(rows))
    mercer.write("wide.csv", text_of(table(24)))
    mercer.write("k.csv", text_of([[math.exp(-sum((a - b) ** 2 for a, b in zip(x, y)) / 8) for y in rows] for x in rows]))


def fit(mercer, operator, solver, precision, *more):
    """The JSON of a fit, or None where the operator cannot be used so; with its scores as bytes."""
    kernel = KERNELS.get(operator, "gaussian:sigma=1")
    name = "wide.csv" if kernel == "linear" else "t.csv"
    what = [name, "--kernel", kernel] if kernel else ["k.csv", "--as", "kernel"]
    result = mercer("fit", *what, "--header", "no", "--components", "2", "--operator", operator, "--solver", solver,
                    "--precision", precision, "--json", "--quiet", "-o", "m.mercer", "--scores", "s.csv", *more,
                    status=None)
    assert result.status in (0, 2, 3, 6), f"{operator} {solver} {precision}: exit status {result.status}: {result.err[-2000:]}"
    if result.status in (2, 3):
        assert "cannot be used here" in result.text + result.err, f"{operator} {solver}: {result.text[-300:]}"
        return None
    return result.json, mercer.read("s.csv")


def check(mercer, precision):
    prepare(mercer)
    solved = 0
    for operator in names(mercer, "operators"):
        truth = fit(mercer, operator, "dense", precision)
        for solver in names(mercer, "solvers"):
            answer = fit(mercer, operator, solver, precision)
            assert (answer is None) == (truth is None) or solver in ("inverse", "rayleigh_quotient"), \
                f"{operator} {solver}: usable with some solvers only"
            if answer is None:
                continue
            solved += 1
            found, exact = answer[0]["eigenvalues"], truth[0]["eigenvalues"]
            # Residuals are stated relative to the largest value; values are off by no more.
            allowed = (max(answer[0]["residuals"]) + max(truth[0]["residuals"])) * exact[0] * 1.01
            worst = max(abs(a - b) for a, b in zip(found, exact))
            assert worst <= allowed, f"{operator} {solver} {precision}: eigenvalues off by {worst}, allowed {allowed}"
    assert solved >= 40, f"only {solved} ways served"


def test_every_way_in_double(mercer):
    check(mercer, "double")


def test_every_way_in_single(mercer):
    check(mercer, "single")


def test_the_same_bytes_twice(mercer):
    prepare(mercer)
    for operator in ("covariance", "linear_gram", "blocked_gram", "dense_gram"):
        for precision in ("single", "double"):
            one, other = (fit(mercer, operator, "block_krylov", precision) for _ in range(2))
            assert one[1] == other[1], f"{operator} {precision}: other scores the second time"
            assert one[0]["residuals"] == other[0]["residuals"], f"{operator} {precision}: other residuals"
            assert one[0]["converged"], f"{operator} {precision}: residuals {one[0]['residuals']}"


def test_what_has_no_float_form_is_double(mercer):
    prepare(mercer)
    for operator, solver in (("covariance", "block_krylov"), ("linear_gram", "lanczos"), ("dense_gram", "dense"),
                             ("blocked_gram", "inverse")):
        result, _ = fit(mercer, operator, solver, "single")
        assert result["plan"]["precision"] == "double", f"{operator} {solver}: {result['plan']['precision']}"
        error = result["certificate"]["operator_error"]
        assert error < 1e-10, f"{operator} {solver}: rounding of {error}"
    # A wide Gaussian is positive semidefinite; entries rounded to float would not be.
    for policy in ("error", "shift", "clip"):
        result = mercer("fit", "t.csv", "--header", "no", "--kernel", "gaussian:sigma=1000", "--precision", "single",
                        "--solver", "dense", "--indefinite", policy, "--json", "--quiet", "-o", "m.mercer").json
        assert result["negative_share"] == 0 and {w["code"] for w in result["warnings"]} == {"W236"}, f"{policy}: {result['warnings']}"


def test_float_stays_where_it_was_asked_for(mercer):
    prepare(mercer)
    result, _ = fit(mercer, "blocked_gram", "block_krylov", "single")
    assert result["plan"]["precision"].startswith("single"), result["plan"]["precision"]
    assert result["certificate"]["kind"] == "probabilistic", result["certificate"]


def test_rounding_may_be_all_there_is(mercer):
    """Nothing is known then: no shares, no completeness, and errors relative to the values that are shown."""
    draw = random.Random(1)
    mercer.write("far.csv", text_of([[draw.choice([-1e-5, 1e-5]) for _ in range(5)] for _ in range(12)]))
    kernel = "gaussian+shifted_thin_plate_spline:c=1e26"
    fit = mercer("fit", "far.csv", "--header", "no", "--kernel", kernel, "--components", "3", "-o", "far.mercer", status=6)
    assert "Variance unknown: rounding may be all there is" in fit.err, fit.err
    shown = mercer("info", "far.mercer").text
    assert "Variance unknown: rounding may be all there is\n" in shown and "nan" not in shown, shown
    report = mercer("info", "far.mercer", "--json").json
    assert report["total"] is None
    assert report["certificate"]["complete"] is False
    off = report["certificate"]["operator_error"] * report["eigenvalues"][0]
    assert off >= 0.9 * (report["certificate"]["eigenvalue_upper"][0] - report["eigenvalues"][0])
