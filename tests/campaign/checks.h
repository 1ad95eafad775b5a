// What a fit states, held against the truth. Each check allows what the documentation states (the
// tolerance, the residuals, the error of the operator, docs/how/accuracy.md) and the rounding of
// the truth itself, nothing else; the few allowances that no field states are derived where they
// stand.
#pragma once

#include "mercer/models/kind.h"
#include "tests/campaign/configuration.h"
#include "tests/campaign/truth.h"

#include <string>
#include <vector>

namespace mercer::campaign {

/// A statement that is not true.
struct Violation {
  std::string kind;    // a few words, the same for all of its kind
  std::string detail;  // numbers
};
using Violations = std::vector<Violation>;

/// A fit, and what it should have found.
struct Answer {
  Configuration asked;
  Report report;
  Block scores;          // of the training rows
  Block again;           // the same by transform(); empty where it failed
  double new_entry = 0;  // what a kernel value of transform() may be off by, with float32 tiles
  Vector signature;      // policy krein
  Truth truth;

  // By the policy: true values in the order of components, the eigenvalues of K they stand for, and
  // the vectors.
  LongVector values, eigenvalues;
  LongMatrix vectors;
  bool shifted = false;

  // In units of the truth.
  LongVector mu, upper, residuals;
  Long largest = 0;  // magnitude of an eigenvalue, of those that are and those that are stated
  Long operator_error = 0;
  // Of vectors and entries as doubles, where rounding is not part of a statement; 2^-24 with
  // float32 tiles.
  Long unit = 0x1p-53L;

  Index count() const { return mu.size(); }
  bool has(WarningCode code) const;
  bool whole_spectrum() const;  // the solver found all eigenvalues
};

/// Fills in all that follows from the report and the truth.
void prepare(Answer& answer);

void check_values(const Answer& answer, Violations& out);   // eigenvalues, bounds, completeness
void check_vectors(const Answer& answer, Violations& out);  // scores, residuals, angle, new rows
void check_report(const Answer& answer, Violations& out);   // shares, clusters, warnings

/// The eigenvectors that the scores stand for: scores over the root of the eigenvalue.
LongMatrix vectors_of(const Answer& answer);

/// "1.2e-08", for details.
std::string number(Long x);

}  // namespace mercer::campaign
