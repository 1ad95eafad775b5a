#include "mercer/models/detail/ica/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer::detail {
namespace {

Value list_of(const std::vector<SourceShape>& shapes, double SourceShape::*field) {
  std::vector<double> numbers;
  for (const SourceShape& shape : shapes) numbers.push_back(shape.*field);
  return Value::of(numbers);
}

// The share of the table's variance that each source has: |a|^2 variance of the source / total.
Vector shares_of(const Block& mixing, const std::vector<SourceShape>& shapes,
                 const Spectrum& spectrum, Index n) {
  const double total = std::max(spectrum.trace, spectrum.eigenvalues.sum());
  Vector shares(mixing.cols());
  for (Index i = 0; i < mixing.cols(); ++i)
    shares[i] = (mixing.col(i) / std::sqrt(total / static_cast<double>(n))).squaredNorm() *
                shapes[static_cast<std::size_t>(i)].variance;
  return shares;
}

Value table_of(const Block& block) {
  Value::List rows;
  for (Index i = 0; i < block.rows(); ++i)
    rows.push_back(Value::of(Vector(block.row(i).transpose())));
  return rows;
}

}  // namespace

std::vector<Index> by_negentropy(const std::vector<SourceShape>& shapes) {
  std::vector<Index> order(shapes.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return shapes[static_cast<std::size_t>(a)].negentropy >
           shapes[static_cast<std::size_t>(b)].negentropy;
  });
  return order;
}

void add_source_figures(const std::vector<SourceShape>& shapes, const Block& mixing,
                        Report& report) {
  constexpr Index kMostNumbers = 100000;  // of a table: a model holds the matrix anyway
  using Shape = SourceShape;
  std::vector<Figure>& figures = report.figures;
  figures.push_back({"source_negentropy", list_of(shapes, &Shape::negentropy), true});
  figures.push_back({"source_excess_kurtosis", list_of(shapes, &Shape::excess_kurtosis), true});
  figures.push_back({"source_skewness", list_of(shapes, &Shape::skewness), true});
  figures.push_back({"source_variance_share",
                     Value::of(shares_of(mixing, shapes, *report.spectrum, report.n)), true});
  if (mixing.size() <= kMostNumbers) figures.push_back({"mixing", table_of(mixing)});
}

void warn_of_axes(const Components& components, Index k, Report& report) {
  const bool said = std::ranges::any_of(report.warnings, [](const Warning& warning) {
    return warning.code == WarningCode::rank_lower;
  });
  if (said || !components.asked() || components.count() <= k) return;
  report.warnings.push_back(
      {WarningCode::rank_lower,
       fmt::format("{} components were asked for; {} have more than 1e-10 of the largest variance",
                   components.count(), k)});
}

// Two Gaussian sources, or more, may be turned among each other without anything to see; and n
// centred and whitened rows in n - 1 dimensions are the corners of a regular simplex, whatever they
// were.
void warn_of_identity(const std::vector<SourceShape>& shapes, Report& report) {
  const auto k = static_cast<Index>(shapes.size());
  if (k < 2) return;
  if (k >= report.n - 1) {
    report.warnings.push_back(
        {WarningCode::not_identifiable,
         fmt::format("{} rows whitened in {} dimensions look the same whatever the data: the "
                     "sources mean nothing; ask for fewer (--components)",
                     report.n, k)});
    return;
  }
  const Index gaussian =
      std::count_if(shapes.begin(), shapes.end(), [](const auto& shape) { return shape.gaussian; });
  if (gaussian < 2) return;
  report.warnings.push_back(
      {WarningCode::not_identifiable,
       fmt::format(
           "{} of {} sources cannot be told from Gaussian ones by {} rows (at a level of {}): "
           "their directions are not determined",
           gaussian, k, report.n, kGaussianFailure)});
}

}  // namespace mercer::detail
