// Nonuniform Fourier transforms in 1 to 3 dimensions, with x_i = 2 pi z_i / period_i:
//   analyse      F_k = sum_n u_n exp(-i k.x_n)      |k_i| <= modes_i
//   synthesise   v_n = sum_k G_k exp(+i k.x_n)      the exact transpose, step by step
// Points are spread onto w^d cells of a grid twice as fine as the modes, the grid is transformed,
// and the bump's own transform divided out: n w^d + cells log(cells) instead of n times modes.
// Columns are real and go in pairs, one in the real, one in the imaginary part.
// |error of F_k| <= error() sum |u_n|, and |error of v_n| <= error() sum |G_k|.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/linalg/grid_fft.h"
#include "mercer/linalg/sorted_rows.h"
#include "mercer/linalg/spread_window.h"

#include <array>
#include <vector>

namespace mercer {

/// Modes, row-major and k = -m ... m along each dimension, one column per pair of real columns.
using ModeBlock = Eigen::MatrixXcd;
using ConstModeRef = const Eigen::Ref<const ModeBlock>&;

/// Numbers on the fine grid, `shape.lanes` pairs of columns side by side.
struct FineGrid {
  GridShape shape;
  std::vector<Complex> numbers;
};

class NonuniformFft {
 public:
  /// A dimension with 0 modes is not looked at.
  NonuniformFft(Index dim, std::array<double, 3> period, Extents modes, double tolerance);

  Index count() const;
  Index cells() const { return size_[0] * size_[1] * size_[2]; }
  /// Cells that a point touches.
  Index footprint() const;
  double error() const { return error_; }
  /// Pairs of columns that go through one grid.
  Index pairs_at_once() const;

  /// F, two columns of u in one; column c of u belongs to row rows.original(place).
  ModeBlock analyse(const SortedRows& rows, ConstBlockRef u, const Context& context) const;
  /// The columns of the pairs of G, whose F_k and F_-k must be those of real columns.
  Block synthesise(const SortedRows& rows, ConstModeRef modes, Index columns,
                   const Context& context) const;

  /// The two halves of synthesise, for rows that come in parts: pairs_at_once() at most.
  FineGrid fine_grid(ConstModeRef modes, const Context& context) const;
  void read(const FineGrid& grid, const SortedRows& rows, BlockRef out,
            const Context& context) const;

  /// What analyse() and synthesise() hold at once for this many columns, besides what they are
  /// given.
  double bytes(Index columns) const;

 private:
  struct Box;    // the cells that a group of rows touches
  struct Group;  // a range of rows and its box
  struct Carry;  // how one row meets the cells

  std::vector<Group> groups_of(const SortedRows& rows, Index lanes) const;
  void meet(const double* row, const Group& group, Carry& carry) const;
  void spread(const SortedRows& rows, const Group& group, ConstBlockRef u, double* box,
              const Context& context) const;
  void add_boxes(const std::vector<Group>& groups, Range which,
                 const std::vector<std::vector<double>>& boxes, FineGrid& grid,
                 const Context& context) const;
  void add_layer(const Box& box, const double* from, std::size_t layered, Index layer,
                 FineGrid& grid) const;
  void copy_box(const FineGrid& grid, const Group& group, double* box) const;
  void spread_all(const SortedRows& rows, ConstBlockRef u, FineGrid& grid,
                  const Context& context) const;
  void gather(const SortedRows& rows, const Group& group, double* box, BlockRef out,
              const Context& context) const;
  /// use(mode, cell, 1 / psihat) for every mode.
  template <class Use>
  void over_modes(const Use& use) const;

  std::array<std::size_t, 3> column_ = {0, 0, 0};  // of the rows, for each axis of the grid
  std::array<double, 3> factor_ = {0, 0, 0};       // cells per unit
  Extents modes_ = {0, 0, 0}, size_ = {1, 1, 1};   // axes with modes come last
  std::vector<SpreadWindow> windows_;
  double error_ = 0;
};

}  // namespace mercer
