#include "mercer/models/kernel_expansion.h"

#include "mercer/core/check.h"
#include "mercer/core/parallel.h"
#include "mercer/core/row_notes.h"
#include "mercer/kernels/integer_rows.h"
#include "mercer/kernels/kernel_gradient.h"
#include "mercer/linalg/blas.h"
#include "mercer/models/ability.h"
#include "mercer/models/detail/cross_products.h"
#include "mercer/models/detail/far_rows.h"
#include "mercer/models/detail/plate_squares.h"
#include "mercer/models/detail/stored_points.h"
#include "mercer/operators/given_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

bool has_integer_tiles(const Kernel& kernel, bool centred, DataView rows, const Context& context) {
  const bool products = !kernel.uses(Form::angle) && !kernel.uses(Form::differences) &&
                        !kernel.uses(Form::sums) && !(centred && kernel.only<Linear>() != nullptr);
  return products && rows.dim() >= 4 && IntegerRows::can_pack(rows, context);
}

void KernelExpansion::over_rows(Dataset points, Frame frame, Block coefficients, Vector bias) {
  points_ = std::move(points);
  frame_ = std::move(frame);
  coefficients_ = std::move(coefficients);
  bias_ = std::move(bias);
}

void KernelExpansion::over_pairs(Given given, Block coefficients, Vector bias) {
  given_ = given;
  coefficients_ = std::move(coefficients);
  bias_ = std::move(bias);
}

void KernelExpansion::over_features(Scorer scorer, DataView rows, const Dataset* owner,
                                    Block coefficients) {
  all_rows_ = scorer.features != nullptr;
  bias_ = std::move(scorer.bias);
  if (scorer.features == nullptr) {
    Points chosen(static_cast<Index>(scorer.landmarks.size()), rows.dim());
    for (Index i = 0; i < chosen.rows(); ++i)
      rows.copy_row(scorer.landmarks[static_cast<std::size_t>(i)], chosen.row(i).data());
    points_ = Dataset(std::move(chosen));
    coefficients_ = std::move(scorer.weights);
  } else {
    features_ = std::move(scorer.features);
    weights_ = std::move(scorer.weights);
    if (!features_->covers_all()) {
      points_ = detail::stored_points(rows, owner);
      coefficients_ = std::move(coefficients);
    }
  }
  place_points();
}

void KernelExpansion::remove_affine(const AffineBasis& basis, const Block& image, DataView rows) {
  // q (q' K A) of the training rows, for kernels with all of their squared distances.
  affine_ = AffineFunctions(basis, image.transpose() * coefficients_, frame_.centre);
  affine_.add(detail::constants_of_squares(kernel_, frame_, rows, coefficients_));
  frame_.less_squares = false;
}

// The frame of the points that are kept. A few chosen ones have coefficients that do not add up to
// nothing: they need all of the kernel's value.
void KernelExpansion::place_points() {
  if (points_.n() == 0) return;
  frame_ = make_frame(kernel_, points_, centred_, {});
  if (!all_rows_) frame_.less_diagonal = false;
}

Value KernelExpansion::description() const {
  if (given_ == Given::table || is_of_distances(given_, kernel_)) return kernel_.describe();
  Value value;
  value["name"] = "precomputed";
  value["spec"] = "precomputed";
  value["formula"] = given_ == Given::kernel     ? "the given matrix"
                     : given_ == Given::distance ? "-d(x,y)^2/2 of the given distances"
                                                 : "-d/2 of the given squared distances";
  value["gamma"] = Value{};
  value["parameters"] = Value::object();
  return value;
}

Block KernelExpansion::less_bias(Block sums, DataView rows) const {
  sums.rowwise() -= bias_.transpose();
  if (!affine_.empty()) affine_.remove(rows, frame_.scale, frame_.centre, sums);
  return sums;
}

Block KernelExpansion::values(DataView rows, const Context& context) const {
  return values_of_blocks(&rows, context)(rows);
}

KernelExpansion::Values KernelExpansion::values_of_blocks(const DataView* all,
                                                          const Context& context) const {
  if (features_ != nullptr)
    return [this, &context](DataView rows) { return by_features(rows, context); };
  if (given_ != Given::table)
    return [this](DataView rows) {
      Block sums(rows.n(), coefficients_.cols());
      for (const Range part : tiles_of(rows.n(), kBlockRows))
        gemm(Transpose::no, Transpose::no, 1.0, cross_kernel(rows.rows(part), given_, kernel_),
             coefficients_, 0.0, sums.middleRows(part.begin, part.size()));
      return less_bias(std::move(sums), rows);
    };
  // Exact products make double tiles nearly as cheap as float ones.
  // Sparse rows are not moved: far from the origin float tiles would keep no digit of distances.
  const bool exact = has_integer_tiles(kernel_, centred_, points_, context) ||
                     (points_.sparse() && frame_.direct_single);
  const bool single = precision_ == Precision::single_ && !exact;
  const detail::CrossProducts products({kernel_, frame_, points_, coefficients_}, all,
                                       single ? Precision::single_ : Precision::double_, context);
  return [this, products, &context](DataView rows) {
    std::vector<Index> missed;
    Block sums = products.of(rows, context, context.out_of_reach ? reach_ : 0, &missed);
    for (const Index row : missed) context.out_of_reach->add(rows.number_of(row));
    return less_bias(std::move(sums), rows);
  };
}

Block KernelExpansion::sums_over_points(DataView rows, const Context& context,
                                        std::vector<Index>* missed) const {
  return detail::CrossProducts({kernel_, frame_, points_, coefficients_}, &rows, Precision::double_,
                               context)
      .of(rows, context, missed != nullptr ? reach_ : 0, missed);
}

void KernelExpansion::find_reach(const Context& context) {
  if (given_ == Given::table)
    reach_ = detail::kernel_reach({kernel_, frame_, points_, coefficients_}, points_, context);
}

// Features, and kernel sums for the rows that they do not reach.
Block KernelExpansion::by_features(DataView rows, const Context& context) const {
  Block y = features_->times(rows, weights_, context);
  y.rowwise() -= bias_.transpose();
  if (features_->covers_all()) return y;
  std::vector<Index> far;
  Vector row(rows.dim());
  for (Index i = 0; i < rows.n(); ++i) {
    rows.copy_row(i, row.data());
    if (!features_->covers(row.data())) far.push_back(i);
  }
  if (far.empty()) return y;
  Points outside(static_cast<Index>(far.size()), rows.dim());
  for (std::size_t i = 0; i < far.size(); ++i)
    rows.copy_row(far[i], outside.row(static_cast<Index>(i)).data());
  std::vector<Index> missed;
  const bool asked = context.out_of_reach != nullptr;
  const Block sums = sums_over_points(outside, context, asked ? &missed : nullptr);
  for (const Index place : missed)
    context.out_of_reach->add(rows.number_of(far[static_cast<std::size_t>(place)]));
  for (std::size_t i = 0; i < far.size(); ++i)
    y.row(far[i]) = sums.row(static_cast<Index>(i)) - bias_.transpose();
  return y;
}

namespace {

// A sample at this distance from another one, on a line.
Vector slopes_at_distances(const Kernel& kernel, bool squares, std::span<const double> row) {
  const Eigen::Map<const Vector> entries(row.data(), static_cast<Index>(row.size()));
  const double origin = 0, least = 1e-8 * (squares ? std::sqrt(entries.maxCoeff()) : 0.0);
  Vector slopes(entries.size());
  for (Index j = 0; j < slopes.size(); ++j) {
    const double distance = squares ? std::max(least, std::sqrt(entries[j])) : entries[j];
    kernel_gradient(kernel, {&distance, 1}, {&origin, 1}, {&slopes[j], 1});
    if (squares && distance > 0) slopes[j] /= 2 * distance;
  }
  return slopes;
}

}  // namespace

Block KernelExpansion::gradient(std::span<const double> row, const Context& context) const {
  const auto dim = static_cast<Index>(row.size());
  if (features_ != nullptr) return gradient_of_features(row, context);
  if (is_of_distances(given_, kernel_))
    return slopes_at_distances(kernel_, given_ == Given::squared_distance, row).asDiagonal() *
           coefficients_;
  if (given_ == Given::distance)
    return (Eigen::Map<const Vector>(row.data(), dim) * -1.0).asDiagonal() * coefficients_;
  if (given_ != Given::table)
    return coefficients_ * (given_ == Given::squared_distance ? -0.5 : 1.0);
  Block slopes = Block::Zero(dim, functions());
  Vector point(dim);
  for (const Range part : tiles_of(points_.n(), kBlockRows)) {
    context.check_cancelled();
    Block each(dim, part.size());  // d k(x, x_i) / d x
    for (Index i = 0; i < part.size(); ++i) {
      points_.view().copy_row(part.begin + i, point.data());
      kernel_gradient(kernel_, row, {point.data(), row.size()}, {each.col(i).data(), row.size()});
    }
    slopes.noalias() += each * coefficients_.middleRows(part.begin, part.size());
  }
  if (!affine_.empty()) slopes -= frame_.scale * affine_.table().high.bottomRows(dim);
  return slopes;
}

// Central differences with two steps, extrapolated: errors of the fourth power of the step.
Block KernelExpansion::gradient_of_features(std::span<const double> row,
                                            const Context& context) const {
  const auto dim = static_cast<Index>(row.size());
  const Eigen::Map<const Vector> x(row.data(), dim);
  const Gaussian* gaussian = kernel_.only<Gaussian>();
  const double largest = x.cwiseAbs().maxCoeff();
  const double step = 1e-3 * (gaussian != nullptr ? gaussian->sigma : largest > 0 ? largest : 1);
  Points moved = x.transpose().replicate(4 * dim, 1);
  for (Index j = 0; j < dim; ++j)
    for (Index s = 0; s < 4; ++s)
      moved(4 * j + s, j) += step * (s < 2 ? 1 : 2) * (s % 2 == 0 ? 1 : -1);
  const Block at = by_features(moved, context);
  Block slopes(dim, functions());
  for (Index j = 0; j < dim; ++j)
    slopes.row(j) =
        (8 * (at.row(4 * j) - at.row(4 * j + 1)) - (at.row(4 * j + 2) - at.row(4 * j + 3))) /
        (12 * step);
  return slopes;
}

Vector KernelExpansion::norms(const Context& context) const {
  if (given_ != Given::table)
    return Vector::Constant(functions(), std::numeric_limits<double>::quiet_NaN());
  if (features_ != nullptr) return weights_.colwise().norm();
  const Block sums = sums_over_points(points_, context);
  return sums.cwiseProduct(coefficients_).colwise().sum().transpose().cwiseMax(0).cwiseSqrt();
}

std::vector<Index> KernelExpansion::far_rows(DataView rows, ConstBlockRef values,
                                             const Vector& typical) const {
  if (given_ != Given::table || features_ != nullptr || coefficients_.size() == 0) return {};
  return detail::far_rows({kernel_, frame_, coefficients_, typical, precision_}, rows, values);
}

// One copy for each form that the kernel uses.
Index KernelExpansion::copied_numbers(DataView rows) const {
  if (rows.sparse()) return 2 * (rows.stored() / std::max<Index>(rows.n(), 1) + 1);
  if (given_ != Given::table || features_ != nullptr) return 2 * rows.dim();
  const auto forms = [this](Form a, Form b) { return kernel_.uses(a) || kernel_.uses(b) ? 1 : 0; };
  return rows.dim() * (forms(Form::radial, Form::differences) + forms(Form::dot, Form::sums) +
                       forms(Form::angle, Form::angle));
}

}  // namespace mercer
