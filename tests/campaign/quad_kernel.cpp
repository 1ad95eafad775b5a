#include "tests/campaign/quad_kernel.h"

#include <stdexcept>
#include <vector>

namespace mercer::campaign {
namespace {

// What formulas are made of. Sums over the coordinates are made when a family asks for them.
struct Pair {
  const Quad* x;
  const Quad* y;
  Index dim;

  template <class Term>
  Quad sum(const Term& term) const {
    Quad total = 0;
    for (Index j = 0; j < dim; ++j) total += term(x[j], y[j]);
    return total;
  }
  Quad dot() const { return oracle::quad_dot(x, y, dim); }
  Quad squared() const { return oracle::quad_squared(x, y, dim); }
  Quad distance() const { return sqrtq(squared()); }
  Quad chi() const {
    return sum([](Quad a, Quad b) { return a + b > 0 ? (a - b) * (a - b) / (a + b) : Quad(0); });
  }
};

Quad power(Quad base, int exponent) {
  Quad result = 1;
  for (int i = 0; i < exponent; ++i) result *= base;
  return result;
}

Quad spline(Quad q) { return q > 0 ? q * logq(q) / 2 : Quad(0); }

Quad power_of_distance(const Pair& p, double exponent) {
  const Quad q = p.squared();
  return q > 0 ? powq(q, Quad(exponent) / 2) : Quad(0);
}

Quad value(const Gaussian& f, const Pair& p) {
  return expq(-p.squared() / (2 * Quad(f.sigma) * Quad(f.sigma)));
}
Quad value(const Exponential& f, const Pair& p) { return expq(-p.distance() / Quad(f.length)); }
Quad value(const Laplacian& f, const Pair& p) {
  return expq(-p.sum([](Quad a, Quad b) { return fabsq(a - b); }) / Quad(f.length));
}
Quad value(const ChiSquared& f, const Pair& p) { return expq(-Quad(f.gamma) * p.chi()); }
Quad value(const AdditiveChiSquared&, const Pair& p) { return -p.chi(); }
Quad value(const ChiSquaredSimilarity&, const Pair& p) {
  return p.sum([](Quad a, Quad b) { return a + b > 0 ? 2 * a * b / (a + b) : Quad(0); });
}
Quad value(const RationalQuadratic& f, const Pair& p) {
  const Quad alpha = f.alpha, length = f.length;
  return powq(1 + p.squared() / (2 * alpha * length * length), -alpha);
}
Quad value(const Matern& f, const Pair& p) {
  const Quad s = sqrtq(2 * Quad(f.nu)) * p.distance() / Quad(f.length);
  return (1 + (f.nu > 1 ? s : Quad(0)) + (f.nu > 2 ? s * s / 3 : Quad(0))) * expq(-s);
}
Quad value(const InverseMultiquadric& f, const Pair& p) {
  return 1 / sqrtq(p.squared() + Quad(f.c) * Quad(f.c));
}
Quad value(const Multiquadric& f, const Pair& p) {
  return -sqrtq(p.squared() + Quad(f.c) * Quad(f.c));
}
Quad value(const PowerDistance& f, const Pair& p) { return -power_of_distance(p, f.exponent); }
Quad value(const LogDistance& f, const Pair& p) {
  return -log1pq(power_of_distance(p, f.exponent));
}
Quad value(const ThinPlateSpline& f, const Pair& p) {
  return spline(p.squared() / (Quad(f.c) * Quad(f.c)));
}
Quad value(const ShiftedThinPlateSpline& f, const Pair& p) {
  return spline(p.squared() + Quad(f.c) * Quad(f.c));
}
Quad value(const Linear& f, const Pair& p) { return p.dot() + Quad(f.offset); }
Quad value(const Polynomial& f, const Pair& p) {
  return power(Quad(f.scale) * p.dot() + Quad(f.offset), static_cast<int>(f.degree));
}
Quad value(const Sigmoid& f, const Pair& p) {
  return tanhq(Quad(f.scale) * p.dot() + Quad(f.offset));
}
Quad value(const Cosine&, const Pair& p) {
  const Quad lengths = sqrtq(Pair{p.x, p.x, p.dim}.dot()) * sqrtq(Pair{p.y, p.y, p.dim}.dot());
  return lengths > 0 ? p.dot() / lengths : Quad(0);
}

template <class Family>
constexpr bool has_formula = requires(const Family& f, const Pair& p) {
  value(f, p);
};

Quad value_of(const AnyFamily& family, const Pair& pair) {
  return visit_family(
      [&](const auto& f) -> Quad {
        if constexpr (has_formula<std::decay_t<decltype(f)>>)
          return value(f, pair);
        else
          throw std::invalid_argument(std::string("no formula for ") + f.traits.name);
      },
      family);
}

}  // namespace

QuadMatrix quad_kernel(const Kernel& kernel, const Points& rows, bool constants) {
  return oracle::quad_gram(rows, [&](const Quad* x, const Quad* y, Index dim) {
    Quad total = 0;
    for (const KernelTerm& term : kernel.terms()) {
      Quad product = term.weight;
      const auto* linear =
          term.factors.size() == 1 ? std::get_if<Linear>(&term.factors[0]) : nullptr;
      for (const AnyFamily& factor : term.factors)
        product *=
            linear != nullptr && !constants ? Pair{x, y, dim}.dot() : value_of(factor, {x, y, dim});
      total += product;
    }
    return total;
  });
}

QuadMatrix quad_given(const Points& matrix, const std::string& as) {
  QuadMatrix k(matrix.rows());
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.rows(); ++j) {
      const Quad entry = matrix(i, j);
      k(i, j) = as == "distance" ? -entry * entry / 2 : as == "kernel" ? entry : -entry / 2;
    }
  return k;
}

bool is_spline(const Kernel& kernel) { return kernel.definite() == Definite::affine; }

}  // namespace mercer::campaign
