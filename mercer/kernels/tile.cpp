#include "mercer/kernels/tile.h"

#include "mercer/core/check.h"
#include "mercer/core/cpu.h"
#include "mercer/core/parallel.h"
#include "mercer/kernels/tile_maps.h"
#include "mercer/linalg/blas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace mercer {
namespace {

const LevelMaps& maps() {
  static const LevelMaps chosen = [] {
#ifdef __x86_64__
    switch (cpu_level()) {
      case CpuLevel::v4:
        return v4::tile_maps();
      case CpuLevel::v3:
        return v3::tile_maps();
      case CpuLevel::baseline:
        break;
    }
#endif
    return baseline::tile_maps();
  }();
  return chosen;
}

// A new row may lie so far away that its squares overflow; a radial kernel is 0 there in any case,
// but inf - inf would be NaN. 2^(120 / 2) keeps squares of up to 10^7 columns inside float32.
template <class T>
double largest_coordinate() {
  return std::is_same_v<T, float> ? 0x1p50 : 0x1p480;
}

}  // namespace

template <class T>
TilePoints<T>::TilePoints(const Kernel& kernel, const Frame& frame, DataView rows,
                          const Context& context)
    : n_(rows.n()), dim_(rows.dim()) {
  const bool radial = kernel.uses(Form::radial), dot = kernel.uses(Form::dot);
  if (radial) centred_.resize(n_, dim_), norms_.resize(n_);
  if (dot) plain_.resize(n_, dim_), plain_norms_.resize(n_);
  const double limit = largest_coordinate<T>();
  // Summed differences of doubles need no centring, and beside an outlier it would cost the others
  // their digits.
  const bool centre = std::is_same_v<T, float> || !frame.direct_double;
  const std::vector<Range> chunks = tiles_of(n_, kTileRows);
  parallel_for(context, static_cast<Index>(chunks.size()), [&](Index t) {
    Vector row(dim_), moved(dim_);
    for (Index i = chunks[static_cast<std::size_t>(t)].begin;
         i < chunks[static_cast<std::size_t>(t)].end; ++i) {
      rows.copy_row(i, row.data());
      row *= frame.scale;
      moved = row;
      if (centre) moved -= frame.centre;
      if (radial) {
        centred_.row(i) = moved.cwiseMax(-limit).cwiseMin(limit).template cast<T>();
        norms_[i] = static_cast<T>(centred_.row(i).template cast<double>().squaredNorm());
      }
      if (dot) {
        plain_.row(i) = (frame.centre_products ? moved : row).template cast<T>();
        plain_norms_[i] = plain_.row(i).template cast<double>().squaredNorm();
      }
    }
  });
}

template <class T>
double TilePoints<T>::bytes(const Kernel& kernel, Index n, Index dim) {
  const double copies = (kernel.uses(Form::radial) ? 1 : 0) + (kernel.uses(Form::dot) ? 1 : 0);
  return copies * static_cast<double>(n) * (static_cast<double>(dim) * sizeof(T) + 8);
}

template <class T>
TileKernel<T>::TileKernel(const Kernel& kernel, const Frame& frame)
    : terms_(kernel.terms()),
      direct_(std::is_same_v<T, float> ? frame.direct_single : frame.direct_double),
      radial_(kernel.uses(Form::radial)),
      dot_(kernel.uses(Form::dot)) {
  MERCER_ASSERT(kernel.resolved());
  for (KernelTerm& term : terms_)
    for (AnyFamily& family : term.factors)
      family =
          visit_family([&](const auto& f) { return AnyFamily(f.rescaled(frame.scale)); }, family);
  // In float the steepness of a width below 1e-18 is infinite, and 0 * inf is not 1.
  for (KernelTerm& term : terms_)
    for (AnyFamily& family : term.factors)
      if (auto* gaussian = std::get_if<Gaussian>(&family); std::is_same_v<T, float> && gaussian)
        gaussian->sigma = std::max(gaussian->sigma, 1e-18);
  if (frame.minus_one) std::get<Gaussian>(terms_[0].factors[0]).minus_one = true;
}

template <class T>
void TileKernel<T>::radial_base(const TilePoints<T>& a, Range rows, const TilePoints<T>& b,
                                Range cols, T* out, Index ldo, Scratch& scratch) const {
  const T* left = a.centred_.data() + rows.begin * a.dim_;
  const T* right = b.centred_.data() + cols.begin * b.dim_;
  if (!direct_) {
    row_products(rows.size(), cols.size(), a.dim_, left, a.dim_, right, b.dim_, out, ldo);
    return;
  }
  scratch.transposed.resize(static_cast<std::size_t>(cols.size() * b.dim_));
  for (Index j = 0; j < cols.size(); ++j)
    for (Index k = 0; k < b.dim_; ++k)
      scratch.transposed[static_cast<std::size_t>(k * cols.size() + j)] = right[j * b.dim_ + k];
  const auto distances = [] {
    if constexpr (std::is_same_v<T, float>)
      return maps().distances_single;
    else
      return maps().distances_double;
  }();
  distances(left, a.dim_, scratch.transposed.data(), cols.size(), out, ldo, rows.size(),
            cols.size(), a.dim_);
}

template <class T>
void TileKernel<T>::map(const AnyFamily& family, const TilePoints<T>& a, Range rows,
                        const TilePoints<T>& b, Range cols, T* tile, Index ldt) const {
  const int number =
      static_cast<int>(family.index()) - 1;  // the variant's first alternative is the empty one
  const TileMap<T> function = [&] {
    if constexpr (std::is_same_v<T, float>)
      return maps().map_single(number);
    else
      return maps().map_double(number);
  }();
  visit_family(
      [&](const auto& f) {
        const bool radial = f.traits.form == Form::radial;
        function(&f, radial && direct_, radial ? a.norms_.data() + rows.begin : nullptr,
                 radial ? b.norms_.data() + cols.begin : nullptr, tile, rows.size(), cols.size(),
                 ldt);
        return 0;
      },
      family);
}

template <class T>
void TileKernel<T>::fill(const TilePoints<T>& a, Range rows, const TilePoints<T>& b, Range cols,
                         T* out, Index ldo, Scratch& scratch) const {
  const auto dot_base = [&](T* to, Index ld) {
    row_products(rows.size(), cols.size(), a.dim_, a.plain_.data() + rows.begin * a.dim_, a.dim_,
                 b.plain_.data() + cols.begin * b.dim_, b.dim_, to, ld);
  };
  if (terms_.size() == 1 && terms_[0].factors.size() == 1 && terms_[0].weight == 1) {
    if (radial_)
      radial_base(a, rows, b, cols, out, ldo, scratch);
    else
      dot_base(out, ldo);
    map(terms_[0].factors[0], a, rows, b, cols, out, ldo);
    return;
  }

  using Tile = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, 0,
                          Eigen::OuterStride<>>;
  const auto size = static_cast<std::size_t>(rows.size() * cols.size());
  const auto buffer = [&](std::vector<T>& storage) {
    storage.resize(std::max(storage.size(), size));
    return Tile(storage.data(), rows.size(), cols.size(), Eigen::OuterStride<>(cols.size()));
  };
  Tile radial = buffer(scratch.base_radial), dot = buffer(scratch.base_dot),
       factor = buffer(scratch.factor), product = buffer(scratch.product),
       sum(out, rows.size(), cols.size(), Eigen::OuterStride<>(ldo));
  if (radial_) radial_base(a, rows, b, cols, radial.data(), cols.size(), scratch);
  if (dot_) dot_base(dot.data(), cols.size());
  sum.setZero();
  for (const KernelTerm& term : terms_) {
    product.setConstant(static_cast<T>(term.weight));
    for (const AnyFamily& family : term.factors) {
      const Form form = visit_family([](const auto& f) { return f.traits.form; }, family);
      factor = form == Form::radial ? radial : dot;
      map(family, a, rows, b, cols, factor.data(), cols.size());
      product *= factor;
    }
    sum += product;
  }
}

template <class T>
Vector TileKernel<T>::diagonal(const TilePoints<T>& points) const {
  Vector diagonal(points.n_);
  for (Index i = 0; i < points.n_; ++i) {
    const PairTerms<double> self{dot_ ? points.plain_norms_[i] : 0, 0};
    double sum = 0;
    for (const KernelTerm& term : terms_) {
      double product = term.weight;
      for (const AnyFamily& family : term.factors)
        product *= visit_family([&](const auto& f) { return f(self); }, family);
      sum += product;
    }
    diagonal[i] = sum;
  }
  return diagonal;
}

template class TilePoints<float>;
template class TilePoints<double>;
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
