"""What users read: docstrings with examples that run, types that a checker accepts, a package that installs."""
import doctest
import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
import zipfile

import pytest

import mercer

SOURCE = os.environ.get("MERCER_SOURCE", "")


def modules():
    return [importlib.import_module(f"mercer.{one.name}") for one in pkgutil.iter_modules(mercer.__path__)
            if one.name != "_native"]


@pytest.mark.parametrize("module", [mercer, *modules()], ids=lambda module: module.__name__)
def test_examples_run(module):
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in finder.find(module):
        runner.run(test)
    assert runner.failures == 0


def test_everything_public_has_words_and_estimators_examples():
    for name in mercer.__all__:
        value = getattr(mercer, name)
        assert inspect.getdoc(value), name
        if hasattr(value, "parameter_help"):
            assert ">>> " in value.__doc__ and "Parameters\n----------" in value.__doc__, name
            for member, thing in inspect.getmembers(value):
                if not member.startswith("_") and (inspect.isfunction(thing) or isinstance(thing, property)):
                    assert inspect.getdoc(thing), f"{name}.{member}"


def test_mypy_accepts_the_package_and_its_users(tmp_path):
    user = tmp_path / "user.py"
    user.write_text("""
import numpy as np
import mercer
from mercer import KernelPCA

X = np.zeros((10, 3))
kpca = KernelPCA(2, kernel="rbf", gamma="median", n_jobs=2, progress=True).fit(X)
count: int = kpca.n_features_in_
values: np.ndarray = kpca.eigenvalues_
labels = mercer.NearestMean(kernel="gaussian").fit(X, [0, 1] * 5).predict(X)
table: mercer.Table = mercer.read("x.csv", label="kind")
picture: mercer.Plot = mercer.plot(kpca, X, [0, 1] * 5, kind="scatter", image_shape=(1, 3)).save("x.svg", dpi=150)
text: str = picture.text(60)
KernelPCA(components=2)
mercer.PCA(n_components=[2])
mercer.plot(kpca, knd="scree")
mercer.read("x.csv", encode={"onehot": ["kind"]}, na="-", first_index="1")
""")
    package = os.path.dirname(mercer.__file__)
    environment = {**os.environ, "MYPYPATH": os.path.dirname(package)}
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "--no-error-summary",
                           "-p", "mercer"], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "" and done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "--no-error-summary",
                           str(user)], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    complaints = [line for line in done.stdout.splitlines() if "error:" in line]
    wrong = ("components", "n_components", "knd", "first_index")
    assert len(complaints) == len(wrong) and all(one in line for one, line in zip(wrong, complaints)), done.stdout


def test_stubs_are_up_to_date():
    done = subprocess.run([sys.executable, f"{SOURCE}/tools/make_python_docs.py", os.path.dirname(mercer.__path__[0]),
                           f"{SOURCE}/python/mercer", "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_pip_installs_from_the_source_tree(tmp_path):
    """With what is compiled already; the wheel lists what is in it, and says what it is."""
    environment = {**os.environ, "MERCER_PACKAGE": mercer.__path__[0], "PIP_NO_INPUT": "1"}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index",
                           "--disable-pip-version-check", "-w", str(tmp_path), SOURCE], env=environment, cwd=tmp_path,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    wheel = next(tmp_path.glob("*.whl"))
    assert wheel.name.startswith(f"mercer-{mercer.__version__}-cp")
    where = tmp_path / "installed"
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", str(where),
                           "--disable-pip-version-check", str(wheel)], env=environment, cwd=tmp_path,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    code = ("import importlib.metadata as m, mercer; d = m.metadata('mercer'); "
            "print(mercer.__file__, d['Name'], d['Version'], d['Requires-Dist'], m.files('mercer') is not None)")
    said = subprocess.run([sys.executable, "-c", code], env={**environment, "PYTHONPATH": str(where)}, cwd=tmp_path,
                          capture_output=True, text=True, check=True).stdout.split()
    assert said[0].startswith(str(where)) and said[1:3] == ["mercer", mercer.__version__] and said[3].startswith("numpy")
    with zipfile.ZipFile(wheel) as archive:
        assert {"mercer/py.typed", "mercer/_kernel_pca.pyi"} <= set(archive.namelist())


def test_every_guide_page_shows_python_beside_the_command():
    """The blocks are run by tools/check_docs.py."""
    folder = os.path.join(SOURCE, "docs", "guide")
    pages = [name for name in sorted(os.listdir(folder)) if name.endswith(".md")]
    assert len(pages) > 15
    for name in pages:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text = file.read()
        assert "```python run" in text, name
        assert name == "python.md" or "```sh run" in text, name


def test_guide_names_every_estimator():
    with open(os.path.join(SOURCE, "docs", "guide", "python.md"), encoding="utf-8") as file:
        guide = file.read()
    for name in mercer.__all__:
        if hasattr(getattr(mercer, name), "parameter_help"):
            assert f"| `{name}` |" in guide, name
