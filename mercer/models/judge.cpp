#include "mercer/models/judge.h"

#include "mercer/core/check.h"

#include <cmath>
#include <limits>
#include <vector>

namespace mercer {

Labels predicted_classes(const Predicts& model, ConstBlockRef predictions) {
  Labels labels{"predicted", model.prediction_names(), {}};
  labels.of_row.reserve(static_cast<std::size_t>(predictions.rows()));
  for (Index i = 0; i < predictions.rows(); ++i) {
    Index best = 0;
    predictions.row(i).maxCoeff(&best);
    labels.of_row.push_back(best);
  }
  return labels;
}

double accuracy_of(const Predicts& model, ConstBlockRef predictions, const Labels& truth) {
  const Labels found = predicted_classes(model, predictions);
  MERCER_ASSERT(found.of_row.size() == truth.of_row.size());
  std::size_t right = 0;
  for (std::size_t i = 0; i < found.of_row.size(); ++i) {
    const std::string& predicted = found.classes[static_cast<std::size_t>(found.of_row[i])];
    right += predicted == truth.classes[static_cast<std::size_t>(truth.of_row[i])] ? 1 : 0;
  }
  return found.of_row.empty()
             ? std::numeric_limits<double>::quiet_NaN()
             : static_cast<double>(right) / static_cast<double>(found.of_row.size());
}

RSquared r_squared_of(ConstBlockRef predictions, DataView truth) {
  MERCER_ASSERT(predictions.rows() == truth.n() && predictions.cols() == truth.dim());
  const Points all = truth.to_points();
  RSquared judged{Vector(all.cols()), Vector(all.cols())};
  for (Index j = 0; j < all.cols(); ++j) {
    std::vector<Index> known;
    for (Index i = 0; i < all.rows(); ++i)
      if (std::isfinite(all(i, j))) known.push_back(i);
    const Vector y = all.col(j)(known), predicted = predictions.col(j)(known);
    const double squares = known.empty() ? 0 : (y.array() - y.mean()).matrix().squaredNorm();
    judged.values[j] = squares > 0 ? 1 - (y - predicted).squaredNorm() / squares
                                   : std::numeric_limits<double>::quiet_NaN();
    judged.rows[j] = static_cast<double>(known.size());
  }
  return judged;
}

}  // namespace mercer
