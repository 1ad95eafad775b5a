// Independent component analysis: rows are mixtures x = m + A s of sources s that are independent
// of each other and not Gaussian; found are the sources
//   s = W L^-1/2 V'(x - m)
// with the axes V and variances L of PCA (whitening) and W by FastICA, where it is a rotation and
// sources have unit variance, or by maximum likelihood, where it fixes their scale too. The mixing
// matrix is A = V L^1/2 W^-1. Which source comes first, and with which sign, the data cannot tell:
// here that with the largest negentropy, and the largest entry of a column of A is positive.
#pragma once

#include "mercer/models/ability.h"
#include "mercer/models/eigen_options.h"
#include "mercer/models/kind.h"

#include <array>
#include <string_view>
#include <vector>

namespace mercer {

enum class IcaAlgorithm { fastica, likelihood };
enum class IcaContrast { logcosh, exp, cube };
enum class IcaApproach { symmetric, deflation };

inline constexpr std::array<std::string_view, 2> kIcaAlgorithms = {"fastica", "likelihood"};
inline constexpr std::array<std::string_view, 3> kIcaContrasts = {"logcosh", "exp", "cube"};
inline constexpr std::array<std::string_view, 2> kIcaApproaches = {"symmetric", "deflation"};
constexpr ChoiceWords choice_words(IcaAlgorithm) {
  return {"algorithm", "algorithms", kIcaAlgorithms};
}
constexpr ChoiceWords choice_words(IcaContrast) { return {"contrast", "contrasts", kIcaContrasts}; }
constexpr ChoiceWords choice_words(IcaApproach) {
  return {"approach", "approaches", kIcaApproaches};
}

struct IcaOptions {
  Components components = Components::all();
  Choice<IcaAlgorithm> algorithm = IcaAlgorithm::fastica;
  Choice<IcaContrast> contrast = IcaContrast::logcosh;
  Choice<IcaApproach> approach = IcaApproach::symmetric;
  bool extended = true;
  Index restarts = 0;
  Index iterations = 1000;
  Tolerance tolerance = {};
  Choice<Scaling> scale = Scaling::none;
  Index seed = 0;

  template <class Fields>
  void describe(Fields& field) {
    field("components", components, "a count of sources, a share of variance in (0, 1), or all");
    field("algorithm", algorithm, "fastica, or the likelihood of heavy-tailed sources");
    field("contrast", contrast, "of fastica: logcosh, exp or cube");
    field("approach", approach, "of fastica: all sources at once, or one by one");
    field("extended", extended,
          "of the likelihood: no density for light-tailed sources, 1/(pi cosh u) for all");
    field("restarts", restarts, "further random starts; the best is kept", Limit::non_negative);
    field("iterations", iterations, "at most, from each start", Limit::whole_positive);
    field("tolerance", tolerance,
          "of fastica, 1 - |cos| between steps; of the likelihood, the largest entry of its "
          "gradient");
    describe_scaling(field, *this);
    field("seed", seed, "of random starts");
  }
  /// Throws M102 for an option that the algorithm does not have.
  void check(const Value& given) const;
  /// Rows are whitened: with all components kept, units go with the rest of their covariance.
  bool unit_free() const { return components.is_all(); }
};

class Ica final : public Transforms, public Inverts, public Method<Ica, IcaOptions> {
 public:
  static constexpr std::string_view kName = "ica";
  static constexpr std::string_view kSummary =
      "independent sources of mixed columns: FastICA, maximum likelihood";
  static constexpr Takes kTakes{.sparse = false, .start = true};

  static Ica train(const Prepared& prepared, const IcaOptions& options, const Plan& plan,
                   const Context& context);
  static Plan plan_for(const Prepared& prepared, const IcaOptions& options, const Context& context);
  static Ica from(State state);

  std::string_view kind() const override { return kName; }
  std::vector<std::string> formulas() const override;
  Index score_columns() const override { return mixing_.cols(); }
  /// A: a row for each column of the table, a column for each source.
  const Block& mixing() const { return mixing_; }
  /// A row for each source: s = unmixing (x - mean).
  Block unmixing() const { return map_.transpose(); }
  const Vector& mean() const { return mean_; }

 protected:
  Block project(DataView rows, const Context& context) const override;
  Index copied_numbers(DataView) const override { return 0; }  // a few rows per thread
  Index scores_wanted() const override { return score_columns(); }
  Points lift_back(ConstBlockRef scores, const Context& context) const override;
  void save(State& state) const override;

 private:
  Ica() = default;

  Block mixing_, map_;  // map_: the transpose of the unmixing matrix
  Vector mean_;
};

}  // namespace mercer
