"""Sums over training rows or features, as docs/reference/model-file.md describes them: kernels by their formulas,
monomials, Taylor features, Fourier series, affine functions. Long doubles, so that the reader's own rounding is small.
"""

import itertools
import math
import re

import numpy as np

REAL = np.longdouble
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
NAMED = re.compile(rf"([a-z_]+)(?::([a-z_]+={NUMBER}(?:,[a-z_]+={NUMBER})*))?")
ANGLES = "cosine"
CONSTANT_ON_THE_DIAGONAL = "gaussian exponential laplacian chi_squared rational_quadratic"


def parse(spec):
    """A list of terms: (weight, [(name, parameters), ...])."""
    terms, at = [], 0
    while at < len(spec):
        weight, factors = 1.0, []
        while True:
            if number := re.compile(NUMBER).match(spec, at):
                weight, at = weight * float(number[0]), number.end()
            else:
                named = NAMED.match(spec, at)
                pairs = [text.split("=") for text in (named[2] or "").split(",") if text]
                factors.append((named[1], {name: REAL(float(value)) for name, value in pairs}))
                at = named.end()
            if spec[at:at + 1] != "*":
                break
            at += 1
        terms.append((REAL(weight), factors))
        assert spec[at:at + 1] in ("", "+"), f"cannot read the kernel {spec!r}"
        at += 1
    return terms


def ratio(above, below):
    """0/0 is 0."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def from_distance(name, p, r, less_one):
    """A kernel of the distance r; with less_one k - 1, which loses no digits where k is nearly 1."""
    power = np.expm1 if less_one else np.exp
    if name == "gaussian":
        return power(-r**2 / (2 * p["sigma"] ** 2))
    if name == "exponential":
        return power(-r / p["length"])
    if name == "rational_quadratic":
        return power(-p["alpha"] * np.log1p(r**2 / (2 * p["alpha"] * p["length"] ** 2)))
    if name == "matern":
        s = np.sqrt(2 * p["nu"]) * r / p["length"]
        return (1 + (s if p["nu"] > 1 else 0) + (s**2 / 3 if p["nu"] > 2 else 0)) * np.exp(-s)
    if name == "inverse_multiquadric":
        return 1 / np.sqrt(r**2 + p["c"] ** 2)
    if name == "multiquadric":
        return -np.sqrt(r**2 + p["c"] ** 2)
    if name == "power_distance":
        return -(r ** p["exponent"])
    if name == "log_distance":
        return -np.log1p(r ** p["exponent"])
    if name == "thin_plate_spline":
        t = r / p["c"]
        return np.where(t > 0, t**2 * np.log(np.where(t > 0, t, 1)), 0)
    if name == "shifted_thin_plate_spline":
        q = r**2 + p["c"] ** 2
        return q * np.log(q) / 2
    raise ValueError(f"the page has no kernel {name!r}")


def value(name, p, x, y, less_one):
    """One family for all pairs of rows."""
    if name in ("linear", "polynomial", "sigmoid"):
        dot = x @ y.T
        if name == "linear":
            return dot + p["offset"]
        base = p["scale"] * dot + p["offset"]
        return base ** int(p["degree"]) if name == "polynomial" else np.tanh(base)
    if name == "cosine":
        lengths = np.outer(np.sqrt((x**2).sum(1)), np.sqrt((y**2).sum(1)))
        return ratio(x @ y.T, lengths)
    a, b = x[:, None, :], y[None, :, :]
    if name == "laplacian":
        exponent = -np.abs(a - b).sum(2) / p["length"]
    elif name in ("chi_squared", "additive_chi_squared"):
        exponent = -ratio((a - b) ** 2, a + b).sum(2) * p.get("gamma", 1)
        if name == "additive_chi_squared":
            return exponent
    elif name == "chi_squared_similarity":
        return ratio(2 * a * b, a + b).sum(2)
    else:
        return from_distance(name, p, np.sqrt(((a - b) ** 2).sum(2)), less_one)
    return np.expm1(exponent) if less_one else np.exp(exponent)


def kernel(spec, rows, points, centred, chosen):
    """k of new rows (rows of the result) with points (columns), up to what centred sums cannot tell."""
    terms = parse(spec)
    single = len(terms) == 1 and len(terms[0][1]) == 1
    if centred and all(len(factors) == 1 for _, factors in terms):
        for _, factors in terms:
            if factors[0][0] == "linear":
                factors[0][1]["offset"] = REAL(0)
    less_one = centred and not chosen and single and terms[0][1][0][0] in CONSTANT_ON_THE_DIAGONAL.split()
    total = REAL(0)
    for weight, factors in terms:
        term = weight
        for name, parameters in factors:
            term = term * value(name, parameters, rows, points, less_one)
        total = total + term
    return total


def points_of(model, dim):
    """Points as a dense table, and whether they are stored sparse."""
    arrays = model.arrays
    if "points" in arrays:
        return arrays["points"].astype(REAL), False
    starts = arrays["points.starts"]
    points = np.zeros((len(starts) - 1, dim), REAL)
    for i, (begin, end) in enumerate(zip(starts, starts[1:])):
        points[i, arrays["points.columns"][begin:end]] = arrays["points.values"][begin:end]
    return points, True


def frame(points, sparse):
    """The power of two that brings points into (-1, 1), and their mean after it."""
    largest = float(np.abs(points).max())
    scale = REAL(2.0 ** -math.frexp(largest)[1]) if largest > 0 else REAL(1)
    return scale, np.zeros(points.shape[1], REAL) if sparse else (points * scale).mean(0)


def sums_over_points(model, rows):
    values, arrays = model.values, model.arrays
    points, sparse = points_of(model, rows.shape[1])
    coefficients = arrays["coefficients"].astype(REAL)
    spec, centred = values["kernel"]["spec"], values["centered"]
    scale, centre = frame(points, sparse)
    x, y = rows, points
    if centred and not sparse and parse(spec)[0][0] == 1 and re.fullmatch("linear(:[^+*]*)?", spec):
        x, y = rows - centre / scale, points - centre / scale
    scores = kernel(spec, x, y, centred, model.chosen()) @ coefficients
    if "affine" in arrays:
        table = arrays["affine"].astype(REAL) + arrays["affine_low"]
        scores = scores - np.column_stack([np.ones(len(rows), REAL), rows * scale - centre]) @ table
    return scores



def graded(dim, degrees):
    """The exponents of all monomials of these degrees, in order: tuples of variables that do not fall."""
    for degree in degrees:
        for variables in itertools.combinations_with_replacement(range(dim), degree):
            yield [variables.count(j) for j in range(dim)]


def monomials(rows, exponents):
    return np.column_stack([np.prod(rows ** np.array(alpha), axis=1) for alpha in exponents])


def polynomial_features(model, rows):
    features = model.values["features"]
    (_, [(_, p)]), = parse(model.values["kernel"]["spec"])
    degree, scale = features["degree"], REAL(features["scale"])
    alphas = list(graded(rows.shape[1], [degree] if p["offset"] == 0 else range(degree + 1)))
    roots = []
    for alpha in alphas:
        left = degree - sum(alpha)
        count = math.factorial(degree) // math.prod(map(math.factorial, [*alpha, left]))
        roots.append(np.sqrt(REAL(count) * (p["scale"] / scale**2) ** sum(alpha) * p["offset"] ** left))
    return monomials(rows * scale, alphas) * np.array(roots)


def taylor_features(model, rows):
    """The features, and which rows they reach."""
    features = model.values["features"]
    z = (rows * REAL(features["scale"]) - model.arrays["feature_centre"]) / REAL(features["sigma"])
    squared = (z**2).sum(1)
    alphas = list(graded(rows.shape[1], range(features["degree"] + 1)))
    roots = [1 / np.sqrt(REAL(math.prod(map(math.factorial, alpha)))) for alpha in alphas]
    return np.exp(-squared / 2)[:, None] * monomials(z, alphas) * np.array(roots), squared <= REAL(features["reach"]) ** 2


def fourier_features(model, rows):
    """The features; those of rows out of reach are 0."""
    features, arrays = model.values["features"], model.arrays
    x = rows * REAL(features["scale"]) - arrays["feature_centre"]
    period, modes = arrays["feature_period"].astype(REAL), features["modes"]
    width, nu, pi = REAL(features["width"]), REAL(features["nu"]), 4 * np.arctan(REAL(1))
    active = [j for j, m in enumerate(modes) if m > 0]
    k = np.array(list(itertools.product(*[range(-m, m + 1) for m in modes])), REAL)
    turns = 2 * pi * k / period
    squared, d, cell = (turns**2).sum(1), len(active), np.prod(period[active])
    if nu == 0:
        c = (np.sqrt(2 * pi) * width) ** d / cell * np.exp(-(width**2) * squared / 2)
    else:
        a2, power = 2 * nu / width**2, float(nu) + d / 2
        # Gamma(power) / Gamma(nu) is exact enough in doubles: these are known numbers.
        first = (4 * pi / a2) ** (REAL(d) / 2) * REAL(math.gamma(power) / math.gamma(float(nu))) / cell
        c = first * (a2 / (a2 + squared)) ** REAL(power)
    z, angle = len(c) // 2, x @ turns.T
    amplitude = np.sqrt(2 * c)
    f = np.empty((len(rows), len(c)), REAL)
    f[:, z] = np.sqrt(c[z])
    f[:, z + 1:] = amplitude[z + 1:] * np.cos(angle[:, z + 1:])
    f[:, :z] = amplitude[:z] * np.sin(-angle[:, :z])
    f[(np.abs(x) > arrays["feature_reach"]).any(axis=1)] = 0
    return f


def expansion(model, rows):
    """f(x) = A'k(x, .) - b of every row."""
    values, arrays = model.values, model.arrays
    rows, bias = rows.astype(REAL), arrays["bias"].astype(REAL)
    given = values.get("as", "table")
    if given != "table":
        pairs = {"kernel": rows, "distance": -(rows**2) / 2, "squared-distance": -rows / 2}[given]
        return pairs @ arrays["coefficients"].astype(REAL) - bias
    if "features" not in values:
        return sums_over_points(model, rows) - bias
    weights, name = arrays["feature_weights"].astype(REAL), values["features"]["name"]
    if name == "monomials":
        return polynomial_features(model, rows) @ weights - bias
    if name == "fourier":
        return fourier_features(model, rows) @ weights - bias
    features, reached = taylor_features(model, rows)
    scores = features @ weights - bias
    if not reached.all():
        scores[~reached] = sums_over_points(model, rows[~reached]) - bias
    return scores
