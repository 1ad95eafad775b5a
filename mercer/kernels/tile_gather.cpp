// Rows chosen from a copy that is there already, of whatever storage: nothing is rounded anew.
#include "mercer/kernels/tile_points.h"

namespace mercer {
namespace {

// Copies that the kernel does not use are empty, and stay so.
template <class Derived>
void gather_rows(const Eigen::PlainObjectBase<Derived>& from, std::span<const Index> chosen,
                 Eigen::PlainObjectBase<Derived>& to) {
  if (from.rows() == 0) return;
  to.resize(static_cast<Index>(chosen.size()), from.cols());
  for (std::size_t i = 0; i < chosen.size(); ++i)
    to.row(static_cast<Index>(i)) = from.row(chosen[i]);
}

}  // namespace

template <class T>
TilePoints<T>::TilePoints(const TilePoints& like, Index n)
    : n_(n),
      dim_(like.dim_),
      sparse_(like.sparse_),
      clamps_(like.clamps_),
      radial_(like.radial_),
      dot_(like.dot_),
      angle_(like.angle_),
      moved_terms_(like.moved_terms_),
      plain_terms_(like.plain_terms_),
      squared_scale_(like.squared_scale_) {}

template <class T>
TilePoints<T> TilePoints<T>::gathered(std::span<const Index> chosen) const {
  TilePoints part(*this, static_cast<Index>(chosen.size()));
  gather_rows(centred_, chosen, part.centred_);
  gather_rows(plain_, chosen, part.plain_);
  gather_rows(unit_, chosen, part.unit_);
  gather_rows(norms_, chosen, part.norms_);
  gather_rows(plain_norms_, chosen, part.plain_norms_);
  gather_rows(unit_norms_, chosen, part.unit_norms_);
  if (integers_) part.integers_ = std::make_shared<const IntegerRows>(integers_->gathered(chosen));
  if (!sparse_) return part;
  for (const Index i : chosen) {
    const auto append = [&](const auto& from, auto& to) {
      if (!from.empty())
        to.insert(to.end(), from.begin() + starts_[static_cast<std::size_t>(i)],
                  from.begin() + starts_[static_cast<std::size_t>(i) + 1]);
    };
    append(columns_, part.columns_);
    append(values_, part.values_);
    append(unit_values_, part.unit_values_);
    part.starts_.push_back(static_cast<Index>(part.columns_.size()));
  }
  return part;
}

template TilePoints<float>::TilePoints(const TilePoints<float>&, Index);
template TilePoints<double>::TilePoints(const TilePoints<double>&, Index);
template TilePoints<float> TilePoints<float>::gathered(std::span<const Index>) const;
template TilePoints<double> TilePoints<double>::gathered(std::span<const Index>) const;

}  // namespace mercer
