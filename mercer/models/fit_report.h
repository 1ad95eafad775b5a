// What a fit found and how good it is: printed by the program, stored in the model, returned as
// JSON.
#pragma once

#include "mercer/core/error.h"
#include "mercer/core/types.h"
#include "mercer/core/value.h"
#include "mercer/plan/plan.h"
#include "mercer/solvers/certificate.h"

#include <vector>

namespace mercer {

struct FitReport {
  Index n = 0, dim = 0;
  Vector eigenvalues;         // mu, of the (centred) Gram matrix; variances are mu / n
  Vector ratios;              // share of the total variance; not finite where it is not known
  double trace = 0;           // of the (centred) Gram matrix
  double negative_share = 0;  // sum of |negative eigenvalues| / sum of all |eigenvalues|; not
                              // finite where it is not known
  std::vector<Range>
      clusters;  // runs of equal eigenvalues, whose single vectors the data do not determine
  double tolerance = 1e-6;
  bool eigenvalues_only = false;  // the tolerance is that of the eigenvalues
  bool converged = true;
  Certificate certificate;
  Plan plan;
  Warnings warnings;

  /// What rounding may have done is as large as the eigenvalues: nothing is known of the spectrum.
  bool drowned() const { return certificate.operator_error >= 0.5; }

  /// Shares of this total; none where nothing is known.
  void share_out(double total);
  /// The shares, or what they are at most where they are not known: all magnitudes add up to no
  /// less than the trace, nor than those found. Not finite where nothing is known.
  Vector ratio_bounds() const;

  /// The fields of the JSON contract from "components" to "warnings".
  void add_to(Value& value) const;
  /// Inverse of add_to, for loading; predictions are not stored. Throws M703, naming the field, for
  /// what is missing, out of range or of another length than the eigenvalues.
  static FitReport from(const Value& value);
};

}  // namespace mercer
