// Reads kernel specifications:
//   kernel  = product { "+" product }      product = atom { "*" atom }
//   atom    = number | name [ ":" parameter "=" value { "," parameter "=" value } ]
//   value   = number | rule | number "*" rule | rule "/" number      rule = median | nearest
// A number ends where it can no longer go on, so 1e+5 is one number.
#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/kernels/kernel.h"
#include "mercer/kernels/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

namespace mercer {
namespace {

struct Given {
  std::string name, text;
};

// kernlab's names, with kernlab's defaults and meaning.
struct Foreign {
  std::string_view name, family;
  std::array<std::string_view, 3> defaults;
  std::string_view renamed_from, renamed_to;
};
constexpr std::array kForeign = {
    Foreign{"rbfdot", "gaussian", {"gamma=1"}, "sigma", "gamma"},
    Foreign{"polydot", "polynomial", {"degree=1", "scale=1", "offset=1"}, "", ""},
    Foreign{"tanhdot", "sigmoid", {"scale=1", "offset=1"}, "", ""},
    Foreign{"laplacedot", "exponential", {"gamma=1"}, "sigma", "gamma"},
    Foreign{"vanilladot", "linear", {}, "", ""},
};

// 1 is within the limits of every parameter but one.
std::string example_of(const std::string& kernel, const Given& given,
                       Limit limit = Limit::positive) {
  return fmt::format("such as {}:{}={}", kernel, given.name, limit == Limit::matern ? "1.5" : "1");
}

[[noreturn]] void not_a_number(const std::string& kernel, const Given& given,
                               const Parameter& parameter) {
  const bool rule = given.name == parameter.name && *parameter.rule != 0;
  throw Error(
      ErrorCode::bad_kernel_parameter,
      fmt::format("{0}:{1}={2}: \"{2}\" is not a number", kernel, given.name,
                  printable(given.text)),
      example_of(kernel, given, parameter.limit) +
          (rule ? fmt::format(", or {0}={1}, {0}=0.5*{1}, {0}=nearest to find it from the data",
                              given.name, parameter.rule)
                : ""));
}

double number_of(const std::string& kernel, const Given& given, const Parameter& parameter) {
  const Limit limit = parameter.limit;
  const auto value = parse_number(given.text);
  if (value && holds(limit, *value)) return *value;
  const bool whole =
      limit == Limit::whole_positive && value && *value > 0 && *value != std::floor(*value);
  if (!value) not_a_number(kernel, given, parameter);
  throw Error(whole ? ErrorCode::degree_not_whole : ErrorCode::bad_kernel_parameter,
              fmt::format("{}:{}={}: {} {}", kernel, given.name, printable(given.text), given.name,
                          text_of(limit)),
              example_of(kernel, given, limit));
}

void set(const std::string& kernel, const Parameter& parameter, const Given& given,
         std::vector<WidthOfFactor>& widths) {
  if (given.name == parameter.name && *parameter.rule != 0) {
    if (const std::optional<FoundWidth> width = FoundWidth::read(given.text)) {
      *parameter.value = kFromData;
      widths.push_back({0, parameter.name, *width});
      return;
    }
  }
  double value = number_of(kernel, given, parameter);
  if (given.name == parameter.other && parameter.from_other != nullptr)
    value = parameter.from_other(value);
  if (!holds(parameter.limit, value))
    throw Error(ErrorCode::bad_kernel_parameter,
                fmt::format("{}:{}={}: out of range", kernel, given.name, given.text),
                example_of(kernel, given));
  *parameter.value = value;
}

// Puts the given parameters into a family; each may be given once, under one spelling. Rules by
// which some are found are added to the widths.
template <class Family>
AnyFamily make_family(const std::vector<Given>& given, std::vector<WidthOfFactor>& widths) {
  Family family;
  const std::string kernel = Family::traits.name;
  std::vector<Parameter> parameters = parameters_of(family);
  std::vector<std::string> known;
  for (const Parameter& p : parameters) {
    known.emplace_back(p.name);
    if (*p.other != 0) known.emplace_back(p.other);
  }
  std::map<const Parameter*, std::string> done;
  for (const Given& g : given) {
    const auto p = std::ranges::find_if(parameters, [&](const Parameter& q) {
      return g.name == q.name || (*q.other != 0 && g.name == q.other);
    });
    if (p == parameters.end())
      throw Error(ErrorCode::unknown_kernel_parameter,
                  fmt::format("kernel {} has no parameter \"{}\"", kernel, printable(g.name)),
                  known.empty() ? "it has none" : suggest(g.name, known, "its parameters"));
    const auto [before, first] = done.try_emplace(&*p, g.name);
    if (!first)
      throw Error(ErrorCode::kernel_parameter_twice,
                  before->second == g.name ? fmt::format("{}: {} is given twice", kernel, g.name)
                                           : fmt::format("{}: {} and {} say the same thing", kernel,
                                                         before->second, g.name),
                  "give one of them");
    set(kernel, *p, g, widths);
  }
  return family;
}

AnyFamily family_named(const std::string& name, std::vector<Given> parameters,
                       std::vector<WidthOfFactor>& widths) {
  for (const Foreign& foreign : kForeign) {
    if (name != foreign.name) continue;
    for (Given& p : parameters)
      if (p.name == foreign.renamed_from) p.name = foreign.renamed_to;
    for (const std::string_view text : foreign.defaults) {
      const std::string key(text.substr(0, text.find('=')));
      const bool given = std::ranges::find(parameters, key, &Given::name) != parameters.end();
      if (!text.empty() && !given)
        parameters.push_back({key, std::string(text.substr(text.find('=') + 1))});
    }
    return family_named(std::string(foreign.family), std::move(parameters), widths);
  }
  std::vector<std::string> known;
#define MERCER_ENTRY(entry, Type)                                                       \
  if (name == Type::traits.name || (*Type::traits.alias && name == Type::traits.alias)) \
    return make_family<Type>(parameters, widths);                                       \
  known.emplace_back(Type::traits.name);                                                \
  if (*Type::traits.alias) known.emplace_back(Type::traits.alias);
#include "mercer/kernels/catalog.def"
#undef MERCER_ENTRY
  std::string hint = suggest(name, known, "kernels");
  if (hint.starts_with("did you mean"))
    hint += fmt::format(" The kernels are {}", fmt::join(known, ", "));
  throw Error(ErrorCode::unknown_kernel, fmt::format("unknown kernel \"{}\"", printable(name)),
              hint);
}

class SpecReader {
 public:
  explicit SpecReader(std::string_view text) : text_(text) {}

  std::vector<KernelTerm> read() {
    std::vector<KernelTerm> terms;
    do terms.push_back(product());
    while (skip('+'));
    if (position_ != text_.size()) fail("unexpected character");
    return terms;
  }

 private:
  KernelTerm product() {
    KernelTerm term;
    do {
      if (const auto weight = number())
        term.weight *= *weight;
      else
        add_family(term);
    } while (skip('*'));
    if (term.factors.empty()) fail("a number needs a kernel to multiply");
    if (!std::isfinite(term.weight)) fail("a weight is not finite");
    return term;
  }

  std::optional<double> number() {
    if (position_ == text_.size()) fail("a kernel is missing");
    const char first = text_[position_];
    if (!(first >= '0' && first <= '9') && first != '.' && first != '-') return std::nullopt;
    double value = 0;
    const auto [end, status] =
        std::from_chars(text_.data() + position_, text_.data() + text_.size(), value);
    if (status != std::errc{}) fail("a number is not understood");
    position_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  void add_family(KernelTerm& term) {
    const std::string name = word();
    if (name.empty()) fail("a kernel's name is missing");
    std::vector<Given> parameters;
    if (skip(':')) {
      do parameters.push_back(parameter());
      while (skip(','));
    }
    std::vector<WidthOfFactor> widths;
    AnyFamily family = family_named(name, std::move(parameters), widths);
    for (WidthOfFactor& width : widths) {
      width.factor = term.factors.size();
      term.widths.push_back(std::move(width));
    }
    term.factors.push_back(std::move(family));
  }

  Given parameter() {
    Given p;
    p.name = word();
    if (p.name.empty() || !skip('=')) fail("parameters are written name=value");
    // A value is a word or the longest number that starts here, or both for a rule with a factor.
    double unused = 0;
    const char* start = text_.data() + position_;
    const auto result = std::from_chars(start, text_.data() + text_.size(), unused);
    if (result.ptr != start) {
      p.text.assign(start, result.ptr);
      position_ += static_cast<std::size_t>(result.ptr - start);
      if (position_ < text_.size() &&
          std::string_view("+*,").find(text_[position_]) == std::string_view::npos)
        p.text += word();  // such as 3x: refused later, with all of it shown
      p.text += times_rule();
    } else {
      p.text = word();
      if (skip('/')) p.text += "/" + divisor();
    }
    if (p.text.empty()) fail("a parameter has no value");
    return p;
  }

  // "*median" where that goes on a number; else nothing, since "*" also multiplies kernels.
  std::string times_rule() {
    const std::size_t start = position_;
    if (skip('*'))
      if (const std::string rule = word(); is_width_rule(rule)) return "*" + rule;
    position_ = start;
    return {};
  }

  // The number behind a "/", or what stands there.
  std::string divisor() {
    double unused = 0;
    const char* start = text_.data() + position_;
    const auto result = std::from_chars(start, text_.data() + text_.size(), unused);
    const std::string number(start, result.ptr);
    position_ += number.size();
    return number + word();
  }

  std::string word() {
    const std::size_t start = position_;
    while (position_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[position_])) != 0 ||
            text_[position_] == '_'))
      ++position_;
    return std::string(text_.substr(start, position_ - start));
  }

  bool skip(char wanted) {
    if (position_ == text_.size() || text_[position_] != wanted) return false;
    ++position_;
    return true;
  }

  [[noreturn]] void fail(const char* what) const {
    throw Error(ErrorCode::bad_kernel_spec,
                fmt::format("kernel \"{}\": {}", printable(text_), what),
                "write it like gaussian:sigma=0.3 or gaussian:sigma=1+0.5*linear",
                fmt::format("character {}", position_ + 1));
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

Kernel::Kernel(std::string_view spec) : terms_(SpecReader(spec).read()) {}

}  // namespace mercer
