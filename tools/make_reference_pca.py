#!/usr/bin/env python3
"""Reference values of scikit-learn's PCA and R's prcomp for the wine data of tests/oracle/reference.

Usage: tools/make_reference_pca.py [FOLDER]    writes pca_*.csv there (default: the stored files)

Whitened scores and scores of standardised columns, first 4 components, 17 significant digits. Needs numpy,
scikit-learn and Rscript.
"""
import pathlib
import subprocess
import sys

import numpy as np
from sklearn.decomposition import PCA

STORED = pathlib.Path(__file__).resolve().parent.parent / "tests" / "oracle" / "reference"
COMPONENTS = 4
PRCOMP = """
args <- commandArgs(TRUE)
x <- as.matrix(read.csv(args[1], header = FALSE))
p <- prcomp(x, scale. = TRUE)
text <- function(m) apply(formatC(m, digits = 17, format = "g"), 1, paste, collapse = ",")
writeLines(text(p$x[, 1:4]), file.path(args[2], "pca_prcomp_correlations_scores.csv"))
writeLines(text(matrix(p$sdev, ncol = 1)), file.path(args[2], "pca_prcomp_correlations_sdev.csv"))
"""


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else STORED
    wine = np.loadtxt(STORED / "wine.csv", delimiter=",")
    white = PCA(COMPONENTS, svd_solver="full", whiten=True)
    np.savetxt(folder / "pca_sklearn_white_scores.csv", white.fit_transform(wine), "%.17g", ",")
    np.savetxt(folder / "pca_sklearn_variances.csv", white.explained_variance_[:, None], "%.17g", ",")
    subprocess.run(["Rscript", "-e", PRCOMP, str(STORED / "wine.csv"), str(folder)], check=True)


if __name__ == "__main__":
    main()
