#include "mercer/models/detail/additive_constant.h"

#include "mercer/core/parallel.h"
#include "mercer/data/summary.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/lapack.h"
#include "mercer/linalg/operator.h"
#include "mercer/operators/centered.h"
#include "mercer/solvers/recipe.h"

#include <cmath>
#include <vector>

namespace mercer::detail {
namespace {

// Up to so many samples all eigenvalues are computed: less work than a search.
constexpr Index kAllValues = 400;
// Residual of a search, relative to |Q|_F: the root of x'Q x = 0 has twice as many digits.
constexpr double kLowestResidual = 1e-9;
// Quadratic convergence takes half a dozen steps.
constexpr Index kConstantSteps = 60;
// c stands when a step changes it by less than this, relative to c and the largest distance.
constexpr double kSameConstant = 1e-14;

// s H - Q(c): its largest eigenvalue is s less the smallest one of Q(c), where s = |Q(c)|_F is no
// less than any of Q(c). Entries of Q(c) are made tile by tile.
class LiftedGram final : public SymmetricOperator {
 public:
  LiftedGram(const Points& d, double scale, double c, const Context& context)
      : d_(d), scale_(scale), c_(c) {
    const Index n = d.rows();
    row_sums_.resize(n);
    Vector squares(n);
    each_part(context, [&](Range part) {
      for (Index i = part.begin; i < part.end; ++i) {
        double sum = 0, square = 0;
        for (Index j = 0; j < n; ++j) {
          const double q = entry(i, j);
          sum += q;
          square += q * q;
        }
        row_sums_[i] = sum;
        squares[i] = square;
      }
    });
    const auto size = static_cast<double>(n);
    total_ = row_sums_.sum();
    frobenius_squared_ = std::max(
        0.0, squares.sum() - 2 * row_sums_.squaredNorm() / size + std::pow(total_ / size, 2));
    lift_ = std::sqrt(frobenius_squared_);
  }

  Index size() const override { return d_.rows(); }
  double lift() const { return lift_; }

  Vector diagonal(const Context&) const override {
    const auto n = static_cast<double>(size());
    return (lift_ * (1 - 1 / n) - total_ / n / n + 2 / n * row_sums_.array()).matrix();
  }

  // y = s H x - H Q H x.
  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context& context) const override {
    Block centred = x;
    remove_means(centred);
    each_part(context, [&](Range part) {
      std::vector<double> tile(static_cast<std::size_t>(part.size() * kTileRows));
      auto out = y.middleRows(part.begin, part.size());
      out.setZero();
      for (const Range columns : tiles_of(size(), kTileRows)) {
        // Row-major, which is the transpose of a column-major matrix.
        Eigen::Map<Block> transposed(tile.data(), columns.size(), part.size());
        for (Index i = 0; i < part.size(); ++i)
          for (Index j = 0; j < columns.size(); ++j)
            transposed(j, i) = entry(part.begin + i, columns.begin + j);
        gemm(Transpose::yes, Transpose::no, 1.0, transposed,
             centred.middleRows(columns.begin, columns.size()), 1.0, out);
      }
    });
    y = lift_ * centred - y;
    remove_means(y);
    if (sums == nullptr) return;
    const auto n = static_cast<double>(size());
    const double trace = -total_ / n;  // of H Q H: the diagonal of Q is 0
    sums->row_sums = Vector::Zero(size());
    sums->trace = lift_ * (n - 1) - trace;
    sums->frobenius_squared = lift_ * lift_ * (n - 1) - 2 * lift_ * trace + frobenius_squared_;
    sums->frobenius_error = 0x1p-40;
  }

  // x'Q x and x'd x of a unit vector x that sums to 0, and H Q x.
  struct Form {
    double gram, distance;
    Vector image;
  };
  Form form_of(const Vector& x, const Context& context) const {
    Vector image(size()), along(size());
    each_part(context, [&](Range part) {
      for (Index i = part.begin; i < part.end; ++i) {
        double q = 0, d = 0;
        for (Index j = 0; j < size(); ++j) {
          q += entry(i, j) * x[j];
          d += scale_ * d_(i, j) * x[j];
        }
        image[i] = q;
        along[i] = d;
      }
    });
    Form form{x.dot(image), x.dot(along), image.array() - image.mean()};
    return form;
  }

 private:
  double entry(Index i, Index j) const {
    const double length = i == j ? 0 : scale_ * d_(i, j) + c_;
    return -0.5 * length * length;
  }
  template <class Work>
  void each_part(const Context& context, const Work& work) const {
    const std::vector<Range> parts = tiles_of(size(), kTileRows);
    parallel_for(context, static_cast<Index>(parts.size()),
                 [&](Index t) { work(parts[static_cast<std::size_t>(t)]); });
  }

  const Points& d_;
  double scale_, c_, lift_ = 0, total_ = 0, frobenius_squared_ = 0;
  Vector row_sums_;
};

// The unit vector of the smallest eigenvalue of Q(c) among those that sum to 0.
Vector lowest_vector(const LiftedGram& lifted, const Block& start, const Context& context) {
  const Index n = lifted.size();
  Vector x;
  if (n <= kAllValues) {
    Block matrix(n, n);
    lifted.form(matrix, context);
    x = SymmetricReduction(matrix, context).vectors({n - 1}).col(0);
  } else {
    EigenRequest request;
    request.count = 1;
    request.tolerance = kLowestResidual;
    request.certify = Certify::none;
    request.matrix.positive = true;
    if (start.size() > 0) request.start = &start;
    x = solver_recipe("lanczos").run(lifted, request, context).vectors.col(0);
  }
  x.array() -= x.mean();
  return x.normalized();
}

}  // namespace

AdditiveConstant additive_constant(const Points& distances, const Context& context) {
  AdditiveConstant found;
  const double scale = power_of_two_scale(distances, context);
  const auto n = static_cast<double>(distances.rows());
  double c = 0;  // in units of the scale: distances are at most 1
  Block start;
  for (; found.steps < kConstantSteps; ++found.steps) {
    context.report("additive constant", static_cast<double>(found.steps) / 8);
    const LiftedGram lifted(distances, scale, c, context);
    if (!(lifted.lift() > 0)) break;  // all samples are at one place
    const Vector x = lowest_vector(lifted, start, context);
    start = x;
    const LiftedGram::Form form = lifted.form_of(x, context);
    found.residual = (form.image - form.gram * x).norm() / lifted.lift();
    // x'Q(c + h)x = gram + h s + h^2/2 with s = c - x'd x; 0 at the larger root h.
    if (form.gram >= -n * 0x1p-53 * lifted.lift()) break;
    const double s = c - form.distance, root = std::sqrt(s * s - 2 * form.gram);
    const double h = s > 0 ? -2 * form.gram / (s + root) : root - s;
    c += h;
    if (h <= kSameConstant * (c + 1)) break;
  }
  if (c == 0) found.residual = 0;
  found.value = c / scale;
  return found;
}

}  // namespace mercer::detail
