// dense_gram: the kernel matrix itself, computed tile by tile and kept. Fastest while n^2 numbers
// fit. Each tile of the lower half is computed once and mirrored, so the matrix is exactly
// symmetric; the diagonal comes from the formula, never from a tile.
#include "mercer/core/parallel.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/blas.h"
#include "mercer/operators/recipe.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <type_traits>
#include <vector>

namespace mercer {
namespace {

Index tile_rows(const Budget& budget) { return budget.tile > 0 ? budget.tile : kTileRows; }

template <class T>
void fill_matrix(const GramProblem& problem, BlockRef out, const Context& context) {
  const Index n = problem.points.n();
  const Frame frame = make_frame(problem.kernel, problem.points, problem.center, context);
  const TilePoints<T> points(problem.kernel, frame, problem.points, context);
  const TileKernel<T> tiles(problem.kernel, frame);
  const Vector diagonal = tiles.diagonal(points);
  check_diagonal(diagonal);
  check_range(problem.kernel, frame, n,
              std::is_same_v<T, float> ? Precision::single_ : Precision::double_);

  const std::vector<Range> blocks = tiles_of(n, tile_rows(context.budget));
  std::vector<TilePair> pairs;
  for (const auto& round : pair_rounds(static_cast<Index>(blocks.size())))
    pairs.insert(pairs.end(), round.begin(), round.end());
  std::mutex reporting;
  Index done = 0;
  parallel_for(context, static_cast<Index>(pairs.size()), [&](Index t) {
    const TilePair pair = pairs[static_cast<std::size_t>(t)];
    const Range rows = blocks[static_cast<std::size_t>(pair.first)];
    const Range cols = blocks[static_cast<std::size_t>(pair.second)];
    static thread_local typename TileKernel<T>::Scratch scratch;
    static thread_local std::vector<T> tile;
    tile.resize(static_cast<std::size_t>(rows.size() * cols.size()));
    tiles.fill(points, rows, points, cols, tile.data(), cols.size(), scratch);
    using Tile = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const Tile> values(tile.data(), rows.size(), cols.size());
    if (pair.first ==
        pair.second) {  // mirror within the tile: rounding may differ across its diagonal
      auto square = out.block(rows.begin, rows.begin, rows.size(), rows.size());
      square.template triangularView<Eigen::Lower>() = values.template cast<double>();
      square.template triangularView<Eigen::StrictlyUpper>() = square.transpose();
    } else {
      out.block(rows.begin, cols.begin, rows.size(), cols.size()) = values.template cast<double>();
      out.block(cols.begin, rows.begin, cols.size(), rows.size()) =
          values.transpose().template cast<double>();
    }
    const std::lock_guard lock(reporting);
    context.report("kernel", static_cast<double>(++done) / static_cast<double>(pairs.size()));
  });
  out.diagonal() = diagonal;
}

class DenseGram final : public SymmetricOperator {
 public:
  DenseGram(const GramProblem& problem, const Context& context)
      : context_(context), matrix_(problem.points.n(), problem.points.n()) {
    if (context.budget.precision == Precision::single_)
      fill_matrix<float>(problem, matrix_, context);
    else
      fill_matrix<double>(problem, matrix_, context);
  }

  Index size() const override { return matrix_.rows(); }
  Vector diagonal() const override { return matrix_.diagonal(); }
  void form(BlockRef out) const override { out = matrix_; }

  void apply(ConstBlockRef x, BlockRef y, PassSums* sums) const override {
    const std::vector<Range> blocks = tiles_of(size(), kTileRows);
    Vector squares(static_cast<Index>(blocks.size()));
    if (sums != nullptr) sums->row_sums.resize(size());
    parallel_for(context_, static_cast<Index>(blocks.size()), [&](Index t) {
      const Range rows = blocks[static_cast<std::size_t>(t)];
      // The matrix is symmetric: columns are contiguous where rows are not.
      const auto strip = matrix_.middleCols(rows.begin, rows.size());
      gemm(Transpose::yes, Transpose::no, 1.0, strip, x, 0.0,
           y.middleRows(rows.begin, rows.size()));
      if (sums == nullptr) return;
      sums->row_sums.segment(rows.begin, rows.size()) = strip.colwise().sum().transpose();
      squares[t] = strip.squaredNorm();
    });
    if (sums != nullptr) sums->frobenius_squared = squares.sum();
  }

 private:
  const Context& context_;
  Block matrix_;
};

std::optional<std::string> refuse(const GramProblem& problem, const Budget&) {
  if (problem.given != Given::table) return "the matrix is given";
  return std::nullopt;
}

Index size(const GramProblem& problem) { return problem.points.n(); }

Cost cost(const GramProblem& problem, const Machine& machine, Precision precision, Index columns) {
  const auto n = static_cast<double>(problem.points.n()),
             dim = static_cast<double>(problem.points.dim());
  const bool single = precision == Precision::single_;
  const double entries = n * n / 2;
  // Sums of terms run at about the speed of the map, one coordinate for one value; sparse rows meet
  // where both have a non-zero.
  const bool terms = problem.kernel.uses(Form::differences) || problem.kernel.uses(Form::sums);
  // Sums of terms take a transposed panel of the columns, one for each thread.
  const double panels = terms ? static_cast<double>(machine.threads) *
                                    std::min(n, static_cast<double>(kTileRows)) * dim *
                                    (single ? 4 : 8)
                              : 0;
  const double gemm = single ? machine.gemm_single : machine.gemm_double;
  const double map = single ? machine.map_single : machine.map_double;
  const double width = static_cast<double>(problem.points.stored()) / std::max(1.0, n);
  const double base = terms                     ? dim / map
                      : problem.points.sparse() ? width * width / std::max(1.0, dim) / map
                                                : 2 * dim / gemm;
  const double copy = single ? TilePoints<float>::bytes(problem.kernel, problem.points)
                             : TilePoints<double>::bytes(problem.kernel, problem.points);
  return {.setup_seconds = entries * (base + 1 / map) + 8 * n * n / machine.bandwidth,
          .pass_seconds = std::max(2 * n * n * static_cast<double>(columns) / machine.gemm_double,
                                   8 * n * n / machine.bandwidth),
          .form_seconds = 16 * n * n / machine.bandwidth,
          .bytes = static_cast<std::uint64_t>(8 * n * n + copy + panels),
          .error = (single ? 0x1p-24 : 0x1p-53) * (4 + std::sqrt(dim))};
}

std::unique_ptr<SymmetricOperator> build(const GramProblem& problem, const Context& context) {
  return std::make_unique<DenseGram>(problem, context);
}

}  // namespace

const OperatorRecipe& dense_gram_recipe() {
  static constexpr OperatorRecipe recipe{
      "dense_gram", "the n x n kernel matrix, stored", refuse, size, cost, build};
  return recipe;
}

}  // namespace mercer
