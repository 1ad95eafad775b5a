"""Models go from one surface to the other: files, pickles, the program, data frames."""
import os
import pickle
import subprocess
import warnings

import numpy as np
import pytest

import mercer
from mercer._base import ESTIMATORS

RNG = np.random.default_rng(4)
X = np.round(RNG.standard_normal((60, 4)), 3)
NAMES = ["length", "width", "height", "weight"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    return tmp_path


def run(program, *arguments, status=0):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == status, done.stderr
    return done


def fitted(cls):
    classes = (np.arange(60) % 2).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cls().fit(X + classes[:, None], classes)


def answers(estimator):
    return estimator.transform(X) if hasattr(estimator, "transform") else estimator.predict(X)


@pytest.mark.parametrize("cls", sorted(ESTIMATORS.values(), key=lambda cls: cls.__name__), ids=lambda cls: cls.__name__)
def test_saved_models_come_back(cls, folder):
    before = fitted(cls)
    before.save("model.mercer")
    after = mercer.load("model.mercer")
    assert type(after) is cls and after.n_features_in_ == 4
    assert np.array_equal(answers(after), answers(before))
    if hasattr(before, "classes_"):
        assert np.array_equal(after.classes_, before.classes_)
    again = cls(**after.get_params())  # what a file says of its fit can be fitted again
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again.fit(X + (np.arange(60) % 2)[:, None], np.arange(60) % 2)
    np.testing.assert_allclose(np.abs(np.asarray(answers(again), float)), np.abs(np.asarray(answers(before), float)),
                               atol=1e-6)


def test_the_program_opens_what_python_saved(folder, program):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=NAMES)
    kpca = mercer.KernelPCA(3, kernel="rbf", gamma=0.2, fit_inverse_transform=True, alpha=0.1).fit(frame)
    kpca.save("model.mercer")
    frame[NAMES[::-1]].to_csv("turned.csv", index=False)  # columns are found by their names
    run(program, "transform", "model.mercer", "turned.csv", "-o", "scores.npy", "--quiet")
    assert np.array_equal(np.load("scores.npy"), kpca.transform(frame))
    run(program, "inverse", "model.mercer", "scores.npy", "-o", "back.npy", "--quiet")
    assert np.array_equal(np.load("back.npy"), kpca.inverse_transform(kpca.transform(frame)))
    told = run(program, "info", "model.mercer").stdout
    assert "gaussian" in told and told.splitlines()[0].endswith(f"{len(X)} rows × {X.shape[1]} columns")


def test_python_opens_what_the_program_saved(folder, program):
    np.save("rows.npy", X)
    run(program, "fit", "rows.npy", "--kernel", "gaussian:sigma=1.5", "--components", "3", "--preimage", "--alpha", "0.5",
        "-o", "model.mercer", "--scores", "scores.npy", "--quiet")
    kpca = mercer.load("model.mercer")
    assert (kpca.n_components, kpca.kernel, kpca.alpha) == (3, "gaussian:sigma=1.5", 0.5)
    np.testing.assert_allclose(kpca.transform(X), np.load("scores.npy"), atol=1e-12)
    scores = kpca.transform(X)
    kernel = np.exp(-((scores[:, None] - scores[None]) ** 2).sum(axis=2) / (2 * 1.5 ** 2))
    weights = np.linalg.solve(kernel + 0.5 * np.eye(60), X)
    np.testing.assert_allclose(kpca.inverse_transform(scores), kernel @ weights, atol=1e-9)
    run(program, "fit", "rows.npy", "--method", "pca", "-o", "plain.mercer", "--quiet")
    assert mercer.load("plain.mercer").fit_transform(X).shape == (60, 2)
    run(program, "fit", "rows.npy", "-o", "none.mercer", "--quiet")
    lost = run(program, "inverse", "none.mercer", "scores.npy", "-o", "x.npy", status=7)
    assert "M714" in lost.stderr and "--preimage" in lost.stderr


def test_classes_of_a_table_reach_python(folder, program):
    run(program, "data", "moons", "-n", "100", "-o", "moons.csv", "--quiet")
    run(program, "fit", "moons.csv", "--method", "nearest_mean", "-o", "model.mercer", "--quiet")
    table = mercer.read("moons.csv")
    assert table.labels is not None and mercer.load("model.mercer").score(table.data, table.labels) > 0.8


def test_pickles_carry_the_bytes_of_the_file(folder):
    kpca = mercer.KernelPCA(2, kernel="rbf").fit(X)
    kpca.save("model.mercer")
    with open("model.mercer", "rb") as file:
        saved = file.read()
    dumped = pickle.dumps(kpca)
    assert saved in dumped and len(dumped) < len(saved) + 5000
    place = dumped.index(saved) + len(saved) - 100
    damaged = dumped[:place] + bytes([dumped[place] ^ 1]) + dumped[place + 1:]
    with pytest.raises(mercer.MercerModelError, match="M701"):
        pickle.loads(damaged)
    joblib = pytest.importorskip("joblib")
    joblib.dump(kpca, "model.joblib")
    assert np.array_equal(joblib.load("model.joblib").transform(X), kpca.transform(X))


def test_errors_and_warnings_are_pickled():
    for thrown in (mercer.MercerFileNotFoundError("text", "M401", "hint", "place"), mercer.MercerValueError("text", "M102")):
        again = pickle.loads(pickle.dumps(thrown))
        assert (type(again), again.code, again.hint, str(again)) == (type(thrown), thrown.code, thrown.hint, str(thrown))
    assert pickle.loads(pickle.dumps(mercer.MercerWarning("text", "W234"))).code == "W234"
    pytest.importorskip("sklearn.exceptions")
    with pytest.raises(mercer.NotFittedError) as caught:
        mercer.KernelPCA().transform(X)
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value) and str(again) == str(caught.value)


def test_tables_of_every_kind(folder):
    with open("table.csv", "w", encoding="utf-8") as file:
        file.write("id,a,b,price,kind\nx,1,2,5,p\ny,3,,6,q\nz,5,6,7,p\n")
    table = mercer.read("table.csv", targets=["price"], label="kind", missing="keep")
    assert table.columns == ["a", "b"] and table.labels.tolist() == ["p", "q", "p"] and table.ids == ["x", "y", "z"]
    assert table.targets.tolist() == [[5], [6], [7]] and np.isnan(table.data[1, 1]) and table.notes
    with pytest.raises(mercer.MercerError, match="M212"):
        mercer.read("table.csv", label="kind")
    np.save("numbers.npy", X.astype(np.float32))
    read = mercer.read("numbers.npy").data
    assert read.dtype == np.float32 and np.array_equal(read, X.astype(np.float32)) and read.flags.owndata is False
    with open("sparse.svm", "w", encoding="utf-8") as file:
        file.write("1 1:0.5 3:2\n0 2:1\n")
    sparse = mercer.read("sparse.svm")
    assert np.array_equal(sparse.data.toarray(), [[0.5, 0, 2], [0, 1, 0]]) and sparse.labels.tolist() == ["1", "0"]
    assert mercer.data("circles", n=10).data.shape == (10, 2)
    frame = mercer.read("table.csv", label="kind", missing="mean").frame()
    assert list(frame.columns) == ["a", "b", "price"] and list(frame.index) == ["x", "y", "z"]


def test_what_is_no_model_is_refused(folder):
    with open("not.mercer", "wb") as file:
        file.write(os.urandom(100))
    with pytest.raises(mercer.MercerModelError) as caught:
        mercer.load("not.mercer")
    assert caught.value.code == "M700" and "not.mercer" in caught.value.place
    with pytest.raises(mercer.MercerFileError):
        mercer.KernelPCA(2).fit(X).save("no/such/folder/model.mercer")


def test_tables_are_read_as_the_program_reads_them(folder, program):
    """Every option of reading, against `mercer convert` with the same words."""
    with open("odd.csv", "w", encoding="utf-8") as file:
        file.write("# a line of words\nsize\tcolour\tdone\n1'000,5\tred\tno\n2,5\tblue\tyes\nbroken\n-\tred\tyes\n4\tred\tno\n")
    given = {"skip": 1, "delimiter": "tab", "decimal": ",", "thousands": "'", "na": "-", "missing": "mean",
             "encode": {"onehot": "colour", "ordinal": ["done"]}, "rejects": "rejected.csv", "label": "none"}
    table = mercer.read("odd.csv", **given)
    assert open("rejected.csv", encoding="utf-8").read().count("broken") == 1
    run(program, "convert", "odd.csv", "plain.csv", "--skip", "1", "--delimiter", "tab", "--decimal", ",", "--thousands", "'",
        "--na", "-", "--missing", "mean", "--encode", "onehot:colour", "--encode", "ordinal:done", "--rejects", "again.csv",
        "--label", "none")
    wanted = mercer.read("plain.csv", label="none")
    assert table.columns == wanted.columns and len(table.columns) >= 4 and np.array_equal(table.data, wanted.data)
    assert table.data[0, 0] == 1000.5 and len(table.data) == 4
    assert mercer.read("odd.csv", **{**given, "encode": "onehot", "n_jobs": 1}).data.shape[0] == 4
    with open("zero.svm", "w", encoding="utf-8") as file:
        file.write("1 1:0.5 3:2\n")
    assert mercer.read("zero.svm", first_index=0).data.shape[1] == mercer.read("zero.svm").data.shape[1] + 1
    with pytest.raises(mercer.MercerError, match="encode"):
        mercer.read("odd.csv", **{**given, "encode": "magic"})


def test_bundled_rows_are_all_there():
    assert mercer.data("digits").data.shape == (1797, 64) and mercer.data("digits", n=30).data.shape == (30, 64)
    assert mercer.data("moons").data.shape == (500, 2) and mercer.data("grid").data.shape[0] == 2500
