// linear_gram: X (X' u), the n x n side of PCA, for data with more columns than rows.
#include "mercer/core/parallel.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/blas.h"
#include "mercer/operators/axes_rows.h"
#include "mercer/operators/linear_rows.h"
#include "mercer/operators/recipe.h"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace linear_gram_kind {
namespace {

// Operations per second of a slow machine, and the part of the time allowed that the sum of squares
// may take there.
constexpr double kSlowRate = 1e10, kShareOfTime = 0.2;

class LinearGram final : public SymmetricOperator {
 public:
  LinearGram(const GramProblem& problem, const Context& context) : x_(problem, context) {}

  Index size() const override { return x_.rows.rows(); }
  double unit() const override { return x_.unit; }
  Vector diagonal(const Context& /*context*/) const override {
    return x_.rows.rowwise().squaredNorm() * x_.factor;
  }

  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context& context) const override {
    // A row-major X is a column-major X'.
    const Eigen::Map<const Block> transposed(x_.rows.data(), x_.rows.cols(), x_.rows.rows());
    Block inner(x_.rows.cols(), x.cols());
    over(context, inner.rows(), [&](Range part) {
      gemm(Transpose::no, Transpose::no, x_.factor, transposed.middleRows(part.begin, part.size()),
           x, 0.0, inner.middleRows(part.begin, part.size()));
    });
    over(context, y.rows(), [&](Range part) {
      gemm(Transpose::yes, Transpose::no, 1.0, transposed.middleCols(part.begin, part.size()),
           inner, 0.0, y.middleRows(part.begin, part.size()));
    });
    if (sums == nullptr) return;
    sums->row_sums = x_.rows * (x_.rows.colwise().sum().transpose() * x_.factor);
    sums->trace = x_.rows.squaredNorm() * x_.factor;
    sums->frobenius_error = 0x1p-50;
    // |K|_F <= tr K, for K has no negative eigenvalues: where there is no time for more.
    sums->frobenius_squared = sums->trace * sums->trace;
    if (seconds_for_squares() > kShareOfTime * context.budget.seconds) return;
    try {
      sums->frobenius_squared = sum_of_squares(context) * x_.factor * x_.factor;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_time) throw;
    }
  }

  // |X X'|_F^2 = |X'X|_F^2, by tiles of the smaller of the two.
  double sum_of_squares(const Context& context) const {
    const Eigen::Map<const Block> transposed(x_.rows.data(), x_.rows.cols(), x_.rows.rows());
    const bool over_columns = x_.rows.cols() < x_.rows.rows();
    const std::vector<Range> parts = tiles_of(std::min(x_.rows.rows(), x_.rows.cols()), kTileRows);
    std::vector<TilePair> pairs;
    for (Index i = 0; i < static_cast<Index>(parts.size()); ++i)
      for (Index j = 0; j <= i; ++j) pairs.push_back({j, i});
    Vector squares(static_cast<Index>(pairs.size()));
    parallel_for(context, squares.size(), [&](Index t) {
      const TilePair pair = pairs[static_cast<std::size_t>(t)];
      const Range a = parts[static_cast<std::size_t>(pair.first)],
                  b = parts[static_cast<std::size_t>(pair.second)];
      Block tile(a.size(), b.size());
      if (over_columns)
        gemm(Transpose::no, Transpose::yes, 1.0, transposed.middleRows(a.begin, a.size()),
             transposed.middleRows(b.begin, b.size()), 0.0, tile);
      else
        gemm(Transpose::yes, Transpose::no, 1.0, transposed.middleCols(a.begin, a.size()),
             transposed.middleCols(b.begin, b.size()), 0.0, tile);
      squares[t] = (pair.first == pair.second ? 1 : 2) * tile.squaredNorm();
    });
    return squares.sum();
  }

  // On a slow machine.
  double seconds_for_squares() const {
    const auto n = static_cast<double>(x_.rows.rows()), dim = static_cast<double>(x_.rows.cols());
    return n * dim * std::min(n, dim) / kSlowRate;
  }

  void form(BlockRef out, const Context& context) const override {
    const Index n = size(), dim = x_.rows.cols();
    const std::vector<Range> blocks = tiles_of(n, kTileRows);
    std::vector<TilePair> pairs;
    for (const auto& round : pair_rounds(static_cast<Index>(blocks.size())))
      pairs.insert(pairs.end(), round.begin(), round.end());
    parallel_for(context, static_cast<Index>(pairs.size()), [&](Index t) {
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
  template <class Task>
  void over(const Context& context, Index count, const Task& task) const {
    const std::vector<Range> parts = tiles_of(count, kTileRows);
    parallel_for(context, static_cast<Index>(parts.size()),
                 [&](Index t) { task(parts[static_cast<std::size_t>(t)]); });
  }

  LinearRows x_;
};

// Columns that sparse rows are multiplied with at once: what comes between is as long as the table
// is wide.
constexpr Index kSparseColumns = 16;

// The same of sparse rows, whose mean is taken out of the products.
class SparseGram final : public SymmetricOperator {
 public:
  explicit SparseGram(const GramProblem& problem) : rows_(problem) {}

  Index size() const override { return rows_.n(); }
  double unit() const override { return rows_.unit(); }
  Vector diagonal(const Context& /*context*/) const override { return rows_.sparse_squares(); }

  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context& context) const override {
    for (const Range part : tiles_of(x.cols(), kSparseColumns))
      y.middleCols(part.begin, part.size()) =
          rows_.lift(rows_.restrict(x.middleCols(part.begin, part.size()), context), context);
    if (sums == nullptr) return;
    sums->row_sums = rows_.lift(rows_.restrict(Vector::Ones(x.rows()), context), context);
    sums->trace = rows_.variances().sum() * static_cast<double>(rows_.n());
    // |K|_F <= tr K, for K has no negative eigenvalues.
    sums->frobenius_squared = sums->trace * sums->trace;
    sums->frobenius_error = 0x1p-50;
  }

  // One half is mirrored: products of both halves differ in their last digit.
  void form(BlockRef out, const Context& context) const override {
    apply(Block::Identity(size(), size()), out, nullptr, context);
    out.triangularView<Eigen::StrictlyUpper>() = out.transpose().eval();
  }

 private:
  AxesRows rows_;
};

std::optional<std::string> refuse(const GramProblem& problem, const Budget&) {
  if (problem.by_axes && problem.points.sparse()) return std::nullopt;
  return refuse_unless_linear(problem);
}

Cost sparse_cost(const GramProblem& problem, const Machine& machine, double columns) {
  const auto n = static_cast<double>(problem.points.n()),
             dim = static_cast<double>(problem.points.dim()),
             stored = static_cast<double>(problem.points.stored()),
             groups = std::ceil(columns / static_cast<double>(kSparseColumns)),
             wide = static_cast<double>(kSparseColumns);
  // Numbers that stand together for the non-zeros, and a walk over columns in between.
  const auto seconds = [&](double count, double times) {
    return 4 * stored * count / machine.skinny_double + 32 * dim * wide * times / machine.bandwidth;
  };
  return {.setup_seconds = 32 * stored / machine.bandwidth,
          .pass_seconds = seconds(columns, groups),
          .form_seconds = seconds(n, n / wide),
          .bytes = static_cast<std::uint64_t>(24 * dim * wide + 16 * n * columns),
          .error = 0x1p-53 * (4 + std::sqrt(dim))};
}

Index size(const GramProblem& problem) { return problem.points.n(); }

Cost cost(const GramProblem& problem, const Machine& machine, Precision, Index columns) {
  const auto n = static_cast<double>(problem.points.n()),
             dim = static_cast<double>(problem.points.dim());
  if (problem.points.sparse()) return sparse_cost(problem, machine, static_cast<double>(columns));
  return {.setup_seconds = 32 * n * dim / machine.bandwidth,
          .pass_seconds = 4 * n * dim * static_cast<double>(columns) / machine.gemm_double,
          .form_seconds = n * n * dim / machine.gemm_double + 8 * n * n / machine.bandwidth,
          .bytes = static_cast<std::uint64_t>(8 * n * dim),
          .error = 0x1p-53 * (4 + std::sqrt(dim))};
}

std::unique_ptr<SymmetricOperator> build(const GramProblem& problem, const Context& context) {
  if (problem.points.sparse()) return std::make_unique<SparseGram>(problem);
  return std::make_unique<LinearGram>(problem, context);
}

}  // namespace
}  // namespace linear_gram_kind

const OperatorRecipe& linear_gram_recipe() {
  using namespace linear_gram_kind;
  static constexpr OperatorRecipe recipe{.name = "linear_gram",
                                         .summary = "X (X' u): the n x n side of PCA",
                                         .refuse = refuse,
                                         .size = size,
                                         .cost = cost,
                                         .build = build,
                                         .takes_sparse_axes = true};
  return recipe;
}

}  // namespace mercer
