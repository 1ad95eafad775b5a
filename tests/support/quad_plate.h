// Thin plate splines in 113-bit arithmetic: the affine functions of the rows as they are given,
// and the kernel matrix less those, for rows old and new. Small n only.
#pragma once

#include "tests/oracle/quad_reference.h"

#include <vector>

namespace mercer::test {

using oracle::Quad;
using QuadColumn = std::vector<Quad>;

inline Quad dot(const QuadColumn& a, const QuadColumn& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), Quad(0));
}

/// Orthonormal values of all affine functions on the rows, and the functions themselves: one number
/// for the constant and one for each column. What is left of a column below 1e-24 of it is 0.
struct QuadAffine {
  std::vector<QuadColumn> values, functions;

  explicit QuadAffine(const Points& x) {
    const auto n = static_cast<std::size_t>(x.rows()),
               width = static_cast<std::size_t>(x.cols()) + 1;
    for (std::size_t j = 0; j < width; ++j) {
      QuadColumn value(n, 1), function(width, 0);
      function[j] = 1;
      if (j > 0)
        for (std::size_t i = 0; i < n; ++i)
          value[i] = x(static_cast<Index>(i), static_cast<Index>(j) - 1);
      const Quad whole = sqrtq(dot(value, value));
      for (int pass = 0; pass < 3; ++pass)
        for (std::size_t s = 0; s < values.size(); ++s)
          add(-dot(values[s], value), s, value, function);
      const Quad length = sqrtq(dot(value, value));
      if (length <= whole * 1e-24) continue;
      for (Quad& v : value) v /= length;
      for (Quad& f : function) f /= length;
      values.push_back(value);
      functions.push_back(function);
    }
  }

  Index rank() const { return static_cast<Index>(values.size()); }

  /// The functions at another row.
  QuadColumn at(const Eigen::RowVectorXd& row) const {
    QuadColumn result;
    for (const QuadColumn& f : functions) {
      Quad sum = f[0];
      for (Index j = 0; j < row.size(); ++j)
        sum += f[static_cast<std::size_t>(j) + 1] * Quad(row[j]);
      result.push_back(sum);
    }
    return result;
  }

  void remove(QuadColumn& v) const {
    for (int pass = 0; pass < 2; ++pass)
      for (const QuadColumn& q : values) {
        const Quad part = dot(q, v);
        for (std::size_t i = 0; i < v.size(); ++i) v[i] -= part * q[i];
      }
  }

 private:
  void add(Quad factor, std::size_t from, QuadColumn& value, QuadColumn& function) const {
    for (std::size_t i = 0; i < value.size(); ++i) value[i] += factor * values[from][i];
    for (std::size_t i = 0; i < function.size(); ++i) function[i] += factor * functions[from][i];
  }
};

/// (q log q) / 2 of q = (|x - y|^2 + shift^2) / c^2.
inline auto quad_plate(double c, double shift) {
  return [c, shift](const Quad* x, const Quad* y, Index dim) {
    const Quad q = (oracle::quad_squared(x, y, dim) + Quad(shift) * shift) / c / c;
    return q > 0 ? q * logq(q) / 2 : Quad(0);
  };
}

/// Largest |K~ u - mu u| / mu_1 of the scores of a fit, u = score / sqrt(mu), K~ exact.
template <class Kernel>
double plate_residual(const Points& x, const Kernel& kernel, const Vector& mu,
                      const Block& scores) {
  const QuadAffine affine(x);
  const oracle::QuadMatrix k = oracle::quad_gram(x, kernel);
  const auto n = static_cast<std::size_t>(x.rows());
  Quad worst = 0;
  for (Index c = 0; c < mu.size(); ++c) {
    QuadColumn u(n), image(n, 0);
    for (std::size_t i = 0; i < n; ++i)
      u[i] = scores(static_cast<Index>(i), c) / sqrtq(Quad(mu[c]));
    QuadColumn inside = u;
    affine.remove(inside);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        image[i] += k(static_cast<Index>(i), static_cast<Index>(j)) * inside[j];
    affine.remove(image);
    for (std::size_t i = 0; i < n; ++i) image[i] -= Quad(mu[c]) * u[i];
    worst = std::max(worst, sqrtq(dot(image, image)) / Quad(mu[0]));
  }
  return static_cast<double>(worst);
}

/// Score of a new row by the definition: sum_i a_i (k(x_i, y) - sum_f f(y) (K q_f)_i).
template <class Kernel>
double plate_score(const Points& x, const Kernel& kernel, const QuadColumn& a,
                   const Eigen::RowVectorXd& row) {
  const QuadAffine affine(x);
  const oracle::QuadMatrix k = oracle::quad_gram(x, kernel);
  const auto n = static_cast<std::size_t>(x.rows());
  const QuadColumn terms = affine.at(row);
  QuadColumn inside = a;
  affine.remove(inside);
  const std::vector<Quad> exact(x.data(), x.data() + x.size());
  std::vector<Quad> fresh;
  for (Index j = 0; j < row.size(); ++j) fresh.push_back(row[j]);
  Quad sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Quad value =
        kernel(exact.data() + i * static_cast<std::size_t>(x.cols()), fresh.data(), x.cols());
    for (std::size_t f = 0; f < terms.size(); ++f)
      for (std::size_t j = 0; j < n; ++j)
        value -= terms[f] * k(static_cast<Index>(i), static_cast<Index>(j)) * affine.values[f][j];
    sum += inside[i] * value;
  }
  return static_cast<double>(sum);
}

}  // namespace mercer::test
