#include "mercer/kernels/value_unit.h"

#include "mercer/kernels/framed_family.h"

#include <cmath>

namespace mercer {
namespace {

// Exponents of two up to which values are left as they are: squares, sums of millions of them and
// their float forms are far from the ends of the range.
constexpr int kNear = 32;

// About the largest product, squared distance and sum of terms of two rows of the data.
PairTerms<double> largest_pair(const Frame& frame) {
  const double diameter = 2 * frame.radius;
  // Rows that are not moved reach 1 in some column, by the choice of the scale.
  return {frame.centre_products ? frame.radius * frame.radius : 1.0, diameter * diameter,
          diameter > 0 ? diameter : 1.0};
}

// Values whose size is not known, because they are 0 or not numbers, are left as they are.
bool usable(double size) { return size > 0 && std::isfinite(size); }

double power_of_four_below(double size) {
  const int exponent = std::ilogb(size);
  return std::ldexp(1.0, exponent - (exponent & 1));
}

// Divides the values of a family; gives back by what.
double divide(AnyFamily& family, const PairTerms<double>& pair) {
  double unit = 1;
  family = visit_family(
      [&](const auto& f) {
        if constexpr (requires { f.over(1.0); }) {
          const double size = size_at(f, pair);
          if (unit_for(size) == 1) return AnyFamily(f);
          double root = power_of_four_below(size);
          unit = root;
          if constexpr (requires { f.degree; }) {
            root = power_of_four_below(std::pow(size, 1 / f.degree));
            unit = std::ldexp(1.0, std::ilogb(root) * static_cast<int>(f.degree));
          }
          return AnyFamily(f.over(root));
        } else {
          return AnyFamily(f);
        }
      },
      family);
  return unit;
}

}  // namespace

double unit_for(double size) {
  if (!usable(size)) return 1;
  const int exponent = std::ilogb(size);
  if (std::abs(exponent) <= kNear) return 1;
  return power_of_four_below(size);
}

Vector column_units(ConstBlockRef block) {
  Vector units = Vector::Ones(block.cols());
  for (Index j = 0; j < block.cols(); ++j) {
    const double size = block.rows() > 0 ? block.col(j).lpNorm<Eigen::Infinity>() : 0;
    if (usable(size)) units[j] = std::ldexp(1.0, std::ilogb(size));
  }
  return units;
}

TermsInUnits in_units(std::vector<KernelTerm> rescaled, const Frame& frame) {
  const PairTerms<double> pair = largest_pair(frame);
  TermsInUnits result{std::move(rescaled), 1};
  double size = 0;
  for (const KernelTerm& term : result.terms) {
    double product = std::abs(term.weight);
    for (const AnyFamily& family : term.factors)
      product *= visit_family([&](const auto& f) { return size_at(f, pair); }, family);
    size += product;
  }
  Vector units = Vector::Ones(static_cast<Index>(result.terms.size()));
  for (std::size_t t = 0; t < result.terms.size(); ++t)
    for (AnyFamily& family : result.terms[t].factors)
      units[static_cast<Index>(t)] *= divide(family, pair);
  // A single family that could be divided keeps no weight: its tiles are made in place.
  result.unit = result.terms.size() == 1 ? units[0] * unit_for(size / units[0]) : unit_for(size);
  for (std::size_t t = 0; t < result.terms.size(); ++t)
    result.terms[t].weight *= units[static_cast<Index>(t)] / result.unit;
  return result;
}

}  // namespace mercer
