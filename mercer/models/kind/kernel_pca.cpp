#include "mercer/models/kind/kernel_pca.h"

#include "mercer/core/check.h"
#include "mercer/core/parallel.h"
#include "mercer/data/summary.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/blas.h"
#include "mercer/models/detail/gram_fit.h"
#include "mercer/models/detail/indefinite.h"
#include "mercer/models/detail/stored_points.h"
#include "mercer/operators/centered.h"
#include "mercer/plan/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace mercer {
namespace {

using detail::Indefinite;

// Negative eigenvalues by the policy: adjusts values, gives the sign of each component, reports.
Vector apply_policy(Indefinite policy, bool center, detail::GramFit& fit) {
  FitReport& report = fit.report;
  const Vector& all = fit.eigen.all_values;
  const auto n = static_cast<double>(report.n);
  report.negative_share = detail::negative_share(all, fit.rank_tolerance);
  if (policy == Indefinite::error && report.negative_share > 1e-8)
    throw Error(
        ErrorCode::indefinite_kernel,
        fmt::format(
            "{:.2g} % of the spectrum is negative (smallest eigenvalue {:.4g}, largest {:.4g})",
            100 * report.negative_share, all[all.size() - 1], all[0]),
        "choose another kernel, or a policy: clip, flip, shift or krein");
  if (report.negative_share > 0)
    report.warnings.push_back(
        {WarningCode::negative_eigenvalues,
         fmt::format("{:.2g} % of the spectrum is negative (smallest eigenvalue {:.4g})",
                     100 * report.negative_share, all[all.size() - 1])});

  const Vector signs = fit.eigen.values.array().sign();
  double total = report.negative_share > 0 ? all.cwiseAbs().sum() : report.trace;
  if (policy == Indefinite::shift && report.negative_share > 0) {
    const double shift = -all[all.size() - 1];
    fit.eigen.values.array() += shift;
    report.certificate.eigenvalue_upper.array() += shift;
    report.trace +=
        shift * (center ? n - 1 : n);  // centring keeps the eigenvalue 0 of the constant vector
    total = report.trace;
  }
  if (policy == Indefinite::flip || policy == Indefinite::krein) {
    const Vector slack = report.certificate.eigenvalue_upper - fit.eigen.values;
    fit.eigen.values = fit.eigen.values.cwiseAbs();
    report.certificate.eigenvalue_upper = fit.eigen.values + slack;
  }
  report.eigenvalues = fit.eigen.values;
  report.ratios = fit.eigen.values / total;
  return signs;
}

GramProblem problem_of(DataView rows, const Kernel& kernel, const KernelPcaOptions& options) {
  GramProblem problem{rows, kernel, options.center, 0, options.tolerance};
  problem.both_ends =
      detail::order_of(detail::parse_indefinite(options.indefinite)) == Order::magnitude;
  detail::set_components(problem, options.components);
  return problem;
}

// Rows of new points per task, and training rows per tile.
constexpr Index kNewRows = 256;

// k_X A for new rows: one cross tile at a time, always in the same order.
template <class T>
Block cross_products(const Kernel& kernel, const Frame& frame, DataView training, DataView rows,
                     const Block& a, const Context& context) {
  const TilePoints<T> known(kernel, frame, training, context), fresh(kernel, frame, rows, context);
  const TileKernel<T> tiles(kernel, frame);
  Block out(rows.n(), a.cols());
  const std::vector<Range> tasks = tiles_of(rows.n(), kNewRows),
                           columns = tiles_of(training.n(), kTileRows);
  parallel_for(context, static_cast<Index>(tasks.size()), [&](Index t) {
    const Range part = tasks[static_cast<std::size_t>(t)];
    typename TileKernel<T>::Scratch scratch;
    std::vector<T> tile(static_cast<std::size_t>(part.size() * kTileRows));
    Block sum = Block::Zero(part.size(), a.cols());
    for (const Range cols : columns) {
      tiles.fill(fresh, part, known, cols, tile.data(), cols.size(), scratch);
      using Tile =
          Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;  // the row-major tile, transposed
      const Block k =
          Eigen::Map<const Tile>(tile.data(), cols.size(), part.size()).template cast<double>();
      gemm(Transpose::yes, Transpose::no, 1.0, k, a.middleRows(cols.begin, cols.size()), 1.0, sum);
      context.check_cancelled();
    }
    if (!sum.allFinite())
      throw Error(ErrorCode::kernel_overflows, "the kernel of a new row overflows",
                  "its values are far outside those of the training rows");
    out.middleRows(part.begin, part.size()) = sum;
  });
  return out;
}

}  // namespace

// Sizes and the kind of kernel decide; a width that is still to be found from the data does not.
Plan KernelPca::plan(DataView rows, const KernelPcaOptions& options, const Context& context) {
  return make_plan(problem_of(rows, options.kernel, options), context.budget);
}

KernelPca KernelPca::fit(DataView rows, const KernelPcaOptions& options, const Context& context) {
  require(rows.n() >= 2, ErrorCode::too_few_rows, "fitting needs at least 2 rows");
  require(rows.dim() >= 1, ErrorCode::nothing_numeric, "the rows have no columns");
  const Indefinite policy = detail::parse_indefinite(options.indefinite);
  Warnings warnings;
  const Kernel kernel =
      options.kernel.resolve(rows, context, &warnings);  // "median" becomes a number here
  const GramProblem problem = problem_of(rows, kernel, options);
  detail::GramFit fit =
      detail::fit_gram(problem, options.components, detail::order_of(policy), context);

  KernelPca model(kernel);
  model.centered_ = options.center;
  const Vector signs = apply_policy(policy, options.center, fit);
  model.report = std::move(fit.report);
  model.report.warnings.insert(model.report.warnings.begin(), warnings.begin(), warnings.end());
  if (policy == Indefinite::krein) model.signature_ = signs;

  // a = sign u / sqrt|mu|: then K~ a = sqrt|mu| u, the training scores, whatever the sign of mu.
  const Vector roots = fit.eigen.values.cwiseSqrt();
  model.coefficients_ = fit.eigen.vectors * signs.cwiseQuotient(roots).asDiagonal();
  if (options.center)
    remove_means(model.coefficients_);  // 1'A = 0 to the last digit: new rows rely on it
  model.score_factor_ = fit.eigen.values.cwiseProduct(signs);
  model.points_ = detail::stored_points(rows);
  model.frame_ = make_frame(kernel, model.points_, options.center, context);
  model.bias_ = Vector::Zero(model.coefficients_.cols());
  // Linear operators centre their rows to the last digit, which the frame of new rows does not:
  // there the bias is measured, or data far from the origin would be off by the rounding of their
  // mean.
  const bool rows_are_centred = kernel.only<Linear>() != nullptr;
  if (options.center && fit.means.size() > 0 && !rows_are_centred)
    model.bias_ = model.coefficients_.transpose() * fit.means;
  else if (options.center)
    model.bias_ = model.project(rows, context).colwise().mean();
  return model;
}

Block KernelPca::scores() const { return coefficients_ * score_factor_.asDiagonal(); }

Block KernelPca::project(DataView rows, const Context& context) const {
  if (rows.n() == 0) return Block(0, coefficients_.cols());
  Block y = report.plan.precision == Precision::single_
                ? cross_products<float>(kernel_, frame_, points_, rows, coefficients_, context)
                : cross_products<double>(kernel_, frame_, points_, rows, coefficients_, context);
  y.rowwise() -= bias_.transpose();
  return y;
}

void KernelPca::save(State& state) const {
  state.values["centered"] = centered_;
  state.arrays.push_back(detail::points_array(points_));
  state.arrays.push_back(Array::of_block("coefficients", coefficients_));
  state.arrays.push_back(Array::of("bias", bias_));
  state.arrays.push_back(Array::of("score_factor", score_factor_));
  if (signature_.size() > 0) state.arrays.push_back(Array::of("signature", signature_));
}

KernelPca KernelPca::from(const State& state) {
  KernelPca model(Kernel(state.values["kernel"]["spec"].as_text()));
  model.load_common(state);
  model.centered_ = state.values["centered"].as_bool();
  model.points_ = detail::points_from(state.array("points"));
  model.coefficients_ = state.array("coefficients").as_points();
  model.bias_ = state.array("bias").as_vector();
  model.score_factor_ = state.array("score_factor").as_vector();
  if (const Array* signature = state.find("signature")) model.signature_ = signature->as_vector();
  const Index k = model.report.eigenvalues.size();
  const bool fits =
      model.kernel_.resolved() && model.points_.n() == model.report.n &&
      model.points_.dim() == model.report.dim && model.coefficients_.rows() == model.report.n &&
      model.coefficients_.cols() == k && model.bias_.size() == k && model.score_factor_.size() == k;
  require(fits, ErrorCode::bad_model_content, "the model's arrays do not fit together");
  require(model.coefficients_.allFinite() && model.bias_.allFinite(), ErrorCode::bad_model_content,
          "the model's coefficients are not finite");
  model.frame_ = make_frame(model.kernel_, model.points_, model.centered_, {});
  return model;
}

namespace {

KernelPcaOptions own_options(const FitOptions& options) {
  return {options.kernel, options.components, options.tolerance, options.center,
          options.indefinite};
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
      [](const State& state) -> std::unique_ptr<Model> {
        return std::make_unique<KernelPca>(KernelPca::from(state));
      }};
  return kind;
}

}  // namespace mercer
