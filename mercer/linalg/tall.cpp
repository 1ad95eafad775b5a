#include "mercer/linalg/tall.h"

#include "mercer/core/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/lapack.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {
namespace {

constexpr Index kRows = 2048;  // per task: 64 columns of doubles are 1 MB

// Directions whose length is below this share of the longest are dependent: 1e-7 of a unit column
// still has half its digits, and is made orthonormal again by the second round.
constexpr double kDependent = 1e-14;  // of squares
constexpr double kRounding = 1e-13;
constexpr double kNearlyOrthonormal = 1e-3;  // one round then leaves rounding

// Sums of wide blocks are large themselves: few parts then, whatever the number of rows.
constexpr Index kWide = 128, kMostSums = 8;

Index rows_per_sum(Index n, Index columns) {
  return columns <= kWide ? kRows : std::max(kRows, (n + kMostSums - 1) / kMostSums);
}

template <class Task>
void over_rows(Index n, const Context& context, const Task& task, Index rows = kRows) {
  const std::vector<Range> parts = tiles_of(n, rows);
  parallel_for(context, static_cast<Index>(parts.size()),
               [&](Index t) { task(t, parts[static_cast<std::size_t>(t)]); });
}

// Turns the columns of z into orthonormal ones by the eigenvectors of their Gram matrix; fewer
// where they are dependent.
Block whiten(const Block& z, const Context& context) {
  Block gram = inner_products(z, z, context);
  const double largest = gram.diagonal().maxCoeff();
  if (!(largest > 0)) return Block(z.rows(), 0);
  const SymmetricReduction reduction(gram, context);
  std::vector<Index> kept;
  for (Index i = z.cols(); i-- > 0;)
    if (reduction.values()[i] > kDependent * reduction.values()[z.cols() - 1]) kept.push_back(i);
  Block turn = reduction.vectors(kept);
  for (std::size_t j = 0; j < kept.size(); ++j)
    turn.col(static_cast<Index>(j)) /= std::sqrt(reduction.values()[kept[j]]);
  return product(z, turn, context);
}

}  // namespace

Block inner_products(ConstBlockRef a, ConstBlockRef b, const Context& context) {
  const Index parts = (a.rows() + kRows - 1) / kRows;
  std::vector<Block> sums(static_cast<std::size_t>(parts));
  over_rows(a.rows(), context, [&](Index t, Range rows) {
    Block& sum = sums[static_cast<std::size_t>(t)];
    sum.resize(a.cols(), b.cols());
    gemm(Transpose::yes, Transpose::no, 1.0, a.middleRows(rows.begin, rows.size()),
         b.middleRows(rows.begin, rows.size()), 0.0, sum);
  });
  Block total = Block::Zero(a.cols(), b.cols());
  for (const Block& sum : sums) total += sum;
  return total;
}

Block self_products(ConstBlockRef a, const Context& context) {
  const Index each = rows_per_sum(a.rows(), a.cols());
  std::vector<Block> sums(static_cast<std::size_t>((a.rows() + each - 1) / each));
  const auto sum_up = [&](Index t, Range rows) {
    Block sum = Block::Zero(a.cols(), a.cols());
    add_gram(a.middleRows(rows.begin, rows.size()), sum);
    sums[static_cast<std::size_t>(t)] = std::move(sum);
  };
  over_rows(a.rows(), context, sum_up, each);
  Block total = Block::Zero(a.cols(), a.cols());
  for (const Block& sum : sums) total += sum;
  total.triangularView<Eigen::StrictlyUpper>() = total.transpose();
  return total;
}

std::uint64_t self_products_bytes(Index rows, Index columns) {
  const Index each = rows_per_sum(rows, columns);
  return static_cast<std::uint64_t>(8 * columns * columns * ((rows + each - 1) / each));
}

void multiply(BlockRef z, ConstBlockRef v, ConstBlockRef c, const Context& context) {
  over_rows(z.rows(), context, [&](Index, Range rows) {
    gemm(Transpose::no, Transpose::no, 1.0, v.middleRows(rows.begin, rows.size()), c, 0.0,
         z.middleRows(rows.begin, rows.size()));
  });
}

void add_product(BlockRef z, double factor, ConstBlockRef v, ConstBlockRef c,
                 const Context& context) {
  if (v.cols() == 0 || z.cols() == 0) return;
  over_rows(z.rows(), context, [&](Index, Range rows) {
    gemm(Transpose::no, Transpose::no, factor, v.middleRows(rows.begin, rows.size()), c, 1.0,
         z.middleRows(rows.begin, rows.size()));
  });
}

Block product(ConstBlockRef v, ConstBlockRef c, const Context& context) {
  Block out = Block::Zero(v.rows(), c.cols());
  add_product(out, 1.0, v, c, context);
  return out;
}

void rotate(BlockRef v, ConstBlockRef c, const Context& context) {
  over_rows(v.rows(), context, [&](Index, Range rows) {
    Block turned(rows.size(), c.cols());
    gemm(Transpose::no, Transpose::no, 1.0, v.middleRows(rows.begin, rows.size()), c, 0.0, turned);
    v.block(rows.begin, 0, rows.size(), c.cols()) = turned;
  });
}

void project_out(BlockRef z, ConstBlockRef v, const Context& context) {
  if (v.cols() == 0) return;
  for (int round = 0; round < 2; ++round)
    add_product(z, -1.0, v, inner_products(v, z, context), context);
}

Block orthonormal(Block z, ConstBlockRef v, double scale, const Context& context) {
  project_out(z, v, context);
  // Columns of one length: otherwise the longest would decide which are dependent.
  const Vector norms = column_norms(z);
  Index kept = 0;
  for (Index j = 0; j < z.cols(); ++j) {
    if (!(norms[j] > kRounding * scale)) continue;
    z.col(kept++) = z.col(j) / norms[j];
  }
  z.conservativeResize(Eigen::NoChange, kept);
  if (kept == 0) return z;
  // Twice: the first round leaves 1e-8 where columns were nearly dependent.
  for (int round = 0; round < 2 && z.cols() > 0; ++round) {
    z = whiten(z, context);
    project_out(z, v, context);
  }
  polish_orthonormal(z, context);
  return z;
}

Block orthonormalise_in_order(BlockRef v, const Context& context) {
  const Index k = v.cols();
  Block all = Block::Identity(k, k);
  // Once suffices unless columns were far from orthonormal, whose inner products say it less well.
  for (int round = 0; round < 2; ++round) {
    const Block gram = self_products(v, context);
    const Eigen::LLT<Block> root(gram);
    if (root.info() != Eigen::Success) break;
    const Block c = root.matrixU().solve(Block::Identity(k, k));
    rotate(v, c, context);
    all = all * c;
    if ((gram - Block::Identity(k, k)).cwiseAbs().maxCoeff() < kNearlyOrthonormal) break;
  }
  return all;
}

Vector column_norms(ConstBlockRef z) {
  Vector norms(z.cols());
  for (Index j = 0; j < z.cols(); ++j) {
    const double largest = z.rows() > 0 ? z.col(j).lpNorm<Eigen::Infinity>() : 0;
    norms[j] = largest > 1e-140 && largest < 1e140 ? z.col(j).norm()
               : largest > 0                       ? (z.col(j) / largest).norm() * largest
                                                   : 0;
  }
  return norms;
}

}  // namespace mercer
