// Factor analysis: x = m + L f + e with factors f of variance 1 and errors e of variance psi, one
// for each column (its uniqueness). Maximum likelihood of the covariance
//     C = L Phi L' + diag(psi)
// whose factors may then be turned to be read: varimax (Phi = I), promax (correlated factors, Phi).
// All is computed from the correlations, made once, and taken back to the columns' units, so that
// the fit does not depend on these.
//     scores   regression: E[f | x];   bartlett: the f with the least |psi^-1/2 (x - m - L f)|
#pragma once

#include "mercer/models/ability.h"
#include "mercer/models/component_rules.h"
#include "mercer/models/eigen_options.h"
#include "mercer/models/factor_gaussian.h"
#include "mercer/models/kind.h"

#include <array>
#include <string_view>
#include <vector>

namespace mercer {

enum class FactorAlgorithm { profile, em };
enum class FactorRotation { none, varimax, promax };
enum class FactorScoring { regression, bartlett };

inline constexpr std::array<std::string_view, 2> kFactorAlgorithms = {"profile", "em"};
inline constexpr std::array<std::string_view, 3> kFactorRotations = {"none", "varimax", "promax"};
inline constexpr std::array<std::string_view, 2> kFactorScorings = {"regression", "bartlett"};
constexpr ChoiceWords choice_words(FactorAlgorithm) {
  return {"algorithm", "algorithms", kFactorAlgorithms};
}
constexpr ChoiceWords choice_words(FactorRotation) {
  return {"rotation", "rotations", kFactorRotations};
}
constexpr ChoiceWords choice_words(FactorScoring) {
  return {"kind of scores", "kinds of scores", kFactorScorings};
}

struct FactorAnalysisOptions {
  Components components = {};
  Choice<FactorAlgorithm> algorithm = FactorAlgorithm::profile;
  Choice<FactorRotation> rotation = FactorRotation::none;
  Choice<FactorScoring> scoring = FactorScoring::regression;
  Index iterations = 10'000;
  Choice<Scaling> scale = Scaling::none;
  Index seed = 0;

  template <class Fields>
  void describe(Fields& field) {
    field("components", components,
          "factors: a count, all, or auto:RULE with parallel (plain auto) or likelihood");
    field("algorithm", algorithm, "profile: a search over the uniquenesses; em: step by step");
    field("rotation", rotation, "of the loadings: none, varimax or promax (correlated factors)");
    field("scoring", scoring, "kind of scores: regression or bartlett");
    field("iterations", iterations, "steps, at most", Limit::whole_positive);
    describe_scaling(field, *this);
    field("seed", seed, "of what the rules for components draw");
  }
  void check(const Value&) const;
  /// The likelihood is largest for the same factors whatever the columns are multiplied by.
  bool unit_free() const { return true; }
};

class FactorAnalysis final : public Transforms,
                             public Inverts,
                             public Likelihood,
                             public Imputes,
                             public Samples,
                             public Method<FactorAnalysis, FactorAnalysisOptions> {
 public:
  static constexpr std::string_view kName = "factor_analysis";
  static constexpr std::string_view kSummary =
      "factors behind the columns: loadings, uniquenesses, rotations, a test of the fit";
  static constexpr Takes kTakes{.sparse = false};

  static FactorAnalysis train(const Prepared& prepared, const FactorAnalysisOptions& options,
                              const Plan& plan, const Context& context);
  static FactorAnalysis from(State state);

  std::string_view kind() const override { return kName; }
  std::vector<std::string> formulas() const override;
  Index score_columns() const override { return loadings_.cols(); }
  /// L, in the columns' units; factors by falling sum of squares of the standardised ones.
  const Block& loadings() const { return loadings_; }
  const Vector& uniquenesses() const { return gaussian_.noise; }
  const Vector& mean() const { return gaussian_.mean; }
  /// Phi.
  const Block& factor_correlations() const { return correlations_; }

 protected:
  Block project(DataView rows, const Context& context) const override;
  Index scores_wanted() const override { return score_columns(); }
  Points lift_back(ConstBlockRef scores, const Context& context) const override;
  Vector log_density_of(DataView rows, const Context& context) const override;
  Points fill_gaps(DataView rows, const Context& context) const override;
  Points draw(Index n, std::uint64_t seed, const Context& context) const override;
  void save(State& state) const override;

 private:
  FactorAnalysis() = default;
  void make_maps();
  void add_figures(const Vector& deviation);

  FactorScoring scoring_ = FactorScoring::regression;
  Block loadings_, correlations_;
  FactorGaussian gaussian_;  // with independent factors: its loadings are L chol(Phi)
  Block to_scores_;          // scores = E to_scores_', E the posterior means of those
  Block from_scores_;        // and the factors of the nearest point = scores from_scores_'
};

}  // namespace mercer
