#include "mercer/linalg/toeplitz.h"

namespace mercer {
namespace {

Extents doubled(const Extents& modes) { return {2 * modes[0], 2 * modes[1], 2 * modes[2]}; }

// Cells of the modes -m ... m of every dimension, row-major.
std::vector<Index> cells_of(const GridShape& shape, const Extents& modes) {
  const auto at = [&](Index k, std::size_t a) { return k < 0 ? k + shape.size[a] : k; };
  std::vector<Index> cells;
  for (Index k0 = -modes[0]; k0 <= modes[0]; ++k0)
    for (Index k1 = -modes[1]; k1 <= modes[1]; ++k1)
      for (Index k2 = -modes[2]; k2 <= modes[2]; ++k2)
        cells.push_back((at(k0, 0) * shape.size[1] + at(k1, 1)) * shape.size[2] + at(k2, 2));
  return cells;
}

}  // namespace

Toeplitz::Toeplitz(Extents modes, const Eigen::VectorXcd& s, const Context& context)
    : shape_{{size_for(modes[0]), size_for(modes[1]), size_for(modes[2])}, 1},
      modes_(modes),
      cell_(cells_of(shape_, modes)) {
  std::vector<Complex> grid(static_cast<std::size_t>(shape_.cells()), Complex(0));
  Index q = 0;
  for (const Index cell : cells_of(shape_, doubled(modes)))
    grid[static_cast<std::size_t>(cell)] = s[q++];
  modes_to_grid(shape_, doubled(modes), Sign::minus, grid.data(), context);
  transform_.resize(grid.size());
  for (std::size_t i = 0; i < grid.size(); ++i)
    transform_[i] = grid[i].real() / static_cast<double>(shape_.cells());
}

void Toeplitz::multiply(Complex* grid, const Context& context) const {
  modes_to_grid(shape_, modes_, Sign::minus, grid, context);
  for (std::size_t i = 0; i < transform_.size(); ++i) grid[i] *= transform_[i];
  grid_to_modes(shape_, modes_, Sign::plus, grid, context);
}

Vector Toeplitz::autocorrelation(const Vector& c, const Context& context) const {
  std::vector<Complex> grid(static_cast<std::size_t>(shape_.cells()), Complex(0));
  for (Index k = 0; k < c.size(); ++k) grid[static_cast<std::size_t>(cell(k))] = c[k];
  modes_to_grid(shape_, modes_, Sign::minus, grid.data(), context);
  for (Complex& number : grid) number = std::norm(number) / static_cast<double>(shape_.cells());
  grid_to_modes(shape_, doubled(modes_), Sign::plus, grid.data(), context);
  const std::vector<Index> cells = cells_of(shape_, doubled(modes_));
  Vector result(static_cast<Index>(cells.size()));
  for (Index q = 0; q < result.size(); ++q)
    result[q] = grid[static_cast<std::size_t>(cells[static_cast<std::size_t>(q)])].real();
  return result;
}

}  // namespace mercer
