// cholesky_features: K = F F' from a few columns of K, chosen by pivoted Cholesky until what is
// left of the trace is below the tolerance. What is left is positive semidefinite, so its trace
// bounds its norm: the error is known, not estimated. Worth it where the spectrum falls fast:
// smooth kernels in a few dimensions. Scores of new rows need the chosen rows alone.
#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/linalg/tall.h"
#include "mercer/operators/centered.h"
#include "mercer/operators/geometry.h"
#include "mercer/operators/pivoted_cholesky.h"
#include "mercer/operators/recipe.h"
#include "mercer/operators/stored_factor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace cholesky_features_kind {
namespace {

constexpr Index kMostColumns = 2000;
// The trace bounds the norm generously: half as much again may be left.
constexpr double kRoom = 1.5;
constexpr std::uint64_t kSeed = 17;  // of the pivots: any gives an answer within the same bound

// The pivots of the sample suffice for the sample; random ones follow for the other rows, more of
// them the more rows there are: 470 columns for 197 of the sample at 10^6 rows in 3 dimensions.
Index expected_columns(const GramProblem& problem) {
  const auto rank = static_cast<double>(problem.facts.geometry->sample.rank);
  const double beyond = std::max(0.0, std::log10(static_cast<double>(problem.points.n()) / 2e4));
  return static_cast<Index>(rank * (1.06 + 0.8 * beyond)) + 4;
}
Index most_columns(const GramProblem& problem) {
  return std::min({kMostColumns, 3 * expected_columns(problem), problem.points.n()});
}

class CholeskyFeatures final : public StoredFactor {
 public:
  CholeskyFeatures(const GramProblem& problem, const Context& context) {
    Context in_double = context;
    in_double.budget.precision = Precision::double_;
    const auto gram = unstored_recipe().build(problem, in_double);
    const auto n = static_cast<double>(problem.points.n());
    const double unit = gram->unit();
    const CholeskyStart start{problem.facts.geometry->sample.pivots,
                              kRoom * n * problem.facts.geometry->allowed / unit};
    PivotedCholesky chosen =
        pivoted_cholesky(*gram, most_columns(problem), 0x1p-53, kSeed, in_double, start);
    if (chosen.factor.cols() == 0)
      throw Error(ErrorCode::no_positive_eigenvalue, "the kernel is constant on these rows",
                  "choose a smaller width");
    pivots_ = std::move(chosen.pivots);
    factor_ = std::move(chosen.factor);
    if (unit != 1) factor_ *= std::sqrt(unit);
    const Index rank = factor_.cols();
    // What is left is found by subtraction.
    error_ = unit * (chosen.left +
                     n * static_cast<double>(rank) * 0x1p-52 * gram->diagonal(context).maxCoeff());
    at_pivots_ = Block(rank, rank);
    for (Index i = 0; i < rank; ++i)
      at_pivots_.row(i) = factor_.row(pivots_[static_cast<std::size_t>(i)]);
    mean_ = Vector::Zero(rank);
    matrix_ = self_products(factor_, context);
    if (!problem.center) return;
    // The factor stays as it is; what centring takes out of products is small beside rounding.
    mean_ = inner_products(factor_, Block::Ones(factor_.rows(), 1), context) / n;
    const Vector root = std::sqrt(n) * mean_;
    matrix_ -= root * root.transpose();
  }

  double error() const override { return error_; }
  double gram_factor() const override { return 1; }

  Block lift(ConstBlockRef w, const Context& context) const override {
    Block lifted(factor_.rows(), w.cols());
    mercer::multiply(lifted, factor_, w, context);
    lifted.rowwise() -= (mean_.transpose() * w).eval();
    return lifted;
  }
  Block restrict(ConstBlockRef u, const Context& context) const override {
    Block small = inner_products(factor_, u, context);
    small.noalias() -= mean_ * u.colwise().sum();
    return small;
  }

  // Sums run over a part of the rows, an eighth of many at most (self_products), then over parts.
  FactorError factor_error() const override {
    const auto n = static_cast<double>(factor_.rows()), rank = static_cast<double>(factor_.cols());
    const double squares = matrix_.trace() + n * mean_.squaredNorm();
    const double depth = std::min(n, 2048 + n / 8) + 16;
    return {.small = 2 * depth * 0x1p-53 * squares,
            .lift = (rank + 4) * 0x1p-53 * std::sqrt(squares)};
  }

  // f(x) = F_S^-1 k_S(x) with the rows S that were chosen, F_S lower triangular.
  std::optional<Scorer> scorer(ConstBlockRef w, ConstBlockRef, const Vector&,
                               const Context& /*context*/) const override {
    Scorer scorer;
    scorer.landmarks = pivots_;
    scorer.bias = w.transpose() * mean_;
    scorer.weights = w;
    at_pivots_.triangularView<Eigen::Lower>().transpose().solveInPlace(scorer.weights);
    return scorer;
  }

 private:
  void multiply(ConstBlockRef x, BlockRef y) const override { y.noalias() = matrix_ * x; }

  std::vector<Index> pivots_;
  Block factor_, at_pivots_;
  Vector mean_;
  double error_ = 0;
};

std::optional<std::string> refuse(const GramProblem& problem, const Budget& budget) {
  if (const auto reason = refuse_expansion(problem, budget)) return reason;
  if (problem.open_count) return "it finds leading components, not all";
  if (problem.facts.geometry->sample.rank == 0) return "the spectrum falls too slowly";
  const Index expected = expected_columns(problem);
  if (2 * expected > problem.points.n())
    return fmt::format("would take {} columns of {}", grouped(expected),
                       grouped(problem.points.n()));
  if (problem.components > problem.facts.geometry->sample.rank / 2)
    return fmt::format("too many components for {} columns of the matrix", grouped(expected));
  return std::nullopt;
}

Index size(const GramProblem& problem) { return expected_columns(problem); }

Cost cost(const GramProblem& problem, const Machine& machine, Precision, Index columns) {
  const auto n = static_cast<double>(problem.points.n()),
             dim = static_cast<double>(problem.points.dim()), b = static_cast<double>(columns);
  const auto rank = static_cast<double>(expected_columns(problem));
  const double entries = n * (rank + 8) * (2 * dim / machine.gemm_double + 1 / machine.map_double);
  return {
      .setup_seconds = entries + 5 * n * rank * rank / machine.gemm_double +
                       8 * 30 * n * rank / machine.bandwidth,
      .pass_seconds = 2 * rank * rank * b / machine.gemm_double,
      .form_seconds = 16 * rank * rank / machine.bandwidth,
      .bytes = static_cast<std::uint64_t>(7e6 + 8 * n * (rank + 16 + dim + 2) + 24 * rank * rank),
      .error = std::max(problem.facts.geometry->allowed, 0x1p-50),
      .terms = rank,
      .terms_name = "columns"};
}

std::unique_ptr<SymmetricOperator> build(const GramProblem& problem, const Context& context) {
  return std::make_unique<CholeskyFeatures>(problem, context);
}

}  // namespace
}  // namespace cholesky_features_kind

const OperatorRecipe& cholesky_features_recipe() {
  using namespace cholesky_features_kind;
  static constexpr OperatorRecipe recipe{
      "cholesky_features",
      "a few columns of K, until what is left is below the tolerance",
      refuse,
      size,
      cost,
      build,
      true};
  return recipe;
}

}  // namespace mercer
