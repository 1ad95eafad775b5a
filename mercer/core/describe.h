// Options described once. A struct lists its fields in a template member
//     template <class Fields> void describe(Fields& field) {
//       field("sigma", sigma, "length scale", Limit::positive).or_spelt("gamma", to, from);
//     }
// and every use is a small visitor: command-line flags, model files, reference pages. This header
// holds the limits and the visitors that are needed in more than one place. It includes no standard
// header, since kernel families include it and are compiled once per CPU level.
#pragma once

namespace mercer {

/// What a number may be. `any` still means finite.
enum class Limit { any, positive, non_negative, whole_positive, up_to_two, matern };

constexpr const char* text_of(Limit limit) {
  switch (limit) {
    case Limit::positive:
      return "must be > 0";
    case Limit::non_negative:
      return "must be >= 0";
    case Limit::whole_positive:
      return "must be a whole number >= 1";
    case Limit::up_to_two:
      return "must be > 0 and <= 2";
    case Limit::matern:
      return "must be 0.5, 1.5 or 2.5";
    case Limit::any:
      break;
  }
  return "must be a finite number";
}

constexpr bool holds(Limit limit, double value) {
  constexpr double kLargest = 1.79769313486231570815e308;
  if (!(value >= -kLargest && value <= kLargest)) return false;
  switch (limit) {
    case Limit::positive:
      return value > 0;
    case Limit::non_negative:
      return value >= 0;
    case Limit::whole_positive:
      return value >= 1 && value <= 1e6 && value == static_cast<double>(static_cast<long>(value));
    case Limit::up_to_two:
      return value > 0 && value <= 2;
    case Limit::matern:
      return value == 0.5 || value == 1.5 || value == 2.5;
    case Limit::any:
      break;
  }
  return true;
}

/// The value of a parameter that is still to be found from the data (spelt "median").
constexpr double kFromData = __builtin_nan("");

}  // namespace mercer
