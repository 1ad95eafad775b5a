// How right predictions are, where the truth is known.
#pragma once

#include "mercer/core/value.h"
#include "mercer/data/dataset.h"
#include "mercer/models/ability.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// The class of each row: the one with the largest figure, the first of equal ones.
Labels predicted_classes(const Predicts& model, ConstBlockRef predictions);

/// Predicted classes against own ones, counted. Rows without a class are counted apart; a class
/// that cannot be predicted, since the model does not know it, is a row of the table all the same:
/// all of its rows are wrong.
struct ClassTable {
  std::vector<std::string> classes;    // those of the model, then others that the rows have
  Index known = 0;                     // how many of them are the model's
  Eigen::Matrix<Index, -1, -1> count;  // rows: own class; columns: predicted, the known ones
  Index judged = 0, without_class = 0;

  double accuracy() const;
  /// Of each class: the share of its rows that were found; not finite where it has none.
  Vector recall() const;
  /// Of each known class: the share of the rows predicted so that are right; not finite where there
  /// are none.
  Vector precision() const;
  /// Rows whose class the model does not know.
  Index rows_unknown() const;
  /// All of it, for JSON.
  Value describe() const;
};

/// `predicted`: the number of each row's class among those of the model.
ClassTable table_of_classes(const std::vector<std::string>& known, std::span<const Index> predicted,
                            const Labels& truth);

/// 1 - sum (y - prediction)^2 / sum (y - mean)^2 of each target over the rows that have it; not
/// finite where it does not vary there.
struct RSquared {
  Vector values, rows;  // how many rows those are
};
RSquared r_squared_of(ConstBlockRef predictions, DataView truth);

}  // namespace mercer
