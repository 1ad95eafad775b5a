// Values per second of the vector functions at every CPU level this machine has. 4096 values: the
// arrays stay in the first two caches, so the arithmetic is measured and not the memory.
#include "tests/core/vecmath_level.h"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace {

using mercer::test::LevelCopy;
constexpr std::size_t kValues = 4096;

template <class T>
void measure(benchmark::State& state, LevelCopy copy, int function, double from, double to) {
  std::vector<T> in(kValues), out(kValues);
  for (std::size_t i = 0; i < kValues; ++i) {
    in[i] = static_cast<T>(from + (to - from) * static_cast<double>(i) / kValues);
  }
  for (auto _ : state) {
    copy.call(function, in.data(), out.data(), kValues);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kValues));
}

struct Case {
  const char* name;
  int function;
  double from, to;
};

// Arguments are those that kernels have: negative for exp, positive for the others.
constexpr Case kCases[] = {
    {"exp", mercer::test::exp_of_x, -20, 0},          {"expm1", mercer::test::expm1_of_x, -5, 5},
    {"log", mercer::test::log_of_x, 1e-3, 10},        {"log1p", mercer::test::log1p_of_x, 1e-3, 10},
    {"tanh", mercer::test::tanh_of_x, -5, 5},         {"sqrt", mercer::test::sqrt_of_x, 0, 10},
    {"fifth_power", mercer::test::fifth_power, -2, 2}};

void register_all() {
  for (const LevelCopy& copy : mercer::test::level_copies()) {
    for (const Case& c : kCases) {
      const std::string tail = std::string("/") + std::string(name_of(copy.level));
      benchmark::RegisterBenchmark((c.name + std::string("_f32") + tail).c_str(), measure<float>,
                                   copy, c.function, c.from, c.to);
      benchmark::RegisterBenchmark((c.name + std::string("_f64") + tail).c_str(), measure<double>,
                                   copy, c.function, c.from, c.to);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
