// Kernel discriminant analysis: the directions w of a feature space in which classes lie apart,
//   maximise  w'S_b w / w'(S_w + e I) w,
// S_b the scatter of the means of the classes, S_w the scatter within them. Solved in the range of
// the centred Gram matrix, so that e = 0 is allowed where S_w
// is regular there. With the linear kernel and e = 0 this is Fisher's discriminant analysis. New
// rows get   y = A' k_x - b,   scaled so that S_w + e I is n - C times the identity, and classes by
// the distance to their means, or by Gaussians in that space.
#pragma once

#include "mercer/models/ability.h"
#include "mercer/models/class_densities.h"
#include "mercer/models/eigen_options.h"
#include "mercer/models/kernel_expansion.h"
#include "mercer/models/kind.h"
#include "mercer/models/range_options.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

enum class Classifier { nearest, gaussian };
inline constexpr std::array<std::string_view, 2> kClassifiers = {"nearest", "gaussian"};
constexpr ChoiceWords choice_words(Classifier) {
  return {"classifier", "classifiers", kClassifiers};
}

enum class ClassCovariance { shared, own };
inline constexpr std::array<std::string_view, 2> kClassCovariances = {"shared", "own"};
constexpr ChoiceWords choice_words(ClassCovariance) {
  return {"covariance", "covariances", kClassCovariances};
}

struct KernelLdaOptions {
  Kernel kernel = "gaussian";
  Components components = Components::all();
  std::string ridge = "auto";
  Components rank = Components::automatic();
  Choice<Span> span = Span::automatic;
  Choice<Classifier> classifier = Classifier::nearest;
  Choice<ClassCovariance> covariance = ClassCovariance::shared;
  std::string priors = "empirical";
  Choice<Scaling> scale = Scaling::none;
  Index seed = 0;

  template <class Fields>
  void describe(Fields& field) {
    field("kernel", kernel, "kernel, such as gaussian:sigma=0.5 (mercer list kernels)");
    field("components", components,
          "discriminants: a count, share of their eigenvalues in (0, 1), or all (classes less 1)");
    field("ridge", ridge,
          "added to the scatter within classes, as a share of the total scatter; auto: the best of "
          "21 when each row is left out");
    describe_range(field, *this);
    field("classifier", classifier,
          "nearest: by distance to the class means; gaussian: with the covariance of the scores");
    field("covariance", covariance, "gaussian: shared by all classes, or each class its own");
    field("priors", priors, "empirical, equal, or a list of numbers in the order of the classes");
    describe_scaling(field, *this);
  }
  /// Throws M102 for options that contradict each other.
  void check(const Value& given) const;
  /// Linear discriminants are the same in any units; a ridge is a share of all scatter, which is
  /// not.
  bool unit_free() const;
};

class KernelLda final : public Transforms,
                        public Predicts,
                        public Method<KernelLda, KernelLdaOptions> {
 public:
  static constexpr std::string_view kName = "kernel_lda";
  static constexpr std::string_view kSummary =
      "discriminant analysis in the feature space of a kernel: scores that tell classes apart";
  static constexpr Takes kTakes{.labels = Need::must};

  /// Throws M257, M270 to M273 beside what every fit of a kernel throws.
  static KernelLda train(const Prepared& prepared, const KernelLdaOptions& options,
                         const Plan& plan, const Context& context);
  static Plan plan_for(const Prepared& prepared, const KernelLdaOptions& options,
                       const Context& context);
  static KernelLda from(State state);

  std::string_view kind() const override { return kName; }
  std::vector<std::string> formulas() const override;
  std::string remark() const override { return remark_; }
  bool classifies() const override { return true; }
  Index score_columns() const override { return expansion_.functions(); }
  Value kernel_description() const override { return expansion_.description(); }

  /// The discriminants as functions of a row.
  const KernelExpansion& expansion() const { return expansion_; }
  const Dataset* stored_rows() const override {
    return expansion_.points().n() == report.n ? &expansion_.points() : nullptr;
  }
  /// Scatter between over scatter within classes (with the ridge), descending.
  const Vector& eigenvalues() const { return eigenvalues_; }
  const Block& class_means() const { return densities_.means; }

 protected:
  Block project(DataView rows, const Context& context) const override {
    return expansion_.values(rows, context);
  }
  Projection projection(const DataView* all, const Context& context) const override {
    return expansion_.values_of_blocks(all, context);
  }
  Block predict_rows(DataView rows, const Context& context) const override;
  std::vector<Index> doubtful_rows(DataView rows, ConstBlockRef scores) const override;
  Index copied_numbers(DataView rows) const override { return expansion_.copied_numbers(rows); }
  Index fixed_block() const override { return expansion_.fixed_block(); }
  void save(State& state) const override;

 private:
  explicit KernelLda(KernelExpansion expansion) : expansion_(std::move(expansion)) {}

  KernelExpansion expansion_;
  Vector eigenvalues_;
  ClassDensities densities_;
  std::string remark_;
};

}  // namespace mercer
