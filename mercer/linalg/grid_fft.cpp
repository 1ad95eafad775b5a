#include "mercer/linalg/grid_fft.h"

#include "mercer/core/parallel.h"
#include "mercer/core/per_thread.h"

#include <unsupported/Eigen/FFT>

#include <algorithm>
#include <vector>

namespace mercer {
namespace {

// Lines that are copied out together: eight numbers of 16 bytes are two cache lines.
constexpr Index kStrip = 8;
// Numbers that a task transforms at least, about a millisecond of work.
constexpr Index kTaskNumbers = Index{1} << 15;

struct LineWork {
  Eigen::FFT<double> fft;
  std::vector<Complex> lines, images;

  LineWork() { fft.SetFlag(Eigen::FFT<double>::Unscaled); }
};

/// Parallel lines along one axis: they begin at outer + inner offsets, where inner offsets come in
/// runs of adjacent numbers.
struct Lines {
  Index length = 1, stride = 1;
  std::vector<Index> outer;
  std::vector<Range> inner;
};

// The indices of an axis, all or the few that hold modes, as runs.
std::vector<Range> indices(Index size, Index modes, bool few) {
  if (!few || 2 * modes + 1 >= size) return {{0, size}};
  if (modes == 0) return {{0, 1}};
  return {{0, modes + 1}, {size - modes, size}};
}

// Where the lines begin that these runs of indices leave, each `stride` from the one before.
void append_lines(Index begin, const std::vector<Range>& runs, Index stride,
                  std::vector<Index>& lines) {
  for (const Range run : runs)
    for (Index k = run.begin; k < run.end; ++k) lines.push_back(begin + k * stride);
}

// Lines along `axis`; of the other axes only what holds modes where `few`.
Lines lines_of(const GridShape& shape, Index axis, const std::array<bool, 3>& few, Extents modes) {
  const auto& size = shape.size;
  const Extents stride = {size[1] * size[2] * shape.lanes, size[2] * shape.lanes, shape.lanes};
  const auto a = static_cast<std::size_t>(axis);
  Lines lines{size[a], stride[a], {0}, {}};
  const std::vector<std::size_t> others =
      axis == 2 ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{1 - a};
  for (const std::size_t other : others) {
    std::vector<Index> next;
    const std::vector<Range> runs = indices(size[other], modes[other], few[other]);
    for (const Index begin : lines.outer) append_lines(begin, runs, stride[other], next);
    lines.outer = std::move(next);
  }
  if (axis == 2) lines.inner = {{0, shape.lanes}};
  if (axis == 2) return lines;
  for (const Range run : indices(size[2], modes[2], few[2]))
    lines.inner.push_back({run.begin * shape.lanes, run.end * shape.lanes});
  return lines;
}

void transform_strip(Complex* first, Index count, const Lines& lines, Sign sign, LineWork& work) {
  const Index n = lines.length;
  work.lines.resize(static_cast<std::size_t>(kStrip * n));
  work.images.resize(static_cast<std::size_t>(kStrip * n));
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < count; ++j)
      work.lines[static_cast<std::size_t>(j * n + i)] = first[i * lines.stride + j];
  for (Index j = 0; j < count; ++j) {
    Complex* image = work.images.data() + j * n;
    const Complex* line = work.lines.data() + j * n;
    if (sign == Sign::minus)
      work.fft.fwd(image, line, n);
    else
      work.fft.inv(image, line, n);
  }
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < count; ++j)
      first[i * lines.stride + j] = work.images[static_cast<std::size_t>(j * n + i)];
}

void transform_lines(const Lines& lines, Sign sign, Complex* grid, const Context& context) {
  if (lines.length == 1) return;
  Index adjacent = 0;
  for (const Range run : lines.inner) adjacent += run.size();
  const Index per_task = std::max<Index>(1, kTaskNumbers / (adjacent * lines.length));
  const std::vector<Range> parts = tiles_of(static_cast<Index>(lines.outer.size()), per_task);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    auto& work = per_thread<LineWork>();
    const Range part = parts[static_cast<std::size_t>(t)];
    for (Index o = part.begin; o < part.end; ++o)
      for (const Range run : lines.inner)
        for (Index j = run.begin; j < run.end; j += kStrip)
          transform_strip(grid + lines.outer[static_cast<std::size_t>(o)] + j,
                          std::min(kStrip, run.end - j), lines, sign, work);
  });
}

bool is_smooth(Index n) {
  for (const Index prime : {2, 3, 5})
    while (n % prime == 0) n /= prime;
  return n == 1;
}

}  // namespace

Index next_smooth(Index n, bool even) {
  n = std::max<Index>(n, even ? 2 : 1);
  while (!is_smooth(n) || (even && n % 2 != 0)) ++n;
  return n;
}

// The first axis has the longest strides: it comes while, or when, lines are fewest.
void modes_to_grid(const GridShape& shape, Extents modes, Sign sign, Complex* grid,
                   const Context& context) {
  transform_lines(lines_of(shape, 0, {true, true, true}, modes), sign, grid, context);
  transform_lines(lines_of(shape, 1, {false, true, true}, modes), sign, grid, context);
  transform_lines(lines_of(shape, 2, {false, false, true}, modes), sign, grid, context);
}

void grid_to_modes(const GridShape& shape, Extents modes, Sign sign, Complex* grid,
                   const Context& context) {
  transform_lines(lines_of(shape, 2, {false, false, true}, modes), sign, grid, context);
  transform_lines(lines_of(shape, 1, {false, true, true}, modes), sign, grid, context);
  transform_lines(lines_of(shape, 0, {true, true, true}, modes), sign, grid, context);
}

}  // namespace mercer
