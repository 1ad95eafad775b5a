#include "mercer/models/detail/pcr/principal.h"

#include "mercer/linalg/tall.h"
#include "mercer/models/detail/pcr/side.h"
#include "mercer/models/detail/pls/gram.h"
#include "mercer/operators/centered.h"
#include "mercer/solvers/signs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer::detail {
namespace {

Block rows_at(const Block& all, std::span<const Index> which) {
  Block some(static_cast<Index>(which.size()), all.cols());
  for (std::size_t i = 0; i < which.size(); ++i)
    some.row(static_cast<Index>(i)) = all.row(which[i]);
  return some;
}

// Rows of n that are not among these.
std::vector<Index> others(Index n, std::span<const Index> rows) {
  std::vector<Index> rest;
  for (Index i = 0; i < n; ++i)
    if (!std::ranges::binary_search(rows, i)) rest.push_back(i);
  return rest;
}

MemoryAccount::Hold hold_squares(Index side, Index copies, const Context& context) {
  return context.hold(static_cast<std::uint64_t>(side * side * copies) * sizeof(double),
                      "the cross products of the smaller side");
}

Block signed_axes(Block axes, Principal& components, const std::vector<Index>& which) {
  const Block before = axes;
  fix_signs(axes);
  for (std::size_t i = 0; i < which.size(); ++i) {
    const auto at = static_cast<Index>(i);
    if (axes.col(at).dot(before.col(at)) < 0) components.along.row(which[i]) *= -1;
  }
  return axes;
}

// X'X is decomposed: as many numbers as columns squared.
class ByColumns final : public PrincipalRows {
 public:
  ByColumns(const CentredRows& rows, const Block& y, const Context& context)
      : rows_(rows), y_(y), held_(hold_squares(rows.dim(), 6, context)) {
    gram_ = rows.gram(context);
    products_ = rows.transposed_times(y, context);
  }

  Principal all(const Context& context) const override {
    Block matrix = gram_;
    Side side = whole_side(
        matrix, [&](const Block& v) { return rows_.times(v, context); },
        [&](const Block& v) { return rows_.transposed_times(v, context); }, context);
    Principal found{side.values.cwiseSqrt(), {}, std::move(side.vectors)};
    found.along =
        found.lengths.cwiseInverse().asDiagonal() * (found.vectors.transpose() * products_);
    return found;
  }

  Block axes(Principal& components, const std::vector<Index>& which,
             const Context& /*context*/) const override {
    return signed_axes(components.vectors(Eigen::all, which), components, which);
  }

  LeftOut without(std::span<const Index> left_out, const Context& context) const override {
    const CentredRows::Part part = rows_.part(left_out, y_, context);
    const auto count = static_cast<double>(rows_.n() - static_cast<Index>(left_out.size()));
    const Block theirs = rows_at(y_, left_out);
    // The sums of all rows are 0.
    const Vector mean = -part.sums / count, target_mean = -theirs.colwise().sum() / count;
    Block matrix = gram_ - part.gram - count * mean * mean.transpose();
    const Block products = products_ - part.products - count * mean * target_mean.transpose();
    const Side side = leading_side(matrix, rows_.n(), context);
    LeftOut fold;
    fold.components.lengths = side.values.cwiseSqrt();
    const Vector inverse = fold.components.lengths.cwiseInverse();
    fold.components.along = inverse.asDiagonal() * (side.vectors.transpose() * products);
    const Block apart = rows_.transposed(left_out).colwise() - mean;
    fold.scores = apart.transpose() * side.vectors * inverse.asDiagonal();
    fold.targets = theirs.rowwise() - target_mean.transpose();
    fold.target_squares =
        (y_.colwise().squaredNorm() - theirs.colwise().squaredNorm()).transpose() -
        count * target_mean.cwiseAbs2();
    return fold;
  }

 private:
  const CentredRows& rows_;
  const Block& y_;
  MemoryAccount::Hold held_;
  Block gram_, products_;
};

// X X' is decomposed: as many numbers as rows squared.
class ByRows final : public PrincipalRows {
 public:
  ByRows(DataView table, const CentredRows& rows, const Block& y, const Context& context)
      : rows_(rows), y_(y), held_(hold_squares(rows.n(), 4, context)) {
    const PlsGram gram(table, Kernel("linear"), context);
    gram_.resize(rows.n(), rows.n());
    gram.matrix->form(gram_, context);
    // In the units of the rows.
    gram_ *= gram.matrix->unit() * rows.scale() * rows.scale();
    center_in_place(gram_, context);
  }

  Principal all(const Context& context) const override {
    Block matrix = gram_;
    Side side = whole_side(
        matrix, [&](const Block& u) { return rows_.transposed_times(u, context); },
        [&](const Block& u) { return rows_.times(u, context); }, context);
    Principal found{side.values.cwiseSqrt(), side.vectors.transpose() * y_, {}};
    found.vectors = std::move(side.vectors);
    return found;
  }

  Block axes(Principal& components, const std::vector<Index>& which,
             const Context& context) const override {
    Block axes = rows_.transposed_times(components.vectors(Eigen::all, which), context);
    for (std::size_t i = 0; i < which.size(); ++i)
      axes.col(static_cast<Index>(i)) /= components.lengths[which[i]];
    // v = X'u / s carries rounding where s is small.
    orthonormalise_in_order(axes, context);
    return signed_axes(std::move(axes), components, which);
  }

  LeftOut without(std::span<const Index> left_out, const Context& context) const override {
    const std::vector<Index> own = others(rows_.n(), left_out);
    const Block columns = gram_(Eigen::all, own);
    const Block own_columns = columns(own, Eigen::all);
    Block matrix = own_columns;
    center_in_place(matrix, context);
    Side side = leading_side(matrix, rows_.dim(), context);
    remove_means(side.vectors);
    const Block theirs = rows_at(y_, left_out), ours = rows_at(y_, own);
    LeftOut fold;
    fold.components.lengths = side.values.cwiseSqrt();
    fold.components.along = side.vectors.transpose() * ours;
    const Eigen::RowVectorXd mean = (own_columns * side.vectors).colwise().mean();
    fold.scores = ((rows_at(columns, left_out) * side.vectors).rowwise() - mean) *
                  side.values.cwiseInverse().asDiagonal();
    fold.targets = theirs.rowwise() - ours.colwise().mean();
    fold.target_squares = (ours.rowwise() - ours.colwise().mean()).colwise().squaredNorm();
    return fold;
  }

 private:
  const CentredRows& rows_;
  const Block& y_;
  MemoryAccount::Hold held_;
  Block gram_;  // centred
};

}  // namespace

std::unique_ptr<PrincipalRows> principal_rows(DataView table, const CentredRows& rows,
                                              const Block& y, const Context& context) {
  if (rows.dim() <= rows.n()) return std::make_unique<ByColumns>(rows, y, context);
  return std::make_unique<ByRows>(table, rows, y, context);
}

std::vector<Index> order_of(const Principal& components, bool by_response,
                            const Vector& target_squares) {
  std::vector<Index> order(static_cast<std::size_t>(components.lengths.size()));
  std::iota(order.begin(), order.end(), Index{0});
  if (!by_response) return order;
  Vector explained = Vector::Zero(components.lengths.size());
  for (Index j = 0; j < target_squares.size(); ++j)
    if (target_squares[j] > 0) explained += components.along.col(j).cwiseAbs2() / target_squares[j];
  std::ranges::stable_sort(order, std::greater(), [&](Index i) { return explained[i]; });
  return order;
}

Block errors_of(const LeftOut& fold, const std::vector<Index>& order, Index most) {
  const Index known = std::min(most, static_cast<Index>(order.size()));
  Block left = fold.targets;
  Block errors(left.cols(), known + 1);
  errors.col(0) = left.colwise().squaredNorm();
  for (Index a = 0; a < known; ++a) {
    const Index i = order[static_cast<std::size_t>(a)];
    left.noalias() -= fold.scores.col(i) * fold.components.along.row(i);
    errors.col(a + 1) = left.colwise().squaredNorm();
  }
  return errors;
}

}  // namespace mercer::detail
