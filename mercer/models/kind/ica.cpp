#include "mercer/models/kind/ica.h"

#include "mercer/core/check.h"
#include "mercer/core/parallel.h"
#include "mercer/core/text.h"
#include "mercer/core/untimed.h"
#include "mercer/models/detail/ica/fixed_point.h"
#include "mercer/models/detail/ica/likelihood.h"
#include "mercer/models/detail/ica/shape.h"
#include "mercer/models/detail/ica/sources.h"
#include "mercer/models/detail/row_map.h"
#include "mercer/models/kind/pca.h"
#include "mercer/solvers/signs.h"

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace mercer {
namespace {

PcaOptions whitening_of(const IcaOptions& options) {
  return {.components = options.components,
          .tolerance = detail::kWhiteningTolerance,
          .whiten = Whitening::pca,
          .seed = options.seed};
}

detail::Contrast contrast_of(const IcaOptions& options) {
  return static_cast<detail::Contrast>(static_cast<IcaContrast>(options.contrast));
}

detail::Approach approach_of(const IcaOptions& options) {
  return static_cast<detail::Approach>(static_cast<IcaApproach>(options.approach));
}

detail::Unmixing search(ConstBlockRef z, const IcaOptions& options, Index number,
                        const Context& context) {
  const detail::UnmixingStop stop{options.iterations, options.tolerance.value()};
  const Block start =
      detail::random_rotation(z.cols(), static_cast<std::uint64_t>(options.seed), number);
  if (options.algorithm == IcaAlgorithm::likelihood)
    return detail::likelihood_search(z, start, options.extended, stop, context);
  return detail::fixed_point(z, start, contrast_of(options), approach_of(options), stop, context);
}

// Of several starts the one whose objective is largest; one that converged before one that did not.
detail::Unmixing best_search(ConstBlockRef z, const IcaOptions& options, const Context& context) {
  detail::Unmixing best = search(z, options, 0, context);
  for (Index number = 1; number <= options.restarts && !best.late; ++number) {
    detail::Unmixing other = search(z, options, number, context);
    if (other.late) break;
    const bool better =
        other.converged == best.converged ? other.objective > best.objective : other.converged;
    if (better) best = std::move(other);
  }
  return best;
}

// W^-1 by the Cholesky factor of W W', which is well conditioned: W is a rotation, or nearly one
// with rows of other lengths.
Block inverse_of(const Block& w) {
  const Eigen::LLT<Block> root(w * w.transpose());
  return w.transpose() * root.solve(Block::Identity(w.rows(), w.rows()));
}

// ln of the density of the rows within the axes kept: that of the whitened rows, less the logarithm
// of what whitening does to volumes.
double log_likelihood_of(double each, const Vector& deviations, Index n) {
  return static_cast<double>(n) * (each - deviations.array().log().sum());
}

void warn_of_convergence(const detail::Unmixing& found, const IcaOptions& options, Report& report) {
  if (found.converged) return;
  report.converged = false;
  const char* what = options.algorithm == IcaAlgorithm::likelihood
                         ? "the largest entry of the gradient is"
                         : "directions still turned by 1 - |cos| =";
  report.warnings.push_back(
      {found.late ? WarningCode::time_ran_out : WarningCode::tolerance_not_reached,
       fmt::format("{} after {} iterations: {} {}, the tolerance is {}",
                   found.late ? "stopped by the time limit" : "not converged", found.iterations,
                   what, brief(found.change, 2), brief(options.tolerance.value(), 2))});
}

}  // namespace

void IcaOptions::check(const Value& given) const {
  components.refuse_automatic("ica");
  check_tolerance(tolerance);
  if (tolerance.eigenvalues_only())
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("--tolerance {}: ica has no tolerance of eigenvalues", tolerance.text()),
        "such as --tolerance 1e-6");
  const bool likely = algorithm == IcaAlgorithm::likelihood;
  for (const char* option : {"contrast", "approach"})
    if (likely && !given[option].is_null())
      throw Error(ErrorCode::bad_option_value,
                  fmt::format("--{} belongs to fastica: the likelihood has its own", option),
                  fmt::format("drop --{}, or --algorithm likelihood", option));
  if (!likely && !extended)
    throw Error(ErrorCode::bad_option_value, "--no-extended belongs to --algorithm likelihood",
                "drop it, or add --algorithm likelihood");
}

Plan Ica::plan_for(const Prepared& prepared, const IcaOptions& options, const Context& context) {
  return Pca::plan_for(prepared, whitening_of(options), context);
}

Ica Ica::train(const Prepared& prepared, const IcaOptions& options, const Plan& plan,
               const Context& context) {
  Pca white = Pca::axes_for(prepared, whitening_of(options), plan, context);
  const Index n = prepared.rows.n(), k = white.axes().cols();
  const MemoryAccount::Hold held =
      context.hold(static_cast<std::uint64_t>(12 * n * k) +  // in double and in float
                       detail::pass_bytes(n, k, thread_count(context.budget)),
                   "the whitened rows");
  const Vector deviations =
      (white.report.spectrum->eigenvalues / static_cast<double>(n)).cwiseSqrt();
  const Block whitening = white.axes() * deviations.cwiseInverse().asDiagonal();
  const Context rest = untimed(context);  // there is an answer now, if not the best
  const Block z = detail::map_rows(prepared.rows, white.mean(), whitening, rest);
  detail::Unmixing found = best_search(z, options, context);
  const std::vector<detail::SourceShape> unordered = detail::shapes_of(z, found.w, rest);

  Ica model;
  Block w(k, k);
  std::vector<detail::SourceShape> shapes;
  std::vector<double> flat;
  for (const Index source : detail::by_negentropy(unordered)) {
    const auto at = static_cast<std::size_t>(source);
    w.row(static_cast<Index>(shapes.size())) = found.w.row(source);
    shapes.push_back(unordered[at]);
    if (!found.flat.empty()) flat.push_back(found.flat[at] ? 1 : 0);
  }
  model.mean_ = white.mean();
  const Block mixing = white.axes() * (deviations.asDiagonal() * inverse_of(w));
  model.mixing_ = mixing;
  fix_signs(model.mixing_);
  const Vector signs = mixing.cwiseProduct(model.mixing_).colwise().sum().cwiseSign();
  model.map_ = whitening * w.transpose() * signs.asDiagonal();
  for (Index i = 0; i < k; ++i) shapes[static_cast<std::size_t>(i)].skewness *= signs[i];

  model.report = std::move(white.report);
  std::vector<Figure>& figures = model.report.figures;
  figures.push_back({"iterations", found.iterations});
  if (flat.empty())
    figures.push_back({"objective", found.objective});
  else
    figures.push_back({"log_likelihood", log_likelihood_of(found.objective, deviations, n)});
  detail::add_source_figures(shapes, model.mixing_, model.report);
  if (!flat.empty()) figures.push_back({"source_flat", Value::of(flat), true});
  detail::warn_of_axes(options.components, k, model.report);
  warn_of_convergence(found, options, model.report);
  detail::warn_of_identity(shapes, model.report);
  return model;
}

Block Ica::project(DataView rows, const Context& context) const {
  return detail::map_rows(rows, mean_, map_, context);
}

Points Ica::lift_back(ConstBlockRef scores, const Context& context) const {
  return detail::map_back(scores, mean_, mixing_, context);
}

void Ica::save(State& state) const {
  state.add("mixing", mixing_);
  state.add("unmixing", map_);
  state.add("mean", mean_);
}

Ica Ica::from(State state) {
  Ica model;
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

const ModelKind& ica_kind() {
  static const ModelKind kind = kind_of<Ica>();
  return kind;
}

}  // namespace mercer
