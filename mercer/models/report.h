// What a fit found and how good it is: printed by the program, stored in the model, returned as
// JSON. Every method has sizes, warnings and figures of its own; those with an eigenproblem also
// have a spectrum.
#pragma once

#include "mercer/core/error.h"
#include "mercer/core/types.h"
#include "mercer/core/value.h"
#include "mercer/plan/plan.h"
#include "mercer/solvers/certificate.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace mercer {

/// A figure that is not known.
constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

/// Eigenvalues of a Gram matrix, what they explain, and how well they are known.
struct Spectrum {
  Vector eigenvalues;         // mu, of the (centred) Gram matrix; variances are mu / n
  Vector ratios;              // share of the total variance; not finite where it is not known
  double trace = 0;           // of the (centred) Gram matrix
  double total = 0;           // what shares are of: the trace, or all magnitudes; 0: not known
  double negative_share = 0;  // sum of |negative eigenvalues| / sum of all |eigenvalues|; not
                              // finite where it is not known
  std::vector<Range>
      clusters;  // runs of equal eigenvalues, whose single vectors the data do not determine
  double tolerance = 1e-6;
  bool eigenvalues_only = false;  // the tolerance is that of the eigenvalues
  Certificate certificate;

  /// What rounding may have done is as large as the eigenvalues: nothing is known of the spectrum.
  bool drowned() const { return certificate.operator_error >= 0.5; }

  /// Shares of this total; none where it is not finite, or nothing is known.
  void share_out(double total);
  /// The shares, or what they are at most where they are not known: all magnitudes add up to no
  /// less than the trace, nor than those found. Not finite where nothing is known.
  Vector ratio_bounds() const;
};

/// A number, a list of numbers or of names, or a table as a list of such lists, one for each of its
/// rows, that a method wants to be shown. A table with as many rows as the model has columns is
/// shown with the names of the columns.
struct Figure {
  std::string name;
  Value value;
  /// Its entries stand for something else, such as components, even where they are as many.
  bool not_of_columns = false;
};

/// How many components a rule took (--components auto), and which rule that was.
struct ChosenComponents {
  Index count = 0;
  std::string rule;  // as after auto:
  std::string by;    // "cross-validation (one standard error)"
};

struct Report {
  Index n = 0, dim = 0;
  bool converged = true;
  std::optional<ChosenComponents> chosen = {};  // where a rule was asked for
  std::optional<Spectrum> spectrum = {};
  std::vector<Figure> figures = {};
  Plan plan = {};  // without an operator where nothing was planned
  Warnings warnings = {};

  /// The fields of the JSON contract from "components" to "warnings"; those of the spectrum and of
  /// the plan only where there is one.
  void add_to(Value& value) const;
  /// Inverse of add_to, for loading; predictions are not stored. Throws M703, naming the field, for
  /// what is missing, out of range or of another length than the eigenvalues.
  static Report from(const Value& value);
};

}  // namespace mercer
