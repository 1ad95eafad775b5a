#include "mercer/data/row_moments.h"

#include "mercer/core/parallel.h"
#include "mercer/data/fingerprint.h"
#include "mercer/data/row_panels.h"
#include "mercer/data/whole_moments.h"
#include "mercer/linalg/blas.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace mercer {
namespace {

// Tiles of the matrix that one task adds to. Narrower matrices are cut by rows instead, in groups
// whose sums are added in order.
constexpr Index kTileColumns = 256;
constexpr Index kRowGroups = 8;
// Scaled numbers may be so much larger than 1, or all of them so much smaller, before their squares
// lose digits: then the walk begins again with another scale.
constexpr double kLargest = 0x1p100, kSmallest = 0x1p-100;

double power_of_two_for(double magnitude) {
  if (magnitude == 0) return 1;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  return std::ldexp(1.0, std::min(-exponent, 1000));
}

// Numbers of this magnitude do not go with the scale.
struct OtherScale {
  double magnitude;
};

class Moments {
 public:
  Moments(Index n, Index dim, const MomentsWanted& wanted, double scale, const Context& context)
      : context_(context), wanted_(wanted), scale_(scale), walk_(n, dim, work_, context) {
    const Index slots = panel_slots(n, dim);
    low_ = Block::Constant(dim, slots, HUGE_VAL);
    high_ = Block::Constant(dim, slots, -HUGE_VAL);
    sums_ = Block::Zero(dim, slots);
    if (wanted.scatter)
      cut(dim);
    else
      slot_squares_ = Block::Zero(dim, slots);
    if (wanted.fingerprint) hash_.emplace(n, dim);
    done_.squares = done_.mean = done_.rest = Vector::Zero(dim);
    if (wanted.scatter) done_.scatter = Block::Zero(dim, dim);
    work_.row = [this](double* row, Index number, Index slot) { look_at(row, number, slot); };
    work_.panel = [this](BlockRef panel) { this->panel(panel); };
    if (hash_) work_.beside = [this](DataView part) { hash_->add(part); };
  }
  Moments(const Moments&) = delete;
  Moments& operator=(const Moments&) = delete;

  void add(DataView chunk) { walk_.add(chunk); }

  RowMoments end() {
    walk_.end();
    return finished();
  }

 private:
  void cut(Index dim) {
    const Index count = (dim + kTileColumns - 1) / kTileColumns;
    parts_ = tiles_of(dim, (dim + count - 1) / count);
    for (Index i = 0; i < static_cast<Index>(parts_.size()); ++i)
      for (Index j = 0; j <= i; ++j) pairs_.push_back({j, i});
  }

  void look_at(double* row, Index number, Index slot) {
    Eigen::Map<Vector> x(row, sums_.rows());
    if ((x.array() * 0).sum() != 0) check_row_finite(row, x.size(), number);
    low_.col(slot) = low_.col(slot).cwiseMin(x);
    high_.col(slot) = high_.col(slot).cwiseMax(x);
    if (done_.n > 0) move(x, slot);
  }

  void move(Eigen::Map<Vector>& x, Index slot) {
    x = x * scale_ - done_.mean;
    sums_.col(slot) += x;
    if (slot_squares_.size() > 0) slot_squares_.col(slot) += x.cwiseAbs2();
  }

  // Slots that no row came to are infinite, and leave columns as they are.
  double largest() const {
    const Vector low = low_.rowwise().minCoeff(), high = high_.rowwise().maxCoeff();
    return std::max(low.cwiseAbs().maxCoeff(), high.cwiseAbs().maxCoeff());
  }

  // The first panel tells how large numbers are and where about: its rows are moved here.
  void begin(BlockRef panel) {
    const double most = largest();
    if (scale_ == 0) scale_ = power_of_two_for(most);
    if (most * scale_ > kLargest) throw OtherScale{most};
    over_slots(panel, [&](Eigen::Map<Vector>& x, Index slot) { sums_.col(slot) += x * scale_; });
    done_.mean = sums_.rowwise().sum() / static_cast<double>(panel.cols());
    sums_.setZero();
    over_slots(panel, [&](Eigen::Map<Vector>& x, Index slot) { move(x, slot); });
  }

  static Index rows_of_slot(const BlockRef& panel) {
    const Index rows = panel_rows(panel.rows());
    return (rows + panel_slots(panel.rows()) - 1) / panel_slots(panel.rows());
  }

  template <class Use>
  void over_slots(BlockRef panel, const Use& use) {
    const std::vector<Range> slots = tiles_of(panel.cols(), rows_of_slot(panel));
    parallel_for(context_, static_cast<Index>(slots.size()), [&](Index slot) {
      const Range rows = slots[static_cast<std::size_t>(slot)];
      for (Index i = rows.begin; i < rows.end; ++i) {
        Eigen::Map<Vector> x(panel.col(i).data(), panel.rows());
        use(x, slot);
      }
    });
  }

  void panel(BlockRef panel) {
    if (done_.n == 0) begin(panel);
    const Index before = done_.n;
    const auto n_a = static_cast<double>(before), n_b = static_cast<double>(panel.cols()),
               n = n_a + n_b;
    // Of the panel, about the mean that its rows were moved by; and beside the mean of all before.
    const Vector offset = sums_.rowwise().sum() / n_b;
    const Vector apart = offset - done_.rest;
    const double weight = n_a * (n_b / n);
    if (wanted_.scatter) add_scatter(panel, offset, apart, weight);
    if (slot_squares_.size() > 0)
      done_.squares +=
          slot_squares_.rowwise().sum() - n_b * offset.cwiseAbs2() + weight * apart.cwiseAbs2();
    const Vector change = done_.rest + apart * (n_b / n);
    const Vector mean = done_.mean + change;
    done_.rest = (done_.mean - (mean - change)) + (change - (mean - (mean - change)));
    done_.mean = mean;
    done_.n += panel.cols();
    sums_.setZero();
    slot_squares_.setZero();
    if (done_.n > before && largest_is_far()) throw OtherScale{largest()};
  }

  bool largest_is_far() const { return largest() * scale_ > kLargest; }

  // Adds X'X of the panel and what its mean and that of all before make of it; lower triangle.
  void add_scatter(BlockRef panel, const Vector& offset, const Vector& apart, double weight) {
    const auto n_b = static_cast<double>(panel.cols());
    if (parts_.size() == 1) return add_groups(panel, offset, apart, weight);
    parallel_for(context_, static_cast<Index>(pairs_.size()), [&](Index t) {
      const TilePair pair = pairs_[static_cast<std::size_t>(t)];
      const Range columns = parts_[static_cast<std::size_t>(pair.first)],
                  rows = parts_[static_cast<std::size_t>(pair.second)];
      auto tile = done_.scatter.block(rows.begin, columns.begin, rows.size(), columns.size());
      if (pair.first == pair.second)
        add_gram(panel.data() + rows.begin, panel.cols(), panel.outerStride(), tile);
      else
        gemm(Transpose::no, Transpose::yes, 1.0, panel.middleRows(rows.begin, rows.size()),
             panel.middleRows(columns.begin, columns.size()), 1.0, tile);
      for (Index j = 0; j < columns.size(); ++j)
        tile.col(j) +=
            (weight * apart[columns.begin + j]) * apart.segment(rows.begin, rows.size()) -
            (n_b * offset[columns.begin + j]) * offset.segment(rows.begin, rows.size());
    });
  }

  void add_groups(BlockRef panel, const Vector& offset, const Vector& apart, double weight) {
    const Index dim = panel.rows();
    const std::vector<Range> groups =
        tiles_of(panel.cols(), (panel.cols() + kRowGroups - 1) / kRowGroups);
    std::vector<Block> sums(groups.size());
    parallel_for(context_, static_cast<Index>(groups.size()), [&](Index t) {
      const Range rows = groups[static_cast<std::size_t>(t)];
      sums[static_cast<std::size_t>(t)] = Block::Zero(dim, dim);
      add_gram(panel.col(rows.begin).data(), rows.size(), dim, sums[static_cast<std::size_t>(t)]);
    });
    for (const Block& sum : sums) done_.scatter += sum;
    done_.scatter += weight * apart * apart.transpose() -
                     static_cast<double>(panel.cols()) * offset * offset.transpose();
  }

  RowMoments finished() {
    const double most = largest();
    if (most > 0 && most * scale_ < kSmallest && scale_ < power_of_two_for(most))
      throw OtherScale{most};
    done_.scale = scale_;
    done_.minimum = low_.rowwise().minCoeff();
    done_.maximum = high_.rowwise().maxCoeff();
    if (wanted_.scatter) {
      done_.scatter.triangularView<Eigen::StrictlyUpper>() = done_.scatter.transpose();
      done_.squares = done_.scatter.diagonal();
    }
    done_.squares = done_.squares.cwiseMax(0);
    if (hash_) done_.fingerprint = hash_->text();
    return std::move(done_);
  }

  const Context& context_;
  const MomentsWanted wanted_;
  double scale_;  // 0: not known yet
  RowMoments done_;
  Block low_, high_, sums_, slot_squares_;  // a column for each slot
  std::vector<Range> parts_;
  std::vector<TilePair> pairs_;
  std::optional<Fingerprinter> hash_;
  PanelWork work_{.phase = "rows"};
  PanelWalk walk_;
};

}  // namespace

RowMoments sparse_moments(DataView rows, const Context& context) {
  const Summary summary = summarize(rows, context);
  RowMoments moments;
  moments.n = rows.n();
  moments.scale = power_of_two_for(
      std::max(summary.minimum.cwiseAbs().maxCoeff(), summary.maximum.cwiseAbs().maxCoeff()));
  moments.mean = summary.mean * moments.scale;
  moments.rest = Vector::Zero(rows.dim());
  moments.squares = static_cast<double>(rows.n()) * (summary.deviation * moments.scale).cwiseAbs2();
  moments.minimum = summary.minimum;
  moments.maximum = summary.maximum;
  return moments;
}

namespace {

// The first rows say what kind of numbers it is about.
RowMoments walked(const RowSource& rows, const MomentsWanted& wanted, bool may_be_whole,
                  double scale, const Context& context) {
  std::optional<MemoryAccount::Hold> held;
  std::optional<WholeMoments> whole;
  std::optional<Moments> moments;
  const auto begin = [&](bool is_whole) {
    const Index n = rows.n(), dim = rows.dim();
    const std::uint64_t bytes =
        is_whole ? whole_moments_bytes(n, dim) : moments_bytes(n, dim, wanted.scatter);
    held.emplace(context.hold(rows.chunk_bytes() + bytes, "the moments"));
    if (is_whole)
      whole.emplace(n, dim, wanted, context);
    else
      moments.emplace(n, dim, wanted, scale, context);
  };
  rows.each_chunk([&](DataView chunk) {
    if (!held) begin(may_be_whole && WholeMoments::begin_with(chunk));
    whole ? whole->add(chunk) : moments->add(chunk);
  });
  if (!held) begin(false);
  return whole ? whole->end() : moments->end();
}

}  // namespace

RowMoments moments_of(const RowSource& rows, const MomentsWanted& wanted, const Context& context) {
  bool may_be_whole = wanted.scatter;
  double scale = 0;
  for (;;) {
    try {
      return walked(rows, wanted, may_be_whole, scale, context);
    } catch (const OtherScale& other) {
      scale = power_of_two_for(other.magnitude);
    } catch (const WholeMoments::NotWhole&) {
      may_be_whole = false;
    }
  }
}

std::uint64_t moments_bytes(Index n, Index dim, bool scatter) {
  const auto columns = static_cast<std::uint64_t>(dim);
  const auto slots = static_cast<std::uint64_t>(panel_slots(n, dim));
  const std::uint64_t groups = dim <= kTileColumns ? kRowGroups + 1 : 1;
  return panel_bytes(n, dim) +
         sizeof(double) * columns * (4 * slots + 10 + (scatter ? groups * columns : 0));
}

Vector RowMoments::deviations() const {
  Vector deviation = (squares / static_cast<double>(std::max<Index>(n, 1))).cwiseSqrt() / scale;
  for (Index j = 0; j < deviation.size(); ++j)
    // A denormal spread may round to nothing, but the column varies.
    deviation[j] = minimum[j] == maximum[j]
                       ? 0
                       : std::max(deviation[j], std::numeric_limits<double>::denorm_min());
  return deviation;
}

Overview RowMoments::overview() const {
  constexpr std::size_t kListed = 4;  // constant columns that are named
  const Vector deviation = deviations();
  Overview all;
  for (Index j = 0; j < deviation.size(); ++j) {
    if (deviation[j] == 0) {
      ++all.constant_columns;
      if (all.first_constant.size() < kListed) all.first_constant.push_back(j);
      continue;
    }
    all.widest = std::max(all.widest, deviation[j]);
    all.narrowest = std::min(all.narrowest, deviation[j]);
    all.largest_offset = std::max(
        all.largest_offset, std::max(std::abs(minimum[j]), std::abs(maximum[j])) / deviation[j]);
  }
  all.all_rows_equal = n > 0 && all.constant_columns == dim();
  return all;
}

RowMoments RowMoments::of_scaled(const Vector& shift, const Vector& factor) const {
  RowMoments scaled = *this;
  const Vector part = factor / scale;  // scaled columns are moderate: no power of two is needed
  scaled.scale = 1;
  // Where the shift is the mean, what is left of it is the rounding of both.
  scaled.mean = ((mean - shift * scale) + rest).cwiseProduct(part);
  scaled.rest.setZero();
  scaled.squares = squares.cwiseProduct(part).cwiseProduct(part);
  if (scatter.size() > 0) scaled.scatter = part.asDiagonal() * scatter * part.asDiagonal();
  scaled.minimum = (minimum - shift).cwiseProduct(factor);
  scaled.maximum = (maximum - shift).cwiseProduct(factor);
  return scaled;
}

}  // namespace mercer
