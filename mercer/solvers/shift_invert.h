// What solvers share that solve (A - s I) w = v with the matrix written out. Error parts of a
// vector shrink by |mu - s| / |mu_j - s| in such a step: next to nothing where s is a good Ritz
// value.
//
//   start    a few products with random columns and Rayleigh-Ritz give distinct vectors
//   improve  each cluster of values by itself, the other vectors kept out by projection
//   combine  Rayleigh-Ritz on all vectors together
//   count    the inertia of A - s I with s just above the last wanted value says how many
//            eigenvalues lie above: where some were missed, new random columns look for them
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/linalg/indefinite_solve.h"
#include "mercer/linalg/operator.h"
#include "mercer/solvers/deflation.h"
#include "mercer/solvers/passes.h"
#include "mercer/solvers/recipe.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace mercer {

/// New vectors of a cluster, after a step.
struct ClusterStep {
  Block vectors, images;
  Vector values, residuals;  // norms; without the parts along vectors that are kept out
  Index wanted = 0;          // the others belong to the cluster but not to the answer
  double worst() const { return residuals.head(wanted).maxCoeff(); }
};

class ShiftInvert {
 public:
  /// Values closer than `together` times the largest are worked on as one cluster.
  ShiftInvert(const SymmetricOperator& a, const EigenRequest& request, double together,
              const Context& context);

  /// The whole search; `improve` works on the vectors in a range.
  using Improve = std::function<void(ShiftInvert&, Range)>;
  EigenResult run(const Improve& improve);

  const RitzSet& set() const { return set_; }
  /// Norm of residuals that is small enough.
  double aim() const { return 0.5 * passes_.enough() * set_.largest(); }
  /// Norm of residuals that may be rounding.
  double floor() const { return rounding_floor(n_) * set_.largest(); }
  /// How many of these vectors are wanted.
  Index wanted(Range cluster) const { return std::min(cluster.end, count_) - cluster.begin; }
  /// The worst residual of the wanted ones of these vectors.
  double residual(Range cluster) const;
  /// Distance of these values from all others.
  double gap(Range cluster) const;

  /// Factors A - s I, or a shift next to it; false where time ran out.
  bool factor(double shift);
  /// One step by the factors: solve, keep the other vectors out, multiply, Rayleigh-Ritz. Nothing
  /// where products are used up or the solutions are dependent.
  std::optional<ClusterStep> step(Range cluster);
  /// Takes the result of a step where it is better than what there was.
  void settle(Range cluster, const ClusterStep& step);
  /// Puts back what there was before some steps.
  void restore(Range cluster, const ClusterStep& before);
  /// Inverse iteration at a shift near the cluster until residuals are at most `goal`, with a new
  /// shift where that is slow.
  void inverse_iteration(Range cluster, double goal);

 private:
  void grow(Block block);
  Block elsewhere(bool stuck);
  void improve_all(const Improve& improve);
  Range cluster_from(Index first) const;
  double shift_for(Range cluster) const;
  bool form();
  bool missed();
  bool out_of_time();
  bool close_enough() const { return set_.worst(count_) <= passes_.enough(); }

  const SymmetricOperator& a_;
  const EigenRequest& request_;
  const Context& timed_;
  const Context context_;  // without the limit of time
  double together_;
  Index n_, count_, width_;
  Passes passes_;
  RitzSet set_;
  Block matrix_;
  double scale_ = 1;  // a power of two: the matrix is held with values of about 1
  std::optional<IndefiniteSolve> solver_;
  std::uint64_t draws_ = 0;
};

/// Reasons against any of these solvers.
std::optional<std::string> refuse_shift_invert(const SolverTask& task);
/// Price of a run with this many factorisations and solutions; its products are counted in.
Cost shift_invert_cost(const SolverTask& task, double factorisations, double solutions,
                       const Machine& machine);
/// Products that make the start, one per solution, and the proof.
std::vector<Index> shift_invert_schedule(const SolverTask& task);

/// The recipe of such a solver: a name, a summary, a price, and how to run it.
constexpr SolverRecipe shift_invert_recipe(std::string_view name, std::string_view summary,
                                           Cost (*cost)(const SolverTask&, const Machine&),
                                           EigenResult (*run)(const SymmetricOperator&,
                                                              const EigenRequest&,
                                                              const Context&)) {
  return {.name = name,
          .summary = summary,
          .refuse = refuse_shift_invert,
          .cost = cost,
          .schedule = shift_invert_schedule,
          .run = run,
          .needs_matrix = true};
}

}  // namespace mercer
