#include "mercer/models/fit_report.h"

#include "mercer/core/check.h"
#include "mercer/core/text.h"

#include <limits>

namespace mercer {
namespace {

Vector numbers(const Value& list) {
  if (list.is_null()) return {};
  const Value::List& items = list.as_list();
  Vector values(static_cast<Index>(items.size()));
  for (std::size_t i = 0; i < items.size(); ++i)
    values[static_cast<Index>(i)] =
        items[i].is_null() ? std::numeric_limits<double>::quiet_NaN() : items[i].as_number();
  return values;
}

double number(const Value& value, double otherwise) {
  return value.is_null() ? otherwise : value.as_number();
}

}  // namespace

void FitReport::add_to(Value& value) const {
  value["components"] = eigenvalues.size();
  value["eigenvalues"] = Value::of(eigenvalues);
  value["variances"] = Value::of(Vector(eigenvalues / static_cast<double>(n)));
  value["explained_variance_ratio"] = Value::of(ratios);
  value["trace"] = trace;
  value["clusters"] = Value::list();  // first and last component of each, counted from 1
  for (const Range cluster : clusters)
    value["clusters"].push_back(Value::List{cluster.begin + 1, cluster.end});
  value["tolerance"] = tolerance;
  value["tolerance_of"] = eigenvalues_only ? "eigenvalues" : "residuals";
  value["converged"] = converged;
  value["negative_share"] = negative_share;
  value["residuals"] = Value::of(certificate.residuals);
  Value& proof = value["certificate"];
  proof["kind"] = certificate.kind;
  proof["complete"] = certificate.complete;
  proof["eigenvalue_upper"] = Value::of(certificate.eigenvalue_upper);
  proof["angle"] = certificate.angle;
  proof["failure"] = certificate.failure;
  proof["complement"] = certificate.complement;
  proof["operator_error"] = certificate.operator_error;
  proof["reason"] = certificate.reason.empty() ? Value() : Value(certificate.reason);
  value["plan"] = plan.choice();
  value["warnings"] = Value::list();
  for (const Warning& warning : warnings) {
    Value entry;
    entry["code"] = code_text(warning.code);
    entry["message"] = warning.message;
    value["warnings"].push_back(std::move(entry));
  }
}

FitReport FitReport::from(const Value& value) {
  FitReport report;
  report.n = value["n"].as_integer();
  report.dim = value["dim"].as_integer();
  report.eigenvalues = numbers(value["eigenvalues"]);
  report.ratios = numbers(value["explained_variance_ratio"]);
  report.trace = number(value["trace"], 0);
  if (!value["clusters"].is_null())
    for (const Value& cluster : value["clusters"].as_list()) {
      const Value::List& ends = cluster.as_list();
      require(ends.size() == 2, ErrorCode::bad_model_content,
              "a cluster of the model has no two ends");
      report.clusters.push_back({ends[0].as_integer() - 1, ends[1].as_integer()});
    }
  report.tolerance = number(value["tolerance"], 1e-6);
  report.eigenvalues_only =
      !value["tolerance_of"].is_null() && value["tolerance_of"].as_text() == "eigenvalues";
  report.converged = value["converged"].as_bool();
  report.negative_share = number(value["negative_share"], 0);
  const Value& proof = value["certificate"];
  report.certificate.kind = proof["kind"].as_text();
  report.certificate.complete = proof["complete"].as_bool();
  report.certificate.residuals = numbers(value["residuals"]);
  report.certificate.eigenvalue_upper = numbers(proof["eigenvalue_upper"]);
  report.certificate.angle = number(proof["angle"], std::numeric_limits<double>::infinity());
  report.certificate.failure = number(proof["failure"], 0);
  report.certificate.complement = number(proof["complement"], 0);
  report.certificate.operator_error = number(proof["operator_error"], 0);
  if (!proof["reason"].is_null()) report.certificate.reason = proof["reason"].as_text();
  const Value& plan = value["plan"];
  report.plan.operator_name = plan["operator"].as_text();
  report.plan.solver_name = plan["solver"].as_text();
  report.plan.precision =
      plan["precision"].as_text().starts_with("single") ? Precision::single_ : Precision::double_;
  report.plan.passes = plan["passes"].as_integer();
  for (const Value& entry : value["warnings"].as_list()) {
    const auto code = parse_number(
        std::string_view(entry["code"].as_text()).substr(entry["code"].as_text().empty() ? 0 : 1));
    require(code && *code >= 0 && *code <= 999, ErrorCode::bad_model_content,
            "a warning of the model has no code");
    report.warnings.push_back(
        {static_cast<WarningCode>(static_cast<int>(*code)), entry["message"].as_text()});
  }
  return report;
}

}  // namespace mercer
