// fourier_features: a stationary kernel in 1 to 3 dimensions through its Fourier series, whose
// coefficients are positive: K = F F' up to a stated error of every entry. The small matrix
//   A = D^1/2 (T - f f*/n) D^1/2,   T_jk = s(j - k),   s(q) = sum_n exp(-2 pi i q.x_n / P),  f = s
// is known from the rows by one transform; products with it cost M log M and do not see the rows.
#include "mercer/core/parallel.h"
#include "mercer/core/per_thread.h"
#include "mercer/core/text.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/toeplitz.h"
#include "mercer/operators/factored.h"
#include "mercer/operators/fourier_basis.h"
#include "mercer/operators/fourier_map.h"
#include "mercer/operators/geometry.h"
#include "mercer/operators/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace fourier_features_kind {
namespace {

constexpr double kMostModes = 4e6;
// Below this the matrix is written out: its product takes less time than transforms.
constexpr Index kStored = 1500;
// A grid of more cells is transformed by all threads together, smaller ones one per thread.
constexpr Index kSharedGrid = Index{1} << 18;
// Features of a model, per training row, at most: with more it had better keep the rows.
constexpr double kWidest = 4;
// Of the error allowed for an entry: the series, the sums s (which enter three times where features
// are centred), and transforms between rows and modes.
constexpr double kSeriesShare = 0.8, kSumsShare = 1.0 / 15, kRowsShare = 0.2;

double eps_of(const Geometry& geometry) { return std::max(geometry.allowed, 1e-13); }

std::optional<FourierKernel> kernel_of(const GramProblem& problem) {
  return fourier_kernel(problem.kernel, problem.facts.geometry->width);
}

FourierShape shape_of(const GramProblem& problem) {
  const Geometry& geometry = *problem.facts.geometry;
  return fourier_shape(*kernel_of(problem), geometry.extent.high - geometry.extent.low,
                       kSeriesShare * eps_of(geometry));
}

Extents doubled(const Extents& modes) { return {2 * modes[0], 2 * modes[1], 2 * modes[2]}; }

/// What a thread keeps between products.
struct PairGrid {
  std::vector<Complex> numbers;
};

class FourierFeatures final : public FactoredOperator {
 public:
  FourierFeatures(const GramProblem& problem, const Context& context)
      : kernel_(*kernel_of(problem)),
        eps_(eps_of(*problem.facts.geometry)),
        shape_(shape_of(problem)),
        half_((problem.facts.geometry->extent.high - problem.facts.geometry->extent.low) / 2),
        placement_{
            problem.facts.geometry->scale,
            problem.facts.geometry->centre +
                (problem.facts.geometry->extent.low + problem.facts.geometry->extent.high) / 2},
        rows_(problem.points.n(), half_, source_of(problem.points), context),
        basis_(kernel_, shape_, kRowsShare * eps_),
        sums_(exponential_sums(context)),
        toeplitz_(shape_.modes, sums_, context) {
    place_modes();
    if (problem.center) set_means();
    if (size() > kStored) return;
    Block written(size(), size());
    form(written, context);
    matrix_ = std::move(written);
  }

  Index size() const override { return basis_.width(); }
  double gram_factor() const override { return 1; }

  Vector diagonal(const Context& /*context*/) const override {
    Vector d(size());
    for (Index p = 0; p < size(); ++p) d[p] = entry(p, p);
    return d;
  }

  void form(BlockRef out, const Context& context) const override {
    if (matrix_.size() > 0) {
      out = matrix_;
      return;
    }
    const std::vector<Range> parts = tiles_of(size(), 16);
    parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
      const Range part = parts[static_cast<std::size_t>(t)];
      for (Index q = part.begin; q < part.end; ++q)
        for (Index p = q; p < size(); ++p) out(p, q) = out(q, p) = entry(p, q);
    });
  }

  void apply(ConstBlockRef x, BlockRef y, PassSums* sums, const Context& context) const override {
    multiply(x, y, context);
    if (sums == nullptr) return;
    sums->row_sums.resize(size());
    multiply(Vector::Ones(size()), sums->row_sums, context);
    sums->trace = diagonal(context).sum();
    measure(*sums, context);
  }

  // Two things keep F F' from K. The series ends: each entry of K is then off by at most
  // shape_.error, and a matrix of n rows with such entries has a norm of at most n times that. And
  // the sums s(q), of which T is made, are off by sums_error_ n each: A = D^1/2 T D^1/2 then is off
  // by at most that times the sum of the coefficients D; centring uses the sums twice more.
  double error() const override {
    const double weight = 0.5 * (basis_.amplitude().squaredNorm() + squared_middle());
    const double times = centred() ? 3 : 1;
    return count() * (shape_.error + times * sums_error_ * weight);
  }

  Block lift(ConstBlockRef w, const Context& context) const override {
    Block u = basis_.synthesise(rows_, w, context);
    if (centred()) u.rowwise() -= means_.transpose() * w / std::sqrt(count());
    return u;
  }

  Block restrict(ConstBlockRef u, const Context& context) const override {
    Block w = basis_.analyse(rows_, u, context);
    if (centred()) w -= means_ * u.colwise().sum() / std::sqrt(count());
    return w;
  }

  // Transforms go in pairs of columns, whose errors each other has: sqrt(n) of sum |amplitude w|
  // for the one and the other.
  FactorError factor_error() const override {
    const double transform = 2 * std::sqrt(count()) * basis_.transform().error() *
                             basis_.amplitude().norm() * (centred() ? 2 : 1);
    const double weight = 0.5 * (basis_.amplitude().squaredNorm() + squared_middle());
    const double rounding = 0x1p-53 * static_cast<double>(size());
    return {.small = count() * weight * ((centred() ? 3 : 1) * sums_error_ + rounding),
            .lift = transform,
            .transform = transform};
  }

  // y(x) = sum_j k(x, x_j) a_j with a = u / sqrt(mu), which adds to 0 where features are centred;
  // there the mean over the rows is taken off too.
  Vector row_means(const Context& context) const override {
    if (!centred()) return {};
    return basis_.synthesise(rows_, means_ / std::sqrt(count()), context);
  }

  // Nothing where the series that serves every row would be larger than the table.
  std::optional<Scorer> scorer(ConstBlockRef, ConstBlockRef u, const Vector& values,
                               const Context& context) const override {
    FourierMap::Parts parts = FourierMap::parts_for(kernel_, placement_, half_, eps_);
    if (parts.shape.count() > std::min(kMostModes, kWidest * count())) return std::nullopt;
    const FourierBasis wide(kernel_, parts.shape, parts.tolerance);
    Block columns(rows_.n(), u.cols() + (centred() ? 1 : 0));
    columns.leftCols(u.cols()) = u * values.cwiseSqrt().cwiseInverse().asDiagonal();
    if (centred()) {  // coefficients add to 0 exactly, not up to the error of transforms
      columns.rowwise() -= columns.colwise().mean().eval();
      columns.rightCols(1).setConstant(1 / count());
    }
    const Block images = wide.analyse(rows_, columns, context);
    Scorer scorer;
    scorer.features = std::make_shared<const FourierMap>(std::move(parts));
    scorer.weights = images.leftCols(u.cols());
    scorer.bias = Vector::Zero(u.cols());
    if (centred()) scorer.bias = scorer.weights.transpose() * images.rightCols(1);
    return scorer;
  }

 private:
  bool centred() const { return means_.size() > 0; }
  double count() const { return static_cast<double>(rows_.n()); }
  double squared_middle() const {
    const double middle = basis_.amplitude()[size() / 2];
    return middle * middle;
  }

  SortedRows::Source source_of(DataView points) const {
    return [this, points](Range part, double* to) {
      Eigen::Map<Points>(to, part.size(), points.dim()) = placement_.rows(points, part);
    };
  }

  // s(q) of all |q_i| <= 2 m_i; s(0) = n, and s(-q) is the conjugate of s(q) to the last digit.
  Eigen::VectorXcd exponential_sums(const Context& context) {
    const NonuniformFft transform(shape_.dim, shape_.period, doubled(shape_.modes),
                                  kSumsShare * eps_);
    sums_error_ = transform.error();
    Eigen::VectorXcd s = transform.analyse(rows_, Vector::Ones(rows_.n()), context).col(0);
    s = (0.5 * (s + s.reverse().conjugate())).eval();
    s[s.size() / 2] = count();
    return s;
  }

  // Where mode p, or for sines its mirror image, stands among the sums, from their middle.
  void place_modes() {
    const auto& m = shape_.modes;
    for (Index k0 = -m[0]; k0 <= m[0]; ++k0)
      for (Index k1 = -m[1]; k1 <= m[1]; ++k1)
        for (Index k2 = -m[2]; k2 <= m[2]; ++k2)
          place_.push_back(std::abs((k0 * (4 * m[1] + 1) + k1) * (4 * m[2] + 1) + k2));
  }

  // Sums of the features over the rows, over sqrt(n).
  void set_means() {
    Vector means(size());
    const Index middle = sums_.size() / 2, z = size() / 2;
    for (Index p = 0; p < size(); ++p) {
      const Complex s = sums_[middle + place_[static_cast<std::size_t>(p)]];
      means[p] = basis_.amplitude()[p] * (p < z ? -s.imag() : s.real()) / std::sqrt(count());
    }
    means_ = std::move(means);
  }

  // By cos a cos b = (cos(a - b) + cos(a + b)) / 2 and its like, from s at j - k and j + k.
  double entry(Index p, Index q) const {
    const Index middle = sums_.size() / 2, z = size() / 2;
    const Index j = place_[static_cast<std::size_t>(p)], k = place_[static_cast<std::size_t>(q)];
    const Complex less = sums_[middle + j - k], more = sums_[middle + j + k];
    double sum = 0;
    if ((p < z) == (q < z))
      sum = p < z ? less.real() - more.real() : less.real() + more.real();
    else
      sum = p < z ? -more.imag() - less.imag() : less.imag() - more.imag();
    const double whole = 0.5 * basis_.amplitude()[p] * basis_.amplitude()[q] * sum;
    return centred() ? whole - means_[p] * means_[q] : whole;
  }

  void multiply(ConstBlockRef x, BlockRef y, const Context& context) const {
    if (matrix_.size() > 0) {
      context.check_cancelled();
      const BlasThreadGuard guard;
      gemm(Transpose::no, Transpose::no, 1.0, matrix_, x, 0.0, y);
      return;
    }
    convolve(x, y, context);
    if (centred()) y.noalias() -= means_ * (means_.transpose() * x);
  }

  // D^1/2 T D^1/2 x, two columns at a time.
  void convolve(ConstBlockRef x, BlockRef y, const Context& context) const {
    const Index pairs = (x.cols() + 1) / 2;
    const auto place = [this](Index mode) { return toeplitz_.cell(mode); };
    const auto one = [&](Index pair) {
      std::vector<Complex>& grid = per_thread<PairGrid>().numbers;
      grid.assign(static_cast<std::size_t>(toeplitz_.cells()), Complex(0));
      const bool both = 2 * pair + 1 < x.cols();
      basis_.to_modes(x.col(2 * pair).data(), both ? x.col(2 * pair + 1).data() : nullptr,
                      grid.data(), place);
      toeplitz_.multiply(grid.data(), context);
      basis_.from_modes(grid.data(), place, y.col(2 * pair).data(),
                        both ? y.col(2 * pair + 1).data() : nullptr);
    };
    if (toeplitz_.cells() <= kSharedGrid) return parallel_for(context, pairs, one);
    for (Index pair = 0; pair < pairs; ++pair) {
      one(pair);
      context.report("pass", static_cast<double>(pair + 1) / static_cast<double>(pairs));
    }
  }

  // |B|_F^2 = sum_q |s(q)|^2 R(q), R the autocorrelation of the coefficients, B = D^1/2 T D^1/2;
  // |B - g g'|^2 = |B|^2 - 2 g'B g + |g|^4. What cancels is counted as rounding of what is left.
  void measure(PassSums& sums, const Context& context) const {
    if (matrix_.size() > 0) {
      sums.frobenius_squared = matrix_.colwise().squaredNorm().sum();
      sums.frobenius_error = 0x1p-53 * static_cast<double>(2 * size());
      return;
    }
    Vector c = basis_.amplitude().cwiseAbs2() / 2;
    c[size() / 2] *= 2;
    const Vector correlation = toeplitz_.autocorrelation(c, context);
    const Vector squares = sums_.cwiseAbs2();
    double total = 0;  // part by part: one long sum would lose digits
    for (const Range part : tiles_of(squares.size(), 1024))
      total += squares.segment(part.begin, part.size())
                   .dot(correlation.segment(part.begin, part.size()));
    double terms = total + correlation[correlation.size() / 2] * squares.sum();
    if (centred()) {
      Vector image(size());
      convolve(means_, image, context);
      const double crossed = means_.dot(image), alone = means_.squaredNorm();
      total += alone * alone - 2 * crossed;
      terms += alone * alone + 2 * crossed;
    }
    sums.frobenius_squared = std::max(total, 0.0);
    sums.frobenius_error = std::min(1.0, 0x1p-44 * terms / std::max(total, 1e-300));
  }

  FourierKernel kernel_;
  double eps_;
  FourierShape shape_;
  Vector half_;  // of the extent of every column
  Placement placement_;
  SortedRows rows_;
  FourierBasis basis_;
  double sums_error_ = 0;
  Eigen::VectorXcd sums_;
  Toeplitz toeplitz_;
  std::vector<Index> place_;
  Vector means_;  // none where features are not centred
  Block matrix_;  // of few modes
};

std::optional<std::string> refuse(const GramProblem& problem, const Budget& budget) {
  if (const auto reason = refuse_expansion(problem, budget)) return reason;
  if (problem.points.dim() > 3) return "more than 3 columns";
  if (!kernel_of(problem)) return "needs a Gaussian or Matern kernel";
  if (problem.facts.geometry->coarse()) return "rows too far apart for so narrow a kernel";
  const double modes = shape_of(problem).count();
  if (modes > kMostModes) return fmt::format("would take {} modes", brief(modes, 3));
  if (modes > static_cast<double>(problem.points.n()))
    return fmt::format("more modes ({}) than rows", grouped(static_cast<Index>(modes)));
  if (problem.open_count) return "it finds leading components, not all";
  if (static_cast<double>(problem.components) >= modes) return "more components than modes";
  return std::nullopt;
}

Index size(const GramProblem& problem) { return static_cast<Index>(shape_of(problem).count()); }

// Seconds of one thread, measured: a product by transforms per cell and log2(cells), a transform
// that is not pruned, a row that is sorted, met, and carries a column, a cell that is added to.
constexpr double kProductCell = 2e-9, kTransformCell = 4e-9, kSortRow = 150e-9, kMeetRow = 140e-9,
                 kColumnRow = 20e-9, kAdd = 0.2e-9, kEntry = 4e-9;

// w^d cells for this error: one along a dimension for every digit, and one more.
double spread_seconds(double rows, const FourierShape& shape, double tolerance, double columns) {
  double cells = 1;
  for (const Index m : shape.modes)
    if (m > 0) cells *= std::clamp(std::ceil(1 - std::log10(tolerance)), 2.0, 16.0);
  return rows * (kMeetRow + kColumnRow * columns + kAdd * cells * (columns + 1));
}

double grid_cells(const FourierShape& shape, double finer) {
  double cells = 1;
  for (const Index m : shape.modes)
    if (m > 0) cells *= finer * (2 * static_cast<double>(m) + 1);
  return cells;
}

Cost cost(const GramProblem& problem, const Machine& machine, Precision, Index columns) {
  const FourierShape shape = shape_of(problem);
  const double eps = eps_of(*problem.facts.geometry), modes = shape.count();
  const auto n = static_cast<double>(problem.points.n()),
             dim = static_cast<double>(problem.points.dim()), b = static_cast<double>(columns),
             lifted = static_cast<double>(problem.components);
  const double sums = grid_cells(shape, 4), product = grid_cells(shape, 2);
  const bool stored = modes <= static_cast<double>(kStored);
  const double entries = modes * modes * kEntry;
  // The rows are met for the sums, and again for the vectors and for what scores new rows.
  const double setup = kSortRow * n + spread_seconds(n, shape, kSumsShare * eps, 2) +
                       2 * spread_seconds(n, shape, kRowsShare * eps, lifted) +
                       kTransformCell * (sums + product * lifted) * std::log2(sums + 2);
  const double by_transforms = std::ceil(b / 2) * kProductCell * product * std::log2(product + 2);
  const double pairs = std::min(8.0, std::ceil((lifted + 1) / 2));
  const double grids = 48 * std::max(sums, product * pairs) + 24 * product + 16e6;
  // Of n numbers: rows in order and a mean each; vectors are counted with every fit.
  return {
      .setup_seconds = setup + (stored ? entries : 0),
      .pass_seconds = stored ? 2 * modes * modes * b / machine.gemm_double : by_transforms,
      .form_seconds = entries,
      .bytes = static_cast<std::uint64_t>(grids + n * (8 * dim + 20) + 32 * modes * (lifted + 2) +
                                          32 * sums / 8 + (stored ? 16 * modes * modes : 0)),
      .error = eps,
      .terms = modes,
      .terms_name = "modes"};
}

std::unique_ptr<SymmetricOperator> build(const GramProblem& problem, const Context& context) {
  return std::make_unique<FourierFeatures>(problem, context);
}

}  // namespace
}  // namespace fourier_features_kind

const OperatorRecipe& fourier_features_recipe() {
  using namespace fourier_features_kind;
  static constexpr OperatorRecipe recipe{
      "fourier_features",
      "Fourier series of a smooth kernel in 1 to 3 columns: passes do not see the rows",
      refuse,
      size,
      cost,
      build,
      true};
  return recipe;
}

}  // namespace mercer
