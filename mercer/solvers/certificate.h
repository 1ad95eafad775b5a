// How good an answer is, measured on the operator itself: residuals |A u - mu u|, bounds on
// eigenvalues and on the angle between the computed subspace and the true one, and whether any
// eigenvalue can have been missed.
#pragma once

#include "mercer/core/choice.h"
#include "mercer/core/types.h"
#include "mercer/linalg/operator.h"

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace mercer {

struct EigenResult;

/// How completeness is to be shown: by what rounding allows in float64, with a stated probability
/// of failure, by the cheaper of the two, or not at all.
enum class Certify { automatic, deterministic, probabilistic, none };

inline constexpr std::array<std::string_view, 4> kCertifyWords = {"auto", "deterministic",
                                                                  "probabilistic", "none"};
constexpr ChoiceWords choice_words(Certify) {
  return {"kind of certificate", "certificates", kCertifyWords};
}

/// How completeness was shown.
enum class ProofKind { none, deterministic, probabilistic };

/// "none", "deterministic", "probabilistic": in JSON and model files.
std::string_view name_of(ProofKind kind);
/// The kind of this name, or nothing.
std::optional<ProofKind> parse_proof(std::string_view name);

struct Certificate {
  ProofKind kind = ProofKind::none;
  bool complete = false;      // no eigenvalue was missed
  Vector residuals;           // |A u - mu u| / max |mu|
  Vector eigenvalue_upper;    // no true eigenvalue of this rank is larger (by magnitude: than |it|)
  double angle = 0;           // sine of the angle between the subspaces, at most; infinite when a
                              // cluster is cut
  double failure = 0;         // probability that a probabilistic statement is wrong, at most
  double complement = 0;      // nothing outside the computed basis has a larger eigenvalue
  double operator_error = 0;  // |A computed - A meant|_2 / max |mu|, at most: rounding, and what an
                              // operator leaves out; part of all bounds
  std::string reason;         // why it is not complete, where it is not
};

/// For results of a solver that computed the whole spectrum by orthogonal similarity: complete by
/// construction, with the backward error of the reduction (a modest multiple of n u |A|) and
/// `operator_error`, |A as computed - what A stands for|_2 at most, added to residuals and bounds.
Certificate certify_dense(const SymmetricOperator& a, const EigenResult& result,
                          double operator_error, const Context& context);

/// The same where there was no time for the product: residuals are what the reduction may cause.
Certificate certify_unmeasured(const EigenResult& result, Index n, double operator_error);

/// The same where the residuals |A u - mu u| are known; n: rows of A.
Certificate certify_residuals(const Vector& residuals, const EigenResult& result, Index n,
                              double operator_error);

}  // namespace mercer
