#include "mercer/operators/monomial_map.h"

#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/core/parallel.h"
#include "mercer/core/per_thread.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

constexpr Index kMostTerms = 200;               // beyond, expansions are longer than any table
constexpr Index kTermNumbers = Index{1} << 20;  // 8 MB of terms that are not kept

constexpr Index kLargestDegree = 1'000'000;  // of any kernel

struct Scratch {
  std::vector<double> variables, terms;
};

}  // namespace

double polynomial_width(const Polynomial& kernel, Index dim) {
  const auto degree = static_cast<Index>(kernel.degree);
  return kernel.offset == 0 ? monomial_count(dim - 1, degree) : monomial_count(dim, degree);
}

Index taylor_terms_for(double reach, double beyond, double eps) {
  double bound = 1;
  for (Index p = 1; p <= kMostTerms; ++p) {
    // For a given a the largest is at b = (a + (a^2 + 4p)^(1/2))/2, or at the end of the range; it
    // grows with a.
    const double a = reach, most = (a + std::sqrt(a * a + 4 * static_cast<double>(p))) / 2;
    const double b = std::min(beyond, most);
    bound = std::exp(static_cast<double>(p) * std::log(std::max(a * b, 1e-300)) -
                     std::lgamma(static_cast<double>(p) + 1) - (a - b) * (a - b) / 2);
    if (bound <= eps) return p;
  }
  return 0;
}

MonomialMap::MonomialMap(Placement placement, double stretch, bool damped, Index dim, Index degree)
    : placement_(std::move(placement)), stretch_(stretch), damped_(damped), terms_(dim, degree) {}

std::shared_ptr<const MonomialMap> MonomialMap::polynomial(const Polynomial& kernel, Index dim,
                                                           double scale) {
  const auto degree = static_cast<Index>(kernel.degree);
  const Placement placement{scale, Vector::Zero(dim)};
  std::shared_ptr<MonomialMap> map(new MonomialMap(placement, 1, false, dim, degree));
  const Index all = map->terms_.count();
  const Index first = kernel.offset == 0 ? map->terms_.count_up_to(degree - 1) : 0;
  map->roots_ = Vector(all - first);
  // Scaling x by s and g by 1/s^2 leaves the kernel as it is. Powers of four have whole roots: they
  // are kept apart, so that units of the rows that are powers of two change no digit.
  const double g = kernel.scale / scale / scale;
  const int halves = std::isfinite(g) && g > 0 ? std::ilogb(g) >> 1 : 0;  // files may say anything
  const double log_g = std::log(std::ldexp(g, -2 * halves));
  const double log_c = kernel.offset > 0 ? std::log(kernel.offset) : 0;
  for (Index t = first; t < all; ++t) {
    const auto used = static_cast<double>(map->terms_.degree_of(t));
    const double left = kernel.degree - used;
    map->roots_[t - first] =
        std::ldexp(std::exp((std::lgamma(kernel.degree + 1) - map->terms_.log_factorial(t) -
                             std::lgamma(left + 1) + used * log_g + left * log_c) /
                            2),
                   halves * static_cast<int>(used));
  }
  return map;
}

std::shared_ptr<const MonomialMap> MonomialMap::gaussian(double sigma, Placement placement,
                                                         Index terms, double reach) {
  const Index dim = placement.centre.size();
  std::shared_ptr<MonomialMap> map(
      new MonomialMap(std::move(placement), 1 / sigma, true, dim, terms - 1));
  map->reach_ = reach;
  map->roots_ = Vector(map->terms_.count());
  for (Index t = 0; t < map->terms_.count(); ++t)
    map->roots_[t] = std::exp(-map->terms_.log_factorial(t) / 2);
  return map;
}

bool MonomialMap::covers(const double* row) const {
  if (!damped_) return true;
  double squared = 0;
  for (Index j = 0; j < dim(); ++j) {
    const double z = (row[j] * placement_.scale - placement_.centre[j]) * stretch_;
    squared += z * z;
  }
  return squared <= reach_ * reach_;
}

void MonomialMap::fill(DataView rows, Range part, BlockRef out) const {
  auto& [variables, terms] = per_thread<Scratch>();
  const Index n = part.size(), all = terms_.count(), first = all - width();
  variables.resize(static_cast<std::size_t>(n * dim()));
  Eigen::Map<Block> z(variables.data(), n, dim());
  z = placement_.rows(rows, part);
  z *= stretch_;
  if (first > 0) {  // the lower degrees are made on the way, and not kept
    const Index few = std::clamp<Index>(kTermNumbers / all, 1, n);
    terms.resize(static_cast<std::size_t>(few * all));
    for (const Range rows_now : tiles_of(n, few)) {
      const Index count = rows_now.size();
      terms_.fill(z.data() + rows_now.begin, n, count, nullptr, all, terms.data(), count);
      const Eigen::Map<const Block> made(terms.data(), count, all);
      out.middleRows(rows_now.begin, count) = made.rightCols(width()) * roots_.asDiagonal();
    }
    return;
  }
  if (damped_) out.col(0) = (z.rowwise().squaredNorm().array() * -0.5).exp();
  terms_.fill(z.data(), n, n, damped_ ? out.data() : nullptr, all, out.data(), out.outerStride());
  for (Index t = 0; t < all; ++t) out.col(t) *= roots_[t];
}

void MonomialMap::save(State& state) const {
  Value value;
  value["name"] = name();
  value["degree"] = static_cast<std::int64_t>(terms_.degree());
  value["scale"] = placement_.scale;
  if (damped_) {
    value["sigma"] = 1 / stretch_;
    value["reach"] = reach_;
    state.arrays.push_back(Array::of("feature_centre", placement_.centre));
  }
  state.values["features"] = std::move(value);
}

std::shared_ptr<const MonomialMap> MonomialMap::from(const State& state, const Kernel& kernel,
                                                     Index dim) {
  constexpr double kSmallest = std::numeric_limits<double>::min();
  const Fields fields = Fields(state.values).object("features");
  const double scale = fields.number("scale", kSmallest);
  const auto degree = fields.count("degree", 0, kLargestDegree);
  // The weights of the model have a row for every feature: more cannot be meant.
  const Array& weights = state.array("feature_weights");
  const auto rows = static_cast<double>(weights.shape.empty() ? 0 : weights.shape[0]);
  if (fields.text("name") == "monomials") {
    const Polynomial* family = kernel.only<Polynomial>();
    if (family == nullptr || !(family->offset >= 0))
      fields.refuse("name", "monomials are features of polynomial kernels without negative offset");
    if (static_cast<double>(degree) != family->degree)
      fields.refuse("degree", fmt::format("is {}, that of the kernel {}", degree, family->degree));
    if (polynomial_width(*family, dim) != rows || monomial_count(dim, degree) > kMostMonomials)
      fields.refuse("degree",
                    fmt::format("{} monomials of degree {} in {} columns do not fit {} "
                                "features",
                                brief(monomial_count(dim, degree), 6), degree, dim, rows));
    return polynomial(*family, dim, scale);
  }
  if (kernel.only<Gaussian>() == nullptr)
    fields.refuse("name", "Taylor features are those of a Gaussian");
  Placement placement{scale, state.array("feature_centre").as_vector()};
  require(placement.centre.size() == dim && placement.centre.allFinite(),
          ErrorCode::bad_model_content,
          "array \"feature_centre\" is not one finite number for each column");
  const double sigma = fields.number("sigma", kSmallest), reach = fields.number("reach", 0);
  if (monomial_count(dim, degree) != rows)
    fields.refuse("degree",
                  fmt::format("{} monomials of degree {} in {} columns are not {} features",
                              brief(monomial_count(dim, degree), 6), degree, dim, rows));
  return gaussian(sigma, std::move(placement), degree + 1, reach);
}

}  // namespace mercer
