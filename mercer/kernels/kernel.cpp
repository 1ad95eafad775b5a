#include "mercer/kernels/kernel.h"

#include "mercer/core/check.h"
#include "mercer/core/text.h"
#include "mercer/kernels/bandwidth.h"
#include "mercer/kernels/nearest_distance.h"
#include "mercer/kernels/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

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

// The number, or the rule by which it is found.
std::string value_text(const Parameter& p, const KernelTerm& term, std::size_t factor) {
  return std::isnan(*p.value) ? term.width_of(factor, p.name).spec() : exact(*p.value);
}

std::string factor_spec(const KernelTerm& term, std::size_t factor) {
  std::string text;
  const auto write = [&](const auto& copy, const std::vector<Parameter>& parameters) {
    text = copy.traits.name;
    char separator = ':';
    for (const Parameter& p : parameters) {
      text += fmt::format("{}{}={}", separator, p.name, value_text(p, term, factor));
      separator = ',';
    }
  };
  with_parameters(term.factors[factor], write);
  return text;
}

std::string factor_formula(const KernelTerm& term, std::size_t factor) {
  std::string text;
  const auto write = [&](const auto& copy, const std::vector<Parameter>& parameters) {
    if constexpr (requires { copy.formula(); })
      text = copy.formula();
    else
      text = copy.traits.formula;
    for (const Parameter& p : parameters) {
      const std::string placeholder = fmt::format("{{{}}}", p.name);
      const std::string number =
          std::isnan(*p.value) ? value_text(p, term, factor) : brief(*p.value, 6);
      for (auto at = text.find(placeholder); at != text.npos; at = text.find(placeholder))
        text.replace(at, placeholder.size(), number);
    }
  };
  with_parameters(term.factors[factor], write);
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
    for (std::size_t i = 0; i < term.factors.size(); ++i) factors.push_back(factor_text(term, i));
    parts.push_back(fmt::format("{}", fmt::join(factors, times)));
  }
  return fmt::format("{}", fmt::join(parts, plus));
}

// Lengths that were found of some rows; each is looked for once.
class FoundLengths {
 public:
  FoundLengths(DataView points, const Context& context, Warnings* warnings)
      : points_(points), context_(context), warnings_(warnings) {}

  double of(FoundWidth width, Metric metric) {
    const std::pair key{width.rule, metric};
    const auto known = lengths_.find(key);
    const double length =
        known != lengths_.end() ? known->second : lengths_[key] = find(width.rule, metric);
    return width.factor * length;
  }

 private:
  double find(WidthRule rule, Metric metric) {
    if (rule == WidthRule::nearest) return mean_nearest_distance(points_, context_, metric);
    const Bandwidth width = median_distance(points_, context_, metric);
    if (warnings_ != nullptr)
      warnings_->insert(warnings_->end(), width.warnings.begin(), width.warnings.end());
    return width.median;
  }

  DataView points_;
  const Context& context_;
  Warnings* warnings_;
  std::map<std::pair<WidthRule, Metric>, double> lengths_;
};

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

FoundWidth KernelTerm::width_of(std::size_t factor, std::string_view parameter) const {
  for (const WidthOfFactor& own : widths)
    if (own.factor == factor && own.parameter == parameter) return own.width;
  return {};
}

std::string Kernel::found_from_data() const {
  std::string first;
  for (const KernelTerm& term : terms_)
    for (std::size_t i = 0; i < term.factors.size(); ++i)
      with_parameters(term.factors[i], [&](const auto&, const std::vector<Parameter>& parameters) {
        for (const Parameter& p : parameters)
          if (std::isnan(*p.value) && first.empty())
            first = fmt::format("{} = {}", p.name, term.width_of(i, p.name).words());
      });
  return first;
}

bool Kernel::resolved() const { return found_from_data().empty(); }

Kernel Kernel::resolve(DataView points, const Context& context, Warnings* warnings) const {
  FoundLengths lengths(points, context, warnings);
  std::vector<KernelTerm> terms = terms_;
  for (KernelTerm& term : terms) {
    for (std::size_t i = 0; i < term.factors.size(); ++i) {
      AnyFamily& family = term.factors[i];
      with_parameters(family, [&](const auto& copy, const std::vector<Parameter>& parameters) {
        const Metric metric =
            copy.traits.form == Form::differences ? Metric::coordinate_sum : Metric::euclidean;
        for (const Parameter& p : parameters)
          if (std::isnan(*p.value)) *p.value = lengths.of(term.width_of(i, p.name), metric);
        family = copy;
      });
    }
    term.widths.clear();
  }
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
      parts.push_back(
          fmt::format("{}={}", p.name, std::isnan(*p.value) ? p.rule : exact(*p.value)));
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
