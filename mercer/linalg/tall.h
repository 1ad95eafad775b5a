// Tall blocks (n rows, few columns) as eigensolvers use them: inner products, updates and
// orthonormal bases. Rows are cut into fixed parts whose sums are added in order, so that the bytes
// do not depend on the number of threads.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"

#include <cstdint>

namespace mercer {

/// a'b.
Block inner_products(ConstBlockRef a, ConstBlockRef b, const Context& context);

/// a'a.
Block self_products(ConstBlockRef a, const Context& context);

/// What that takes besides its result, in bytes.
std::uint64_t self_products_bytes(Index rows, Index columns);

/// z = v c.
void multiply(BlockRef z, ConstBlockRef v, ConstBlockRef c, const Context& context);

/// z += factor * v c.
void add_product(BlockRef z, double factor, ConstBlockRef v, ConstBlockRef c,
                 const Context& context);

/// v c as a new block.
Block product(ConstBlockRef v, ConstBlockRef c, const Context& context);

/// v <- v c in place, c square or with fewer columns: the first c.cols() columns hold the result.
void rotate(BlockRef v, ConstBlockRef c, const Context& context);

/// z <- z - v (v'z), twice: what is left of z is orthogonal to v to rounding.
void project_out(BlockRef z, ConstBlockRef v, const Context& context);

/// An orthonormal basis of the columns of z that is also orthogonal to v. Directions that are
/// numerically dependent, or that rounding alone may have made (columns that shrank below 1e-13 of
/// `scale`), are dropped, so it may have fewer columns than z.
Block orthonormal(Block z, ConstBlockRef v, double scale, const Context& context);

/// v <- v c with v'v = I afterwards, c upper triangular, which is returned: every column loses what
/// it has of those before it, and they stay as they are (Cholesky QR). For columns that are nearly
/// orthonormal; where they are dependent nothing is done, and c is the identity.
Block orthonormalise_in_order(BlockRef v, const Context& context);

/// |column| of each, without overflow of the squares.
Vector column_norms(ConstBlockRef z);

}  // namespace mercer
