#include "mercer/models/detail/products.h"

#include "mercer/core/parallel.h"
#include "mercer/data/summary.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/lapack.h"

#include <algorithm>

namespace mercer::detail {
namespace {

constexpr Index kPanel = 2048;  // rows, or columns, that are doubles at once
constexpr Index kSquare = 256;  // side of a tile of the result

MemoryAccount::Hold hold_side(Index side, Index panel, const Context& context) {
  const auto s = static_cast<std::uint64_t>(side), p = static_cast<std::uint64_t>(panel);
  return context.hold(sizeof(double) * s * (s + std::min<std::uint64_t>(p, kPanel)),
                      "the products of all columns");
}

// Rows as the frame leaves them, one column each.
Block panel_of(DataView rows, const ColumnFrame& frame, const Context& context) {
  Block panel(rows.dim(), rows.n());
  const std::vector<Range> parts = tiles_of(rows.n(), kSquare);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    for (Index i = part.begin; i < part.end; ++i) {
      auto row = panel.col(i);
      rows.copy_row(i, row.data());
      row = (row - frame.shift).cwiseProduct(frame.factor);
    }
  });
  return panel;
}

Block gram_of(DataView rows, const ColumnFrame& frame, const Context& context) {
  Block gram = Block::Zero(rows.n(), rows.n());
  for (const Range part : tiles_of(rows.dim(), kPanel)) {
    const ColumnFrame some{frame.shift.segment(part.begin, part.size()),
                           frame.factor.segment(part.begin, part.size())};
    add_products(panel_of(rows.columns(part), some, context).transpose().eval(), gram, context);
  }
  return gram / static_cast<double>(rows.n());
}

}  // namespace

ColumnFrame centred_frame(DataView rows, const Context& context) {
  const Summary summary = summarize(rows, context);
  const double largest = summary.deviation.maxCoeff();
  return {summary.mean, Vector::Constant(rows.dim(), largest > 0 ? 1 / largest : 1)};
}

void add_products(ConstBlockRef p, BlockRef out, const Context& context) {
  const std::vector<Range> sides = tiles_of(p.rows(), kSquare);
  std::vector<TilePair> pairs;
  for (Index i = 0; i < static_cast<Index>(sides.size()); ++i)
    for (Index j = 0; j <= i; ++j) pairs.push_back({j, i});
  parallel_for(context, static_cast<Index>(pairs.size()), [&](Index t) {
    const TilePair pair = pairs[static_cast<std::size_t>(t)];
    const Range a = sides[static_cast<std::size_t>(pair.second)],
                b = sides[static_cast<std::size_t>(pair.first)];
    auto tile = out.block(a.begin, b.begin, a.size(), b.size());
    gemm(Transpose::no, Transpose::yes, 1.0, p.middleRows(a.begin, a.size()),
         p.middleRows(b.begin, b.size()), 1.0, tile);
    out.block(b.begin, a.begin, b.size(), a.size()) = tile.transpose().eval();
  });
}

Block covariance_of(DataView rows, const ColumnFrame& frame, const Context& context) {
  const MemoryAccount::Hold held = hold_side(rows.dim(), rows.n(), context);
  Block sum = Block::Zero(rows.dim(), rows.dim());
  const std::vector<Range> parts = tiles_of(rows.n(), kPanel);
  for (const Range part : parts) {
    context.report("covariance", static_cast<double>(part.begin) / static_cast<double>(rows.n()));
    add_products(panel_of(rows.rows(part), frame, context), sum, context);
  }
  return sum / static_cast<double>(rows.n());
}

Vector values_of(Block& matrix, const Context& context) {
  const SymmetricReduction reduction(matrix, context);
  return reduction.values().reverse().cwiseMax(0);
}

Vector spectrum_of(DataView rows, const ColumnFrame& frame, const Context& context) {
  const MemoryAccount::Hold held =
      hold_side(std::min(rows.n(), rows.dim()), std::max(rows.n(), rows.dim()), context);
  Block matrix =
      rows.dim() <= rows.n() ? covariance_of(rows, frame, context) : gram_of(rows, frame, context);
  return values_of(matrix, context);
}

}  // namespace mercer::detail
