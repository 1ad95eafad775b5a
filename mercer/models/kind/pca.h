// PCA and whitening. With centred rows X~ and X~'X~ w = mu w, |w| = 1 (the axes, n lambda = mu):
//   scores             X~ W
//   reconstruction     m + W W'(x - m)
//   whitened           pca: L^-1/2 W'(x - m),   zca: W L^-1/2 W'(x - m),   L = diag(lambda), lambda
//   = mu / n
// The smaller side is solved: the dim x dim covariance, which takes two walks over rows that need
// not be in memory, or the n x n Gram matrix with w = X~'u / sqrt(mu). Where neither fits, products
// with X~'X~ are walks over the rows, too; sparse rows keep their zeros.
#pragma once

#include "mercer/models/ability.h"
#include "mercer/models/eigen_options.h"
#include "mercer/models/kind.h"

#include <array>
#include <string_view>
#include <vector>

namespace mercer {

namespace detail {
struct GramFit;
}

enum class Whitening { none, pca, zca };

inline constexpr std::array<std::string_view, 3> kWhiteningWords = {"none", "pca", "zca"};
constexpr ChoiceWords choice_words(Whitening) {
  return {"whitening", "whitenings", kWhiteningWords};
}

struct PcaOptions {
  Components components = {};
  Tolerance tolerance = {};
  bool center = true;
  Choice<Whitening> whiten = Whitening::none;
  Choice<Certify> certify = Certify::automatic;
  Choice<Scaling> scale = Scaling::none;
  Index seed = 0;

  template <class Fields>
  void describe(Fields& field) {
    describe_eigenproblem(field, *this,
                          "a count, a share of variance in (0, 1), all, or auto:RULE with minka "
                          "(plain auto), parallel, broken-stick or likelihood");
    describe_centring(field, *this);
    field("whiten", whiten, "scores of unit variance: none, pca or zca");
    describe_scaling(field, *this);
  }
  void check(const Value&) const;
};

class Pca final : public Transforms, public Inverts, public Method<Pca, PcaOptions> {
 public:
  static constexpr std::string_view kName = "pca";
  static constexpr std::string_view kSummary =
      "principal components of the columns, whitening, reconstruction";
  static constexpr Takes kTakes{.chunks = true, .start = true};

  static Pca train(const Prepared& prepared, const PcaOptions& options, const Plan& plan,
                   const Context& context);
  static Plan plan_for(const Prepared& prepared, const PcaOptions& options, const Context& context);
  /// The same for a method that takes the axes and leaves the model: nothing is known of the
  /// scores.
  static Pca axes_for(const Prepared& prepared, const PcaOptions& options, const Plan& plan,
                      const Context& context);
  static Pca from(State state);

  std::string_view kind() const override { return kName; }
  std::vector<std::string> formulas() const override;
  std::string remark() const override;
  Index score_columns() const override {
    return whiten_ == Whitening::zca ? report.dim : axes_.cols();
  }
  /// W: one unit column per component; the entry of largest magnitude is positive.
  const Block& axes() const { return axes_; }
  const Vector& mean() const { return mean_; }
  /// m + W W'(x - m) of each row.
  Points reconstruct(DataView rows, const Context& context = {}) const;
  std::vector<Index> extrapolated(ConstBlockRef scores) const override;

 protected:
  Block project(DataView rows, const Context& context) const override;
  Index copied_numbers(DataView) const override { return 0; }  // a few rows per thread
  Index scores_wanted() const override { return score_columns(); }
  Points lift_back(ConstBlockRef scores, const Context& context) const override;
  void save(State& state) const override;

 private:
  Pca() = default;
  void learn(const Prepared& prepared, const PcaOptions& asked, const Plan& plan,
             const Context& context);
  Vector deviations() const;
  void drop_noise();
  void take_answer(detail::GramFit& fit);
  void fit_axes(const Prepared& prepared, const PcaOptions& asked, const Plan& plan,
                const Context& context);
  void fit_dual(const Prepared& prepared, const PcaOptions& asked, const Plan& plan,
                const Context& context);
  void fit_sparse_dual(const Prepared& prepared, const PcaOptions& asked, const Plan& plan,
                       const Context& context);
  void find_largest_scores(const RowSource& rows, const Context& context);
  void add_figures(const Vector& all);

  bool looks_at_scores_ = true;  // the largest of the training rows
  Whitening whiten_ = Whitening::none;
  Block axes_;
  Vector mean_, largest_scores_;  // of the training rows, per score column
};

}  // namespace mercer
