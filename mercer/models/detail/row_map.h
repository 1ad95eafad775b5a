// Affine maps of rows, tile by tile, whatever the type of the rows: no copy of the table is made.
// What comes out for a row does not depend on the rows beside it in the table's tile.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/view.h"

namespace mercer::detail {

/// (x - mean) map of each row x; map has a row for each column of the table.
Block map_rows(DataView rows, const Vector& mean, const Block& map, const Context& context);

/// mean + map s of each row s; map has a row for each column of the result.
Points map_back(ConstBlockRef scores, const Vector& mean, const Block& map, const Context& context);

}  // namespace mercer::detail
