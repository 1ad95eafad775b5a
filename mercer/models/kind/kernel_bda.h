// Kernel biased discriminant analysis: one positive class and the rest. Finds directions of a
// feature space in which positive rows lie close together and negative ones far from their mean,
// and ranks rows by the distance to that mean: small for rows like the positive ones. Rows without
// a class (an empty cell) are ranked like new ones and teach only what the space looks like, so
// that feedback can be given round by round: the same table with more labels.
#pragma once

#include "mercer/models/ability.h"
#include "mercer/models/eigen_options.h"
#include "mercer/models/kernel_expansion.h"
#include "mercer/models/kind.h"
#include "mercer/models/range_options.h"

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

struct KernelBdaOptions {
  Kernel kernel = "gaussian";
  std::string positive = "";
  Components components = Components::all();
  std::string ridge = "0.1";
  Components rank = Components::automatic();
  Choice<Span> span = Span::automatic;
  Choice<Scaling> scale = Scaling::none;
  Index seed = 0;

  template <class Fields>
  void describe(Fields& field) {
    field("kernel", kernel, "kernel, such as gaussian:sigma=0.5 (mercer list kernels)");
    field("positive", positive, "the class that is sought; default: the first by name");
    field("components", components,
          "directions: a count, share of their eigenvalues in (0, 1), or all (as many as the "
          "smaller of both groups has rows)");
    field("ridge", ridge,
          "share of the positive scatter that is replaced by the same in all directions, 0 to 1");
    describe_range(field, *this);
    describe_scaling(field, *this);
  }
  void check(const Value& given) const;
};

class KernelBda final : public Transforms,
                        public Rates,
                        public Method<KernelBda, KernelBdaOptions> {
 public:
  static constexpr std::string_view kName = "kernel_bda";
  static constexpr std::string_view kSummary =
      "one class against the rest: rows ranked by the distance to its mean";
  static constexpr Takes kTakes{.labels = Need::must, .unlabelled = true, .start = true};

  /// Throws M257, M270, M271, M273 beside what every fit of a kernel throws.
  static KernelBda train(const Prepared& prepared, const KernelBdaOptions& options,
                         const Plan& plan, const Context& context);
  static Plan plan_for(const Prepared& prepared, const KernelBdaOptions& options,
                       const Context& context);
  static KernelBda from(State state);

  std::string_view kind() const override { return kName; }
  std::vector<std::string> formulas() const override;
  std::string remark() const override { return remark_; }
  std::string_view rating() const override { return "distance"; }
  Index score_columns() const override { return expansion_.functions(); }
  Value kernel_description() const override { return expansion_.description(); }
  const KernelExpansion& expansion() const { return expansion_; }
  const Dataset* stored_rows() const override {
    return expansion_.points().n() == report.n ? &expansion_.points() : nullptr;
  }
  /// Negative over positive scatter of each direction, descending.
  const Vector& eigenvalues() const { return eigenvalues_; }

 protected:
  Block project(DataView rows, const Context& context) const override {
    return expansion_.values(rows, context);
  }
  Projection projection(const DataView* all, const Context& context) const override {
    return expansion_.values_of_blocks(all, context);
  }
  Vector rate_rows(DataView rows, const Context& context) const override;
  std::vector<Index> doubtful_rows(DataView rows, ConstBlockRef scores) const override;
  Index copied_numbers(DataView rows) const override { return expansion_.copied_numbers(rows); }
  Index fixed_block() const override { return expansion_.fixed_block(); }
  void save(State& state) const override;

 private:
  explicit KernelBda(KernelExpansion expansion) : expansion_(std::move(expansion)) {}

  KernelExpansion expansion_;
  Vector eigenvalues_, positive_mean_;
  std::string remark_;
};

}  // namespace mercer
