#include "mercer/operators/row_sample.h"

#include "mercer/core/parallel.h"
#include "mercer/kernels/entry_bound.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/householder.h"
#include "mercer/linalg/pick_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace mercer {
namespace {

// Rows drawn before and after a search. The figure of the first must not turn out too small, or the
// search would be for nothing: it gets a margin, as do figures of single vectors.
constexpr Index kBefore = 64, kAfter = 128;
constexpr double kMargin = 1.25;
constexpr Index kGroups = 16;  // of columns, summed apart whatever the number of threads
// Relative rounding of a number to float, at most.
constexpr double kFloatRounding = 0x1p-24;
// Where features are not centred, vectors may be constant: equal entries round alike, and so do
// their sums.
constexpr double kEqualRounding = 4 * 0x1p-24;
// All rows show all there is, but for the rounding of float64.
constexpr double kAllRows = 1 + 0x1p-20;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Lower quantile of the mean of this many squares of standard normal numbers (Wilson, Hilferty).
double lower_mean_square(double failure, double degrees) {
  const double z = -std::sqrt(-2 * std::log(failure)) * 0.94;  // normal quantile, from below
  const double k = 2 / (9 * degrees);
  return std::pow(std::max(0.05, 1 - k + z * std::sqrt(k)), 3);
}

// The chosen rows against all rows, some columns at a time.
template <class T>
class ChosenRows {
 public:
  using Tile = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// `known`: the same rows in the other precision, or none.
  ChosenRows(const GramProblem& problem, const Frame& frame, const std::vector<Index>& rows,
             const Context& context, const ChosenRows<double>* known = nullptr)
      : problem_(problem),
        frame_(frame),
        context_(context),
        kernel_(problem.kernel, frame, Values::in_units),
        count_(static_cast<Index>(rows.size())) {
    // Whole numbers and sparse rows have small copies; of others a part at a time is copied.
    if (problem.facts.integer_tiles || problem.points.sparse()) {
      if (known != nullptr && known->all_ != nullptr && known->all_->exact_products())
        all_ = std::make_unique<TilePoints<T>>(*known->all_);
      else
        all_ = std::make_unique<TilePoints<T>>(problem.kernel, frame, problem.points, context);
      chosen_ = std::make_unique<TilePoints<T>>(all_->gathered(rows));
      return;
    }
    Points picked(count_, problem.points.dim());
    for (Index i = 0; i < count_; ++i)
      problem.points.copy_row(rows[static_cast<std::size_t>(i)], picked.row(i).data());
    chosen_ = std::make_unique<TilePoints<T>>(problem.kernel, frame, DataView(picked), context,
                                              TilePoints<T>::Storage::dense);
  }

  Tile tile(Range cols) const {
    typename TileKernel<T>::Scratch scratch;
    Tile out(count_, cols.size());
    if (all_ != nullptr) {
      kernel_.fill(*chosen_, {0, count_}, *all_, cols, out.data(), cols.size(), scratch);
      return out;
    }
    const TilePoints<T> part(problem_.kernel, frame_, problem_.points.rows(cols), context_,
                             TilePoints<T>::Storage::dense);
    kernel_.fill(*chosen_, {0, count_}, part, {0, cols.size()}, out.data(), cols.size(), scratch);
    return out;
  }
  double unit() const { return kernel_.unit(); }

 private:
  template <class>
  friend class ChosenRows;

  const GramProblem& problem_;
  const Frame& frame_;
  const Context& context_;
  TileKernel<T> kernel_;
  Index count_;
  std::unique_ptr<TilePoints<T>> all_, chosen_;
};

// What rounding a vector to float is worth as a relative error of the matrix. Of many numbers it is
// the root mean square of what rounding does, as if that were uniform: a third of the largest
// square. Of few, as where one row holds nearly all of the matrix, it may be the largest
// (Hoeffding).
double rounding_of_vectors(const Vector& squares, const RowDraw& draw, double failure) {
  const Vector weights = draw.times().cwiseQuotient(draw.expected());
  const double sum = weights.dot(squares), spread = weights.dot(squares.cwiseAbs2());
  const double chance = spread > 0 ? std::sqrt(-0.5 * std::log(failure) * spread) / sum : 0;
  return kFloatRounding * std::sqrt(std::min(1.0, 1.0 / 3 + chance));
}

// A tile of chosen rows is another product than the operator's, and rounds anew: its errors are as
// large, not the same. So the sum of their squares is known as well as its largest entries are
// many; each stands in two rows.
double entries_worth(const Vector& squares, const Vector& fourth, const RowDraw& draw) {
  const Vector weights = draw.times().cwiseQuotient(draw.expected());
  const double sum = weights.dot(squares), spread = weights.cwiseAbs2().dot(fourth);
  return spread > 0 ? 1.5 * sum / spread * sum : kInfinity;
}

// What a group of columns shows of the chosen rows.
struct GroupSums {
  Vector error, fourth, entries;  // squares and fourth powers, summed over the columns
  Block products;                 // with the vectors

  GroupSums(Index rows, Index vectors)
      : error(Vector::Zero(rows)),
        fourth(Vector::Zero(rows)),
        entries(Vector::Zero(rows)),
        products(Block::Zero(rows, vectors)) {}

  // A tile of the chosen rows, in double and as float tiles have it; `places` are their numbers.
  void add(const Points& tile, const Points& rounded, Range cols, const std::vector<Index>& places,
           ConstBlockRef vectors) {
    Points off = tile - rounded;
    // Operators take the diagonal from the formula, not from tiles.
    for (Index i = 0; i < tile.rows(); ++i) {
      const Index j = places[static_cast<std::size_t>(i)] - cols.begin;
      if (j >= 0 && j < cols.size()) off(i, j) = tile(i, j) - double{float(tile(i, j))};
    }
    off = off.cwiseAbs2();
    error += off.rowwise().sum();
    fourth += off.rowwise().squaredNorm();
    entries += tile.rowwise().squaredNorm();
    if (vectors.cols() > 0)
      products.noalias() += tile * vectors.middleRows(cols.begin, cols.size());
  }

  void add(const GroupSums& other) {
    error += other.error;
    fourth += other.fourth;
    entries += other.entries;
    products += other.products;
  }
};

// The sums over all columns: in groups, added in their order.
GroupSums sums_of(const ChosenRows<double>& exact, const ChosenRows<float>& single,
                  const std::vector<Index>& rows, const FloatProducts& products,
                  const Context& context) {
  const auto count = static_cast<Index>(rows.size());
  const std::vector<Range> parts = tiles_of(products.vectors.rows(), kTileRows);
  const Index groups = std::min<Index>(kGroups, static_cast<Index>(parts.size()));
  std::vector<GroupSums> sums(static_cast<std::size_t>(groups),
                              GroupSums(count, products.vectors.cols()));
  parallel_for(context, groups, [&](Index g) {
    for (std::size_t t = static_cast<std::size_t>(g); t < parts.size();
         t += static_cast<std::size_t>(groups)) {
      const Points rounded = single.tile(parts[t]).template cast<double>();
      sums[static_cast<std::size_t>(g)].add(exact.tile(parts[t]), rounded, parts[t], rows,
                                            products.vectors);
      context.check_cancelled();
    }
  });
  for (std::size_t g = 1; g < sums.size(); ++g) sums[0].add(sums[g]);
  return std::move(sums[0]);
}

}  // namespace

double RowSample::bytes(Index n, Index vectors) {
  const auto count = static_cast<double>(std::min(n, 2 * kAfter));
  return 8 * count * (kGroups * static_cast<double>(vectors + 2) + 2 * kTileRows) +
         8 * 6 * static_cast<double>(n);
}

RowSample::RowSample(const GramProblem& problem, const Vector& diagonal, double failure,
                     std::uint64_t seed, const Context& context)
    : failure_(failure) {
  const Frame frame = frame_of(problem, context);
  const Index n = problem.points.n();
  const RowDraw draw(n, {rounding_by_length(problem, frame, context), diagonal, {}}, kBefore,
                     Block(n, 0), seed, 600);
  const Block none(n, 0);
  measure(problem, draw, {none, none, none}, context);
  if (draw.everything()) return;
  tile_error_ *= kMargin;
  operator_error_ *= kMargin;
}

RowSample::RowSample(const GramProblem& problem, const Vector& diagonal,
                     const FloatProducts& products, double failure, std::uint64_t seed,
                     const Context& context)
    : failure_(failure) {
  const Index n = problem.points.n();
  require(products.vectors.rows() == n && products.images.rows() == n &&
              products.removed.rows() == n && products.images.cols() == products.vectors.cols(),
          ErrorCode::internal, "products of another space than the rows");
  const Frame frame = frame_of(problem, context);
  RowSizes sizes{rounding_by_length(problem, frame, context), diagonal, {}};
  if (products.row_sums.size() == n) sizes.sums = products.row_sums - diagonal;
  const RowDraw draw(n, sizes, kAfter, products.vectors, seed, 601);
  measure(problem, draw, products, context);
  if (draw.everything()) return;
  // Errors of rows of a small cluster are alike rather than normal.
  product_error_ *= kMargin;
  for (Index j = 0; j < product_error_.size(); ++j)
    if (draw.blind(j)) product_error_[j] = kInfinity;
}

void RowSample::measure(const GramProblem& problem, const RowDraw& draw,
                        const FloatProducts& products, const Context& context) {
  const Frame frame = frame_of(problem, context);
  const Index n = problem.points.n();
  const std::vector<Index>& rows = draw.rows();
  const ChosenRows<double> exact(problem, frame, rows, context);
  const ChosenRows<float> single(problem, frame, rows, context, &exact);
  const GroupSums total = sums_of(exact, single, rows, products, context);
  // Where the worst case from the lengths of the rows is less than the sample can show, it holds.
  const double worst =
      static_cast<double>(n) *
      entry_bound(problem.kernel, frame, Precision::single_, problem.facts.integer_tiles).error /
      exact.unit();
  tile_error_ = upper(total.error, draw, 0, entries_worth(total.error, total.fourth, draw));
  if (total.error.allFinite() && worst < tile_error_) tile_error_ = worst;
  const double vectors =
      problem.center ? rounding_of_vectors(total.entries, draw, failure_) : kEqualRounding;
  operator_error_ = std::hypot(tile_error_, vectors * upper(total.entries, draw, 0, kInfinity));

  // What was taken out of the products is the part of all rows in a span; that of the rows drawn,
  // each with its weight, stands for it.
  Block error = total.products - pick_rows(products.images, rows);
  const Block span = pick_rows(products.removed, rows);
  if (span.cols() > 0) {
    const Vector roots = draw.times().cwiseQuotient(draw.expected()).cwiseSqrt();
    error -= span * least_squares(roots.asDiagonal() * span, roots.asDiagonal() * error);
  }
  product_error_.resize(error.cols());
  for (Index j = 0; j < error.cols(); ++j)
    product_error_[j] = upper(error.col(j).cwiseAbs2(), draw, span.cols(), kInfinity);
}

// The root of the sum of the squares of all rows, at most, from those of the rows drawn. They are
// worth as many squares of normal numbers as their spread shows (Satterthwaite), or `entries` where
// that is less: where few rows hold nearly all of the sum, nothing is known of it.
double RowSample::upper(const Vector& squares, const RowDraw& draw, Index lost,
                        double entries) const {
  const Vector each = squares.cwiseQuotient(draw.expected());
  const double drawn = draw.times().sum(), sum = draw.times().dot(each),
               spread = draw.times().dot(each.cwiseAbs2());
  if (!(sum > 0)) return std::isnan(sum) ? sum : 0;
  double rows = kInfinity, missing = 1;
  if (!draw.everything()) {
    const auto gone = static_cast<double>(lost);
    rows = std::min(drawn, 3 * sum / spread * sum) - gone;
    missing = drawn / (drawn - gone);
    if (lost > 1 && rows < drawn / 2) return kInfinity;
  }
  if (std::isinf(rows) && std::isinf(entries)) return kAllRows * std::sqrt(sum);
  const double degrees = 1 / (1 / rows + 1 / entries);
  if (!(degrees >= 1)) return kInfinity;
  return std::sqrt(sum * missing / lower_mean_square(failure_, degrees));
}

}  // namespace mercer
