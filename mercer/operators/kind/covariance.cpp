// covariance: X' (X u) / n, the dim x dim side of PCA, for data with more rows than columns. The
// matrix is formed once, in a fixed number of row groups whose sums are added in order.
#include "mercer/core/parallel.h"
#include "mercer/data/row_panels.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/blas.h"
#include "mercer/operators/axes_rows.h"
#include "mercer/operators/linear_rows.h"
#include "mercer/operators/recipe.h"
#include "mercer/operators/stored_factor.h"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace covariance_kind {
namespace {

// Columns of a tile of the matrix, where there are too many of them for groups of rows.
constexpr Index kTileColumns = 512;
constexpr Index kLiftedColumns = 64;  // of a task

// Groups are summed apart: more of them keep more threads busy, each takes dim^2 numbers.
Index groups_for(Index n, Index dim) {
  const Index by_memory = std::max<Index>(1, (Index{1} << 24) / std::max<Index>(1, dim * dim));
  return std::clamp<Index>(n / 256, 1, std::min<Index>(16, by_memory));
}

class Covariance final : public StoredFactor {
 public:
  Covariance(const GramProblem& problem, const Context& context)
      : StoredFactor(Block::Zero(problem.points.dim(), problem.points.dim())),
        x_(problem, context) {
    const Index n = x_.rows.rows(), dim = x_.rows.cols(), groups = groups_for(n, dim);
    if (groups == 1 && dim > kTileColumns)
      add_tiles(context);
    else
      add_groups(groups, context);
    matrix_ *= x_.factor / static_cast<double>(n);
    matrix_.triangularView<Eigen::StrictlyUpper>() = matrix_.transpose();
  }

  void add_groups(Index groups, const Context& context) {
    const Index n = x_.rows.rows(), dim = x_.rows.cols();
    const std::vector<Range> parts = tiles_of(n, (n + groups - 1) / groups);
    std::vector<Block> sums(parts.size());
    parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
      const Range rows = parts[static_cast<std::size_t>(t)];
      Block sum = Block::Zero(dim, dim);
      add_gram(x_.rows.data() + rows.begin * dim, rows.size(), dim, sum);
      sums[static_cast<std::size_t>(t)] = std::move(sum);
    });
    for (const Block& sum : sums) matrix_ += sum;
  }

  // The lower triangle, tile by tile, over all rows each.
  void add_tiles(const Context& context) {
    const Eigen::Map<const Block> transposed(x_.rows.data(), x_.rows.cols(), x_.rows.rows());
    const std::vector<Range> parts = tiles_of(x_.rows.cols(), kTileColumns);
    std::vector<TilePair> pairs;
    for (Index i = 0; i < static_cast<Index>(parts.size()); ++i)
      for (Index j = 0; j <= i; ++j) pairs.push_back({j, i});
    parallel_for(context, static_cast<Index>(pairs.size()), [&](Index t) {
      const Range columns =
                      parts[static_cast<std::size_t>(pairs[static_cast<std::size_t>(t)].first)],
                  rows = parts[static_cast<std::size_t>(pairs[static_cast<std::size_t>(t)].second)];
      gemm(Transpose::no, Transpose::yes, 1.0, transposed.middleRows(rows.begin, rows.size()),
           transposed.middleRows(columns.begin, columns.size()), 0.0,
           matrix_.block(rows.begin, columns.begin, rows.size(), columns.size()));
    });
  }

  double unit() const override { return x_.unit; }

  double gram_factor() const override { return static_cast<double>(x_.rows.rows()); }

  Block lift(ConstBlockRef w, const Context& context) const override {
    Block lifted(x_.rows.rows(), w.cols());
    const Index dim = x_.rows.cols();
    const std::vector<Range> parts = tiles_of(x_.rows.rows(), kTileRows);
    const double root = std::sqrt(x_.factor);  // the scale is a power of two: exact
    parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
      const Range rows = parts[static_cast<std::size_t>(t)];
      const Eigen::Map<const Block> part(x_.rows.data() + rows.begin * dim, dim, rows.size());
      gemm(Transpose::yes, Transpose::no, root, part, w, 0.0,
           lifted.middleRows(rows.begin, rows.size()));
    });
    return lifted;
  }

  Block restrict(ConstBlockRef u, const Context& context) const override {
    const Eigen::Map<const Block> transposed(x_.rows.data(), x_.rows.cols(), x_.rows.rows());
    Block small(x_.rows.cols(), u.cols());
    const std::vector<Range> parts = tiles_of(u.cols(), kLiftedColumns);
    parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
      const Range part = parts[static_cast<std::size_t>(t)];
      gemm(Transpose::no, Transpose::no, std::sqrt(x_.factor), transposed,
           u.middleCols(part.begin, part.size()), 0.0, small.middleCols(part.begin, part.size()));
    });
    return small;
  }

 private:
  LinearRows x_;
};

// Where scores are by axes nothing is kept but the matrix, which the moments of the rows brought.
class AxesCovariance final : public StoredFactor {
 public:
  explicit AxesCovariance(const GramProblem& problem) : rows_(problem) {
    matrix_ = rows_.covariance();
  }
  double unit() const override { return rows_.unit(); }
  double gram_factor() const override { return static_cast<double>(rows_.n()); }
  Block lift(ConstBlockRef w, const Context& context) const override {
    return rows_.lift(w, context);
  }
  Block restrict(ConstBlockRef u, const Context& context) const override {
    return rows_.restrict(u, context);
  }
  Block image(ConstBlockRef w, const Context& context) const override {
    return rows_.image(w, context);
  }
  // Panels are summed, each with an error of as many units as it has rows.
  FactorError factor_error() const override {
    const auto n = static_cast<double>(rows_.n());
    const auto rows = static_cast<double>(panel_rows(rows_.dim()));
    return {.small = 0x1p-53 * (std::min(n, rows) + n / rows + 16) * n * matrix_.trace()};
  }

 private:
  AxesRows rows_;
};

std::optional<std::string> refuse(const GramProblem& problem, const Budget&) {
  const auto reason =
      problem.by_axes ? refuse_unless_by_axes(problem) : refuse_unless_linear(problem);
  if (reason) return reason;
  if (problem.components > problem.points.dim()) return "more components than columns";
  return std::nullopt;
}

Index size(const GramProblem& problem) { return problem.points.dim(); }

Cost cost(const GramProblem& problem, const Machine& machine, Precision, Index columns) {
  const auto n = static_cast<double>(problem.points.n()),
             dim = static_cast<double>(problem.points.dim());
  const double pass = 2 * dim * dim * static_cast<double>(columns) / machine.gemm_double;
  if (problem.by_axes)
    return {.setup_seconds = n * dim * dim / machine.gemm_double + walk_seconds(problem, machine),
            .pass_seconds = pass,
            .form_seconds = 16 * dim * dim / machine.bandwidth,
            .bytes = static_cast<std::uint64_t>(8 * dim * dim) +
                     moments_bytes(problem.points.n(), problem.points.dim(), true) +
                     chunk_bytes(problem),
            .error = 0x1p-53 * (4 + std::sqrt(n))};
  const auto groups = static_cast<double>(groups_for(problem.points.n(), problem.points.dim()));
  const auto lifted = static_cast<double>(problem.components);
  return {.setup_seconds = n * dim * dim / machine.gemm_double + 32 * n * dim / machine.bandwidth,
          .pass_seconds = pass,
          .form_seconds = 16 * dim * dim / machine.bandwidth,
          .bytes = static_cast<std::uint64_t>(8 * n * dim + 8 * dim * dim * (groups + 1) +
                                              8 * n * lifted),
          .error = 0x1p-53 * (4 + std::sqrt(n))};
}

std::unique_ptr<SymmetricOperator> build(const GramProblem& problem, const Context& context) {
  context.check_cancelled();
  if (problem.facts.moments != nullptr) return std::make_unique<AxesCovariance>(problem);
  return std::make_unique<Covariance>(problem, context);
}

}  // namespace
}  // namespace covariance_kind

const OperatorRecipe& covariance_recipe() {
  using namespace covariance_kind;
  static constexpr OperatorRecipe recipe{.name = "covariance",
                                         .summary = "X' (X u) / n: the dim x dim side of PCA",
                                         .refuse = refuse,
                                         .size = size,
                                         .cost = cost,
                                         .build = build,
                                         .streams = Streams::once};
  return recipe;
}

}  // namespace mercer
