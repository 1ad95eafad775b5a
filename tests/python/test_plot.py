"""Pictures of models: every kind, of estimators and files, with rows and labels, as text, bytes and files."""
import os
import re
import struct
import subprocess
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import mercer
from mercer import _native

TABLE = mercer.data("blobs", n=90, dim=4, seed=2)
X, CLASSES = TABLE.data, np.asarray(TABLE.labels)


@pytest.fixture(scope="module")
def kpca():
    return mercer.KernelPCA(n_components=3, kernel="gaussian").fit(X)


def shapes(picture):
    """How many of each element the SVG has."""
    found = {}
    for element in ElementTree.fromstring(picture.svg()).iter():
        name = element.tag.rsplit("}", 1)[-1]
        found[name] = found.get(name, 0) + 1
    return found


def texts(picture):
    return "".join(ElementTree.fromstring(picture.svg()).itertext())


def test_a_notebook_shows_it(kpca):
    picture = mercer.plot(kpca, kind="scatter")
    assert picture._repr_svg_() == picture.svg() and picture._repr_svg_().startswith("<?xml")
    png = picture._repr_png_()
    assert png[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", png[16:24]) == (640, 460)
    assert struct.unpack(">II", picture.png(dpi=192)[16:24]) == (1280, 920)
    assert picture.pdf().startswith(b"%PDF")
    assert repr(picture) == "<Plot scatter, 640 x 460>" and picture.kind == "scatter" and "scree" in picture.kinds
    text = str(picture)
    assert len(text.splitlines()) >= 10 and re.search("[\u2801-\u28ff]", text) and max(map(len, text.splitlines())) <= 80
    assert len(picture.text(40).splitlines()[2]) <= 40


@pytest.mark.parametrize("ending, begins", [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_files(kpca, tmp_path, ending, begins):
    name = tmp_path / f"picture.{ending}"
    picture = mercer.plot(kpca, title="A title of mine")
    assert picture.save(name) is picture
    assert name.read_bytes().startswith(begins)
    picture.save(name)  # over another picture
    if ending == "svg":
        assert name.read_text(encoding="utf-8") == picture.svg() and "A title of mine" in texts(picture)


def test_a_file_that_is_no_picture_stays(kpca, tmp_path):
    name = tmp_path / "notes.svg"
    name.write_text("what I must not forget")
    with pytest.raises(mercer.MercerFileError, match="is not a picture") as caught:
        mercer.plot(kpca).save(name)
    assert caught.value.code == "M409" and "force=True" in caught.value.hint and "--" not in str(caught.value)
    assert name.read_text() == "what I must not forget"
    mercer.plot(kpca).save(name, force=True)
    assert name.read_bytes().startswith(b"<?xml")
    with pytest.raises(mercer.MercerError, match=r"end it in \.svg, \.png or \.pdf"):
        mercer.plot(kpca).save(tmp_path / "picture.jpeg")


ESTIMATORS = {
    "kernel_pca": lambda: mercer.KernelPCA(3, kernel="gaussian").fit(X),
    "pca": lambda: mercer.PCA(3).fit(X),
    "ppca": lambda: mercer.ProbabilisticPCA(2).fit(X),
    "pls": lambda: mercer.PLSRegression(2).fit(X, X @ [1.0, 2, 3, 4]),
    "pcr": lambda: mercer.PCR(n_components=2).fit(X, X @ [1.0, 2, 3, 4]),
    "metric_mds": lambda: mercer.MDS(n_components=2).fit(X[:40]),
    "kernel_lda": lambda: mercer.KernelLDA().fit(X, CLASSES),
    "nearest_mean": lambda: mercer.NearestMean(kernel="gaussian").fit(X, CLASSES),
    "ica": lambda: mercer.FastICA(n_components=2).fit(X)}


@pytest.mark.parametrize("method", sorted(ESTIMATORS))
def test_every_kind_that_fits_is_drawn(method):
    """With the rows given everything that fits can be made; other kinds are refused, with those that fit."""
    estimator = ESTIMATORS[method]()
    rows = X[:40] if method == "metric_mds" else X
    labels = CLASSES[:len(rows)]
    more = {"targets": X @ [1.0, 2, 3, 4]} if method in ("pls", "pcr") else {}
    first = mercer.plot(estimator, rows, labels, **more)
    every = {one["name"] for one in _native.plot_kinds()}
    assert first.kind in first.kinds and set(first.kinds) <= every
    for kind in first.kinds:
        picture = mercer.plot(estimator, rows, labels, kind=kind, image_shape=(2, 2) if "images" in kind or
                              kind == "reconstructions" else None, **more)
        assert picture.kind == kind and sum(shapes(picture).values()) > 10
    for kind in every - set(first.kinds):
        with pytest.raises(mercer.MercerError) as caught:
            mercer.plot(estimator, rows, kind=kind)
        assert caught.value.code == "M716" and first.kinds[0] in caught.value.hint


def test_it_is_the_picture_that_the_program_draws(tmp_path, program, kpca):
    """The same model, table and options: the same bytes."""
    np.savetxt(tmp_path / "rows.csv", X, delimiter=",", header="a,b,c,d", comments="", fmt="%.17g")
    pca = mercer.PCA(n_components=3).fit(mercer.read(tmp_path / "rows.csv").frame())
    pca.save(tmp_path / "pca.mercer")
    for options, words in (({}, []), ({"kind": "scree", "count": 2}, ["--kind", "scree", "--count", "2"]),
                           ({"x": "PC2", "y": "PC3", "theme": "dark", "size": (500, 300)},
                            ["--x", "PC2", "--y", "PC3", "--theme", "dark", "--size", "500x300"]),
                           ({"color": "b", "title": "by b"}, ["--colour", "b", "--title", "by b"])):
        subprocess.run([program, "plot", "pca.mercer", "rows.csv", "-o", "picture.svg", "--quiet", *words], cwd=tmp_path,
                       check=True, capture_output=True)
        given = mercer.read(tmp_path / "rows.csv").frame()
        assert (tmp_path / "picture.svg").read_text(encoding="utf-8") == mercer.plot(pca, given, **options).svg()


def test_a_table_with_classes_is_drawn_as_the_program_draws_it(tmp_path, program):
    with open(tmp_path / "kinds.csv", "w", encoding="utf-8") as file:
        file.write("a,b,c,d,kind\n" + "".join(f"{','.join(map(repr, row))},{'zyx'[i % 3]}\n" for i, row in
                                             enumerate(X.tolist())))
    table = mercer.read(tmp_path / "kinds.csv", label="kind")
    mercer.PCA(n_components=3).fit(table.frame()).save(tmp_path / "pca.mercer")
    subprocess.run([program, "plot", "pca.mercer", "kinds.csv", "--kind", "scatter", "-o", "picture.svg", "--quiet", "--label",
                    "kind"], cwd=tmp_path, check=True, capture_output=True)
    assert mercer.plot(tmp_path / "pca.mercer", table, kind="scatter").svg() == (tmp_path / "picture.svg").read_text()
    turned = table._replace(data=table.data[:, ::-1].copy(), columns=table.columns[::-1])
    pca = mercer.load(tmp_path / "pca.mercer")
    assert mercer.plot(pca, turned).svg() == mercer.plot(pca, table).svg()  # columns are found by their names
    with pytest.raises(ValueError, match="now missing:\n- a"):
        mercer.plot(pca, table._replace(columns=["x", "b", "c", "d"]))


def test_labels_are_classes_or_numbers(kpca):
    assert "cloud" not in texts(mercer.plot(kpca))
    named = mercer.plot(kpca, labels=[f"cloud {one}" for one in CLASSES])
    assert all(f"cloud {one}" in texts(named) for one in set(CLASSES))
    assert named.svg() != mercer.plot(kpca, labels=[f"cloud {one}" for one in CLASSES], color="none").svg()
    numbered = mercer.plot(kpca, labels=X[:, 0])
    colours = set(re.findall(r"#[0-9a-f]{6}", numbered.svg()))
    assert len(colours) > 20 and len(set(re.findall(r"#[0-9a-f]{6}", named.svg()))) < 20
    many = np.arange(90)
    assert len(set(re.findall(r"#[0-9a-f]{6}", mercer.plot(kpca, labels=many).svg()))) > 20
    assert mercer.plot(kpca, labels=many % 4 == 0).svg() != mercer.plot(kpca).svg()
    pandas = pytest.importorskip("pandas")
    assert "height" in texts(mercer.plot(kpca, labels=pandas.Series(X[:, 0], name="height")))
    assert mercer.plot(kpca, labels=pandas.Series(CLASSES, name="kind").astype("category")).kind == "overview"


def test_rows_of_every_kind(kpca):
    """Arrays of other types and orders, frames, tables: the same picture of the same numbers."""
    wanted = mercer.plot(kpca, X[:30]).svg()
    assert wanted != mercer.plot(kpca).svg()
    for rows in (np.asfortranarray(X[:30]), X[:60].repeat(2, axis=0)[:60:2], X[:30].tolist()):
        assert mercer.plot(kpca, rows).svg() == wanted
    sparse = pytest.importorskip("scipy.sparse")
    assert shapes(mercer.plot(kpca, sparse.csr_matrix(X[:30]))) == shapes(mercer.plot(kpca, X[:30]))
    pandas = pytest.importorskip("pandas")
    assert mercer.plot(kpca, TABLE).svg() == mercer.plot(kpca, X, pandas.Series(CLASSES, name=TABLE.label_name)).svg()
    frame = pandas.DataFrame(X, columns=list("abcd"), index=[f"row-{i:02d}" for i in range(90)])
    framed = mercer.PCA(n_components=2).fit(frame)
    assert "row-07" in texts(mercer.plot(framed, frame.iloc[:10], names=True))
    assert "first" in texts(mercer.plot(framed, frame.iloc[:2], names=["first", "second"]))
    assert "b" in texts(mercer.plot(framed, kind="biplot"))
    with pytest.raises(ValueError, match="same order"):
        mercer.plot(framed, frame[["b", "a", "c", "d"]])


def test_files_and_kernels_of_all_kinds(tmp_path):
    lda = mercer.KernelLDA().fit(X, CLASSES)
    lda.save(tmp_path / "lda.mercer")
    assert mercer.plot(tmp_path / "lda.mercer").svg() == mercer.plot(mercer.load(tmp_path / "lda.mercer")).svg()
    called = mercer.KernelPCA(2, kernel=lambda a, b: float(a @ b)).fit(X)
    given = mercer.KernelPCA(2, kernel="precomputed").fit(X @ X.T)
    assert shapes(mercer.plot(called, X[:20])) == shapes(mercer.plot(given, X[:20] @ X.T))
    before = mercer.plot(called).svg()
    assert before == mercer.plot(called).svg()


@pytest.mark.parametrize("more, kind, sentence", [
    ({"labels": [1, 2]}, ValueError, r"inconsistent numbers of samples: \[90, 2\]"),
    ({"names": ["a"]}, ValueError, r"inconsistent numbers of samples: \[90, 1\]"),
    ({"labels": np.zeros((90, 2))}, ValueError, "one for each row"),
    ({"kind": "scater"}, mercer.MercerValueError, 'did you mean "scatter"'),
    ({"x": 2}, TypeError, "x is a text, such as 'PC2', not 2"),
    ({"x": "PC9"}, mercer.MercerValueError, "give one of PC1 to PC3"),
    ({"color": "label"}, mercer.MercerValueError, "color label: the rows have no classes"),
    ({"count": 0}, ValueError, "count is a whole number from 1 on, not 0"),
    ({"kind": "scree", "x": "PC1"}, mercer.MercerValueError, "x: the scree plot has no use for it .* drop it, or give kind"),
    ({"kind": "scree", "image_shape": (2, 2)}, mercer.MercerValueError, "image_shape: the scree plot has no use for it"),
    ({"theme": "pink"}, mercer.MercerValueError, "give light or dark"),
    ({"size": (0, 10)}, mercer.MercerValueError, r"such as size=\(640, 480\)"),
    ({"dpi": 1}, mercer.MercerValueError, "give a number from 10 to 2400"),
    ({"kind": "eigenimages", "image_shape": (3, 3)}, mercer.MercerError, "have 9 numbers"),
    ({"image_shape": (3,)}, ValueError, "image_shape is"),
    ({"targets": np.zeros(90)}, ValueError, "give X, too"),
    ({"X": X[:, :3]}, ValueError, "X has 3 features, but PCA is expecting 4 features as input")])
def test_what_cannot_be_drawn_is_said(more, kind, sentence):
    pca = mercer.PCA(n_components=3).fit(X)
    with pytest.raises(kind, match=sentence) as caught:
        mercer.plot(pca, **more)
    assert "--" not in str(caught.value)


def test_what_is_no_model_is_said(tmp_path):
    with pytest.raises(mercer.NotFittedError):
        mercer.plot(mercer.PCA())
    with pytest.raises(TypeError, match="not ndarray"):
        mercer.plot(X)
    with pytest.raises(mercer.MercerFileNotFoundError):
        mercer.plot(os.fspath(tmp_path / "nowhere.mercer"))
    pipeline = pytest.importorskip("sklearn.pipeline").make_pipeline(mercer.PCA(2)).fit(X)
    with pytest.raises(TypeError, match=r"pipeline\[-1\]"):
        mercer.plot(pipeline)
    assert mercer.plot(pipeline[-1]).kind == "overview"
    with pytest.raises(mercer.MercerError, match=r"mercer\.plot\(estimator, X\)") as caught:
        mercer.plot(mercer.PLSRegression(2).fit(X, X @ [1.0, 2, 3, 4]), kind="residuals")
    assert caught.value.code in ("M717", "M102")
