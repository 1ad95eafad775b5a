#include "mercer/models/kind/kernel_pca.h"

#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/core/parallel.h"
#include "mercer/core/untimed.h"
#include "mercer/data/summary.h"
#include "mercer/kernels/integer_rows.h"
#include "mercer/linalg/blas.h"
#include "mercer/models/detail/cross_products.h"
#include "mercer/models/detail/far_rows.h"
#include "mercer/models/detail/gram_fit.h"
#include "mercer/models/detail/indefinite.h"
#include "mercer/models/detail/leading.h"
#include "mercer/models/detail/plate_squares.h"
#include "mercer/models/detail/stored_points.h"
#include "mercer/operators/affine.h"
#include "mercer/operators/centered.h"
#include "mercer/operators/geometry.h"
#include "mercer/plan/planner.h"
#include "mercer/solvers/shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace mercer {
namespace {

using detail::Indefinite;

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

// Where the whole spectrum is not known, the lowest Ritz value may show that it has a negative
// part, but not how large a share; nor does one above 0 show that there is none.
void note_lowest(detail::GramFit& fit) {
  fit.report.negative_share = kNotKnown;
  const double lowest = fit.eigen.spectrum.lowest_value, largest = detail::largest_of(fit.eigen);
  const double noise = std::max(fit.rank_tolerance, fit.report.certificate.operator_error);
  if (!(lowest < -noise * largest)) return;
  fit.report.warnings.push_back(
      {WarningCode::negative_eigenvalues,
       fmt::format("eigenvalues down to {:.4g} or less are negative (largest {:.4g}); their share "
                   "is not known, since not all were computed",
                   lowest, fit.eigen.values[0])});
}

void note_negative(Indefinite policy, const Vector& all, Given given, FitReport& report) {
  if (!(report.negative_share > 0)) return;
  const double lowest = all[all.size() - 1];
  if (policy == Indefinite::error && report.negative_share > 1e-8)
    throw Error(
        ErrorCode::indefinite_kernel,
        fmt::format(
            "{:.2g} % of the spectrum is negative (smallest eigenvalue {:.4g}, largest {:.4g})",
            100 * report.negative_share, lowest, all[0]),
        "choose another kernel, or a policy: clip, flip, shift or krein");
  const bool distances = given == Given::distance || given == Given::squared_distance;
  report.warnings.push_back(
      {distances ? WarningCode::not_euclidean : WarningCode::negative_eigenvalues,
       fmt::format("{:.2g} % of the spectrum is negative (smallest eigenvalue {:.4g})",
                   100 * report.negative_share, lowest)});
}

// Negative eigenvalues by the policy: adjusts values, gives the sign of each component, reports.
// Where the kernel can have none there is nothing to do but for rounding.
Vector apply_policy(Indefinite policy, const GramProblem& problem, const Components& components,
                    detail::GramFit& fit) {
  FitReport& report = fit.report;
  const Vector& all = fit.eigen.spectrum.all_values;
  const bool known = fit.positive || all.size() > 0;
  if (!known)
    note_lowest(fit);
  else if (!fit.positive)
    report.negative_share = detail::negative_share(all, fit.rank_tolerance);
  // Negative ones that rounding may have made show nothing.
  if (report.negative_share > 0 &&
      !(-all.minCoeff() > report.certificate.operator_error * all.cwiseAbs().maxCoeff()))
    report.negative_share = kNotKnown;
  note_negative(policy, all, problem.given, report);
  detail::check_share(fit.eigen, components.share());

  // What centring removes keeps its eigenvalue 0.
  const Index removed = problem.affine ? fit.affine.q.cols() : problem.center ? 1 : 0;
  const Shares shares = shares_of(all, report.trace,
                                  {.rank_tolerance = fit.rank_tolerance,
                                   .positive = fit.positive,
                                   .raised = policy == Indefinite::shift,
                                   .fixed = removed});
  const Vector signs = fit.eigen.values.array().sign();
  if (shares.shift > 0) {
    fit.eigen.values.array() += shares.shift;
    report.certificate.eigenvalue_upper.array() += shares.shift;
    report.trace = shares.total;
  }
  if (policy == Indefinite::flip || policy == Indefinite::krein)
    fit.eigen.values = fit.eigen.values.cwiseAbs();
  report.eigenvalues = fit.eigen.values;
  const double total = fit.positive ? std::max(shares.total, fit.eigen.values.sum()) : shares.total;
  report.share_out(known ? total : kNotKnown);
  return signs;
}

// Conditionally positive definite kernels have no meaning uncentred.
void check_centring(const GramProblem& problem) {
  if (problem.center) return;
  const bool distances =
      problem.given == Given::distance || problem.given == Given::squared_distance;
  const Definite definite =
      problem.given == Given::table ? problem.kernel.definite() : Definite::always;
  if (!distances && definite != Definite::centred && definite != Definite::affine) return;
  throw Error(ErrorCode::needs_centring,
              distances ? "distances become a kernel by centring"
                        : fmt::format("{} is positive semidefinite after centring only",
                                      problem.kernel.formula()),
              "drop --no-center");
}

bool parse_affine(const std::string& nullspace) {
  static const std::array<std::string, 2> names = {"affine", "constant"};
  if (std::ranges::find(names, nullspace) == names.end())
    throw Error(ErrorCode::bad_option_value, fmt::format("unknown null space \"{}\"", nullspace),
                suggest(nullspace, names, "null spaces"));
  return nullspace == "affine";
}

// Whether tiles come from exact products of small whole numbers.
bool has_integer_tiles(const Kernel& kernel, bool center, DataView rows, const Context& context) {
  const bool products = !kernel.uses(Form::angle) && !kernel.uses(Form::differences) &&
                        !kernel.uses(Form::sums) && !(center && kernel.only<Linear>() != nullptr);
  return products && rows.dim() >= 4 && IntegerRows::can_pack(rows, context);
}

GramProblem problem_of(DataView rows, const Kernel& kernel, const KernelPcaOptions& options,
                       const Context& context) {
  GramProblem problem{rows, kernel, options.center, 0, options.tolerance.value()};
  problem.given = parse_given(options.as);
  problem.facts.found_width = problem.given == Given::table && !options.kernel.resolved();
  problem.facts.shared = options.owner != nullptr;
  const bool affine = parse_affine(options.nullspace);
  if (problem.given == Given::table)
    problem.affine = affine && kernel.definite() == Definite::affine;
  check_centring(problem);
  if (problem.affine)
    problem.facts.affine_basis =
        std::make_shared<const AffineBasis>(rows, power_of_two_scale(rows, context), context);
  if (problem.given == Given::table)
    problem.facts.integer_tiles = has_integer_tiles(kernel, options.center, rows, context);
  problem.both_ends =
      detail::order_of(detail::parse_indefinite(options.indefinite)) == Order::magnitude;
  detail::set_components(problem, options.components);
  return problem;
}

detail::GramAsk ask_of(const KernelPcaOptions& options) {
  const Indefinite policy = detail::parse_indefinite(options.indefinite);
  return {.order = detail::order_of(policy),
          .certify = parse_certify(options.certify),
          .eigenvalues_only = options.tolerance.eigenvalues_only(),
          .whole_spectrum = policy == Indefinite::shift || policy == Indefinite::error,
          .raised = policy == Indefinite::shift,
          .seed = static_cast<std::uint64_t>(options.seed)};
}

void warn_of_zero_rows(DataView rows, Warnings& warnings) {
  Index zeros = 0, first = 0;
  Vector row(rows.dim());
  for (Index i = 0; i < rows.n(); ++i) {
    if (rows.sparse() && rows.sparse_row(i).count > 0) continue;  // zeros are not stored
    rows.copy_row(i, row.data());
    if (!row.isZero(0)) continue;
    if (zeros++ == 0) first = i;
  }
  if (zeros > 0)
    warnings.push_back(
        {WarningCode::zero_rows,
         fmt::format("{} row{} zero and no direction (the first is row {}): {} kernel is 0", zeros,
                     zeros == 1 ? " is" : "s are", first + 1, zeros == 1 ? "its" : "their")});
}

// What a thin plate does beyond the plane of its rows, nobody can know.
void warn_of_dependent_columns(const GramProblem& problem, Warnings& warnings) {
  const std::vector<Index>& columns = problem.facts.affine_basis->dependent;
  // More columns than rows is another matter, and answered with an error.
  if (columns.empty() || problem.facts.affine_basis->q.cols() == problem.points.n()) return;
  constexpr std::size_t kNamed = 4;
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamed, columns.size()); ++i)
    names += fmt::format("{}{}", i == 0 ? "" : ", ", columns[i] + 1);
  const bool one = columns.size() == 1;
  warnings.push_back(
      {WarningCode::dependent_columns,
       fmt::format("{} of {} columns ({}{}) {} affine function{} of the others, to rounding",
                   columns.size(), problem.points.dim(), names,
                   columns.size() > kNamed ? ", ..." : "", one ? "is an" : "are", one ? "" : "s")});
}

// The mean of what the linear kernel makes of the training rows: A' X m / scale^2, with the rows X
// and their mean m in the frame's coordinates, where rounding leaves m a little beside 0.
Vector mean_projection(DataView rows, const Frame& frame, const Block& coefficients) {
  Vector row(rows.dim()), mean = Vector::Zero(rows.dim()), total = mean;
  const auto framed = [&](Index i) -> const Vector& {
    rows.copy_row(i, row.data());
    row *= frame.scale;
    if (frame.centre_products) row -= frame.centre;
    return row;
  };
  for (Index i = 0; i < rows.n(); ++i) mean += framed(i);
  mean /= static_cast<double>(rows.n());
  Vector products(rows.n());
  for (Index i = 0; i < rows.n(); ++i) products[i] = framed(i).dot(mean);
  return coefficients.transpose() * products / (frame.scale * frame.scale);
}

}  // namespace

// Sizes and the kind of kernel decide, and in few dimensions the width and the extent of the rows.
Plan KernelPca::plan(DataView rows, const KernelPcaOptions& options, const Context& context) {
  const bool looks = parse_given(options.as) == Given::table && !rows.sparse() &&
                     rows.dim() <= kFewColumns && rows.n() >= kManyRows;
  const Kernel kernel = looks ? options.kernel.resolve(rows, context) : options.kernel;
  GramProblem problem = problem_of(rows, kernel, options, context);
  problem.facts.geometry = geometry_of(problem, context);
  return make_plan(problem, context.planning(rows.bytes()), detail::demand_of(ask_of(options)));
}

KernelPca KernelPca::fit(DataView rows, const KernelPcaOptions& options, const Context& context) {
  require(rows.n() >= 2, ErrorCode::too_few_rows, "fitting needs at least 2 rows");
  require(rows.dim() >= 1, ErrorCode::nothing_numeric, "the rows have no columns");
  const Indefinite policy = detail::parse_indefinite(options.indefinite);
  const Given given = parse_given(options.as);
  Warnings warnings;
  if (given != Given::table) warnings = check_given(rows, given);
  const Kernel kernel = given == Given::table
                            ? options.kernel.resolve(rows, context, &warnings)  // median: a number
                            : Kernel("linear");  // stands for the kernel that nobody knows
  GramProblem problem = problem_of(rows, kernel, options, context);
  if (given == Given::table) {
    Frame frame = make_frame(kernel, rows, options.center, context);
    frame.less_squares = problem.affine;
    problem.facts.frame = std::make_shared<const Frame>(std::move(frame));
  }
  problem.facts.geometry = geometry_of(problem, context);
  if (given == Given::table && kernel.uses(Form::angle)) warn_of_zero_rows(rows, warnings);
  if (problem.affine) warn_of_dependent_columns(problem, warnings);
  detail::GramFit fit = detail::fit_gram(problem, options.components, ask_of(options), context);
  const Context rest = untimed(context);  // there is an answer now

  KernelPca model(kernel);
  model.centered_ = options.center;
  model.given_ = given;
  const Vector signs = apply_policy(policy, problem, options.components, fit);
  model.report = std::move(fit.report);
  model.report.warnings.insert(model.report.warnings.begin(), warnings.begin(), warnings.end());
  if (policy == Indefinite::krein) model.signature_ = signs;

  if (fit.scorer) {
    model.keep(std::move(*fit.scorer), rows, options.owner, fit.eigen);
    return model;
  }
  // a = sign u / sqrt|mu|: then K~ a = sqrt|mu| u, the training scores, whatever the sign of mu.
  const Vector roots = fit.eigen.values.cwiseSqrt();
  model.coefficients_ = fit.eigen.vectors * signs.cwiseQuotient(roots).asDiagonal();
  if (problem.affine)
    remove_span(fit.affine.q, model.coefficients_);
  else if (options.center)
    remove_means(model.coefficients_);  // 1'A = 0 to the last digit: new rows rely on it
  model.score_factor_ = fit.eigen.values.cwiseProduct(signs);
  if (given == Given::table) {
    model.points_ = detail::stored_points(rows, options.owner);
    model.frame_ = *problem.facts.frame;
  }
  model.bias_ = Vector::Zero(model.coefficients_.cols());
  // Linear operators centre their rows to the last digit, which the frame of new rows does not:
  // there the bias is measured, or data far from the origin would be off by the rounding of their
  // mean.
  const bool rows_are_centred = kernel.only<Linear>() != nullptr && given == Given::table;
  if (problem.affine)
    model.keep_affine(fit.affine, fit.affine_image, rows);
  else if (options.center && fit.means.size() > 0 && !rows_are_centred)
    model.bias_ = model.coefficients_.transpose() * fit.means;
  else if (options.center)
    model.bias_ = mean_projection(rows, model.frame_, model.coefficients_);
  return model;
}

// The affine function that the training rows' A'k_x follows: q (q' K A), for kernels with all of
// their squared distances.
void KernelPca::keep_affine(const AffineBasis& basis, const Block& image, DataView rows) {
  affine_ = AffineFunctions(basis, image.transpose() * coefficients_, frame_.centre);
  affine_.add(detail::constants_of_squares(kernel_, frame_, rows, coefficients_));
  frame_.less_squares = false;
}

Block KernelPca::project(DataView rows, const Context& context) const {
  return projection(&rows, context)(rows);
}

Model::Projection KernelPca::projection(const DataView* all, const Context& context) const {
  if (features_ != nullptr)
    return [this, &context](DataView rows) { return project_by_features(rows, context); };
  if (given_ != Given::table)
    return [this](DataView rows) {
      Block sums(rows.n(), coefficients_.cols());
      for (const Range part : tiles_of(rows.n(), kBlockRows))
        gemm(Transpose::no, Transpose::no, 1.0, cross_kernel(rows.rows(part), given_),
             coefficients_, 0.0, sums.middleRows(part.begin, part.size()));
      return centred(std::move(sums), rows);
    };
  // Exact products make double tiles nearly as cheap as float ones.
  // Sparse rows are not moved: far from the origin float tiles would keep no digit of distances.
  const bool exact = has_integer_tiles(kernel_, centered_, points_, context) ||
                     (points_.sparse() && frame_.direct_single);
  const bool single = report.plan.precision == Precision::single_ && !exact;
  const detail::CrossProducts products({kernel_, frame_, points_, coefficients_}, all,
                                       single ? Precision::single_ : Precision::double_, context);
  return [this, products, &context](DataView rows) {
    return centred(products.of(rows, context), rows);
  };
}

std::vector<Index> KernelPca::doubtful_rows(DataView rows, ConstBlockRef scores) const {
  if (given_ != Given::table || features_ != nullptr || coefficients_.size() == 0) return {};
  const auto n = static_cast<double>(report.n);
  return detail::far_rows({kernel_, frame_, coefficients_,
                           (report.eigenvalues.cwiseAbs() / n).cwiseSqrt(), report.plan.precision},
                          rows, scores);
}

Block KernelPca::centred(Block sums, DataView rows) const {
  sums.rowwise() -= bias_.transpose();
  if (!affine_.empty()) affine_.remove(rows, frame_.scale, frame_.centre, sums);
  return sums;
}

Value KernelPca::kernel() const {
  if (given_ == Given::table) return kernel_.describe();
  Value value;
  value["name"] = "precomputed";
  value["spec"] = "precomputed";
  value["formula"] = given_ == Given::kernel     ? "the given matrix"
                     : given_ == Given::distance ? "-d(x,y)^2/2 of the given distances"
                                                 : "-d/2 of the given squared distances";
  value["gamma"] = Value{};
  value["parameters"] = Value::object();
  return value;
}

namespace {

KernelPcaOptions own_options(const FitOptions& options) {
  return {options.kernel,     options.components, options.tolerance, options.center,
          options.indefinite, options.nullspace,  options.as,        options.certify,
          options.seed,       options.owner};
}

}  // namespace

const ModelKind& kernel_pca_kind() {
  static constexpr ModelKind kind{
      "kernel_pca",
      "principal components in the feature space of a kernel",
      true,
      [](DataView rows, const FitOptions& options,
         const Context& context) -> std::unique_ptr<Model> {
        return std::make_unique<KernelPca>(KernelPca::fit(rows, own_options(options), context));
      },
      [](DataView rows, const FitOptions& options, const Context& context) {
        return KernelPca::plan(rows, own_options(options), context);
      },
      [](State state) -> std::unique_ptr<Model> {
        return std::make_unique<KernelPca>(KernelPca::from(std::move(state)));
      }};
  return kind;
}

}  // namespace mercer
