"""What cannot be used is refused in words that say what to do, in scikit-learn's own where it has a sentence."""
import os

import numpy as np
import pytest

import mercer

ROWS = np.random.default_rng(0).standard_normal((20, 4))


@pytest.mark.parametrize("rows, kind, sentence", [
    (ROWS + 1j, ValueError, "Complex data not supported"),
    (np.array([[1, "a"], [2, "b"]], object), ValueError, "could not convert string to float"),
    (np.array([[1, {}], [2, {}]], object), TypeError, "argument must be a string or a real number"),
    (np.array([["1", "2"], ["3", "4"]]), ValueError, "not compatible with arrays of bytes/strings"),
    (np.array([["2020-01-01"], ["2020-01-02"]], "M8[D]"), TypeError, "dates and times are no numbers"),
    (ROWS[0], ValueError, "Expected 2D array, got 1D array instead"),
    (1.0, ValueError, "Expected 2D array, got scalar array instead"),
    (ROWS[None], ValueError, "Found array with dim 3"),
    (np.where(ROWS == ROWS[3, 2], np.nan, ROWS), ValueError, r"Input X contains NaN\.\nrow 4, column 3: the value is NaN"),
    (np.where(ROWS == ROWS[0, 0], np.inf, ROWS), ValueError,
     r"Input X contains infinity or a value too large for dtype\('float64'\)\.\nrow 1, column 1: the value is inf")])
@pytest.mark.parametrize("estimator", [mercer.KernelPCA(2), mercer.PCA(2), mercer.KernelPCA(2, kernel="rbf")])
def test_rows_that_are_no_numbers(rows, kind, sentence, estimator):
    with pytest.raises(kind, match=sentence):
        estimator.fit(rows)


def test_errors_have_code_hint_and_place():
    with pytest.raises(mercer.MercerValueError) as caught:
        mercer.KernelPCA(2, kernel="gausian").fit(ROWS)
    assert caught.value.code == "M103" and caught.value.hint.startswith('did you mean "gaussian"?')
    broken = ROWS.copy()
    broken[3, 2] = np.nan
    with pytest.raises(mercer.MercerError) as caught:
        mercer.PCA(2).fit(broken)
    assert caught.value.code == "M212" and "row 4, column 3" in str(caught.value)
    with pytest.raises(mercer.MercerError) as caught:
        mercer.KernelPCA(2, kernel="multiquadric", center=False).fit(ROWS)
    assert "center=False" in caught.value.hint and "--" not in str(caught.value)


@pytest.mark.parametrize("call, kind, code", [
    (lambda: mercer.load("/no/such/file"), FileNotFoundError, "M401"),
    (lambda: mercer.read("/no/such/file"), FileNotFoundError, "M401"),
    (lambda: mercer.KernelPCA(2, kernel="rbf", memory="1M").fit(np.zeros((2000, 100)) + np.arange(100)), MemoryError,
     "M301"),
    (lambda: mercer.KernelPCA(2, solver="nosuch").fit(ROWS), ValueError, "M112"),
    (lambda: mercer.KernelPCA(2, memory="lots").fit(ROWS), ValueError, "M108"),
    (lambda: mercer.KernelPCA(2, kernel="precomputed").fit(np.full((4, 4), np.nan)), ValueError, "M212")])
def test_errors_are_of_the_class_that_others_expect(call, kind, code):
    with pytest.raises(kind) as caught:
        call()
    assert isinstance(caught.value, mercer.MercerError) and caught.value.code == code


def test_new_rows_must_have_the_columns_of_the_fit():
    fitted = mercer.KernelPCA(2).fit(ROWS)
    sentence = "X has 3 features, but KernelPCA is expecting 4 features as input."
    with pytest.raises(ValueError, match=sentence):
        fitted.transform(ROWS[:, :3])
    with pytest.raises(ValueError, match="Reshape your data"):
        fitted.transform(ROWS[0])
    with pytest.raises(ValueError, match="NaN"):
        fitted.transform(np.full((2, 4), np.nan))
    with pytest.raises(ValueError, match="X has 3 features"):
        mercer.NearestMean().fit(ROWS, np.arange(20) % 2).predict(ROWS[:, :3])


@pytest.mark.parametrize("use", [
    lambda e: e.transform(ROWS), lambda e: e.eigenvalues_, lambda e: e.certificate_, lambda e: e.save("x.mercer"),
    lambda e: e.get_feature_names_out(), lambda e: e.component_map(), lambda e: e.report(), lambda e: e.plan_])
def test_unfitted_use(use):
    with pytest.raises(mercer.NotFittedError, match="not fitted yet"):
        use(mercer.KernelPCA())
    assert not hasattr(mercer.KernelPCA(), "eigenvalues_")


def test_two_words_for_one_width():
    with pytest.raises(ValueError, match="gamma and sigma are two words for one width"):
        mercer.KernelPCA(kernel="rbf", gamma=1, sigma=1).fit(ROWS)
    with pytest.raises(ValueError, match="sigma is a width"):
        mercer.KernelPCA(kernel="poly", sigma=1).fit(ROWS)


@pytest.mark.parametrize("name, value", [
    ("kernel", 3), ("gamma", -1), ("degree", -1), ("coef0", "x"), ("kernel_params", 1), ("alpha", -1), ("center", 2),
    ("eigen_solver", "magic"), ("tol", -1), ("max_iter", 0), ("n_components", 0), ("n_components", -3),
    ("n_components", [1])])
def test_parameters_out_of_range(name, value):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of KernelPCA must be .* Got .* instead"):
        mercer.KernelPCA(**{name: value}).fit(ROWS)


def test_data_frames_with_other_columns_or_another_order():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS, columns=list("abcd"))
    fitted = mercer.KernelPCA(2).fit(frame)
    assert fitted.feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="Feature names must be in the same order as they were in fit"):
        fitted.transform(frame[list("bacd")])
    with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- x\nFeature names seen at fit time, yet "
                                         "now missing:\n- a"):
        fitted.transform(frame.rename(columns={"a": "x"}))
    with pytest.warns(UserWarning, match="X does not have valid feature names, but KernelPCA was fitted with"):
        fitted.transform(ROWS)
    with pytest.warns(UserWarning, match="X has feature names, but KernelPCA was fitted without"):
        mercer.KernelPCA(2).fit(ROWS).transform(frame)
    with pytest.raises(TypeError, match="Feature names are only supported if all input features have string names"):
        fitted.fit(pandas.DataFrame(ROWS, columns=["a", "b", 1, 2]))


def test_a_fit_that_fails_leaves_the_model_that_was_there():
    fitted = mercer.KernelPCA(2, kernel="rbf", gamma=1).fit(ROWS)
    before = fitted.transform(ROWS)
    for bad in (np.full((5, 7), np.nan), np.zeros((0, 3))):
        with pytest.raises(ValueError):
            fitted.fit(bad)
    fitted.kernel = "nosuch"
    with pytest.raises(ValueError):
        fitted.fit(ROWS[:, :2])
    assert np.array_equal(fitted.transform(ROWS), before) and fitted.n_features_in_ == 4


def test_warnings_are_pythons():
    scales = ROWS * [1, 1, 1, 1e6]
    with pytest.warns(mercer.MercerWarning, match="W234") as caught:
        mercer.KernelPCA(2, kernel="rbf").fit(scales)
    assert "W234" in [one.message.code for one in caught]
    assert mercer.explain("W234").startswith("W234: columns differ widely in scale")


def test_warnings_name_the_line_that_called():
    for call in (lambda: mercer.KernelPCA(2, kernel="rbf").fit(ROWS * [1, 1, 1, 1e6]),
                 lambda: mercer.NearestMean().fit(ROWS * [1, 1, 1, 1e6], np.arange(20)[:, None] % 2)):
        with pytest.warns(UserWarning) as caught:
            call()
        assert {os.path.basename(one.filename) for one in caught} == {os.path.basename(__file__)}


def test_columns_of_a_frame_that_are_no_numbers_are_named():
    pandas = pytest.importorskip("pandas")
    text = pandas.DataFrame({"size": [1, 2, 3.0], "colour": ["red", "blue", "red"]})
    with pytest.raises(ValueError, match="could not convert string to float: 'red' \\(column 'colour'"):
        mercer.PCA(1).fit(text)
    gaps = pandas.DataFrame({"a": [1, 2, 4.0], "b": pandas.Series([1, None, 2], dtype="Int64")})
    with pytest.raises(ValueError, match="Input X contains NaN.\nrow 2, column 2"):
        mercer.PCA(1).fit(gaps)
    gaps = pandas.DataFrame(ROWS).assign(last=pandas.Series([None, *range(19)], dtype="Int64"))
    gaps.columns = list("abcde")
    assert not np.isnan(mercer.ProbabilisticPCA(1).fit(gaps).impute(gaps)).any() and gaps["e"].isna().sum() == 1
    mixed = pandas.DataFrame({"a": [1, 2, 4.0], "b": [True, False, True], "c": pandas.Series([1, 5, 2], dtype="Int8")})
    assert np.array_equal(mercer.PCA(2).fit_transform(mixed), mercer.PCA(2).fit_transform(mixed.to_numpy(float)))
    with pytest.raises(mercer.MercerError, match="give other classes"):
        mercer.KernelLDA().fit(ROWS, np.zeros(20))
