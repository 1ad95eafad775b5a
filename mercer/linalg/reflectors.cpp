// Back from the tridiagonal basis: products of reflections in compact form, I - V T V', applied to
// tiles of columns (Schreiber and Van Loan 1989).
#include "mercer/core/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/tridiagonal.h"

#include <algorithm>
#include <vector>

namespace mercer {
namespace {

// Reflections that are applied at once, and columns of a task.
constexpr Index kReflectors = 64, kReflectedColumns = 64;

// The vectors of some reflections, with the ones and zeros that are not stored.
Block vectors_of(ConstBlockRef matrix, const Tridiagonal& t, Range which) {
  const Index rows = matrix.rows() - which.begin - 1;
  Block v = Block::Zero(rows, which.size());
  for (Index c = 0; c < which.size(); ++c) {
    if (t.reflectors[which.begin + c] == 0) continue;
    v(c, c) = 1;
    v.col(c).tail(rows - c - 1) = matrix.col(which.begin + c).tail(rows - c - 1);
  }
  return v;
}

// H_1 H_2 ... = I - V T V'.
Block triangle_of(const Block& v, ConstVectorRef factors) {
  const Index count = v.cols();
  Block products = Block::Zero(count, count), triangle = Block::Zero(count, count);
  add_gram(ConstBlockRef(v), products);
  for (Index i = 0; i < count; ++i) {
    triangle(i, i) = factors[i];
    triangle.col(i).head(i) =
        -factors[i] * (triangle.topLeftCorner(i, i) * products.row(i).head(i).transpose());
  }
  return triangle;
}

}  // namespace

void apply_reflectors(ConstBlockRef matrix, const Tridiagonal& t, BlockRef z,
                      const Context& context) {
  const BlasThreadGuard guard;
  const std::vector<Range> groups = tiles_of(std::max<Index>(0, t.steps - 1), kReflectors);
  const std::vector<Range> parts = tiles_of(z.cols(), kReflectedColumns);
  for (std::size_t g = groups.size(); g-- > 0;) {
    const Range which = groups[g];
    const Block v = vectors_of(matrix, t, which);
    const Block triangle = triangle_of(v, t.reflectors.segment(which.begin, which.size()));
    const auto turn = [&](Index p) {
      const Range part = parts[static_cast<std::size_t>(p)];
      BlockRef rows = z.block(which.begin + 1, part.begin, v.rows(), part.size());
      Block inside(v.cols(), part.size()), turned(v.cols(), part.size());
      gemm(Transpose::yes, Transpose::no, 1.0, v, rows, 0.0, inside);
      gemm(Transpose::no, Transpose::no, 1.0, triangle, inside, 0.0, turned);
      gemm(Transpose::no, Transpose::no, -1.0, v, turned, 1.0, rows);
    };
    parallel_for(context, static_cast<Index>(parts.size()), turn);
  }
}

}  // namespace mercer
