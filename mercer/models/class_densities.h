// Classes as Gaussians in a space of few scores z:
//   log p_c(z) = log prior_c - |L_c^-1 (z - m_c)|^2 / 2 - log det L_c,   S_c = L_c L_c'
// with one covariance for all classes (the identity, or that of the scores within classes), or one
// of each class. The class with the largest is predicted; probabilities are shares of their sum.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/state.h"
#include "mercer/models/class_counts.h"

namespace mercer {

/// Of the covariances: none (the identity), one for all classes, or one for each.
enum class Covariances { identity, shared, own };

struct ClassDensities {
  Block means;     // a row for each class
  Vector priors;   // 0 for a class that is never predicted
  Block inverses;  // L_c^-1 below each other: none, one, or one for each class

  /// One column for each class, each row adds up to 1.
  Block probabilities(const Block& scores, const Context& context) const;
  void save(State& state) const;
  /// Throws M703.
  static ClassDensities load(const State& state, Index classes, Index scores);
};

/// Of the rows' scores. Throws M273 for a class with too few rows, M271 where a covariance is
/// singular.
ClassDensities class_densities(const Block& scores, const Block& means, const ClassCounts& classes,
                               Vector priors, Covariances covariances, const Context& context);

/// empirical, equal, or numbers for the classes in their order; throws M102.
Vector priors_of(std::string_view words, const ClassCounts& classes);

}  // namespace mercer
