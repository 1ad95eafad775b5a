#include "mercer/solvers/signs.h"

#include <cmath>

namespace mercer {

void fix_signs(BlockRef vectors) {
  for (Index j = 0; j < vectors.cols(); ++j) {
    auto column = vectors.col(j);
    if (column.size() == 0) continue;
    const double least = column.cwiseAbs().maxCoeff() / (1 + 64 * 0x1p-53);
    Index first = 0;
    while (std::abs(column[first]) < least) ++first;
    if (column[first] < 0) column = -column;
  }
}

}  // namespace mercer
