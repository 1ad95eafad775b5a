#include "mercer/models/detail/row_map.h"

#include "mercer/core/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/models/ability.h"

#include <vector>

namespace mercer::detail {
namespace {

// Few enough rows of many columns that a thread's copy of them stays small; divides kBlockRows.
Index rows_of_a_copy(Index dim) {
  constexpr Index kNumbers = Index{1} << 20;
  Index rows = kBlockRows;
  while (rows > 8 && rows * dim > kNumbers) rows /= 2;
  return rows;
}

}  // namespace

Block map_rows(DataView rows, const Vector& mean, const Block& map, const Context& context) {
  Block scores(rows.n(), map.cols());
  const std::vector<Range> parts = tiles_of(rows.n(), rows_of_a_copy(rows.dim()));
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    Block transposed(rows.dim(), part.size());
    for (Index i = 0; i < part.size(); ++i) rows.copy_row(part.begin + i, transposed.col(i).data());
    transposed.colwise() -= mean;
    gemm(Transpose::yes, Transpose::no, 1.0, transposed, map, 0.0,
         scores.middleRows(part.begin, part.size()));
  });
  return scores;
}

Points map_back(ConstBlockRef scores, const Vector& mean, const Block& map,
                const Context& context) {
  Points rows(scores.rows(), map.rows());
  const std::vector<Range> parts = tiles_of(scores.rows(), rows_of_a_copy(map.rows()));
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    const Block here = scores.middleRows(part.begin, part.size());
    Block lifted(map.rows(), part.size());
    gemm(Transpose::no, Transpose::yes, 1.0, map, here, 0.0, lifted);
    lifted.colwise() += mean;
    rows.middleRows(part.begin, part.size()) = lifted.transpose();
  });
  return rows;
}

}  // namespace mercer::detail
