// How right predictions are, where the truth is known.
#pragma once

#include "mercer/data/dataset.h"
#include "mercer/models/ability.h"

namespace mercer {

/// The class of each row: the one with the largest figure, the first of equal ones.
Labels predicted_classes(const Predicts& model, ConstBlockRef predictions);

/// The share of rows whose predicted class is their own; classes that the model does not know are
/// wrong.
double accuracy_of(const Predicts& model, ConstBlockRef predictions, const Labels& truth);

/// 1 - sum (y - prediction)^2 / sum (y - mean)^2 of each target over the rows that have it; not
/// finite where it does not vary there.
struct RSquared {
  Vector values, rows;  // how many rows those are
};
RSquared r_squared_of(ConstBlockRef predictions, DataView truth);

}  // namespace mercer
