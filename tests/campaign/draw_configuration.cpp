// Random configurations. Parameters of kernels are drawn in units of the data, so that what comes
// out is mostly a kernel somebody would use, sometimes far too wide or too narrow a one.
#include "mercer/solvers/recipe.h"
#include "tests/campaign/configuration.h"
#include "tests/campaign/draw.h"
#include "tests/campaign/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::campaign {
namespace {

using Words = std::vector<std::string>;

// Typical distance of two rows, and typical squared length of a row.
struct Units {
  double distance = 1, length = 1;
};

Units units_of(const Points& x) {
  const double largest = std::max(x.cwiseAbs().maxCoeff(), 1e-300);
  const Points y = x / largest;
  const Points centred = y.rowwise() - y.colwise().mean();
  const auto n = static_cast<double>(x.rows());
  const double apart = std::sqrt(2 * centred.squaredNorm() / n);
  return {largest * std::max(apart, 1e-12), largest * std::sqrt(y.squaredNorm() / n)};
}

class KernelDraw {
 public:
  KernelDraw(Draw& draw, Units units) : draw_(draw), units_(units) {}

  std::string one(const std::string& family) {
    if (family == "gaussian") return found("gaussian", "sigma");
    if (family == "exponential" || family == "laplacian") return found(family, "length");
    if (family == "matern")
      return fmt::format("matern:nu={},length={:.6g}", draw_.pick<double>({0.5, 1.5, 2.5}),
                         width());
    if (family == "rational_quadratic")
      return fmt::format("{}:alpha={:.4g},length={:.6g}", family, draw_.magnitude(-1, 1.5),
                         width());
    if (family == "power_distance" || family == "log_distance")
      return fmt::format("{}:exponent={:.4g}", family,
                         draw_.chance(0.5) ? draw_.uniform(0.2, 2) : draw_.pick<double>({1, 2}));
    if (family == "polynomial")
      return fmt::format("polynomial:degree={},scale={:.6g},offset={:.4g}", draw_.between(1, 4),
                         std::min(1e300, draw_.magnitude(-1, 1) / units_.length / units_.length),
                         draw_.pick<double>({0, 0.5, 1, 1, 10, 1000, -0.5}));
    if (family == "sigmoid")
      return fmt::format("sigmoid:scale={:.6g},offset={:.4g}",
                         std::min(1e300, draw_.magnitude(-2, 0.5) / units_.length / units_.length),
                         draw_.uniform(-1, 1));
    if (family == "linear")
      return draw_.chance(0.7) ? family
                               : fmt::format("linear:offset={}", draw_.pick<double>({1, 1e3, -2}));
    if (family == "chi_squared")
      return fmt::format("chi_squared:gamma={:.6g}", draw_.magnitude(-2, 1) / units_.distance);
    if (family == "cosine" || family == "additive_chi_squared" ||
        family == "chi_squared_similarity")
      return family;
    return fmt::format("{}:c={:.6g}", family, width());
  }

 private:
  double width() {
    const double kind = draw_.uniform();
    const double digits = kind < 0.7   ? draw_.uniform(-0.7, 0.7)
                          : kind < 0.8 ? draw_.uniform(-3, -0.7)
                          : kind < 0.9 ? draw_.uniform(0.7, 2)
                                       : draw_.uniform(2, 6);
    return units_.distance * std::pow(10, digits);
  }
  std::string found(const std::string& family, const char* parameter) {
    return draw_.chance(0.3) ? family : fmt::format("{}:{}={:.6g}", family, parameter, width());
  }

  Draw& draw_;
  Units units_;
};

const Words kFamilies = {"gaussian",
                         "gaussian",
                         "linear",
                         "polynomial",
                         "polynomial",
                         "matern",
                         "exponential",
                         "laplacian",
                         "rational_quadratic",
                         "inverse_multiquadric",
                         "multiquadric",
                         "power_distance",
                         "log_distance",
                         "thin_plate_spline",
                         "shifted_thin_plate_spline",
                         "sigmoid",
                         "cosine"};
const Words kHistogramFamilies = {"chi_squared", "additive_chi_squared", "chi_squared_similarity"};

bool in(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool needs_centring(const std::string& kernel) {
  for (const char* name : {"multiquadric", "power_distance", "log_distance", "thin_plate_spline",
                           "additive_chi_squared", "offset=-2"})
    if (kernel.find(name) != kernel.npos && !kernel.starts_with("inverse_multiquadric"))
      return true;
  return false;
}

// Operators that may serve a kernel; what refuses after all is left to the planner.
std::string draw_operator(Draw& draw, const std::string& kernel, bool table) {
  if (!table) return draw.chance(0.5) ? "given_matrix" : "";
  if (draw.chance(0.4)) return "";
  Words names = {"dense_gram", "blocked_gram", "cholesky_features"};
  const auto more = [&](const Words& words) {
    names.insert(names.end(), words.begin(), words.end());
  };
  if (kernel.starts_with("linear") || kernel == "pca")
    more({"linear_gram", "covariance", "covariance"});
  if (kernel.starts_with("polynomial")) more({"polynomial_features", "polynomial_features"});
  if (kernel.starts_with("gaussian"))
    more({"fourier_features", "taylor_features", "fast_gauss", "near_field"});
  if (kernel.starts_with("matern") || kernel.starts_with("exponential"))
    more({"fourier_features", "near_field"});
  return draw.pick(names);
}

std::string draw_solver(Draw& draw) {
  if (draw.chance(0.25)) return "";
  Words names;
  for (const SolverRecipe* recipe : solver_recipes()) {
    names.emplace_back(recipe->name);
    for (const std::string_view variant : recipe->variants)
      names.push_back(fmt::format("{}:{}", recipe->name, variant));
  }
  return draw.pick(names);
}

std::string draw_components(Draw& draw, Index n) {
  const double kind = draw.uniform();
  if (kind < 0.12) return fmt::format("{:.3g}", draw.uniform(0.2, 0.995));
  if (kind < 0.22) return "all";
  const Index most = kind < 0.8 ? 8 : kind < 0.92 ? n / 2 : n - 1;
  return fmt::format("{}", draw.between(1, std::clamp<Index>(most, 1, n - 1)));
}

Index draw_rows(Draw& draw) {
  const double kind = draw.uniform();
  return kind < 0.02   ? draw.between(2, 3)
         : kind < 0.60 ? draw.between(4, 40)
         : kind < 0.92 ? draw.between(40, 80)
         : kind < 0.99 ? draw.between(80, 160)
                       : draw.between(160, 300);
}

void draw_problem(Draw& draw, Configuration& c) {
  c.n = draw_rows(draw);
  c.dim = draw.chance(0.85) ? draw.between(1, 8) : draw.between(9, 40);
  c.data_seed = static_cast<std::uint64_t>(draw.below(1000000));
  if (draw.chance(0.15)) {
    c.as = draw.pick<std::string>({"kernel", "kernel", "distance", "squared-distance"});
    c.data = draw.pick(matrix_kinds(c.as));
    c.n = std::max<Index>(3, c.n);
    return;
  }
  c.data = draw.pick(table_kinds());
  const Points x = make_table({c.data, c.n, c.dim, c.data_seed}).view().to_points();
  c.n = std::max(c.n, Index{2});
  KernelDraw kernels(draw, units_of(x));
  Words families = kFamilies;
  if (in(histogram_kinds(), c.data))
    for (int times = 0; times < 4; ++times)
      families.insert(families.end(), kHistogramFamilies.begin(), kHistogramFamilies.end());
  if (draw.chance(0.08)) c.method = "pca";
  c.kernel = kernels.one(draw.pick(families));
  if (draw.chance(0.12))
    c.kernel += (draw.chance(0.6) ? "+" : "*") + kernels.one(draw.pick(families));
  if (draw.chance(0.06)) c.kernel = fmt::format("{:.4g}*{}", draw.magnitude(-2, 2), c.kernel);
  if (draw.chance(0.15)) c.nullspace = "constant";
}

}  // namespace

Configuration draw_configuration(std::uint64_t seed, Index number) {
  Draw draw(seed, static_cast<std::uint64_t>(number) + 1000);
  Configuration c;
  draw_problem(draw, c);
  const bool table = c.as == "table", pca = c.method == "pca";
  const Index n = make_table({c.data, c.n, c.dim, c.data_seed}).n();
  c.components = draw_components(draw, n);
  c.op = draw_operator(draw, pca ? "pca" : c.kernel, table);
  c.solver = draw_solver(draw);
  const bool open = c.components == "all" || c.components.find('.') != std::string::npos;
  if (open && draw.chance(0.85)) c.solver = draw.chance(0.5) ? "dense" : "";
  c.tolerance = draw.chance(0.15)
                    ? "eigenvalues:" + draw.pick<std::string>({"1e-3", "1e-6", "1e-9", "1e-12"})
                    : draw.pick<std::string>({"1e-2", "1e-3", "1e-4", "1e-6", "1e-6", "1e-6",
                                              "1e-8", "1e-10", "1e-12"});
  c.precision = draw.pick<std::string>({"auto", "auto", "double", "double", "single"});
  c.certify = draw.pick<std::string>(
      {"auto", "auto", "auto", "auto", "deterministic", "probabilistic", "none"});
  const bool centring = !table ? c.as != "kernel" : needs_centring(c.kernel);
  if (draw.chance(centring ? 0.02 : 0.2)) c.center = false;
  const bool usual = table && c.kernel.find("sigmoid") == std::string::npos;
  if (!pca && draw.chance(usual ? 0.2 : 0.75)) {
    c.indefinite = draw.pick<std::string>({"flip", "krein", "shift", "error"});
    if ((c.indefinite == "shift" || c.indefinite == "error") && draw.chance(0.85)) c.solver = "";
  }
  if (draw.chance(0.2)) c.seed = draw.between(1, 9);
  if (pca) c.nullspace = "affine";
  return c;
}

}  // namespace mercer::campaign
