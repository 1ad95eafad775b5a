// linear_gram: X (X' u), the n x n side of PCA, for data with more columns than rows.
#include "mercer/core/parallel.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/blas.h"
#include "mercer/operators/linear_rows.h"
#include "mercer/operators/recipe.h"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

class LinearGram final : public SymmetricOperator {
 public:
  LinearGram(const GramProblem& problem, const Context& context)
      : context_(context), x_(problem, context) {}

  Index size() const override { return x_.rows.rows(); }
  Vector diagonal() const override { return x_.rows.rowwise().squaredNorm() * x_.factor; }

  void apply(ConstBlockRef x, BlockRef y, PassSums* sums) const override {
    // A row-major X is a column-major X'.
    const Eigen::Map<const Block> transposed(x_.rows.data(), x_.rows.cols(), x_.rows.rows());
    Block inner(x_.rows.cols(), x.cols());
    const BlasThreadGuard guard;
    gemm(Transpose::no, Transpose::no, x_.factor, transposed, x, 0.0, inner);
    gemm(Transpose::yes, Transpose::no, 1.0, transposed, inner, 0.0, y);
    if (sums == nullptr) return;
    sums->row_sums = x_.rows * (x_.rows.colwise().sum().transpose() * x_.factor);
    sums->trace = x_.rows.squaredNorm() * x_.factor;
    sums->frobenius_error = 0x1p-50;
    const Block small = transposed * transposed.transpose();
    sums->frobenius_squared = small.squaredNorm() * x_.factor * x_.factor;
  }

  void form(BlockRef out) const override {
    const Index n = size(), dim = x_.rows.cols();
    const std::vector<Range> blocks = tiles_of(n, kTileRows);
    std::vector<TilePair> pairs;
    for (const auto& round : pair_rounds(static_cast<Index>(blocks.size())))
      pairs.insert(pairs.end(), round.begin(), round.end());
    parallel_for(context_, static_cast<Index>(pairs.size()), [&](Index t) {
      const Range rows = blocks[static_cast<std::size_t>(pairs[static_cast<std::size_t>(t)].first)];
      const Range cols =
          blocks[static_cast<std::size_t>(pairs[static_cast<std::size_t>(t)].second)];
      Points tile(rows.size(), cols.size());
      row_products(rows.size(), cols.size(), dim, x_.rows.data() + rows.begin * dim, dim,
                   x_.rows.data() + cols.begin * dim, dim, tile.data(), cols.size());
      tile *= x_.factor;
      // A product of rows with themselves need not be symmetric to the last digit: the BLAS may sum
      // (i, j) and (j, i) in another order. One half is mirrored.
      if (rows.begin == cols.begin)
        tile.triangularView<Eigen::StrictlyUpper>() = tile.transpose().eval();
      out.block(rows.begin, cols.begin, rows.size(), cols.size()) = tile;
      out.block(cols.begin, rows.begin, cols.size(), rows.size()) = tile.transpose();
    });
  }

 private:
  const Context& context_;
  LinearRows x_;
};

std::optional<std::string> refuse(const GramProblem& problem, const Budget&) {
  return refuse_unless_linear(problem);
}

Index size(const GramProblem& problem) { return problem.points.n(); }

Cost cost(const GramProblem& problem, const Machine& machine, Precision, Index columns) {
  const auto n = static_cast<double>(problem.points.n()),
             dim = static_cast<double>(problem.points.dim());
  return {.setup_seconds = 32 * n * dim / machine.bandwidth,
          .pass_seconds = 4 * n * dim * static_cast<double>(columns) / machine.gemm_double,
          .form_seconds = n * n * dim / machine.gemm_double + 8 * n * n / machine.bandwidth,
          .bytes = static_cast<std::uint64_t>(8 * n * dim),
          .error = 0x1p-53 * (4 + std::sqrt(dim))};
}

std::unique_ptr<SymmetricOperator> build(const GramProblem& problem, const Context& context) {
  return std::make_unique<LinearGram>(problem, context);
}

}  // namespace

const OperatorRecipe& linear_gram_recipe() {
  static constexpr OperatorRecipe recipe{
      "linear_gram", "X (X' u): the n x n side of PCA", refuse, size, cost, build};
  return recipe;
}

}  // namespace mercer
