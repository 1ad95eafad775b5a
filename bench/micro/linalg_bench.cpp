// The dense eigensolver: reduction to tridiagonal form with all eigenvalues and ten vectors, one
// thread. GFLOP/s counts 4/3 n^3 operations; the planner's `tridiagonal` rate comes from here.
#include "mercer/core/random.h"
#include "mercer/linalg/lapack.h"

#include <benchmark/benchmark.h>

namespace {

using mercer::Index;

void dense_eigen(benchmark::State& state) {
  const Index n = state.range(0);
  const mercer::Random random(1);
  mercer::Block matrix(n, n);
  for (Index i = 0; i < matrix.size(); ++i)
    matrix.data()[i] = random.normal(static_cast<std::uint64_t>(i));
  matrix = (matrix + matrix.transpose()).eval();
  std::vector<Index> top;
  for (Index i = 1; i <= 10; ++i) top.push_back(n - i);
  for (auto _ : state) {
    mercer::Block copy = matrix;
    const mercer::SymmetricReduction reduction(copy);
    benchmark::DoNotOptimize(reduction.vectors(top).data());
  }
  const auto size = static_cast<double>(n);
  state.counters["GFLOP/s"] = benchmark::Counter(4.0 / 3.0 * size * size * size * 1e-9,
                                                 benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(dense_eigen)
    ->Arg(500)
    ->Arg(1500)
    ->Arg(3000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
