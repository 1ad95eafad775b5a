#include "mercer/models/linear_fit.h"

#include "mercer/core/check.h"
#include "mercer/models/detail/regress/centred_rows.h"

namespace mercer {
namespace {

// Of a report: what nobody would read, and the header of a model file should not carry.
constexpr Index kMostShown = 20000;

}  // namespace

bool is_shown(Index dim, Index numbers) { return dim * numbers <= kMostShown; }

Value table_value(const Block& table) {
  Value rows = Value::list();
  for (Index i = 0; i < table.rows(); ++i) rows.push_back(Value::of(Vector(table.row(i))));
  return rows;
}

Block LinearFit::scores(DataView rows, const Context& context) const {
  return detail::CentredRows(rows, mean).times(directions, context);
}

Block LinearFit::predictions(DataView rows, const Context& context) const {
  Block out = detail::CentredRows(rows, mean).times(coefficients, context);
  out.rowwise() += target_mean.transpose();
  return out;
}

void LinearFit::add_figures(const Scaler& scaler, Report& report) const {
  const Block slopes = scaler.slopes(coefficients);
  const Points centre = scaler.undo(mean.transpose());
  const Vector intercept = target_mean - slopes.transpose() * centre.transpose();
  report.figures.push_back({"intercept", Value::of(intercept), true});
  if (is_shown(slopes.rows(), slopes.cols()))
    report.figures.push_back({"coefficients", table_value(slopes)});
}

void LinearFit::save(State& state) const {
  state.add("mean", mean);
  state.add("directions", directions);
  state.add("coefficients", coefficients);
  state.add("target_mean", target_mean);
}

LinearFit LinearFit::load(State& state, Index dim, Index targets) {
  LinearFit fit;
  fit.mean = state.vector("mean", dim);
  fit.directions = state.array("directions").as_points();
  fit.coefficients = state.array("coefficients").as_points();
  fit.target_mean = state.vector("target_mean", targets);
  require(fit.directions.rows() == dim && fit.directions.cols() > 0 && fit.directions.allFinite(),
          ErrorCode::bad_model_content,
          "array \"directions\" is not one finite number for each column and component");
  require(fit.coefficients.rows() == dim && fit.coefficients.cols() == targets &&
              fit.coefficients.allFinite(),
          ErrorCode::bad_model_content,
          "array \"coefficients\" is not one finite number for each column and target");
  return fit;
}

}  // namespace mercer
