// What the tests of kernel discriminants share: groups with classes, and the eigenproblem of
// explicit features.
#pragma once

#include "mercer/models/training.h"
#include "tests/support/dense.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace mercer::kernel_lda_cases {

inline Labels labels_of(const std::vector<Index>& of_row) {
  Labels labels{"class", {}, of_row};
  for (const Index c : of_row)
    while (static_cast<Index>(labels.classes.size()) <= c)
      labels.classes.push_back(std::string(1, static_cast<char>('a' + labels.classes.size())));
  return labels;
}

inline Training with_classes(const Points& x, const std::vector<Index>& of_row) {
  Training training(x);
  training.input.labels = labels_of(of_row);
  return training;
}

/// Three overlapping groups.
struct Groups {
  explicit Groups(Index n = 90, Index dim = 4, std::uint64_t seed = 7)
      : x(test::random_points({.n = n, .dim = dim, .seed = seed})) {
    for (Index i = 0; i < n; ++i) {
      of_row.push_back(i % 7 < 3 ? 0 : i % 7 < 5 ? 1 : 2);
      x(i, 0) += of_row.back() == 1 ? 2 : 0;
      x(i, 1) += of_row.back() == 2 ? 1.5 : 0;
    }
  }
  Training training() const { return with_classes(x, of_row); }
  Points x;
  std::vector<Index> of_row;
};

/// Scatter of explicit features between and within classes, as sums over rows.
struct Scatter {
  Scatter(const Points& f, const std::vector<Index>& of_row, Index classes)
      : within(Block::Zero(f.cols(), f.cols())), between(within), means(classes, f.cols()) {
    const Eigen::RowVectorXd mean = f.colwise().mean();
    for (Index c = 0; c < classes; ++c) {
      Points mine(0, f.cols());
      for (Index i = 0; i < f.rows(); ++i)
        if (of_row[static_cast<std::size_t>(i)] == c) {
          mine.conservativeResize(mine.rows() + 1, Eigen::NoChange);
          mine.row(mine.rows() - 1) = f.row(i);
        }
      means.row(c) = mine.colwise().mean();
      const Points apart = mine.rowwise() - means.row(c);
      within += apart.transpose() * apart;
      const Eigen::RowVectorXd off = means.row(c) - mean;
      between += static_cast<double>(mine.rows()) * off.transpose() * off;
    }
  }
  /// Eigenvalues of S_b w = l (S_w + e I) w, descending, and scores of the rows.
  std::pair<Vector, Block> solve(const Points& f, double ridge, Index count) const {
    Block right = within;
    right.diagonal().array() += ridge;
    const auto [values, vectors] = test::generalised_eigen(between, right);
    const Block w = vectors.leftCols(count);
    const Points centred = f.rowwise() - f.colwise().mean();
    return {values.head(count), centred * w};
  }
  Block within, between, means;
};

/// Columns equal up to sign and scale.
inline void expect_same_directions(const Block& ours, const Block& known, double tolerance) {
  ASSERT_EQ(ours.rows(), known.rows());
  ASSERT_EQ(ours.cols(), known.cols());
  for (Index j = 0; j < ours.cols(); ++j) {
    const Vector a = ours.col(j).normalized(), b = known.col(j).normalized();
    EXPECT_LE(test::max_abs(a.dot(b) < 0 ? Vector(a + b) : Vector(a - b)), tolerance) << j;
  }
}

}  // namespace mercer::kernel_lda_cases
