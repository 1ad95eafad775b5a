// Each measurement runs the code that a fit would run, on operands of a tile's size. A rate is
//   operations / least seconds of several runs,
// for disturbances only ever make a run longer. The map has no call of its own: it is a tile of few
// columns less the product of the same shape, and an integer product is a tile of 8-bit rows less
// the map.
#include "mercer/plan/calibrate.h"

#include "mercer/core/parallel.h"
#include "mercer/core/random.h"
#include "mercer/data/dataset.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/large_buffer.h"
#include "mercer/linalg/skinny.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>

namespace mercer {
namespace {

constexpr Index kRows = kTileRows;  // operands are of a tile's size
constexpr double kEntries = static_cast<double>(kRows) * static_cast<double>(kRows);

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// What a measurement is given: how long it may take, and the rates known so far.
struct Trial {
  const Context& context;
  double seconds;
  const Machine& known;
  bool quick = false;  // on small problems
};

// The least seconds of one run. The first one, which touches the memory, does not count.
template <class Work>
double least_seconds(const Trial& trial, const Work& work) {
  using Clock = std::chrono::steady_clock;
  constexpr Index kFewest = 3;          // runs: one may be disturbed, and another as well
  constexpr double kResolution = 1e-9;  // of the clock: a rate stays finite
  work();
  double least = std::numeric_limits<double>::infinity(), total = 0;
  for (Index run = 0; run < kFewest || total < trial.seconds; ++run) {
    trial.context.check_cancelled();
    const Clock::time_point start = Clock::now();
    work();
    const double taken = std::chrono::duration<double>(Clock::now() - start).count();
    least = std::min(least, taken);
    total += std::max(taken, kResolution);
  }
  return std::max(least, kResolution);
}

// A tile's seconds less a part of them; a disturbed run cannot make the rest vanish.
double rest_of(double whole, double part) { return std::max(whole - part, whole / 10); }

Points random_rows(Index n, Index dim) {
  const Random random(1);
  Points rows(n, dim);
  for (Index i = 0; i < rows.size(); ++i)
    rows.data()[i] = random.normal(static_cast<std::uint64_t>(i));
  return rows;
}

template <class T>
double product_seconds(const Trial& trial, Index dim) {
  const Rows<T> rows = random_rows(2 * kRows, dim).template cast<T>();
  Rows<T> out(kRows, kRows);
  return least_seconds(trial, [&] {
    row_products(kRows, kRows, dim, rows.data(), dim, rows.data() + kRows * dim, dim, out.data(),
                 kRows);
  });
}

template <class T>
double tile_seconds(const Trial& trial, DataView rows) {
  const Kernel kernel = Kernel("gaussian").resolve(rows, trial.context);
  const Frame frame = make_frame(kernel, rows, true, trial.context);
  const TilePoints<T> points(kernel, frame, rows, trial.context);
  const TileKernel<T> tiles(kernel, frame);
  typename TileKernel<T>::Scratch scratch;
  Rows<T> out(kRows, kRows);
  return least_seconds(trial, [&] {
    tiles.fill(points, {0, kRows}, points, {kRows, 2 * kRows}, out.data(), kRows, scratch);
  });
}

template <class T>
double gemm_rate(const Trial& trial) {
  return kEntries * 2 * static_cast<double>(kRows) / product_seconds<T>(trial, kRows);
}

template <class T>
double map_rate(const Trial& trial) {
  constexpr Index kFewColumns = 16;  // so few that the map is most of a tile's time
  const Trial half{trial.context, trial.seconds / 2, trial.known, trial.quick};
  const double tile = tile_seconds<T>(half, random_rows(2 * kRows, kFewColumns));
  return kEntries / rest_of(tile, product_seconds<T>(half, kFewColumns));
}

double integer_rate(const Trial& trial) {
  constexpr Index kColumns = 784;  // pixels of an MNIST image: products are most of a tile's time
  const Random random(2);
  Rows<unsigned char> rows(2 * kRows, kColumns);
  for (Index i = 0; i < rows.size(); ++i)
    rows.data()[i] = static_cast<unsigned char>(random.below(256, static_cast<std::uint64_t>(i)));
  const double tile = tile_seconds<float>(trial, rows);
  return kEntries * 2 * static_cast<double>(kColumns) /
         rest_of(tile, kEntries / trial.known.map_single);
}

template <class T>
double skinny_rate(const Trial& trial) {
  constexpr Index kWidth = 10;  // columns of a usual pass
  const Rows<T> tile = random_rows(kRows, kRows).template cast<T>();
  const SkinnyProduct<T> product(Block(random_rows(2 * kRows, kWidth)), kRows, trial.context);
  typename SkinnyProduct<T>::Scratch scratch;
  Block y = Block::Zero(2 * kRows, kWidth);
  const double seconds = least_seconds(trial, [&] {
    product.add(tile.data(), kRows, {0, kRows}, {kRows, 2 * kRows}, y, scratch);
  });
  return kEntries * 4 * static_cast<double>(kWidth) / seconds;
}

double tridiagonal_rate(const Trial& trial) {
  const Index size = trial.quick ? 300 : 1000;
  const Points rows = random_rows(size, size);
  const Block symmetric = rows + rows.transpose();
  Block matrix(size, size);
  const double seconds = least_seconds(trial, [&] {
    matrix = symmetric;
    const SymmetricReduction reduction(matrix);
  });
  const auto n = static_cast<double>(size);
  return 4.0 / 3.0 * n * n * n / seconds;
}

// Threads share the way to memory, so all of them read at once. memchr looks for a byte that is not
// there: a read that no compiler may leave out, in the C library's widest registers.
double bandwidth_rate(const Trial& trial) {
  const Index threads = thread_count(trial.context.budget);
  const auto all = std::size_t{trial.quick ? 64U : 256U} << 20;
  const auto share = all / static_cast<std::size_t>(threads);
  const LargeBuffer buffer(share * static_cast<std::size_t>(threads));
  const auto part = [&](Index i) {
    return buffer.as<char>() + static_cast<std::size_t>(i) * share;
  };
  parallel_for(trial.context, threads, [&](Index i) { std::memset(part(i), 1, share); });
  const double seconds = least_seconds(trial, [&] {
    parallel_for(trial.context, threads, [&](Index i) {
      if (std::memchr(part(i), 2, share) != nullptr)
        throw Error(ErrorCode::internal, "memory does not hold what was written to it");
    });
  });
  return static_cast<double>(share) / seconds;
}

constexpr std::array<MachineRate, 9> kRates = {{
    {"gemm_double", &Machine::gemm_double, "GFLOP/s", "matrix product, float64"},
    {"gemm_single", &Machine::gemm_single, "GFLOP/s", "matrix product, float32"},
    {"map_double", &Machine::map_double, "G/s", "kernel values of products, float64"},
    {"map_single", &Machine::map_single, "G/s", "kernel values of products, float32"},
    {"bandwidth", &Machine::bandwidth, "GB/s", "reading memory, all threads at once"},
    {"integer", &Machine::integer, "GOP/s", "products of 8-bit rows"},
    {"skinny_single", &Machine::skinny_single, "GFLOP/s", "tile times 10 columns, float32"},
    {"skinny_double", &Machine::skinny_double, "GFLOP/s", "tile times 10 columns, float64"},
    {"tridiagonal", &Machine::tridiagonal, "GFLOP/s", "reduction to tridiagonal form"},
}};

// In the order of kRates.
constexpr std::array<double (*)(const Trial&), kRates.size()> kMeasurements = {
    gemm_rate<double>, gemm_rate<float>,   map_rate<double>,    map_rate<float>, bandwidth_rate,
    integer_rate,      skinny_rate<float>, skinny_rate<double>, tridiagonal_rate};

Machine measure(const Context& context, double seconds, bool quick) {
  const BlasThreadGuard guard;
  Machine machine;
  machine.origin = quick ? RateOrigin::quick : RateOrigin::measured;
  machine.threads = thread_count(context.budget);
  for (std::size_t i = 0; i < kRates.size(); ++i) {
    context.check_cancelled();
    context.report("calibrate", static_cast<double>(i) / static_cast<double>(kRates.size()));
    machine.*kRates[i].value = kMeasurements[i]({context, seconds, machine, quick});
  }
  context.report("calibrate", 1);
  return machine;
}

}  // namespace

std::span<const MachineRate> machine_rates() { return kRates; }

Machine calibrate(const Context& context, double seconds) {
  return measure(context, seconds, false);
}

Machine calibrate_quickly(const Context& context) { return measure(context, 0.01, true); }

}  // namespace mercer
