#!/usr/bin/env Rscript
# Reference values of the R package pls for `mercer fit --method pls` and `--method pcr`.
#
# Usage: tools/make_reference_pls.R              rewrite the stored files
#        tools/make_reference_pls.R --check DIR  write to DIR, for tools/compare_reference.py DIR
#
# pls_CASE_x.csv and pls_CASE_y.csv are the tables, pls_CASE_METHOD.csv one under the other, a column for each target:
# the coefficients with all components (a row for each column), the fitted values (a row for each row), and the
# cross-validated RMSEP of 1, 2, ... components with interleaved segments. 17 significant digits.
suppressPackageStartupMessages(library(pls))

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
root <- dirname(dirname(normalizePath(script)))
stored <- file.path(root, "tests", "oracle", "reference")

target_folder <- function(arguments) {
  if (length(arguments) == 0) return(stored)
  if (length(arguments) != 2 || arguments[1] != "--check")
    stop("usage: make_reference_pls.R [--check DIR]")
  dir.create(arguments[2], showWarnings = FALSE, recursive = TRUE)
  arguments[2]
}
folder <- target_folder(commandArgs(trailingOnly = TRUE))

save_matrix <- function(matrix, stem) {
  lines <- apply(as.matrix(matrix), 1, function(row) paste(sprintf("%.17g", row), collapse = ","))
  writeLines(lines, file.path(folder, paste0("pls_", stem, ".csv")))
}

data(gasoline, yarn, oliveoil)
every <- function(matrix, step) unname(unclass(matrix)[, seq(1, ncol(matrix), by = step)])
cases <- list(
  gasoline = list(x = every(gasoline$NIR, 8), y = cbind(gasoline$octane), components = 8, folds = 10),
  yarn = list(x = every(yarn$NIR, 2), y = cbind(yarn$density), components = 6, folds = 7),
  olive = list(x = unname(unclass(oliveoil$chemical)), y = unname(unclass(oliveoil$sensory)), components = 4,
               folds = 4))

for (name in names(cases)) {
  case <- cases[[name]]
  x <- as.matrix(case$x); y <- as.matrix(case$y)
  save_matrix(x, paste0(name, "_x"))
  save_matrix(y, paste0(name, "_y"))
  for (method in c("oscorespls", "simpls", "kernelpls", "widekernelpls", "svdpc")) {
    model <- mvr(y ~ x, ncomp = case$components, method = method, validation = "CV", segments = case$folds,
                 segment.type = "interleaved", tol = 1e-14, maxit = 100000)
    k <- case$components
    rmsep <- RMSEP(model, estimate = "CV", intercept = FALSE)$val[1, , , drop = FALSE]
    save_matrix(rbind(matrix(coef(model, ncomp = k)[, , 1], ncol(x)), matrix(fitted(model)[, , k], nrow(x)),
                      t(matrix(rmsep, ncol(y)))), paste0(name, "_", method))
  }
}
