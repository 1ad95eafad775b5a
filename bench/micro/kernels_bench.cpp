// A Gaussian tile (matrix product, then one map in place) next to the plain matrix product of the
// same shape, one thread. The figure is GFLOP/s of the product in both cases, so the quotient is
// the share the map leaves. Kernels that sum terms are counted as terms per second; sparse rows as
// entries per second. Rows of whole numbers come with operations on bytes instead, counted alike.
#include "mercer/core/parallel.h"
#include "mercer/core/random.h"
#include "mercer/data/dataset.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/blas.h"

#include <benchmark/benchmark.h>

#include <vector>

namespace {

using mercer::Index;

template <class T>
using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

mercer::Points random_rows(Index n, Index dim) {
  const mercer::Random random(1);
  mercer::Points rows(n, dim);
  for (Index i = 0; i < rows.size(); ++i)
    rows.data()[i] = random.normal(static_cast<std::uint64_t>(i));
  return rows;
}

void count(benchmark::State& state, Index n, Index dim) {
  const auto entries = static_cast<double>(n) * static_cast<double>(n);
  state.counters["GFLOP/s"] = benchmark::Counter(entries * 2 * static_cast<double>(dim) * 1e-9,
                                                 benchmark::Counter::kIsIterationInvariantRate);
  state.counters["Gentries/s"] =
      benchmark::Counter(entries * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

template <class T>
void product(benchmark::State& state) {
  const mercer::BlasThreadGuard guard;
  const Index n = mercer::kTileRows, dim = state.range(0);
  const Rows<T> a = random_rows(n, dim).template cast<T>(),
                b = random_rows(n, dim).template cast<T>();
  Rows<T> out(n, n);
  for (auto _ : state) {
    mercer::row_products(n, n, dim, a.data(), dim, b.data(), dim, out.data(), n);
    benchmark::DoNotOptimize(out.data());
  }
  count(state, n, dim);
}

template <class T>
void tile(benchmark::State& state, const char* spec) {
  const mercer::BlasThreadGuard guard;
  const Index n = mercer::kTileRows, dim = state.range(0);
  const mercer::Points rows = random_rows(2 * n, dim).cwiseAbs();  // chi-squared takes no other
  const mercer::Context context;
  const mercer::Kernel kernel = mercer::Kernel(spec).resolve(rows, context);
  const mercer::Frame frame = mercer::make_frame(kernel, rows, true, context);
  const mercer::TilePoints<T> points(kernel, frame, rows, context);
  const mercer::TileKernel<T> tiles(kernel, frame);
  typename mercer::TileKernel<T>::Scratch scratch;
  Rows<T> out(n, n);
  for (auto _ : state) {
    tiles.fill(points, {0, n}, points, {n, 2 * n}, out.data(), n, scratch);
    benchmark::DoNotOptimize(out.data());
  }
  count(state, n, dim);
}

mercer::Points random_bytes(Index n, Index dim) {
  const mercer::Random random(3);
  mercer::Points rows(n, dim);
  for (Index i = 0; i < rows.size(); ++i)
    rows.data()[i] = static_cast<double>(random.below(256, static_cast<std::uint64_t>(i)));
  return rows;
}

// Squared distances alone, as product() is for rows of any numbers.
template <class T>
void integer_distances(benchmark::State& state) {
  const Index n = mercer::kTileRows, dim = state.range(0);
  const auto rows = *mercer::IntegerRows::pack(random_bytes(2 * n, dim), {});
  mercer::IntegerScratch scratch;
  Rows<T> out(n, n);
  for (auto _ : state) {
    mercer::integer_tile(mercer::IntegerForm::squared_distance, rows, {0, n}, rows, {n, 2 * n},
                         0x1p-16, out.data(), n, scratch);
    benchmark::DoNotOptimize(out.data());
  }
  count(state, n, dim);
}

// The whole tile of whole numbers: packed, and as floating-point rows.
template <class T>
void gaussian_of_bytes(benchmark::State& state, typename mercer::TilePoints<T>::Storage storage) {
  const mercer::BlasThreadGuard guard;
  const Index n = mercer::kTileRows, dim = state.range(0);
  const mercer::Points rows = random_bytes(2 * n, dim);
  const mercer::Context context;
  const mercer::Kernel kernel = mercer::Kernel("gaussian").resolve(rows, context);
  const mercer::Frame frame = mercer::make_frame(kernel, rows, true, context);
  const mercer::TilePoints<T> points(kernel, frame, rows, context, storage);
  const mercer::TileKernel<T> tiles(kernel, frame);
  typename mercer::TileKernel<T>::Scratch scratch;
  Rows<T> out(n, n);
  for (auto _ : state) {
    tiles.fill(points, {0, n}, points, {n, 2 * n}, out.data(), n, scratch);
    benchmark::DoNotOptimize(out.data());
  }
  count(state, n, dim);
}

void packed_single(benchmark::State& state) {
  gaussian_of_bytes<float>(state, mercer::TilePoints<float>::Storage::integer);
}
void unpacked_single(benchmark::State& state) {
  gaussian_of_bytes<float>(state, mercer::TilePoints<float>::Storage::dense);
}
void packed_double(benchmark::State& state) {
  gaussian_of_bytes<double>(state, mercer::TilePoints<double>::Storage::integer);
}

// Packing itself, from doubles: what a fit pays once per row.
void pack_rows(benchmark::State& state) {
  const mercer::Points rows = random_bytes(4096, state.range(0));
  mercer::Context context;
  context.budget.threads = 1;
  for (auto _ : state) benchmark::DoNotOptimize(mercer::IntegerRows::pack(rows, context));
  state.SetBytesProcessed(state.iterations() * rows.size() * 8);
}

void gaussian_single(benchmark::State& state) { tile<float>(state, "gaussian"); }
void gaussian_double(benchmark::State& state) { tile<double>(state, "gaussian"); }
void sigmoid_double(benchmark::State& state) { tile<double>(state, "sigmoid:scale=0.01"); }
void polynomial_double(benchmark::State& state) { tile<double>(state, "polynomial"); }

void laplacian_single(benchmark::State& state) { tile<float>(state, "laplacian"); }
void laplacian_double(benchmark::State& state) { tile<double>(state, "laplacian"); }
void chi_squared_double(benchmark::State& state) { tile<double>(state, "chi_squared"); }
void exponential_double(benchmark::State& state) { tile<double>(state, "exponential"); }

// Rows with 100 non-zeros among 10 000 columns, as text has them.
void sparse_gaussian(benchmark::State& state) {
  const Index n = mercer::kTileRows, dim = 10'000, count_per_row = state.range(0);
  const mercer::Random random(2);
  mercer::SparseRows made;
  for (Index i = 0; i < 2 * n; ++i) {
    Index column = 0;
    for (Index k = 0; k < count_per_row; ++k) {
      const auto draw = static_cast<std::uint64_t>(i * count_per_row + k);
      column += 1 + static_cast<Index>(random.below(
                        static_cast<std::uint64_t>(2 * dim / count_per_row - 2), draw));
      if (column >= dim) break;
      made.columns.push_back(static_cast<std::int32_t>(column));
      made.values.push_back(random.normal(draw));
    }
    made.starts.push_back(static_cast<Index>(made.columns.size()));
  }
  const mercer::Dataset rows(std::move(made), dim);
  const mercer::Context context;
  const mercer::Kernel kernel = mercer::Kernel("gaussian").resolve(rows, context);
  const mercer::Frame frame = mercer::make_frame(kernel, rows, true, context);
  const mercer::TilePoints<double> points(kernel, frame, rows, context);
  const mercer::TileKernel<double> tiles(kernel, frame);
  mercer::TileKernel<double>::Scratch scratch;
  Rows<double> out(n, n);
  for (auto _ : state) {
    tiles.fill(points, {0, n}, points, {n, 2 * n}, out.data(), n, scratch);
    benchmark::DoNotOptimize(out.data());
  }
  count(state, n, dim);
}

BENCHMARK(product<float>)->Name("product/float32")->Arg(784)->Arg(64)->Arg(16);
BENCHMARK(gaussian_single)->Name("gaussian_tile/float32")->Arg(784)->Arg(64)->Arg(16);
BENCHMARK(integer_distances<float>)->Name("integer_distances/float32")->Arg(784)->Arg(64)->Arg(16);
BENCHMARK(integer_distances<double>)->Name("integer_distances/float64")->Arg(784)->Arg(16);
BENCHMARK(packed_single)->Name("integer_gaussian_tile/float32")->Arg(784)->Arg(64)->Arg(16);
BENCHMARK(unpacked_single)->Name("unpacked_gaussian_tile/float32")->Arg(784)->Arg(64)->Arg(16);
BENCHMARK(packed_double)->Name("integer_gaussian_tile/float64")->Arg(784)->Arg(16);
BENCHMARK(pack_rows)->Name("pack_integer_rows/float64")->Arg(784)->UseRealTime();
BENCHMARK(product<double>)->Name("product/float64")->Arg(784)->Arg(64)->Arg(16);
BENCHMARK(gaussian_double)->Name("gaussian_tile/float64")->Arg(784)->Arg(64)->Arg(16);
BENCHMARK(sigmoid_double)->Name("sigmoid_tile/float64")->Arg(64);
BENCHMARK(polynomial_double)->Name("polynomial_tile/float64")->Arg(64);
BENCHMARK(laplacian_single)->Name("laplacian_tile/float32")->Arg(784)->Arg(64)->Arg(16);
BENCHMARK(laplacian_double)->Name("laplacian_tile/float64")->Arg(784)->Arg(64)->Arg(16);
BENCHMARK(chi_squared_double)->Name("chi_squared_tile/float64")->Arg(64);
BENCHMARK(exponential_double)->Name("exponential_tile/float64")->Arg(64);
BENCHMARK(sparse_gaussian)->Name("sparse_gaussian_tile/float64")->Arg(100)->Arg(1000);

}  // namespace
