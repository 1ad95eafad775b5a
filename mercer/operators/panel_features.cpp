#include "mercer/operators/panel_features.h"

#include "mercer/core/parallel.h"
#include "mercer/core/per_thread.h"
#include "mercer/core/steps.h"
#include "mercer/linalg/blas.h"
#include "mercer/operators/stored_factor.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace mercer {
namespace {

// Rows of a panel: it should stay in the second-level cache, and still be a good matrix product.
// Very wide ones are few rows at a time, or they would take gigabytes.
Index panel_rows(Index width) {
  constexpr Index kMostNumbers = Index{1} << 22;
  const Index wide = std::max<Index>(1, width);
  return std::min(std::clamp<Index>((Index{1} << 17) / wide, 64, 1024),
                  std::max<Index>(1, kMostNumbers / wide));
}

// Groups of rows are summed apart; each takes `numbers` doubles. More of them keep more threads
// busy, and the number must not depend on the threads.
constexpr Index kMostGroups = 16, kGroupNumbers = Index{1} << 25;
Index groups_for(Index n, Index numbers) {
  const Index by_memory = kGroupNumbers / std::max<Index>(1, numbers);
  return std::clamp<Index>(n / 256, 1, std::clamp<Index>(by_memory, 2, kMostGroups));
}

struct Panels {
  const PanelFeatures& features;
  DataView rows;

  // Calls use(panel, part) for the panels of a range, in order.
  template <class Use>
  void over(Range range, const Context& context, const Use& use) const {
    auto& panel = per_thread<std::vector<double>>();
    const Index width = features.width(), step = panel_rows(width);
    panel.resize(static_cast<std::size_t>(std::min(step, range.size()) * width));
    for (Index begin = range.begin; begin < range.end; begin += step) {
      const Range part{begin, std::min(range.end, begin + step)};
      Eigen::Map<Block> f(panel.data(), part.size(), width);
      features.fill(rows, part, f);
      use(f, part);
      context.check_cancelled();
    }
  }

  // Sums over all rows: of each group into its own block, then in order.
  template <class Use>
  Block sum(Index height, Index cols, const Context& context, const Use& use) const {
    const Index groups = groups_for(rows.n(), height * cols);
    const std::vector<Range> parts = tiles_of(rows.n(), (rows.n() + groups - 1) / groups);
    std::vector<Block> sums(parts.size());
    Steps steps(context, "features", static_cast<Index>(parts.size()));
    parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
      Block sum = Block::Zero(height, cols);
      over(parts[static_cast<std::size_t>(t)], context,
           [&](ConstBlockRef f, Range part) { use(f, part, sum); });
      sums[static_cast<std::size_t>(t)] = std::move(sum);
      steps.done();
    });
    for (std::size_t t = 1; t < sums.size(); ++t) {
      sums[0] += sums[t];
      sums[t] = Block(0, 0);
    }
    return std::move(sums[0]);
  }

  // F w.
  Block times(ConstBlockRef w, const Context& context) const {
    Block out(rows.n(), w.cols());
    const std::vector<Range> parts = tiles_of(rows.n(), 4 * panel_rows(features.width()));
    parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
      over(parts[static_cast<std::size_t>(t)], context, [&](ConstBlockRef f, Range part) {
        gemm(Transpose::no, Transpose::no, 1.0, f, w, 0.0, out.middleRows(part.begin, part.size()));
      });
    });
    return out;
  }

  // F'u.
  Block transposed_times(ConstBlockRef u, const Context& context) const {
    return sum(features.width(), u.cols(), context, [&](ConstBlockRef f, Range part, Block& total) {
      gemm(Transpose::yes, Transpose::no, 1.0, f, u.middleRows(part.begin, part.size()), 1.0,
           total);
    });
  }
};

// About the mean of the features, from a few rows spread over the table: sums of squares about it
// lose no digits, and what it lacks is taken out afterwards.
Vector rough_mean(const PanelFeatures& features, DataView rows) {
  const Index count = std::min<Index>(rows.n(), 256);
  Vector total = Vector::Zero(features.width());
  Block one(1, features.width());
  for (Index i = 0; i < count; ++i) {
    const Index at = i * (rows.n() / count);
    features.fill(rows, {at, at + 1}, one);
    total += one.row(0).transpose();
  }
  return total / static_cast<double>(count);
}

class PanelCovariance final : public StoredFactor {
 public:
  PanelCovariance(std::shared_ptr<const PanelFeatures> features, double entry_error,
                  const GramProblem& problem, const Context& context)
      : features_(std::move(features)),
        panels_{*features_, problem.points},
        n_(problem.points.n()),
        error_(static_cast<double>(n_) * entry_error),
        mean_(Vector::Zero(features_->width())) {
    const Index width = features_->width();
    if (problem.center) mean_ = rough_mean(*features_, problem.points);
    // The last columns sum the features themselves, and their squares.
    Block sums = panels_.sum(width, width + 2, context, [&](ConstBlockRef f, Range, Block& total) {
      auto& moved = per_thread<Moved>().panel;
      moved.resize(static_cast<std::size_t>(f.size()));
      Eigen::Map<Block> g(moved.data(), f.rows(), f.cols());
      g = f;
      if (problem.center) g.rowwise() -= mean_.transpose();
      add_gram(g, total.leftCols(width));
      total.col(width) += g.colwise().sum().transpose();
      total(0, width + 1) += f.squaredNorm();
    });
    squares_ = sums(0, width + 1);
    sharpen(squares_);
    matrix_ = sums.leftCols(width);
    moved_squares_ = matrix_.trace();
    if (problem.center) {
      const Vector rest = sums.col(width) / static_cast<double>(n_);
      matrix_.triangularView<Eigen::Lower>() -= rest * (static_cast<double>(n_) * rest).transpose();
      mean_ += rest;
    }
    matrix_.triangularView<Eigen::StrictlyUpper>() = matrix_.transpose();
  }

  double error() const override { return error_; }

  double gram_factor() const override { return 1; }

  Block lift(ConstBlockRef w, const Context& context) const override {
    Block lifted = panels_.times(w, context);
    lifted.rowwise() -= (mean_.transpose() * w).eval();
    return lifted;
  }

  Block restrict(ConstBlockRef u, const Context& context) const override {
    Block small = panels_.transposed_times(u, context);
    small.noalias() -= mean_ * u.colwise().sum();
    return small;
  }

  // Sums in panels, panels in groups: what is added to a number in turn is all that counts.
  FactorError factor_error() const override {
    const Index width = features_->width(), step = panel_rows(width);
    const Index groups = groups_for(n_, width * (width + 2));
    const auto depth = static_cast<double>(std::min(n_, step) + n_ / (groups * step) + groups + 4);
    return {.small = 2 * depth * 0x1p-53 * moved_squares_,
            .lift = static_cast<double>(width + 4) * 0x1p-53 * std::sqrt(squares_)};
  }

  std::optional<Scorer> scorer(ConstBlockRef w, ConstBlockRef, const Vector&,
                               const Context& /*context*/) const override {
    return Scorer{features_, {}, w, w.transpose() * mean_};
  }

 private:
  // What an expansion with all squares positive leaves out is positive semidefinite itself: its
  // trace bounds its norm.
  void sharpen(double squares) {
    if (error_ == 0) return;
    const auto n = static_cast<double>(n_);
    const double rounding = 8 * 0x1p-53 * std::sqrt(static_cast<double>(features_->width())) * n;
    error_ = std::min(error_, std::max(0.0, n - squares) + rounding);
  }

  struct Moved {
    std::vector<double> panel;
  };

  std::shared_ptr<const PanelFeatures> features_;
  Panels panels_;
  Index n_;
  double error_;
  Vector mean_;
  double squares_ = 0, moved_squares_ = 0;  // of all features, and about the mean
};

class PanelGram final : public SymmetricOperator {
 public:
  PanelGram(std::shared_ptr<const PanelFeatures> features, double entry_error,
            const GramProblem& problem, const Context& context)
      : features_(std::move(features)),
        panels_{*features_, problem.points},
        error_(static_cast<double>(problem.points.n()) * entry_error),
        diagonal_(problem.points.n()) {
    const std::vector<Range> parts = tiles_of(size(), 4 * panel_rows(features_->width()));
    parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
      panels_.over(parts[static_cast<std::size_t>(t)], context, [&](ConstBlockRef f, Range part) {
        diagonal_.segment(part.begin, part.size()) = f.rowwise().squaredNorm();
      });
    });
  }

  Index size() const override { return diagonal_.size(); }
  Vector diagonal(const Context& /*context*/) const override { return diagonal_; }
  double error() const override { return error_; }

  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context& context) const override {
    y = panels_.times(panels_.transposed_times(x, context), context);
    if (sums == nullptr) return;
    const Block ones = Block::Ones(size(), 1);
    sums->row_sums = panels_.times(panels_.transposed_times(ones, context), context);
    sums->trace = diagonal_.sum();
    sums->frobenius_squared = 0;  // not known without F'F
    sums->frobenius_error = 1;
  }

 private:
  std::shared_ptr<const PanelFeatures> features_;
  Panels panels_;
  double error_;
  Vector diagonal_;
};

}  // namespace

Block PanelFeatures::times(DataView rows, ConstBlockRef w, const Context& context) const {
  return Panels{*this, rows}.times(w, context);
}

std::unique_ptr<SymmetricOperator> panel_operator(std::shared_ptr<const PanelFeatures> features,
                                                  double entry_error, const GramProblem& problem,
                                                  const Context& context) {
  if (panel_size(static_cast<double>(features->width()), problem) == features->width())
    return std::make_unique<PanelCovariance>(std::move(features), entry_error, problem, context);
  return std::make_unique<PanelGram>(std::move(features), entry_error, problem, context);
}

Index panel_size(double width, const GramProblem& problem) {
  return width <= kCovarianceWidth ? static_cast<Index>(width) : problem.points.n();
}

Cost panel_cost(double width, double each, double entry_error, const GramProblem& problem,
                const Machine& machine, Index columns) {
  const auto n = static_cast<double>(problem.points.n()), b = static_cast<double>(columns);
  const double panel = 8.0 * 2 * static_cast<double>(Index{1} << 17);
  const double make = n * width * each;
  if (width > kCovarianceWidth)
    return {
        .setup_seconds = make,
        .pass_seconds = 2 * make + 4 * n * width * b / machine.gemm_double,
        .form_seconds = 2 * n / std::max(1.0, b) * make + 4 * n * n * width / machine.gemm_double,
        .bytes =
            static_cast<std::uint64_t>(2 * panel + 8 * width * b * (kMostGroups + 1) + 16 * n * b),
        .error = std::max(entry_error, 0x1p-50)};
  const Index groups = groups_for(problem.points.n(), static_cast<Index>(width * (width + 2)));
  return {.setup_seconds =
              make + n * width * width / machine.gemm_double + 16 * n * width / machine.bandwidth,
          .pass_seconds = 2 * width * width * b / machine.gemm_double,
          .form_seconds = 16 * width * width / machine.bandwidth,
          .bytes = static_cast<std::uint64_t>(
              2 * panel + 8 * width * width * static_cast<double>(groups + 1) +
              16 * n * std::min(width, static_cast<double>(problem.components))),
          .error = std::max(entry_error, 0x1p-50)};
}

}  // namespace mercer
