#include "mercer/models/amari.h"

#include "mercer/core/error.h"

#include <fmt/format.h>

namespace mercer {

double amari_index(ConstBlockRef p) {
  const Index k = p.rows();
  if (p.cols() != k || k == 0)
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("the Amari index compares as many true sources as found ones; there are "
                    "{} true and {} found",
                    p.cols(), k),
        "ask for as many sources as there are");
  const Block size = p.cwiseAbs();
  const Vector rows = size.rowwise().maxCoeff(), columns = size.colwise().maxCoeff().transpose();
  if (!size.allFinite() || !(rows.minCoeff() > 0) || !(columns.minCoeff() > 0))
    throw Error(ErrorCode::bad_option_value,
                "the Amari index needs true sources that are in the rows: a row or column of the "
                "product of unmixing and mixing is zero or not finite",
                "check the mixing matrix");
  if (k == 1) return 0;
  double sum = 0;
  for (Index i = 0; i < k; ++i)
    sum += (size.row(i) / rows[i]).sum() - 1 + ((size.col(i) / columns[i]).sum() - 1);
  return sum / static_cast<double>(2 * k * (k - 1));
}

}  // namespace mercer
