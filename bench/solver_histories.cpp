// Every solver and variant of the catalogue on the same spectra: residuals against columns
// multiplied, what the proof adds and what it finds, what a matrix nearby saves, what orthogonality
// costs, and the ghosts that come without it. Prints CSV in parts, each after a line "# name".
// Matrices and random columns are functions of fixed seeds and there is one thread: two runs print
// the same.
//
// usage: solver_histories > FILE      bench/draw_histories.py draws it
#include "mercer/data/generator.h"
#include "mercer/kernels/kernel.h"
#include "mercer/operators/pivoted_cholesky.h"
#include "mercer/solvers/krylov_basis.h"
#include "mercer/solvers/lanczos_process.h"
#include "mercer/solvers/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace mercer;

constexpr Index kRows = 600;
constexpr Index kCount = 6;
constexpr double kTolerance = 1e-10;
constexpr Index kGhostSteps = 120;  // of Lanczos without restart
constexpr Index kGhostValues = 10;  // Ritz values shown after each of them
constexpr double kCopy = 1e-8;      // Ritz values this near to an eigenvalue are copies of it
constexpr double kLooser = 1e-7;    // tolerance that is reached before all copies are found
constexpr Index kLandmarks = 48;    // of the matrix nearby

// A matrix as an operator that keeps count of the columns it was multiplied by.
class Counted final : public SymmetricOperator {
 public:
  explicit Counted(const Block& matrix) : matrix_(matrix) {}
  Index size() const override { return matrix_.rows(); }
  Vector diagonal(const Context& /*context*/) const override { return matrix_.diagonal(); }
  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context&) const override {
    y.noalias() = matrix_ * x;
    columns_after.push_back((columns_after.empty() ? 0 : columns_after.back()) + x.cols());
    if (sums == nullptr) return;
    sums->row_sums = matrix_.rowwise().sum();
    sums->trace = matrix_.trace();
    sums->frobenius_squared = matrix_.squaredNorm();
    sums->frobenius_error = 0x1p-50;
  }
  void form(BlockRef out, const Context&) const override { out = matrix_; }
  bool columns(std::span<const Index> which, BlockRef out, const Context&) const override {
    for (std::size_t j = 0; j < which.size(); ++j)
      out.col(static_cast<Index>(j)) = matrix_.col(which[j]);
    return true;
  }
  /// The pass after which so many columns had been multiplied.
  Index pass_of(Index columns) const {
    return std::ranges::upper_bound(columns_after, columns) - columns_after.begin();
  }
  mutable std::vector<Index> columns_after;  // each pass

 private:
  const Block& matrix_;
};

struct Spectrum {
  std::string name;
  Block matrix;
};

Context one_thread() {
  Context context;
  context.budget.threads = 1;
  return context;
}

// The Gaussian kernel matrix of the S-curve, rows and columns centred.
Block s_curve_kernel(const char* spec) {
  const Points points = generate("s_curve", {.n = kRows, .seed = 1}).view().to_points();
  const Kernel kernel = Kernel(spec).resolve(points, one_thread());
  const auto row = [&](Index i) {
    return std::span<const double>(points.row(i).data(), static_cast<std::size_t>(points.cols()));
  };
  Block k(kRows, kRows);
  for (Index i = 0; i < kRows; ++i)
    for (Index j = 0; j <= i; ++j) k(i, j) = k(j, i) = kernel(row(i), row(j));
  const Vector means = k.rowwise().mean();
  const double all = means.mean();
  k.rowwise() -= means.transpose();
  k.colwise() -= means;
  k.array() += all;
  return 0.5 * (k + k.transpose());
}

// P D P with the reflection P = I - 2 e e'/n. Random starting columns look alike in any basis, so
// this is as good as any matrix with these eigenvalues.
Block with_spectrum(const Vector& values) {
  const auto n = static_cast<double>(values.size());
  Block a = values.asDiagonal();
  const Vector twice = values * (2 / n);
  a.colwise() -= twice;
  a.rowwise() -= twice.transpose();
  a.array() += 4 * values.sum() / (n * n);
  return a;
}

Vector slow_values() {
  Vector values(kRows);
  for (Index i = 0; i < kRows; ++i) values[i] = 1 / (1 + static_cast<double>(i));
  return values;
}

// One triple value, three that differ by 1e-6, a gap, and a tail.
Vector clustered_values() {
  Vector values(kRows);
  values.head(6) << 1, 1, 1, 0.8, 0.8 - 1e-6, 0.8 - 2e-6;
  for (Index i = 6; i < kRows; ++i) values[i] = 0.5 * std::pow(0.98, static_cast<double>(i - 6));
  return values;
}

EigenRequest request_for(std::string_view variant) {
  EigenRequest request;
  request.count = kCount;
  request.tolerance = kTolerance;
  request.search.variant = variant;
  request.matrix.positive = true;
  request.search.seed = 1;
  return request;
}

std::vector<std::string_view> variants_of(const SolverRecipe& recipe) {
  if (recipe.variants.empty()) return {""};
  return {recipe.variants.begin(), recipe.variants.end()};
}

// Calls use(recipe, variant) for the whole catalogue.
template <class Use>
void for_each_solver(const Use& use) {
  for (const SolverRecipe* recipe : solver_recipes())
    for (const std::string_view variant : variants_of(*recipe)) use(*recipe, variant);
}

// The iteration alone: columns of the proof would draw a step at the end of every line.
void print_histories(const std::vector<Spectrum>& spectra) {
  fmt::print("# histories\nspectrum,solver,variant,pass,columns,residual\n");
  for (const Spectrum& spectrum : spectra)
    for_each_solver([&](const SolverRecipe& recipe, std::string_view variant) {
      const Counted a(spectrum.matrix);
      EigenRequest request = request_for(variant);
      request.certify = Certify::none;
      for (const PassPoint& point : recipe.run(a, request, one_thread()).history)
        fmt::print("{},{},{},{},{},{:.3e}\n", spectrum.name, recipe.name, variant,
                   a.pass_of(point.columns), point.columns, point.residual);
    });
}

Index copies_of_first(const Vector& values) {
  return ((values.array() - values[0]).abs() <= kCopy * values[0]).count();
}

// Residual |A u - mu u| of the worst pair, relative to the largest value, measured here.
double true_residual(const Block& matrix, const EigenResult& result) {
  const Block r = matrix * result.vectors - result.vectors * result.values.asDiagonal();
  return r.colwise().norm().maxCoeff() / result.values.cwiseAbs().maxCoeff();
}

// Largest difference from the values of the dense solver, relative to the largest; infinite where
// some are missing.
double value_error(const Block& matrix, const EigenResult& result) {
  const EigenResult all =
      solver_recipe("dense").run(Counted(matrix), request_for(""), one_thread());
  if (result.values.size() != all.values.size()) return std::numeric_limits<double>::infinity();
  return (result.values - all.values).cwiseAbs().maxCoeff() / all.values[0];
}

// Passes and columns of the iteration, and those that the proof adds.
void print_line(const std::string& name, const SolverRecipe& recipe, EigenRequest request,
                const Block& matrix) {
  const Counted iteration(matrix), proven(matrix);
  const EigenResult result = recipe.run(proven, request, one_thread());
  request.certify = Certify::none;
  const EigenResult alone = recipe.run(iteration, request, one_thread());
  fmt::print("{},{},{},{},{},{},{},{},{},{:.1e},{:.1e}\n", name, recipe.name,
             request.search.variant, alone.applications, alone.columns,
             result.applications - alone.applications, result.columns - alone.columns,
             result.converged ? 1 : 0, result.certificate.complete || recipe.whole_spectrum ? 1 : 0,
             true_residual(matrix, result), value_error(matrix, result));
}

void print_heading(std::string_view part) {
  fmt::print(
      "# {}\nspectrum,solver,variant,passes,columns,proof_passes,proof_columns,converged,"
      "complete,residual,value_error\n",
      part);
}

void print_summary(const std::vector<Spectrum>& spectra) {
  print_heading("summary");
  for (const Spectrum& spectrum : spectra)
    for_each_solver([&](const SolverRecipe& recipe, std::string_view variant) {
      print_line(spectrum.name, recipe, request_for(variant), spectrum.matrix);
    });
}

// Where passes are expensive: a narrow kernel, with and without a low-rank matrix nearby.
void print_near() {
  print_heading("near");
  const Block matrix = s_curve_kernel("gaussian:sigma=0.4");
  const Context context = one_thread();
  PivotedCholesky cholesky = pivoted_cholesky(Counted(matrix), kLandmarks, 0x1p-53, 1, context);
  const LowRank near = leading_pairs(
      std::move(cholesky.factor), kLandmarks, [](BlockRef) {}, context);
  for (const bool helped : {false, true})
    for (const char* choice : {"block_krylov", "lobpcg:preconditioned", "lobpcg:plain"}) {
      const SolverChoice solver = solver_choice(choice);
      EigenRequest request = request_for(solver.variant);
      request.matrix.costly_passes = true;
      request.search.near = helped ? &near : nullptr;
      print_line(helped ? "near" : "alone", solver.recipe, request, matrix);
    }
}

// A looser tolerance, reached before every copy of the triple value has come: what the answer is
// without the proof, and with it.
void print_missed(const Block& matrix) {
  fmt::print("# missed\nvariant,proof,passes,columns,residual,copies,value_error\n");
  for (const std::string_view variant : solver_recipe("lanczos").variants)
    for (const bool proof : {false, true}) {
      EigenRequest request = request_for(variant);
      request.tolerance = kLooser;
      request.certify = proof ? Certify::automatic : Certify::none;
      const EigenResult result =
          solver_recipe("lanczos").run(Counted(matrix), request, one_thread());
      fmt::print("{},{},{},{},{:.1e},{},{:.1e}\n", variant, proof ? 1 : 0, result.applications,
                 result.columns, true_residual(matrix, result), copies_of_first(result.values),
                 value_error(matrix, result));
    }
}

constexpr const char* kKinds[] = {"full", "partial", "selective", "none"};

// Steps of one sequence, without restart; after each, use(process).
template <class Use>
void run_steps(const Block& matrix, const char* kind, const Use& use) {
  const Context context = one_thread();
  const EigenRequest request = request_for(kind);
  const Counted a(matrix);
  Passes passes(a, request, kGhostSteps, context);
  LanczosProcess process(gaussian_block(kRows, 1, request.search.seed, 1, context), kGhostSteps,
                         parse_reorthogonalise(kind), request, context);
  while (!process.full() && !process.exhausted() && process.step(passes)) use(process);
}

void print_ghosts(const Block& matrix) {
  fmt::print("# ghosts\nvariant,step,place,value\n");
  for (const char* kind : {"full", "none"})
    run_steps(matrix, kind, [&](LanczosProcess& process) {
      const Vector& values = process.pairs().values;
      for (Index i = 0; i < std::min(kGhostValues, values.size()); ++i)
        fmt::print("{},{},{},{:.9f}\n", kind, process.size(), i + 1, values[i]);
    });
}

// What the same steps cost with each kind of reorthogonalisation, and what they kept.
void print_orthogonality(const std::vector<Spectrum>& spectra) {
  fmt::print("# orthogonality\nspectrum,variant,step,inner_products,updates,departure,copies\n");
  for (const Spectrum& spectrum : spectra)
    for (const char* kind : kKinds)
      run_steps(spectrum.matrix, kind, [&](LanczosProcess& process) {
        if (process.size() % 30 != 0) return;
        const Block v = process.vectors();
        const Block gram = v.transpose() * v - Block::Identity(v.cols(), v.cols());
        fmt::print("{},{},{},{},{},{:.1e},{}\n", spectrum.name, kind, process.size(),
                   process.work().inner_products, process.work().updates,
                   gram.cwiseAbs().maxCoeff(), copies_of_first(process.pairs().values));
      });
}

}  // namespace

int main() {
  try {
    std::vector<Spectrum> spectra;
    spectra.push_back({"gaussian", s_curve_kernel("gaussian")});
    spectra.push_back({"slow", with_spectrum(slow_values())});
    spectra.push_back({"clustered", with_spectrum(clustered_values())});
    print_histories(spectra);
    print_summary(spectra);
    print_near();
    print_missed(spectra[2].matrix);
    print_ghosts(spectra[1].matrix);
    print_orthogonality(spectra);
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "solver_histories: {}\n", error.what());
    return 1;
  }
}
