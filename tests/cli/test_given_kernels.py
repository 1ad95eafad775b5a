"""Kernels of given distances: the fit of points, and the fit of nothing but the distances between them."""

import math
import random

from program import close, numbers, says

KERNELS = ["gaussian:sigma=1.5", "gaussian:gamma=0.3", "exponential:length=2", "matern:nu=2.5,length=1.2",
           "rational_quadratic:alpha=0.7,length=1.3", "inverse_multiquadric:c=0.8", "multiquadric:c=0.5",
           "power_distance:exponent=1.2", "log_distance:exponent=1.5", "gaussian:sigma=0.7+0.5*exponential:length=2",
           "gaussian:sigma=2*rational_quadratic:length=3", "gaussian", "gaussian:sigma=0.5*median", "matern:length=nearest"]


def points(n, seed):
    draw = random.Random(seed)
    return [[draw.gauss(0, 1) for _ in range(4)] for _ in range(n)]


def summed(x, y):
    return sum(abs(a - b) for a, b in zip(x, y))


def squared(x, y):
    return sum((a - b) ** 2 for a, b in zip(x, y))


def text(rows):
    return "".join(",".join(repr(x) for x in row) + "\n" for row in rows)


def pairs(rows, others, distance=math.dist):
    return text([[distance(x, y) for y in others] for x in rows])


def fitted(mercer, name, content, *more):
    mercer.write(name + ".csv", content)
    args = ["fit", name + ".csv", "--header", "no", "--components", "3", "-o", name + ".mercer", "--scores",
            name + ".scores.csv", *more]
    value = mercer(*args, "--json", status=None).json
    return value, numbers(mercer.read(name + ".scores.csv").decode())


def agree(mercer, kernel, rows, new, distance=math.dist, what="distance", more=()):
    of_rows, scores = fitted(mercer, "rows", text(rows), "--kernel", kernel, *more)
    of_pairs, same = fitted(mercer, "pairs", pairs(rows, rows, distance), "--as", what, "--kernel", kernel, *more)
    largest = of_rows["eigenvalues"][0]
    close([of_rows["eigenvalues"]], [of_pairs["eigenvalues"]], 1e-12 * largest)
    close(scores, same, 1e-11 * math.sqrt(largest))
    mercer.write("new.csv", text(new))
    mercer.write("far.csv", pairs(new, rows, distance))
    close(numbers(mercer("transform", "rows.mercer", "new.csv", "--header", "no").text),
          numbers(mercer("transform", "pairs.mercer", "far.csv", "--header", "no").text), 1e-11 * math.sqrt(largest))
    for field in ("name", "gamma", "parameters"):
        left, right = of_rows["kernel"][field], of_pairs["kernel"][field]
        if isinstance(left, dict):
            assert all(math.isclose(left[key], right[key], rel_tol=1e-12) for key in left), (left, right)
        else:
            assert left == right or math.isclose(left, right, rel_tol=1e-12), (left, right)
    return of_pairs


def test_the_fit_of_points_is_that_of_their_distances(mercer):
    rows, new = points(40, 1), points(7, 2)
    for kernel in KERNELS:
        agree(mercer, kernel, rows, new)


def test_squared_distances_will_do(mercer):
    rows, new = points(30, 3), points(5, 4)
    for kernel in ("gaussian:sigma=1.5", "exponential:length=2", "gaussian"):
        agree(mercer, kernel, rows, new, squared, "squared-distance")


def test_a_laplacian_takes_sums_of_coordinates(mercer):
    agree(mercer, "laplacian:length=3", points(30, 5), points(5, 6), summed)
    agree(mercer, "laplacian", points(30, 5), points(5, 6), summed)


def test_plates_are_freed_of_constants_alone(mercer):
    for kernel in ("thin_plate_spline", "shifted_thin_plate_spline:c=0.5"):
        agree(mercer, kernel, points(30, 7), points(5, 8), more=["--nullspace", "constant"])


def test_a_kernel_of_distances_is_told_and_kept(mercer):
    mercer.write("d.csv", pairs(points(20, 9), points(20, 9)))
    told = mercer("fit", "d.csv", "--header", "no", "--as", "distance", "--kernel", "gaussian:sigma=300", "-o", "m.mercer")
    says(told, "exp(-|x-y|^2/(2*300^2))", "--kernel to change")
    says(mercer("fit", "d.csv", "--header", "no", "--as", "distance", "--kernel", "gaussian"), "median")
    assert mercer("info", "m.mercer", "--json").json["kernel"]["spec"] == "gaussian:sigma=300"
    plain = mercer("fit", "d.csv", "--header", "no", "--as", "distance", "-o", "p.mercer", "--json").json
    assert plain["kernel"]["name"] == "precomputed", plain["kernel"]
    mercer.write("new.csv", ",".join(["1"] * 19 + ["-1"]) + "\n")
    says(mercer("transform", "m.mercer", "new.csv", "--header", "no", status=3), "M245")


def test_uncentred_kernels_of_distances(mercer):
    agree(mercer, "gaussian:sigma=1.5", points(25, 11), points(4, 12), more=["--no-center"])
