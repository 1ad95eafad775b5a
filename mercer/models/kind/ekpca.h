// Kernel PCA on basic patterns (EKPCA): rows whose columns of the kernel matrix are unlike each
// other are kept (detail/ekpca/patterns.h), and kernel PCA is rebuilt with axes that are
// combinations of those rows alone (detail/ekpca/rebuild.h). A new row is compared with the
// patterns, not with all training rows. Fan, Wang, Xu, Tang: An efficient KPCA algorithm based on
// feature correlation evaluation (2014).
#pragma once

#include "mercer/kernels/kernel.h"
#include "mercer/models/ability.h"
#include "mercer/models/eigen_options.h"
#include "mercer/models/kernel_expansion.h"
#include "mercer/models/kind.h"

#include <array>
#include <string_view>
#include <vector>

namespace mercer {

/// How patterns are chosen: by the likeness of their columns, Pearson's correlation or the cosine,
/// which a wide kernel makes 1 for all of them; or, for comparison, by randomly pivoted Cholesky,
/// or evenly drawn.
enum class PatternRule { correlation, cosine, cholesky, random };

inline constexpr std::array<std::string_view, 4> kPatternRules = {"correlation", "cosine",
                                                                  "cholesky", "random"};
constexpr ChoiceWords choice_words(PatternRule) {
  return {"way to select patterns", "ways to select patterns", kPatternRules};
}

struct EkpcaOptions {
  Kernel kernel = "gaussian";
  Components components = {};
  double threshold = 0.95;
  Index patterns = 0;
  Choice<PatternRule> select = PatternRule::correlation;
  Index column_rows = 1000;
  Choice<Scaling> scale = Scaling::none;
  Index seed = 0;

  template <class Fields>
  void describe(Fields& field) {
    field("kernel", kernel, "kernel, such as gaussian:sigma=0.5 (mercer list kernels)");
    field("components", components, "count, share of the variance that the patterns hold, or all");
    field("threshold", threshold, "patterns are less alike than this, from 0 to 1",
          Limit::positive);
    field("patterns", patterns,
          "keep so many patterns, whatever the threshold; 0: by the threshold",
          Limit::non_negative);
    field("select", select,
          "patterns by the likeness of their kernel columns: correlation or cosine; or by pivoted "
          "cholesky, or at random");
    field("column_rows", column_rows, "rows at which columns are compared, drawn by --seed",
          Limit::whole_positive);
    describe_scaling(field, *this);
    field("seed", seed,
          "of the rows at which columns are compared, and of patterns that are drawn");
  }
  /// Throws M102 for options that contradict each other; `given`: those that were given.
  void check(const Value& given) const;
};

class Ekpca final : public Transforms, public Method<Ekpca, EkpcaOptions> {
 public:
  static constexpr std::string_view kName = "ekpca";
  static constexpr std::string_view kSummary =
      "kernel PCA rebuilt on a few basic patterns: rows whose kernel columns are unlike";
  static constexpr Takes kTakes{};

  static Ekpca train(const Prepared& prepared, const EkpcaOptions& options, const Plan& plan,
                     const Context& context);
  static Ekpca from(State state);

  std::string_view kind() const override { return kName; }
  std::vector<std::string> formulas() const override;
  Value kernel_description() const override { return expansion_.description(); }
  Index score_columns() const override { return expansion_.functions(); }
  /// The components as functions of a row, over the patterns.
  const KernelExpansion& expansion() const { return expansion_; }
  /// mu: variances of the scores times the number of rows.
  const Vector& eigenvalues() const { return eigenvalues_; }

 protected:
  Block project(DataView rows, const Context& context) const override {
    return expansion_.values(rows, context);
  }
  Projection projection(const DataView* all, const Context& context) const override {
    return expansion_.values_of_blocks(all, context);
  }
  std::vector<Index> doubtful_rows(DataView rows, ConstBlockRef scores) const override;
  Index copied_numbers(DataView rows) const override { return expansion_.copied_numbers(rows); }
  void save(State& state) const override;

 private:
  explicit Ekpca(KernelExpansion expansion) : expansion_(std::move(expansion)) {}

  KernelExpansion expansion_;
  Vector eigenvalues_;
};

}  // namespace mercer
