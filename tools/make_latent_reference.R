#!/usr/bin/env Rscript
# Reference values of stats::factanal, its rotations, and pcaMethods::ppca with missing values.
#
# Usage: tools/make_latent_reference.R          rewrite the stored files
#        tools/make_latent_reference.R --check  make them anew and compare with the stored ones
#
# factanal_wine_*: 3 factors of the 13 columns of wine.csv, converged as far as optim goes:
#     uniquenesses, loadings (none, varimax, promax), promax correlations of the factors, and the
#     test (statistic, degrees of freedom, p value). Columns in the order and with the signs of R.
# ppca_gaps_*: rows and their negatives with the same gaps, so that the means are 0 for any program:
#     pcaMethods keeps the means of the values that are there. The table (0 in gaps), where values
#     are (1), the completed table, and the loadings and noise of its last step.
suppressPackageStartupMessages(library(pcaMethods))

script <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
root <- dirname(dirname(normalizePath(script)))
stored <- file.path(root, "tests", "oracle", "reference")
check <- identical(commandArgs(trailingOnly = TRUE), "--check")
passed <- failed <- 0

# Writes the matrix, or compares it with the stored one.
keep <- function(matrix, name, tolerance) {
  matrix <- unname(as.matrix(matrix))
  file <- file.path(stored, paste0(name, ".csv"))
  if (check) {
    old <- unname(as.matrix(read.csv(file, header = FALSE)))
    difference <- max(abs(old - matrix)) / max(abs(old))
    good <- isTRUE(difference <= tolerance)
    if (!good) cat(sprintf("%s differs by %g\n", name, difference))
    passed <<- passed + good
    failed <<- failed + !good
    return(invisible())
  }
  lines <- apply(matrix, 1, function(row) paste(sprintf("%.17g", row), collapse = ","))
  writeLines(lines, file)
}

wine <- unname(as.matrix(read.csv(file.path(stored, "wine.csv"), header = FALSE)))
fit <- factanal(wine, factors = 3, rotation = "none",
                control = list(nstart = 5, opt = list(factr = 1, maxit = 10000, pgtol = 0)))
plain <- unclass(fit$loadings)
turned <- unclass(varimax(plain, eps = 1e-15)$loadings)
oblique <- promax(turned)
inverse <- solve(oblique$rotmat)
keep(fit$uniquenesses, "factanal_wine_uniquenesses", 1e-4)
keep(plain, "factanal_wine_loadings", 1e-4)
keep(turned, "factanal_wine_varimax", 1e-4)
keep(unclass(oblique$loadings), "factanal_wine_promax", 1e-4)
keep(inverse %*% t(inverse), "factanal_wine_correlations", 1e-4)
keep(c(fit$STATISTIC, fit$dof, fit$PVAL), "factanal_wine_test", 1e-6)

set.seed(1)
half <- matrix(rnorm(60 * 2), 60) %*% matrix(rnorm(2 * 7), 2) + 0.01 * matrix(rnorm(60 * 7), 60)
table <- rbind(half, -half)
there <- matrix(runif(60 * 7) > 0.15, 60)
there <- rbind(there, there)
gaps <- table
gaps[!there] <- NA
last <- NULL
function_body <- as.list(body(pcaMethods::ppca))
end <- which(sapply(function_body, function(part) identical(deparse(part), "C <- orth(C)")))
function_body <- append(function_body, quote(last <<- list(C = C, ss = ss)), end - 1)
watched <- pcaMethods::ppca
body(watched) <- as.call(function_body)
environment(watched) <- list2env(list(last = NULL), parent = asNamespace("pcaMethods"))
answer <- watched(gaps, nPcs = 2, seed = 1, threshold = 1e-14, maxIterations = 20000)
last <- get("last", environment(watched))
completed <- gaps
completed[!there] <- (answer@scores %*% t(answer@loadings))[!there]
keep(ifelse(there, table, 0), "ppca_gaps_table", 1e-12)
keep(there * 1, "ppca_gaps_there", 0)
keep(completed, "ppca_gaps_completed", 1e-4)
keep(last$C %*% t(last$C), "ppca_gaps_explained", 1e-3)
keep(last$ss, "ppca_gaps_noise", 1e-3)
if (check) {
  cat(sprintf("%d passed, %d failed\n", passed, failed))
  quit(status = failed > 0)
}
writeLines(c(R.version.string, paste("pcaMethods", packageVersion("pcaMethods"))),
           file.path(stored, "versions_latent_r.txt"))
