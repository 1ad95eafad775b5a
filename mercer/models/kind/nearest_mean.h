// The class whose mean is nearest in the feature space of a kernel. With class means
// c = mean_{i in c} phi(x_i) and m, the mean of all rows:
//   |phi(x) - c|^2 = k(x, x) - 2 mean_{i in c} k(x, x_i) + mean_{i, j in c} k(x_i, x_j)
// The figure of a class is f_c(x) = (|phi(x) - m|^2 - |phi(x) - c|^2) / 2, for which k(x, x) is not
// needed: the larger, the nearer; below 0 the mean of all rows is nearer than that of the class. Of
// two classes f_+ - f_- is
//   mean_+ k(x, x_i) - mean_- k(x, x_i) + b,   b = (mean_{-,-} k - mean_{+,+} k) / 2.
// In the feature space of a linear kernel the means are rows themselves, and only those are kept;
// of a polynomial one with few features, the means of those. Schoelkopf, Smola: Learning with
// Kernels (2002), section 1.2.
#pragma once

#include "mercer/kernels/kernel.h"
#include "mercer/models/ability.h"
#include "mercer/models/eigen_options.h"
#include "mercer/models/kernel_expansion.h"
#include "mercer/models/kind.h"
#include "mercer/operators/given.h"

#include <string_view>
#include <vector>

namespace mercer {

struct NearestMeanOptions {
  Kernel kernel = "gaussian";
  Choice<Given> as = Given::table;
  Choice<Scaling> scale = Scaling::none;
  Index seed = 0;

  template <class Fields>
  void describe(Fields& field) {
    field("kernel", kernel, "kernel, such as gaussian:sigma=0.5 (mercer list kernels)");
    field("as", as, "what the rows are: table, kernel, distance or squared-distance");
    describe_scaling(field, *this);
    field("seed", seed, "of the folds of --cross-validate");
  }
  /// Throws M102 for options that contradict each other; `given`: those that were given.
  void check(const Value& given) const;
};

class NearestMean final : public Predicts, public Method<NearestMean, NearestMeanOptions> {
 public:
  static constexpr std::string_view kName = "nearest_mean";
  static constexpr std::string_view kSummary =
      "the class whose mean is nearest in the feature space of a kernel";
  static constexpr Takes kTakes{.labels = Need::must, .pairs = true};

  static NearestMean train(const Prepared& prepared, const NearestMeanOptions& options,
                           const Plan& plan, const Context& context);
  static NearestMean from(State state);

  std::string_view kind() const override { return kName; }
  std::vector<std::string> formulas() const override;
  Value kernel_description() const override { return expansion_.description(); }
  bool needs_cross_matrix() const override { return expansion_.given() != Given::table; }
  bool classifies() const override { return true; }
  /// The figures of the classes as functions of a row.
  const KernelExpansion& expansion() const { return expansion_; }
  const Dataset* stored_rows() const override {
    const bool all = !means_are_rows_ && expansion_.points().n() == report.n;
    return all ? &expansion_.points() : nullptr;
  }

 protected:
  Block predict_rows(DataView rows, const Context& context) const override {
    return expansion_.values_of_blocks(nullptr, context)(rows);
  }
  void save(State& state) const override;

 private:
  explicit NearestMean(KernelExpansion expansion) : expansion_(std::move(expansion)) {}
  void keep_means(const Prepared& prepared, const Context& context);
  void keep_rows(const Prepared& prepared, Given given, const Context& context);

  KernelExpansion expansion_;
  bool means_are_rows_ = false;
};

}  // namespace mercer
