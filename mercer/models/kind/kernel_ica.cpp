#include "mercer/models/kind/kernel_ica.h"

#include "mercer/core/check.h"
#include "mercer/core/parallel.h"
#include "mercer/core/text.h"
#include "mercer/core/untimed.h"
#include "mercer/models/amari.h"
#include "mercer/models/detail/ica/shape.h"
#include "mercer/models/detail/ica/sources.h"
#include "mercer/models/detail/kica/search.h"
#include "mercer/models/detail/row_map.h"
#include "mercer/models/kind/pca.h"
#include "mercer/solvers/signs.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace mercer {
namespace {

// Each contrast costs the cube of some dozen landmarks of all sources together.
constexpr Index kMostSources = 50;
// Narrower kernels see single rows; with wider ones sources look alike.
constexpr double kLeastSigma = 0.05, kMostSigma = 10;
constexpr double kLeastKappa = 1e-6, kMostKappa = 1;
// Bach and Jordan's, for few rows and for many; their kappa is written as it stands in the paper,
// twice what their program is given.
constexpr Index kFewRows = 1000;
constexpr double kFewSigma = 1, kManySigma = 0.5, kFewKappa = 2e-2, kManyKappa = 2e-3;

PcaOptions whitening_of(const KernelIcaOptions& options) {
  return {.components = options.components,
          .tolerance = detail::kWhiteningTolerance,
          .whiten = Whitening::pca,
          .seed = options.seed};
}

// "1,2;3,4"; a separator at the end is not missed.
Block truth_of(const std::string& text) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--truth {}: {}", printable(text.substr(0, 60)), what),
                "numbers with commas between them, rows with semicolons: --truth \"1,2;3,4\"");
  };
  std::vector<std::vector<double>> rows;
  for (const std::string& line : split(text, ';')) {
    if (trim(line).empty()) continue;
    rows.emplace_back();
    for (const std::string& word : split(line, ',')) {
      const auto number = parse_number(trim(word));
      if (!number || !std::isfinite(*number))
        refuse(fmt::format("\"{}\" is not a finite number", printable(word)));
      rows.back().push_back(*number);
    }
    if (rows.back().size() != rows.front().size())
      refuse(fmt::format("row {} has {} numbers, the first has {}", rows.size(), rows.back().size(),
                         rows.front().size()));
  }
  if (rows.empty()) refuse("there is no number");
  Block matrix(static_cast<Index>(rows.size()), static_cast<Index>(rows.front().size()));
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j)
      matrix(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return matrix;
}

Block checked_truth(const KernelIcaOptions& options, Index dim) {
  if (options.truth.empty()) return {};
  Block truth = truth_of(options.truth);
  if (truth.rows() != dim)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--truth has {} rows, the table has {} columns", truth.rows(), dim),
                "a mixing matrix has one row for each column of the table");
  return truth;
}

// Before the search, which would be for nothing.
void check_sources(const Block& truth, Index k) {
  if (k > kMostSources)
    throw Error(
        ErrorCode::too_many_components,
        fmt::format("kernel_ica separates at most {} sources; these rows have {} axes",
                    kMostSources, k),
        fmt::format("ask for fewer, such as --components {}, or use --method ica", kMostSources));
  if (truth.size() > 0 && truth.cols() != k)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--truth has {} sources, {} are sought", truth.cols(), k),
                fmt::format("--components {}, where the rows have as many axes", truth.cols()));
}

detail::KicaPlan search_of(const KernelIcaOptions& options, Index n) {
  const bool few = n <= kFewRows;
  detail::KicaPlan plan;
  plan.kind = options.contrast == KernelIcaContrast::kcc ? detail::Dependence::kcc
                                                         : detail::Dependence::kgv;
  plan.sigma = options.sigma > 0 ? options.sigma : few ? kFewSigma : kManySigma;
  plan.kappa = options.kappa > 0 ? options.kappa : few ? kFewKappa : kManyKappa;
  plan.narrow = options.narrow;
  plan.restarts = options.restarts;
  plan.seed = static_cast<std::uint64_t>(options.seed);
  plan.stop = {options.iterations, options.tolerance.value()};
  return plan;
}

void warn_of_search(const detail::Unmixing& found, const KernelIcaOptions& options,
                    Report& report) {
  if (found.converged) return;
  report.converged = false;
  report.warnings.push_back(
      {found.late ? WarningCode::time_ran_out : WarningCode::tolerance_not_reached,
       fmt::format("{} after {} iterations: the last step turned a source by 1 - |cos| = {}, the "
                   "tolerance is {}",
                   found.late ? "stopped by the time limit" : "not converged", found.iterations,
                   brief(found.change, 2), brief(options.tolerance.value(), 2))});
}

void add_search_figures(const detail::KicaFound& found, const detail::KicaPlan& plan,
                        Report& report) {
  std::vector<Figure>& figures = report.figures;
  figures.push_back({"iterations", found.unmixing.iterations});
  figures.push_back({"contrast_start", found.contrast_start});
  figures.push_back({"contrast", found.unmixing.objective});
  figures.push_back({"start", found.start});
  figures.push_back({"sigma", plan.last_sigma()});
  figures.push_back({"kappa", plan.kappa});
  figures.push_back({"landmarks", found.landmarks});
}

}  // namespace

void KernelIcaOptions::check(const Value&) const {
  components.refuse_automatic("kernel_ica");
  check_tolerance(tolerance);
  if (tolerance.eigenvalues_only())
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("--tolerance {}: kernel_ica has no tolerance of eigenvalues", tolerance.text()),
        "such as --tolerance 1e-6");
  const auto within = [](const char* name, double value, double least, double most) {
    if (value == 0 || (value >= least && value <= most)) return;
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--{} {}: must be from {} to {}", name, brief(value, 6), least, most),
                fmt::format("leave --{} out for the default by the number of rows", name));
  };
  within("sigma", sigma, kLeastSigma, kMostSigma);
  within("kappa", kappa, kLeastKappa, kMostKappa);
  if (!truth.empty()) static_cast<void>(truth_of(truth));
}

Plan KernelIca::plan_for(const Prepared& prepared, const KernelIcaOptions& options,
                         const Context& context) {
  return Pca::plan_for(prepared, whitening_of(options), context);
}

KernelIca KernelIca::train(const Prepared& prepared, const KernelIcaOptions& options,
                           const Plan& plan, const Context& context) {
  const Block truth = checked_truth(options, prepared.rows.dim());
  Pca white = Pca::train(prepared, whitening_of(options), plan, context);
  const Index n = prepared.rows.n(), k = white.axes().cols();
  check_sources(truth, k);
  const MemoryAccount::Hold held =
      context.hold(static_cast<std::uint64_t>(8 * n * k), "the whitened rows");
  const Vector deviations =
      (white.report.spectrum->eigenvalues / static_cast<double>(n)).cwiseSqrt();
  const Block whitening = white.axes() * deviations.cwiseInverse().asDiagonal();
  const Context rest = untimed(context);  // there is an answer now, if not the best
  const Block z = detail::map_rows(prepared.rows, white.mean(), whitening, rest);
  const detail::KicaPlan search = search_of(options, n);
  const detail::KicaFound found = detail::kica_search(z, search, context);
  const std::vector<detail::SourceShape> unordered = detail::shapes_of(z, found.unmixing.w, rest);

  KernelIca model;
  Block w(k, k);
  std::vector<detail::SourceShape> shapes;
  for (const Index source : detail::by_negentropy(unordered)) {
    w.row(static_cast<Index>(shapes.size())) = found.unmixing.w.row(source);
    shapes.push_back(unordered[static_cast<std::size_t>(source)]);
  }
  model.mean_ = white.mean();
  const Block mixing = white.axes() * (deviations.asDiagonal() * w.transpose());
  model.mixing_ = mixing;
  fix_signs(model.mixing_);
  const Vector signs = mixing.cwiseProduct(model.mixing_).colwise().sum().cwiseSign();
  model.map_ = whitening * w.transpose() * signs.asDiagonal();
  for (Index i = 0; i < k; ++i) shapes[static_cast<std::size_t>(i)].skewness *= signs[i];

  model.report = std::move(white.report);
  add_search_figures(found, search, model.report);
  if (truth.size() > 0)
    model.report.figures.push_back(
        {"amari_index", amari_index(prepared.scaler.slopes(model.map_).transpose() * truth)});
  detail::add_source_figures(shapes, model.mixing_, model.report);
  detail::warn_of_axes(options.components, k, model.report);
  warn_of_search(found.unmixing, options, model.report);
  detail::warn_of_identity(shapes, model.report);
  return model;
}

Block KernelIca::project(DataView rows, const Context& context) const {
  return detail::map_rows(rows, mean_, map_, context);
}

Points KernelIca::lift_back(ConstBlockRef scores, const Context& context) const {
  return detail::map_back(scores, mean_, mixing_, context);
}

void KernelIca::save(State& state) const {
  state.add("mixing", mixing_);
  state.add("unmixing", map_);
  state.add("mean", mean_);
}

KernelIca KernelIca::from(State state) {
  KernelIca model;
  model.load_common(state);
  const Index dim = model.report.dim, k = model.loaded_spectrum(state).eigenvalues.size();
  model.mixing_ = state.array("mixing").as_points();
  model.map_ = state.array("unmixing").as_points();
  model.mean_ = state.vector("mean", dim);
  for (const Block* block : {&model.mixing_, &model.map_})
    require(block->rows() == dim && block->cols() == k && block->allFinite(),
            ErrorCode::bad_model_content,
            "arrays \"mixing\" and \"unmixing\" are not one finite number for each column and "
            "source");
  return model;
}

const ModelKind& kernel_ica_kind() {
  static const ModelKind kind = kind_of<KernelIca>();
  return kind;
}

}  // namespace mercer
