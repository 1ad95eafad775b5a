// dense_gram: the lower half of the kernel matrix, computed once and kept as tiles in the precision
// of the plan: n^2/2 numbers. Fastest while they fit. A pass reads every tile once, from memory to
// cache, and uses it for its rows and for its columns.
#include "mercer/core/parallel.h"
#include "mercer/core/per_thread.h"
#include "mercer/core/steps.h"
#include "mercer/linalg/large_buffer.h"
#include "mercer/linalg/skinny.h"
#include "mercer/operators/gram_tiles.h"
#include "mercer/operators/recipe.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {
namespace dense_gram_kind {
namespace {

template <class T>
class DenseGram final : public SymmetricOperator {
 public:
  DenseGram(const GramProblem& problem, const Context& context) {
    const GramTiles<T> tiles(problem, context);
    tile_ = tiles.tile_rows();
    blocks_ = tiles_of(tiles.n(), tile_);
    diagonal_ = tiles.diagonal();
    unit_ = tiles.unit();
    rounds_ = tiles.rounds();
    place_tiles();
    fill(tiles, context);
  }

  Index size() const override { return diagonal_.size(); }
  Vector diagonal(const Context& /*context*/) const override { return diagonal_; }
  double unit() const override { return unit_; }

  bool columns(std::span<const Index> which, BlockRef out, const Context& context) const override {
    parallel_for(context, static_cast<Index>(which.size()), [&](Index j) {
      const Index column = which[static_cast<std::size_t>(j)], mine = column / tile_;
      for (const Stored& stored : stored_) {
        const Range rows = block(stored.pair.first), cols = block(stored.pair.second);
        const T* values = tile(stored);
        if (stored.pair.second == mine)
          for (Index i = 0; i < rows.size(); ++i)
            out(rows.begin + i, j) = double{values[i * cols.size() + column - cols.begin]};
        else if (stored.pair.first == mine)
          for (Index i = 0; i < cols.size(); ++i)
            out(cols.begin + i, j) = double{values[(column - rows.begin) * cols.size() + i]};
      }
    });
    return true;
  }

  void form(BlockRef out, const Context& context) const override {
    parallel_for(context, static_cast<Index>(stored_.size()), [&](Index t) {
      const Stored& stored = stored_[static_cast<std::size_t>(t)];
      const Range rows = block(stored.pair.first), cols = block(stored.pair.second);
      using Tile = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      const Eigen::Map<const Tile> values(tile(stored), rows.size(), cols.size());
      out.block(rows.begin, cols.begin, rows.size(), cols.size()) = values.template cast<double>();
      if (stored.pair.first == stored.pair.second) return;
      out.block(cols.begin, rows.begin, cols.size(), rows.size()) =
          values.transpose().template cast<double>();
    });
    out.diagonal() = diagonal_;  // not rounded to T
  }

  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context& context) const override {
    if (sums == nullptr) {
      y.setZero();
      return multiply(x, y, context);
    }
    Block with_ones(size(), x.cols() + 1), images = Block::Zero(size(), x.cols() + 1);
    with_ones.leftCols(x.cols()) = x;
    with_ones.rightCols(1).setOnes();
    multiply(with_ones, images, context);
    y = images.leftCols(x.cols());
    sums->row_sums = images.rightCols(1);
    sums->trace = diagonal_.sum();
    sums->frobenius_squared = squares_;
    sums->frobenius_error = (sizeof(T) == 4 ? 0x1p-24 : 0x1p-52) * 4;
  }

 private:
  struct Stored {
    TilePair pair;
    std::size_t offset = 0;  // of the first value
  };

  Range block(Index number) const { return blocks_[static_cast<std::size_t>(number)]; }
  const T* tile(const Stored& stored) const { return buffer_.as<T>() + stored.offset; }

  // Tiles lie in the order in which passes read them, each on a boundary of 64 bytes.
  void place_tiles() {
    std::size_t offset = 0;
    for (const auto& round : rounds_)
      for (const TilePair pair : round) {
        stored_.push_back({pair, offset});
        const Index values = block(pair.first).size() * block(pair.second).size();
        offset += (static_cast<std::size_t>(values) + 15) / 16 * 16;
      }
    buffer_ = LargeBuffer(offset * sizeof(T));
  }

  void fill(const GramTiles<T>& tiles, const Context& context) {
    const auto count = static_cast<Index>(stored_.size());
    Steps steps(context, "kernel", count);
    Vector squares(count);
    parallel_for(context, count, [&](Index t) {
      const Stored& stored = stored_[static_cast<std::size_t>(t)];
      T* values = buffer_.as<T>() + stored.offset;
      const Range rows = block(stored.pair.first), cols = block(stored.pair.second);
      buffer_.prepare(stored.offset * sizeof(T),
                      static_cast<std::size_t>(rows.size() * cols.size()) * sizeof(T));
      tiles.fill(stored.pair, values, per_thread<typename GramTiles<T>::Scratch>());
      squares[t] = (stored.pair.first == stored.pair.second ? 1 : 2) *
                   sum_of_squares(values, rows.size(), cols.size(), cols.size());
      steps.done();
    });
    squares_ = squares.sum();
  }

  // Tiles of a round share no block, so their results can be added in place; rounds follow each
  // other, so the order of additions is fixed.
  void multiply(ConstBlockRef x, BlockRef y, const Context& context) const {
    const SkinnyProduct<T> product(x, tile_, context);
    const Index threads = thread_count(context.budget);
    Index before = 0;
    for (const auto& round : rounds_) {
      const auto count = static_cast<Index>(round.size());
      parallel_for(context, count, [&](Index t) {
        const Stored& stored = stored_[static_cast<std::size_t>(before + t)];
        const Range rows = block(stored.pair.first), cols = block(stored.pair.second);
        auto& scratch = per_thread<typename SkinnyProduct<T>::Scratch>();
        // The tile this thread is likely to take next; a wrong guess costs nothing.
        const auto ahead = static_cast<std::size_t>(before + t + threads);
        const bool alike =
            ahead < stored_.size() && block(stored_[ahead].pair.second).size() == cols.size();
        scratch.next = alike ? tile(stored_[ahead]) : nullptr;
        product.add(tile(stored), cols.size(), rows, cols, y, scratch);
      });
      before += count;
    }
  }

  Index tile_ = 0;
  Vector diagonal_;
  std::vector<Range> blocks_;
  std::vector<std::vector<TilePair>> rounds_;
  std::vector<Stored> stored_;
  LargeBuffer buffer_;
  double squares_ = 0, unit_ = 1;
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
  const auto tile = static_cast<double>(gram_tile_rows(problem.points.n(), {}));
  const double stored = n * (n + tile) / 2 * (single ? 4 : 8);
  const double skinny = single ? machine.skinny_single : machine.skinny_double;
  return {
      .setup_seconds = price.entries_seconds + 2 * stored / machine.bandwidth,
      .pass_seconds = std::max(2 * n * n * b / skinny, stored / machine.bandwidth),
      .form_seconds = 3 * 8 * n * n / machine.bandwidth,
      .bytes = static_cast<std::uint64_t>(stored + price.points_bytes + n * b * (single ? 8 : 16)),
      .error = (single ? 0x1p-24 : 0x1p-53) * 8};
}

std::unique_ptr<SymmetricOperator> build(const GramProblem& problem, const Context& context) {
  if (context.budget.precision == Precision::single_)
    return std::make_unique<DenseGram<float>>(problem, context);
  return std::make_unique<DenseGram<double>>(problem, context);
}

}  // namespace
}  // namespace dense_gram_kind

const OperatorRecipe& dense_gram_recipe() {
  using namespace dense_gram_kind;
  static constexpr OperatorRecipe recipe{
      "dense_gram", "half of the kernel matrix, stored as tiles", refuse, size, cost, build};
  return recipe;
}

}  // namespace mercer
