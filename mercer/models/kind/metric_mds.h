// Metric scaling by stress: points whose distances are as near as can be to given ones,
//   stress(Z) = sum_{i<j} w_ij (delta_ij - |z_i - z_j|)^2
// (a sum over all ordered pairs is twice that), found by majorisation (models/detail/stress/
// smacof.h), from the configuration of classical scaling and from random ones: a local minimum, of
// several the best. The dissimilarities are the distances between the rows of a table, or are
// given; those that are missing have no weight. Kruskal's stress-1 is (stress / sum w d^2)^1/2.
// A new row goes to the place of least stress among the training rows, which stay where they are.
#pragma once

#include "mercer/models/ability.h"
#include "mercer/models/eigen_options.h"
#include "mercer/models/kind.h"
#include "mercer/operators/given.h"

#include <array>
#include <string_view>
#include <vector>

namespace mercer {

namespace detail {
class RowDistances;
}

enum class StartFrom { classical, random };

inline constexpr std::array<std::string_view, 2> kStartFromWords = {"classical", "random"};
constexpr ChoiceWords choice_words(StartFrom) { return {"start", "starts", kStartFromWords}; }

struct MetricMdsOptions {
  Components components = {};
  Choice<Given> as = Given::table;
  double weight_power = 0;
  Choice<StartFrom> start_from = StartFrom::classical;
  Index restarts = 0;
  Tolerance tolerance = 1e-9;
  Index iterations = 1000;
  Choice<Scaling> scale = Scaling::none;
  Index seed = 0;

  template <class Fields>
  void describe(Fields& field) {
    field("components", components, "a count: columns of the configuration");
    field("as", as, "what the rows are: table, distance or squared-distance");
    field("weight-power", weight_power,
          "weight of a pair: its distance to this power; -1 for small distances as much as large");
    field("start-from", start_from, "first start: classical scaling, or random");
    field("restarts", restarts, "further starts, all random; the least stress is kept",
          Limit::non_negative);
    field("tolerance", tolerance, "ends where a step lowers the stress by less, relative to it");
    field("iterations", iterations, "steps of a start at most", Limit::whole_positive);
    describe_scaling(field, *this);
    field("seed", seed, "of random starts");
  }
  /// Throws M102 for options that contradict each other.
  void check(const Value& given) const;
};

class MetricMds final : public Transforms, public Method<MetricMds, MetricMdsOptions> {
 public:
  static constexpr std::string_view kName = "metric_mds";
  static constexpr std::string_view kSummary =
      "points whose distances are nearest to given ones, by least stress (SMACOF)";
  static constexpr Takes kTakes{
      .missing = true, .pairs = true, .weights = true, .sparse = false, .start = true};

  /// Rows of a table are kept in the model. Throws M230, M231, M233, M240, M241, M244, M245, M301.
  static MetricMds train(const Prepared& prepared, const MetricMdsOptions& options,
                         const Plan& plan, const Context& context);
  static MetricMds from(State state);

  std::string_view kind() const override { return kName; }
  std::vector<std::string> formulas() const override;
  bool needs_cross_matrix() const override { return given_ != Given::table; }
  bool takes_gaps() const override { return given_ != Given::table; }
  Index score_columns() const override { return configuration_.cols(); }
  /// One row for each training row: centred, turned to its principal axes.
  const Block& configuration() const { return configuration_; }
  void training_score_blocks(DataView rows, const Context& context,
                             const TakeRows& take) const override;
  bool holds_scores() const override { return true; }
  bool keeps_distances() const override { return true; }
  const Dataset* stored_rows() const override {
    return points_.n() == report.n ? &points_ : nullptr;
  }

 protected:
  Block held_scores() const override { return configuration_; }
  Block project(DataView rows, const Context& context) const override;
  void save(State& state) const override;

 private:
  MetricMds() = default;
  /// `of_rows`: of a table; null where the rows are distances.
  Points distances_to(DataView rows, const detail::RowDistances* of_rows) const;

  Given given_ = Given::table;
  Block configuration_;
  Dataset points_;    // of a table
  double scale_ = 1;  // a power of two that brings distances near 1
  double power_ = 0;
};

}  // namespace mercer
