// Kernel: a sum of products of families, as a small immutable value. Written as one word, such as
//   gaussian    gaussian:sigma=0.3    gaussian:sigma=1+0.5*linear    polynomial:degree=2*gaussian
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/core/value.h"
#include "mercer/data/view.h"
#include "mercer/kernels/any_family.h"
#include "mercer/kernels/found_width.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// A parameter of a factor that is found from the data by another rule than its family's own.
struct WidthOfFactor {
  std::size_t factor = 0;
  std::string parameter;
  FoundWidth width;
};

/// weight * factor * factor ...
struct KernelTerm {
  double weight = 1;
  std::vector<AnyFamily> factors;
  std::vector<WidthOfFactor> widths = {};

  /// The rule of a parameter that is not a number yet.
  FoundWidth width_of(std::size_t factor, std::string_view parameter) const;
};

class Kernel {
 public:
  /// Reads a specification (M103 to M107, M111); kernlab's and scikit-learn's spellings are
  /// understood.
  Kernel(std::string_view spec);
  Kernel(const char* spec) : Kernel(std::string_view(spec)) {}
  Kernel(const std::string& spec) : Kernel(std::string_view(spec)) {}
  explicit Kernel(std::vector<KernelTerm> terms) : terms_(std::move(terms)) {}

  const std::vector<KernelTerm>& terms() const { return terms_; }

  /// Whether every parameter is a number; "median" is not one until resolve().
  bool resolved() const;
  /// The first parameter that is not a number yet and how it is found, "sigma = median distance";
  /// "" where there is none.
  std::string found_from_data() const;
  /// The kernel with parameters that depend on the data put in.
  Kernel resolve(DataView points, const Context& context, Warnings* warnings = nullptr) const;

  /// k(x, y) by the plain formula in double precision: the reference, not the fast path.
  double operator()(std::span<const double> x, std::span<const double> y) const;

  /// Canonical text that reads back as the same kernel.
  std::string spec() const;
  /// The formula with the numbers filled in.
  std::string formula() const;
  /// Name, specification, formula, parameters, equivalent gamma: as in reports.
  Value describe() const;

  Definite definite() const;
  /// Whether some term is computed from this.
  bool uses(Form form) const;
  /// Whether rows may not have negative values.
  bool non_negative() const;
  /// The one family of a kernel without sums, products and weight; null otherwise.
  template <class Family>
  const Family* only() const {
    if (terms_.size() != 1 || terms_[0].factors.size() != 1 || terms_[0].weight != 1)
      return nullptr;
    return std::get_if<Family>(&terms_[0].factors[0]);
  }

 private:
  std::vector<KernelTerm> terms_;
};

/// A family as the catalogue shows it.
struct FamilyInfo {
  std::string name, alias, summary, formula;
  std::string parameters;  // "sigma=median (or gamma)"
  Form form;
};
std::vector<FamilyInfo> kernel_families();

}  // namespace mercer
