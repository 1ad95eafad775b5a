// blocked_gram: the kernel matrix times a block, tile by tile, never stored. Every tile of the
// lower half is computed once, while it is in cache used for its rows and for its columns, and
// forgotten. Memory grows with n, not n^2; time is that of evaluating the kernel in every pass.
#include "mercer/core/parallel.h"
#include "mercer/core/per_thread.h"
#include "mercer/core/steps.h"
#include "mercer/linalg/skinny.h"
#include "mercer/operators/gram_tiles.h"
#include "mercer/operators/recipe.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {
namespace blocked_gram_kind {
namespace {

template <class T>
class BlockedGram final : public SymmetricOperator {
 public:
  BlockedGram(const GramProblem& problem, const Context& context) : tiles_(problem, context) {}

  Index size() const override { return tiles_.n(); }
  Vector diagonal(const Context& /*context*/) const override { return tiles_.diagonal(); }
  double unit() const override { return tiles_.unit(); }
  bool entries(std::span<const Index> which, BlockRef out,
               const Context& /*context*/) const override {
    tiles_.entries(which, out);
    return true;
  }

  bool columns(std::span<const Index> which, BlockRef out, const Context& context) const override {
    tiles_.columns(which, out, context);
    return true;
  }

  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context& context) const override {
    if (sums == nullptr) {
      y.setZero();
      return multiply(x, y, nullptr, context);
    }
    // The row sums ride along as one more column.
    Block with_ones(size(), x.cols() + 1), images = Block::Zero(size(), x.cols() + 1);
    with_ones.leftCols(x.cols()) = x;
    with_ones.rightCols(1).setOnes();
    multiply(with_ones, images, sums, context);
    y = images.leftCols(x.cols());
    sums->row_sums = images.rightCols(1);
    sums->trace = tiles_.diagonal().sum();
    sums->frobenius_error = (sizeof(T) == 4 ? 0x1p-24 : 0x1p-52) * 4;
  }

  void form(BlockRef out, const Context& context) const override {
    over_tiles(context, [&](TilePair pair, Index, const T* tile) {
      const Range rows = tiles_.block(pair.first), cols = tiles_.block(pair.second);
      using Tile = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      const Eigen::Map<const Tile> values(tile, rows.size(), cols.size());
      out.block(rows.begin, cols.begin, rows.size(), cols.size()) = values.template cast<double>();
      if (pair.first == pair.second) return;
      out.block(cols.begin, rows.begin, cols.size(), rows.size()) =
          values.transpose().template cast<double>();
    });
    out.diagonal() = tiles_.diagonal();  // not rounded to T, as in dense_gram
  }

 private:
  void multiply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context& context) const {
    const SkinnyProduct<T> product(x, tiles_.tile_rows(), context);
    Vector squares = Vector::Zero(tiles_.tiles());
    over_tiles(context, [&](TilePair pair, Index number, const T* tile) {
      const Range rows = tiles_.block(pair.first), cols = tiles_.block(pair.second);
      product.add(tile, cols.size(), rows, cols, y,
                  per_thread<typename SkinnyProduct<T>::Scratch>());
      if (sums != nullptr)
        squares[number] = (pair.first == pair.second ? 1 : 2) *
                          sum_of_squares(tile, rows.size(), cols.size(), cols.size());
    });
    if (sums != nullptr) sums->frobenius_squared = squares.sum();
  }

  struct Work {
    typename GramTiles<T>::Scratch scratch;
    std::vector<T> tile;
  };

  // Calls use(pair, number, values) for every tile. Tiles of a round share no block, so their
  // results can be added in place; rounds follow each other, so the order of additions is fixed.
  template <class Use>
  void over_tiles(const Context& context, const Use& use) const {
    Steps steps(context, "pass", tiles_.tiles());
    Index before = 0;
    for (const std::vector<TilePair>& round : tiles_.rounds()) {
      parallel_for(context, static_cast<Index>(round.size()), [&](Index t) {
        const TilePair pair = round[static_cast<std::size_t>(t)];
        auto& [scratch, tile] = per_thread<Work>();
        tile.resize(static_cast<std::size_t>(tiles_.block(pair.first).size() *
                                             tiles_.block(pair.second).size()));
        tiles_.fill(pair, tile.data(), scratch);
        use(pair, before + t, tile.data());
        steps.done();
      });
      before += static_cast<Index>(round.size());
    }
  }

  GramTiles<T> tiles_;
};

std::optional<std::string> refuse(const GramProblem& problem, const Budget&) {
  if (problem.given != Given::table) return "the matrix is given";
  return std::nullopt;
}

Index size(const GramProblem& problem) { return problem.points.n(); }

Cost cost(const GramProblem& problem, const Machine& machine, Precision precision, Index columns) {
  const auto n = static_cast<double>(problem.points.n()), b = static_cast<double>(columns);
  const bool single = precision == Precision::single_;
  const TilePrice price = price_tiles(problem, machine, precision, {});
  const double skinny = single ? machine.skinny_single : machine.skinny_double;
  return {.setup_seconds = price.points_bytes / machine.bandwidth,
          .pass_seconds = price.entries_seconds + 2 * n * n * b / skinny,
          .form_seconds = price.entries_seconds + 8 * n * n / machine.bandwidth,
          .bytes = static_cast<std::uint64_t>(
              price.points_bytes + kThreadsPriced * price.thread_bytes + n * b * (single ? 8 : 16)),
          .error = (single ? 0x1p-24 : 0x1p-53) * 8,
          .entry_columns = price.entry * skinny / 4};
}

std::unique_ptr<SymmetricOperator> build(const GramProblem& problem, const Context& context) {
  if (context.budget.precision == Precision::single_)
    return std::make_unique<BlockedGram<float>>(problem, context);
  return std::make_unique<BlockedGram<double>>(problem, context);
}

}  // namespace
}  // namespace blocked_gram_kind

const OperatorRecipe& blocked_gram_recipe() {
  using namespace blocked_gram_kind;
  static constexpr OperatorRecipe recipe{
      .name = "blocked_gram",
      .summary = "kernel tiles computed anew in every pass, never stored: any n",
      .refuse = refuse,
      .size = size,
      .cost = cost,
      .build = build,
      .stores_nothing = true,
  };
  return recipe;
}

}  // namespace mercer
