#include "mercer/operators/axes_rows.h"

#include "mercer/core/error.h"
#include "mercer/core/parallel.h"
#include "mercer/data/row_panels.h"
#include "mercer/kernels/value_unit.h"
#include "mercer/linalg/blas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {
namespace {

// Eigenvalues are squares. Outside of these the smaller ones would not have all their digits, or
// sums of them would not be numbers.
constexpr double kLeastTrace = 1e-300, kLargestTrace = 1e300;
constexpr Index kPartRows = 128, kPartColumns = 64;  // of a task
// Rows of sparse tables that are worked on at once, and columns of a block in one task: a cache
// line.
constexpr Index kSparseRows = 4096, kSparseColumns = 8;

void check_trace(double scaled, double factor) {
  const double trace = scaled * factor;
  if (scaled == 0 || (trace >= kLeastTrace && trace <= kLargestTrace)) return;
  throw Error(ErrorCode::kernel_overflows,
              fmt::format("the squares of the rows add up to {:.3g}: too {} to work with", trace,
                          trace < kLeastTrace ? "small" : "large"),
              "multiply the columns by a constant (--scale standard does)");
}

}  // namespace

AxesRows::AxesRows(const GramProblem& problem)
    : points_(problem.points),
      source_(problem.source),
      moments_(problem.facts.moments),
      center_(problem.center) {
  const auto n = static_cast<double>(moments_->n);
  factor_ = 1 / moments_->scale / moments_->scale;
  const double trace = moments_->squares.sum() + (center_ ? 0 : n * moments_->mean.squaredNorm());
  check_trace(trace, factor_);
  unit_ = unit_for(trace * factor_);
  factor_ /= unit_;
}

Block AxesRows::covariance() const {
  const auto n = static_cast<double>(moments_->n);
  Block matrix = moments_->scatter * (factor_ / n);
  if (!center_) {
    const Vector mean = moments_->mean + moments_->rest;
    matrix += factor_ * mean * mean.transpose();
  }
  return matrix;
}

Vector AxesRows::variances() const {
  const auto n = static_cast<double>(moments_->n);
  Vector variances = moments_->squares * (factor_ / n);
  if (!center_) variances += factor_ * (moments_->mean + moments_->rest).cwiseAbs2();
  return variances;
}

Vector AxesRows::sparse_squares() const {
  Vector mean = Vector::Zero(dim());
  if (center_) mean = moments_->mean + moments_->rest;
  const double all = mean.squaredNorm();
  Vector squares = Vector::Constant(n(), all);
  for (Index i = 0; i < n(); ++i) {
    const SparseRow row = points_.sparse_row(i);
    for (Index k = 0; k < row.count; ++k) {
      const double x = row.values[k] * moments_->scale;
      squares[i] += x * (x - 2 * mean[row.columns[k]]);
    }
  }
  return squares.cwiseMax(0) * factor_;
}

void AxesRows::walk(const std::function<void(BlockRef panel, Index first)>& use,
                    const Context& context) const {
  const ViewSource view(points_);
  Index first = 0;
  PanelWork work{.phase = "rows"};
  work.row = [&](double* row, Index, Index) {
    Eigen::Map<Vector> x(row, dim());
    x *= moments_->scale;
    if (center_) x = (x - moments_->mean) - moments_->rest;
  };
  work.panel = [&](BlockRef panel) {
    use(panel, first);
    first += panel.cols();
  };
  each_panel(source_ != nullptr ? *source_ : view, work, context);
}

namespace {

// out = panel' w, a few rows at a time.
void rows_times(BlockRef panel, ConstBlockRef w, BlockRef out, const Context& context) {
  const std::vector<Range> parts = tiles_of(panel.cols(), kPartRows);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range rows = parts[static_cast<std::size_t>(t)];
    gemm(Transpose::yes, Transpose::no, 1.0, panel.middleCols(rows.begin, rows.size()), w, 0.0,
         out.middleRows(rows.begin, rows.size()));
  });
}

// sum += panel u, a few columns of the table at a time.
void add_columns_times(BlockRef panel, ConstBlockRef u, Block& sum, const Context& context) {
  const std::vector<Range> parts = tiles_of(panel.rows(), kPartColumns);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range columns = parts[static_cast<std::size_t>(t)];
    gemm(Transpose::no, Transpose::no, 1.0, panel.middleRows(columns.begin, columns.size()), u, 1.0,
         sum.middleRows(columns.begin, columns.size()));
  });
}

}  // namespace

Block AxesRows::lift(ConstBlockRef w, const Context& context) const {
  if (points_.sparse()) return sparse_lift(w, context) * std::sqrt(factor_);
  Block lifted(n(), w.cols());
  walk([&](BlockRef panel,
           Index first) { rows_times(panel, w, lifted.middleRows(first, panel.cols()), context); },
       context);
  return lifted * std::sqrt(factor_);
}

Block AxesRows::restrict(ConstBlockRef u, const Context& context) const {
  if (points_.sparse()) return sparse_restrict(u, context) * std::sqrt(factor_);
  Block sum = Block::Zero(dim(), u.cols());
  walk(
      [&](BlockRef panel, Index first) {
        add_columns_times(panel, u.middleRows(first, panel.cols()), sum, context);
      },
      context);
  return sum * std::sqrt(factor_);
}

Block AxesRows::image(ConstBlockRef w, const Context& context) const {
  if (points_.sparse()) return sparse_restrict(sparse_lift(w, context), context) * factor_;
  Block sum = Block::Zero(dim(), w.cols());
  Block scores;
  walk(
      [&](BlockRef panel, Index) {
        scores.resize(panel.cols(), w.cols());
        rows_times(panel, w, scores, context);
        add_columns_times(panel, scores, sum, context);
      },
      context);
  return sum * factor_;
}

Block AxesRows::sparse_lift(ConstBlockRef w, const Context& context) const {
  const Points map = w * moments_->scale;
  Eigen::RowVectorXd moved = Eigen::RowVectorXd::Zero(w.cols());
  if (center_) moved = (moments_->mean + moments_->rest).transpose() * w;
  Points lifted(n(), w.cols());
  const std::vector<Range> parts = tiles_of(n(), kPartRows);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range rows = parts[static_cast<std::size_t>(t)];
    for (Index i = rows.begin; i < rows.end; ++i) {
      const SparseRow row = points_.sparse_row(i);
      lifted.row(i) = -moved;
      for (Index k = 0; k < row.count; ++k)
        lifted.row(i) += row.values[k] * map.row(row.columns[k]);
    }
  });
  return lifted;
}

Block AxesRows::sparse_restrict(ConstBlockRef u, const Context& context) const {
  Points sum = Points::Zero(dim(), u.cols());
  const std::vector<Range> columns = tiles_of(u.cols(), kSparseColumns);
  for (const Range rows : tiles_of(n(), kSparseRows)) {
    const Points part = u.middleRows(rows.begin, rows.size()) * moments_->scale;
    parallel_for(context, static_cast<Index>(columns.size()), [&](Index t) {
      const Range here = columns[static_cast<std::size_t>(t)];
      for (Index i = 0; i < rows.size(); ++i) {
        const SparseRow row = points_.sparse_row(rows.begin + i);
        for (Index k = 0; k < row.count; ++k)
          sum.row(row.columns[k]).segment(here.begin, here.size()) +=
              row.values[k] * part.row(i).segment(here.begin, here.size());
      }
    });
  }
  if (center_) sum -= (moments_->mean + moments_->rest) * u.colwise().sum();
  return sum;
}

Frame frame_by_axes(const RowMoments& moments, bool center) {
  Frame frame;
  frame.scale = moments.scale;
  frame.dim = moments.dim();
  frame.centre = moments.mean + moments.rest;
  frame.centre_products = center;
  // No row is farther than the corners of the box that holds them all.
  const Vector high = moments.maximum * moments.scale - frame.centre,
               low = frame.centre - moments.minimum * moments.scale;
  frame.radius = frame.reach = high.cwiseMax(low).norm();
  return frame;
}

double walk_seconds(const GramProblem& problem, const Machine& machine) {
  // Numbers are read, written as doubles and looked at a few times in the cache.
  constexpr double kBytes = 24;
  // Of a file that the system does not hold in memory: a good disk.
  constexpr double kFileRate = 1e9;
  const auto stored = static_cast<double>(problem.points.stored());
  const double read = problem.source != nullptr
                          ? stored * static_cast<double>(size_of(problem.points.type())) / kFileRate
                          : 0;
  return kBytes * stored / machine.bandwidth + read;
}

std::uint64_t chunk_bytes(const GramProblem& problem) {
  return problem.source != nullptr ? problem.source->chunk_bytes() : 0;
}

std::optional<std::string> refuse_unless_by_axes(const GramProblem& problem) {
  if (problem.given != Given::table) return "the matrix is given";
  if (!problem.by_axes) return "scores are not those of axes";
  const Linear* linear = problem.kernel.only<Linear>();
  if (linear == nullptr) return "the kernel is not linear";
  if (linear->offset != 0 && !problem.center)
    return "an offset without centring is not a linear map";
  return std::nullopt;
}

}  // namespace mercer
