// fast_gauss: the improved fast Gauss transform. Rows are sorted into clusters; with moments
//   M_alpha = sum_j u_j exp(-|x_j-c|^2/2) (x_j-c)^alpha           (widths are 1)
// a cluster's part of the sum at y is exp(-|y-c|^2/2) sum_alpha M_alpha (y-c)^alpha / alpha!. Time
// and memory grow with n, not n^2; blocks of vectors are matrix products. Every entry is wrong by
// at most the stated error. Sources are expanded, targets are not: entries (i, j) and (j, i)
// differ, by twice the error at most.
// Yang, Duraiswami, Gumerov: Improved fast Gauss transform (2003).
#include "mercer/core/parallel.h"
#include "mercer/core/per_thread.h"
#include "mercer/core/steps.h"
#include "mercer/linalg/blas.h"
#include "mercer/operators/gauss_bound.h"
#include "mercer/operators/gauss_clusters.h"
#include "mercer/operators/geometry.h"
#include "mercer/operators/gram_tiles.h"
#include "mercer/operators/recipe.h"
#include "mercer/operators/taylor_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace mercer {
namespace fast_gauss_kind {
namespace {

constexpr Index kPanel = 16384;            // numbers of a panel: 128 KB, it stays in the cache
constexpr Index kPieceRows = 1024;         // rows of a task, at most
constexpr Index kPieceTerms = 20'000'000;  // terms of a task, about: some hundredths of a second
constexpr Index kBatch = 64;               // tasks whose moments are held at once

// One cluster's monomials at a few rows.
struct Panel {
  Block x;         // rows less the centre, by columns
  Vector squares;  // their squared lengths
  std::vector<Index> seen;
  std::vector<double> values;  // rows x terms
  Block part;
};

// Sums over all rows by clusters. Vectors are in the order of the clusters.
class GaussSums {
 public:
  explicit GaussSums(GaussClusters clusters)
      : clusters_(std::move(clusters)),
        monomials_(clusters_.rows.cols(), clusters_.degree() - 1),
        inverse_factorials_(monomials_.count()) {
    for (Index t = 0; t < monomials_.count(); ++t)
      inverse_factorials_[t] = std::exp(-monomials_.log_factorial(t));
    Index all = 0;
    for (std::size_t c = 0; c < clusters_.ranges.size(); ++c) all += terms(static_cast<Index>(c));
    const Index rows = std::clamp<Index>(kPieceTerms / all, 64, kPieceRows);
    for (std::size_t c = 0; c < clusters_.ranges.size(); ++c)
      for (const Range part : tiles_of(clusters_.ranges[c].size(), rows))
        pieces_.push_back(
            {static_cast<Index>(c),
             {clusters_.ranges[c].begin + part.begin, clusters_.ranges[c].begin + part.end}});
  }

  const GaussClusters& clusters() const { return clusters_; }

  Block times(const Block& u, const Context& context) const {
    const std::vector<Block> moments = all_moments(u, context);
    Block sums = Block::Zero(u.rows(), u.cols());
    Steps steps(context, "pass", static_cast<Index>(pieces_.size()));
    parallel_for(context, static_cast<Index>(pieces_.size()), [&](Index t) {
      add_sums(pieces_[static_cast<std::size_t>(t)], moments, sums);
      steps.done();
    });
    return sums;
  }

 private:
  struct Piece {
    Index cluster;
    Range rows;
  };

  Index terms(Index cluster) const {
    return monomials_.count_up_to(clusters_.degrees[static_cast<std::size_t>(cluster)] - 1);
  }
  static Index panel_rows(Index terms) { return std::clamp<Index>(kPanel / terms, 64, 256); }

  // Distances of rows from a centre; those within `limit` are listed and moved to the front.
  void look(Range rows, Index cluster, double limit, Panel& panel) const {
    const Index dim = clusters_.rows.cols(), n = rows.size();
    panel.x.resize(n, dim);
    panel.squares.setZero(n);
    for (Index j = 0; j < dim; ++j) {
      panel.x.col(j) =
          clusters_.rows.col(j).segment(rows.begin, n).array() - clusters_.centres(cluster, j);
      panel.squares.array() += panel.x.col(j).array().square();
    }
    panel.seen.clear();
    for (Index i = 0; i < n; ++i) {
      if (panel.squares[i] > limit * limit) continue;
      const auto to = static_cast<Index>(panel.seen.size());
      panel.seen.push_back(i);
      if (to == i) continue;
      panel.squares[to] = panel.squares[i];
      for (Index j = 0; j < dim; ++j) panel.x(to, j) = panel.x(i, j);
    }
  }

  // exp(-|x-c|^2/2) (x-c)^alpha of the rows that are listed.
  Eigen::Map<const Block> fill(Index cluster, Panel& panel) const {
    const auto n = static_cast<Index>(panel.seen.size());
    const Index count = terms(cluster);
    panel.values.resize(static_cast<std::size_t>(n * count));
    double* out = panel.values.data();
    Eigen::Map<Eigen::ArrayXd>(out, n) = (panel.squares.head(n).array() * -0.5).exp();
    monomials_.fill(panel.x.data(), panel.x.rows(), n, out, count, out, n);
    return {out, n, count};
  }

  Block moments_of(const Piece& piece, const Block& u) const {
    auto& panel = per_thread<Panel>();
    const Index count = terms(piece.cluster);
    Block sum = Block::Zero(count, u.cols());
    for (const Range part : tiles_of(piece.rows.size(), panel_rows(count))) {
      const Range rows = {piece.rows.begin + part.begin, piece.rows.begin + part.end};
      look(rows, piece.cluster, std::numeric_limits<double>::infinity(), panel);
      gemm(Transpose::yes, Transpose::no, 1.0, fill(piece.cluster, panel),
           u.middleRows(rows.begin, rows.size()), 1.0, sum);
    }
    return sum;
  }

  // Moments over alpha! of every cluster. Pieces are added in order, a batch at a time.
  std::vector<Block> all_moments(const Block& u, const Context& context) const {
    std::vector<Block> moments(clusters_.ranges.size());
    for (const Range batch : tiles_of(static_cast<Index>(pieces_.size()), kBatch)) {
      std::vector<Block> parts(static_cast<std::size_t>(batch.size()));
      parallel_for(context, batch.size(), [&](Index t) {
        parts[static_cast<std::size_t>(t)] =
            moments_of(pieces_[static_cast<std::size_t>(batch.begin + t)], u);
      });
      for (Index t = 0; t < batch.size(); ++t) {
        const Piece& piece = pieces_[static_cast<std::size_t>(batch.begin + t)];
        Block& sum = moments[static_cast<std::size_t>(piece.cluster)];
        if (sum.size() == 0)
          sum = std::move(parts[static_cast<std::size_t>(t)]);
        else
          sum += parts[static_cast<std::size_t>(t)];
      }
    }
    for (Block& sum : moments)
      sum.array().colwise() *= inverse_factorials_.head(sum.rows()).array();
    return moments;
  }

  void add_sums(const Piece& piece, const std::vector<Block>& moments, Block& sums) const {
    auto& panel = per_thread<Panel>();
    const auto own = clusters_.centres.row(piece.cluster);
    for (Index c = 0; c < static_cast<Index>(moments.size()); ++c) {
      const double limit = clusters_.cutoff + clusters_.radii[c];
      const double apart = (clusters_.centres.row(c) - own).norm();
      if (apart - clusters_.radii[piece.cluster] > limit) continue;
      for (const Range part : tiles_of(piece.rows.size(), panel_rows(terms(c))))
        add_part({piece.rows.begin + part.begin, piece.rows.begin + part.end}, c, limit,
                 moments[static_cast<std::size_t>(c)], sums, panel);
    }
  }

  void add_part(Range rows, Index cluster, double limit, const Block& moments, Block& sums,
                Panel& panel) const {
    look(rows, cluster, limit, panel);
    if (panel.seen.empty()) return;
    const Eigen::Map<const Block> values = fill(cluster, panel);
    if (values.rows() == rows.size()) {
      gemm(Transpose::no, Transpose::no, 1.0, values, moments, 1.0,
           sums.middleRows(rows.begin, rows.size()));
      return;
    }
    panel.part.resize(values.rows(), sums.cols());
    gemm(Transpose::no, Transpose::no, 1.0, values, moments, 0.0, panel.part);
    for (Index j = 0; j < sums.cols(); ++j)
      for (Index i = 0; i < values.rows(); ++i)
        sums(rows.begin + panel.seen[static_cast<std::size_t>(i)], j) += panel.part(i, j);
  }

  GaussClusters clusters_;
  Monomials monomials_;
  Vector inverse_factorials_;
  std::vector<Piece> pieces_;
};

// Above, a sample shows too little of how far clusters reach.
constexpr Index kMostDimensions = 8;

double allowed_error(const Geometry& geometry) { return std::clamp(geometry.allowed, 1e-15, 0.1); }

Points placed(const GramProblem& problem, const Context& context) {
  const Geometry& geometry = *problem.facts.geometry;
  Points z(problem.points.n(), problem.points.dim());
  const std::vector<Range> chunks = tiles_of(z.rows(), 8192);
  parallel_for(context, static_cast<Index>(chunks.size()), [&](Index t) {
    const Range chunk = chunks[static_cast<std::size_t>(t)];
    for (Index i = chunk.begin; i < chunk.end; ++i) {
      problem.points.copy_row(i, z.row(i).data());
      z.row(i) = z.row(i) * geometry.scale - geometry.centre.transpose();
    }
  });
  return z;
}

class FastGauss final : public SymmetricOperator {
 public:
  FastGauss(const GramProblem& problem, const Context& context)
      : eps_(allowed_error(*problem.facts.geometry)),
        sums_(gauss_clusters(placed(problem, context), problem.facts.geometry->width, eps_,
                             problem.facts.geometry->clusters.clusters, context)),
        error_(norm_bound(sums_.clusters())) {}

  Index size() const override { return sums_.clusters().rows.rows(); }
  Vector diagonal(const Context& /*context*/) const override { return Vector::Ones(size()); }
  double error() const override { return error_; }

  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context& context) const override {
    const Index more = sums == nullptr ? 0 : 1;  // row sums ride along as one more column
    Block u(size(), x.cols() + more);
    over_columns(context, u.cols(), [&](Index j, Range part) {
      for (Index i = part.begin; i < part.end; ++i) u(i, j) = j < x.cols() ? x(table_row(i), j) : 1;
    });
    u = sums_.times(u, context);
    if (sums != nullptr) sums->row_sums.resize(size());
    over_columns(context, u.cols(), [&](Index j, Range part) {
      double* column = j < x.cols() ? &y(0, j) : sums->row_sums.data();
      for (Index i = part.begin; i < part.end; ++i) column[table_row(i)] = u(i, j);
    });
    if (sums == nullptr) return;
    sums->trace = static_cast<double>(size());
    const Norm norm = squared_norm(context);
    sums->frobenius_squared = norm.value;
    sums->frobenius_error = norm.error;
  }

  // Directly from the formula: exactly symmetric, and better than its product.
  void form(BlockRef out, const Context& context) const override {
    const std::vector<Range> tiles = tiles_of(size(), 64);
    parallel_for(context, static_cast<Index>(tiles.size()), [&](Index t) {
      const Range part = tiles[static_cast<std::size_t>(t)];
      for (Index j = part.begin; j < part.end; ++j) column(j, out.col(table_row(j)));
    });
  }

  bool columns(std::span<const Index> which, BlockRef out, const Context& context) const override {
    std::vector<Index> place(which.size());
    const std::vector<Index>& order = sums_.clusters().order;
    for (std::size_t j = 0; j < which.size(); ++j)
      place[j] = std::find(order.begin(), order.end(), which[j]) - order.begin();
    parallel_for(context, static_cast<Index>(which.size()),
                 [&](Index j) { column(place[static_cast<std::size_t>(j)], out.col(j)); });
    return true;
  }

 private:
  struct Norm {
    double value = 0, error = 0;
  };

  Index table_row(Index i) const { return sums_.clusters().order[static_cast<std::size_t>(i)]; }

  // Calls use(column, rows) for parts of all columns.
  template <class Use>
  void over_columns(const Context& context, Index columns, const Use& use) const {
    const std::vector<Range> parts = tiles_of(size(), 65536);
    const auto count = static_cast<Index>(parts.size());
    parallel_for(context, columns * count,
                 [&](Index t) { use(t / count, parts[static_cast<std::size_t>(t % count)]); });
  }

  void column(Index j, Eigen::Ref<Vector> out) const {
    const Points& rows = sums_.clusters().rows;
    for (Index i = 0; i < size(); ++i)
      out[table_row(i)] = std::exp(-0.5 * (rows.row(i) - rows.row(j)).squaredNorm());
  }

  // |K|_F^2 = 1' k^2 1, and k^2 is the Gaussian of width 1/sqrt(2): one more transform, made once.
  // Outside the lock: the observer may do as it likes.
  Norm squared_norm(const Context& context) const {
    {
      const std::lock_guard lock(norm_guard_);
      if (norm_) return *norm_;
    }
    const Points rows = sums_.clusters().rows * std::sqrt(2.0);
    const Index step = (size() + kSampleRows - 1) / kSampleRows;
    Points sample((size() + step - 1) / step, rows.cols());
    for (Index i = 0; i < sample.rows(); ++i) sample.row(i) = rows.row(i * step);
    const ClusterShape shape = cluster_shape(sample, 1, eps_);
    const GaussSums squares(
        gauss_clusters(rows, 1, eps_, std::max<Index>(shape.clusters, 1), context));
    const double value = squares.times(Block::Ones(size(), 1), context).sum();
    // |a^2 - k^2| <= (2 + e) e for an entry a with |a - k| <= e <= 0.1.
    const double entry = squares.clusters().error + 2.1 * sums_.clusters().error;
    const auto n = static_cast<double>(size());
    const std::lock_guard lock(norm_guard_);
    norm_ = Norm{value, n * n * entry / value + 0x1p-48};
    return *norm_;
  }

  double eps_;
  GaussSums sums_;
  double error_;
  mutable std::mutex norm_guard_;
  mutable std::optional<Norm> norm_;
};

std::optional<std::string> refuse(const GramProblem& problem, const Budget& budget) {
  if (const auto reason = refuse_expansion(problem, budget)) return reason;
  if (problem.kernel.only<Gaussian>() == nullptr) return "the kernel is not a Gaussian";
  const Geometry& geometry = *problem.facts.geometry;
  if (geometry.extent.ball < 1e-2 * geometry.width) return "the kernel is nearly constant";
  if (geometry.coarse()) return "rows too far apart for so narrow a kernel";
  const Index dim = problem.points.dim();
  if (geometry.clusters.clusters > 0 && dim <= kMostDimensions) return std::nullopt;
  const double ball = geometry.extent.ball / geometry.width;
  const Index degree = truncation_degree(ball, allowed_error(geometry), ball);
  if (degree == 0)
    return fmt::format("an expansion would take too many terms in {} dimensions", dim);
  return fmt::format("an expansion would take too many terms ({:.3g} in {} dimensions)",
                     monomial_count(dim, degree - 1), dim);
}

Index size(const GramProblem& problem) { return problem.points.n(); }

// Numbers of a panel that a thread makes and sums per second, and the share of the speed of large
// products that small ones reach; measured with 1 and 16 columns in 2 and 3 dimensions, 10^6 rows.
constexpr double kFillRate = 2.2e9;
constexpr double kSmallProducts = 0.6;

Cost cost(const GramProblem& problem, const Machine& machine, Precision, Index columns) {
  const auto n = static_cast<double>(problem.points.n()),
             dim = static_cast<double>(problem.points.dim()), b = static_cast<double>(columns);
  const ClusterShape& shape = problem.facts.geometry->clusters;
  const auto clusters = static_cast<double>(shape.clusters);
  const double entry = 1 / kFillRate + 2 * b / (kSmallProducts * machine.gemm_double);
  const double own_moments = clusters * shape.terms * b * 8;
  return {.setup_seconds = n * (7e-8 + clusters * dim / kFillRate),
          .pass_seconds =
              n * ((1 + shape.reach) * (shape.terms * entry + (dim + 8) / kFillRate) + 2e-8 * b),
          .form_seconds = n * n * (dim / kFillRate + 1e-8),
          .bytes = static_cast<std::uint64_t>(8 * n * (3 * dim + 3 + 2 * b) + own_moments +
                                              kBatch * shape.terms * b * 8 +
                                              kThreadsPriced * 8 * (kPanel + 16 * shape.terms)),
          .error = allowed_error(*problem.facts.geometry),
          .terms = clusters * shape.terms,
          .terms_name = "terms"};
}

std::unique_ptr<SymmetricOperator> build(const GramProblem& problem, const Context& context) {
  context.check_cancelled();
  return std::make_unique<FastGauss>(problem, context);
}

}  // namespace
}  // namespace fast_gauss_kind

const OperatorRecipe& fast_gauss_recipe() {
  using namespace fast_gauss_kind;
  static constexpr OperatorRecipe recipe{
      "fast_gauss", "Taylor expansions about clusters of rows (improved fast Gauss transform)",
      refuse,       size,
      cost,         build,
      true};
  return recipe;
}

}  // namespace mercer
