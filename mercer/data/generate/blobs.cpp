// Round normal clouds: centres uniform in the cube (-1, 1)^dim, standard deviation `noise` around
// them.
#include "mercer/data/detail/toy.h"

#include <algorithm>
#include <string>

namespace mercer {
namespace {

/// a, b, ..., z, aa, ab, ...: the numbering of spreadsheet columns.
std::string class_name(Index number) {
  std::string name;
  for (Index rest = number + 1; rest > 0; rest = (rest - 1) / 26)
    name.insert(name.begin(), static_cast<char>('a' + (rest - 1) % 26));
  return name;
}

std::vector<std::string> axis_names(Index dim) {
  if (dim == 1) return {"x"};
  if (dim == 2) return {"x", "y"};
  if (dim == 3) return {"x", "y", "z"};
  std::vector<std::string> names;
  for (Index j = 0; j < dim; ++j) names.push_back("x" + std::to_string(j + 1));
  return names;
}

Dataset make_blobs(const GeneratorOptions& options) {
  const Index classes = std::min(options.classes, options.n);  // more would have no rows
  const Random random(options.seed, detail::kCenterStream);
  Points points(options.n, options.dim);
  for (Index i = 0; i < options.n; ++i)
    for (Index j = 0; j < options.dim; ++j) {
      const auto draw = static_cast<std::uint64_t>(i % classes * options.dim + j);
      points(i, j) = 2 * random.uniform(draw) - 1;
    }
  detail::add_noise(points, options);

  std::vector<std::string> names;
  for (Index c = 0; c < classes; ++c) names.push_back(class_name(c));
  return detail::named(std::move(points), axis_names(options.dim),
                       detail::alternating_labels(std::move(names), options.n));
}

}  // namespace

const Generator& blobs_generator() {
  static constexpr Generator generator{"blobs", "round clouds around random centres", make_blobs,
                                       "rows, noise, seed, dim, classes"};
  return generator;
}

}  // namespace mercer
