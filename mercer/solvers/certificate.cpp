#include "mercer/solvers/certificate.h"

#include "mercer/core/error.h"
#include "mercer/solvers/eigen.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

// LAPACK's own tests accept |A - Z D Z'| up to 30 n u |A|; measured values are below 1.
constexpr double kBackwardError = 30;

// In the order of ProofKind.
constexpr std::array<std::string_view, 3> kProofs = {"none", "deterministic", "probabilistic"};

// Searches know the values they found only.
double largest_known(const EigenResult& result) {
  const Vector& known =
      result.spectrum.all_values.size() > 0 ? result.spectrum.all_values : result.values;
  return known.cwiseAbs().maxCoeff();
}

}  // namespace

std::string_view name_of(ProofKind kind) { return kProofs[static_cast<std::size_t>(kind)]; }

std::optional<ProofKind> parse_proof(std::string_view name) {
  for (std::size_t i = 0; i < kProofs.size(); ++i)
    if (name == kProofs[i]) return static_cast<ProofKind>(i);
  return std::nullopt;
}

Certificate certify_dense(const SymmetricOperator& a, const EigenResult& result,
                          double operator_error, const Context& context) {
  const Index n = a.size(), count = result.values.size();
  if (count == 0) return certify_residuals({}, result, n, operator_error);
  Block image(n, count);
  a.apply(result.vectors, image, nullptr, context);
  image -= result.vectors * result.values.asDiagonal();
  const double largest = largest_known(result);
  image /= largest;  // squares of a matrix near the ends of the range would not be numbers
  return certify_residuals(image.colwise().norm().transpose() * largest, result, n, operator_error);
}

Certificate certify_unmeasured(const EigenResult& result, Index n, double operator_error) {
  const double largest = result.values.size() > 0 ? largest_known(result) : 0;
  const double bound = kBackwardError * static_cast<double>(n) * 0x1p-53 * largest;
  return certify_residuals(Vector::Constant(result.values.size(), bound), result, n,
                           operator_error);
}

Certificate certify_residuals(const Vector& residuals, const EigenResult& result, Index n,
                              double operator_error) {
  Certificate certificate;
  certificate.kind = ProofKind::deterministic;
  certificate.complete = true;
  const Index count = result.values.size();
  if (count == 0) return certificate;
  const double largest = largest_known(result);
  certificate.residuals = (residuals.array() + operator_error) / largest;
  certificate.operator_error = operator_error / largest;

  const double slack = kBackwardError * static_cast<double>(n) * 0x1p-53 * largest + operator_error;
  certificate.eigenvalue_upper = result.values.cwiseAbs().array() + slack;
  // Davis-Kahan: |sin| <= |residual block|_2 / gap to the values left out.
  const double gap =
      std::abs(result.values[count - 1]) - std::abs(result.spectrum.next_value) - 2 * slack;
  certificate.angle = gap > 0 ? std::min(1.0, (residuals.norm() + operator_error) / gap)
                              : std::numeric_limits<double>::infinity();
  return certificate;
}

}  // namespace mercer
