// Independent components by kernels: as `ica`, rows are mixtures x = m + A s, but what is made
// small is no moment of single sources. It is the correlation that is left between functions of
// different sources, all of those in the feature space of a Gaussian kernel (Bach and Jordan 2002),
// which vanishes where sources are independent, whatever their densities:
//   KGV = -1/2 ln det R,   KCC = -1/2 ln lambda_min(R),   R of the sources' Gram matrices,
// over the rotations of whitened rows. Sources have unit variance; that with the largest negentropy
// comes first, and the largest entry of a column of A is positive.
#pragma once

#include "mercer/models/ability.h"
#include "mercer/models/eigen_options.h"
#include "mercer/models/kind.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

enum class KernelIcaContrast { kgv, kcc };

inline constexpr std::array<std::string_view, 2> kKernelIcaContrasts = {"kgv", "kcc"};
constexpr ChoiceWords choice_words(KernelIcaContrast) {
  return {"contrast", "contrasts", kKernelIcaContrasts};
}

struct KernelIcaOptions {
  Components components = Components::all();
  Choice<KernelIcaContrast> contrast = KernelIcaContrast::kgv;
  double sigma = 0;  // 0: by the number of rows
  double kappa = 0;
  bool narrow = true;
  Index restarts = 10;
  Index iterations = 200;
  Tolerance tolerance = {};
  std::string truth = {};
  Choice<Scaling> scale = Scaling::none;
  Index seed = 0;

  template <class Fields>
  void describe(Fields& field) {
    field("components", components, "sources: a count, a share of variance in (0, 1), or all");
    field("contrast", contrast, "kgv, the generalised variance, or kcc, the first correlation");
    field("sigma", sigma,
          "width of the kernel on sources of variance 1; 0: 1 up to 1000 rows, "
          "0.5 above",
          Limit::non_negative);
    field("kappa", kappa, "regularisation, of n kappa / 2; 0: 2e-2 up to 1000 rows, 2e-3 above",
          Limit::non_negative);
    field("narrow", narrow, "stay at sigma, without a last search at sigma / 2");
    field("restarts", restarts, "random starts beside that of FastICA; the best is kept",
          Limit::non_negative);
    field("iterations", iterations, "at most, of each search", Limit::whole_positive);
    field("tolerance", tolerance, "1 - |cos| of the turn of a source by the last step");
    field("truth", truth,
          "the true mixing matrix, where it is known, as \"1,2;3,4\": a row for each column of the "
          "table; the Amari index is then among the figures");
    describe_scaling(field, *this);
    field("seed", seed, "of random starts, and of the rows that searches begin with");
  }
  /// Throws M102 for what the method cannot have.
  void check(const Value& given) const;
  /// Rows are whitened: with all components kept, units go with the rest of their covariance.
  bool unit_free() const { return components.is_all(); }
};

class KernelIca final : public Transforms,
                        public Inverts,
                        public Method<KernelIca, KernelIcaOptions> {
 public:
  static constexpr std::string_view kName = "kernel_ica";
  static constexpr std::string_view kSummary =
      "independent sources of mixed columns by kernels, whatever their densities";
  static constexpr Takes kTakes{.sparse = false};

  static KernelIca train(const Prepared& prepared, const KernelIcaOptions& options,
                         const Plan& plan, const Context& context);
  static Plan plan_for(const Prepared& prepared, const KernelIcaOptions& options,
                       const Context& context);
  static KernelIca from(State state);

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
  KernelIca() = default;

  Block mixing_, map_;  // map_: the transpose of the unmixing matrix
  Vector mean_;
};

}  // namespace mercer
