// given_matrix: the kernel matrix that the user brought, or the one that his distances stand for.
// The two halves are averaged, so that it is exactly symmetric.
#include "mercer/core/parallel.h"
#include "mercer/kernels/tile.h"
#include "mercer/kernels/value_unit.h"
#include "mercer/linalg/blas.h"
#include "mercer/operators/given_kernel.h"
#include "mercer/operators/recipe.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {
namespace given_matrix_kind {
namespace {

class GivenMatrix final : public SymmetricOperator {
 public:
  GivenMatrix(const GramProblem& problem, const Context& context)
      : matrix_(problem.points.n(), problem.points.n()) {
    const Index n = problem.points.n();
    const std::vector<Range> parts = tiles_of(n, kTileRows);
    parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
      const Range part = parts[static_cast<std::size_t>(t)];
      for (Index i = part.begin; i < part.end; ++i) {
        double* const column = matrix_.col(i).data();
        problem.points.copy_row(i, column);
        kernel_of_entries(problem.given, problem.kernel, {column, static_cast<std::size_t>(n)});
      }
    });
    Vector largest = Vector::Zero(static_cast<Index>(parts.size()));
    parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
      const Range part = parts[static_cast<std::size_t>(t)];
      for (Index i = part.begin; i < part.end; ++i)
        for (Index j = 0; j <= i; ++j) {
          matrix_(i, j) = matrix_(j, i) = 0.5 * matrix_(i, j) + 0.5 * matrix_(j, i);
          largest[t] = std::max(largest[t], std::abs(matrix_(i, j)));
        }
    });
    unit_ = unit_for(largest.size() > 0 ? largest.maxCoeff() : 0);
    if (unit_ != 1) matrix_ /= unit_;
  }

  Index size() const override { return matrix_.rows(); }
  Vector diagonal(const Context& /*context*/) const override { return matrix_.diagonal(); }
  double unit() const override { return unit_; }
  void form(BlockRef out, const Context& /*context*/) const override { out = matrix_; }

  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context& context) const override {
    const std::vector<Range> parts = tiles_of(size(), kTileRows);
    parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
      const Range rows = parts[static_cast<std::size_t>(t)];
      // The matrix is symmetric: columns are contiguous where rows are not.
      gemm(Transpose::yes, Transpose::no, 1.0, matrix_.middleCols(rows.begin, rows.size()), x, 0.0,
           y.middleRows(rows.begin, rows.size()));
    });
    if (sums == nullptr) return;
    sums->row_sums = matrix_.colwise().sum().transpose();
    sums->trace = matrix_.trace();
    sums->frobenius_squared = matrix_.squaredNorm();
    sums->frobenius_error = 0x1p-50;
  }

 private:
  Block matrix_;
  double unit_ = 1;
};

std::optional<std::string> refuse(const GramProblem& problem, const Budget&) {
  if (problem.given == Given::table) return "the rows are a table, not a matrix of pairs";
  return std::nullopt;
}

Index size(const GramProblem& problem) { return problem.points.n(); }

Cost cost(const GramProblem& problem, const Machine& machine, Precision, Index columns) {
  const auto n = static_cast<double>(problem.points.n());
  return {.setup_seconds = 32 * n * n / machine.bandwidth,
          .pass_seconds = 2 * n * n * static_cast<double>(columns) / machine.gemm_double,
          .form_seconds = 16 * n * n / machine.bandwidth,
          .bytes = static_cast<std::uint64_t>(8 * n * n),
          .error = 0x1p-53};
}

std::unique_ptr<SymmetricOperator> build(const GramProblem& problem, const Context& context) {
  return std::make_unique<GivenMatrix>(problem, context);
}

}  // namespace
}  // namespace given_matrix_kind

const OperatorRecipe& given_matrix_recipe() {
  using namespace given_matrix_kind;
  static constexpr OperatorRecipe recipe{
      "given_matrix", "the kernel or distance matrix that was given", refuse, size, cost, build};
  return recipe;
}

}  // namespace mercer
