// Kernel PCA. With the centred Gram matrix K~ = H K H and K~ u = mu u, |u| = 1:
//   scores of training rows   sqrt(mu) u
//   coefficients              a = u / sqrt(mu), so that the axis sum_i a_i phi(x_i) has unit length
//   scores of a new row x     y = A' k_x - b,   k_x = (k(x, x_i))_i,   b = A' r,   r = row means of
//   K
// New rows are centred with the training means. Kernels that are conditionally positive definite of
// order 2 (thin plate splines) have all affine functions (1, x) removed instead of the mean: then b
// is an affine function of the new row. Instead of a table the rows may be a kernel or distance
// matrix; new rows are then values against the training samples. Schoelkopf, Smola, Mueller:
// Nonlinear component analysis (1998).
#pragma once

#include "mercer/kernels/kernel.h"
#include "mercer/models/ability.h"
#include "mercer/models/eigen_options.h"
#include "mercer/models/indefinite.h"
#include "mercer/models/kernel_expansion.h"
#include "mercer/models/kind.h"
#include "mercer/models/score_inverse.h"
#include "mercer/operators/given.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mercer {

/// What is removed for thin plate splines: all affine functions, or the constant alone.
enum class Nullspace { affine, constant };

inline constexpr std::array<std::string_view, 2> kNullspaceWords = {"affine", "constant"};
constexpr ChoiceWords choice_words(Nullspace) {
  return {"null space", "null spaces", kNullspaceWords};
}

struct KernelPcaOptions {
  Kernel kernel = "gaussian";
  Components components = {};
  Tolerance tolerance = {};
  bool center = true;
  Choice<Indefinite> indefinite = Indefinite::clip;
  Choice<Nullspace> nullspace = Nullspace::affine;
  Choice<Given> as = Given::table;
  Choice<Certify> certify = Certify::automatic;
  Choice<Scaling> scale = Scaling::none;
  Index seed = 0;
  bool preimage = false;
  double alpha = 1;
  std::string preimage_kernel = {};
  bool of_distances = false;  // the kernel is one of the given distances, not -d^2/2

  template <class Fields>
  void describe(Fields& field) {
    field("kernel", kernel, "kernel, such as gaussian:sigma=0.5 (mercer list kernels)");
    describe_eigenproblem(field, *this);
    describe_centring(field, *this);
    field("indefinite", indefinite, "negative eigenvalues: clip, flip, shift, krein or error");
    field("nullspace", nullspace, "thin plate splines: functions removed, affine or constant");
    field("as", as, "what the rows are: table, kernel, distance or squared-distance");
    describe_scaling(field, *this);
    field("preimage", preimage, "learn the way back from scores to rows, for inverse");
    field("alpha", alpha, "ridge of the regression behind the way back", Limit::non_negative);
    field("preimage-kernel", preimage_kernel,
          "kernel between scores for the way back; default: that of the fit, with widths that "
          "depend on the data found anew");
  }
  /// Throws M102 for options that contradict each other; `given`: those that were given.
  void check(const Value& given) const;
  /// The same for options that were read: a kernel that was given is one of the given distances.
  void check(const Value& given) {
    of_distances = holds_distances(as) && !given["kernel"].is_null();
    std::as_const(*this).check(given);
  }
};

class KernelPca final : public Transforms,
                        public Inverts,
                        public Method<KernelPca, KernelPcaOptions> {
 public:
  static constexpr std::string_view kName = "kernel_pca";
  static constexpr std::string_view kSummary =
      "principal components in the feature space of a kernel";
  static constexpr Takes kTakes{.pairs = true, .start = true};
  static constexpr std::string_view kInverseOption = "--preimage";

  /// Rows are kept in the model (a given matrix is not). Throws M230 to M233, M240 to M245, M301.
  static KernelPca train(const Prepared& prepared, const KernelPcaOptions& options,
                         const Plan& plan, const Context& context);
  static Plan plan_for(const Prepared& prepared, const KernelPcaOptions& options,
                       const Context& context);
  static KernelPca from(State state);

  std::string_view kind() const override { return kName; }
  std::vector<std::string> formulas() const override;
  Value kernel_description() const override { return expansion_.description(); }
  bool needs_cross_matrix() const override { return expansion_.given() != Given::table; }

  /// The components as functions of a row.
  const KernelExpansion& expansion() const { return expansion_; }
  const Kernel& kernel() const { return expansion_.kernel(); }
  /// A: one column per component; of fits through features empty, or those of a few chosen rows.
  const Block& coefficients() const { return expansion_.coefficients(); }
  /// Scores of the training rows. Fits through features do not save them: a model that was loaded
  /// throws M703, and transform() gives them again.
  Block scores() const;
  void training_score_blocks(DataView rows, const Context& context,
                             const TakeRows& take) const override;
  Block fitted_scores(DataView seen, const Context& context) const override;
  bool holds_scores() const override { return score_factor_.size() > 0; }
  const Dataset* stored_rows() const override;
  /// Learns the way back from the scores of the training rows, which the caller passes again, and
  /// notes it among the options. Throws as ScoreInverse::learn does, M102 for given matrices.
  void learn_inverse(DataView rows, const Kernel& kernel, double alpha, const Context& context);
  std::string_view inverse_with() const override { return way_back_ ? "" : kInverseOption; }
  /// Policy krein: the sign of each component's eigenvalue.
  const Vector& signature() const { return signature_; }

 protected:
  Block held_scores() const override { return scores(); }
  Block project(DataView rows, const Context& context) const override {
    return expansion_.values(rows, context);
  }
  Projection projection(const DataView* all, const Context& context) const override {
    return expansion_.values_of_blocks(all, context);
  }
  std::vector<Index> doubtful_rows(DataView rows, ConstBlockRef scores) const override;
  Index copied_numbers(DataView rows) const override { return expansion_.copied_numbers(rows); }
  Index fixed_block() const override { return expansion_.fixed_block(); }
  Index scores_wanted() const override { return score_columns(); }
  Points lift_back(ConstBlockRef scores, const Context& context) const override {
    return way_back_->rows(scores, context);
  }
  void save(State& state) const override;

 private:
  static KernelPca solved(const Prepared& prepared, const KernelPcaOptions& options,
                          const Plan& plan, const Context& context);
  explicit KernelPca(KernelExpansion expansion) : expansion_(std::move(expansion)) {}

  KernelExpansion expansion_;
  Vector signature_, score_factor_;  // scores = coefficients * score_factor
  std::optional<ScoreInverse> way_back_;
  Block scores_;  // of the training rows, after a fit through features
};

}  // namespace mercer
