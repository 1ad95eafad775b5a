#!/usr/bin/env Rscript
# Reference values of kernlab::kpca and stats::prcomp for the cases of
# tests/oracle/reference/cases.csv.
#
# Usage: tools/make_reference.R              rewrite the stored files
#        tools/make_reference.R --check DIR  write to DIR, for tools/compare_reference.py DIR
#
# kernlab: STEM_eigenvalues.csv is eig (mu / N), STEM_scores.csv is rotated and STEM_new.csv is
#          predict, both sqrt(N) times the scores of unit axes; no STEM_new.csv for sigmoid.
# prcomp:  STEM_sdev.csv (mu = (N - 1) sdev^2), STEM_rotation.csv, STEM_scores.csv (x) and
#          STEM_new.csv (predict).
# All with the signs R gave them, first 8 components, 17 significant digits.
suppressPackageStartupMessages(library(kernlab))

components <- 8
script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
root <- dirname(dirname(normalizePath(script)))
stored <- file.path(root, "tests", "oracle", "reference")

target_folder <- function(arguments) {
  if (length(arguments) == 0) return(stored)
  if (length(arguments) != 2 || arguments[1] != "--check")
    stop("usage: make_reference.R [--check DIR]")
  dir.create(arguments[2], showWarnings = FALSE, recursive = TRUE)
  arguments[2]
}
folder <- target_folder(commandArgs(trailingOnly = TRUE))

save_matrix <- function(matrix, stem, part) {
  lines <- apply(as.matrix(matrix), 1, function(row) paste(sprintf("%.17g", row), collapse = ","))
  writeLines(lines, file.path(folder, paste0(stem, "_", part, ".csv")))
}

# The first 400 images train, the next 50 are new.
digits <- function() {
  bytes <- readBin(file.path(root, "assets", "digits", "digits.bin"), "integer", 1797 * 64,
                   size = 1, signed = FALSE)
  images <- matrix(as.numeric(bytes), ncol = 64, byrow = TRUE)
  list(train = images[1:400, ], new = images[401:450, ])
}

# Rows of even number, counted from 0, train; the others are new.
wine <- function() {
  values <- unname(as.matrix(read.csv(file.path(stored, "wine.csv"), header = FALSE)))
  even <- seq(1, nrow(values), by = 2)
  list(train = values[even, ], new = values[-even, ])
}

# polynomial:degree=3,scale=1e-6,offset=1 as a kernel of kernlab.
parse_kernel <- function(spec) {
  parts <- strsplit(spec, ":", fixed = TRUE)[[1]]
  if (parts[1] == "linear") return(vanilladot())
  pairs <- strsplit(strsplit(parts[2], ",", fixed = TRUE)[[1]], "=", fixed = TRUE)
  value <- setNames(as.numeric(sapply(pairs, `[`, 2)), sapply(pairs, `[`, 1))
  switch(parts[1],
         gaussian = rbfdot(sigma = value[["gamma"]]),
         polynomial = polydot(degree = value[["degree"]], scale = value[["scale"]],
                              offset = value[["offset"]]),
         exponential = laplacedot(sigma = value[["gamma"]]),  # Euclidean, unlike scikit-learn's
         sigmoid = tanhdot(scale = value[["scale"]], offset = value[["offset"]]),
         stop("kernlab has no kernel for ", spec))
}

make_kernlab <- function(case, data) {
  # th only decides whether small eigenvalues are warned about.
  model <- kpca(data$train, kernel = parse_kernel(case$kernel), features = components, th = 0)
  save_matrix(eig(model), case$stem, "eigenvalues")
  save_matrix(rotated(model), case$stem, "scores")
  # kernlab's tanh kernel fails on two different matrices (0.9.32 forgets its parameters there).
  if (is(kernelf(model), "tanhkernel")) return(invisible())
  save_matrix(predict(model, data$new), case$stem, "new")
}

make_prcomp <- function(case, data) {
  model <- prcomp(data$train, center = TRUE, scale. = FALSE)
  first <- seq_len(components)
  save_matrix(model$sdev[first], case$stem, "sdev")
  save_matrix(model$rotation[, first], case$stem, "rotation")
  save_matrix(model$x[, first], case$stem, "scores")
  save_matrix(predict(model, data$new)[, first], case$stem, "new")
}

cases <- read.csv(file.path(stored, "cases.csv"), sep = ";", stringsAsFactors = FALSE)
sets <- list(digits = digits(), wine = wine())
for (i in seq_len(nrow(cases))) {
  case <- as.list(cases[i, ])
  if (case$peer == "kernlab") make_kernlab(case, sets[[case$data]])
  if (case$peer == "prcomp") make_prcomp(case, sets[[case$data]])
}
writeLines(c("made by tools/make_reference.R", R.version.string,
             paste("kernlab", packageVersion("kernlab")), paste("stats", packageVersion("stats")),
             paste("LAPACK", La_version())),
           file.path(folder, "versions_r.txt"))
