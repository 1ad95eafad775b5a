#include "tests/campaign/truth.h"

#include "tests/campaign/draw.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace mercer::campaign {
namespace {

using Column = std::vector<Quad>;

Quad product(const Column& a, const Column& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), Quad(0));
}

void scale(Column& a, Quad factor) {
  for (Quad& entry : a) entry *= factor;
}

void take_out(const Column& q, Column& from) {
  const Quad share = product(q, from);
  for (std::size_t i = 0; i < q.size(); ++i) from[i] -= share * q[i];
}

// The columns of the table about their means, each of length 1; constant ones are left out.
std::vector<Column> centred_columns(const Points& rows) {
  std::vector<Column> columns;
  for (Index j = 0; j < rows.cols(); ++j) {
    Column column(static_cast<std::size_t>(rows.rows()));
    for (Index i = 0; i < rows.rows(); ++i) column[static_cast<std::size_t>(i)] = rows(i, j);
    const Quad mean = std::accumulate(column.begin(), column.end(), Quad(0)) / Quad(rows.rows());
    const Quad before = sqrtq(product(column, column));
    for (Quad& entry : column) entry -= mean;
    const Quad length = sqrtq(product(column, column));
    if (length <= before * Quad(1e-30)) continue;
    scale(column, 1 / length);
    columns.push_back(std::move(column));
  }
  return columns;
}

// An orthonormal basis of the affine functions of the rows: Gram-Schmidt, the longest column first.
std::vector<Column> affine_basis(const Points& rows) {
  const auto n = static_cast<std::size_t>(rows.rows());
  std::vector<Column> basis = {Column(n, 1 / sqrtq(Quad(rows.rows())))};
  std::vector<Column> left = centred_columns(rows);
  while (!left.empty()) {
    const auto longest = std::max_element(
        left.begin(), left.end(),
        [](const auto& a, const auto& b) { return product(a, a) < product(b, b); });
    if (sqrtq(product(*longest, *longest)) <= Quad(kDependent)) break;
    Column q = std::move(*longest);
    left.erase(longest);
    for (int twice = 0; twice < 2; ++twice) {
      for (const Column& known : basis) take_out(known, q);
      scale(q, 1 / sqrtq(product(q, q)));
    }
    for (Column& other : left)
      for (int twice = 0; twice < 2; ++twice) take_out(q, other);
    basis.push_back(std::move(q));
  }
  return basis;
}

// P K P with P = I - Q Q', one column of Q after the other.
QuadMatrix without(QuadMatrix k, const std::vector<Column>& basis) {
  const Index n = k.size();
  for (const Column& q : basis) {
    Column image(q.size());  // K q
    for (Index i = 0; i < n; ++i)
      image[static_cast<std::size_t>(i)] =
          std::inner_product(q.begin(), q.end(), k.row(i), Quad(0));
    const Quad inner = product(q, image) / 2;
    for (std::size_t i = 0; i < q.size(); ++i) image[i] -= inner * q[i];
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
        k(i, j) -= image[a] * q[b] + q[a] * image[b];
      }
  }
  return k;
}

// All eigenpairs. Eigen's iteration gives up on some matrices with eigenvalues that are equal to
// every bit, such as those of a cube: reflected about a random vector, H K H, they have the same
// eigenvalues and no such luck.
void solve(Truth& truth) {
  const Index n = truth.k.rows();
  LongMatrix turned = truth.k;
  LongMatrix turn = LongMatrix::Identity(n, n);
  for (std::uint64_t attempt = 0; attempt < 8; ++attempt) {
    const Eigen::SelfAdjointEigenSolver<LongMatrix> solver(turned);
    if (solver.info() == Eigen::Success) {
      truth.values = solver.eigenvalues().reverse();
      truth.vectors = turn * solver.eigenvectors().rowwise().reverse();
      return;
    }
    Draw draw(attempt, 0);
    LongVector about(n);
    for (Index i = 0; i < n; ++i) about[i] = static_cast<Long>(draw.uniform(-1, 1));
    about.normalize();
    turn = LongMatrix::Identity(n, n) - 2 * about * about.transpose();
    turned = turn * truth.k * turn;
  }
  throw std::runtime_error("the truth of a case was not found");
}

}  // namespace

Long Truth::in_units(double x) const { return std::ldexp(static_cast<Long>(x), -power); }

Block exact_projection(const Points& rows, const Block& axes, bool center) {
  Block scores = Block::Zero(rows.rows(), axes.cols());
  std::vector<Quad> mean(static_cast<std::size_t>(rows.cols()), Quad(0));
  if (center)
    for (Index j = 0; j < rows.cols(); ++j)
      for (Index i = 0; i < rows.rows(); ++i)
        mean[static_cast<std::size_t>(j)] += Quad(rows(i, j)) / Quad(rows.rows());
  for (Index i = 0; i < rows.rows(); ++i)
    for (Index c = 0; c < axes.cols(); ++c) {
      Quad sum = 0;
      for (Index j = 0; j < rows.cols(); ++j)
        sum += (Quad(rows(i, j)) - mean[static_cast<std::size_t>(j)]) * Quad(axes(j, c));
      scores(i, c) = static_cast<double>(sum);
    }
  return scores;
}

Truth truth_of(QuadMatrix k, Removed removed, const Points& rows) {
  Truth truth;
  const Index n = k.size();
  const Quad before = oracle::detail::largest_entry(k);
  if (removed == Removed::mean) k = oracle::double_centred(std::move(k));
  if (removed == Removed::mean) truth.removed = 1;
  if (removed == Removed::affine) {
    const std::vector<Column> basis = affine_basis(rows);
    k = without(std::move(k), basis);
    truth.removed = static_cast<Index>(basis.size());
  }
  const Quad after = oracle::detail::largest_entry(k);
  // What 113 bits leave of a matrix that is removed altogether.
  truth.zero = !(after > before * Quad(n) * Quad(1e-31));
  frexpq(truth.zero ? before : after, &truth.power);
  truth.k.resize(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      truth.k(i, j) = static_cast<Long>(ldexpq((k(i, j) + k(j, i)) / 2, -truth.power));
  truth.largest_entry = static_cast<Long>(ldexpq(before, -truth.power));
  solve(truth);
  truth.largest = truth.values.cwiseAbs().maxCoeff();
  const auto count = static_cast<Long>(n);
  truth.error = 16 * count * 0x1p-64L * truth.largest + count * 0x1p-110L * truth.largest_entry;
  return truth;
}

}  // namespace mercer::campaign
