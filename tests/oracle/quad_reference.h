// Kernel PCA in 113-bit floating point, as an oracle for small N. The doubles given are taken as
// exact. K is formed entry by entry from direct differences; its centred form HKH comes from row
// means, and all eigenpairs of that from cyclic Jacobi rotations, which are slow (O(N^3) per sweep,
// about 8 sweeps), backward stable, and share nothing with the solvers under test.
// With unit roundoff 1e-34 eigenvalues are right to about 1e-32 mu_1: to every digit of a double
// unless mu_k < 1e-16 mu_1. N = 60 takes well below a second. Link with -lquadmath.
#pragma once

#include "mercer/core/types.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#if __has_include(<quadmath.h>)
#include <quadmath.h>
#else  // clang does not search GCC's folder of headers, but links its library
extern "C" {
__float128 expq(__float128) noexcept;
__float128 logq(__float128) noexcept;
__float128 powq(__float128, __float128) noexcept;
__float128 sqrtq(__float128) noexcept;
__float128 fabsq(__float128) noexcept;
__float128 cosq(__float128) noexcept;
}
#endif

namespace mercer::oracle {

__extension__ typedef __float128 Quad;

/// A square matrix in row-major order.
class QuadMatrix {
 public:
  explicit QuadMatrix(Index n) : n_(n), entries_(static_cast<std::size_t>(n * n)) {}
  static QuadMatrix identity(Index n) {
    QuadMatrix result(n);
    for (Index i = 0; i < n; ++i) result(i, i) = 1;
    return result;
  }

  Index size() const { return n_; }
  Quad& operator()(Index i, Index j) { return entries_[static_cast<std::size_t>(i * n_ + j)]; }
  Quad operator()(Index i, Index j) const { return entries_[static_cast<std::size_t>(i * n_ + j)]; }
  Quad* row(Index i) { return entries_.data() + i * n_; }

 private:
  Index n_;
  std::vector<Quad> entries_;
};

/// All eigenpairs, eigenvalues descending; column k of vectors belongs to value k.
struct QuadEigen {
  std::vector<Quad> exact_values;
  Vector values;
  Block vectors;
};

/// |x - y|^2, a building block for radial kernels.
inline Quad quad_squared(const Quad* x, const Quad* y, Index dim) {
  Quad sum = 0;
  for (Index j = 0; j < dim; ++j) sum += (x[j] - y[j]) * (x[j] - y[j]);
  return sum;
}

/// exp(-|x-y|^2 / (2 sigma^2)), as a kernel for quad_gram.
inline auto quad_gaussian(double sigma) {
  return [denominator = 2 * Quad(sigma) * Quad(sigma)](const Quad* x, const Quad* y, Index dim) {
    return expq(-quad_squared(x, y, dim) / denominator);
  };
}

/// x.y, a building block for dot kernels.
inline Quad quad_dot(const Quad* x, const Quad* y, Index dim) {
  return std::inner_product(x, x + dim, y, Quad(0));
}

/// K_ij = kernel(x_i, x_j, dim) for the rows of points; the kernel is called with pointers to Quad.
template <class Kernel>
QuadMatrix quad_gram(const Points& points, const Kernel& kernel) {
  const std::vector<Quad> exact(points.data(), points.data() + points.size());
  QuadMatrix gram(points.rows());
  for (Index i = 0; i < points.rows(); ++i)
    for (Index j = 0; j <= i; ++j) {
      const Index dim = points.cols();
      gram(i, j) = gram(j, i) = kernel(exact.data() + i * dim, exact.data() + j * dim, dim);
    }
  return gram;
}

/// H K H with H = I - 11'/N.
inline QuadMatrix double_centred(QuadMatrix k) {
  const Index n = k.size();
  std::vector<Quad> mean(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i)
    mean[static_cast<std::size_t>(i)] = std::accumulate(k.row(i), k.row(i) + n, Quad(0)) / Quad(n);
  const Quad total = std::accumulate(mean.begin(), mean.end(), Quad(0)) / Quad(n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      k(i, j) += total - (mean[static_cast<std::size_t>(i)] + mean[static_cast<std::size_t>(j)]);
  return k;
}

namespace detail {

/// Rotates two rows: (p, q) becomes (c p - s q, s p + c q).
inline void rotate_rows(Quad* p, Quad* q, Index n, Quad c, Quad s) {
  for (Index k = 0; k < n; ++k) {
    const Quad old_p = p[k], old_q = q[k];
    p[k] = c * old_p - s * old_q;
    q[k] = s * old_p + c * old_q;
  }
}

/// Makes a(p, q) zero by the smaller of the two possible angles; the rows of v collect the
/// eigenvectors.
inline void annihilate(QuadMatrix& a, QuadMatrix& v, Index p, Index q) {
  const Quad theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
  const Quad t = (theta < 0 ? -1 : 1) / (fabsq(theta) + sqrtq(theta * theta + 1));
  const Quad c = 1 / sqrtq(t * t + 1), s = t * c;
  const Quad shift = t * a(p, q), new_pp = a(p, p) - shift, new_qq = a(q, q) + shift;

  const Index n = a.size();
  rotate_rows(a.row(p), a.row(q), n, c, s);
  for (Index k = 0; k < n; ++k) {  // symmetry: the columns are the rows
    a(k, p) = a(p, k);
    a(k, q) = a(q, k);
  }
  a(p, p) = new_pp;
  a(q, q) = new_qq;
  a(p, q) = a(q, p) = 0;
  rotate_rows(v.row(p), v.row(q), n, c, s);
}

/// One pass over all pairs; returns how many entries were still too large to ignore.
inline Index jacobi_sweep(QuadMatrix& a, QuadMatrix& v, Quad negligible) {
  Index rotations = 0;
  for (Index p = 0; p < a.size(); ++p)
    for (Index q = p + 1; q < a.size(); ++q) {
      if (fabsq(a(p, q)) <= negligible) continue;
      annihilate(a, v, p, q);
      ++rotations;
    }
  return rotations;
}

inline Quad largest_entry(const QuadMatrix& a) {
  Quad largest = 0;
  for (Index i = 0; i < a.size(); ++i)
    for (Index j = 0; j <= i; ++j) largest = std::max(largest, fabsq(a(i, j)));
  return largest;
}

}  // namespace detail

/// All eigenpairs of a symmetric matrix.
inline QuadEigen jacobi_eigen(QuadMatrix a) {
  constexpr Index kMostSweeps = 60;  // convergence is quadratic: ten or so are needed
  const Index n = a.size();
  // Ignored entries move an eigenvalue by at most N times this: 1e-34 |A| for N = 100.
  const Quad negligible = detail::largest_entry(a) * Quad(1e-36);
  QuadMatrix v = QuadMatrix::identity(n);
  for (Index sweep = 0; sweep < kMostSweeps; ++sweep)
    if (detail::jacobi_sweep(a, v, negligible) == 0) break;

  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index(0));
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return a(i, i) > a(j, j); });

  QuadEigen result{.exact_values = {}, .values = Vector(n), .vectors = Block(n, n)};
  for (Index k = 0; k < n; ++k) {
    const Index from = order[static_cast<std::size_t>(k)];
    result.exact_values.push_back(a(from, from));
    result.values[k] = static_cast<double>(a(from, from));
    for (Index i = 0; i < n; ++i) result.vectors(i, k) = static_cast<double>(v(from, i));
  }
  return result;
}

/// Eigenpairs of the centred Gram matrix: what exact kernel PCA of these doubles is.
template <class Kernel>
QuadEigen quad_kernel_pca(const Points& points, const Kernel& kernel) {
  return jacobi_eigen(double_centred(quad_gram(points, kernel)));
}

}  // namespace mercer::oracle
