// Frame: how rows are moved and scaled before a kernel sees them, the same for training and for new
// rows. Distances are formed as |x|^2 + |y|^2 - 2 x.y, whose error is relative to the norms: so
// rows are first moved to their mean, which a radial kernel cannot notice. All rows are multiplied
// by a power of two that brings them into [-1, 1], so that squares neither overflow nor vanish; the
// family's parameters are rescaled to match.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/view.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

struct Frame {
  Vector centre;      // subtracted from rows (after scaling) where families may not notice; empty
                      // for sparse rows, which stay where they are
  Index dim = 0;      // columns of the rows
  double scale = 1;   // a power of two
  double radius = 0;  // largest distance of a training row from their mean, scaled
  double reach = 0;   // largest |row| as tiles have them: the radius where they are moved
  bool centre_products =
      false;  // dot families see centred rows too: linear kernel whose features are centred
  bool less_diagonal =
      false;  // k(x, y) - k(x, x) is evaluated: centring cannot tell, digits are saved
  bool less_offset = false;    // constant terms of linear families are left out, likewise
  bool less_squares = false;   // multiples of |x - y|^2 are left out: affine functions are removed,
                               // and those with them
  bool direct_double = false;  // distances are summed differences, for precision, in double tiles
  bool direct_single = false;  // the same for float tiles
};

/// The frame for a training set. `features_centred`: the kernel matrix will be centred.
Frame make_frame(const Kernel& kernel, DataView points, bool features_centred,
                 const Context& context);

/// Throws M221 when the kernel of two rows of the training set may be too large to work with.
void check_range(const Kernel& kernel, const Frame& frame, Index n);

/// Relative error of a kernel entry computed in tiles of this precision, as a typical (not worst)
/// figure. `exact_products`: as TilePoints says; only the map's own rounding is left then.
double entry_error(const Kernel& kernel, const Frame& frame, Index dim, Precision precision,
                   bool exact_products = false);

}  // namespace mercer
