// Partial least squares regression: components that go with the targets. With X and Y centred,
//   w_a = X_a'Y c / |X_a'Y c|,   t_a = X_a w_a,   X_{a+1} = (I - t t'/t't) X_a,   X_1 = X
// scores T = X R, predictions mean(Y) + (x - m) B, B = R Q', Q = Y'T (T'T)^-1. For several targets
// c is the leading right singular vector of X_a'Y. SIMPLS takes the directions X't out of X'Y
// instead: the same for one target, nearly the same for several. With a kernel X is the feature
// space:   f(x) = sum_i a_i k(x, x_i) + b.
#pragma once

#include "mercer/kernels/kernel.h"
#include "mercer/models/ability.h"
#include "mercer/models/eigen_options.h"
#include "mercer/models/fold_options.h"
#include "mercer/models/kernel_expansion.h"
#include "mercer/models/kind.h"
#include "mercer/models/linear_fit.h"

#include <array>
#include <string_view>
#include <vector>

namespace mercer {

enum class PlsAlgorithm { automatic, nipals, simpls, deflation, kernel };

inline constexpr std::array<std::string_view, 5> kPlsAlgorithms = {"auto", "nipals", "simpls",
                                                                   "deflation", "kernel"};
constexpr ChoiceWords choice_words(PlsAlgorithm) {
  return {"algorithm", "algorithms", kPlsAlgorithms};
}

struct PlsOptions {
  Components components = {};
  Choice<PlsAlgorithm> algorithm = PlsAlgorithm::automatic;
  Kernel kernel = "linear";
  bool scale_targets = false;
  Index folds = 0;
  Choice<FoldType> fold_type = FoldType::random;
  Choice<Scaling> scale = Scaling::none;
  Index seed = 0;

  template <class Fields>
  void describe(Fields& field) {
    describe_folds(field, *this);
    field("algorithm", algorithm,
          "nipals, simpls, deflation (of a copy of the table) or kernel (products of rows; auto "
          "for wide tables)");
    field("kernel", kernel, "kernel PLS with another kernel than linear, such as gaussian");
    field("scale-targets", scale_targets, "each target over its deviation: all count the same");
    describe_scaling(field, *this);
  }
  /// Throws M102 for options that contradict each other.
  void check(const Value& given) const;
};

class Pls final : public Transforms, public Predicts, public Method<Pls, PlsOptions> {
 public:
  static constexpr std::string_view kName = "pls";
  static constexpr std::string_view kSummary =
      "partial least squares: numbers predicted from few components that go with them";
  static constexpr Takes kTakes{.targets = Need::must};

  static Pls train(const Prepared& prepared, const PlsOptions& options, const Plan& plan,
                   const Context& context);
  static Pls from(State state);

  std::string_view kind() const override { return kName; }
  std::vector<std::string> formulas() const override;
  bool classifies() const override { return false; }
  Index score_columns() const override {
    return has_kernel() ? expansion_.functions() : linear_.directions.cols();
  }
  Value kernel_description() const override {
    return has_kernel() ? expansion_.description() : Value();
  }
  bool has_kernel() const { return slopes_.size() > 0; }
  const Dataset* stored_rows() const override {
    return has_kernel() && expansion_.points().n() == report.n ? &expansion_.points() : nullptr;
  }
  /// Of linear fits: means, directions, coefficients, in units of the scaled columns.
  const LinearFit& linear() const { return linear_; }
  /// Of kernel fits: scores as functions of a row, and the predictions' slopes along them.
  const KernelExpansion& expansion() const { return expansion_; }
  const Block& slopes() const { return slopes_; }

 protected:
  Block project(DataView rows, const Context& context) const override;
  Block predict_rows(DataView rows, const Context& context) const override;
  Index copied_numbers(DataView rows) const override {
    return has_kernel() ? expansion_.copied_numbers(rows) : 0;
  }
  void save(State& state) const override;

 private:
  void train_linear(const Prepared& prepared, const PlsOptions& wanted, const Context& context);
  void train_kernel(const Prepared& prepared, const PlsOptions& wanted, const Context& context);

  LinearFit linear_;
  KernelExpansion expansion_{"linear", true};
  Block slopes_;        // a row for each component, a column for each target
  Vector target_mean_;  // of kernel fits
};

}  // namespace mercer
