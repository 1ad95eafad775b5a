// What the generators share. Rows alternate between the classes (row i belongs to class i mod c),
// so that the first m rows of a set are themselves balanced and a split by position keeps every
// class on both sides.
#pragma once

#include "mercer/core/random.h"
#include "mercer/core/types.h"
#include "mercer/data/dataset.h"
#include "mercer/data/generator.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mercer::detail {

/// Streams of a seed: where on the shape a point lies, what is added to it, where the shapes lie.
inline constexpr std::uint64_t kShapeStream = 0, kNoiseStream = 1, kCenterStream = 2;

/// Rows of n that belong to one of `classes` alternating classes.
inline Index rows_of_class(Index n, Index classes, Index which) {
  return n / classes + (which < n % classes ? 1 : 0);
}

/// Adds normal noise of the options' standard deviation to every coordinate.
inline void add_noise(Points& points, const GeneratorOptions& options) {
  const Random random(options.seed, kNoiseStream);
  for (Index i = 0; i < points.size(); ++i)
    points.data()[i] += options.noise * random.normal(static_cast<std::uint64_t>(i));
}

/// Labels of n alternating rows; a class without rows is left out.
inline Labels alternating_labels(std::vector<std::string> classes, Index n) {
  if (static_cast<Index>(classes.size()) > n) classes.resize(static_cast<std::size_t>(n));
  const Index count = static_cast<Index>(classes.size());
  Labels labels{.name = "label", .classes = std::move(classes), .of_row = {}};
  labels.of_row.reserve(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) labels.of_row.push_back(i % count);
  return labels;
}

inline Dataset named(Points points, std::vector<std::string> columns, Labels labels = {}) {
  Dataset data(std::move(points));
  data.column_names = std::move(columns);
  data.labels = std::move(labels);
  return data;
}

}  // namespace mercer::detail
