// streamed_covariance: X~'(X~ w) / n by a walk over the rows for each product. Nothing is kept but
// the vectors: for tables with so many columns that their covariance is too large, for sparse rows,
// and for few components of many columns.
#include "mercer/data/row_panels.h"
#include "mercer/operators/axes_rows.h"
#include "mercer/operators/factored.h"
#include "mercer/operators/recipe.h"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace streamed_covariance_kind {
namespace {

class StreamedCovariance final : public FactoredOperator {
 public:
  explicit StreamedCovariance(const GramProblem& problem) : rows_(problem) {}

  Index size() const override { return rows_.dim(); }
  double unit() const override { return rows_.unit(); }
  double gram_factor() const override { return static_cast<double>(rows_.n()); }
  Vector diagonal(const Context& /*context*/) const override { return rows_.variances(); }

  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context& context) const override {
    if (sums == nullptr) {
      y = rows_.image(x, context) / gram_factor();
      return;
    }
    Block wider(x.rows(), x.cols() + 1);
    wider << x, Vector::Ones(x.rows());
    const Block image = rows_.image(wider, context) / gram_factor();
    y = image.leftCols(x.cols());
    sums->row_sums = image.col(x.cols());
    sums->trace = rows_.variances().sum();
    // |A|_F <= tr A, for A has no negative eigenvalues.
    sums->frobenius_squared = sums->trace * sums->trace;
    sums->frobenius_error = 0x1p-50;
  }

  Block lift(ConstBlockRef w, const Context& context) const override {
    return rows_.lift(w, context);
  }
  Block restrict(ConstBlockRef u, const Context& context) const override {
    return rows_.restrict(u, context);
  }
  Block image(ConstBlockRef w, const Context& context) const override {
    return rows_.image(w, context);
  }

 private:
  AxesRows rows_;
};

std::optional<std::string> refuse(const GramProblem& problem, const Budget&) {
  if (const auto reason = refuse_unless_by_axes(problem)) return reason;
  if (problem.components > problem.points.dim()) return "more components than columns";
  return std::nullopt;
}

Index size(const GramProblem& problem) { return problem.points.dim(); }

Cost cost(const GramProblem& problem, const Machine& machine, Precision, Index columns) {
  const auto n = static_cast<double>(problem.points.n()),
             dim = static_cast<double>(problem.points.dim()), wide = static_cast<double>(columns);
  const bool sparse = problem.points.sparse();
  const auto stored = static_cast<double>(problem.points.stored());
  const double walk = walk_seconds(problem, machine);
  const double products =
      sparse ? 4 * stored * wide / machine.skinny_double : 4 * n * dim * wide / machine.gemm_double;
  const double working =
      sparse ? 24 * n * wide
             : static_cast<double>(panel_bytes(problem.points.n(), problem.points.dim()));
  return {.setup_seconds = walk,
          .pass_seconds = products + walk,
          .form_seconds = (sparse ? 4 * stored : 4 * n * dim) * dim / machine.gemm_double + walk,
          .bytes = static_cast<std::uint64_t>(working + 24 * dim * wide) +
                   moments_bytes(problem.points.n(), problem.points.dim(), false) +
                   chunk_bytes(problem),
          .error = 0x1p-53 * (4 + std::sqrt(n))};
}

std::unique_ptr<SymmetricOperator> build(const GramProblem& problem, const Context& context) {
  context.check_cancelled();
  return std::make_unique<StreamedCovariance>(problem);
}

}  // namespace
}  // namespace streamed_covariance_kind

const OperatorRecipe& streamed_covariance_recipe() {
  using namespace streamed_covariance_kind;
  static constexpr OperatorRecipe recipe{
      .name = "streamed_covariance",
      .summary = "X' (X w) / n by a walk over the rows for each product, for PCA",
      .refuse = refuse,
      .size = size,
      .cost = cost,
      .build = build,
      .streams = Streams::every_pass};
  return recipe;
}

}  // namespace mercer
