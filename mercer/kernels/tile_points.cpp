#include "mercer/kernels/tile_points.h"

#include "mercer/core/parallel.h"
#include "mercer/data/dataset.h"
#include "mercer/kernels/tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

namespace mercer {
namespace {

// A new row may lie so far away that its squares overflow. Coordinates of at most 2^50 keep sums of
// squares of up to 10^7 (2^24) columns below 2^124, inside float32; those of 2^480 inside double.
template <class T>
constexpr double kLargestCoordinate = std::is_same_v<T, float> ? 0x1p50 : 0x1p480;

bool reads_moved_rows(Form form) { return form == Form::radial || form == Form::differences; }

// Whether the values of all families that read moved rows (or plain ones) are as small at this
// distance as at 0: a row beyond it may then be brought nearer, where inf - inf is no NaN.
bool fades(const Kernel& kernel, double scale, bool moved, double limit) {
  const PairTerms<double> near{0, 0, 0}, far{limit * limit, limit * limit, limit};
  for (const KernelTerm& term : kernel.terms())
    for (const AnyFamily& family : term.factors) {
      const bool does = visit_family(
          [&](const auto& f) {
            const auto scaled = f.rescaled(scale);
            return f.traits.form == Form::angle || reads_moved_rows(f.traits.form) != moved ||
                   std::abs(scaled(far)) <= std::abs(scaled(near));
          },
          family);
      if (!does) return false;
    }
  return true;
}

// Powers of two whose product brings a row whose largest value this is near 1, so that squares
// neither overflow nor vanish: in two parts, for the whole may be out of range.
struct OwnUnit {
  double first = 1, second = 1;
  explicit OwnUnit(double largest) {
    if (!(largest > 0)) return;
    const int exponent = -std::ilogb(largest);
    first = std::ldexp(1.0, exponent / 2);
    second = std::ldexp(1.0, exponent - exponent / 2);
  }
};

// Appends what is not zero of a row.
void append_row(const Vector& row, SparseRows& made) {
  for (Index j = 0; j < row.size(); ++j) {
    if (row[j] == 0) continue;
    made.columns.push_back(static_cast<std::int32_t>(j));
    made.values.push_back(row[j]);
  }
  made.starts.push_back(static_cast<Index>(made.columns.size()));
}

void check_not_too_far(double largest, double limit, Index number) {
  if (largest <= limit) return;
  throw Error(
      ErrorCode::kernel_overflows,
      fmt::format("row {} is so far from the training rows that its kernel overflows", number),
      "its values are far outside those of the training rows");
}

void check_no_negative(const Vector& row, Index number) {
  Index column = 0;
  if (row.size() == 0 || row.minCoeff(&column) >= 0) return;
  throw Error(
      ErrorCode::negative_values,
      fmt::format("a value is {:.6g}: chi-squared kernels compare values >= 0", row[column]),
      "use another kernel, or fit with --scale range, which brings every column into [0, 1]",
      fmt::format("row {}, column {}", number, column + 1));
}

bool sums_terms(const Kernel& kernel) {
  return kernel.uses(Form::differences) || kernel.uses(Form::sums);
}

// Below four columns there is nothing to gain: the byte instructions take four at a time.
constexpr Index kLeastIntegerColumns = 4;

// Whether tiles of this kernel can be computed from bytes, if the rows can be packed as such.
bool integers_serve(const Kernel& kernel, DataView rows) {
  return !rows.sparse() && rows.dim() >= kLeastIntegerColumns && !sums_terms(kernel) &&
         !kernel.uses(Form::angle);
}

bool integers_serve(const Kernel& kernel, const Frame& frame, DataView rows) {
  // A frame of other rows may have any scale; results must stay normal numbers of either precision.
  const bool in_range = frame.scale >= 0x1p-40 && frame.scale <= 0x1p20;
  return in_range && !frame.centre_products && integers_serve(kernel, rows);
}

// Nothing where they are not small whole numbers.
std::shared_ptr<const IntegerRows> packed(DataView rows, const Context& context) {
  std::optional<IntegerRows> integers = IntegerRows::pack(rows, context);
  return integers ? std::make_shared<const IntegerRows>(std::move(*integers)) : nullptr;
}

}  // namespace

template <class T>
TilePoints<T>::TilePoints(const Kernel& kernel, const Frame& frame, DataView rows,
                          const Context& context, Storage storage)
    : n_(rows.n()),
      dim_(rows.dim()),
      radial_(kernel.uses(Form::radial)),
      dot_(kernel.uses(Form::dot)),
      angle_(kernel.uses(Form::angle)),
      moved_terms_(kernel.uses(Form::differences)),
      plain_terms_(kernel.uses(Form::sums)),
      squared_scale_(frame.scale * frame.scale) {
  const bool as_given = storage == Storage::as_given;
  if ((as_given || storage == Storage::integer) && integers_serve(kernel, frame, rows))
    integers_ = packed(rows, context);
  if (storage == Storage::integer && !integers_)
    throw Error(ErrorCode::internal, "rows that are not small whole numbers, asked for as such");
  sparse_ =
      !integers_ && !sums_terms(kernel) && (as_given ? rows.sparse() : storage == Storage::sparse);
  if (dot_) plain_norms_.resize(n_);
  if (integers_) {
    for (Index i = 0; dot_ && i < n_; ++i)
      plain_norms_[i] = static_cast<double>(integers_->squared_norm(i)) * squared_scale_;
    return;
  }
  if (radial_) norms_.resize(n_);
  if (angle_) unit_norms_.resize(n_);
  clamps_ = radial_ && !dot_ &&  // sparse rows have one copy for both
            fades(kernel, frame.scale, true, kLargestCoordinate<T>);
  if (sparse_)
    compress(rows, frame.scale);
  else
    copy_dense(kernel, frame, rows, context);
}

template <class T>
void TilePoints<T>::copy_dense(const Kernel& kernel, const Frame& frame, DataView rows,
                               const Context& context) {
  const double limit = kLargestCoordinate<T>;
  const bool may_clamp = fades(kernel, frame.scale, true, limit);
  if (radial_ || moved_terms_) centred_.resize(n_, dim_);
  if (dot_ || plain_terms_) plain_.resize(n_, dim_);
  if (angle_) unit_.resize(n_, dim_);
  const double plain_limit = fades(kernel, frame.scale, false, limit)
                                 ? double{std::numeric_limits<T>::max()} / 4
                                 : HUGE_VAL;
  const bool non_negative = kernel.non_negative();
  // Summed differences of doubles need no centring, and beside an outlier it would cost the others
  // their digits.
  const bool centre =
      frame.centre.size() > 0 &&
      (std::is_same_v<T, float> || (radial_ && !frame.direct_double) || frame.centre_products);
  const std::vector<Range> chunks = tiles_of(n_, kTileRows);
  parallel_for(context, static_cast<Index>(chunks.size()), [&](Index t) {
    Vector row(dim_), moved(dim_);
    const Range chunk = chunks[static_cast<std::size_t>(t)];
    for (Index i = chunk.begin; i < chunk.end; ++i) {
      rows.copy_row(i, row.data());
      if (non_negative) check_no_negative(row, rows.number_of(i));
      if (angle_) add_direction(row, i);
      row *= frame.scale;
      moved = row;
      if (centre) moved -= frame.centre;
      if (!may_clamp)
        check_not_too_far(moved.template lpNorm<Eigen::Infinity>(), limit, rows.number_of(i));
      if (radial_ || moved_terms_)
        centred_.row(i) = moved.cwiseMax(-limit).cwiseMin(limit).template cast<T>();
      row = row.cwiseMax(-plain_limit).cwiseMin(plain_limit);
      add_row(frame.centre_products ? moved : row, i);
    }
  });
}

// What depends on one row alone; the centred copy of it is there already.
template <class T>
void TilePoints<T>::add_row(const Vector& row, Index i) {
  if (radial_) norms_[i] = static_cast<T>(centred_.row(i).template cast<double>().squaredNorm());
  if (dot_ || plain_terms_) plain_.row(i) = row.template cast<T>();
  if (dot_) plain_norms_[i] = plain_.row(i).template cast<double>().squaredNorm();
}

// The row brought to length 1, wherever it lies: only directions count.
template <class T>
void TilePoints<T>::add_direction(const Vector& row, Index i) {
  const OwnUnit unit(row.lpNorm<Eigen::Infinity>());
  const Vector near = row * unit.first * unit.second;
  const double length = near.norm();
  unit_norms_[i] = length > 0 ? 1 : 0;
  if (length > 0)
    unit_.row(i) = (near / length).template cast<T>();
  else
    unit_.row(i).setZero();
}

template <class T>
void TilePoints<T>::compress(DataView rows, double scale) {
  if (!rows.sparse()) {
    Vector row(dim_);
    SparseRows made;
    for (Index i = 0; i < n_; ++i) {
      rows.copy_row(i, row.data());
      append_row(row, made);
    }
    const DataView view(made.starts.data(), made.columns.data(), made.values.data(), n_, dim_);
    return compress(view, scale);
  }
  const auto stored = static_cast<std::size_t>(rows.stored());
  starts_.reserve(static_cast<std::size_t>(n_) + 1);
  columns_.reserve(stored);
  if (radial_ || dot_) values_.reserve(stored);
  if (angle_) unit_values_.reserve(stored);
  for (Index i = 0; i < n_; ++i) add_sparse_row(rows, i, scale);
}

template <class T>
void TilePoints<T>::add_sparse_row(DataView rows, Index i, double scale) {
  const SparseRow row = rows.sparse_row(i);
  const double limit = radial_ ? kLargestCoordinate<T> : HUGE_VAL;
  double squares = 0, largest = 0;
  for (Index k = 0; k < row.count; ++k) {
    columns_.push_back(row.columns[k]);
    if (!clamps_) check_not_too_far(std::abs(row.values[k] * scale), limit, rows.number_of(i));
    const double value = std::clamp(row.values[k] * scale, -limit, limit);
    largest = std::max(largest, std::abs(row.values[k]));
    if (radial_ || dot_) {
      values_.push_back(static_cast<T>(value));
      squares += static_cast<double>(values_.back()) * static_cast<double>(values_.back());
    }
  }
  starts_.push_back(static_cast<Index>(columns_.size()));
  if (radial_) norms_[i] = static_cast<T>(squares);
  if (dot_) plain_norms_[i] = squares;
  if (!angle_) return;
  const OwnUnit unit(largest);
  double length = 0;
  for (Index k = 0; k < row.count; ++k) {
    const double part = row.values[k] * unit.first * unit.second;
    length += part * part;
  }
  length = std::sqrt(length);
  unit_norms_[i] = length > 0 ? 1 : 0;
  for (Index k = 0; k < row.count; ++k)
    unit_values_.push_back(
        length > 0 ? static_cast<T>(row.values[k] * unit.first * unit.second / length) : T(0));
}

template <class T>
typename TilePoints<T>::Storage TilePoints<T>::common_storage(const Kernel& kernel,
                                                              const Frame& frame, DataView training,
                                                              DataView rows,
                                                              const Context& context) {
  if (training.sparse()) return sums_terms(kernel) ? Storage::dense : Storage::sparse;
  // New rows first: they are fewer.
  const bool whole = integers_serve(kernel, frame, training) && !rows.sparse() &&
                     IntegerRows::can_pack(rows, context) &&
                     IntegerRows::can_pack(training, context);
  return whole ? Storage::integer : Storage::dense;
}

template <class T>
double TilePoints<T>::bytes(const Kernel& kernel, DataView rows) {
  const auto n = static_cast<double>(rows.n()), stored = static_cast<double>(rows.stored());
  const double angle = kernel.uses(Form::angle) ? 1 : 0;
  if (rows.sparse() && !sums_terms(kernel)) return stored * (4 + 2 * sizeof(T)) + 32 * n;
  // Whether the linear kernel will see centred rows is not known here: the larger copy, then.
  Context one_thread;
  one_thread.budget.threads = 1;
  if (integers_serve(kernel, rows) && kernel.only<Linear>() == nullptr &&
      IntegerRows::can_pack(rows, one_thread))
    return IntegerRows::bytes(rows.n(), rows.dim()) + 8 * n;
  const double copies = (kernel.uses(Form::radial) || kernel.uses(Form::differences) ? 1 : 0) +
                        (kernel.uses(Form::dot) || kernel.uses(Form::sums) ? 1 : 0) + angle;
  return copies * n * (static_cast<double>(rows.dim()) * sizeof(T) + 8);
}

template class TilePoints<float>;
template class TilePoints<double>;

}  // namespace mercer
