#include "mercer/models/judge.h"

#include "mercer/core/check.h"
#include "mercer/models/class_counts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace mercer {
namespace {

constexpr double kNoShare = std::numeric_limits<double>::quiet_NaN();

}  // namespace

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

ClassTable table_of_classes(const std::vector<std::string>& known, std::span<const Index> predicted,
                            const Labels& truth) {
  MERCER_ASSERT(predicted.size() == truth.of_row.size());
  ClassTable table{known, static_cast<Index>(known.size()), {}, 0, 0};
  constexpr Index kNone = -1;
  std::vector<Index> place;  // of each class of the truth
  for (const std::string& name : truth.classes) {
    const auto found = std::ranges::find(known, name);
    if (found != known.end()) {
      place.push_back(found - known.begin());
    } else if (is_no_class(name)) {
      place.push_back(kNone);
    } else {
      place.push_back(static_cast<Index>(table.classes.size()));
      table.classes.push_back(name);
    }
  }
  table.count.setZero(static_cast<Index>(table.classes.size()), table.known);
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const Index own = place[static_cast<std::size_t>(truth.of_row[i])];
    if (own == kNone) {
      ++table.without_class;
      continue;
    }
    ++table.judged;
    ++table.count(own, predicted[i]);
  }
  return table;
}

double ClassTable::accuracy() const {
  return judged == 0
             ? kNoShare
             : static_cast<double>(count.topRows(known).trace()) / static_cast<double>(judged);
}

Vector ClassTable::recall() const {
  const Vector all = count.rowwise().sum().cast<double>();
  Vector found = Vector::Zero(all.size());
  found.head(known) = count.topRows(known).diagonal().cast<double>();
  return (all.array() > 0).select(found.array() / all.array(), kNoShare);
}

Vector ClassTable::precision() const {
  const Vector all = count.colwise().sum().transpose().cast<double>();
  const Vector right = count.topRows(known).diagonal().cast<double>();
  return (all.array() > 0).select(right.array() / all.array(), kNoShare);
}

Index ClassTable::rows_unknown() const { return count.bottomRows(count.rows() - known).sum(); }

Value ClassTable::describe() const {
  Value value;
  value["accuracy"] = accuracy();
  value["rows"] = judged;
  value["rows_without_class"] = without_class;
  value["rows_of_unknown_classes"] = rows_unknown();
  value["classes"] = Value::of(classes);
  Value& table = value["confusion"] = Value::list();
  for (Index i = 0; i < count.rows(); ++i) {
    Value::List row;
    for (Index j = 0; j < count.cols(); ++j)
      row.emplace_back(static_cast<std::int64_t>(count(i, j)));
    table.push_back(std::move(row));
  }
  value["recall"] = Value::of(recall());
  value["precision"] = Value::of(precision());
  return value;
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
