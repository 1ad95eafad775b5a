// Eigenvalues counted without computing one (Sylvester's law of inertia). With orthonormal columns
// V that span nearly the wanted eigenvectors, k of them,
//
//   M = b I - A + V diag(w) V'  positive definite   =>   x'A x < b |x|^2 for every x outside V,
//
// since V'x = 0 takes the last term away: at most k eigenvalues of A exceed b, however flat the
// spectrum is and however good V may be. The rank-k term only lifts what V spans out of the way, so
// that the test is one for definiteness, which needs no pivots and has an explicit error
// (linalg/definite.h); an indefinite factorisation of A - b I would count the same. Where M is not
// definite, the test gives directions in which A exceeds b: where to look for what was missed.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/linalg/large_buffer.h"
#include "mercer/linalg/operator.h"

#include <cstdint>

namespace mercer {

class Inertia {
 public:
  /// Writes the matrix out; `largest` is about |A|_2. Throws M001 and M303 as the operator does,
  /// and M302 where the system has no memory for it.
  Inertia(const SymmetricOperator& a, double largest, const Context& context);

  /// Whether a test of `wanted` columns takes no more than so many bytes, and minutes.
  static bool fits(Index n, Index wanted, std::uint64_t bytes);

  /// Which of the two ends of the spectrum is looked at.
  enum class End { upper, lower };
  struct Answer {
    bool within = false;
    double bound = 0;  // where it is within: x'A x (its negative at the lower end) is at most this
                       // outside the columns, all rounding included
    Block directions;  // where it is not: columns in which the line is exceeded, a few
  };
  /// Whether A stays below `line` outside these columns, or -A at the lower end; `values` are about
  /// the Rayleigh quotients of A.
  Answer test(ConstBlockRef columns, const Vector& values, double line, End end);

 private:
  void write(ConstBlockRef columns, const Vector& lift, double line, double sign);

  Index n_;
  const Context& context_;
  LargeBuffer memory_;
  Eigen::Map<Block> matrix_;  // A in the strict upper triangle; tests take the rest
  Vector diagonal_;
  double scale_ = 1;  // a power of two: values are about 1 inside
  double largest_ = 0, norm_ = 0;
};

}  // namespace mercer
