#include "tests/campaign/tables.h"

#include "tests/campaign/draw.h"
#include "tests/support/sparse_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <numbers>
#include <stdexcept>

namespace mercer::campaign {
namespace {

using Make = Points (*)(Index n, Index dim, Draw& draw);

Points normal(Index n, Index dim, Draw& draw) {
  Points x(n, dim);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < dim; ++j) x(i, j) = draw.normal();
  return x;
}

Points offset(Index n, Index dim, Draw& draw) {
  return normal(n, dim, draw).array() + std::pow(10, static_cast<double>(draw.between(3, 8)));
}

// Few different rows, each several times, in no order.
Points duplicates(Index n, Index dim, Draw& draw) {
  const Points some = normal(std::max<Index>(2, n / 4), dim, draw);
  Points x(n, dim);
  for (Index i = 0; i < n; ++i) x.row(i) = some.row(i < 2 ? i : draw.below(some.rows()));
  return x;
}

Points clusters(Index n, Index dim, Draw& draw) {
  const Points centres = draw.magnitude(0, 3) * normal(3, dim, draw);
  const double spread = draw.magnitude(-3, 0);
  Points x = spread * normal(n, dim, draw);
  for (Index i = 0; i < n; ++i) x.row(i) += centres.row(i % 3);
  return x;
}

// A few rows far away, and close to each other.
Points far_cluster(Index n, Index dim, Draw& draw) {
  Points x = normal(n, dim, draw);
  const double distance = draw.magnitude(1, 6), spread = draw.magnitude(-3, 1);
  const Index few = draw.between(1, std::max<Index>(2, n / 10));
  for (Index i = 0; i < std::min(few, n - 1); ++i)
    x.row(i) = (spread * x.row(i)).array() + distance;
  return x;
}

Points outlier(Index n, Index dim, Draw& draw) {
  Points x = normal(n, dim, draw);
  x.row(draw.below(n)) *= draw.magnitude(2, 8);
  return x;
}

Points whole(Index n, Index dim, Draw& draw) {
  const Index most = draw.pick<Index>({2, 20, 127}), moved = draw.pick<Index>({0, 0, 100, 200000});
  Points x(n, dim);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < dim; ++j)
      x(i, j) = static_cast<double>(moved + draw.between(-most, most));
  return x;
}

Points bytes(Index n, Index dim, Draw& draw) {
  Points x(n, dim);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < dim; ++j) x(i, j) = static_cast<double>(draw.between(0, 255));
  return x;
}

// Exactly of low rank: products of small whole numbers over 8.
Points low_rank(Index n, Index dim, Draw& draw) {
  const Index rank = draw.between(1, std::max<Index>(1, std::min<Index>(4, dim - 1)));
  Points a(n, rank), b(rank, dim);
  for (Index i = 0; i < n; ++i)
    for (Index r = 0; r < rank; ++r) a(i, r) = static_cast<double>(draw.between(-99, 99)) / 8;
  for (Index r = 0; r < rank; ++r)
    for (Index j = 0; j < dim; ++j) b(r, j) = static_cast<double>(draw.between(-9, 9));
  return a * b;
}

// The last column is a multiple of the first, or differs from it by little.
Points collinear(Index n, Index dim, Draw& draw) {
  Points x = normal(n, std::max<Index>(2, dim), draw);
  const Index last = x.cols() - 1;
  const double apart = draw.chance(0.4) ? 0 : draw.magnitude(-8, -2);
  for (Index i = 0; i < n; ++i) x(i, last) = 2 * x(i, 0) + apart * x(i, last);
  return x;
}

Points constant_column(Index n, Index dim, Draw& draw) {
  Points x = normal(n, std::max<Index>(2, dim), draw);
  x.col(draw.below(x.cols())).setConstant(draw.pick<double>({0, 0.1, 1, 1e3, 1e6, 1e7}));
  return x;
}

// Every point of a grid: as many rows as make it whole.
Points lattice(Index n, Index dim, Draw&) {
  const Index d = std::min<Index>(dim, 3);
  auto side = std::max<Index>(2, std::lround(std::pow(n, 1.0 / static_cast<double>(d))));
  Points x(d == 1 ? side : d == 2 ? side * side : side * side * side, d);
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0, rest = i; j < d; ++j, rest /= side)
      x(i, j) = static_cast<double>(rest % side);
  return x;
}

Points cube(Index n, Index, Draw&) {
  Index d = 2;
  while ((Index{2} << d) <= n && d < 7) ++d;
  Points x(Index{1} << d, d);
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < d; ++j) x(i, j) = (i >> j) % 2 == 0 ? 1 : -1;
  return x;
}

// Multiple eigenvalues whose size is out of the range of float, or of its precision.
Points scaled_cube(Index n, Index dim, Draw& draw) {
  return cube(n, dim, draw) * draw.pick<double>({1e-24, 1e-12, 1e-5, 1e10, 1e20, 1e25});
}

Points ring(Index n, Index, Draw&) {
  Points x(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    x(i, 0) = std::cos(angle);
    x(i, 1) = std::sin(angle);
  }
  return x;
}

// All distances are equal.
Points simplex(Index n, Index, Draw& draw) {
  return draw.pick<double>({1, 3}) *
         Points::Identity(std::min<Index>(n, 40), std::min<Index>(n, 40));
}

Points tiny(Index n, Index dim, Draw& draw) {
  return normal(n, dim, draw) * draw.pick<double>({1e-20, 1e-60, 1e-100, 1e-150});
}
Points huge(Index n, Index dim, Draw& draw) {
  return normal(n, dim, draw) * draw.pick<double>({1e20, 1e60, 1e100, 1e150});
}

Points scales(Index n, Index dim, Draw& draw) {
  Points x = normal(n, dim, draw);
  for (Index j = 0; j < dim; ++j) x.col(j) *= draw.magnitude(-6, 6);
  return x;
}

Points sparse(Index n, Index dim, Draw& draw) {
  Points x = normal(n, dim, draw);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < dim; ++j)
      if (draw.chance(0.7)) x(i, j) = 0;
  return x;
}

// A column far from 0 beside sparse ones, or all of them far from 0.
Points sparse_offset(Index n, Index dim, Draw& draw) {
  if (draw.chance(0.4)) return offset(n, dim, draw);
  Points x = sparse(n, std::max<Index>(2, dim), draw);
  x.col(0).array() += draw.pick<double>({1e2, 1e4, 1e6, 1e7});
  if (draw.chance(0.5)) x.col(0).setConstant(draw.pick<double>({1, 1e3, 1e6, 1e7}));
  return x;
}

Points one_column(Index n, Index, Draw& draw) {
  return normal(n, 1, draw).array() * 3 + draw.pick<double>({0, 1, 1e4});
}

Points wide(Index n, Index, Draw& draw) {
  return normal(n, n + draw.between(1, std::max<Index>(2, 2 * n)), draw);
}

Points heavy_tails(Index n, Index dim, Draw& draw) {
  Points x(n, dim);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < dim; ++j) x(i, j) = std::tan(std::numbers::pi * (draw.uniform() - 0.5));
  return x;
}

// Counts or frequencies, with zeros among them.
Points histogram(Index n, Index dim, Draw& draw) {
  const bool counts = draw.chance(0.5);
  Points x(n, std::max<Index>(2, dim));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < x.cols(); ++j)
      x(i, j) = draw.chance(0.25) ? 0 : std::floor(-20 * std::log(draw.uniform()));
    if (const double sum = x.row(i).sum(); !counts && sum > 0) x.row(i) /= sum;
  }
  return x;
}

const std::map<std::string, Make>& kinds() {
  static const std::map<std::string, Make> all = {{"normal", normal},
                                                  {"offset", offset},
                                                  {"duplicates", duplicates},
                                                  {"clusters", clusters},
                                                  {"far_cluster", far_cluster},
                                                  {"outlier", outlier},
                                                  {"whole", whole},
                                                  {"bytes", bytes},
                                                  {"low_rank", low_rank},
                                                  {"collinear", collinear},
                                                  {"constant_column", constant_column},
                                                  {"lattice", lattice},
                                                  {"cube", cube},
                                                  {"ring", ring},
                                                  {"simplex", simplex},
                                                  {"scaled_cube", scaled_cube},
                                                  {"tiny", tiny},
                                                  {"huge", huge},
                                                  {"scales", scales},
                                                  {"sparse", sparse},
                                                  {"sparse_offset", sparse_offset},
                                                  {"sparse_histogram", histogram},
                                                  {"one_column", one_column},
                                                  {"wide", wide},
                                                  {"heavy_tails", heavy_tails},
                                                  {"histogram", histogram},
                                                  {"float32", normal},
                                                  {"uint8", bytes}};
  return all;
}

template <class T>
Dataset stored_as(const Points& x) {
  std::vector<std::byte> room(static_cast<std::size_t>(x.size()) * sizeof(T));
  for (Index i = 0; i < x.size(); ++i) {
    const T value = static_cast<T>(x.data()[i]);
    std::memcpy(room.data() + static_cast<std::size_t>(i) * sizeof(T), &value, sizeof(T));
  }
  return {std::move(room), scalar_of<T>(), x.rows(), x.cols()};
}

}  // namespace

std::vector<std::string> table_kinds() {
  std::vector<std::string> names;
  for (const auto& [name, make] : kinds()) names.push_back(name);
  return names;
}

std::vector<std::string> histogram_kinds() {
  return {"histogram", "sparse_histogram", "bytes", "uint8", "simplex", "lattice"};
}

bool is_extreme(const std::string& kind) { return kind == "tiny" || kind == "huge"; }

Dataset make_table(const TableWish& wish) {
  Points x;
  if (detail::make_matrix(wish, x)) return Dataset(std::move(x));
  const auto found = kinds().find(wish.kind);
  if (found == kinds().end()) throw std::invalid_argument("no such data: " + wish.kind);
  Draw draw(wish.seed, 11);
  x = found->second(wish.n, wish.dim, draw);
  if (wish.kind.starts_with("sparse")) return test::sparse_rows(x);
  if (wish.kind == "float32") return stored_as<float>(x);
  if (wish.kind == "uint8") return stored_as<unsigned char>(x);
  return Dataset(std::move(x));
}

}  // namespace mercer::campaign
