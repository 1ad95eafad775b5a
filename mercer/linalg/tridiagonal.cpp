#include "mercer/linalg/tridiagonal.h"

#include "mercer/core/check.h"
#include "mercer/core/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/symmetric_loops.h"

#include <algorithm>
#include <cmath>
#include <vector>

// Neither dsymv nor a LAPACK routine that calls it is used here: in OpenBLAS 0.3.21 the Prescott
// kernel of dsymv, which newer processors without kernels of their own fall back to, reads beyond
// the end of the vector it adds to.

namespace mercer {
namespace {

// Columns of a panel: the update reads and writes the rest of the matrix once for so many.
constexpr Index kPanel = 32;
// Tiles of the update, rows and columns: inner length 64, and few numbers above the diagonal.
constexpr Index kTileRows = 1024, kTileColumns = 64;
// Columns of a strip of the product with a vector, on the average. Its sums take a vector each.
constexpr Index kStripColumns = 96, kMostStrips = 128;
// Rows of a task that works on the panel, and columns of one that multiplies by its transpose.
constexpr Index kChunkRows = 1024, kChunkColumns = 16;
// Fewer rows are not worth waking a thread for: a product with a vector, an
// update, and work on the panel.
constexpr Index kWakeForProduct = 640, kWakeForUpdate = 256, kWakeForPanel = 3072;

// The matrix is brought to numbers between these, so that squares neither overflow nor vanish; what
// is this much smaller than its largest entry cannot be told from zero.
constexpr int kLargestExponent = 100;
constexpr double kNothing = 0x1p-300;

class Reduction {
 public:
  Reduction(BlockRef matrix, Tridiagonal& t, const Context& context)
      : a_(matrix), t_(t), context_(context), n_(matrix.rows()) {
    t_.diagonal = Vector::Zero(n_);
    t_.off_diagonal = Vector::Zero(std::max<Index>(1, n_ - 1));
    t_.reflectors = Vector::Zero(std::max<Index>(1, n_ - 1));
    panel_ = Block(n_, 2 * std::min(kPanel, n_));
    swapped_ = Block(n_, panel_.cols());
    product_ = Vector(n_);
    partial_ = Block(n_, n_ < kWakeForProduct ? 0 : strip_count(n_));
  }

  static Index strip_count(Index rows) {
    return std::clamp<Index>(rows / kStripColumns, 1, kMostStrips);
  }

  void run() {
    bring_to_scale();
    for (Index begin = 0; begin < n_; begin += kPanel) {
      const Range columns{begin, std::min(n_, begin + kPanel)};
      // Those of small matrices are part of somebody's larger work.
      if (n_ >= kWakeForProduct) {
        const double left = 1 - static_cast<double>(begin) / static_cast<double>(n_);
        context_.report("reduce", 1 - left * left * left);
      }
      if (reduce_panel(columns)) update(columns);
    }
    t_.coupling = 0;
  }

 private:
  // Tasks that run at once where there is enough of them.
  template <class Task>
  void each(bool wake, Index count, const Task& task) {
    if (wake) return parallel_for(context_, count, task);
    context_.check_cancelled();
    for (Index i = 0; i < count; ++i) task(i);
  }

  void bring_to_scale() {
    const std::vector<Range> parts = tiles_of(n_, kChunkRows);
    Vector largest = Vector::Zero(static_cast<Index>(parts.size()));
    each(n_ > kWakeForProduct, largest.size(), [&](Index p) {
      const Range part = parts[static_cast<std::size_t>(p)];
      for (Index j = part.begin; j < part.end; ++j) {
        const auto column = a_.col(j).tail(n_ - j);
        largest[p] =
            std::max(largest[p], column.allFinite() ? column.cwiseAbs().maxCoeff() : HUGE_VAL);
      }
    });
    const double most = largest.maxCoeff();
    if (most == HUGE_VAL)
      throw Error(ErrorCode::not_converged, "a matrix of the eigensolver is not finite",
                  "check the data for extreme values");
    if (most == 0) return;
    const int exponent = std::ilogb(most);
    if (std::abs(exponent) > kLargestExponent) {
      t_.unit = std::ldexp(1.0, exponent);
      for (Index j = 0; j < n_; ++j)
        for (Index i = j; i < n_; ++i) a_(i, j) = std::ldexp(a_(i, j), -exponent);
    }
    nothing_ = kNothing * most / t_.unit;
  }

  // Columns v_0 w_0 v_1 w_1 ... of the panel, rows from its first one on, so that the rest of the
  // matrix is A - sum v_i w_i' + w_i v_i'. Says whether there is anything in them.
  bool reduce_panel(Range columns) {
    const Index begin = columns.begin, rows = n_ - begin;
    bool any = false;
    for (Index j = begin; j < columns.end; ++j) {
      const Index i = j - begin, left = n_ - j - 1;
      bring_up_to_date(j, i, rows);
      t_.diagonal[j] = a_(j, j);
      if (left == 0) return any;
      auto v = panel_.col(2 * i).head(rows), w = panel_.col(2 * i + 1).head(rows);
      v.head(i + 1).setZero();
      w.setZero();
      const double tau = make_reflector(j, v.tail(left));
      t_.steps = j + 1;
      t_.coupling = std::abs(t_.off_diagonal[j]);
      if (tau == 0) continue;
      any = true;
      multiply(j + 1, v.tail(left).data());
      take_off_panel(i, rows, v.tail(left).data());
      w.tail(left) = tau * product_.head(left);
      w.tail(left) -= 0.5 * tau * w.tail(left).dot(v.tail(left)) * v.tail(left);
    }
    return any;
  }

  // Row i of the panel with v and w in each other's place.
  Vector coefficients(Index i) const {
    Vector row(2 * i);
    for (Index c = 0; c < i; ++c) {
      row[2 * c] = panel_(i, 2 * c + 1);
      row[2 * c + 1] = panel_(i, 2 * c);
    }
    return row;
  }

  // Column j of the rest as the columns of the panel before it leave it.
  void bring_up_to_date(Index j, Index i, Index rows) {
    if (i == 0) return;
    const Vector row = coefficients(i);
    over_rows(rows - i, [&](Range part) {
      gemv(Transpose::no, -1.0, panel_.block(i + part.begin, 0, part.size(), 2 * i), row.data(),
           1.0, a_.col(j).data() + j + part.begin);
    });
  }

  // Column j below the diagonal becomes (e, 0, ..., 0) by I - tau v v', v = (1, ...).
  template <class Column>
  double make_reflector(Index j, Column v) {
    const Index left = v.size();
    auto x = a_.col(j).tail(left);
    const double first = x[0];
    v[0] = 1;
    const double largest = left > 1 ? x.tail(left - 1).cwiseAbs().maxCoeff() : 0;
    if (!(largest > nothing_)) {
      t_.off_diagonal[j] = first;
      x.tail(left - 1).setZero();
      v.setZero();
      return t_.reflectors[j] = 0;
    }
    const double length = -std::copysign(std::hypot(first, x.tail(left - 1).norm()), first);
    t_.off_diagonal[j] = length;
    x.tail(left - 1) /= first - length;
    v.tail(left - 1) = x.tail(left - 1);
    return t_.reflectors[j] = (length - first) / length;
  }

  // product_ = A v for the rest of the matrix from row and column `begin` on, by strips of columns
  // of equal areas; each leaves a vector of sums.
  void multiply(Index begin, const double* v) {
    const Index rows = n_ - begin, count = strip_count(rows);
    if (rows < kWakeForProduct) {
      context_.check_cancelled();
      product_.head(rows).setZero();
      return add_symmetric_product({&a_(begin, begin), a_.outerStride(), rows, rows}, v,
                                   product_.data());
    }
    std::vector<Index> cuts(static_cast<std::size_t>(count) + 1, rows);
    for (Index k = 0; k < count; ++k) {
      const double part = static_cast<double>(k) / static_cast<double>(count);
      const auto cut = static_cast<Index>(static_cast<double>(rows) * (1 - std::sqrt(1 - part)));
      cuts[static_cast<std::size_t>(k)] = cut / 8 * 8;
    }
    parallel_for(context_, count, [&](Index k) {
      const Index from = cuts[static_cast<std::size_t>(k)],
                  to = cuts[static_cast<std::size_t>(k) + 1];
      auto sums = partial_.col(k).segment(from, rows - from);
      sums.setZero();
      const SymmetricStrip strip{&a_(begin + from, begin + from), a_.outerStride(), rows - from,
                                 to - from};
      add_symmetric_product(strip, v + from, sums.data());
    });
    over_rows(rows, [&](Range part) {
      auto sum = product_.segment(part.begin, part.size());
      sum = partial_.col(0).segment(part.begin, part.size());
      for (Index k = 1; k < count; ++k) {
        const Index from = std::max(part.begin, cuts[static_cast<std::size_t>(k)]);
        if (from >= part.end) break;
        product_.segment(from, part.end - from) += partial_.col(k).segment(from, part.end - from);
      }
    });
  }

  // product_ -= (sum v_c w_c' + w_c v_c') v over the columns c < i of the panel.
  void take_off_panel(Index i, Index rows, const double* v) {
    if (i == 0) return;
    const Index left = rows - i - 1;
    Vector turned(2 * i);
    const std::vector<Range> groups = tiles_of(2 * i, kChunkColumns);
    each(left >= kWakeForPanel, static_cast<Index>(groups.size()), [&](Index g) {
      const Range group = groups[static_cast<std::size_t>(g)];
      gemv(Transpose::yes, 1.0, panel_.block(i + 1, group.begin, left, group.size()), v, 0.0,
           turned.data() + group.begin);
    });
    for (Index c = 0; c < i; ++c) std::swap(turned[2 * c], turned[2 * c + 1]);
    over_rows(left, [&](Range part) {
      gemv(Transpose::no, -1.0, panel_.block(i + 1 + part.begin, 0, part.size(), 2 * i),
           turned.data(), 1.0, product_.data() + part.begin);
    });
  }

  template <class Task>
  void over_rows(Index rows, const Task& task) {
    const std::vector<Range> parts = tiles_of(rows, kChunkRows);
    each(rows >= kWakeForPanel, static_cast<Index>(parts.size()),
         [&](Index p) { task(parts[static_cast<std::size_t>(p)]); });
  }

  // What the panel leaves of the rest. Tiles reach above the diagonal, where nothing is read.
  void update(Range columns) {
    const Index done = columns.size(), begin = columns.end, rows = n_ - begin;
    for (Index c = 0; c < done; ++c) {
      swapped_.col(2 * c).head(rows) = panel_.col(2 * c + 1).segment(done, rows);
      swapped_.col(2 * c + 1).head(rows) = panel_.col(2 * c).segment(done, rows);
    }
    struct Tile {
      Range rows, columns;
    };
    std::vector<Tile> tiles;
    for (const Range strip : tiles_of(rows, kTileColumns))
      for (Index row = strip.begin; row < rows; row += kTileRows)
        tiles.push_back({{row, std::min(rows, row + kTileRows)}, strip});
    each(rows >= kWakeForUpdate, static_cast<Index>(tiles.size()), [&](Index t) {
      const Tile& tile = tiles[static_cast<std::size_t>(t)];
      gemm(Transpose::no, Transpose::yes, -1.0,
           panel_.block(done + tile.rows.begin, 0, tile.rows.size(), 2 * done),
           swapped_.block(tile.columns.begin, 0, tile.columns.size(), 2 * done), 1.0,
           a_.block(begin + tile.rows.begin, begin + tile.columns.begin, tile.rows.size(),
                    tile.columns.size()));
    });
  }

  BlockRef a_;
  Tridiagonal& t_;
  const Context& context_;
  Index n_;
  double nothing_ = 0;
  Block panel_, swapped_;
  Vector product_;
  Block partial_;  // one column for the sums of each strip
};

}  // namespace

Tridiagonal reduce_to_tridiagonal(BlockRef matrix, WhenLate late, const Context& context) {
  Tridiagonal t;
  if (matrix.rows() == 0) return t;
  const BlasThreadGuard guard;
  try {
    Reduction(matrix, t, context).run();
    t.steps = matrix.rows();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_time || late == WhenLate::fail || t.steps == 0) throw;
  }
  return t;
}

double tridiagonal_bytes(Index n) {
  return 8 * static_cast<double>(n) *
         (4 * kPanel + static_cast<double>(Reduction::strip_count(n)) + 5);
}

}  // namespace mercer
