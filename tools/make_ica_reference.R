#!/usr/bin/env Rscript
# Sources that R's fastICA finds in the rows of tests/oracle/reference/ica_white.csv, all at once, contrast logcosh,
# from the matrix of ica_start.csv, iterated until no direction turns by 1 - |cos| > 1e-14.
#
# Usage: tools/make_ica_reference.R              rewrite ica_fastica_sources.csv
#        tools/make_ica_reference.R --check DIR  write to DIR and compare with the stored file
suppressPackageStartupMessages(library(fastICA))

here <- dirname(sub("--file=", "", grep("--file=", commandArgs(FALSE), value = TRUE)))
stored <- file.path(here, "..", "tests", "oracle", "reference")
read <- function(name) as.matrix(read.csv(file.path(stored, name), header = FALSE))
words <- commandArgs(TRUE)
checked <- length(words) == 2 && words[1] == "--check"
target <- file.path(if (checked) words[2] else stored, "ica_fastica_sources.csv")

found <- fastICA(unname(read("ica_white.csv")), 3, alg.typ = "parallel", fun = "logcosh", alpha = 1, method = "R",
                 w.init = unname(read("ica_start.csv")), maxit = 1000, tol = 1e-14)
write.table(matrix(sprintf("%.17g", found$S), nrow(found$S)), target, sep = ",", quote = FALSE, row.names = FALSE,
            col.names = FALSE)
if (checked) {
  gap <- max(abs(abs(found$S) - abs(read("ica_fastica_sources.csv"))))
  cat(sprintf("ica_fastica_sources: differs by %.2g\n", gap))
  if (gap > 1e-9) quit(status = 1)
}
