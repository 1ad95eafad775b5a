"""The other methods against formulas, and against scikit-learn's classes where it has them."""
import warnings

import numpy as np
import pytest

import mercer
from helpers import gap, gaussian

RNG = np.random.default_rng(11)
X = RNG.standard_normal((70, 3)) @ RNG.standard_normal((3, 6)) + 0.3 * RNG.standard_normal((70, 6)) + 2


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_pca_is_the_singular_value_decomposition():
    fitted = mercer.PCA(3).fit(X)
    centred = X - X.mean(axis=0)
    left, lengths, right = np.linalg.svd(centred, full_matrices=False)
    np.testing.assert_allclose(fitted.singular_values_, lengths[:3], rtol=1e-10)
    np.testing.assert_allclose(fitted.explained_variance_, lengths[:3] ** 2 / 69, rtol=1e-10)
    np.testing.assert_allclose(fitted.explained_variance_ratio_, lengths[:3] ** 2 / (lengths ** 2).sum(), rtol=1e-10)
    assert gap(fitted.components_.T, right[:3].T) < 1e-10
    np.testing.assert_allclose(fitted.inverse_transform(fitted.transform(X)),
                               X.mean(axis=0) + centred @ right[:3].T @ right[:3], atol=1e-10)
    np.testing.assert_allclose(fitted.noise_variance_, (lengths[3:] ** 2).sum() / 69 / 3, rtol=1e-9)
    assert (fitted.n_components_, fitted.n_samples_, fitted.certificate_["complete"]) == (3, 70, True)


@pytest.mark.parametrize("whiten", [False, True])
def test_pca_agrees_with_scikit_learn(whiten):
    theirs = pytest.importorskip("sklearn.decomposition").PCA(3, whiten=whiten).fit(X)
    ours = mercer.PCA(3, whiten=whiten).fit(X)
    np.testing.assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), atol=1e-9)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(X)), theirs.inverse_transform(theirs.transform(X)),
                               atol=1e-9)
    for name in ("mean_", "explained_variance_", "noise_variance_", "singular_values_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9)
    plain = pytest.importorskip("sklearn.decomposition").PCA(3).fit(X)  # whitening changes scores, not the density
    np.testing.assert_allclose(ours.get_covariance(), plain.get_covariance(), atol=1e-9)
    np.testing.assert_allclose(ours.score_samples(X), plain.score_samples(X), rtol=1e-9)


def test_pca_counts_as_scikit_learn_does():
    wide = X[:4]
    fitted = mercer.PCA().fit(wide)
    assert fitted.components_.shape == (4, 6) and fitted.transform(wide).shape == (4, 4)
    np.testing.assert_allclose(fitted.components_ @ fitted.components_.T, np.eye(4), atol=1e-10)
    assert mercer.PCA("mle").fit(X).n_components_ == 3
    assert mercer.PCA(0.9).fit(X).explained_variance_ratio_.sum() >= 0.9
    for count in (7, -1, 1.5):
        with pytest.raises(ValueError, match=r"must be between 0 and min\(n_samples, n_features\)=6"):
            mercer.PCA(count).fit(X)
    same = mercer.PCA(2).fit(np.ones((5, 3)))
    assert not same.transform(np.ones((2, 3))).any() and np.array_equal(same.mean_, np.ones(3))


def test_densities_agree_with_their_formula():
    ppca = mercer.ProbabilisticPCA(2).fit(X)
    values = np.linalg.eigvalsh(np.cov(X.T, bias=True))[::-1]
    assert ppca.noise_variance_ == pytest.approx(values[2:].mean(), rel=1e-8)
    covariance = ppca.get_covariance()
    np.testing.assert_allclose(np.linalg.eigvalsh(covariance)[::-1][:2], values[:2], rtol=1e-8)
    centred = X - X.mean(axis=0)
    by_hand = -0.5 * (np.linalg.slogdet(covariance)[1] + 6 * np.log(2 * np.pi) +
                      (centred @ np.linalg.inv(covariance) * centred).sum(axis=1))
    np.testing.assert_allclose(ppca.score_samples(X), by_hand, rtol=1e-8)
    gaps = X.copy()
    gaps[3, 1] = np.nan
    known = [0, 2, 3, 4, 5]
    wanted = X.mean(axis=0)[1] + covariance[1, known] @ np.linalg.solve(covariance[np.ix_(known, known)], centred[3, known])
    assert ppca.impute(gaps)[3, 1] == pytest.approx(wanted, rel=1e-6)
    drawn = ppca.sample(20000, random_state=1)
    np.testing.assert_allclose(np.cov(drawn.T), covariance, atol=0.15)
    assert np.array_equal(ppca.sample(5, 1), drawn[:5])


def test_factor_analysis_is_as_likely_as_scikit_learns():
    rows = RNG.standard_normal((300, 2)) @ RNG.standard_normal((2, 8)) + RNG.standard_normal((300, 8))
    theirs = pytest.importorskip("sklearn.decomposition").FactorAnalysis(2, tol=1e-9, max_iter=3000).fit(rows)
    ours = mercer.FactorAnalysis(2).fit(rows)
    assert ours.score(rows) >= theirs.score(rows) - 1e-9
    np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-3)
    np.testing.assert_allclose(ours.noise_variance_, theirs.noise_variance_, atol=1e-3)


def test_sources_are_found_again():
    sources = np.sign(RNG.standard_normal((2000, 3))) * RNG.exponential(size=(2000, 3))
    mixing = RNG.standard_normal((3, 3))
    rows = sources @ mixing.T
    for fitted in (mercer.FastICA(3).fit(rows), mercer.FastICA(3, algorithm="deflation").fit(rows)):
        shares = np.abs(fitted.components_ @ mixing)
        shares /= shares.max(axis=1, keepdims=True)
        assert np.sort(shares, axis=1)[:, 1].max() < 0.12  # every found source is one of the true ones
        np.testing.assert_allclose(fitted.mixing_ @ fitted.components_, np.eye(3), atol=1e-8)
        np.testing.assert_allclose(fitted.inverse_transform(fitted.transform(rows)), rows, atol=1e-8)


@pytest.mark.parametrize("scale", [True, False])
def test_pls_agrees_with_scikit_learn(scale):
    theirs = pytest.importorskip("sklearn.cross_decomposition").PLSRegression(3, scale=scale, tol=1e-14, max_iter=100000)
    targets = X[:, :2] @ RNG.standard_normal((2, 3)) + 0.1 * RNG.standard_normal((70, 3))
    theirs.fit(X, targets)
    ours = mercer.PLSRegression(3, scale=scale).fit(X, targets)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-6)
    for name in ("x_weights_", "x_loadings_", "y_loadings_", "x_rotations_", "x_scores_", "y_rotations_"):
        wanted = getattr(theirs, name)
        np.testing.assert_allclose(np.abs(getattr(ours, name)), np.abs(wanted), atol=1e-4 * np.abs(wanted).max(), err_msg=name)
    np.testing.assert_allclose(ours.inverse_transform(ours.transform(X)), theirs.inverse_transform(theirs.transform(X)),
                               atol=1e-5)
    np.testing.assert_allclose(ours.predict(X), X @ ours.coef_.T + ours.intercept_, atol=1e-9)


def test_principal_component_regression_is_least_squares_on_scores():
    target = X[:, 0] + RNG.standard_normal(70)
    scores = mercer.PCA(2).fit_transform(X)
    slopes = np.linalg.lstsq(scores, target - target.mean(), rcond=None)[0]
    fitted = mercer.PCR(2).fit(X, target)
    np.testing.assert_allclose(fitted.predict(X), target.mean() + scores @ slopes, atol=1e-8)
    share = 1 - ((target - fitted.predict(X)) ** 2).sum() / ((target - target.mean()) ** 2).sum()
    assert fitted.score(X, target) == pytest.approx(share)
    assert fitted.predict(X).shape == (70,) and mercer.PCR(2).fit(X, target[:, None]).predict(X).shape == (70, 1)


def test_classical_scaling_keeps_distances():
    def apart(points):
        return np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))

    points = RNG.standard_normal((30, 2))
    for fitted, rows in ((mercer.ClassicalMDS(2), points), (mercer.ClassicalMDS(2, as_="distance"), apart(points)),
                         (mercer.MDS(2, as_="distance"), apart(points))):
        np.testing.assert_allclose(apart(fitted.fit_transform(rows)), apart(points), atol=1e-4)
    assert mercer.MDS(2).fit(points).stress_ < 1e-6


def test_nearest_means_are_nearest_in_feature_space():
    classes = np.array(["b", "a", "c"])[np.arange(70) % 3]
    rows = X + 3 * (np.arange(70) % 3)[:, None]
    fitted = mercer.NearestMean(kernel="gaussian:gamma=0.1").fit(rows, classes)
    kernel = gaussian(rows, rows, 0.1)
    squares = np.stack([kernel[np.ix_(classes == one, classes == one)].mean() - 2 * kernel[:, classes == one].mean(axis=1)
                        for one in ("a", "b", "c")], axis=1)
    assert fitted.classes_.tolist() == ["a", "b", "c"]
    assert fitted.predict(rows).tolist() == [fitted.classes_[i] for i in squares.argmin(axis=1)]


@pytest.mark.parametrize("labels", [[0, 1], [-1, 1], ["no", "yes"], [False, True], [2.0, 5.0], [10, 9]])
def test_classes_come_back_as_they_were(labels):
    y = np.array(labels)[np.arange(70) % 2]
    rows = X + 3 * (np.arange(70) % 2)[:, None]
    for estimator in (mercer.KernelLDA(), mercer.NearestMean()):
        predicted = estimator.fit(rows, y).predict(rows)
        assert predicted.dtype == y.dtype and (predicted == y).mean() > 0.9
        assert estimator.classes_.tolist() == sorted(set(y.tolist()))
    chances = mercer.KernelLDA(classifier="gaussian").fit(rows, y).predict_proba(rows)
    np.testing.assert_allclose(chances.sum(axis=1), 1)


def test_lists_are_options(clouds):
    rows, classes = clouds
    even = mercer.KernelLDA(classifier="gaussian", priors="equal").fit(rows, classes)
    for priors in ([1 / 3, 1 / 3, 1 / 3], np.full(3, 1 / 3)):
        given = mercer.KernelLDA(classifier="gaussian", priors=priors).fit(rows, classes)
        np.testing.assert_allclose(given.predict_proba(rows), even.predict_proba(rows), atol=1e-9)
    mixing = np.array([[1.0, 2.0], [3.0, -1.0]])
    sources = RNG.exponential(size=(300, 2))
    found = mercer.KernelICA(restarts=0, truth=mixing).fit(sources @ mixing.T)
    assert found.report()["figures"]["amari_index"] < 0.3


def test_biased_discriminants_rank_the_class_that_is_sought():
    y = np.arange(70) % 2
    rows = X + 4 * y[:, None]
    ranks = mercer.KernelBDA(positive=1).fit(rows, y).decision_function(rows)
    assert ranks[y == 1].mean() > ranks[y == 0].mean()


def test_patterns_stand_for_the_rest():
    fitted = mercer.EKPCA(2, kernel="gaussian:sigma=1").fit(X)
    assert len(set(fitted.pattern_indices_)) == len(fitted.pattern_indices_) < 70
    full = mercer.KernelPCA(2, kernel="gaussian:sigma=1").fit(X)
    np.testing.assert_allclose(fitted.eigenvalues_ / fitted.eigenvalues_[0], full.eigenvalues_ / full.eigenvalues_[0],
                               rtol=0.1)


def test_kernels_by_their_formula():
    np.testing.assert_allclose(mercer.kernel_matrix(X[:5], X, kernel="gaussian:gamma=0.5"), gaussian(X[:5], X, 0.5), rtol=1e-12)
    assert {"gaussian", "linear", "matern"} <= {one["name"] for one in mercer.kernels()}
    assert mercer.describe_kernel("rbf:sigma=2")["parameters"] == {"sigma": 2.0}
    assert mercer.operators() and mercer.solvers() and set(mercer.blas()) == {"library", "kernels", "better", "cpu_level"}
    with pytest.raises(ValueError, match="unknown code"):
        mercer.explain("M999")


@pytest.mark.parametrize("method", [mercer.ClassicalMDS, mercer.MDS])
def test_distances_by_the_word_of_scikit_learn(method):
    points = np.random.default_rng(3).standard_normal((25, 2))
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    found = method(n_components=2, dissimilarity="precomputed").fit_transform(distances)
    assert np.array_equal(found, method(n_components=2, as_="distance").fit_transform(distances))
    between = np.linalg.norm(found[:, None] - found[None], axis=2)
    assert np.abs(between - distances).max() < 1e-3  # the plane of the points, turned
    with pytest.raises(ValueError, match="dissimilarity"):
        method(dissimilarity="cosine").fit(distances)
