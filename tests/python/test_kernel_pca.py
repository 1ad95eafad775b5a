"""KernelPCA against the textbook's formulas and scikit-learn's class."""
import warnings

import numpy as np
import pytest

import mercer
from helpers import dense_kernel_pca, gap, gaussian, turned

RNG = np.random.default_rng(3)
X, NEW = RNG.standard_normal((80, 4)), RNG.standard_normal((15, 4))


def test_scores_are_those_of_the_textbook():
    values, scores, new = dense_kernel_pca(gaussian(X, X, 0.3), gaussian(NEW, X, 0.3), 4)
    fitted = mercer.KernelPCA(4, kernel="rbf", gamma=0.3).fit(X)
    np.testing.assert_allclose(fitted.eigenvalues_, values, rtol=1e-12)
    np.testing.assert_allclose(turned(fitted.transform(X), scores), scores, atol=1e-11)
    np.testing.assert_allclose(np.abs(fitted.transform(NEW)), np.abs(new), atol=1e-11)
    np.testing.assert_allclose(fitted.eigenvectors_.T @ fitted.eigenvectors_, np.eye(4), atol=1e-12)
    assert np.array_equal(fitted.X_fit_, X) and fitted.gamma_ == pytest.approx(0.3)
    assert fitted.certificate_["complete"] and fitted.residuals_.max() < 1e-6
    total = np.trace(gaussian(X, X, 0.3)) - gaussian(X, X, 0.3).mean() * len(X)
    np.testing.assert_allclose(fitted.explained_variance_ratio_, values / total, rtol=1e-10)


@pytest.mark.parametrize("settings", [
    {}, {"kernel": "rbf"}, {"kernel": "rbf", "gamma": 2}, {"kernel": "poly"}, {"kernel": "cosine"},
    {"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 2}, {"kernel": "sigmoid", "gamma": 0.05, "coef0": 0.5},
    {"kernel": "rbf", "eigen_solver": "arpack"}, {"kernel": "rbf", "eigen_solver": "randomized", "random_state": 0}])
def test_agrees_with_scikit_learn(settings):
    theirs = pytest.importorskip("sklearn.decomposition").KernelPCA(3, **settings).fit(X)
    ours = mercer.KernelPCA(3, **settings).fit(X)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
    assert gap(ours.eigenvectors_, theirs.eigenvectors_) < 1e-7
    np.testing.assert_allclose(np.abs(ours.transform(NEW)), np.abs(theirs.transform(NEW)), atol=1e-7)


def test_agrees_with_scikit_learn_where_a_search_is_needed():
    decomposition = pytest.importorskip("sklearn.decomposition")
    rows = np.random.default_rng(8).standard_normal((1500, 6)) * [3, 2.5, 2, 1, 1, 1]
    theirs = decomposition.KernelPCA(3, kernel="rbf", gamma=0.05, eigen_solver="arpack").fit(rows)
    ours = mercer.KernelPCA(3, kernel="rbf", gamma=0.05, tolerance=1e-11, solver="block_krylov").fit(rows)
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)
    assert gap(ours.eigenvectors_, theirs.eigenvectors_) < 1e-8


@pytest.mark.parametrize("kernel, settings", [
    ("rbf", {"gamma": 0.4}), ("linear", {}), ("poly", {"degree": 2, "gamma": 0.1}), ("rbf", {})])
@pytest.mark.parametrize("alpha", [1.0, 1e-3])
def test_the_way_back_is_the_regression_of_the_formula(kernel, settings, alpha):
    """(K + alpha I) W = X over the scores, with gamma = 1 / number of scores where none is given."""
    fitted = mercer.KernelPCA(3, kernel=kernel, fit_inverse_transform=True, alpha=alpha, **settings).fit(X)
    scores = fitted.transform(X)
    gamma = settings.get("gamma", 1 / 3)

    def values(a, b):
        if kernel == "rbf":
            return gaussian(a, b, gamma)
        return a @ b.T if kernel == "linear" else (gamma * a @ b.T + 1) ** settings["degree"]

    weights = np.linalg.solve(values(scores, scores) + alpha * np.eye(len(X)), X)
    np.testing.assert_allclose(fitted.dual_coef_, weights, rtol=1e-6, atol=1e-7 * np.abs(weights).max())
    np.testing.assert_allclose(fitted.X_transformed_fit_, scores, atol=1e-12)
    wanted = values(fitted.transform(NEW), scores) @ weights
    np.testing.assert_allclose(fitted.inverse_transform(fitted.transform(NEW)), wanted, atol=1e-8)
    theirs = pytest.importorskip("sklearn.decomposition").KernelPCA(
        3, kernel=kernel, fit_inverse_transform=True, alpha=alpha, eigen_solver="dense", **settings).fit(X)
    np.testing.assert_allclose(fitted.inverse_transform(fitted.transform(NEW)),
                               theirs.inverse_transform(theirs.transform(NEW)), atol=1e-7)


def test_there_is_no_way_back_unless_asked_for():
    fitted = mercer.KernelPCA(2).fit(X)
    with pytest.raises(mercer.NotFittedError, match="fit_inverse_transform parameter was not set to True"):
        fitted.inverse_transform(fitted.transform(X))
    with pytest.raises(ValueError, match="Cannot fit_inverse_transform with a precomputed kernel"):
        mercer.KernelPCA(2, kernel="precomputed", fit_inverse_transform=True).fit(X @ X.T)


def test_functions_as_kernels():
    seen = []

    def kernel(x, y, power=1):
        seen.append(power)
        return float(x @ y) ** power

    fitted = mercer.KernelPCA(3, kernel=kernel, kernel_params={"power": 2}).fit(X)
    plain = mercer.KernelPCA(3, kernel="polynomial:degree=2,offset=0").fit(X)
    np.testing.assert_allclose(np.abs(fitted.transform(NEW)), np.abs(plain.transform(NEW)), atol=1e-9)
    assert set(seen) == {2} and len(seen) == 80 * 81 // 2 + 15 * 80
    assert fitted.n_features_in_ == 4 and np.array_equal(fitted.X_fit_, X)
    with_inverse = mercer.KernelPCA(2, kernel=lambda a, b: float(a @ b), fit_inverse_transform=True, alpha=0.1).fit(X)
    linear = mercer.KernelPCA(2, kernel="linear", fit_inverse_transform=True, alpha=0.1).fit(X)
    np.testing.assert_allclose(with_inverse.inverse_transform(with_inverse.transform(NEW)),
                               linear.inverse_transform(linear.transform(NEW)), atol=1e-8)
    with pytest.raises(ZeroDivisionError):
        mercer.KernelPCA(2, kernel=lambda a, b: 1 / 0).fit(X)


def test_precomputed_kernels_and_distances():
    direct = mercer.KernelPCA(3, kernel="rbf", gamma=0.3).fit(X)
    given = mercer.KernelPCA(3, kernel="precomputed").fit(gaussian(X, X, 0.3))
    np.testing.assert_allclose(np.abs(given.transform(gaussian(NEW, X, 0.3))), np.abs(direct.transform(NEW)), atol=1e-10)
    apart = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    of_distances = mercer.KernelPCA(3, as_="distance").fit(apart)
    linear = mercer.KernelPCA(3).fit(X)
    np.testing.assert_allclose(of_distances.eigenvalues_, linear.eigenvalues_, rtol=1e-9)
    assert given._get_tags()["pairwise"] and not direct._get_tags()["pairwise"]
    with pytest.raises(ValueError, match="square matrix"):
        given.fit(np.zeros((3, 4)))


def test_matrices_that_centring_makes_symmetric():
    values = gaussian(X, X, 0.3)
    left, right = RNG.standard_normal(len(X)), RNG.standard_normal(len(X))
    with pytest.warns(mercer.MercerWarning, match="symmetric after centring only"):
        fitted = mercer.KernelPCA(3, kernel="precomputed").fit(values + left[:, None] + right)
    plain = mercer.KernelPCA(3, kernel="precomputed").fit(values)
    np.testing.assert_allclose(fitted.eigenvalues_, plain.eigenvalues_, rtol=1e-10)
    new = gaussian(NEW, X, 0.3)
    np.testing.assert_allclose(fitted.transform(new + 7 + right), plain.transform(new), atol=1e-9)
    with pytest.raises(ValueError, match="M241"):
        mercer.KernelPCA(3, kernel="precomputed").fit(RNG.standard_normal((9, 9)))


def test_widths_from_the_data():
    apart = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    median = np.median(apart[np.triu_indices(len(X), 1)])
    for settings in ({"gamma": "median"}, {"sigma": "median"}, {"kernel": "gaussian"}):
        fitted = mercer.KernelPCA(2, **{"kernel": "rbf", **settings}).fit(X)
        assert fitted.gamma_ == pytest.approx(1 / (2 * median ** 2), rel=1e-6)
    half = mercer.KernelPCA(2, kernel="rbf", sigma="0.5*median").fit(X)
    assert half.gamma_ == pytest.approx(2 / median ** 2, rel=1e-6)
    assert mercer.KernelPCA(2, kernel="rbf").fit(X).gamma_ == pytest.approx(1 / 4)


def test_shares_of_the_variance():
    fitted = mercer.KernelPCA(0.8, kernel="rbf", gamma=0.1).fit(X)
    shares = fitted.explained_variance_ratio_
    assert shares.sum() >= 0.8 > shares[:-1].sum() and fitted.transform(NEW).shape[1] == len(shares)


def test_zero_eigenvalues():
    flat = X[:, :2]
    assert mercer.KernelPCA(5).fit_transform(flat).shape == (80, 5)
    padded = mercer.KernelPCA(5).fit(flat)
    assert np.array_equal(padded.eigenvalues_[2:], np.zeros(3)) and not padded.transform(flat)[:, 2:].any()
    assert mercer.KernelPCA(5, remove_zero_eig=True).fit_transform(flat).shape == (80, 2)
    assert mercer.KernelPCA().fit_transform(flat).shape == (80, 2)
    same = np.ones((6, 3))
    assert mercer.KernelPCA().fit_transform(same).shape == (6, 0)
    assert np.array_equal(mercer.KernelPCA(2).fit(same).transform(X[:5, :3]), np.zeros((5, 2)))


def test_negative_eigenvalues():
    half = np.random.default_rng(1).standard_normal((8, 8))
    indefinite = half + half.T
    with pytest.raises(ValueError, match="There are significant negative eigenvalues"):
        mercer.KernelPCA(7, kernel="precomputed").fit(indefinite)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert mercer.KernelPCA(1, kernel="precomputed").fit(indefinite).eigenvalues_[0] > 0
        for policy in ("clip", "flip", "krein"):
            assert mercer.KernelPCA(7, kernel="precomputed", indefinite=policy).fit(indefinite).eigenvalues_.min() >= 0


def test_memory_is_shared_where_that_is_asked_for():
    rows = X.copy()
    shared = mercer.KernelPCA(2, kernel="rbf", copy_X=False).fit(rows)
    copied = mercer.KernelPCA(2, kernel="rbf").fit(rows)
    assert np.shares_memory(shared.X_fit_, rows) and not np.shares_memory(copied.X_fit_, rows)
    before = copied.transform(NEW)
    rows[:] = 0
    assert np.array_equal(copied.transform(NEW), before)


def test_component_maps_show_the_scores():
    fitted = mercer.KernelPCA(2, kernel="rbf", gamma=0.3).fit(X)
    x, y, values = fitted.component_map(1, features=(2, 0), resolution=7, bounds=(-1, 1, -2, 2))
    assert values.shape == (7, 7) and (x[0], x[-1], y[0], y[-1]) == (-1, 1, -2, 2)
    at = X.mean(axis=0)
    at[2], at[0] = x[5], y[1]
    assert values[1, 5] == pytest.approx(fitted.transform(at[None])[0, 1], abs=1e-12)


def test_progress_is_told_and_may_stop_the_fit():
    told = []
    mercer.KernelPCA(2, kernel="rbf", progress=lambda phase, done, search: told.append((phase, done))).fit(X)
    assert told and all(isinstance(phase, str) and 0 <= done <= 1 for phase, done in told)

    def stop(phase, done, search):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        mercer.KernelPCA(2, kernel="rbf", progress=stop).fit(X)


def test_time_runs_out():
    rows = np.random.default_rng(0).standard_normal((3000, 20))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fitted = mercer.KernelPCA(30, kernel="rbf", time=0.2, tolerance=1e-12).fit(rows)
            assert not fitted.report()["converged"]
        except mercer.MercerTimeout as error:
            assert error.code == "M303" and isinstance(error, TimeoutError)


def test_seeds_mean_what_they_mean_in_scikit_learn():
    from mercer._parameters import seed_of
    assert seed_of(None) == 0 and seed_of(7) == 7 and seed_of(np.int64(7)) == 7
    state = np.random.RandomState(3)
    assert seed_of(state) == np.random.RandomState(3).randint(np.iinfo(np.int32).max) != seed_of(state)
    with pytest.raises(ValueError, match="cannot be used to seed"):
        seed_of("x")


def test_plans_are_told_before_the_fit():
    wide = mercer.plan(mercer.KernelPCA(2, kernel="rbf"), X)
    assert wide["solver"] == "dense" and len(wide["candidates"]) > 3
    fitted = mercer.KernelPCA(2, kernel="rbf").fit(X)
    assert fitted.plan_["solver"] == wide["solver"]
