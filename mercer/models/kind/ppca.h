// Probabilistic PCA: x = m + W u + e with u ~ N(0, I), e ~ N(0, s2 I). With lambda the eigenvalues
// of the covariance (divided by n) and U its eigenvectors, the likelihood is largest at
//     s2 = (trace - sum_{k<=K} lambda_k) / (dim - K),   W = U_K (L_K - s2 I)^1/2
//     log likelihood = -n/2 [dim ln 2 pi + sum_{k<=K} ln lambda_k + (dim - K) ln s2 + dim]
// which the eigenproblem of PCA gives (closed). EM finds it too, and goes on where values are
// missing. Scores are posterior means E[u | x]; going back gives the nearest point of the plane m +
// W u, which is the reconstruction of PCA.
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

enum class PpcaAlgorithm { automatic, closed, em };

inline constexpr std::array<std::string_view, 3> kPpcaAlgorithms = {"auto", "closed", "em"};
constexpr ChoiceWords choice_words(PpcaAlgorithm) {
  return {"algorithm", "algorithms", kPpcaAlgorithms};
}

struct PpcaOptions {
  Components components = {};
  Tolerance tolerance = {};
  Choice<PpcaAlgorithm> algorithm = PpcaAlgorithm::automatic;
  Index iterations = 10'000;
  Choice<Certify> certify = Certify::automatic;
  Choice<Scaling> scale = Scaling::none;
  Index seed = 0;

  template <class Fields>
  void describe(Fields& field) {
    describe_eigenproblem(field, *this,
                          "a count, a share of variance in (0, 1), all, or auto:RULE with minka "
                          "(plain auto), parallel, broken-stick or likelihood (with missing values "
                          "the only one, and plain auto)");
    field("algorithm", algorithm,
          "closed: from the eigenproblem; em: step by step; auto: em where values are missing");
    field("iterations", iterations, "steps of EM, at most", Limit::whole_positive);
    describe_scaling(field, *this);
  }
  void check(const Value&) const;
};

class Ppca final : public Transforms,
                   public Inverts,
                   public Likelihood,
                   public Imputes,
                   public Samples,
                   public Method<Ppca, PpcaOptions> {
 public:
  static constexpr std::string_view kName = "ppca";
  static constexpr std::string_view kSummary =
      "probabilistic PCA: likelihood, missing values, samples";
  static constexpr Takes kTakes{.missing = true, .sparse = false, .start = true};

  static Ppca train(const Prepared& prepared, const PpcaOptions& options, const Plan& plan,
                    const Context& context);
  static Plan plan_for(const Prepared& prepared, const PpcaOptions& options,
                       const Context& context);
  static Ppca from(State state);

  std::string_view kind() const override { return kName; }
  std::vector<std::string> formulas() const override;
  Index score_columns() const override { return gaussian_.factors(); }
  bool takes_gaps() const override { return gaps_; }
  /// W: orthogonal columns, the entry of largest magnitude of each is positive.
  const Block& loadings() const { return gaussian_.loadings; }
  const Vector& mean() const { return gaussian_.mean; }
  double noise_variance() const { return gaussian_.noise[0]; }

 protected:
  Block project(DataView rows, const Context& context) const override;
  Index scores_wanted() const override { return score_columns(); }
  Points lift_back(ConstBlockRef scores, const Context& context) const override;
  Vector log_density_of(DataView rows, const Context& context) const override;
  Points fill_gaps(DataView rows, const Context& context) const override;
  Points draw(Index n, std::uint64_t seed, const Context& context) const override;
  void save(State& state) const override;

 private:
  Ppca() = default;
  void take_closed(const Prepared& prepared, const PpcaOptions& asked, const Plan& plan,
                   const Context& context);
  void take_em(const Prepared& prepared, const PpcaOptions& asked, const Context& context);
  void add_figures(double log_likelihood, double rows, double cells);

  FactorGaussian gaussian_;
  bool gaps_ = false;  // values were missing, and may be in new rows
};

}  // namespace mercer
