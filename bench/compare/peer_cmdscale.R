# R's cmdscale on a matrix of distances, timed around cmdscale alone; R reads the matrix before.
#
# usage: Rscript peer_cmdscale.R TABLE.bin ROWS COORDINATES.npy
#
# TABLE.bin holds little-endian doubles. Prints one JSON object: seconds, answer.

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
distances <- matrix(readBin(words[1], "double", rows * rows, endian = "little"), rows, rows)
seconds <- system.time(coordinates <- cmdscale(distances, k = 2))[["elapsed"]]
write_npy(words[3], coordinates)
cat(sprintf('{"seconds": %.6f, "answer": {}}\n', seconds))
