// Readers of text: MB of CSV and non-zeros of LibSVM per second, with one thread and with all. The
// text is in memory, so that the disk does not count; numbers have eight significant digits.
#include "mercer/core/random.h"
#include "mercer/io/table.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>

namespace {

using mercer::Index;

const mercer::TableFormat& format_named(std::string_view name) {
  for (const mercer::TableFormat* format : mercer::table_formats())
    if (format->name == name) return *format;
  throw mercer::Error(mercer::ErrorCode::internal, "no such format");
}

// Rows of fifty numbers, and a class at the end where asked for.
std::string csv_text(Index rows, bool classes) {
  constexpr Index kColumns = 50;
  const mercer::Random random(1);
  std::string text;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < kColumns; ++j)
      fmt::format_to(std::back_inserter(text), "{}{:.8g}", j == 0 ? "" : ",",
                     random.normal(static_cast<std::uint64_t>(i * kColumns + j)));
    if (classes) fmt::format_to(std::back_inserter(text), ",class {}", i % 7);
    text += '\n';
  }
  return text;
}

mercer::Table read(std::string_view text, std::string_view format, Index threads) {
  mercer::Context context;
  context.budget.threads = threads;
  mercer::Source source(text, "text", context.budget.memory);
  return format_named(format).read(source, {}, context);
}

// Arguments: threads (0: all), whether there is a column of classes.
void csv(benchmark::State& state) {
  const std::string text = csv_text(100'000, state.range(1) != 0);
  for (auto _ : state) benchmark::DoNotOptimize(read(text, "csv", state.range(0)).data.n());
  state.counters["MB/s"] = benchmark::Counter(static_cast<double>(text.size()) * 1e-6,
                                              benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(csv)
    ->ArgNames({"threads", "classes"})
    ->Args({1, 0})
    ->Args({0, 0})
    ->Args({1, 1})
    ->Args({0, 1})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// The file that MERCER_BENCH_CSV names, from the disk: bench/compare_csv.py compares with pandas.
void csv_file(benchmark::State& state, const char* name) {
  mercer::Context context;
  context.budget.threads = state.range(0);
  for (auto _ : state)
    benchmark::DoNotOptimize(mercer::read_table(name, {}, context).data.view().data());
  state.counters["MB/s"] =
      benchmark::Counter(static_cast<double>(std::filesystem::file_size(name)) * 1e-6,
                         benchmark::Counter::kIsIterationInvariantRate);
}
const bool has_file = [] {
  const char* name = std::getenv("MERCER_BENCH_CSV");
  if (name == nullptr) return false;
  benchmark::RegisterBenchmark("csv_file", csv_file, name)
      ->ArgName("threads")
      ->Arg(1)
      ->Arg(0)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
  return true;
}();

// Rows of about a hundred non-zeros among ten thousand columns.
std::string libsvm_text(Index rows, Index& stored) {
  constexpr Index kColumns = 10'000;
  const mercer::Random random(2);
  std::uint64_t draw = 0;
  std::string text;
  for (Index i = 0; i < rows; ++i) {
    text += i % 3 == 0 ? "+1" : "-1";
    for (Index column = 1; column <= kColumns; ++stored) {
      fmt::format_to(std::back_inserter(text), " {}:{:.8g}", column, random.normal(draw));
      column += static_cast<Index>(random.below(200, 2 * draw)) + 1;
      ++draw;
    }
    text += '\n';
  }
  return text;
}

// Argument: threads (0: all).
void libsvm(benchmark::State& state) {
  Index stored = 0;
  const std::string text = libsvm_text(20'000, stored);
  for (auto _ : state)
    benchmark::DoNotOptimize(read(text, "libsvm", state.range(0)).data.view().data());
  state.counters["nonzeros/s"] = benchmark::Counter(static_cast<double>(stored),
                                                    benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(libsvm)->ArgName("threads")->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
