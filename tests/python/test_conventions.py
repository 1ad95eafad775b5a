"""scikit-learn's conventions: its own common checks for every estimator, and those it keeps for its own classes."""
import copy
import inspect
import pickle
import warnings

import numpy as np
import pytest

import mercer
from mercer._base import ESTIMATORS
from mercer._parameters import DESCRIPTIONS, parameter_name

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone, is_classifier, is_regressor  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.utils import estimator_checks  # noqa: E402

EVERY = sorted(ESTIMATORS.values(), key=lambda cls: cls.__name__)
TRANSFORMERS = [cls for cls in EVERY if hasattr(cls, "transform")]
# What check_estimator leaves out: checks on two columns (the tag _xfail_checks says why), and one that scikit-learn leaves
# out for every class of this name.
LEFT_OUT = {"FactorAnalysis": 6, "PLSRegression": 1}


@pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.__name__)
def test_common_checks(cls):
    ran = left_out = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for estimator, check in estimator_checks.check_estimator(cls(), generate_only=True):
            try:
                check(estimator)
                ran += 1
            except estimator_checks.SkipTest:
                left_out += 1
    assert ran >= 28 and left_out == LEFT_OUT.get(cls.__name__, 0)


def test_kernel_pca_has_the_33_checks():
    assert len(list(estimator_checks.check_estimator(mercer.KernelPCA(), generate_only=True))) == 33


@pytest.mark.parametrize("check", [
    "check_dataframe_column_names_consistency", "check_n_features_in_after_fitting", "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas", "check_set_output_transform", "check_set_output_transform_pandas",
    "check_global_ouptut_transform_pandas", "check_estimators_partial_fit_n_features", "check_param_validation"])
@pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.__name__)
def test_checks_that_scikit_learn_keeps_for_its_own(cls, check):
    if cls not in TRANSFORMERS and ("transform" in check):
        return  # the check is of scores
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        getattr(estimator_checks, check)(cls.__name__, cls())


@pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.__name__)
def test_every_option_of_the_method_is_a_parameter(cls):
    """With the default of the library, unless scikit-learn's parameter stands for it."""
    parameters = inspect.signature(cls.__init__).parameters
    for option in DESCRIPTIONS[cls.method]["options"]:
        name = parameter_name(option["name"])
        assert option["name"] in cls.replaced_options or name in parameters, option["name"]
    for name in ("n_jobs", "memory", "time", "progress"):
        assert parameters[name].default is None
    for name, (default, text) in cls.parameter_help.items():
        assert parameters[name].default is default and text and f"{name} : default {default!r}" in cls.__doc__
    assert {entry["name"] for entry in mercer.methods()} == set(ESTIMATORS)


def test_parameters_reach_the_library(clouds):
    """Every value that is not the default ends up in the record of the fit."""
    rows, _ = clouds
    changed = {"kernel": "rbf", "gamma": 0.5, "tolerance": 1e-9, "certify": "none", "center": False, "random_state": 5,
               "indefinite": "flip", "nullspace": "constant", "scale": "standard", "n_components": 3}
    options = mercer.KernelPCA(**changed).fit(rows)._model.options
    wanted = {"components": "3", "tolerance": "1e-09", "certify": "none", "center": False, "seed": 5, "indefinite": "flip",
              "nullspace": "constant", "scale": "standard", "kernel": "gaussian:sigma=1"}
    assert {name: options[name] for name in wanted} == wanted


@pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.__name__)
def test_clones_copies_and_pickles(cls, clouds):
    rows, classes = clouds
    rows = np.hstack([rows, rows[:, :2] ** 2])
    estimator = cls(memory="2G")
    assert clone(estimator).get_params() == estimator.get_params()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(rows, classes)
    use = estimator.transform if cls in TRANSFORMERS else estimator.predict
    for other in (copy.copy(estimator), copy.deepcopy(estimator), pickle.loads(pickle.dumps(estimator))):
        again = other.transform if cls in TRANSFORMERS else other.predict
        assert np.array_equal(use(rows), again(rows))
        assert other.get_params() == estimator.get_params()
    assert not hasattr(clone(estimator), "n_features_in_")


def test_pipelines_and_searches(clouds):
    rows, classes = clouds
    from sklearn.linear_model import LogisticRegression
    steps = make_pipeline(mercer.KernelPCA(n_components=2, kernel="rbf"), LogisticRegression())
    found = GridSearchCV(steps, {"kernelpca__gamma": [0.01, 0.1], "kernelpca__n_components": [2, 3]}, cv=3).fit(rows, classes)
    assert found.best_score_ > 0.95
    given = GridSearchCV(make_pipeline(mercer.KernelPCA(2, kernel="precomputed"), LogisticRegression()),
                         {"logisticregression__C": [0.1, 1]}, cv=3).fit(rows @ rows.T, classes)
    assert given.best_score_ > 0.95
    assert GridSearchCV(mercer.KernelLDA(), {"ridge": ["0.01", "0.1"]}, cv=3).fit(rows, classes).best_score_ > 0.9
    assert is_classifier(mercer.NearestMean()) and is_regressor(mercer.PCR()) and not is_classifier(mercer.KernelPCA())


def test_words_of_estimators():
    assert repr(mercer.KernelPCA()) == "KernelPCA()"
    assert repr(mercer.KernelPCA(2, kernel="rbf", gamma=0.5)) == "KernelPCA(gamma=0.5, kernel='rbf', n_components=2)"
    with pytest.raises(ValueError, match="Invalid parameter 'gama' for estimator KernelPCA"):
        mercer.KernelPCA().set_params(gama=1)
    page = mercer.KernelPCA(2).fit(np.eye(5))._repr_html_()
    assert "<table>" in page and "variance explained" in page and "&" not in repr(mercer.KernelPCA())
    assert "<script" not in mercer.KernelPCA(kernel="<script>")._repr_html_()
    names = mercer.KernelPCA(2).fit(np.eye(5)).get_feature_names_out()
    assert names.tolist() == ["kernelpca0", "kernelpca1"] and names.dtype == object


def test_signatures_are_those_of_scikit_learn():
    """Every parameter of their KernelPCA is one of ours, with the same default."""
    from sklearn.decomposition import KernelPCA
    ours = inspect.signature(mercer.KernelPCA.__init__).parameters
    for name, parameter in inspect.signature(KernelPCA.__init__).parameters.items():
        assert ours[name].default == parameter.default and ours[name].kind == parameter.kind, name


def test_tags_of_newer_scikit_learn(monkeypatch):
    """From 1.6 on scikit-learn asks for __sklearn_tags__, with classes that 1.2 has not: stand-ins of their shape."""
    import dataclasses
    shapes = {
        "InputTags": {"one_d_array": False, "two_d_array": True, "three_d_array": False, "sparse": False,
                      "categorical": False, "string": False, "dict": False, "positive_only": False, "allow_nan": False,
                      "pairwise": False},
        "TargetTags": {"required": dataclasses.MISSING, "one_d_labels": False, "two_d_labels": False,
                       "positive_only": False, "multi_output": False, "single_output": True},
        "TransformerTags": {"preserves_dtype": None},
        "ClassifierTags": {"poor_score": False, "multi_class": True, "multi_label": False},
        "RegressorTags": {"poor_score": False},
        "Tags": {"estimator_type": dataclasses.MISSING, "target_tags": dataclasses.MISSING, "transformer_tags": None,
                 "classifier_tags": None, "regressor_tags": None, "array_api_support": False, "no_validation": False,
                 "non_deterministic": False, "requires_fit": True, "_skip_test": False, "input_tags": None}}
    for name, fields in shapes.items():
        made = [(field, object) if default is dataclasses.MISSING else (field, object, dataclasses.field(default=default))
                for field, default in fields.items()]
        monkeypatch.setattr(sklearn.utils, name, dataclasses.make_dataclass(name, made), raising=False)
    for cls in EVERY:
        tags = cls().__sklearn_tags__()
        assert tags.estimator_type == getattr(cls, "_estimator_type", None), cls
        assert (tags.classifier_tags is not None) == is_classifier(cls()), cls
        assert (tags.regressor_tags is not None) == is_regressor(cls()), cls
        assert (tags.transformer_tags is not None) == (cls in TRANSFORMERS), cls
        assert tags.target_tags.required == cls()._get_tags()["requires_y"] and tags.input_tags.sparse, cls
    assert mercer.KernelPCA(kernel="precomputed").__sklearn_tags__().input_tags.pairwise
    assert not mercer.KernelPCA().__sklearn_tags__().input_tags.pairwise
    assert mercer.ProbabilisticPCA().__sklearn_tags__().input_tags.allow_nan
    assert mercer.PLSRegression().__sklearn_tags__().target_tags.multi_output


def test_frames_of_polars(monkeypatch, clouds):
    """set_output(transform="polars") makes a frame of the names and scores."""
    import sys
    import types

    class DataFrame:
        def __init__(self, data, schema, orient):
            self.rows, self.columns, self.orient = data, list(schema), orient

    monkeypatch.setitem(sys.modules, "polars", types.SimpleNamespace(DataFrame=DataFrame))
    framed = mercer.PCA(2).set_output(transform="polars").fit_transform(clouds[0])
    assert framed.columns == ["pca0", "pca1"] and framed.orient == "row"
    assert np.array_equal(framed.rows, mercer.PCA(2).fit_transform(clouds[0]))
    with pytest.raises(ValueError, match="'default', 'pandas' or 'polars' got bad"):
        mercer.PCA(2).set_output(transform="bad")


def test_a_notebook_shows_the_short_form_of_the_report(clouds):
    rows, classes = clouds
    kpca = mercer.KernelPCA(3, kernel="rbf").fit(rows)
    page, report = kpca._repr_html_(), kpca.report()
    for words in ("90</td>", "none: verified", "largest residual", report["plan"]["operator"], "PC3",
                  f"{100 * report['explained_variance_ratio'][0]:.1f} %", f"{100 * sum(report['explained_variance_ratio']):.1f} %"):
        assert words in page, words
    assert "PC4" not in page and page.count("<div") == page.count("</div>") and page.count("<td") == page.count("</td>")
    assert "and 2 more components" in mercer.PCA(12).fit(np.hstack([rows, rows ** 2, rows ** 3]))._repr_html_()
    with pytest.warns(mercer.MercerWarning):
        warned = mercer.KernelPCA(2, kernel="rbf").fit(rows * [1, 1, 1, 1, 1e6])
    assert "W234: " in warned._repr_html_() and "W234" not in page
    for estimator in (mercer.PCR(n_components=2).fit(rows, rows.sum(axis=1)), mercer.KernelLDA().fit(rows, classes),
                      mercer.MDS().fit(rows)):
        assert "<table>" in estimator._repr_html_()
    assert "<table>" not in mercer.PCA()._repr_html_()
    assert "&lt;b&gt;" in mercer.KernelPCA(kernel="<b>")._repr_html_()
