#include "mercer/models/report.h"

#include "mercer/core/fields.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Runs of components, counted from 1 in the file.
std::vector<Range> clusters_in(const Fields& fields, Index components) {
  std::vector<Range> clusters;
  if (!fields.has("clusters")) return clusters;
  const Value::List& stored = fields.list("clusters");
  if (static_cast<Index>(stored.size()) > components)
    fields.refuse("clusters", fmt::format("{} of {} components", stored.size(), components));
  for (const Value& cluster : stored) {
    const bool pair = cluster.is_list() && cluster.as_list().size() == 2 &&
                      cluster.as_list()[0].is_integer() && cluster.as_list()[1].is_integer();
    if (!pair) fields.refuse("clusters", "a cluster has no first and last component");
    const Index first = cluster.as_list()[0].as_integer(), last = cluster.as_list()[1].as_integer();
    if (first < 1 || last < first || last > components)
      fields.refuse("clusters", fmt::format("{} to {} are not among the {} components", first, last,
                                            components));
    clusters.push_back({first - 1, last});
  }
  return clusters;
}

Certificate certificate_in(const Fields& fields, Index components, bool eigenvalues_only) {
  const Fields proof = fields.object("certificate");
  Certificate certificate;
  const std::optional<ProofKind> kind = parse_proof(proof.text("kind"));
  if (!kind) proof.refuse("kind", "no kind of certificate has this name");
  certificate.kind = *kind;
  certificate.complete = proof.flag("complete");
  certificate.residuals = fields.numbers("residuals", components, kInfinity);
  if (!(certificate.residuals.array() >= 0).all())
    fields.refuse("residuals", "a residual is negative");
  // Methods without bounds leave them out.
  const bool bounded =
      !proof.has("eigenvalue_upper") ? false : !proof.list("eigenvalue_upper").empty();
  if (bounded || eigenvalues_only)
    certificate.eigenvalue_upper = proof.numbers("eigenvalue_upper", components, kInfinity);
  certificate.angle = proof.number_or(kInfinity, "angle", 0);
  certificate.failure = proof.number_or(0, "failure", 0, 1);
  certificate.complement = proof.number_or(0, "complement");
  certificate.operator_error = proof.number_or(0, "operator_error", 0);
  if (proof.has("reason")) certificate.reason = proof.text("reason");
  return certificate;
}

Plan plan_in(const Fields& fields) {
  const Fields stored = fields.object("plan");
  Plan plan;
  plan.operator_name = stored.text("operator");
  plan.solver_name = stored.text("solver");
  const std::string& precision = stored.text("precision");
  if (precision != "double" && precision != "single" && precision != "single+double")
    stored.refuse("precision", fmt::format("\"{}\" is not known", printable(precision)));
  plan.precision = precision == "double" ? Precision::double_ : Precision::single_;
  plan.passes = stored.count("passes", 0);
  return plan;
}

// Codes of later versions are kept as they are.
Warnings warnings_in(const Fields& fields) {
  Warnings warnings;
  for (const Value& value : fields.list("warnings")) {
    const Fields entry(value, "warnings");
    const std::string& code = entry.text("code");
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    const bool known =
        code.size() == 4 && code[0] == 'W' && std::all_of(code.begin() + 1, code.end(), digit);
    if (!known) entry.refuse("code", fmt::format("\"{}\" is not a warning's", printable(code)));
    const int number = (code[1] - '0') * 100 + (code[2] - '0') * 10 + (code[3] - '0');
    warnings.push_back({static_cast<WarningCode>(number), entry.text("message")});
  }
  return warnings;
}

}  // namespace

void Spectrum::share_out(double of) {
  ratios = eigenvalues / (drowned() ? kNotKnown : of);
  total = std::isfinite(of) && !drowned() ? of : 0;
}

Vector Spectrum::ratio_bounds() const {
  const Vector bounds = eigenvalues / (drowned() ? kNotKnown : std::max(trace, eigenvalues.sum()));
  return ratios.array().isFinite().select(ratios, bounds);
}

namespace {

void add_spectrum(const Spectrum& spectrum, Index n, bool converged, Value& value) {
  const Vector& mu = spectrum.eigenvalues;
  value["components"] = mu.size();
  value["eigenvalues"] = Value::of(mu);
  value["variances"] = Value::of(Vector(mu / static_cast<double>(n)));
  value["explained_variance_ratio"] = Value::of(spectrum.ratios);
  value["explained_variance_ratio_upper"] = Value::of(spectrum.ratio_bounds());
  value["trace"] = spectrum.trace;
  value["total"] = spectrum.total > 0 ? Value(spectrum.total) : Value();
  value["clusters"] = Value::list();  // first and last component of each, counted from 1
  for (const Range cluster : spectrum.clusters)
    value["clusters"].push_back(Value::List{cluster.begin + 1, cluster.end});
  value["tolerance"] = spectrum.tolerance;
  value["tolerance_of"] = spectrum.eigenvalues_only ? "eigenvalues" : "residuals";
  value["converged"] = converged;
  value["negative_share"] = spectrum.negative_share;
  const Certificate& certificate = spectrum.certificate;
  value["residuals"] = Value::of(certificate.residuals);
  Value& proof = value["certificate"];
  proof["kind"] = std::string(name_of(certificate.kind));
  proof["complete"] = certificate.complete;
  proof["eigenvalue_upper"] = Value::of(certificate.eigenvalue_upper);
  proof["angle"] = certificate.angle;
  proof["failure"] = certificate.failure;
  proof["complement"] = certificate.complement;
  proof["operator_error"] = certificate.operator_error;
  proof["reason"] = certificate.reason.empty() ? Value() : Value(certificate.reason);
}

Spectrum spectrum_in(const Fields& fields) {
  Spectrum spectrum;
  const auto k = static_cast<Index>(fields.list("eigenvalues").size());
  if (k == 0) fields.refuse("eigenvalues", "there are none");
  if (fields.has("components")) fields.count("components", k, k);
  spectrum.eigenvalues = fields.numbers("eigenvalues", k);
  if (fields.has("variances")) fields.numbers("variances", k, kNotKnown);
  spectrum.ratios = fields.numbers("explained_variance_ratio", k, kNotKnown);
  spectrum.trace = fields.number_or(0, "trace");
  spectrum.total = fields.number_or(0, "total", 0);
  spectrum.clusters = clusters_in(fields, k);
  spectrum.tolerance = fields.number_or(1e-6, "tolerance", 0);
  spectrum.eigenvalues_only =
      fields.has("tolerance_of") && fields.text("tolerance_of") == "eigenvalues";
  spectrum.negative_share = fields.number_or(kNotKnown, "negative_share", 0, 1);
  spectrum.certificate = certificate_in(fields, k, spectrum.eigenvalues_only);
  return spectrum;
}

bool is_number(const Value& value) { return value.is_number() || value.is_null(); }

template <class Test>
bool is_list_of(const Value& value, const Test& test) {
  return value.is_list() && std::ranges::all_of(value.as_list(), test);
}

bool is_list(const Value& value) { return is_list_of(value, is_number); }

// Models written before there were figures have none.
std::vector<Figure> figures_in(const Fields& fields) {
  std::vector<Figure> figures;
  if (!fields.has("figures")) return figures;
  const Fields stored = fields.object("figures");
  for (const auto& [name, value] : fields["figures"].as_object()) {
    const auto is_text = [](const Value& entry) { return entry.is_text(); };
    if (!is_number(value) && !is_list_of(value, is_number) && !is_list_of(value, is_list) &&
        !is_list_of(value, is_text))
      stored.refuse(printable(name),
                    "expected a number, a list of numbers or names, or a table of numbers");
    figures.push_back({name, value});
  }
  if (!fields.has("figures_not_of_columns")) return figures;
  for (const std::string& name : fields.texts("figures_not_of_columns"))
    for (Figure& figure : figures) figure.not_of_columns |= figure.name == name;
  return figures;
}

}  // namespace

void Report::add_to(Value& value) const {
  if (spectrum)
    add_spectrum(*spectrum, n, converged, value);
  else
    value["converged"] = converged;
  if (chosen) {
    Value& choice = value["components_chosen"];
    choice["count"] = chosen->count;
    choice["rule"] = chosen->rule;
    choice["by"] = chosen->by;
  }
  value["figures"] = Value::object();
  Value others = Value::list();
  for (const Figure& figure : figures) {
    value["figures"][figure.name] = figure.value;
    if (figure.not_of_columns) others.push_back(figure.name);
  }
  if (!others.as_list().empty()) value["figures_not_of_columns"] = std::move(others);
  if (!plan.operator_name.empty()) value["plan"] = plan.choice();
  value["warnings"] = Value::list();
  for (const Warning& warning : warnings) {
    Value entry;
    entry["code"] = code_text(warning.code);
    entry["message"] = warning.message;
    value["warnings"].push_back(std::move(entry));
  }
}

Report Report::from(const Value& value) {
  const Fields fields(value);
  Report report;
  report.n = fields.count("n", 1);
  report.dim = fields.count("dim", 1);
  if (fields.has("eigenvalues")) report.spectrum = spectrum_in(fields);
  report.converged = fields.flag("converged");
  if (fields.has("components_chosen")) {
    const Fields chosen = fields.object("components_chosen");
    report.chosen = {chosen.count("count", 1), chosen.text("rule"), chosen.text("by")};
  }
  report.figures = figures_in(fields);
  if (fields.has("plan")) report.plan = plan_in(fields);
  report.warnings = warnings_in(fields);
  return report;
}

}  // namespace mercer
