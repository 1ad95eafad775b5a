#include "mercer/models/detail/gram/width_verdict.h"

#include "mercer/models/detail/regress/centred_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mercer::detail {
namespace {

// Components whose mean eigenvalue is below this multiple of the mean of all are noise: those of
// two halves of a table have nothing in common (docs/guide/choosing.md has the figures).
constexpr double kFlat = 2.5;
// Of fewer rows, or of more components to a row, a flat spectrum may be all there is to see.
constexpr Index kFewestRows = 21, kRowsOfComponent = 10;
// Mean of 1 - k above which a kernel bends: its components are not looked at.
constexpr double kBent = 0.1;
constexpr double kSameDirection = 0.999;
constexpr Index kLooked = 10;

// A single family with k(x, x) = 1, which a width can make the identity or constant.
bool unit_diagonal(const GramProblem& problem) {
  const std::vector<KernelTerm>& terms = problem.kernel.terms();
  return problem.given == Given::table && terms.size() == 1 && terms[0].factors.size() == 1 &&
         visit_family([](const auto& f) { return f.traits.unit_diagonal; }, terms[0].factors[0]);
}

bool warn_of_narrow(GramFit& fit, const GramProblem& problem) {
  const Vector& values = fit.eigen.values;
  const Index n = problem.points.n();
  const auto rest = static_cast<double>(n - 1);
  const double trace = fit.eigen.spectrum.trace;
  const auto warn = [&](const std::string& why) {
    fit.report.warnings.push_back(
        {WarningCode::kernel_near_identity,
         fmt::format("{} is so narrow that {}", problem.kernel.formula(), why)});
    return true;
  };
  if (n > 2 && std::abs(values[0] - 1) < 1e-6 && trace > rest * (1 - 1e-6))
    return warn("every point is alone");
  if (n < kFewestRows || !(trace > (1 - kBent) * rest)) return false;
  const Index looked = std::min(values.size(), (n - 1) / kRowsOfComponent);
  const double share = values.head(looked).sum() / trace,
               equal = static_cast<double>(looked) / rest;
  if (!(share < kFlat * equal)) return false;
  return warn(fmt::format(
      "nearly every point is alone: the first {} hold{} {:.2g} % of the variance, {} of {} equal "
      "parts would be {:.2g} %",
      looked == 1 ? "component" : fmt::format("{} components", looked), looked == 1 ? "s" : "",
      100 * share, looked, n - 1, 100 * equal));
}

// The least |cos| between vectors and their images under the Gram matrix of the centred rows: 1 for
// those of linear PCA.
double least_cosine(DataView rows, const Block& vectors, const Context& context) {
  const CentredRows centred(rows, context);
  const Block images = centred.times(centred.transposed_times(vectors, context), context);
  double least = 1;
  for (Index j = 0; j < vectors.cols(); ++j) {
    const double lengths = images.col(j).norm() * vectors.col(j).norm();
    least =
        std::min(least, lengths > 0 ? std::abs(images.col(j).dot(vectors.col(j))) / lengths : 0);
  }
  return least;
}

void warn_of_wide(GramFit& fit, const GramProblem& problem, const Context& context) {
  const auto n = static_cast<double>(problem.points.n());
  const double trace = fit.eigen.spectrum.trace;
  const auto warn = [&](const std::string& words) {
    fit.report.warnings.push_back(
        {WarningCode::kernel_near_constant,
         fmt::format("{} is so wide that {}", problem.kernel.formula(), words)});
  };
  if (trace < 1e-6 * n)
    return warn(fmt::format("it is nearly constant: {}", problem.kernel.only<Gaussian>() != nullptr
                                                             ? "the result is that of linear PCA"
                                                             : "use a smaller width"));
  const Index looked = std::min(fit.eigen.values.size(), kLooked);
  const Block& vectors = fit.eigen.vectors;
  if (!(trace < kBent * n) || vectors.rows() != problem.points.n() || vectors.cols() < looked)
    return;
  const double cosine = least_cosine(problem.points, vectors.leftCols(looked), context);
  if (!(cosine >= kSameDirection)) return;
  warn(fmt::format("{} those of linear PCA, up to an angle of {:.2g} degrees",
                   looked == 1 ? "the first component's scores are"
                               : fmt::format("the scores of the first {} components are", looked),
                   std::acos(std::min(cosine, 1.0)) * 180 / std::numbers::pi));
}

}  // namespace

void warn_of_width(GramFit& fit, const GramProblem& problem, const Context& context) {
  if (!problem.center || !unit_diagonal(problem)) return;
  if (!warn_of_narrow(fit, problem)) warn_of_wide(fit, problem, context);
}

}  // namespace mercer::detail
