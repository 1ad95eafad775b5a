"""Tests of scikit-learn that Mercer's classes do not pass, and why: see sklearn_suites.py.

Suite, then a name or a pattern of names (* stands for anything), then the reason as the page of scores shows it.
"""

_WARNED_DEFAULT = ("scikit-learn 1.2 alone: it looks at the private `_whiten` and at the warning of a default that 1.3 "
                   "changed; here the default is that of 1.3")
_SEARCHED = ("the numbers in the test come from an inner search that ends at 1e-6; ours are exact and lie 2e-6 away (with "
             "`tol=1e-14` scikit-learn's agree with ours)")
_SLOPES = ("`coef_` has a row for each target, as from 1.3 on, and is in the units of the columns, and `intercept_` belongs "
           "to it: `X @ coef_.T + intercept_` predicts; the test wants the transposed slopes of scaled columns")

EXPECTED = {
    "pca": {
        "test_pca_sparse_input*": "it wants a TypeError for sparse rows; ours are taken, without making them dense",
        "test_pca_score[*": "it wants another likelihood with `whiten=True`; how scores are scaled changes nothing about the "
                            "covariance of the rows, so that ours is the same",
        "test_pca_n_components_mostly_explained_variance_ratio":
            "the share asked for is reached to the last digit by one component less: that is enough here; scikit-learn "
            "wants more than the share",
    },
    "factor_analysis": {
        "test_factor_analysis":
            "its first step fits 3 factors to 5 columns, which determine 2 at most (M233); later ones fit no factor at all, "
            "and `rotation=\"quartimax\"`, which is not there (`varimax` and `promax` are)",
    },
    "fastica": {
        "test_fastica_simple[*": "it gives `fun` a function, which is not taken (`logcosh`, `exp`, `cube` are), and compares "
                                "with a search from the same random start",
        "test_fastica_convergence_fail": "it wants a warning after two steps; ours has converged by then",
        "test_fastica_eigh_low_rank_warning[*": "it wants to hear that `whiten_solver=\"eigh\"` loses digits; there is one "
                                                "way to whiten, and as many sources as the rows have dimensions",
        "test_fastica_whiten_default_value_deprecation*": _WARNED_DEFAULT,
        "test_fastica_whiten_backwards_compatibility": _WARNED_DEFAULT,
    },
    "pls": {
        "test_sanity_check_pls_regression": _SEARCHED,
        "test_sanity_check_pls_regression_constant_column_Y": _SEARCHED,
        "test_copy*": "it wants rows that `copy=False` has changed; ours are never changed",
        "test_pls_constant_y": "a target that is the same in all rows is an error here (M254), not a warning: nothing can be "
                               "predicted",
        "test_pls_coef_shape*": _SLOPES,
        "test_pls_prediction*": _SLOPES,
    },
}
