#include "mercer/models/detail/isotropic_em.h"

#include "mercer/core/error.h"
#include "mercer/core/parallel.h"
#include "mercer/core/random.h"
#include "mercer/core/untimed.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/lapack.h"
#include "mercer/models/detail/accelerated_em.h"
#include "mercer/solvers/signs.h"

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace mercer::detail {
namespace {

constexpr Index kRowsOfPart = 256;  // rows whose products are made at once
constexpr Index kShares = 8;        // sums that are made side by side, whatever the threads
// A column with fewer values than this for each number to be learnt of it is held by the prior.
constexpr double kValuesEach = 2;
// Noise below this share of the mean variance is rounding.
constexpr double kLeastNoise = 1e-13;

Index packed(Index k) { return k * (k + 1) / 2; }

// The lower triangle, column after column.
template <class Row>
void pack(const Block& matrix, Row&& row) {
  Index at = 0;
  for (Index j = 0; j < matrix.cols(); ++j)
    for (Index i = j; i < matrix.rows(); ++i) row[at++] = matrix(i, j);
}

template <class Row>
Block unpacked(const Row& row, Index k) {
  Block matrix(k, k);
  Index at = 0;
  for (Index j = 0; j < k; ++j)
    for (Index i = j; i < k; ++i) matrix(i, j) = matrix(j, i) = row[at++];
  return matrix;
}

// Rows of one pattern, at most a part of them.
struct Run {
  const Pattern* pattern;
  Range rows;  // of the pattern's
};

// The rows in parts, patterns kept together.
std::vector<std::vector<Run>> parts_of(const std::vector<Pattern>& patterns) {
  std::vector<std::vector<Run>> parts(1);
  Index room = kRowsOfPart;
  for (const Pattern& pattern : patterns) {
    const auto count = static_cast<Index>(pattern.rows.size());
    for (Index begin = 0; begin < count;) {
      if (room == 0) {
        parts.emplace_back();
        room = kRowsOfPart;
      }
      const Index end = std::min(count, begin + room);
      parts.back().push_back({&pattern, {begin, end}});
      room -= end - begin;
      begin = end;
    }
  }
  return parts;
}

struct Parameters {
  Block w;
  Vector m;
  double s2 = 1;

  static Parameters from(const Vector& theta, Index dim, Index k) {
    return {Eigen::Map<const Block>(theta.data(), dim, k), theta.segment(dim * k, dim),
            std::exp(theta[theta.size() - 1])};
  }
  Vector theta() const {
    Vector all(w.size() + m.size() + 1);
    all << Eigen::Map<const Vector>(w.data(), w.size()), m, std::log(s2);
    return all;
  }
};

// What a step needs of all rows.
struct Sums {
  Block second;  // by column of the table, packed: sum of E E' + C
  Block first;   // sum of E
  Block cross;   // sum of x E
  double log_likelihood = 0;

  Sums(Index dim, Index k)
      : second(Block::Zero(dim, packed(k))),
        first(Block::Zero(dim, k)),
        cross(Block::Zero(dim, k)) {}
  void add(const Sums& other) {
    second += other.second;
    first += other.first;
    cross += other.cross;
    log_likelihood += other.log_likelihood;
  }
};

// The rows as the fit sees them: less the columns' means, in units of their mean deviation.
class Problem {
 public:
  Problem(DataView rows, const Observed& known, const IsotropicRequest& request,
          const Context& context)
      : rows_(rows),
        centre_(known.summary.mean),
        counts_(known.counts),
        k_(request.components),
        context_(untimed(context)),
        patterns_(patterns_of(rows, context)),
        parts_(parts_of(patterns_)) {
    const double largest = known.summary.deviation.maxCoeff();
    unit_ = largest * (known.summary.deviation / largest).norm() /
            std::sqrt(static_cast<double>(rows.dim()));
    sum_ = square_ = prior_ = Vector::Zero(rows.dim());
    for (Index j = 0; j < rows.dim(); ++j)
      if (counts_[j] < kValuesEach * static_cast<double>(k_ + 1)) prior_[j] = 1;
    Block x, there;
    for (const std::vector<Run>& part : parts_) {
      context_.check_cancelled();
      read(part, x, there);
      sum_ += x.rowwise().sum();
      square_ += x.rowwise().squaredNorm();
    }
  }

  Index dim() const { return rows_.dim(); }
  Index k() const { return k_; }
  double unit() const { return unit_; }
  const Vector& centre() const { return centre_; }
  const Vector& prior() const { return prior_; }
  double cells() const { return counts_.sum(); }

  static std::uint64_t bytes(Index dim, Index k) {
    return sizeof(double) * static_cast<std::uint64_t>((kShares + 1) * dim) *
           static_cast<std::uint64_t>(packed(k) + 2 * k + 3 * kRowsOfPart);
  }

  // The log-likelihood of the cells at theta, which is replaced by the next one.
  double step(Vector& theta) const {
    Parameters at = Parameters::from(theta, dim(), k_);
    at.s2 = std::max(at.s2, kLeastNoise);
    const Sums sums = expect(at);
    const double penalty = 0.5 * prior_.dot(at.w.rowwise().squaredNorm());
    theta = maximise(sums, at).theta();
    return sums.log_likelihood - penalty;
  }

  Sums expect(const Parameters& at) const {
    const Block outer = outer_products(at.w);
    const auto count = static_cast<Index>(parts_.size());
    const Index shares = std::min(count, kShares);
    std::vector<Sums> found(static_cast<std::size_t>(shares), Sums(dim(), k_));
    parallel_for(context_, shares, [&](Index s) {
      for (Index p = s * count / shares; p < (s + 1) * count / shares; ++p) {
        context_.check_cancelled();
        add_part(parts_[static_cast<std::size_t>(p)], at, outer,
                 found[static_cast<std::size_t>(s)]);
      }
    });
    for (Index s = 1; s < shares; ++s) found[0].add(found[static_cast<std::size_t>(s)]);
    return std::move(found[0]);
  }

 private:
  // A column for each row, 0 where there is a gap; a column of ones and zeros for each run.
  void read(const std::vector<Run>& part, Block& x, Block& there) const {
    Index rows = 0;
    for (const Run& run : part) rows += run.rows.size();
    x.resize(dim(), rows);
    there.resize(dim(), static_cast<Index>(part.size()));
    Index at = 0;
    for (std::size_t r = 0; r < part.size(); ++r)
      for (Index i = part[r].rows.begin; i < part[r].rows.end; ++i, ++at) {
        auto column = x.col(at);
        rows_.copy_row(part[r].pattern->rows[static_cast<std::size_t>(i)], column.data());
        if (i == part[r].rows.begin)
          there.col(static_cast<Index>(r)) =
              column.unaryExpr([](double v) { return std::isnan(v) ? 0.0 : 1.0; });
        column = ((column - centre_) / unit_).unaryExpr([](double v) {
          return std::isnan(v) ? 0.0 : v;
        });
      }
  }

  Block outer_products(const Block& w) const {
    Block outer(dim(), packed(k_));
    Index at = 0;
    for (Index j = 0; j < k_; ++j)
      for (Index i = j; i < k_; ++i) outer.col(at++) = w.col(i).cwiseProduct(w.col(j));
    return outer;
  }

  void add_part(const std::vector<Run>& part, const Parameters& at, const Block& outer,
                Sums& sums) const {
    Block x, there;
    read(part, x, there);
    const Index runs = there.cols();
    Block squares(runs, outer.cols()), moved(runs, k_), e(k_, x.cols());
    gemm(Transpose::yes, Transpose::no, 1.0, there, outer, 0.0, squares);
    gemm(Transpose::yes, Transpose::no, 1.0, there, at.m.asDiagonal() * at.w, 0.0, moved);
    gemm(Transpose::yes, Transpose::no, 1.0, at.w, x, 0.0, e);
    Block first(runs, k_);
    Index begin = 0;
    for (Index r = 0; r < runs; ++r) {
      const Index size = part[static_cast<std::size_t>(r)].rows.size();
      auto mine = e.middleCols(begin, size);
      Block m = unpacked(squares.row(r), k_);
      m.diagonal().array() += at.s2;
      const Eigen::LLT<Block> root(m);
      mine = root.solve(mine.colwise() - moved.row(r).transpose()).eval();
      const auto n = static_cast<double>(size);
      const double values = there.col(r).sum();
      sums.log_likelihood -= 0.5 * n *
                             (values * std::log(2 * std::numbers::pi) +
                              (values - static_cast<double>(k_)) * std::log(at.s2) +
                              2 * root.matrixLLT().diagonal().array().log().sum());
      sums.log_likelihood -= 0.5 * mine.squaredNorm();
      first.row(r) = mine.rowwise().sum().transpose();
      Block second = n * at.s2 * root.solve(Block::Identity(k_, k_));
      second.noalias() += mine * mine.transpose();
      pack(second, squares.row(r));
      begin += size;
    }
    gemm(Transpose::no, Transpose::no, 1.0, there, squares, 1.0, sums.second);
    gemm(Transpose::no, Transpose::no, 1.0, there, first, 1.0, sums.first);
    gemm(Transpose::no, Transpose::yes, 1.0, x, e, 1.0, sums.cross);
    // What is left of the rows; the likelihood needs its squares where something is there.
    gemm(Transpose::no, Transpose::no, -1.0, at.w, e, 1.0, x);
    begin = 0;
    for (Index r = 0; r < runs; ++r) {
      const Index size = part[static_cast<std::size_t>(r)].rows.size();
      const auto rest = (x.middleCols(begin, size).colwise() - at.m).rowwise().squaredNorm();
      sums.log_likelihood -= 0.5 * there.col(r).dot(rest) / at.s2;
      begin += size;
    }
  }

  // w_d and m_d together, column by column, then the noise.
  Parameters maximise(const Sums& sums, const Parameters& old) const {
    Parameters next{Block(dim(), k_), Vector(dim()), 0};
    Vector rest(dim());
    const std::vector<Range> columns = tiles_of(dim(), 64);
    parallel_for(context_, static_cast<Index>(columns.size()), [&](Index t) {
      Block normal(k_ + 1, k_ + 1);
      Vector right(k_ + 1);
      for (Index d = columns[static_cast<std::size_t>(t)].begin;
           d < columns[static_cast<std::size_t>(t)].end; ++d) {
        const Block second = unpacked(sums.second.row(d), k_);
        normal.topLeftCorner(k_, k_) = second;
        normal.topLeftCorner(k_, k_).diagonal().array() += old.s2 * prior_[d];
        normal.row(k_).head(k_) = sums.first.row(d);
        normal.col(k_).head(k_) = sums.first.row(d).transpose();
        normal(k_, k_) = counts_[d];
        right << sums.cross.row(d).transpose(), sum_[d];
        const Vector found = Eigen::LLT<Block>(normal).solve(right);
        const Vector w = found.head(k_);
        next.w.row(d) = w.transpose();
        const double m = next.m[d] = found[k_];
        rest[d] = square_[d] - 2 * m * sum_[d] + counts_[d] * m * m -
                  2 * w.dot(sums.cross.row(d).transpose() - m * sums.first.row(d).transpose()) +
                  w.dot(second * w);
      }
    });
    next.s2 = std::max(rest.sum() / cells(), kLeastNoise);
    return next;
  }

  DataView rows_;
  Vector centre_, counts_, sum_, square_, prior_;
  Index k_;
  double unit_ = 1;
  Context context_;
  std::vector<Pattern> patterns_;
  std::vector<std::vector<Run>> parts_;
};

Parameters random_start(const Problem& problem, std::uint64_t seed) {
  const Random random(seed);
  Parameters start{Block(problem.dim(), problem.k()), Vector::Zero(problem.dim()), 0.5};
  for (Index i = 0; i < start.w.size(); ++i)
    start.w.data()[i] = random.normal(static_cast<std::uint64_t>(i)) /
                        std::sqrt(static_cast<double>(2 * problem.k()));
  return start;
}

// Orthogonal columns, the longest first: W V, where W'W = V D V'.
Block principal(const Block& w) {
  Block gram = w.transpose() * w;
  std::vector<Index> descending(static_cast<std::size_t>(w.cols()));
  std::iota(descending.rbegin(), descending.rend(), Index{0});
  const SymmetricReduction reduction(gram);
  Block turned = w * reduction.vectors(descending);
  fix_signs(turned);
  return turned;
}

}  // namespace

IsotropicFit fit_isotropic(DataView rows, const Observed& known, const IsotropicRequest& request,
                           const Context& context) {
  const Index dim = rows.dim(), k = request.components;
  const MemoryAccount::Hold held = context.hold(Problem::bytes(dim, k), "the sums of EM");
  const Problem problem(rows, known, request, context);
  const EmPath path = accelerated_em(
      random_start(problem, request.seed).theta(),
      [&](Vector& theta) { return problem.step(theta); },
      {.tolerance = request.tolerance, .iterations = request.iterations}, context);
  const Parameters end = Parameters::from(path.theta, dim, k);
  if (end.s2 <= 2 * kLeastNoise)
    throw Error(ErrorCode::too_many_components,
                fmt::format("{} components explain all there is of these rows: no noise is left, "
                            "and the likelihood has no bound",
                            k),
                "ask for fewer components, or use more rows");
  IsotropicFit fit;
  fit.loadings = problem.unit() * principal(end.w);
  fit.mean = problem.centre() + problem.unit() * end.m;
  fit.noise = end.s2 * problem.unit() * problem.unit();
  fit.log_likelihood =
      problem.expect(end).log_likelihood - problem.cells() * std::log(problem.unit());
  fit.path = path.objectives;
  fit.iterations = path.iterations;
  fit.converged = path.converged;
  fit.out_of_time = path.out_of_time;
  for (Index j = 0; j < dim; ++j)
    if (problem.prior()[j] > 0) fit.held.push_back(j);
  return fit;
}

}  // namespace mercer::detail
