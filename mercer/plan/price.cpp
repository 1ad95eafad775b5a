#include "mercer/plan/price.h"

#include "mercer/core/text.h"
#include "mercer/linalg/tall.h"
#include "mercer/operators/geometry.h"
#include "mercer/operators/row_sample.h"
#include "mercer/solvers/krylov_widths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {
namespace {

// Float tiles support residuals down to here; below, and where nothing may be left to chance, tiles
// are double.
constexpr double kSingleTolerance = 1e-7;
// Below this many rows float tiles save less than measuring their rounding costs.
constexpr Index kSingleRows = 3000;
// Seconds that no rate prices. What the smallest fit takes: threads, frames, reports.
constexpr double kStartSeconds = 0.005;
// Walks over the rows beside those of a search: moments, two for the residuals, the largest scores.
constexpr Index kWalksBeside = 4;
// Per pass of a search: small eigenproblems, waiting of threads for each other. Per number of the
// table, and per byte of whole numbers: frames, copies and checks.
constexpr double kPassSeconds = 0.003, kNumberSeconds = 50e-9, kByteSeconds = 10e-9;
// Looking at a sample; per row of an expansion: extents, scores, signs.
constexpr double kLookSeconds = 0.006, kExpandedRow = 400e-9;
// Landmarks at most, so that their memory grows with the rows alone; the second number where they
// also make passes narrow.
constexpr Index kMostLandmarks = 1000, kMostNarrow = 512;
// Where an entry costs less than so many columns of a product, columns are what is expensive.
constexpr double kCheapEntry = 50;
constexpr Index kNarrowColumns = 12;  // besides the wanted ones, where a search is narrowed
// Columns of a table up to which a kernel as wide as the data has few large eigenvalues, and
// landmarks that then suffice besides four per component.
constexpr Index kFewDimensions = 4, kFewLandmarks = 20;

// Operators with a larger error put an expansion in the place of the matrix.
constexpr double kExact = 0x1p-49;

struct Pairing {
  const OperatorRecipe& op;
  const SolverRecipe& solver;
  const GramProblem& problem;
  const EigenRequest& request;
  const Budget& budget;
  const Machine& machine;
};

// Vectors over the rows, which operators by axes do without.
bool keeps_rows(const Pairing& p) { return !p.problem.by_axes || p.op.streams == Streams::no; }

// Operators that have no float form claim the same error for both.
bool has_float_form(const Pairing& p) {
  const auto error = [&](Precision precision) {
    return p.op.cost(p.problem, p.machine, precision, 1).error;
  };
  return error(Precision::single_) > error(Precision::double_);
}

Precision precision_for(const Pairing& p) {
  // A matrix that is written out has float64 entries whatever is asked: a decomposition knows its
  // own rounding, not that of float tiles. So have operators that compute in double alone.
  if (p.solver.needs_matrix || p.problem.given != Given::table || !has_float_form(p))
    return Precision::double_;
  if (p.budget.precision != Precision::automatic) return p.budget.precision;
  if (p.problem.affine || p.request.certify == Certify::deterministic ||
      p.request.eigenvalues_only || p.problem.tolerance < kSingleTolerance ||
      p.problem.points.n() < kSingleRows)
    return Precision::double_;
  return Precision::single_;
}

// Data and what a fit holds at its fullest: the operator with the solver's blocks, or afterwards
// the model's copy of the data (a given matrix is not kept, and those of a data set are shared);
// and vectors, coefficients and scores.
std::uint64_t peak_bytes(const GramProblem& problem, double solving, bool keeps_rows) {
  const auto n = static_cast<double>(problem.points.n());
  const double data = problem.source != nullptr ? 0 : static_cast<double>(problem.points.bytes());
  const bool copied = problem.given == Given::table && !problem.facts.shared && !problem.by_axes;
  const double modelling = copied ? data : 0;
  // Means and sums of the columns as frame, operator and model have them, as counted for two rows
  // of nine million columns; principal axes are as long. Of sparse rows nothing is that long.
  const bool wide = problem.given == Given::table && !problem.points.sparse();
  const bool linear = wide && problem.kernel.only<Linear>() != nullptr;
  const auto components = static_cast<double>(problem.components);
  const bool dual = linear && static_cast<double>(problem.points.dim()) > n;
  const double axes = dual ? 6 : linear ? 1 : 0;  // on the way to one of them
  // The moments of sparse columns, and axes.
  const double vectors = problem.by_axes && problem.points.sparse()
                             ? 18 + 4 * std::min(components, n)
                             : (linear ? 6
                                : wide ? 4
                                       : 0) +
                                   axes * std::min(components, n);
  const double over_rows = keeps_rows ? 16 * n * components : 0;
  return static_cast<std::uint64_t>(data + std::max(solving, modelling) + over_rows +
                                    8 * vectors * static_cast<double>(problem.points.dim()));
}

SolverTask task_of(const Pairing& p, double entry_columns) {
  SolverTask task;
  task.size = p.op.size(p.problem);
  task.request = p.request;
  task.request.count = std::min(p.problem.components, task.size);
  task.request.tolerance = p.problem.tolerance;
  task.request.share = 0;  // all may be needed
  task.request.all = p.problem.open_count;
  task.request.matrix.costly_passes = entry_columns > 0;
  task.evaluation = entry_columns;
  const bool starts_nearby =
      p.problem.given == Given::table && p.problem.kernel.definite() == Definite::always;
  task.narrow = starts_nearby && entry_columns > 0 && entry_columns < kCheapEntry;
  // In few dimensions a kernel as wide as the data has a handful of large eigenvalues.
  const bool falls = p.problem.facts.geometry != nullptr ? p.problem.facts.geometry->sample.rank > 0
                                                         : p.problem.facts.found_width;
  task.decays = starts_nearby && p.problem.points.dim() <= kFewDimensions && falls;
  return task;
}

// Landmarks that cost about half a pass, or a whole one where they also make passes narrow; their
// number then has a limit, so that memory grows with the rows alone.
Index landmarks_for(const Pairing& p, const SolverTask& task, const Cost& pass) {
  if (!task.costly_passes() || p.problem.given != Given::table) return 0;
  if (p.problem.kernel.definite() != Definite::always) return 0;
  const auto n = static_cast<double>(task.size);
  const double balance =
      std::sqrt(pass.pass_seconds * p.machine.gemm_double / ((task.narrow ? 4 : 8) * n));
  const Index wanted =
      std::clamp(static_cast<Index>(balance), 4 * task.request.count,
                 std::max(4 * task.request.count, task.narrow ? kMostNarrow : kMostLandmarks));
  return std::min(task.decays ? std::min(wanted, 4 * task.request.count + kFewLandmarks) : wanted,
                  task.size / 4);
}

struct Widths {
  SearchSettings search;
  double bytes = 0;   // besides the operator, at most
  double likely = 0;  // the same where the landmarks show that fewer columns suffice
};

// Memory of a run with these widths. A pass holds its columns, their images, their centred copy and
// two packed ones.
Widths with_widths(const SolverTask& task, Index first, Index block, Index probes, bool ride,
                   Index landmarks, Index passes, Precision precision) {
  const auto n = static_cast<double>(task.size);
  const double packed = precision == Precision::single_ ? 8 : 16;
  const double nearby = landmarks > 0 ? std::min<double>(static_cast<double>(landmarks), 128) : 0;
  const auto searching = [&](double first_width, double widest, double probe_columns) {
    const double kept = first_width + static_cast<double>(passes * block);
    return n *
           (16 * kept + (32 + packed) * widest + 16 * probe_columns + 8 * nearby +
            32 * static_cast<double>(task.request.count));  // residuals, and the vectors given back
  };
  const Index held = task.decays ? 0 : probes;  // then the sum of squares is proof enough
  const auto widest = static_cast<double>(ride ? std::max(first, block) + held + 1
                                               : std::max({first, block, held}) + 1);
  const auto l = static_cast<double>(landmarks);
  const double starting =
      landmarks > 0
          ? 8 * n * (l + 128 + 16) + static_cast<double>(self_products_bytes(task.size, landmarks))
          : 0;
  const double sampled =
      precision == Precision::single_ ? RowSample::bytes(task.size, task.request.count) : 0;
  Widths widths;
  widths.search = {block, first,       probes,   first + (passes + 4) * block + probes,
                   ride,  task.narrow, landmarks};
  widths.bytes = std::max(
      searching(static_cast<double>(first), widest, static_cast<double>(held)) + sampled, starting);
  widths.likely = widths.bytes;
  if (landmarks == 0) return widths;
  // Most searches of many rows are narrowed, of few rows fewer.
  const auto narrow = static_cast<double>(std::min(first, task.request.count + kNarrowColumns));
  const double most = task.size >= kSingleRows ? (task.narrow ? 1 : 0.75) : (task.narrow ? 0.4 : 0);
  widths.likely = most * std::max(searching(narrow, narrow + 1, 0) + sampled, starting) +
                  (1 - most) * widths.bytes;
  return widths;
}

// The widest blocks that fit; the narrowest where none does.
Widths widths_for(const SolverTask& task, Index landmarks, Index passes, Precision precision,
                  double room) {
  const KrylovWidths best = krylov_widths(task);
  const Index k = task.request.count;
  const bool proves =
      task.request.certify != Certify::none && task.request.certify != Certify::deterministic;
  const auto make = [&](Index first, Index block, Index probes, bool ride, Index marks) {
    return with_widths(task, std::min(first, task.size), std::min(block, task.size),
                       proves ? std::min(probes, task.size) : 0, ride, marks, passes, precision);
  };
  const std::vector<Widths> choices = {
      make(best.first, best.block, best.probes, best.ride, landmarks),
      make(best.first, best.block, best.probes, best.ride,
           std::min(landmarks, std::max<Index>(4 * k, 200))),
      make(k + 8, std::min(best.block, k + 8), 32, best.ride, std::min(landmarks, 4 * k)),
      make(k + 4, std::max<Index>(4, std::min(best.block, k)), 16, false, 0)};
  for (const Widths& widths : choices)
    if (widths.bytes <= room) return widths;
  return choices.back();
}

// Solvers that choose by themselves; the proof that follows holds its probes and the answer.
Widths own_widths(const Pairing& p, const SolverTask& task, Index landmarks, Precision precision) {
  const auto n = static_cast<double>(task.size);
  const double proof =
      32 * n * static_cast<double>(krylov_widths(task).probes + task.request.count);
  const double nearby = 8 * n * std::min<double>(static_cast<double>(landmarks), 128);
  Widths widths;
  widths.search.landmarks = landmarks;
  widths.search.ride = true;
  widths.bytes =
      static_cast<double>(p.solver.cost(task, p.machine).bytes) + proof + nearby +
      (precision == Precision::single_ ? RowSample::bytes(task.size, task.request.count) : 0);
  widths.likely = widths.bytes;
  return widths;
}

std::string residual_text(const SolverTask& task) {
  return fmt::format("{} ≤ {}", task.request.eigenvalues_only ? "eigenvalues" : "residual",
                     brief(task.request.tolerance, 2));
}

void price_dense(const Pairing& p, const SolverTask& task, Candidate& candidate) {
  const Cost op = p.op.cost(p.problem, p.machine, candidate.precision, task.request.count);
  const Cost solver = p.solver.cost(task, p.machine);
  const auto threads = static_cast<double>(p.machine.threads);
  candidate.passes = static_cast<Index>(p.solver.schedule(task).size());
  candidate.bytes =
      peak_bytes(p.problem, static_cast<double>(op.bytes + solver.bytes), keeps_rows(p));
  candidate.likely_bytes = candidate.bytes;
  candidate.seconds =
      (op.setup_seconds + op.form_seconds + op.pass_seconds) / threads + solver.setup_seconds;
  candidate.error = p.solver.whole_spectrum ? "rounding" : residual_text(task);
}

void price_search(const Pairing& p, const SolverTask& task, Candidate& candidate) {
  const auto threads = static_cast<double>(p.machine.threads);
  const auto n = static_cast<double>(task.size);
  const std::vector<Index> schedule = p.solver.schedule(task);
  candidate.passes = static_cast<Index>(schedule.size());
  const Cost one = p.op.cost(p.problem, p.machine, candidate.precision, task.request.count);
  const auto matrix =
      static_cast<double>(p.op.cost(p.problem, p.machine, candidate.precision, 0).bytes);
  const auto rest = static_cast<double>(peak_bytes(p.problem, matrix, keeps_rows(p)));
  const Index landmarks = p.solver.uses_near ? landmarks_for(p, task, one) : 0;
  const Widths widths = p.solver.planned_widths
                            ? widths_for(task, landmarks, candidate.passes, candidate.precision,
                                         static_cast<double>(p.budget.room()) - rest)
                            : own_widths(p, task, landmarks, candidate.precision);
  candidate.search = widths.search;
  candidate.bytes = peak_bytes(p.problem, matrix + widths.bytes, keeps_rows(p));
  candidate.likely_bytes = peak_bytes(p.problem, matrix + widths.likely, keeps_rows(p));
  double work = one.setup_seconds;
  for (const Index columns : schedule)
    work += p.op.cost(p.problem, p.machine, candidate.precision, columns).pass_seconds;
  // A start from fewer landmarks, or from none, takes more passes.
  if (p.solver.planned_widths && task.costly_passes() &&
      widths.search.landmarks < 4 * task.request.count)
    work *= 2;
  const auto l = static_cast<double>(widths.search.landmarks);
  work += n * l * (3 * l + 256) / p.machine.gemm_double +
          n * l * 2 * one.entry_columns / p.machine.skinny_double;
  if (candidate.precision == Precision::single_)
    work += 200 * n * 2 * static_cast<double>(p.problem.points.dim()) * 1.5 / p.machine.gemm_double;
  candidate.seconds = work / threads + p.solver.cost(task, p.machine).setup_seconds +
                      4.0 / 3.0 * l * l * l / p.machine.tridiagonal +
                      kPassSeconds * static_cast<double>(candidate.passes);
  candidate.error = residual_text(task);
}

// What an expansion takes, and how exact it is: "6 859 modes, error ≤ 1e-08".
void describe_expansion(const Cost& cost, Candidate& candidate) {
  if (cost.terms == 0) return;
  const std::string count =
      fmt::format("{} {}", grouped(static_cast<Index>(cost.terms)), cost.terms_name);
  candidate.expands = cost.error > kExact;
  if (!candidate.expands)
    candidate.error += fmt::format(", {}", count);
  else
    candidate.error =
        fmt::format("{}{}, error ≤ {}", candidate.error == "rounding" ? "" : candidate.error + ", ",
                    count, brief(cost.error, 2));
}

// Finding a width from the data: distances of a million random pairs of rows at most.
double width_seconds(const GramProblem& problem) {
  if (problem.given != Given::table || !problem.facts.found_width) return 0;
  const auto n = static_cast<double>(problem.points.n());
  const double pairs = std::min(n * (n - 1) / 2, n <= 2000 ? 2e6 : 1e6);
  const double each = problem.points.type() == Scalar::u8 ? 0.15e-9 : 1.5e-9;
  // Random pairs cost more than neighbours: drawing them, and rows that are not in the cache.
  const double start = n <= 2000 ? 15e-9 : 90e-9;
  return pairs * (start + each * static_cast<double>(problem.points.dim()));
}

}  // namespace

Candidate price(const OperatorRecipe& op, const SolverRecipe& solver, const GramProblem& problem,
                const EigenRequest& request, const Budget& budget, const Machine& machine) {
  const Pairing p{op, solver, problem, request, budget, machine};
  Candidate candidate;
  candidate.operator_name = op.name;
  // The variant that was asked for goes with the name.
  const std::string_view asked = budget.solver_name;
  candidate.solver_name = asked.substr(0, asked.find(':')) == solver.name ? asked : solver.name;
  if (const auto reason = op.refuse(problem, budget)) {
    candidate.verdict = *reason;
    return candidate;
  }
  if (problem.source != nullptr && op.streams == Streams::no) {
    candidate.verdict = "the rows come in chunks";
    return candidate;
  }
  if (problem.by_axes && problem.points.sparse() && op.streams == Streams::no &&
      !op.takes_sparse_axes) {
    candidate.verdict = "sparse rows would have to be spread out";
    return candidate;
  }
  const double entry = op.cost(problem, machine, Precision::double_, 1).entry_columns;
  const SolverTask task = task_of(p, entry);
  if (const auto reason = solver.refuse(task)) {
    candidate.verdict = *reason;
    return candidate;
  }
  candidate.precision = precision_for(p);
  if (solver.needs_matrix)
    price_dense(p, task, candidate);
  else
    price_search(p, task, candidate);
  // Moments, then what the operator takes, and the largest scores.
  if (problem.source != nullptr)
    candidate.walks = op.streams == Streams::once ? 2 : candidate.passes + kWalksBeside;
  describe_expansion(op.cost(problem, machine, candidate.precision, 1), candidate);
  candidate.standing = Candidate::Standing::possible;
  const auto n = static_cast<double>(problem.points.n());
  const double shared = width_seconds(problem) +
                        (problem.points.type() == Scalar::u8 ? kByteSeconds : kNumberSeconds) *
                            static_cast<double>(problem.points.stored()) +
                        (candidate.expands ? kExpandedRow * n : 0);
  candidate.seconds += kStartSeconds + (problem.facts.geometry != nullptr ? kLookSeconds : 0) +
                       shared / static_cast<double>(machine.threads);
  if (candidate.bytes > budget.room())
    candidate.verdict = fmt::format("does not fit ({})", bytes(budget.room()));
  return candidate;
}

}  // namespace mercer
