// The dense eigensolver: reduction to tridiagonal form with all eigenvalues and ten vectors, one
// thread and two, and LAPACK's dsytrd beside it. GFLOP/s counts 4/3 n^3 operations; the planner's
// `tridiagonal` rate comes from here, one thread. All vectors: the reduction, divide and conquer
// and the way back.
//
// The skinny product: one tile that serves both sides, one thread, 4 rows cols b operations; and
// the same with tiles that come from memory, two threads, where GB/s is what counts.
#include "mercer/core/parallel.h"
#include "mercer/core/random.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/skinny.h"

#include <benchmark/benchmark.h>

extern "C" void dsytrd_(const char*, const int*, double*, const int*, double*, double*, double*,
                        double*, const int*, int*);

namespace {

using mercer::Index;

mercer::Block random_symmetric(Index n) {
  const mercer::Random random(1);
  mercer::Block matrix(n, n);
  for (Index i = 0; i < matrix.size(); ++i)
    matrix.data()[i] = random.normal(static_cast<std::uint64_t>(i));
  return matrix + matrix.transpose();
}

void count_reduction(benchmark::State& state) {
  const auto size = static_cast<double>(state.range(0));
  state.counters["GFLOP/s"] = benchmark::Counter(4.0 / 3.0 * size * size * size * 1e-9,
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

// The largest `count` vectors; all of them for 0.
template <Index threads, Index count>
void dense_eigen(benchmark::State& state) {
  const Index n = state.range(0);
  const mercer::Block matrix = random_symmetric(n);
  std::vector<Index> top;
  for (Index i = 1; i <= (count == 0 ? n : count); ++i) top.push_back(n - i);
  mercer::Context context;
  context.budget.threads = threads;
  for (auto _ : state) {
    mercer::Block copy = matrix;
    const mercer::SymmetricReduction reduction(copy, context);
    benchmark::DoNotOptimize(reduction.vectors(top).data());
  }
  count_reduction(state);
}

void reduction_by_lapack(benchmark::State& state) {
  const mercer::BlasThreadGuard guard;
  const int n = static_cast<int>(state.range(0)), size = 64 * n;
  const mercer::Block matrix = random_symmetric(n);
  mercer::Vector d(n), e(n), tau(n), work(size);
  int info = 0;
  for (auto _ : state) {
    mercer::Block copy = matrix;
    dsytrd_("L", &n, copy.data(), &n, d.data(), e.data(), tau.data(), work.data(), &size, &info);
    benchmark::DoNotOptimize(d.data());
  }
  count_reduction(state);
}

template <Index threads>
void reduction(benchmark::State& state) {
  const mercer::Block matrix = random_symmetric(state.range(0));
  mercer::Context context;
  context.budget.threads = threads;
  for (auto _ : state) {
    mercer::Block copy = matrix;
    benchmark::DoNotOptimize(
        mercer::reduce_to_tridiagonal(copy, mercer::WhenLate::fail, context).diagonal.data());
  }
  count_reduction(state);
}

void matrix_sizes(benchmark::internal::Benchmark* bench) {
  for (const Index n : {100, 500, 1500, 3000}) bench->Arg(n);
  bench->Unit(benchmark::kMillisecond)->UseRealTime();
}
BENCHMARK(reduction_by_lapack)->Apply(matrix_sizes);
BENCHMARK_TEMPLATE(reduction, 1)->Apply(matrix_sizes);
BENCHMARK_TEMPLATE(reduction, 2)->Apply(matrix_sizes);
BENCHMARK_TEMPLATE(dense_eigen, 1, 10)->Apply(matrix_sizes);
BENCHMARK_TEMPLATE(dense_eigen, 2, 10)->Apply(matrix_sizes);
BENCHMARK_TEMPLATE(dense_eigen, 1, 0)->Apply(matrix_sizes);
BENCHMARK_TEMPLATE(dense_eigen, 2, 0)->Apply(matrix_sizes);

constexpr Index kTile = 512;

void set_rates(benchmark::State& state, double values, double bytes) {
  const auto b = static_cast<double>(state.range(0));
  state.counters["GFLOP/s"] =
      benchmark::Counter(4 * values * b * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["GB/s"] =
      benchmark::Counter(values * bytes * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

template <class T>
void skinny(benchmark::State& state) {
  const mercer::Block x = mercer::Block::Random(2 * kTile, state.range(0));
  mercer::Block y = mercer::Block::Zero(2 * kTile, state.range(0));
  const std::vector<T> tile(kTile * kTile, T(0.5));
  const mercer::SkinnyProduct<T> product(x, kTile, mercer::Context{});
  typename mercer::SkinnyProduct<T>::Scratch scratch;
  for (auto _ : state) product.add(tile.data(), kTile, {0, kTile}, {kTile, 2 * kTile}, y, scratch);
  set_rates(state, kTile * kTile, sizeof(T));
}

void widths(benchmark::internal::Benchmark* bench) {
  for (const Index b : {1, 2, 4, 8, 10, 16, 20, 32, 64, 100}) bench->Arg(b);
}
BENCHMARK_TEMPLATE(skinny, float)->Apply(widths);
BENCHMARK_TEMPLATE(skinny, double)->Apply(widths);

template <class T>
void skinny_from_memory(benchmark::State& state) {
  const Index count = 800'000'000 / (kTile * kTile * Index{sizeof(T)}), threads = 2;
  const std::vector<T> tiles(static_cast<std::size_t>(count * kTile * kTile), T(0.5));
  const mercer::Block x = mercer::Block::Random(2 * kTile, state.range(0));
  mercer::Context context;
  context.budget.threads = threads;
  const mercer::SkinnyProduct<T> product(x, kTile, context);
  std::vector<mercer::Block> y(threads, mercer::Block::Zero(2 * kTile, state.range(0)));
  const auto work = [&](Index thread) {
    typename mercer::SkinnyProduct<T>::Scratch scratch;
    for (Index k = thread; k < count; k += threads) {
      const T* tile = tiles.data() + k * kTile * kTile;
      scratch.next = k + threads < count ? tile + threads * kTile * kTile : nullptr;
      product.add(tile, kTile, {0, kTile}, {kTile, 2 * kTile}, y[static_cast<std::size_t>(thread)],
                  scratch);
    }
  };
  for (auto _ : state) mercer::parallel_for(context, threads, work);
  set_rates(state, static_cast<double>(count * kTile * kTile), sizeof(T));
}
BENCHMARK_TEMPLATE(skinny_from_memory, float)
    ->Arg(1)
    ->Arg(4)
    ->Arg(8)
    ->Arg(16)
    ->Arg(32)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void tile_squares(benchmark::State& state) {
  const std::vector<float> tile(kTile * kTile, 0.5F);
  for (auto _ : state)
    benchmark::DoNotOptimize(mercer::sum_of_squares(tile.data(), kTile, kTile, kTile));
  state.SetBytesProcessed(state.iterations() * Index{sizeof(float)} * kTile * kTile);
}
BENCHMARK(tile_squares);

}  // namespace
