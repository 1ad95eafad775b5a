#include "mercer/kernels/kernel.h"

#include "mercer/core/check.h"
#include "mercer/core/text.h"
#include "mercer/kernels/bandwidth.h"
#include "mercer/kernels/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace mercer {
namespace {

// Calls f with a copy of the family and its parameters.
template <class F>
void with_parameters(const AnyFamily& family, F&& f) {
  visit_family(
      [&](auto copy) {
        f(copy, parameters_of(copy));
        return 0;
      },
      family);
}

std::string value_text(const Parameter& p) {
  return std::isnan(*p.value) ? p.rule : exact(*p.value);
}

std::string factor_spec(const AnyFamily& family) {
  std::string text;
  with_parameters(family, [&](const auto& copy, const std::vector<Parameter>& parameters) {
    text = copy.traits.name;
    char separator = ':';
    for (const Parameter& p : parameters) {
      text += fmt::format("{}{}={}", separator, p.name, value_text(p));
      separator = ',';
    }
  });
  return text;
}

std::string factor_formula(const AnyFamily& family) {
  std::string text;
  with_parameters(family, [&](const auto& copy, const std::vector<Parameter>& parameters) {
    if constexpr (requires { copy.formula(); })
      text = copy.formula();
    else
      text = copy.traits.formula;
    for (const Parameter& p : parameters) {
      const std::string placeholder = fmt::format("{{{}}}", p.name);
      const std::string number = std::isnan(*p.value) ? p.rule : brief(*p.value, 6);
      for (auto at = text.find(placeholder); at != text.npos; at = text.find(placeholder))
        text.replace(at, placeholder.size(), number);
    }
  });
  return text;
}

// Joins the factors of each term with '*' and the terms with '+'.
template <class F>
std::string joined(const std::vector<KernelTerm>& terms, const char* plus, const char* times,
                   F&& factor_text) {
  std::vector<std::string> parts;
  for (const KernelTerm& term : terms) {
    std::vector<std::string> factors;
    if (term.weight != 1) factors.push_back(exact(term.weight));
    for (const AnyFamily& family : term.factors) factors.push_back(factor_text(family));
    parts.push_back(fmt::format("{}", fmt::join(factors, times)));
  }
  return fmt::format("{}", fmt::join(parts, plus));
}

double length_of(std::span<const double> x) {
  double squares = 0;
  for (const double value : x) squares += value * value;
  return std::sqrt(squares);
}

// What one family needs to know of two rows.
template <class Family>
PairTerms<double> terms_of(const Family&, std::span<const double> x, std::span<const double> y) {
  PairTerms<double> pair{0, 0, 0};
  for (std::size_t i = 0; i < x.size(); ++i) {
    pair.product += x[i] * y[i];
    pair.squared += (x[i] - y[i]) * (x[i] - y[i]);
    if constexpr (requires { Family::term(x[i], y[i]); }) pair.summed += Family::term(x[i], y[i]);
  }
  if (Family::traits.form != Form::angle) return pair;
  const double lengths = length_of(x) * length_of(y);
  pair.product = lengths > 0 ? pair.product / lengths : 0;
  return pair;
}

}  // namespace

std::string Kernel::found_from_data() const {
  std::string first;
  const auto look = [&](const auto&, const std::vector<Parameter>& parameters) {
    for (const Parameter& p : parameters)
      if (std::isnan(*p.value) && first.empty()) first = p.name;
  };
  for (const KernelTerm& term : terms_)
    for (const AnyFamily& family : term.factors) with_parameters(family, look);
  return first;
}

bool Kernel::resolved() const { return found_from_data().empty(); }

Kernel Kernel::resolve(DataView points, const Context& context, Warnings* warnings) const {
  std::map<Metric, double> medians;  // of the metrics that are asked for
  const auto median = [&](Metric metric) {
    if (const auto known = medians.find(metric); known != medians.end()) return known->second;
    const Bandwidth width = median_distance(points, context, metric);
    if (warnings != nullptr)
      warnings->insert(warnings->end(), width.warnings.begin(), width.warnings.end());
    return medians[metric] = width.median;
  };
  const auto resolve_family = [&](AnyFamily& family) {
    with_parameters(family, [&](const auto& copy, const std::vector<Parameter>& parameters) {
      const bool by_sum = copy.traits.form == Form::differences;
      for (const Parameter& p : parameters)
        if (std::isnan(*p.value))
          *p.value = median(by_sum ? Metric::coordinate_sum : Metric::euclidean);
      family = copy;
    });
  };
  std::vector<KernelTerm> terms = terms_;
  for (KernelTerm& term : terms)
    for (AnyFamily& family : term.factors) resolve_family(family);
  return Kernel(std::move(terms));
}

double Kernel::operator()(std::span<const double> x, std::span<const double> y) const {
  MERCER_ASSERT(x.size() == y.size());
  double sum = 0;
  for (const KernelTerm& term : terms_) {
    double product = term.weight;
    for (const AnyFamily& family : term.factors)
      product *= visit_family([&](const auto& f) { return f(terms_of(f, x, y)); }, family);
    sum += product;
  }
  return sum;
}

std::string Kernel::spec() const { return joined(terms_, "+", "*", factor_spec); }
std::string Kernel::formula() const { return joined(terms_, " + ", " * ", factor_formula); }

Value Kernel::describe() const {
  Value value;
  const bool single = terms_.size() == 1 && terms_[0].factors.size() == 1;
  value["name"] =
      single ? visit_family([](const auto& f) { return f.traits.name; }, terms_[0].factors[0])
             : "sum";
  value["spec"] = spec();
  value["formula"] = formula();
  value["gamma"] = Value{};
  value["parameters"] = Value::object();
  if (!single) return value;
  with_parameters(terms_[0].factors[0], [&](const auto&, const std::vector<Parameter>& parameters) {
    for (const Parameter& p : parameters) {
      value["parameters"][p.name] = *p.value;
      if (std::string_view(p.other) == "gamma")
        value["gamma"] = p.to_other ? p.to_other(*p.value) : *p.value;
    }
  });
  return value;
}

Definite Kernel::definite() const {
  Definite result = Definite::always;
  for (const KernelTerm& term : terms_) {
    if (term.weight < 0) return Definite::no;
    for (const AnyFamily& family : term.factors) {
      const Definite d = visit_family([](const auto& f) { return f.definite(); }, family);
      // Products of kernels that are definite only conditionally need not be definite at all.
      if (d != Definite::always && term.factors.size() > 1) return Definite::no;
      result = std::max(result, d);  // from always to no
    }
  }
  return result;
}

bool Kernel::non_negative() const {
  for (const KernelTerm& term : terms_)
    for (const AnyFamily& family : term.factors)
      if (visit_family([](const auto& f) { return f.traits.non_negative; }, family)) return true;
  return false;
}

bool Kernel::uses(Form form) const {
  for (const KernelTerm& term : terms_)
    for (const AnyFamily& family : term.factors)
      if (visit_family([](const auto& f) { return f.traits.form; }, family) == form) return true;
  return false;
}

std::vector<FamilyInfo> kernel_families() {
  std::vector<FamilyInfo> families;
  const auto add = [&](auto family) {
    const Traits& traits = family.traits;
    std::vector<std::string> parts;
    std::string formula = traits.formula;
    for (const Parameter& p : parameters_of(family)) {
      parts.push_back(fmt::format("{}={}", p.name, value_text(p)));
      if (*p.other != 0) parts.back() += fmt::format(" (or {})", p.other);
    }
    std::erase_if(formula, [](char c) { return c == '{' || c == '}'; });
    families.push_back({traits.name, traits.alias, traits.summary, formula,
                        fmt::format("{}", fmt::join(parts, ", ")), traits.form});
  };
#define MERCER_ENTRY(name, Type) add(Type{});
#include "mercer/kernels/catalog.def"
#undef MERCER_ENTRY
  return families;
}

}  // namespace mercer
