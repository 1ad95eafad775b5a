// How exact an answer must be: the relative residual |K u - mu u| / mu_1, or, for eigenvalues
// alone, the relative width of their enclosures.
#pragma once

#include <string>
#include <string_view>

namespace mercer {

class Tolerance {
 public:
  Tolerance(double residual = 1e-6) : value_(residual) {}
  static Tolerance of_eigenvalues(double width);
  /// "1e-6", "eigenvalues:1e-6"; throws M102.
  static Tolerance parse(std::string_view text);

  double value() const { return value_; }
  bool eigenvalues_only() const { return eigenvalues_only_; }
  std::string text() const;

 private:
  double value_;
  bool eigenvalues_only_ = false;
};

/// Throws M102 for a tolerance that is not positive, smaller than rounding allows, or 1 and more.
void check_tolerance(const Tolerance& tolerance);

}  // namespace mercer
