#include "mercer/operators/affine_basis.h"

#include "mercer/core/parallel.h"
#include "mercer/linalg/householder.h"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

constexpr Index kPanelRows = 1024;  // of a task
// What is left of a column of length 1 when it still joins the basis directly; from less, the
// differences are formed anew from the data, with all their digits.
constexpr double kWellApart = 0x1p-6;
// Units of rounding of the values that no affine function can be told from.
constexpr double kRounding = 4;
constexpr double kUnit = 0x1p-53;

double inverse_power(double size) { return size > 0 ? std::exp2(-std::round(std::log2(size))) : 1; }

// The columns of a table, and functions [1, X] coefficients of them that become the basis.
class Builder {
 public:
  Builder(DataView rows, double scale, const Context& context)
      : context_(context),
        n_(rows.n()),
        dim_(rows.dim()),
        unit_(rows.type() == Scalar::f32 ? 0x1p-24 : kUnit),
        chunks_(tiles_of(n_, kPanelRows)) {
    read(rows, scale);
  }

  void run(AffineBasis& out) {
    start(out);
    while (!open_.empty()) {
      drop_dependent(out);
      if (open_.empty() || out.q.cols() == n_) break;
      take_level(out);
    }
    // More functions than rows: those that are left have nothing to add.
    for (const Index column : open_) out.dependent.push_back(column);
    std::sort(out.dependent.begin(), out.dependent.end());
    stay_in_the_plane(out);
    in_units_of_rows(out.back);
  }

 private:
  // Columns of one size, so that nothing depends on their units; powers of two, which round
  // nothing.
  void read(DataView rows, double scale) {
    x_.resize(n_, dim_);
    parallel_for(context_, static_cast<Index>(chunks_.size()), [&](Index t) {
      Vector row(dim_);
      const Range chunk = chunks_[static_cast<std::size_t>(t)];
      for (Index i = chunk.begin; i < chunk.end; ++i) {
        rows.copy_row(i, row.data());
        x_.row(i) = row.transpose() * scale;
      }
    });
    largest_ = n_ > 0 ? Vector(x_.cwiseAbs().colwise().maxCoeff().transpose()) : Vector::Zero(dim_);
    size_.resize(dim_);
    for (Index j = 0; j < dim_; ++j) {
      size_[j] = inverse_power(largest_[j]);
      x_.col(j) *= size_[j];
      largest_[j] *= size_[j];
    }
  }

  // The constant function, and each column less its mean.
  void start(AffineBasis& out) {
    const double root = std::sqrt(static_cast<double>(n_));
    out.q = Block::Constant(n_, 1, 1 / root);
    out.back = TwofoldBlock(dim_ + 1, 1);
    // q itself is one number, rounded: what the coefficient says, too.
    out.back.high(0, 0) = 1 / root;
    functions_ = TwofoldBlock(dim_ + 1, dim_);
    values_.resize(n_, dim_);
    parallel_for(context_, dim_, [&](Index j) {
      Twofold sum;
      for (Index i = 0; i < n_; ++i) sum = sum + Twofold{x_(i, j), 0};
      const Twofold mean = sum / static_cast<double>(n_);
      functions_.set(0, j, -mean);
      functions_.set(j + 1, j, {1, 0});
      for (Index i = 0; i < n_; ++i) values_(i, j) = (Twofold{x_(i, j), 0} - mean).value();
    });
    for (Index j = 0; j < dim_; ++j) open_.push_back(j);
  }

  // The values of some functions on all rows, rounded once.
  void evaluate(Index first) {
    parallel_for(context_, static_cast<Index>(chunks_.size()), [&](Index t) {
      const Range chunk = chunks_[static_cast<std::size_t>(t)];
      for (Index f = first; f < functions_.cols(); ++f)
        for (Index i = chunk.begin; i < chunk.end; ++i) values_(i, f) = value_at(i, f);
      context_.check_cancelled();
    });
  }

  double value_at(Index i, Index f) const {
    double sum = functions_.high(0, f), rest = functions_.low(0, f);
    for (Index j = 0; j < dim_; ++j) {
      const double high = functions_.high(j + 1, f);
      if (high == 0) continue;
      const Twofold product = exact_product(x_(i, j), high), next = exact_sum(sum, product.high);
      sum = next.high;
      rest += next.low + product.low + x_(i, j) * functions_.low(j + 1, f);
    }
    return sum + rest;
  }

  // What rounding of the data may have made of a function that is 0.
  double rounding(Index f) const {
    double sum = std::abs(functions_.high(0, f));
    for (Index j = 0; j < dim_; ++j) sum += std::abs(functions_.high(j + 1, f)) * largest_[j];
    return kRounding * unit_ * sum;
  }

  void keep(const std::vector<Index>& which) {
    TwofoldBlock functions(dim_ + 1, static_cast<Index>(which.size()));
    Block values(n_, functions.cols());
    std::vector<Index> open;
    for (Index f = 0; f < functions.cols(); ++f) {
      const Index from = which[static_cast<std::size_t>(f)];
      functions.high.col(f) = functions_.high.col(from);
      functions.low.col(f) = functions_.low.col(from);
      values.col(f) = values_.col(from);
      open.push_back(open_[static_cast<std::size_t>(from)]);
    }
    functions_ = std::move(functions);
    values_ = std::move(values);
    open_ = std::move(open);
  }

  void drop_dependent(AffineBasis& out) {
    std::vector<Index> kept;
    for (Index f = 0; f < functions_.cols(); ++f) {
      if (n_ > 0 && values_.col(f).lpNorm<Eigen::Infinity>() > rounding(f)) {
        kept.push_back(f);
        continue;
      }
      out.dependent.push_back(open_[static_cast<std::size_t>(f)]);
      zero_.conservativeResize(dim_ + 1, zero_functions_ + 1);
      zero_low_.conservativeResize(dim_ + 1, zero_functions_ + 1);
      zero_.col(zero_functions_) = functions_.high.col(f);
      zero_low_.col(zero_functions_++) = functions_.low.col(f);
    }
    if (static_cast<Index>(kept.size()) < functions_.cols()) keep(kept);
  }

  // Those of the open functions that are well apart join the basis; of the others, what is left of
  // them is found again.
  void take_level(AffineBasis& out) {
    for (Index f = 0; f < functions_.cols(); ++f) {
      const double factor = inverse_power(values_.col(f).norm());
      values_.col(f) *= factor;
      functions_.high.col(f) *= factor;
      functions_.low.col(f) *= factor;
    }
    const Index before = out.q.cols();
    Block clean = values_;
    for (int pass = 0; pass < 2; ++pass) clean -= (out.q * (out.q.transpose() * clean)).eval();
    const PivotedColumns pivoted(clean);
    const Block r = pivoted.r();
    const Index most = std::min(n_ - before, functions_.cols());
    Index taken = 1;
    while (taken < most && std::abs(r(taken, taken)) >= kWellApart * std::abs(r(0, 0))) ++taken;
    join(out, pivoted, r, taken);
    std::vector<Index> rest;
    for (Index t = taken; t < functions_.cols(); ++t) rest.push_back(pivoted.at(t));
    std::sort(rest.begin(), rest.end());
    keep(rest);
    if (!rest.empty()) find_again(out);
  }

  void join(AffineBasis& out, const PivotedColumns& pivoted, const Block& r, Index taken) {
    const Index before = out.q.cols();
    const Block square = r.topLeftCorner(taken, taken);
    const Block fresh = pivoted.basis(taken);
    // The functions of the new columns: those taken less what the basis has of them, divided by R.
    const Block inside = out.q.transpose() * values_;
    out.back.high.conservativeResize(dim_ + 1, before + taken);
    out.back.low.conservativeResize(dim_ + 1, before + taken);
    for (Index t = 0; t < taken; ++t) {
      const Index to = before + t, from = pivoted.at(t);
      out.back.high.col(to) = functions_.high.col(from);
      out.back.low.col(to) = functions_.low.col(from);
      for (Index s = 0; s < before; ++s) out.back.add(to, -inside(s, from), out.back, s);
      for (Index s = 0; s < t; ++s) out.back.add(to, -square(s, t), out.back, before + s);
      for (Index i = 0; i <= dim_; ++i) out.back.set(i, to, out.back.at(i, to) / square(t, t));
    }
    out.q.conservativeResize(n_, before + taken);
    out.q.rightCols(taken) = fresh;
    // Rounding of the columns and of the reflections, against the length of what is left of them.
    const Block inverse =
        square.triangularView<Eigen::Upper>().solve(Block::Identity(taken, taken));
    const double made = 2 + 4 * static_cast<double>(taken) * std::sqrt(static_cast<double>(n_));
    out.error += kUnit * made * std::sqrt(static_cast<double>(taken)) * inverse.norm();
  }

  // The open functions less their part in the basis: formed from the data, until rounding of the
  // projection does not show in what is left.
  void find_again(AffineBasis& out) {
    for (int pass = 0; pass < 4; ++pass) {
      const Block inside = out.q.transpose() * values_;
      double most = 0;
      for (Index f = 0; f < functions_.cols(); ++f)
        most = std::max(most, inside.col(f).norm() / std::max(values_.col(f).norm(), 1e-300));
      if (pass > 0 && most < 0x1p-40) return;
      parallel_for(context_, functions_.cols(), [&](Index f) {
        for (Index s = 0; s < out.q.cols(); ++s) functions_.add(f, -inside(s, f), out.back, s);
      });
      evaluate(0);
      std::vector<Index> kept;  // zeros need no further pass
      for (Index f = 0; f < functions_.cols(); ++f)
        if (values_.col(f).lpNorm<Eigen::Infinity>() > rounding(f)) kept.push_back(f);
      if (kept.empty()) return;
    }
  }

  // Functions that are 0 on the rows can be added to any other. Of all sums the one with the least
  // slope does not see a step that leaves the plane of the rows: that is how the table itself, in
  // coordinates of its plane, would go on.
  void stay_in_the_plane(AffineBasis& out) {
    if (zero_functions_ == 0) return;
    // In units of the rows, each of length 1.
    const Vector units = size_ * (1 / size_.maxCoeff());
    Block slopes = units.asDiagonal() * zero_.bottomRows(dim_);
    TwofoldBlock zero(dim_ + 1, zero_functions_);
    zero.high = zero_;
    zero.low = zero_low_;
    const Block wanted = units.asDiagonal() * out.back.high.bottomRows(dim_);
    const Block parts = least_squares(slopes, wanted);
    if (!parts.allFinite()) return;
    for (Index t = 0; t < out.back.cols(); ++t)
      for (Index f = 0; f < zero_functions_; ++f)
        if (parts(f, t) != 0) out.back.add(t, -parts(f, t), zero, f);
  }

  void in_units_of_rows(TwofoldBlock& back) const {
    for (Index j = 0; j < dim_; ++j) {
      back.high.row(j + 1) *= size_[j];
      back.low.row(j + 1) *= size_[j];
    }
  }

  const Context& context_;
  Index n_, dim_;
  double unit_;
  std::vector<Range> chunks_;
  Block x_;                  // columns, each times its size
  Vector size_, largest_;    // powers of two; largest |x| after them
  TwofoldBlock functions_;   // (dim + 1) x open
  Block values_;             // of the open functions
  std::vector<Index> open_;  // columns that they began as
  Block zero_, zero_low_;    // functions that are 0 on the rows
  Index zero_functions_ = 0;
};

// Function f of a table of coefficients at the row x + low.
Twofold value_at(const Vector& x, const Vector& low, const TwofoldBlock& table, Index f) {
  double sum = table.high(0, f), rest = table.low(0, f);
  for (Index j = 0; j < x.size(); ++j) {
    if (x[j] == 0) continue;
    const double high = table.high(j + 1, f);
    const Twofold product = exact_product(x[j], high), next = exact_sum(sum, product.high);
    sum = next.high;
    rest += next.low + product.low + (x[j] * table.low(j + 1, f) + low[j] * high);
  }
  return exact_sum(sum, rest);
}

}  // namespace

AffineBasis::AffineBasis(DataView rows, double scale, const Context& context) {
  // The columns, their functions' values, both as the factorisation sees them, and the basis.
  const auto numbers =
      static_cast<std::uint64_t>(rows.n()) * static_cast<std::uint64_t>(rows.dim() + 1);
  const auto hold = context.hold(5 * sizeof(double) * numbers, "affine functions of the rows");
  Builder(rows, scale, context).run(*this);
}

AffineFunctions::AffineFunctions(const AffineBasis& basis, const Block& weights,
                                 const Vector& centre)
    : table_(basis.back.rows(), weights.cols()) {
  for (Index j = 0; j < weights.cols(); ++j) {
    for (Index s = 0; s < weights.rows(); ++s) table_.add(j, weights(s, j), basis.back, s);
    for (Index c = 0; c < centre.size(); ++c)
      table_.set(0, j, table_.at(0, j) + table_.at(c + 1, j) * centre[c]);
  }
}

void AffineFunctions::add(const Vector& constants) {
  for (Index j = 0; j < table_.cols(); ++j)
    table_.set(0, j, table_.at(0, j) + Twofold{constants[j], 0});
}

void AffineFunctions::remove(DataView rows, double scale, const Vector& centre,
                             BlockRef block) const {
  Vector x(rows.dim()), low = Vector::Zero(rows.dim());  // a row is the sum of both
  for (Index i = 0; i < rows.n(); ++i) {
    rows.copy_row(i, x.data());
    x *= scale;
    for (Index j = 0; j < centre.size(); ++j) {
      const Twofold moved = exact_sum(x[j], -centre[j]);
      x[j] = moved.high;
      low[j] = moved.low;
    }
    for (Index f = 0; f < table_.cols(); ++f)
      block(i, f) = (Twofold{block(i, f), 0} - value_at(x, low, table_, f)).value();
  }
}

}  // namespace mercer
