// Classical scaling (principal coordinates). From squared distances D2 = (d_ij^2):
//   B = -1/2 H D2 H = U diag(mu) U',  H = I - 11'/n;     configuration Z = U diag(mu)^1/2, mu > 0
// From a table it is the same as the scores of PCA, which is then what is computed; from kernel
// values B is the centred matrix. `additive`: a constant is added to all distances first, so that
// they become Euclidean (models/detail/additive_constant.h).
//   new row, Gower            z = 1/2 diag(mu)^-1 Z'(diag(B) - a),   a_i = d(new, i)^2
//   new row, Trosset-Priebe   least strain of the bordered matrix (models/detail/trosset_priebe.h)
// From a table Gower's formula is W'(x - m), with the axes W of PCA. Gower: Adding a point to
// vector diagrams in multivariate analysis (1968).
#pragma once

#include "mercer/models/ability.h"
#include "mercer/models/eigen_options.h"
#include "mercer/models/kernel_expansion.h"
#include "mercer/models/kind.h"
#include "mercer/operators/given.h"

#include <array>
#include <string_view>
#include <vector>

namespace mercer {

enum class Additive { none, cailliez };

inline constexpr std::array<std::string_view, 2> kAdditiveWords = {"none", "cailliez"};
constexpr ChoiceWords choice_words(Additive) {
  return {"additive constant", "additive constants", kAdditiveWords};
}

enum class OutOfSample { gower, trosset_priebe };

inline constexpr std::array<std::string_view, 2> kOutOfSampleWords = {"gower", "trosset-priebe"};
constexpr ChoiceWords choice_words(OutOfSample) {
  return {"way of placing new rows", "ways of placing new rows", kOutOfSampleWords};
}

struct MdsOptions {
  Components components = {};
  Tolerance tolerance = {};
  Choice<Given> as = Given::table;
  Choice<Additive> additive = Additive::none;
  Choice<OutOfSample> out_of_sample = OutOfSample::gower;
  Choice<Certify> certify = Certify::automatic;
  Choice<Scaling> scale = Scaling::none;
  Index seed = 0;

  template <class Fields>
  void describe(Fields& field) {
    describe_eigenproblem(field, *this);
    field("as", as, "what the rows are: table, kernel, distance or squared-distance");
    field("additive", additive, "constant that makes distances Euclidean: none or cailliez");
    field("out-of-sample", out_of_sample, "how new rows are placed: gower or trosset-priebe");
    describe_scaling(field, *this);
  }
  /// Throws M102 for options that contradict each other.
  void check(const Value& given) const;
};

class Mds final : public Transforms, public Method<Mds, MdsOptions> {
 public:
  static constexpr std::string_view kName = "mds";
  static constexpr std::string_view kSummary =
      "classical scaling: points from distances, or from a table";
  static constexpr Takes kTakes{
      .pairs = true,
      .sparse = false,
      .start = true,
      .instead_of_sparse =
          "kernel PCA with the linear kernel gives the same scores and keeps them "
          "sparse: --method kernel_pca --kernel linear"};

  /// Throws M230 to M233, M240 to M245, M301.
  static Mds train(const Prepared& prepared, const MdsOptions& options, const Plan& plan,
                   const Context& context);
  static Plan plan_for(const Prepared& prepared, const MdsOptions& options, const Context& context);
  static Mds from(State state);

  std::string_view kind() const override { return kName; }
  std::vector<std::string> formulas() const override;
  Value kernel_description() const override;
  bool needs_cross_matrix() const override { return expansion_.given() != Given::table; }
  /// The configuration: by Gower's formula whatever new rows are placed by.
  void training_score_blocks(DataView rows, const Context& context,
                             const TakeRows& take) const override;
  Block fitted_scores(DataView seen, const Context& context) const override {
    return gower(seen, context);
  }
  bool holds_scores() const override { return needs_cross_matrix(); }
  bool keeps_distances() const override { return true; }
  /// What was added to every distance; 0 where nothing was.
  double additive_constant() const { return added_; }

 protected:
  Block held_scores() const override;
  Block project(DataView rows, const Context& context) const override {
    return place(rows, way_, context);
  }
  void save(State& state) const override;

 private:
  Mds() : expansion_("linear", true) {}
  void learn_table(const Prepared& prepared, const MdsOptions& asked, const Plan& plan,
                   const Context& context);
  void learn_pairs(const Prepared& prepared, const MdsOptions& asked, const Plan& plan,
                   const Context& context);
  Block place(DataView rows, OutOfSample way, const Context& context) const;
  Vector squared_lengths(DataView rows) const;
  Block gower(DataView rows, const Context& context) const;

  OutOfSample way_ = OutOfSample::gower;
  Block axes_;  // of a table
  Vector mean_;
  KernelExpansion expansion_;  // of a matrix of pairs
  double added_ = 0;
  bool squares_ = false;  // the matrix holds squared distances, to whose roots that is added
};

}  // namespace mercer
