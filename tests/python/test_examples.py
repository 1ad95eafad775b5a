"""The examples of examples/python, run as they are; pictures are drawn, and go nowhere."""
import contextlib
import io
import os
import runpy
import sys
import warnings

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

FOLDER = os.path.join(os.environ.get("MERCER_SOURCE", ""), "examples", "python")
OURS = "from mercer import PCA, KernelPCA, data"
THEIRS = "from sklearn.decomposition import PCA, KernelPCA\nfrom mercer import data"


def shown(source, name):
    """What a script leaves behind, and the pictures it drew; a script that warns is no example."""
    plt.close("all")
    arguments, sys.argv = sys.argv, [name]
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()) as said:
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", message=".*non-interactive|.*non-GUI")
            warnings.filterwarnings("ignore", category=DeprecationWarning)
            if source is None:
                left = runpy.run_path(os.path.join(FOLDER, name))
            else:
                left = {"__name__": "__main__"}
                exec(compile(source, name, "exec"), left)
    finally:
        sys.argv = arguments
    pictures = [plt.figure(number) for number in plt.get_fignums()]
    assert pictures and all(any(len(panel.get_children()) > 10 for panel in one.axes) for one in pictures)
    for one in pictures:
        one.canvas.draw()
    assert said.getvalue()
    return left


def text_of(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def test_every_example_is_one_of_these():
    assert sorted(os.listdir(FOLDER)) == ["circles.py", "digits.py", "large_n.py", "supervised.py", "swiss_roll.py"]
    for name in os.listdir(FOLDER):
        assert text_of(name).count("# %%") >= 4, name


def test_circles_and_the_same_with_scikit_learn():
    """One line changes, and the numbers do not."""
    pytest.importorskip("sklearn")
    left = shown(None, "circles.py")
    assert left["share_of_kernel_pca"] > 0.98 and left["share_of_pca"] < 0.7 and left["error"] < 0.2
    source = text_of("circles.py")
    assert source.count(OURS) == 1
    theirs = shown(source.replace(OURS, THEIRS), "circles.py")
    np.testing.assert_allclose(np.abs(left["curved"][:, :4]), np.abs(theirs["curved"][:, :4]), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(left["back"], theirs["back"], atol=1e-9)


def test_digits_without_noise_and_the_same_with_scikit_learn():
    pytest.importorskip("sklearn")
    left = shown(None, "digits.py")
    assert left["errors"]["kernel PCA"] < 0.9 * left["errors"]["PCA"] < 0.5 * left["errors"]["noisy"]
    source = text_of("digits.py")
    assert source.count(OURS) == 1
    theirs = shown(source.replace(OURS, THEIRS), "digits.py")
    for name, exact in (("kernel PCA", 1e-4), ("PCA", 0.01)):  # scikit-learn's PCA draws its components at random here
        assert left["errors"][name] == pytest.approx(theirs["errors"][name], rel=exact), name


def test_swiss_roll():
    pytest.importorskip("scipy")
    agreement = shown(None, "swiss_roll.py")["agreement"]
    assert agreement["along the sheet"] > 0.99 > agreement["PCA"]


def test_supervised():
    pytest.importorskip("sklearn")
    left = shown(None, "supervised.py")
    assert min(left["accuracy"].values()) > 0.85 and max(left["accuracy"].values()) > 0.95 and left["explained"] > 0.5
    assert left["confusion"].kind == "confusion"


def test_large_n():
    left = shown(None, "large_n.py")
    assert left["rows"] == 20_000 and left["proof"]["complete"] and left["kpca"].residuals_.max() <= 1e-6
    left["folder"].cleanup()
