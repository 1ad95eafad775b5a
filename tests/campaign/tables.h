// Kinds of tables and matrices at which kernel PCA may break. A table is a function of its kind,
// sizes and seed; what a kind leaves open (how far, how many, how large) is drawn from the seed.
#pragma once

#include "mercer/core/types.h"
#include "mercer/data/dataset.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mercer::campaign {

struct TableWish {
  std::string kind;
  Index n = 10, dim = 2;  // kinds of a fixed shape come close to n
  std::uint64_t seed = 1;
};

/// Kinds of rows of numbers.
std::vector<std::string> table_kinds();
/// Those without negative values, for kernels of histograms.
std::vector<std::string> histogram_kinds();
/// Those whose values are far from 1.
bool is_extreme(const std::string& kind);

/// A matrix that stands for the kernel: kinds for --as kernel, distance and squared-distance.
std::vector<std::string> matrix_kinds(const std::string& as);

/// Throws std::invalid_argument for an unknown kind.
Dataset make_table(const TableWish& wish);

namespace detail {
/// Symmetric matrices; false where the kind is another one.
bool make_matrix(const TableWish& wish, Points& out);
}  // namespace detail

}  // namespace mercer::campaign
