// Mixtures of known sources, for the tests of independent components.
#pragma once

#include "mercer/core/random.h"
#include "mercer/core/text.h"
#include "mercer/models/kind/ica.h"
#include "tests/support/random_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace mercer::ica_cases {

enum class Law { sech, laplace, uniform, gaussian, skewed };

inline double draw(Law law, double u, double normal) {
  switch (law) {
    case Law::sech:
      return std::log(std::tan(std::numbers::pi * u / 2));
    case Law::laplace:
      return u < 0.5 ? std::log(2 * u) : -std::log(2 - 2 * u);
    case Law::uniform:
      return 2 * u - 1;
    case Law::skewed:
      return -std::log(u) - 1;
    case Law::gaussian:
      break;
  }
  return normal;
}

struct Mixed {
  Points sources, x;
  Block mixing;
};

/// A column of sources for each law, mixed by a random square matrix and moved.
inline Mixed mixed(const std::vector<Law>& laws, Index n, std::uint64_t seed) {
  const auto k = static_cast<Index>(laws.size());
  Mixed all{Points(n, k), {}, {}};
  const Random random(seed);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < k; ++j) {
      const auto at = static_cast<std::uint64_t>(i * k + j);
      all.sources(i, j) =
          draw(laws[static_cast<std::size_t>(j)], random.uniform(at), random.normal(at));
    }
  all.mixing = test::random_points({.n = k, .dim = k, .seed = seed + 1});
  all.x = all.sources * all.mixing.transpose();
  all.x.rowwise() += Eigen::RowVectorXd::LinSpaced(k, -3, 5);
  return all;
}

/// 0 where p is a permutation of columns and scales, 1 at most.
inline double amari(const Block& p) {
  const Block a = p.cwiseAbs();
  double sum = 0;
  for (Index i = 0; i < a.rows(); ++i)
    sum += a.row(i).sum() / a.row(i).maxCoeff() + a.col(i).sum() / a.col(i).maxCoeff() - 2;
  return sum / static_cast<double>(2 * a.rows() * (a.rows() - 1));
}

inline double amari(const Ica& model, const Mixed& data) {
  return amari(model.unmixing() * data.mixing);
}

inline Block second_moments(const Block& y) {
  return y.transpose() * y / static_cast<double>(y.rows());
}

inline const Value& figure(const Model& model, const std::string& name) {
  for (const Figure& one : model.report.figures)
    if (one.name == name) return one.value;
  ADD_FAILURE() << "no figure " << name;
  static const Value none;
  return none;
}

/// Every algorithm with every choice it has.
inline std::vector<IcaOptions> ways() {
  std::vector<IcaOptions> all = {{.algorithm = IcaAlgorithm::likelihood}};
  for (const std::string_view contrast : kIcaContrasts)
    for (const std::string_view approach : kIcaApproaches)
      all.push_back({.contrast = contrast, .approach = approach});
  return all;
}

inline std::string name_of(const IcaOptions& options) {
  return std::string(options.algorithm.word()) + " " + std::string(options.contrast.word()) + " " +
         std::string(options.approach.word());
}

}  // namespace mercer::ica_cases
