// Classes of the training rows as discriminants count them.
#pragma once

#include "mercer/data/dataset.h"
#include "mercer/models/report.h"

#include <string_view>
#include <vector>

namespace mercer {

struct ClassCounts {
  const Labels* labels = nullptr;
  std::vector<Index> sizes;  // of every class of the labels
  Index present = 0;         // classes that have rows

  Index count() const { return static_cast<Index>(sizes.size()); }
  const std::vector<Index>& of_row() const { return labels->of_row; }
  double size(Index c) const { return static_cast<double>(sizes[static_cast<std::size_t>(c)]); }
  /// The number of the class with this name, or -1.
  Index find(std::string_view name) const;
};

ClassCounts count_classes(const Labels& labels);

/// Throws M273 where every class has one row; warns of classes with one row.
void check_class_sizes(const ClassCounts& classes, Report& report);

}  // namespace mercer
