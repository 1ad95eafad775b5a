#include "mercer/models/detail/regress/targets.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/data/summary.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>

namespace mercer::detail {
namespace {

// A correlation that differs from 1 by less is 1: rounding of the sums of squares.
constexpr double kSame = 1e-12;

std::string name_in(const std::vector<std::string>& names, Index number) {
  return names.empty() ? fmt::format("{}", number + 1)
                       : fmt::format("\"{}\"", printable(names[static_cast<std::size_t>(number)]));
}

}  // namespace

CentredTargets centred_targets(DataView targets, bool standard) {
  const Summary summary = summarize(targets, {});
  if (summary.deviation.maxCoeff() == 0)
    throw Error(ErrorCode::constant_target,
                targets.dim() == 1
                    ? "the target is the same in all rows: nothing to predict"
                    : fmt::format("all {} targets are constant: nothing to predict", targets.dim()),
                "check that the right column was named with --target");
  CentredTargets centred;
  centred.mean = summary.mean;
  const double unit = power_of_two_scale(targets, {});
  centred.factor = Vector::Constant(targets.dim(), unit);
  centred.y = targets.to_points();
  for (Index j = 0; j < targets.dim(); ++j) {
    auto column = centred.y.col(j);
    column = column * unit;
    column.array() -= column[0];  // an offset costs no digits
    column.array() -= column.mean();
    if (!(summary.deviation[j] > 0)) column.setZero();
    const double deviation = std::sqrt(column.squaredNorm() / static_cast<double>(targets.n()));
    if (!standard || !(deviation > 0)) continue;
    column /= deviation;
    centred.factor[j] = unit / deviation;
  }
  centred.squares = centred.y.colwise().squaredNorm();
  return centred;
}

void warn_about_targets(const Prepared& prepared, const CentredTargets& targets,
                        const Vector& column_squares, const Block& products, Warnings& warnings) {
  const std::vector<std::string>&names = prepared.input.target_names,
        &columns = prepared.input.column_names;
  for (Index t = 0; t < targets.count(); ++t) {
    if (targets.squares[t] == 0) {
      warnings.push_back({WarningCode::constant_target,
                          fmt::format("target {} is the same in all rows: it is predicted to be "
                                      "that number",
                                      name_in(names, t))});
      continue;
    }
    for (Index j = 0; j < products.rows(); ++j) {
      const double both = targets.squares[t] * column_squares[j];
      if (!(both > 0) || products(j, t) * products(j, t) < (1 - kSame) * both) continue;
      warnings.push_back(
          {WarningCode::target_among_columns,
           fmt::format("column {} is target {} in other units: it alone predicts it without error",
                       name_in(columns, j), name_in(names, t))});
      break;  // one is enough
    }
  }
}

Vector r_squared(const CentredTargets& targets, const Block& residual) {
  const Vector left = residual.colwise().squaredNorm();
  return (targets.squares.array() > 0)
      .select(1 - left.array() / targets.squares.array(), std::numeric_limits<double>::quiet_NaN());
}

}  // namespace mercer::detail
