#include "mercer/data/detail/source_densities.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/data/detail/toy.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace mercer::detail {
namespace {

constexpr std::uint64_t kMixingStream = 3, kChoiceStream = 4;
// Numbers that one draw may use up: six normal ones of two each, and one to choose a part.
constexpr std::uint64_t kDraws = 16, kChoiceDraw = 12;

enum class Part { student, laplace, uniform, exponential, normal };

// A mixture of up to four parts of one kind; `degrees` are those of freedom of Student's t.
struct Density {
  const char* name;
  Part part;
  int parts = 1;
  std::array<double, 4> weight = {1};
  std::array<double, 4> center = {0};
  std::array<double, 4> width = {1};
  int degrees = 0;
};

constexpr Density kDensities[] = {
    {"student_3", Part::student, 1, {1}, {0}, {1}, 3},
    {"laplace", Part::laplace},
    {"uniform", Part::uniform},
    {"student_5", Part::student, 1, {1}, {0}, {1}, 5},
    {"exponential", Part::exponential},
    {"two_laplaces", Part::laplace, 2, {1, 1}, {-1, 1}, {0.5, 0.5}},
    {"two_apart", Part::normal, 2, {1, 1}, {-0.5, 0.5}, {0.15, 0.15}},
    {"two_near", Part::normal, 2, {1, 1}, {-0.5, 0.5}, {0.4, 0.4}},
    {"two_joined", Part::normal, 2, {1, 1}, {-0.5, 0.5}, {0.5, 0.5}},
    {"uneven_two_apart", Part::normal, 2, {1, 3}, {-0.5, 0.5}, {0.15, 0.15}},
    {"uneven_two_near", Part::normal, 2, {1, 2}, {-0.7, 0.5}, {0.4, 0.4}},
    {"uneven_two_joined", Part::normal, 2, {1, 2}, {-0.7, 0.5}, {0.5, 0.5}},
    {"four_apart", Part::normal, 4, {1, 2, 2, 1}, {-1, -0.33, 0.33, 1}, {0.16, 0.16, 0.16, 0.16}},
    {"four_near", Part::normal, 4, {1, 2, 2, 1}, {-1, -0.2, 0.2, 1}, {0.2, 0.3, 0.3, 0.2}},
    {"four_joined", Part::normal, 4, {1, 2, 2, 1}, {-0.7, -0.2, 0.2, 0.7}, {0.2, 0.3, 0.3, 0.2}},
    {"uneven_four_apart",
     Part::normal,
     4,
     {1, 1, 2, 1},
     {-1, 0.3, -0.3, 1.1},
     {0.2, 0.2, 0.2, 0.2}},
    {"uneven_four_near", Part::normal, 4, {1, 3, 2, 0.5}, {-1, -0.2, 0.3, 1}, {0.2, 0.3, 0.2, 0.2}},
    {"uneven_four_joined",
     Part::normal,
     4,
     {1, 2, 2, 1},
     {-0.8, -0.2, 0.2, 0.5},
     {0.22, 0.3, 0.3, 0.2}},
};
constexpr Index kCount = std::size(kDensities);

double variance_of(const Density& density) {
  switch (density.part) {
    case Part::student:
      return density.degrees / (density.degrees - 2.0);
    case Part::laplace:
      return 2;
    case Part::uniform:
      return 1.0 / 3;
    case Part::exponential:
    case Part::normal:
      break;
  }
  return 1;
}

struct Scale {
  double mean = 0, deviation = 1;
};

Scale scale_of(const Density& density) {
  double total = 0, first = 0, second = 0;
  for (std::size_t p = 0; p < static_cast<std::size_t>(density.parts); ++p) {
    const double width = density.width[p], center = density.center[p];
    total += density.weight[p];
    first += density.weight[p] * center;
    second += density.weight[p] * (center * center + width * width * variance_of(density));
  }
  const double mean = first / total;
  return {mean, std::sqrt(second / total - mean * mean)};
}

// One draw of a part at 0 with width 1, from the numbers from `begin` on.
double draw_part(const Density& density, const Random& random, std::uint64_t begin) {
  const double u = random.uniform(begin);
  switch (density.part) {
    case Part::laplace:
      return u < 0.5 ? std::log(2 * u) : -std::log(2 - 2 * u);
    case Part::uniform:
      return 2 * u - 1;
    case Part::exponential:
      return -std::log(u) - 1;
    case Part::student: {
      double squares = 0;
      for (int d = 1; d <= density.degrees; ++d)
        squares += std::pow(random.normal(begin / 2 + static_cast<std::uint64_t>(d)), 2);
      return random.normal(begin / 2) / std::sqrt(squares / density.degrees);
    }
    case Part::normal:
      break;
  }
  return random.normal(begin / 2);
}

double draw(const Density& density, const Scale& scale, const Random& random,
            std::uint64_t number) {
  const std::uint64_t begin = number * kDraws;
  double total = 0;
  for (const double weight : density.weight) total += weight;
  double left = total * random.uniform(begin + kChoiceDraw);
  std::size_t part = 0;
  while (part + 1 < static_cast<std::size_t>(density.parts) && left > density.weight[part])
    left -= density.weight[part++];
  const double drawn =
      density.center[part] + density.width[part] * draw_part(density, random, begin);
  return (drawn - scale.mean) / scale.deviation;
}

// The numbers of the densities of all sources.
std::vector<Index> densities_of(const GeneratorOptions& options) {
  std::vector<Index> chosen;
  const Random random(options.seed, kChoiceStream);
  const std::vector<std::string> names = density_names();
  const auto named =
      static_cast<Index>(std::find(names.begin(), names.end(), options.density) - names.begin());
  if (!options.density.empty() && options.density != "random" && named == kCount)
    throw Error(ErrorCode::unknown_name,
                fmt::format("there is no density \"{}\"", printable(options.density)),
                suggest(options.density, names, "densities"));
  for (Index j = 0; j < options.dim; ++j) {
    const auto drawn = static_cast<Index>(
        random.below(static_cast<std::uint64_t>(kCount), static_cast<std::uint64_t>(j)));
    chosen.push_back(options.density.empty() ? j % kCount : named < kCount ? named : drawn);
  }
  return chosen;
}

// Orthonormal columns by Gram and Schmidt, done twice.
Points orthonormal(Index dim, const Random& random, std::uint64_t first) {
  Block columns(dim, dim);
  for (Index i = 0; i < columns.size(); ++i)
    columns.data()[i] = random.normal(first + static_cast<std::uint64_t>(i));
  for (Index j = 0; j < dim; ++j) {
    for (int pass = 0; pass < 2; ++pass)
      for (Index before = 0; before < j; ++before)
        columns.col(j) -= columns.col(before).dot(columns.col(j)) * columns.col(before);
    columns.col(j).normalize();
  }
  return columns;
}

}  // namespace

std::vector<std::string> density_names() {
  std::vector<std::string> names;
  for (const Density& density : kDensities) names.emplace_back(density.name);
  return names;
}

Points draw_sources(const GeneratorOptions& options) {
  const std::vector<Index> chosen = densities_of(options);
  const Random random(options.seed, kShapeStream);
  Points sources(options.n, options.dim);
  for (Index j = 0; j < options.dim; ++j) {
    const Density& density = kDensities[chosen[static_cast<std::size_t>(j)]];
    const Scale scale = scale_of(density);
    for (Index i = 0; i < options.n; ++i)
      sources(i, j) = draw(density, scale, random, static_cast<std::uint64_t>(i * options.dim + j));
  }
  return sources;
}

Points draw_mixing(const GeneratorOptions& options) {
  const Index dim = options.dim;
  const Random random(options.seed, kMixingStream);
  const auto numbers = static_cast<std::uint64_t>(dim * dim);
  const Points left = orthonormal(dim, random, 0), right = orthonormal(dim, random, numbers);
  Vector stretch(dim);
  for (Index i = 0; i < dim; ++i)
    stretch[i] = 1 + random.uniform(4 * numbers + static_cast<std::uint64_t>(i));
  return left * stretch.asDiagonal() * right.transpose();
}

std::vector<std::string> numbered_names(std::string_view letter, Index count) {
  std::vector<std::string> names;
  for (Index j = 1; j <= count; ++j) names.push_back(fmt::format("{}{}", letter, j));
  return names;
}

}  // namespace mercer::detail
