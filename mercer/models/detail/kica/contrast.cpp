#include "mercer/models/detail/kica/contrast.h"

#include "mercer/linalg/blas.h"
#include "mercer/linalg/lapack.h"

#include <Eigen/Cholesky>

#include <cmath>
#include <limits>

namespace mercer::detail {
namespace {

// What is added to A_i, in units of rounding of its trace, so that its root exists; c, beside which
// it stands, is many times larger.
constexpr double kLift = 8 * std::numeric_limits<double>::epsilon();

struct Regularised {
  std::vector<Block> inverse;  // E_i
  std::vector<Block> root;     // T_i
};

Regularised regularised(const Block& h, const std::vector<Range>& columns, double c) {
  Regularised all;
  for (const Range part : columns) {
    const Index m = part.size();
    Block a = h.block(part.begin, part.begin, m, m);
    a.diagonal().array() += kLift * static_cast<double>(m) * a.trace();
    const Block identity = Block::Identity(m, m);
    all.inverse.push_back(Eigen::LLT<Block>(a + c * identity).solve(identity));
    const Block root = Eigen::LLT<Block>(a).matrixL();
    all.root.push_back(all.inverse.back() * root);
  }
  return all;
}

Block off_diagonal(Block h, const std::vector<Range>& columns) {
  for (const Range part : columns)
    h.block(part.begin, part.begin, part.size(), part.size()).setZero();
  return h;
}

// T x for T with the blocks T_i on the diagonal.
Block times_roots(const Regularised& all, const std::vector<Range>& columns, const Block& x) {
  Block result(x.rows(), x.cols());
  for (std::size_t i = 0; i < columns.size(); ++i)
    gemm(Transpose::no, Transpose::no, 1.0, all.root[i],
         x.middleRows(columns[i].begin, columns[i].size()), 0.0,
         result.middleRows(columns[i].begin, columns[i].size()));
  return result;
}

Block correlations(const Regularised& all, const std::vector<Range>& columns, const Block& o) {
  Block r = Block::Identity(o.rows(), o.cols());
  for (std::size_t i = 1; i < columns.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Range row = columns[i], col = columns[j];
      Block half(row.size(), col.size());
      gemm(Transpose::no, Transpose::no, 1.0, o.block(row.begin, col.begin, row.size(), col.size()),
           all.root[j], 0.0, half);
      const auto here = r.block(row.begin, col.begin, row.size(), col.size());
      gemm(Transpose::yes, Transpose::no, 1.0, all.root[i], half, 0.0, here);
      r.block(col.begin, row.begin, col.size(), row.size()) = here.transpose();
    }
  return r;
}

// Derivatives of one number by O and by the blocks of P.
struct Parts {
  Block by_products;            // X
  std::vector<Block> by_roots;  // Z_i
};

Parts parts_of_determinant(const Regularised& all, const std::vector<Range>& columns,
                           const Block& o, const Eigen::LLT<Block>& r) {
  const Block right =
      times_roots(all, columns, r.solve(Block::Identity(o.rows(), o.cols()))).transpose();
  Parts parts{times_roots(all, columns, right), {}};
  Block product(o.rows(), o.cols());
  gemm(Transpose::no, Transpose::no, 1.0, parts.by_products, o, 0.0, product);
  for (const Range part : columns) {
    Block z(part.size(), part.size());
    gemm(Transpose::no, Transpose::no, -1.0, o.middleRows(part.begin, part.size()),
         product.middleCols(part.begin, part.size()), 0.0, z);
    parts.by_roots.push_back((z + z.transpose()) / 2);
  }
  return parts;
}

Parts parts_of_smallest(const Regularised& all, const std::vector<Range>& columns, const Block& o,
                        const Vector& v, double smallest) {
  const Vector x = times_roots(all, columns, v), turned = o * x;
  Parts parts{x * x.transpose(), {}};
  const double below = smallest < 1 ? smallest - 1 : -1;  // at 1 nothing is turned either
  for (const Range part : columns) {
    const auto own = turned.segment(part.begin, part.size());
    parts.by_roots.push_back(own * own.transpose() / below);
  }
  return parts;
}

Block by_all_products(const Parts& parts, const Regularised& all, const std::vector<Range>& columns,
                      double c) {
  Block d = parts.by_products;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Range part = columns[i];
    const Block& e = all.inverse[i];
    const Block between = e * parts.by_roots[i] * e, bent = c * (e * between);
    d.block(part.begin, part.begin, part.size(), part.size()) = bent + bent.transpose() - between;
  }
  return d;
}

}  // namespace

double dependence(const Block& h, const std::vector<Range>& columns, double c, Dependence kind,
                  Block* derivative) {
  const Regularised all = regularised(h, columns, c);
  const Block o = off_diagonal(h, columns);
  Block r = correlations(all, columns, o);
  if (kind == Dependence::kgv) {
    const Eigen::LLT<Block> root(r);
    if (derivative != nullptr)
      *derivative =
          -0.5 * by_all_products(parts_of_determinant(all, columns, o, root), all, columns, c);
    return -root.matrixLLT().diagonal().array().log().sum();
  }
  const SymmetricReduction reduction(r);
  const double smallest = reduction.values()[0];
  if (derivative != nullptr) {
    const Vector v = reduction.vectors({0});
    *derivative = -0.5 / smallest *
                  by_all_products(parts_of_smallest(all, columns, o, v, smallest), all, columns, c);
  }
  return -0.5 * std::log(smallest);
}

}  // namespace mercer::detail
