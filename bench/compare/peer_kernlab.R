# kernlab's kpca on one table, timed around kpca alone; R loads the table before.
#
# usage: Rscript peer_kernlab.R TABLE.bin ROWS COLUMNS GAMMA COMPONENTS VECTORS.npy
#
# TABLE.bin holds little-endian doubles row by row. kernlab's sigma is gamma: exp(-sigma |x-y|^2), and its eigenvalues
# are those of the centred kernel matrix over the number of rows. Prints one JSON object: seconds, eigenvalues.

suppressPackageStartupMessages(library(kernlab))

# A two-dimensional NumPy array: ten bytes, a header padded so that the numbers begin at a multiple of 64, the numbers
# in R's own column order.
write_npy <- function(path, matrix) {
  header <- sprintf("{'descr': '<f8', 'fortran_order': True, 'shape': (%d, %d), }", nrow(matrix), ncol(matrix))
  padding <- (64 - (10 + nchar(header) + 1) %% 64) %% 64
  header <- paste0(header, strrep(" ", padding), "\n")
  stream <- file(path, "wb")
  on.exit(close(stream))
  writeBin(as.raw(c(0x93, utf8ToInt("NUMPY"), 1, 0)), stream)
  writeBin(as.integer(nchar(header)), stream, size = 2, endian = "little")
  writeBin(charToRaw(header), stream)
  writeBin(as.double(matrix), stream, size = 8, endian = "little")
}

words <- commandArgs(trailingOnly = TRUE)
rows <- as.integer(words[2])
columns <- as.integer(words[3])
components <- as.integer(words[5])
table <- matrix(readBin(words[1], "double", rows * columns, endian = "little"), rows, columns, byrow = TRUE)

# Warnings about small eigenvalues are kernlab's threshold, not an error.
seconds <- system.time(suppressWarnings(
  model <- kpca(table, kernel = "rbfdot", kpar = list(sigma = as.double(words[4])), features = components)
))[["elapsed"]]

write_npy(words[6], pcv(model))
values <- paste(sprintf("%.17g", eig(model) * rows), collapse = ", ")
cat(sprintf('{"seconds": %.6f, "eigenvalues": [%s]}\n', seconds, values))
