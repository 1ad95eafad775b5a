#include "mercer/linalg/nonuniform_fft.h"

#include "mercer/core/parallel.h"
#include "mercer/core/per_thread.h"
#include "mercer/linalg/spread_loops.h"

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

constexpr Index kGroups = 64;       // of rows, each with cells of its own
constexpr Index kGroupRows = 1024;  // at least
constexpr Index kMostPairs = 8;
constexpr Index kGridNumbers = Index{1} << 24;  // 256 MB: where it must be, one pair takes more
constexpr Index kBoxNumbers = Index{1} << 22;   // of groups that are spread at once
constexpr Index kBetweenChecks = 2048;          // rows

// The lanes of a cell: pairs of doubles in a box, complex numbers in the grid.
void add_cell(const double* from, Index lanes, Complex* to) {
  for (Index lane = 0; lane < lanes; ++lane)
    to[lane] += Complex(from[2 * lane], from[2 * lane + 1]);
}
double* copy_cell(const Complex* from, Index lanes, double* to) {
  for (Index lane = 0; lane < lanes; ++lane, to += 2) {
    to[0] = from[lane].real();
    to[1] = from[lane].imag();
  }
  return to;
}

Index wrapped(Index cell, Index size) {
  const Index rest = cell % size;
  return rest < 0 ? rest + size : rest;
}

/// What a thread keeps: the cells that a group reads.
struct BoxStore {
  std::vector<double> numbers;
};

}  // namespace

struct NonuniformFft::Box {
  Extents low = {0, 0, 0}, size = {1, 1, 1};
  Index cells() const { return size[0] * size[1] * size[2]; }
};

struct NonuniformFft::Group {
  Range rows;
  Box box;
  Index lanes = 1;
  std::size_t doubles() const {
    return static_cast<std::size_t>(box.cells() * 2 * lanes + kSpreadStep);
  }
};

struct NonuniformFft::Carry {
  alignas(64) double weights[3][SpreadWindow::kWidest];
  alignas(64) double row[SpreadWindow::kWidest * 2 * kMostPairs + kSpreadStep];
  Index offset = 0;  // of the first cell in its box
};

NonuniformFft::NonuniformFft(Index dim, std::array<double, 3> period, Extents modes,
                             double tolerance) {
  std::size_t axis = 0;
  Index active = 0;
  for (const bool wanted : {false, true})
    for (std::size_t i = 0; i < 3; ++i) {
      const bool has_modes = static_cast<Index>(i) < dim && modes[i] > 0;
      if (has_modes != wanted) continue;
      if (has_modes) {
        modes_[axis] = modes[i];
        column_[axis] = i;
        factor_[axis] = 1 / period[i];
        ++active;
      }
      ++axis;
    }
  const double each = tolerance / static_cast<double>(std::max<Index>(1, active)) * 0.95;
  double grown = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    if (modes_[a] > 0) size_[a] = next_smooth(4 * modes_[a] + 2, true);
    factor_[a] *= static_cast<double>(size_[a]);
    windows_.push_back(SpreadWindow::for_tolerance(each, size_[a], modes_[a]));
    grown *= 1 + windows_.back().error();
  }
  error_ = grown - 1;
}

Index NonuniformFft::count() const {
  return (2 * modes_[0] + 1) * (2 * modes_[1] + 1) * (2 * modes_[2] + 1);
}

Index NonuniformFft::footprint() const {
  return windows_[0].width() * windows_[1].width() * windows_[2].width();
}

Index NonuniformFft::pairs_at_once() const {
  return std::clamp<Index>(kGridNumbers / cells(), 1, kMostPairs);
}

double NonuniformFft::bytes(Index columns) const {
  const auto pairs = static_cast<double>(std::min(pairs_at_once(), (columns + 1) / 2));
  const auto grid = static_cast<double>(cells()) * pairs;
  return 16 * (grid + std::max(grid, static_cast<double>(kBoxNumbers)) +
               static_cast<double>(count() * (columns + 1) / 2));
}

std::vector<NonuniformFft::Group> NonuniformFft::groups_of(const SortedRows& rows,
                                                           Index lanes) const {
  const Index n = rows.n();
  std::vector<Group> groups;
  for (const Range part : tiles_of(n, std::max(kGroupRows, (n + kGroups - 1) / kGroups))) {
    Group group{part, {}, lanes};
    for (std::size_t a = 0; a < 3; ++a) {
      if (modes_[a] == 0) continue;
      const auto column =
          rows.rows().col(static_cast<Index>(column_[a])).segment(part.begin, part.size());
      const double half = 0.5 * static_cast<double>(windows_[a].width());
      group.box.low[a] = static_cast<Index>(std::ceil(column.minCoeff() * factor_[a] - half));
      const auto high = static_cast<Index>(std::ceil(column.maxCoeff() * factor_[a] - half));
      group.box.size[a] = high - group.box.low[a] + windows_[a].width();
    }
    groups.push_back(group);
  }
  return groups;
}

void NonuniformFft::meet(const double* row, const Group& group, Carry& carry) const {
  carry.offset = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const Index first = windows_[a].weights(row[column_[a]] * factor_[a], carry.weights[a]);
    const Index within = modes_[a] == 0 ? 0 : first - group.box.low[a];
    carry.offset = carry.offset * group.box.size[a] + within;
  }
}

template <class Use>
void NonuniformFft::over_modes(const Use& use) const {
  Index mode = 0;
  for (Index k0 = -modes_[0]; k0 <= modes_[0]; ++k0)
    for (Index k1 = -modes_[1]; k1 <= modes_[1]; ++k1) {
      const double outer =
          windows_[0].inverse()[std::abs(k0)] * windows_[1].inverse()[std::abs(k1)];
      const Index row = (wrapped(k0, size_[0]) * size_[1] + wrapped(k1, size_[1])) * size_[2];
      for (Index k2 = -modes_[2]; k2 <= modes_[2]; ++k2)
        use(mode++, row + wrapped(k2, size_[2]), outer * windows_[2].inverse()[std::abs(k2)]);
    }
}

namespace {

SpreadPoint point_of(const Extents& box, Index lanes, const std::vector<SpreadWindow>& windows) {
  SpreadPoint point;
  point.stride1 = box[2] * 2 * lanes;
  point.stride0 = box[1] * point.stride1;
  point.width0 = windows[0].width();
  point.width1 = windows[1].width();
  const Index row = windows[2].width() * 2 * lanes;
  point.length = (row + kSpreadStep - 1) / kSpreadStep * kSpreadStep;
  return point;
}

}  // namespace

void NonuniformFft::spread(const SortedRows& rows, const Group& group, ConstBlockRef u, double* box,
                           const Context& context) const {
  const Index lanes = group.lanes, width = windows_[2].width();
  SpreadPoint point = point_of(group.box.size, lanes, windows_);
  const SpreadLoops& loops = spread_loops();
  Carry carry;
  double values[2 * kMostPairs] = {};
  std::fill(std::begin(carry.row), std::end(carry.row), 0.0);
  point.weights0 = carry.weights[0];
  point.weights1 = carry.weights[1];
  for (Index i = group.rows.begin; i < group.rows.end; ++i) {
    if ((i - group.rows.begin) % kBetweenChecks == 0) context.check_cancelled();
    meet(rows.rows().row(i).data(), group, carry);
    const Index original = rows.original(i);
    for (Index c = 0; c < u.cols(); ++c) values[c] = u(original, c);
    for (Index j = 0; j < width; ++j)
      for (Index c = 0; c < 2 * lanes; ++c)
        carry.row[j * 2 * lanes + c] = carry.weights[2][j] * values[c];
    point.first = box + carry.offset * 2 * lanes;
    loops.add(point, carry.row);
  }
}

// One task per layer of the grid; boxes are added in their order.
void NonuniformFft::add_boxes(const std::vector<Group>& groups, Range which,
                              const std::vector<std::vector<double>>& boxes, FineGrid& grid,
                              const Context& context) const {
  const std::size_t layered = size_[0] > 1 ? 0 : size_[1] > 1 ? 1 : 2;
  parallel_for(context, size_[layered], [&](Index layer) {
    for (Index g = which.begin; g < which.end; ++g)
      add_layer(groups[static_cast<std::size_t>(g)].box,
                boxes[static_cast<std::size_t>(g - which.begin)].data(), layered, layer, grid);
  });
}

// What one box adds to one layer of the grid, across the axis `layered`.
void NonuniformFft::add_layer(const Box& box, const double* from, std::size_t layered, Index layer,
                              FineGrid& grid) const {
  const Index lanes = grid.shape.lanes;
  Extents begin = {0, 0, 0}, step = {1, 1, 1};
  begin[layered] = wrapped(layer - box.low[layered], size_[layered]);
  step[layered] = size_[layered];
  for (Index a = begin[0]; a < box.size[0]; a += step[0])
    for (Index b = begin[1]; b < box.size[1]; b += step[1])
      for (Index c = begin[2]; c < box.size[2]; c += step[2]) {
        const Index cell =
            (wrapped(box.low[0] + a, size_[0]) * size_[1] + wrapped(box.low[1] + b, size_[1])) *
                size_[2] +
            wrapped(box.low[2] + c, size_[2]);
        const Index place = ((a * box.size[1] + b) * box.size[2] + c) * lanes;
        add_cell(from + 2 * place, lanes, grid.numbers.data() + cell * lanes);
      }
}

void NonuniformFft::spread_all(const SortedRows& rows, ConstBlockRef u, FineGrid& grid,
                               const Context& context) const {
  const std::vector<Group> groups = groups_of(rows, grid.shape.lanes);
  const auto room = static_cast<std::size_t>(2 * std::max(grid.shape.numbers(), kBoxNumbers));
  Index begin = 0;
  while (begin < static_cast<Index>(groups.size())) {
    Index end = begin;
    std::size_t taken = 0;
    std::vector<std::vector<double>> boxes;
    do {
      taken += groups[static_cast<std::size_t>(end)].doubles();
      ++end;
    } while (end < static_cast<Index>(groups.size()) &&
             taken + groups[static_cast<std::size_t>(end)].doubles() <= room);
    boxes.resize(static_cast<std::size_t>(end - begin));
    parallel_for(context, end - begin, [&](Index t) {
      const Group& group = groups[static_cast<std::size_t>(begin + t)];
      auto& box = boxes[static_cast<std::size_t>(t)];
      box.assign(group.doubles(), 0.0);
      spread(rows, group, u, box.data(), context);
    });
    add_boxes(groups, {begin, end}, boxes, grid, context);
    begin = end;
  }
}

ModeBlock NonuniformFft::analyse(const SortedRows& rows, ConstBlockRef u,
                                 const Context& context) const {
  const Index pairs = (u.cols() + 1) / 2;
  ModeBlock modes(count(), pairs);
  if (pairs == 0) return modes;
  const Index batches = (pairs + pairs_at_once() - 1) / pairs_at_once();
  for (const Range part : tiles_of(pairs, (pairs + batches - 1) / batches)) {
    const Index lanes = part.size();
    FineGrid grid{{size_, lanes}, {}};
    grid.numbers.assign(static_cast<std::size_t>(grid.shape.numbers()), Complex(0));
    const Index columns = std::min(u.cols(), 2 * part.end) - 2 * part.begin;
    spread_all(rows, u.middleCols(2 * part.begin, columns), grid, context);
    grid_to_modes(grid.shape, modes_, Sign::minus, grid.numbers.data(), context);
    over_modes([&](Index mode, Index cell, double factor) {
      for (Index lane = 0; lane < lanes; ++lane)
        modes(mode, part.begin + lane) =
            factor * grid.numbers[static_cast<std::size_t>(cell * lanes + lane)];
    });
  }
  return modes;
}

FineGrid NonuniformFft::fine_grid(ConstModeRef modes, const Context& context) const {
  const Index lanes = modes.cols();
  FineGrid grid{{size_, lanes}, {}};
  grid.numbers.assign(static_cast<std::size_t>(grid.shape.numbers()), Complex(0));
  over_modes([&](Index mode, Index cell, double factor) {
    for (Index lane = 0; lane < lanes; ++lane)
      grid.numbers[static_cast<std::size_t>(cell * lanes + lane)] = factor * modes(mode, lane);
  });
  modes_to_grid(grid.shape, modes_, Sign::plus, grid.numbers.data(), context);
  return grid;
}

void NonuniformFft::copy_box(const FineGrid& grid, const Group& group, double* to) const {
  const Index lanes = group.lanes;
  for (Index a = 0; a < group.box.size[0]; ++a)
    for (Index b = 0; b < group.box.size[1]; ++b) {
      const Index row = (wrapped(group.box.low[0] + a, size_[0]) * size_[1] +
                         wrapped(group.box.low[1] + b, size_[1])) *
                        size_[2];
      for (Index c = 0; c < group.box.size[2]; ++c) {
        const Index cell = row + wrapped(group.box.low[2] + c, size_[2]);
        to = copy_cell(grid.numbers.data() + cell * lanes, lanes, to);
      }
    }
  std::fill(to, to + kSpreadStep, 0.0);
}

void NonuniformFft::gather(const SortedRows& rows, const Group& group, double* box, BlockRef out,
                           const Context& context) const {
  const Index lanes = group.lanes, width = windows_[2].width();
  SpreadPoint point = point_of(group.box.size, lanes, windows_);
  const SpreadLoops& loops = spread_loops();
  Carry carry;
  point.weights0 = carry.weights[0];
  point.weights1 = carry.weights[1];
  for (Index i = group.rows.begin; i < group.rows.end; ++i) {
    if ((i - group.rows.begin) % kBetweenChecks == 0) context.check_cancelled();
    meet(rows.rows().row(i).data(), group, carry);
    point.first = box + carry.offset * 2 * lanes;
    loops.take(point, carry.row);
    const Index original = rows.original(i);
    for (Index c = 0; c < out.cols(); ++c) {
      double sum = 0;
      for (Index j = 0; j < width; ++j) sum += carry.weights[2][j] * carry.row[j * 2 * lanes + c];
      out(original, c) = sum;
    }
  }
}

void NonuniformFft::read(const FineGrid& grid, const SortedRows& rows, BlockRef out,
                         const Context& context) const {
  const std::vector<Group> groups = groups_of(rows, grid.shape.lanes);
  parallel_for(context, static_cast<Index>(groups.size()), [&](Index t) {
    const Group& group = groups[static_cast<std::size_t>(t)];
    std::vector<double>& box = per_thread<BoxStore>().numbers;
    box.resize(group.doubles());
    copy_box(grid, group, box.data());
    gather(rows, group, box.data(), out, context);
  });
}

Block NonuniformFft::synthesise(const SortedRows& rows, ConstModeRef modes, Index columns,
                                const Context& context) const {
  const Index pairs = (columns + 1) / 2;
  Block out(rows.n(), columns);
  if (columns == 0) return out;
  const Index batches = (pairs + pairs_at_once() - 1) / pairs_at_once();
  for (const Range part : tiles_of(pairs, (pairs + batches - 1) / batches)) {
    const FineGrid grid = fine_grid(modes.middleCols(part.begin, part.size()), context);
    const Index end = std::min(columns, 2 * part.end);
    read(grid, rows, out.middleCols(2 * part.begin, end - 2 * part.begin), context);
  }
  return out;
}

}  // namespace mercer
