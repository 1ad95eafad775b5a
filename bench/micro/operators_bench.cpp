// One pass over the kernel matrix with a block of vectors, on one thread: how near tiles that are
// computed, used for both sides and forgotten come to what the machine allows. `share` is the time
// that the products alone (distances 2 d, block 4 b operations per pair of rows, at the rate of a
// large matrix product measured here) and exp alone would take, over the time of the pass.
#include "mercer/core/parallel.h"
#include "mercer/core/random.h"
#include "mercer/linalg/blas.h"
#include "mercer/operators/recipe.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <vector>

namespace {

using mercer::Index;

double seconds_of(const auto& work) {
  double best = 1e30;
  for (int run = 0; run < 5; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  return best;
}

// Operations per second of a large product of floats, one thread.
double product_rate() {
  static const double rate = [] {
    constexpr Index n = 1024;
    const mercer::BlasThreadGuard guard;
    std::vector<float> a(n * n, 0.5F), b(n * n, 0.25F), c(n * n);
    const double taken =
        seconds_of([&] { mercer::row_products(n, n, n, a.data(), n, b.data(), n, c.data(), n); });
    return 2.0 * n * n * n / taken;
  }();
  return rate;
}

// exp of floats per second on one thread of a Zen 4 core, as core_bench measures it.
constexpr double kExpRate = 4.5e9;

mercer::Points rows_of(Index n, Index dim) {
  mercer::Points points(n, dim);
  const mercer::Random random(1);
  for (Index i = 0; i < points.size(); ++i)
    points.data()[i] = random.normal(static_cast<std::uint64_t>(i));
  return points;
}

void pass(benchmark::State& state, const char* name) {
  const Index n = state.range(0), dim = state.range(1), b = state.range(2);
  const mercer::Points points = rows_of(n, dim);
  const mercer::GramProblem problem{points, mercer::Kernel("gaussian:sigma=20"), true, b};
  mercer::Context context;
  context.budget.threads = 1;
  context.budget.precision = mercer::Precision::single_;
  const auto matrix = mercer::operator_recipe(name).build(problem, context);
  mercer::Block x = mercer::Block::Random(n, b), y(n, b);
  double best = 1e30;
  for (auto _ : state)
    best = std::min(best, seconds_of([&] { matrix->apply(x, y, nullptr, context); }));
  const double pairs = static_cast<double>(n) * static_cast<double>(n) / 2;
  const bool stored = std::string_view(name) == "dense_gram";  // nothing is evaluated in a pass
  const double work = static_cast<double>(stored ? 4 * b : 2 * dim + 4 * b);
  const double ideal = pairs * (work / product_rate() + (stored ? 0 : 1 / kExpRate));
  state.counters["GFLOP/s"] = pairs * work / best * 1e-9;
  state.counters["product"] = product_rate() * 1e-9;
  state.counters["share"] = ideal / best;
  state.counters["of_product"] = pairs * work / best / product_rate();
}
BENCHMARK_CAPTURE(pass, blocked, "blocked_gram")
    ->Args({4096, 784, 20})
    ->Args({8192, 16, 20})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pass, dense, "dense_gram")
    ->Args({8192, 16, 8})
    ->Args({8192, 16, 20})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
