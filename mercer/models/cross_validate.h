// Cross-validation of any method that predicts: each fold's rows are predicted by a model of the
// other rows. All that a fit finds out, scaling, widths, numbers of components, is found anew from
// those rows alone. Classes are spread evenly over the folds. With a_f the share of fold f's rows
// that are right, or s_f its sum of squared errors over n_f rows:
//   accuracy   right rows / n                  standard error   sd(a_f) / sqrt(F)
//   RMSE       sqrt(sum_f s_f / n)             by that of the mean of s_f / n_f
//   R^2        1 - sum_f s_f / sum (y - mean)^2                 likewise
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/value.h"
#include "mercer/models/fold_options.h"
#include "mercer/models/judge.h"
#include "mercer/models/report.h"
#include "mercer/models/training.h"

#include <cstdint>
#include <string_view>

namespace mercer {

struct CrossValidationOptions {
  Index folds = 10;
  std::uint64_t seed = 0;  // of random folds
  /// Rows left out together where numbers are predicted; classes are always spread at random.
  Choice<FoldType> fold_type = FoldType::random;

  /// The seed and the type of fold among a method's options, where it has them.
  static CrossValidationOptions of(Index folds, const Value& method_options);
};

struct CrossValidation {
  Index folds = 0;
  bool classifies = false;
  ClassTable classes = {};                  // of all rows, where it classifies
  double accuracy = 0, accuracy_error = 0;  // likewise
  // Of each target, where it does not.
  Vector rmse = {}, rmse_error = {}, r_squared = {}, r_squared_error = {};
  Warnings warnings = {};

  /// cv_accuracy, cv_accuracy_se, cv_recall, cv_precision, cv_confusion; or cv_rmse, cv_rmse_se,
  /// cv_r_squared, cv_r_squared_se: figures of a model of all rows, and its warnings.
  void add_to(Report& report) const;
};

/// Throws M102 for a method that predicts nothing, and for fewer than 2 folds: before a table is
/// read.
void check_cross_validation(std::string_view method, Index folds);

/// Throws as that does, M102 for more folds than rows, and what the fits throw, naming the fold.
CrossValidation cross_validate(std::string_view method, const Training& training,
                               const Value& options, const CrossValidationOptions& how,
                               const Context& context = {});

}  // namespace mercer
