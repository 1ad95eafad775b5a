"""Rows in every form that NumPy has: equal numbers give equal answers, and nobody's memory is changed."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import mercer
from mercer import _native
from mercer._rows import Rows

TYPES = ["<f8", ">f8", "<f4", ">f4", "<f2", "u1", "<i4", ">i8", "?", "<u2"]


def misaligned(array):
    """The same numbers at an address that their type does not divide."""
    room = np.zeros(array.nbytes + 1, np.uint8)
    shifted = room[1:].view(array.dtype).reshape(array.shape)
    shifted[...] = array
    return shifted


def read_only(array):
    array.flags.writeable = False
    return array


FORMS = {
    "C order": np.ascontiguousarray,
    "F order": np.asfortranarray,
    "every second row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "every second column": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "rows upside down": lambda x: x[::-1].copy()[::-1],
    "columns reversed": lambda x: x[:, ::-1].copy()[:, ::-1],
    "misaligned": misaligned,
    "read-only": lambda x: read_only(x.copy()),
    "a part of a larger one": lambda x: np.pad(x, 2)[2:-2, 2:-2],
    "transposed view": lambda x: x.T.copy().T,
    "a list of lists": lambda x: x.tolist(),
    "a list of rows": list,
    "a matrix": lambda x: np.asmatrix(x),
}


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.sampled_from(TYPES), st.sampled_from(sorted(FORMS)), st.integers(0, 2 ** 31))
def test_form_and_type_of_rows_change_nothing(kind, form, seed):
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 2 if kind == "?" else 50, (12, 3)).astype(kind)
    given_rows = FORMS[form](numbers)
    before = np.array(given_rows, copy=True)
    plain = np.ascontiguousarray(numbers, np.float64)
    answer = mercer.PCA(n_components=2).fit(given_rows).transform(given_rows)
    expected = mercer.PCA(n_components=2).fit(plain).transform(plain)
    np.testing.assert_allclose(answer, expected, rtol=2e-5, atol=2e-4)
    assert np.array_equal(np.asarray(given_rows), before)
    assert answer.dtype == (np.float32 if Rows(given_rows, "test").single else np.float64)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(arrays.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6), st.integers(-3, 3), st.integers(-3, 3),
       st.sampled_from([np.float64, np.float32, np.uint8]))
def test_rows_that_are_viewed_are_the_rows(shape, row_step, column_step, kind):
    """Whatever the strides: the native rows have the numbers, and are those of the array where no copy was needed."""
    if 0 in (row_step, column_step):
        return
    large = np.arange(shape[0] * shape[1] * 9).reshape(3 * shape[0], 3 * shape[1]).astype(kind)
    rows = large[::row_step, ::column_step]
    seen = Rows(rows, "test").native
    assert np.array_equal(seen, rows)
    steps_forward = row_step > 0 and column_step > 0
    assert np.shares_memory(seen, large) == (steps_forward or (row_step > 0 or rows.shape[0] == 1) and
                                             (column_step > 0 or rows.shape[1] == 1))


def test_windows_that_slide_are_copied():
    line = np.arange(20.0)
    windows = np.lib.stride_tricks.sliding_window_view(line, 5)
    assert not _native.viewable(windows)
    assert np.array_equal(Rows(windows, "test").native, windows)
    assert not _native.viewable(np.broadcast_to(line, (4, 20)))


def test_memory_maps_are_read_where_they_are(tmp_path):
    rows = np.random.default_rng(0).standard_normal((50, 4))
    np.save(tmp_path / "rows.npy", rows)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    assert np.shares_memory(Rows(mapped, "test").native, mapped)
    assert np.array_equal(mercer.PCA(2).fit_transform(mapped), mercer.PCA(2).fit_transform(rows))


@pytest.mark.parametrize("shape, sentence", [
    ((0, 3), r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 2 is required by KernelPCA"),
    ((1, 3), r"1 sample\(s\) \(shape=\(1, 3\)\) while a minimum of 2 is required by KernelPCA"),
    ((3, 0), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required by KernelPCA")])
def test_nothing_to_learn_from_is_said(shape, sentence):
    with pytest.raises(ValueError, match=sentence):
        mercer.KernelPCA().fit(np.zeros(shape))


def test_sparse_rows_give_the_answers_of_dense_ones():
    sparse = pytest.importorskip("scipy.sparse")
    rows = np.where(np.random.default_rng(1).random((60, 8)) < 0.6, 0.0, np.random.default_rng(2).random((60, 8)))
    dense = mercer.KernelPCA(3, kernel="rbf", gamma=1).fit(rows)
    for form in ("csr", "csc", "coo", "lil", "dok", "bsr"):
        given_rows = sparse.csr_matrix(rows).asformat(form)
        found = mercer.KernelPCA(3, kernel="rbf", gamma=1).fit(given_rows)
        np.testing.assert_allclose(found.transform(given_rows), dense.transform(rows), atol=1e-9)
    wide = sparse.csr_matrix(rows)
    wide.indptr, wide.indices = wide.indptr.astype(np.int64), wide.indices.astype(np.int64)
    np.testing.assert_allclose(dense.transform(wide), dense.transform(rows), atol=1e-9)
    unsorted = sparse.csr_matrix((np.array([1.0, 2.0, 3.0]), np.array([2, 0, 1]), np.array([0, 2, 3])), shape=(2, 8))
    kept = unsorted.copy()
    np.testing.assert_allclose(dense.transform(unsorted), dense.transform(unsorted.toarray()), atol=1e-9)
    assert np.array_equal(unsorted.indices, kept.indices)


@pytest.mark.parametrize("parts", [
    ([0, 3], [0, 1, 9], [1.0, 2, 3], 3), ([0, 2], [1, 0], [1.0, 2], 3), ([0, 9], [0, 1], [1.0, 2], 3),
    ([1, 2], [0, 1], [1.0, 2], 3), ([0, 2, 1], [0, 1], [1.0, 2], 3), ([0, 1], [-1], [1.0], 3), ([], [], [], 3)])
def test_sparse_parts_put_together_wrongly_are_refused(parts):
    starts, columns, values, width = parts
    made = (np.array(starts, np.int64), np.array(columns, np.int32), np.array(values, float), width)
    with pytest.raises(ValueError, match="not compressed sparse rows"):
        _native.fit("pca", {"rows": made}, {}, {}, None)


def test_native_refuses_what_it_cannot_view():
    for rows in (np.zeros((3, 3), int), np.zeros(3), np.zeros((4, 4))[::-1], [[1.0]], None):
        with pytest.raises(TypeError):
            _native.fit("pca", {"rows": rows}, {}, {}, None)
