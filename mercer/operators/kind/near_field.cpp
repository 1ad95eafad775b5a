// near_field: the kernel matrix of rows that are near each other, the rest left out. For kernels
// that fall off: rows are sorted into leaves of a k-d tree, tiles are computed for the leaves
// within the cutoff, where k = eps, and no others. Every tile serves both sides of the diagonal;
// its matrix is exactly symmetric. Each entry left out is below eps, so that
//   |A - K|_2 <= eps * (the most that are left out of a row).
#include "mercer/core/parallel.h"
#include "mercer/core/per_thread.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/skinny.h"
#include "mercer/operators/feature_map.h"
#include "mercer/operators/geometry.h"
#include "mercer/operators/gram_tiles.h"
#include "mercer/operators/near_leaves.h"
#include "mercer/operators/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {
namespace near_field_kind {
namespace {

// Pairs of leaves nearer than so many cutoffs are bounded row by row.
constexpr double kSharp = 1.3;
// Above this share of near pairs all of them are computed as fast.
constexpr double kMostShare = 0.3;

Frame plain_frame(const GramProblem& problem, const Context& context) {
  Frame frame = frame_of(problem, context);
  frame.less_diagonal = false;
  return frame;
}

Points placed(const GramProblem& problem) {
  const Placement placement{problem.facts.geometry->scale, problem.facts.geometry->centre};
  return placement.rows(problem.points, {0, problem.points.n()});
}

class NearField final : public SymmetricOperator {
 public:
  NearField(const GramProblem& problem, const Context& context)
      : cutoff_(problem.facts.geometry->near.cutoff),
        tree_(placed(problem), context),
        rounds_(tree_.rounds(cutoff_)),
        points_(points_in_order(problem, plain_frame(problem, context), context)),
        tiles_(problem.kernel, plain_frame(problem, context)) {
    places_.resize(tree_.order().size());
    for (std::size_t i = 0; i < places_.size(); ++i)
      places_[static_cast<std::size_t>(tree_.order()[i])] = static_cast<Index>(i);
    for (const auto& round : rounds_) pairs_ += static_cast<Index>(round.size());
    error_ = std::min(problem.facts.geometry->allowed * static_cast<double>(most_left_out(context)),
                      norm_left_out(problem, context));
  }

  Index size() const override { return points_.n(); }
  Vector diagonal(const Context& /*context*/) const override { return Vector::Ones(size()); }
  double error() const override { return error_; }

  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context& context) const override {
    const std::vector<Index>& order = tree_.order();
    const Index more = sums == nullptr ? 0 : 1;  // row sums ride along as one more column
    Block u(size(), x.cols() + more), images = Block::Zero(size(), x.cols() + more);
    for (Index j = 0; j < x.cols(); ++j)
      for (Index i = 0; i < size(); ++i) u(i, j) = x(order[static_cast<std::size_t>(i)], j);
    if (more > 0) u.rightCols(1).setOnes();
    multiply(u, images, sums, context);
    for (Index j = 0; j < x.cols(); ++j)
      for (Index i = 0; i < size(); ++i) y(order[static_cast<std::size_t>(i)], j) = images(i, j);
    if (sums == nullptr) return;
    sums->row_sums.resize(size());
    for (Index i = 0; i < size(); ++i)
      sums->row_sums[order[static_cast<std::size_t>(i)]] = images(i, x.cols());
    sums->trace = static_cast<double>(size());
    sums->frobenius_error = 0x1p-50;
  }

  void form(BlockRef out, const Context& context) const override {
    out.setZero();
    over_blocks(context, [&](TilePair pair, Index) {
      over_tiles(pair, [&](Range rows, Range cols, const double* tile) {
        for (Index i = 0; i < rows.size(); ++i)
          for (Index j = 0; j < cols.size(); ++j) {
            const double value = tile[i * cols.size() + j];
            out(row_at(rows.begin + i), row_at(cols.begin + j)) = value;
            out(row_at(cols.begin + j), row_at(rows.begin + i)) = value;
          }
      });
    });
  }

  bool columns(std::span<const Index> which, BlockRef out, const Context& context) const override {
    out.setZero();
    parallel_for(context, static_cast<Index>(which.size()), [&](Index j) {
      auto& work = per_thread<Work>();
      const Index place = places_[static_cast<std::size_t>(which[static_cast<std::size_t>(j)])];
      const Index leaf = place / kLeafRows, at = place % kLeafRows;
      for (Index other = 0; other < tree_.leaves(); ++other) {
        if (!tree_.near(leaf, other, cutoff_)) continue;
        const Range a = tree_.rows(std::min(leaf, other)), b = tree_.rows(std::max(leaf, other));
        fill(a, b, work);
        const Range rows = tree_.rows(other);
        for (Index i = 0; i < rows.size(); ++i)
          out(row_at(rows.begin + i), j) =
              leaf <= other ? work.tile[at * b.size() + i] : work.tile[i * b.size() + at];
      }
    });
    return true;
  }

 private:
  struct Work {
    TileKernel<double>::Scratch scratch;
    SkinnyProduct<double>::Scratch product;
    Vector tile;
  };

  TilePoints<double> points_in_order(const GramProblem& problem, const Frame& frame,
                                     const Context& context) const {
    return TilePoints<double>(problem.kernel, frame, problem.points, context,
                              TilePoints<double>::Storage::dense)
        .gathered(tree_.order());
  }

  Index row_at(Index place) const { return tree_.order()[static_cast<std::size_t>(place)]; }

  void fill(Range rows, Range cols, Work& work) const {
    const Index n = rows.size(), m = cols.size();
    work.tile.resize(kLeafRows * kLeafRows);
    double* tile = work.tile.data();
    tiles_.fill(points_, rows, points_, cols, tile, m, work.scratch);
    if (!(rows == cols)) return;
    // Rounding may differ across the diagonal of a tile: one half is mirrored.
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < i; ++j) tile[j * m + i] = tile[i * m + j];
      tile[i * m + i] = 1;
    }
  }

  // Calls use(a, b) for near leaves a of the first block and b of the second, each pair once.
  template <class Use>
  void over_leaves(TilePair pair, const Use& use) const {
    const Range first = tree_.blocks()[static_cast<std::size_t>(pair.first)],
                second = tree_.blocks()[static_cast<std::size_t>(pair.second)];
    for (Index a = first.begin; a < first.end; ++a)
      for (Index b = std::max(a, second.begin); b < second.end; ++b)
        if (tree_.near(a, b, cutoff_)) use(a, b);
  }

  template <class Use>
  void over_tiles(TilePair pair, const Use& use) const {
    auto& work = per_thread<Work>();
    over_leaves(pair, [&](Index a, Index b) {
      fill(tree_.rows(a), tree_.rows(b), work);
      use(tree_.rows(a), tree_.rows(b), work.tile.data());
    });
  }

  // Calls work(pair, number) for every pair of blocks; those of a round share no block.
  template <class Use>
  void over_blocks(const Context& context, const Use& use) const {
    Index before = 0;
    for (const std::vector<TilePair>& round : rounds_) {
      parallel_for(context, static_cast<Index>(round.size()),
                   [&](Index t) { use(round[static_cast<std::size_t>(t)], before + t); });
      before += static_cast<Index>(round.size());
      context.report("pass", static_cast<double>(before) / static_cast<double>(pairs_));
    }
  }

  void multiply(const Block& u, Block& images, PassSums* sums, const Context& context) const {
    const SkinnyProduct<double> product(u, kLeafRows, context);
    Vector squares = Vector::Zero(pairs_);
    over_blocks(context, [&](TilePair pair, Index number) {
      auto& scratch = per_thread<Work>().product;
      over_tiles(pair, [&](Range rows, Range cols, const double* tile) {
        product.add(tile, cols.size(), rows, cols, images, scratch);
        if (sums != nullptr)
          squares[number] +=
              (rows == cols ? 1 : 2) * sum_of_squares(tile, rows.size(), cols.size(), cols.size());
      });
    });
    if (sums != nullptr) sums->frobenius_squared = squares.sum();
  }

  Index most_left_out(const Context& context) const {
    std::vector<Index> kept(static_cast<std::size_t>(tree_.leaves()), 0);
    over_blocks(context, [&](TilePair pair, Index) {
      over_leaves(pair, [&](Index a, Index b) {
        kept[static_cast<std::size_t>(a)] += tree_.rows(b).size();
        if (a != b) kept[static_cast<std::size_t>(b)] += tree_.rows(a).size();
      });
    });
    return size() - *std::min_element(kept.begin(), kept.end());
  }

  // |what is left out|_F at most: no entry between a row and a box is larger than the kernel of the
  // gap between them. Beyond kSharp cutoffs the gap between boxes suffices, and beyond two all
  // count as if they were there.
  double norm_left_out(const GramProblem& problem, const Context& context) const {
    const Points z = placed(problem);
    const double near = cutoff_ * cutoff_;
    double squares = 0;
    for (const auto& round : tree_.rounds(2 * cutoff_)) {
      Vector sums = Vector::Zero(static_cast<Index>(round.size()));
      parallel_for(context, sums.size(), [&](Index t) {
        sums[t] = left_out_between(problem, z, round[static_cast<std::size_t>(t)]);
      });
      squares += sums.sum();
    }
    const auto n = static_cast<double>(size());
    return std::sqrt(squares + n * n * squared_kernel(problem, 4 * near));
  }

  // Squares of the entries left out between two blocks, at most.
  double left_out_between(const GramProblem& problem, const Points& z, TilePair pair) const {
    const double near = cutoff_ * cutoff_;
    const Range first = tree_.blocks()[static_cast<std::size_t>(pair.first)],
                second = tree_.blocks()[static_cast<std::size_t>(pair.second)];
    double sum = 0;
    for (Index a = first.begin; a < first.end; ++a)
      for (Index b = pair.first == pair.second ? a + 1 : second.begin; b < second.end; ++b) {
        const double gap = tree_.squared_gap(a, b);
        if (gap <= near || gap > 4 * near) continue;
        sum += 2 * (gap > kSharp * kSharp * near
                        ? pair_count(a, b) * squared_kernel(problem, gap)
                        : std::min(left_out_of(problem, z, a, b), left_out_of(problem, z, b, a)));
      }
    return sum;
  }

  double pair_count(Index a, Index b) const {
    return static_cast<double>(tree_.rows(a).size() * tree_.rows(b).size());
  }

  // Squares of the entries between the rows of leaf a and leaf b, at most.
  double left_out_of(const GramProblem& problem, const Points& z, Index a, Index b) const {
    double sum = 0;
    const Range rows = tree_.rows(a);
    for (Index i = rows.begin; i < rows.end; ++i)
      sum += squared_kernel(problem, tree_.squared_gap(z.row(row_at(i)).data(), b));
    return sum * static_cast<double>(tree_.rows(b).size());
  }

  static double squared_kernel(const GramProblem& problem, double squared) {
    const double k = kernel_at(problem, squared);
    return k * k;
  }

  static double kernel_at(const GramProblem& problem, double squared) {
    return visit_family(
        [&](const auto& f) {
          return static_cast<double>(
              f.rescaled(problem.facts.geometry->scale)(PairTerms<double>{0, squared, 0}));
        },
        problem.kernel.terms()[0].factors[0]);
  }

  double cutoff_;
  NearLeaves tree_;
  std::vector<std::vector<TilePair>> rounds_;
  Index pairs_ = 0;
  TilePoints<double> points_;
  TileKernel<double> tiles_;
  std::vector<Index> places_;  // of the rows, in the tree
  double error_ = 0;
};

std::optional<std::string> refuse(const GramProblem& problem, const Budget& budget) {
  if (const auto reason = refuse_expansion(problem, budget)) return reason;
  const Geometry& geometry = *problem.facts.geometry;
  if (!(geometry.near.cutoff > 0)) return "the kernel does not fall off";
  if (geometry.near.share <= kMostShare || budget.operator_name == "near_field")
    return std::nullopt;
  return fmt::format(
      "the kernel does not fall off within the data ({:.0f} % of the pairs are near)",
      100 * geometry.near.share);
}

Index size(const GramProblem& problem) { return problem.points.n(); }

Cost cost(const GramProblem& problem, const Machine& machine, Precision, Index columns) {
  const auto n = static_cast<double>(problem.points.n()),
             dim = static_cast<double>(problem.points.dim()), b = static_cast<double>(columns);
  const double entries = n * n / 2 * problem.facts.geometry->near.share;
  // Small tiles cost a quarter more than large ones; measured in 2 dimensions, 10^6 rows.
  const double entry = 1.25 * (2 * dim / machine.gemm_double + 1 / machine.map_double);
  return {
      .setup_seconds = n * std::log2(2 + n / kLeafRows) * 5e-8,
      .pass_seconds = entries * (entry + 4 * b / machine.skinny_double),
      .form_seconds = entries * entry + 8 * n * n / machine.bandwidth,
      .bytes = static_cast<std::uint64_t>(8 * n * (4 * dim + 4 + 4 * b) +
                                          16 * entries / (kLeafRows * kLeafRows * kBlockLeaves) +
                                          kThreadsPriced * 8 * kLeafRows * kLeafRows * 2),
      .error = std::max(problem.facts.geometry->allowed, 0x1p-50),
      .entry_columns = entry * machine.skinny_double / 4,
      .terms = n * problem.facts.geometry->near.share,
      .terms_name = "near rows"};
}

std::unique_ptr<SymmetricOperator> build(const GramProblem& problem, const Context& context) {
  context.check_cancelled();
  return std::make_unique<NearField>(problem, context);
}

}  // namespace
}  // namespace near_field_kind

const OperatorRecipe& near_field_recipe() {
  using namespace near_field_kind;
  static constexpr OperatorRecipe recipe{
      "near_field", "kernel tiles of rows near each other; kernels that fall off",
      refuse,       size,
      cost,         build,
      true};
  return recipe;
}

}  // namespace mercer
