#include "mercer/models/components.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <cmath>

namespace mercer {
namespace {

[[noreturn]] void refuse(std::string_view text, const char* reason) {
  throw Error(ErrorCode::bad_option_value,
              fmt::format("components = {}: {}", printable(text), reason),
              "give a whole number >= 1, a share of the variance between 0 and 1, or all");
}

}  // namespace

Components::Components(Index count) : count_(count), asked_(true) {
  if (count < 1) refuse(std::to_string(count), "must be >= 1");
}

Components Components::share(double share) {
  if (!(share > 0 && share < 1)) refuse(exact(share), "a share lies strictly between 0 and 1");
  Components components;
  components.share_ = share;
  return components;
}

Components Components::all() {
  Components components;
  components.all_ = true;
  return components;
}

Components Components::automatic(std::string rule) {
  Components components;
  components.automatic_ = true;
  components.rule_ = std::move(rule);
  return components;
}

Components Components::parse(std::string_view text) {
  constexpr std::string_view kAuto = "auto", kRule = "auto:";
  if (text == "all") return all();
  if (text == kAuto) return automatic();
  if (text.starts_with(kRule)) {
    if (text == kRule) refuse(text, "the rule has no name");
    return automatic(std::string(text.substr(kRule.size())));
  }
  const auto value = parse_number(text);
  if (!value || std::isnan(*value)) refuse(text, "not a number");
  if (*value > 0 && *value < 1) return share(*value);
  if (*value < 1) refuse(text, "must be >= 1");
  if (*value > 1e15) refuse(text, "too large");
  if (*value != std::floor(*value)) refuse(text, "a count must be a whole number");
  // A share of the whole, or one component: whoever writes a point means the first.
  if (*value == 1 && text.find('.') != text.npos)
    throw Error(
        ErrorCode::bad_option_value,
        fmt::format("components = {}: one component, or the whole variance?", printable(text)),
        "write 1 for one component, all for the whole variance");
  return static_cast<Index>(*value);
}

Index Components::kept_of(const Vector& falling, double whole) const {
  if (all_) return falling.size();
  if (share_ == 0) return std::min(falling.size(), count_);
  double sum = 0;
  for (Index k = 0; k < falling.size(); ++k)
    if ((sum += falling[k]) >= share_ * whole) return k + 1;
  return falling.size();
}

std::string Components::text() const {
  if (all_) return "all";
  if (automatic_) return rule_.empty() ? "auto" : "auto:" + rule_;
  return share_ > 0 ? exact(share_) : std::to_string(count_);
}

void Components::refuse_automatic(std::string_view method) const {
  if (!automatic_) return;
  throw Error(ErrorCode::bad_option_value,
              fmt::format("components = {}: method {} has no rule that chooses them",
                          printable(text()), method),
              "give a whole number >= 1, a share of the variance between 0 and 1, or all");
}

}  // namespace mercer
