#include "mercer/kernels/tile.h"

#include "mercer/core/check.h"
#include "mercer/core/cpu.h"
#include "mercer/kernels/framed_family.h"
#include "mercer/kernels/parameters.h"
#include "mercer/kernels/tile_maps.h"
#include "mercer/kernels/value_unit.h"
#include "mercer/linalg/blas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace mercer {
namespace {

const LevelMaps& maps() {
  static const LevelMaps chosen =
      MERCER_OF_LEVEL(baseline::tile_maps, v3::tile_maps, v4::tile_maps)();
  return chosen;
}

// The variant's first alternative is the empty one.
int number_of(const AnyFamily& family) { return static_cast<int>(family.index()) - 1; }

// A row-major panel with rows and columns exchanged; its rows are `stride` apart.
template <class T>
const T* transposed(const T* panel, Index rows, Index cols, Index stride, std::vector<T>& storage) {
  storage.resize(static_cast<std::size_t>(rows * cols));
  for (Index j = 0; j < rows; ++j)
    for (Index k = 0; k < cols; ++k)
      storage[static_cast<std::size_t>(k * rows + j)] = panel[j * stride + k];
  return storage.data();
}

// Two panels of rows with `dim` coordinates, of which sums over these are made.
template <class T>
struct Panels {
  const T *left, *right;
  Index rows, cols, dim;
};

// Adds a part of the sums, stored without gaps, to what there is.
template <class T>
void add_part(const T* part, Index rows, Index cols, T* out, Index ldo) {
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) out[i * ldo + j] += part[i * cols + j];
}

// What `function` sums over the coordinates, some thousand of them at a time.
template <class T>
void sum_in_parts(SumTile<T> function, const Panels<T>& p, T* out, Index ldo,
                  typename TileKernel<T>::Scratch& scratch) {
  Index begin = 0;
  do {
    const Index count = std::min(kPanelColumns, p.dim - begin);
    const T* turned = transposed(p.right + begin, p.cols, count, p.dim, scratch.transposed);
    if (begin == 0) {
      function(p.left, p.dim, turned, p.cols, out, ldo, p.rows, p.cols, count);
    } else {
      scratch.part.resize(static_cast<std::size_t>(p.rows * p.cols));
      function(p.left + begin, p.dim, turned, p.cols, scratch.part.data(), p.cols, p.rows, p.cols,
               count);
      add_part(scratch.part.data(), p.rows, p.cols, out, ldo);
    }
    begin += count;
  } while (begin < p.dim);
}

Form form_of(const AnyFamily& family) {
  return visit_family([](const auto& f) { return f.traits.form; }, family);
}

// Steepness beyond what T can hold must not make 0 * inf of equal points: lengths of families with
// k(x, x) = 1 stay above 1e-18 in float.
template <class Family>
void keep_in_range_of_float(Family& family) {
  if (!family.traits.unit_diagonal) return;
  for (const Parameter& p : parameters_of(family))
    if (*p.rule != 0) *p.value = std::max(*p.value, 1e-18);
}

}  // namespace

template <class T>
struct TileKernel<T>::Pair {
  const TilePoints<T>& a;
  Range rows;
  const TilePoints<T>& b;
  Range cols;
};

template <class T>
TileKernel<T>::TileKernel(const Kernel& kernel, const Frame& frame, Values values)
    : terms_(kernel.terms()),
      direct_(std::is_same_v<T, float> ? frame.direct_single : frame.direct_double) {
  MERCER_ASSERT(kernel.resolved());
  for (KernelTerm& term : terms_)
    for (AnyFamily& family : term.factors)
      family = visit_family(
          [&](const auto& f) {
            auto scaled = in_frame(f, frame);
            if (std::is_same_v<T, float>) keep_in_range_of_float(scaled);
            return AnyFamily(scaled);
          },
          family);
  if (values == Values::plain) return;
  TermsInUnits divided = in_units(std::move(terms_), frame);
  terms_ = std::move(divided.terms);
  unit_ = divided.unit;
}

// What families of this form are computed from: a matrix product, or summed differences.
template <class T>
void TileKernel<T>::base(Form form, const Pair& p, T* out, Index ldo, Scratch& scratch) const {
  const TilePoints<T>&a = p.a, &b = p.b;
  if (a.integers_)
    return integer_tile(form == Form::radial ? IntegerForm::squared_distance : IntegerForm::product,
                        *a.integers_, p.rows, *b.integers_, p.cols, a.squared_scale_, out, ldo,
                        scratch.integer);
  if (a.sparse_) {
    const auto left = a.compressed(form == Form::angle ? a.unit_values_ : a.values_);
    const auto right = b.compressed(form == Form::angle ? b.unit_values_ : b.values_);
    if (form == Form::radial && direct_)
      return sparse_distances(left, p.rows, right, p.cols, out, ldo);
    return sparse_products(left, p.rows, right, p.cols, a.dim_, out, ldo, scratch.sparse);
  }
  const auto rows_of = [&](const TilePoints<T>& points, Range part) {
    const auto& rows = form == Form::radial  ? points.centred_
                       : form == Form::angle ? points.unit_
                                             : points.plain_;
    return rows.data() + part.begin * points.dim_;
  };
  const T *left = rows_of(a, p.rows), *right = rows_of(b, p.cols);
  if (form != Form::radial || !direct_)
    return row_products(p.rows.size(), p.cols.size(), a.dim_, left, a.dim_, right, b.dim_, out,
                        ldo);
  const auto distances = [] {
    if constexpr (std::is_same_v<T, float>)
      return maps().distances_single;
    else
      return maps().distances_double;
  }();
  sum_in_parts<T>(distances, {left, right, p.rows.size(), p.cols.size(), a.dim_}, out, ldo,
                  scratch);
}

// Sums of a family's terms over the coordinates.
template <class T>
void TileKernel<T>::sums(const AnyFamily& family, const Pair& p, T* out, Index ldo,
                         Scratch& scratch) const {
  const bool moved = form_of(family) == Form::differences;
  const auto& left = moved ? p.a.centred_ : p.a.plain_;
  const auto& right = moved ? p.b.centred_ : p.b.plain_;
  const Index dim = p.a.dim_;
  const SumTile<T> function = [&] {
    if constexpr (std::is_same_v<T, float>)
      return maps().sums_single(number_of(family));
    else
      return maps().sums_double(number_of(family));
  }();
  sum_in_parts<T>(function,
                  {left.data() + p.rows.begin * dim, right.data() + p.cols.begin * dim,
                   p.rows.size(), p.cols.size(), dim},
                  out, ldo, scratch);
}

template <class T>
void TileKernel<T>::map(const AnyFamily& family, const Pair& p, T* tile, Index ldt) const {
  const TileMap<T> function = [&] {
    if constexpr (std::is_same_v<T, float>)
      return maps().map_single(number_of(family));
    else
      return maps().map_double(number_of(family));
  }();
  visit_family(
      [&](const auto& f) {
        const bool radial = f.traits.form == Form::radial;
        const bool squared = radial && (direct_ || p.a.integers_);
        const bool norms = radial && !squared;
        function(&f, squared, norms ? p.a.norms_.data() + p.rows.begin : nullptr,
                 norms ? p.b.norms_.data() + p.cols.begin : nullptr, tile, p.rows.size(),
                 p.cols.size(), ldt);
        return 0;
      },
      family);
}

template <class T>
void TileKernel<T>::fill_one(const AnyFamily& family, const Pair& pair, T* out, Index ldo,
                             Scratch& scratch) const {
  const Form form = form_of(family);
  if (form == Form::differences || form == Form::sums)
    sums(family, pair, out, ldo, scratch);
  else
    base(form, pair, out, ldo, scratch);
  map(family, pair, out, ldo);
}

template <class T>
void TileKernel<T>::fill(const TilePoints<T>& a, Range rows, const TilePoints<T>& b, Range cols,
                         T* out, Index ldo, Scratch& scratch) const {
  MERCER_ASSERT(a.dim_ == b.dim_);
  require(a.storage() == b.storage(), ErrorCode::internal, "a tile of rows stored in two ways");
  const Pair pair{a, rows, b, cols};
  if (terms_.size() == 1 && terms_[0].factors.size() == 1 && terms_[0].weight == 1)
    return fill_one(terms_[0].factors[0], pair, out, ldo, scratch);

  using Tile = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, 0,
                          Eigen::OuterStride<>>;
  const auto size = static_cast<std::size_t>(rows.size() * cols.size());
  const auto buffer = [&](std::vector<T>& storage) {
    storage.resize(std::max(storage.size(), size));
    return Tile(storage.data(), rows.size(), cols.size(), Eigen::OuterStride<>(cols.size()));
  };
  // Families of one form share one product.
  bool made[3] = {false, false, false};
  const auto shared_base = [&](Form form) {
    const std::size_t which = form == Form::radial ? 0 : form == Form::dot ? 1 : 2;
    Tile tile = buffer(which == 0   ? scratch.base_radial
                       : which == 1 ? scratch.base_dot
                                    : scratch.base_angle);
    if (!made[which]) base(form, pair, tile.data(), cols.size(), scratch);
    made[which] = true;
    return tile;
  };
  Tile factor = buffer(scratch.factor), product = buffer(scratch.product),
       sum(out, rows.size(), cols.size(), Eigen::OuterStride<>(ldo));
  sum.setZero();
  for (const KernelTerm& term : terms_) {
    product.setConstant(static_cast<T>(term.weight));
    for (const AnyFamily& family : term.factors) {
      const Form form = form_of(family);
      if (form == Form::differences || form == Form::sums) {
        fill_one(family, pair, factor.data(), cols.size(), scratch);
      } else {
        factor = shared_base(form);
        map(family, pair, factor.data(), cols.size());
      }
      product *= factor;
    }
    sum += product;
  }
}

template <class T>
Vector TileKernel<T>::diagonal(const TilePoints<T>& points) const {
  // What a family sees of a row and the same row again.
  const auto self = [&](const auto& f, Index i) {
    using Family = std::decay_t<decltype(f)>;
    PairTerms<double> pair{0, 0, 0};
    if (Family::traits.form == Form::dot) pair.product = points.plain_norms_[i];
    if (Family::traits.form == Form::angle) pair.product = points.unit_norms_[i];
    if constexpr (Family::traits.form == Form::sums)
      for (Index k = 0; k < points.dim_; ++k) {
        const auto x = static_cast<double>(points.plain_(i, k));
        pair.summed += Family::term(x, x);
      }
    return pair;
  };
  Vector diagonal = Vector::Zero(points.n_);
  for (const KernelTerm& term : terms_)
    for (Index i = 0; i < points.n_; ++i) {
      double product = term.weight;
      for (const AnyFamily& family : term.factors)
        product *= visit_family([&](const auto& f) { return f(self(f, i)); }, family);
      diagonal[i] += product;
    }
  return diagonal;
}

template class TileKernel<float>;
template class TileKernel<double>;

void check_diagonal(const Vector& diagonal) {
  const double limit = 1e300 / std::max(1.0, static_cast<double>(diagonal.size()));
  for (Index i = 0; i < diagonal.size(); ++i) {
    if (std::abs(diagonal[i]) <= limit) continue;  // also refuses NaN
    throw Error(ErrorCode::kernel_overflows,
                fmt::format("the kernel of row {} with itself is {:.3g}: too large to work with",
                            i + 1, diagonal[i]),
                "scale the columns, or choose a smaller degree or scale");
  }
}

}  // namespace mercer
