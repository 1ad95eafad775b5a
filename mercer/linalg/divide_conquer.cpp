#include "mercer/linalg/divide_conquer.h"

#include "mercer/core/check.h"
#include "mercer/core/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/detail/lapack_call.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

extern "C" {
void dsteqr_(const char*, const int*, double*, double*, double*, const int*, double*, int*);
void dlaed2_(int*, const int*, const int*, double*, double*, const int*, int*, double*, double*,
             double*, double*, double*, int*, int*, int*, int*, int*);
void dlaed4_(const int*, const int*, const double*, const double*, double*, const double*, double*,
             int*);
void dlamrg_(const int*, const int*, const double*, const int*, const int*, int*);
}

namespace mercer {
namespace {

// Parts of at most so many rows are solved by QR iteration.
constexpr Index kLeaf = 25;
// So many joins at once keep threads busy by themselves; of fewer, each is cut.
constexpr Index kManyJoins = 8;
// Columns of a task.
constexpr Index kJoinColumns = 128;

class Tearing {
 public:
  Tearing(const Vector& diagonal, const Vector& off_diagonal, const Context& context)
      : d_(diagonal),
        e_(off_diagonal),
        order_(static_cast<std::size_t>(d_.size())),
        q_(Block::Zero(d_.size(), d_.size())),
        work_(d_.size() * d_.size()),
        context_(context) {}

  Block run(const std::vector<Index>& positions) {
    scale();
    std::vector<Index> ends = parts();
    for (const Index cut : ends) {  // each tear takes |e| off the entries on both sides
      if (cut == d_.size()) break;
      d_[cut - 1] -= std::abs(e_[cut - 1]);
      d_[cut] -= std::abs(e_[cut - 1]);
    }
    parallel_for(context_, static_cast<Index>(ends.size()), [&](Index p) {
      solve_leaf(
          {p == 0 ? 0 : ends[static_cast<std::size_t>(p) - 1], ends[static_cast<std::size_t>(p)]});
    });
    while (ends.size() > 1) ends = join_pairs(ends);
    work_ = Vector();
    Block chosen(q_.rows(), static_cast<Index>(positions.size()));
    for (Index j = 0; j < chosen.cols(); ++j) {
      const auto position = static_cast<std::size_t>(positions[static_cast<std::size_t>(j)]);
      chosen.col(j) = q_.col(order_[position] - 1);
    }
    return chosen;
  }

 private:
  // The largest entry comes near 1, exactly: roots are found to absolute accuracy.
  void scale() {
    const Index n = d_.size();
    double largest = d_.cwiseAbs().maxCoeff();
    if (n > 1) largest = std::max(largest, e_.head(n - 1).cwiseAbs().maxCoeff());
    if (largest == 0) return;
    const double unit = std::ldexp(1.0, std::max(std::ilogb(largest), -1022));
    d_ /= unit;
    e_ /= unit;
  }

  // Where the parts end: halves of halves, so that all of a level are about equally large.
  std::vector<Index> parts() const {
    std::vector<Index> sizes = {d_.size()};
    while (sizes.back() > kLeaf) {
      std::vector<Index> halves;
      for (const Index size : sizes) {
        halves.push_back(size / 2);
        halves.push_back(size - size / 2);
      }
      sizes = std::move(halves);
    }
    for (std::size_t i = 1; i < sizes.size(); ++i) sizes[i] += sizes[i - 1];
    return sizes;
  }

  void solve_leaf(Range part) {
    const int n = static_cast<int>(part.size()), ld = static_cast<int>(q_.rows());
    std::vector<double> work(static_cast<std::size_t>(2 * n));
    int info = 0;
    dsteqr_("I", &n, &d_[part.begin], e_.data() + part.begin, &q_(part.begin, part.begin), &ld,
            work.data(), &info);
    detail::check_info("dsteqr", info);
    for (int i = 0; i < n; ++i) order_[static_cast<std::size_t>(part.begin + i)] = i + 1;
  }

  std::vector<Index> join_pairs(const std::vector<Index>& ends) {
    const Index pairs = static_cast<Index>(ends.size()) / 2;
    const auto join_pair = [&](Index p) {
      const auto i = static_cast<std::size_t>(2 * p);
      join(i == 0 ? 0 : ends[i - 1], ends[i], ends[i + 1]);
    };
    if (pairs >= kManyJoins)
      parallel_for(context_, pairs, join_pair);
    else
      for (Index p = 0; p < pairs; ++p) join_pair(p);
    std::vector<Index> joined;
    for (std::size_t i = 1; i < ends.size(); i += 2) joined.push_back(ends[i]);
    return joined;
  }

  // Rows begin ... cut and cut ... end become one part.
  void join(Index begin, Index cut, Index end) {
    context_.check_cancelled();
    const int n = static_cast<int>(end - begin), n1 = static_cast<int>(cut - begin),
              ld = static_cast<int>(q_.rows());
    const auto size = static_cast<std::size_t>(n);
    Vector z(n), poles(n), weights(n);
    // dlaed2 reads one number beyond its n in `index` before it looks whether it is done.
    std::vector<int> index(size + 1), compressed(size), deflated(size), types(size);
    z.head(n1) = q_.row(cut - 1).segment(begin, n1);
    z.tail(n - n1) = q_.row(cut).segment(cut, n - n1);
    double rho = e_[cut - 1];
    double* const old = work_.data() + begin * q_.rows();
    int kept = 0, info = 0;
    dlaed2_(&kept, &n, &n1, &d_[begin], &q_(begin, begin), &ld, order_.data() + begin, &rho,
            z.data(), poles.data(), weights.data(), old, index.data(), compressed.data(),
            deflated.data(), types.data(), &info);
    detail::check_info("dlaed2", info);
    if (kept == 0) {
      for (int i = 0; i < n; ++i) order_[static_cast<std::size_t>(begin + i)] = i + 1;
      return;
    }
    find_roots(begin, kept, rho, poles, weights, compressed);
    // Columns of the halves' vectors are of three kinds: those of the upper half, those that
    // deflation has spread over both, those of the lower half.
    const Index both = types[1], n12 = types[0] + both, n23 = both + types[2];
    multiply({begin, begin + kept}, {begin, cut, end}, Eigen::Map<const Block>(old, n1, n12),
             Eigen::Map<const Block>(old + n1 * n12, n - n1, n23));
    const int rest = n - kept, up = 1, down = -1;
    dlamrg_(&kept, &rest, &d_[begin], &up, &down, order_.data() + begin);
  }

  template <class Task>
  void over(Index count, const Task& task) {
    const std::vector<Range> parts = tiles_of(count, kJoinColumns);
    parallel_for(context_, static_cast<Index>(parts.size()),
                 [&](Index p) { task(parts[static_cast<std::size_t>(p)]); });
  }

  // Some of the weights whose roots are exactly those found; `anew` holds the diagonal of delta.
  static void weigh_anew(Range part, const BlockRef& delta, const Vector& poles,
                         const Vector& weights, Vector& anew) {
    for (Index j = 0; j < delta.cols(); ++j)
      for (Index i = part.begin; i < part.end; ++i)
        if (j != i) anew[i] *= delta(i, j) / (poles[i] - poles[j]);
    for (Index i = part.begin; i < part.end; ++i)
      anew[i] = std::copysign(std::sqrt(-anew[i]), weights[i]);
  }

  // The eigenvectors of diag(poles) + rho w w', with rows in the order of `place`, go where the
  // vectors of the part will be; the eigenvalues go to d. The weights are computed anew from the
  // roots, which makes the vectors orthogonal.
  void find_roots(Index begin, int kept, double rho, const Vector& poles, const Vector& weights,
                  const std::vector<int>& place) {
    BlockRef delta = q_.block(begin, begin, kept, kept);
    over(kept, [&](Range part) {
      for (Index j = part.begin; j < part.end; ++j) {
        const int number = static_cast<int>(j) + 1;
        int info = 0;
        dlaed4_(&kept, &number, poles.data(), weights.data(), delta.col(j).data(), &rho,
                &d_[begin + j], &info);
        detail::check_info("dlaed4", info);
      }
    });
    if (kept == 1) return;
    Vector anew = delta.diagonal();
    if (kept > 2) over(kept, [&](Range part) { weigh_anew(part, delta, poles, weights, anew); });
    over(kept, [&](Range part) {
      for (Index j = part.begin; j < part.end; ++j) {
        // Of two, dlaed4 gives the vectors themselves.
        Vector unit = delta.col(j);
        if (kept > 2) unit = anew.cwiseQuotient(unit).eval().normalized();
        for (Index i = 0; i < kept; ++i) delta(i, j) = unit[place[static_cast<std::size_t>(i)] - 1];
      }
    });
  }

  struct Join {
    Index begin, cut, end;
  };

  // The vectors of the part: those of its halves times the small ones, which stand in their place.
  void multiply(Range columns, const Join& join, ConstBlockRef upper, ConstBlockRef lower) {
    const Index middle = columns.size() - lower.cols();
    over(columns.size(), [&](Range part) {
      const Index first = columns.begin + part.begin;
      const Block small = q_.block(join.begin, first, columns.size(), part.size());
      const auto fill = [&](Range rows, ConstBlockRef old, ConstBlockRef turn) {
        BlockRef to = q_.block(rows.begin, first, rows.size(), part.size());
        if (old.cols() == 0)
          to.setZero();
        else
          gemm(Transpose::no, Transpose::no, 1.0, old, turn, 0.0, to);
      };
      fill({join.begin, join.cut}, upper, small.topRows(upper.cols()));
      fill({join.cut, join.end}, lower, small.middleRows(middle, lower.cols()));
    });
  }

  Vector d_, e_;
  std::vector<int> order_;  // sorts the eigenvalues of each part, counted from 1 within it
  Block q_;
  Vector work_;
  const Context& context_;
};

}  // namespace

Block tridiagonal_vectors(const Vector& diagonal, const Vector& off_diagonal,
                          const std::vector<Index>& positions, const Context& context) {
  const Index n = diagonal.size();
  if (n <= 1) return Block::Ones(n, static_cast<Index>(positions.size()));
  const BlasThreadGuard guard;
  return Tearing(diagonal, off_diagonal.head(n - 1), context).run(positions);
}

}  // namespace mercer
