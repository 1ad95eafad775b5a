// Principal component regression. With centred rows X = U S V' and centred targets Y,
//   coefficients on component i   a_i = u_i'Y / s_i,   fitted values sum_i u_i u_i'Y
//   predictions                   mean(Y) + (x - m) B,   B = sum_i v_i a_i
// over the components with the largest variance, or over those that explain most of the targets,
// the largest (u_i'Y)^2. What is left is |Y|^2 - sum_i (u_i'Y)^2. Components with s_i <= 1e-8 s_1
// are left out.
#pragma once

#include "mercer/models/ability.h"
#include "mercer/models/eigen_options.h"
#include "mercer/models/fold_options.h"
#include "mercer/models/kind.h"
#include "mercer/models/linear_fit.h"

#include <array>
#include <string_view>
#include <vector>

namespace mercer {

/// Which components come first.
enum class PcrSelection { variance, response };

inline constexpr std::array<std::string_view, 2> kSelections = {"variance", "response"};
constexpr ChoiceWords choice_words(PcrSelection) {
  return {"selection", "selections", kSelections};
}

struct PcrOptions {
  Components components = {};
  Choice<PcrSelection> select = PcrSelection::variance;
  Index folds = 0;
  Choice<FoldType> fold_type = FoldType::random;
  Choice<Scaling> scale = Scaling::none;
  Index seed = 0;

  template <class Fields>
  void describe(Fields& field) {
    describe_folds(field, *this);
    field("select", select,
          "components that come first: of the largest variance, or of the largest part of the "
          "targets (response)");
    describe_scaling(field, *this);
  }
  /// Throws M102 for folds and rules that there cannot be.
  void check(const Value& given) const;
};

class Pcr final : public Transforms,
                  public Inverts,
                  public Predicts,
                  public Method<Pcr, PcrOptions> {
 public:
  static constexpr std::string_view kName = "pcr";
  static constexpr std::string_view kSummary =
      "principal component regression: numbers predicted from principal components";
  static constexpr Takes kTakes{.targets = Need::must};

  static Pcr train(const Prepared& prepared, const PcrOptions& options, const Plan& plan,
                   const Context& context);
  static Pcr from(State state);

  std::string_view kind() const override { return kName; }
  std::vector<std::string> formulas() const override;
  bool classifies() const override { return false; }
  Index score_columns() const override { return linear_.directions.cols(); }
  /// Means, axes and coefficients, in units of the scaled columns.
  const LinearFit& linear() const { return linear_; }

 protected:
  Block project(DataView rows, const Context& context) const override {
    return linear_.scores(rows, context);
  }
  Block predict_rows(DataView rows, const Context& context) const override {
    return linear_.predictions(rows, context);
  }
  Index copied_numbers(DataView) const override { return 0; }  // a few rows per thread
  Index scores_wanted() const override { return score_columns(); }
  Points lift_back(ConstBlockRef scores, const Context& context) const override;
  void save(State& state) const override { linear_.save(state); }

 private:
  LinearFit linear_;
};

}  // namespace mercer
