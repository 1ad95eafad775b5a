// Fourier transforms of small-dimensional grids in place, where one side holds few numbers: only
// the modes |k_i| <= m_i are given, or only those are wanted. Mode k stands at index k mod size.
// Lines that are known to be zero, or that nobody wants, are left out.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/index.h"

#include <array>
#include <complex>

namespace mercer {

using Complex = std::complex<double>;
/// One number per dimension; dimensions that are not there have size 1, or 0 modes.
using Extents = std::array<Index, 3>;

/// Row-major; every cell holds `lanes` numbers that are transformed side by side.
struct GridShape {
  Extents size = {1, 1, 1};
  Index lanes = 1;

  Index cells() const { return size[0] * size[1] * size[2]; }
  Index numbers() const { return cells() * lanes; }
};

enum class Sign { minus, plus };

/// The smallest number from n on with no prime factor above 5, even where asked for.
Index next_smooth(Index n, bool even);

/// g_l = sum over |k_i| <= modes_i of g_k exp(+-2 pi i k l / size): cells that hold no such mode
/// must be zero before.
void modes_to_grid(const GridShape& shape, Extents modes, Sign sign, Complex* grid,
                   const Context& context);

/// g_k = sum over l of g_l exp(+-2 pi i k l / size) for |k_i| <= modes_i; the other cells hold
/// nothing useful afterwards.
void grid_to_modes(const GridShape& shape, Extents modes, Sign sign, Complex* grid,
                   const Context& context);

}  // namespace mercer
