#!/usr/bin/env Rscript
# Reference values of stats::cmdscale on eurodist (road distances between 21 European cities, which
# are not Euclidean) and the tables that the tests of mds and metric_mds read.
#
# Usage: tools/make_mds_reference.R              rewrite the stored files
#        tools/make_mds_reference.R --check DIR  write to DIR
#
# mds_eurodist.csv and mds_swiss.csv: the data (distances; columns as R has them).
# mds_cmdscale_points.csv, _eigenvalues.csv, _gof.csv: k = 2. mds_cmdscale_add_*.csv: add = TRUE,
# with the constant as _constant.csv. 17 significant digits, signs as R gave them.
script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
root <- dirname(dirname(normalizePath(script)))
folder <- file.path(root, "tests", "oracle", "reference")
arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) > 0) {
  if (length(arguments) != 2 || arguments[1] != "--check")
    stop("usage: make_mds_reference.R [--check DIR]")
  folder <- arguments[2]
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
}

save_matrix <- function(matrix, name) {
  lines <- apply(as.matrix(matrix), 1, function(row) paste(sprintf("%.17g", row), collapse = ","))
  writeLines(lines, file.path(folder, paste0("mds_", name, ".csv")))
}

save_matrix(as.matrix(eurodist), "eurodist")
save_matrix(as.matrix(swiss), "swiss")
save_scaling <- function(fit, stem) {
  save_matrix(fit$points, paste0(stem, "_points"))
  save_matrix(fit$eig, paste0(stem, "_eigenvalues"))
  save_matrix(fit$GOF, paste0(stem, "_gof"))
}
save_scaling(cmdscale(eurodist, k = 2, eig = TRUE), "cmdscale")
raised <- cmdscale(eurodist, k = 2, add = TRUE, eig = TRUE)
save_scaling(raised, "cmdscale_add")
save_matrix(raised$ac, "cmdscale_add_constant")
writeLines(c("made by tools/make_mds_reference.R", R.version.string),
           file.path(folder, "versions_mds_r.txt"))
