// Monomials x^alpha of total degree at most p in graded order: 1, then the variables, then the
// products of two, ... Each is one multiplication, variable times an earlier monomial, so that a
// block of rows is filled column by column with no powers and no tables of exponents.
// Polynomial features, Taylor features and clustered Gauss sums are made of them.
#pragma once

#include "mercer/core/types.h"

#include <cstdint>
#include <vector>

namespace mercer {

/// C(dim + degree, degree): how many monomials of total degree at most `degree` there are in `dim`
/// variables; rounded where it is above 2^53, infinite where it is above all doubles.
double monomial_count(Index dim, Index degree);

/// All monomials of total degree at most `degree` of `dim` variables. Immutable.
class Monomials {
 public:
  /// Throws M000 where there are more than 2^31 of them.
  Monomials(Index dim, Index degree);

  Index dim() const { return dim_; }
  Index degree() const { return static_cast<Index>(starts_.size()) - 2; }
  Index count() const { return static_cast<Index>(steps_.size()); }
  /// How many have total degree at most `degree`: those come first.
  Index count_up_to(Index degree) const { return starts_[static_cast<std::size_t>(degree + 1)]; }
  Index degree_of(Index term) const;
  /// log(alpha!) = sum_i log(alpha_i!).
  double log_factorial(Index term) const { return log_factorials_[term]; }
  /// The exponents alpha of a term: slow, for tests and messages.
  std::vector<Index> exponents(Index term) const;

  /// out(row, term) = x_row^alpha, column-major with leading dimension ld >= rows.rows().
  void fill(const Points& rows, double* out, Index ld) const;
  /// The same for variables given by columns (n x dim, leading dimension ldx), times first[row];
  /// only the first `terms` terms. `first` may be null (1) or be the first column of `out`.
  void fill(const double* x, Index ldx, Index n, const double* first, Index terms, double* out,
            Index ld) const;

 private:
  struct Step {
    std::int32_t parent = 0, variable = 0;  // term = variable * parent
  };

  Index dim_;
  std::vector<Step> steps_;
  std::vector<Index> starts_;  // of each degree, and the end
  Vector log_factorials_;
};

}  // namespace mercer
