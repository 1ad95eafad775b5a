#include "mercer/linalg/householder.h"

#include <Eigen/QR>

namespace mercer {

Block orthonormal_in_order(const Block& columns) {
  const Eigen::HouseholderQR<Block> qr(columns);
  return qr.householderQ() * Block::Identity(columns.rows(), columns.cols());
}

Block least_squares(const Block& a, const Block& b) { return a.colPivHouseholderQr().solve(b); }

struct PivotedColumns::Factors {
  Eigen::ColPivHouseholderQR<Block> qr;
};

PivotedColumns::PivotedColumns(const Block& columns)
    : factors_(new Factors{Eigen::ColPivHouseholderQR<Block>(columns)}) {}

PivotedColumns::~PivotedColumns() = default;

Block PivotedColumns::r() const { return factors_->qr.matrixR().triangularView<Eigen::Upper>(); }

Index PivotedColumns::at(Index place) const {
  return factors_->qr.colsPermutation().indices()[place];
}

Block PivotedColumns::basis(Index count) const {
  const auto& qr = factors_->qr;
  return qr.householderQ() * Block::Identity(qr.rows(), count);
}

}  // namespace mercer
