// Mean and scatter of rows in one walk over them, for tables that need not be in memory. Rows are
// moved by the mean of those before them, and parts are put together by the formula of Chan, Golub
// and LeVeque:
//   S = S_a + S_b + n_a n_b / n (m_b - m_a)(m_b - m_a)'
// so that an offset costs no digits, nor does an order of the rows. Everything but the extents is
// of rows times a power of two, whose squares stay in range.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/row_source.h"
#include "mercer/data/summary.h"

#include <string>

namespace mercer {

struct RowMoments {
  Index n = 0;
  double scale = 1;         // a power of two
  Vector mean, rest;        // of the scaled rows: the sum of both
  Vector squares;           // of each column, summed about the mean
  Block scatter;            // X~'X~ of the centred scaled rows, where it was asked for
  Vector minimum, maximum;  // of the rows as they are
  std::string fingerprint;  // of the rows, where it was asked for

  Index dim() const { return mean.size(); }
  /// Deviation of each column in its own units; 0 for constant columns only.
  Vector deviations() const;
  Overview overview() const;
  /// Those of (x - shift) * factor, column by column.
  RowMoments of_scaled(const Vector& shift, const Vector& factor) const;
};

struct MomentsWanted {
  bool scatter = true;
  bool fingerprint = false;
};

/// Walks over the rows once (twice where numbers far beyond those of the first rows turn up, or
/// first rows of small whole numbers are followed by others: whole_moments.h).
/// Throws M212 for the first value that is not finite. The same bytes for any chunks and threads.
RowMoments moments_of(const RowSource& rows, const MomentsWanted& wanted, const Context& context);

/// Those of sparse rows without the scatter, at the cost of their non-zeros.
RowMoments sparse_moments(DataView rows, const Context& context);

/// Bytes that moments_of takes of n rows.
std::uint64_t moments_bytes(Index n, Index dim, bool scatter);

}  // namespace mercer
