// Turns of k directions: rotations as exponentials of antisymmetric matrices, whose lower triangles
// are the coordinates in which a search moves.
#pragma once

#include "mercer/core/types.h"

namespace mercer::detail {

/// The antisymmetric k x k matrix whose lower triangle, column after column, these are.
Block antisymmetric(const Vector& angles, Index k);

/// The lower triangle of slopes - slopes', column after column: the derivative by the angles of
/// what changes by slopes where directions w turn into exp(antisymmetric(angles)) w.
Vector angle_slopes(const Block& slopes);

/// exp(a) of an antisymmetric matrix a, by its series; orthogonal to rounding.
Block rotation_of(Block a);

/// The largest 1 - cos of the angles by which exp(antisymmetric(angles)) turns a direction, to
/// second order.
double largest_turn(const Vector& angles, Index k);

/// The turn by an angle in the plane of directions i and j.
Block plane_turn(Index k, Index i, Index j, double angle);

}  // namespace mercer::detail
