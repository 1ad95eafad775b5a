#include "mercer/models/detail/given_distances.h"

#include "mercer/core/error.h"
#include "mercer/core/parallel.h"

#include <fmt/format.h>

#include <cmath>

namespace mercer::detail {

Points symmetric_distances(DataView matrix, Given given, const Context& context) {
  Points d(matrix.n(), matrix.n());
  parallel_for(context, matrix.n(), [&](Index i) {
    for (Index j = 0; j < matrix.n(); ++j) {
      const double both = 0.5 * matrix.at(i, j) + 0.5 * matrix.at(j, i);
      d(i, j) = i == j ? 0 : given == Given::squared_distance ? std::sqrt(both) : both;
    }
  });
  return d;
}

Points raised(const Points& distances, double c, const Context& context) {
  Points more(distances.rows(), distances.cols());
  parallel_for(context, distances.rows(), [&](Index i) {
    more.row(i) = distances.row(i).array() + c;
    more(i, i) = 0;
  });
  return more;
}

void take_distances(double* row, Index count, Given given, double scale, Index number) {
  for (Index j = 0; j < count; ++j) {
    double& d = row[j];
    if (d < 0)
      throw Error(ErrorCode::bad_distances, fmt::format("a distance is negative: {:.6g}", d),
                  "give distances to the training samples",
                  fmt::format("row {}, column {}", number, j + 1));
    d = scale * (given == Given::squared_distance ? std::sqrt(d) : d);
  }
}

Points raised_rows(DataView rows, double c, bool squares) {
  Points more = rows.to_points();
  for (Index i = 0; i < more.rows(); ++i) {
    take_distances(more.row(i).data(), more.cols(),
                   squares ? Given::squared_distance : Given::distance, 1, rows.number_of(i));
    for (Index j = 0; j < more.cols(); ++j)
      if (more(i, j) > 0) more(i, j) += c;
  }
  return more;
}

}  // namespace mercer::detail
