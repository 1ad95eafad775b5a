#include "mercer/models/kind/mds.h"

#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/core/parallel.h"
#include "mercer/core/text.h"
#include "mercer/core/untimed.h"
#include "mercer/linalg/blas.h"
#include "mercer/models/detail/additive_constant.h"
#include "mercer/models/detail/given_distances.h"
#include "mercer/models/detail/trosset_priebe.h"
#include "mercer/models/kind/kernel_pca.h"
#include "mercer/models/kind/pca.h"
#include "mercer/operators/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

// Residual of the constant's eigenvector beyond which its search did not end well.
constexpr double kConstantResidual = 1e-7;

PcaOptions of_table(const MdsOptions& options) {
  return {.components = options.components,
          .tolerance = options.tolerance,
          .certify = options.certify,
          .seed = options.seed};
}

KernelPcaOptions of_pairs(const MdsOptions& options) {
  return {.components = options.components,
          .tolerance = options.tolerance,
          .as = options.as,
          .certify = options.certify,
          .seed = options.seed};
}

// What kernel PCA refuses in words of kernels and policies, in words of distances where these were
// given.
template <class Work>
auto in_terms_of(Given given, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (!holds_distances(given)) throw;
    if (error.code() == ErrorCode::no_positive_eigenvalue)
      throw Error(
          error.code(), "the distances have no direction of positive variance: nothing to find",
          "check that not all samples are at one place, and that the entries are distances");
    if (error.code() == ErrorCode::share_out_of_reach)
      throw Error(error.code(), error.message(),
                  "ask for a smaller share, for a count, or add --additive cailliez");
    throw;
  }
}

// What share of all magnitudes, and of the positive eigenvalues, the kept ones are. Not known where
// a search left some out that may be negative.
void add_fit(bool positive, Report& report) {
  const Spectrum& spectrum = *report.spectrum;
  const double kept = spectrum.eigenvalues.sum();
  double magnitudes = kNotKnown, positives = kNotKnown;
  if (positive) {
    magnitudes = positives = std::max(spectrum.trace, kept);
  } else if (spectrum.total > 0) {
    const double negative = std::isfinite(spectrum.negative_share) ? spectrum.negative_share : 0;
    magnitudes = spectrum.total;
    positives = spectrum.total * (1 - negative);
  }
  report.figures.push_back({"goodness_of_fit", Value(kept / magnitudes)});
  report.figures.push_back({"goodness_of_fit_positive", Value(kept / positives)});
}

}  // namespace

void MdsOptions::check(const Value&) const {
  check_tolerance(tolerance);
  components.refuse_automatic("mds");
  if (as != Given::table && scale != Scaling::none)
    throw Error(ErrorCode::bad_option_value, "a kernel or distance matrix has no columns to scale",
                "drop --scale");
  if (as == Given::kernel && out_of_sample == OutOfSample::trosset_priebe)
    throw Error(ErrorCode::bad_option_value,
                "kernel values of a new row do not say how long it is, which Trosset and Priebe's "
                "formula needs",
                "give distances (--as distance), or use --out-of-sample gower");
  if (additive != Additive::none && !holds_distances(as))
    throw Error(ErrorCode::bad_option_value,
                as == Given::table ? "distances between the rows of a table are Euclidean already"
                                   : "a constant is added to distances, not to kernel values",
                "drop --additive, or give distances: --as distance");
}

Plan Mds::plan_for(const Prepared& prepared, const MdsOptions& options, const Context& context) {
  if (options.as == Given::table) return Pca::plan_for(prepared, of_table(options), context);
  return KernelPca::plan_for(prepared, of_pairs(options), context);
}

Mds Mds::train(const Prepared& prepared, const MdsOptions& options, const Plan& plan,
               const Context& context) {
  Mds model;
  model.way_ = options.out_of_sample;
  if (options.as == Given::table)
    model.learn_table(prepared, options, plan, context);
  else
    in_terms_of(options.as, [&] { model.learn_pairs(prepared, options, plan, context); });
  if (options.additive != Additive::none)
    model.report.figures.insert(model.report.figures.begin(),
                                {"additive_constant", Value(model.added_)});
  return model;
}

void Mds::learn_table(const Prepared& prepared, const MdsOptions& asked, const Plan& plan,
                      const Context& context) {
  Pca pca = Pca::train(prepared, of_table(asked), plan, context);
  axes_ = pca.axes();
  mean_ = pca.mean();
  report = std::move(pca.report);
  // Signs are those that the same points get from their distances: by the scores, not the axes.
  const Context rest = untimed(context);
  Vector largest = Vector::Zero(axes_.cols());
  for (const Range part : tiles_of(prepared.rows.n(), 16 * kBlockRows)) {
    const Block scores = gower(prepared.rows.rows(part), rest);
    for (Index j = 0; j < scores.cols(); ++j) {
      Index at = 0;
      // Later rows must be larger by more than rounding to count as larger.
      if (scores.col(j).cwiseAbs().maxCoeff(&at) > std::abs(largest[j]) * (1 + 64 * 0x1p-53))
        largest[j] = scores(at, j);
    }
  }
  for (Index j = 0; j < axes_.cols(); ++j)
    if (largest[j] < 0) axes_.col(j) *= -1;
  add_fit(true, report);
}

void Mds::learn_pairs(const Prepared& prepared, const MdsOptions& asked, const Plan& plan,
                      const Context& context) {
  KernelPcaOptions pairs = of_pairs(asked);
  Prepared used = prepared;
  Plan ran = plan;
  Points distances, more;
  MemoryAccount::Hold held;
  Warnings warnings;
  squares_ = asked.as == Given::squared_distance;
  if (asked.additive == Additive::cailliez) {
    const auto n = static_cast<std::uint64_t>(prepared.rows.n());
    held = context.hold(2 * n * n * sizeof(double), "the distances with a constant added");
    distances = detail::symmetric_distances(prepared.rows, asked.as, context);
    const detail::AdditiveConstant found = detail::additive_constant(distances, context);
    added_ = found.value;
    if (found.residual > kConstantResidual)
      warnings.push_back({WarningCode::tolerance_not_reached,
                          fmt::format("the additive constant is known to a residual of {:.1g} only",
                                      found.residual)});
  }
  if (added_ > 0) {
    more = detail::raised(distances, added_, context);
    distances.resize(0, 0);
    used.rows = more;
    pairs.as = Given::distance;
    auto problem = std::make_shared<GramProblem>(*plan.problem);
    problem->points = more;
    problem->given = Given::distance;
    ran.problem = std::move(problem);
  }
  KernelPca fitted = KernelPca::train(used, pairs, ran, context);
  expansion_ = fitted.expansion();
  report = std::move(fitted.report);
  // The smallest eigenvalue is 0 now, and rounding makes it negative as often as not.
  if (added_ > 0)
    std::erase_if(report.warnings, [](const Warning& warning) {
      return warning.code == WarningCode::not_euclidean ||
             warning.code == WarningCode::negative_eigenvalues;
    });
  for (Warning& warning : report.warnings)
    if (warning.code == WarningCode::not_euclidean)
      warning.message += "; --additive cailliez adds the constant that makes them Euclidean";
  report.warnings.insert(report.warnings.end(), warnings.begin(), warnings.end());
  add_fit(added_ > 0, report);
}

namespace {

// W'(x - m) of some rows, a few at a time.
Block along_axes(DataView rows, const Block& axes, const Vector& mean, const Context& context) {
  constexpr Index kNumbers = Index{1} << 20;  // of a thread's copy
  const Index step = std::clamp<Index>(kNumbers / std::max<Index>(rows.dim(), 1), 8, kBlockRows);
  Block scores(rows.n(), axes.cols());
  const std::vector<Range> parts = tiles_of(rows.n(), step);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    Block transposed(rows.dim(), part.size());
    for (Index i = 0; i < part.size(); ++i) rows.copy_row(part.begin + i, transposed.col(i).data());
    transposed.colwise() -= mean;
    gemm(Transpose::yes, Transpose::no, 1.0, transposed, axes, 0.0,
         scores.middleRows(part.begin, part.size()));
  });
  return scores;
}

}  // namespace

Block Mds::gower(DataView rows, const Context& context) const {
  if (!needs_cross_matrix()) return along_axes(rows, axes_, mean_, context);
  return expansion_.values(rows, context);
}

// beta of each row: |x - m|^2 of a table's, mean(a) - mean(D2)/2 of distances, where mean(D2)/2 =
// trace(B)/n.
Vector Mds::squared_lengths(DataView rows) const {
  Vector beta(rows.n()), row(rows.dim());
  const double half = report.spectrum->trace / static_cast<double>(report.n);
  for (Index i = 0; i < rows.n(); ++i) {
    rows.copy_row(i, row.data());
    if (!needs_cross_matrix())
      beta[i] = (row - mean_).squaredNorm();
    else if (expansion_.given() == Given::squared_distance)
      beta[i] = row.mean() - half;
    else
      beta[i] = row.squaredNorm() / static_cast<double>(row.size()) - half;
  }
  return beta;
}

Block Mds::place(DataView rows, OutOfSample way, const Context& context) const {
  Points more;
  if (added_ > 0) {
    more = detail::raised_rows(rows, added_, squares_);
    rows = DataView(more);
  }
  Block scores = gower(rows, context);
  if (way == OutOfSample::gower) return scores;
  const Vector beta = squared_lengths(rows);
  const Vector& mu = report.spectrum->eigenvalues;
  parallel_for(context, scores.rows(), [&](Index i) {
    scores.row(i) = detail::least_strain(mu, scores.row(i).transpose(), beta[i]).transpose();
  });
  return scores;
}

// sqrt(mu) u, where the coefficients are u / sqrt(mu).
Block Mds::held_scores() const {
  return expansion_.coefficients() * report.spectrum->eigenvalues.asDiagonal();
}

void Mds::training_score_blocks(DataView rows, const Context& context, const TakeRows& take) const {
  if (needs_cross_matrix()) {
    // As held_scores(), a few rows at a time.
    const Block& coefficients = expansion_.coefficients();
    for (const Range part : tiles_of(coefficients.rows(), 16 * kBlockRows))
      take(Block(coefficients.middleRows(part.begin, part.size()) *
                 report.spectrum->eigenvalues.asDiagonal()));
    return;
  }
  if (way_ == OutOfSample::gower) return transform_blocks(rows, context, take);
  check_width(rows.dim());
  for (const Range part : tiles_of(rows.n(), kBlockRows)) {
    const DataView block = rows.rows(part);
    Points scaled;
    if (scaler.active()) scaled = scaler.apply(block, context);
    take(gower(scaler.active() ? DataView(scaled) : block, context));
  }
}

Value Mds::kernel_description() const {
  if (!needs_cross_matrix()) return {};
  Value value = expansion_.description();
  if (added_ > 0)
    value["formula"] = fmt::format("-(d(x,y) + {})^2/2 of the given {}", brief(added_),
                                   squares_ ? "roots of squared distances" : "distances");
  return value;
}

void Mds::save(State& state) const {
  Value& scaling = state.values["scaling"];
  scaling["out_of_sample"] = Choice<OutOfSample>(way_).word();
  scaling["added"] = added_;
  scaling["squares"] = squares_;
  scaling["pairs"] = needs_cross_matrix();
  if (needs_cross_matrix()) return expansion_.save(state);
  state.add("axes", axes_);
  state.add("mean", mean_);
}

Mds Mds::from(State state) {
  Mds model;
  model.load_common(state);
  const Fields fields = Fields(state.values).object("scaling");
  const std::string& way = fields.text("out_of_sample");
  const auto word = std::ranges::find(kOutOfSampleWords, way);
  if (word == kOutOfSampleWords.end())
    fields.refuse("out_of_sample", fmt::format("\"{}\" is not known", printable(way)));
  model.way_ = static_cast<OutOfSample>(word - kOutOfSampleWords.begin());
  model.added_ = fields.number("added", 0);
  model.squares_ = fields.flag("squares");
  const Index n = model.report.n, dim = model.report.dim;
  const Vector& mu = model.loaded_spectrum(state).eigenvalues;
  if (!(mu.array() > 0).all())
    Fields(state.values).refuse("eigenvalues", "those of a configuration are positive");
  if (fields.flag("pairs")) {
    model.expansion_ = KernelExpansion::load(state, n, dim, mu.size(), true);
    const Given given = model.expansion_.given();
    if (given == Given::table) fields.refuse("pairs", "the sums go over rows of a table");
    if (model.added_ > 0 && given != Given::distance)
      fields.refuse("added", "a constant is added to distances");
    if (given == Given::kernel && model.way_ == OutOfSample::trosset_priebe)
      fields.refuse("out_of_sample", "kernel values do not say how long a row is");
    return model;
  }
  if (model.added_ > 0) fields.refuse("added", "a constant is added to distances");
  model.axes_ = state.array("axes").as_points();
  model.mean_ = state.array("mean").as_vector();
  require(model.axes_.rows() == dim && model.axes_.cols() == mu.size() && model.axes_.allFinite(),
          ErrorCode::bad_model_content,
          "array \"axes\" is not one finite number for each column and component");
  require(model.mean_.size() == dim && model.mean_.allFinite(), ErrorCode::bad_model_content,
          "array \"mean\" is not one finite number for each column");
  return model;
}

const ModelKind& mds_kind() {
  static const ModelKind kind = kind_of<Mds>();
  return kind;
}

}  // namespace mercer
