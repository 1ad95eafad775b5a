// Whether columns are of comparable units, by their standard deviations: a distance between rows
// sees the widest column and little else. Images are left alone, whose pixels share their unit
// however much they vary.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/error.h"
#include "mercer/core/types.h"
#include "mercer/data/summary.h"
#include "mercer/data/view.h"

#include <cmath>
#include <string>
#include <vector>

namespace mercer {

class ColumnScales {
 public:
  /// Of dense rows, some columns at a time.
  static ColumnScales of(DataView rows, const Context& context);

  /// The figures of one column.
  void take(Index column, double minimum, double maximum, double deviation);
  /// W234 with the names of two columns, where deviations differ by a factor of 100 or more.
  /// `names` may be empty.
  Warnings warnings(const std::vector<std::string>& names) const;

 private:
  bool shared_unit() const;

  double widest_ = 0, narrowest_ = HUGE_VAL;
  Index widest_column_ = 0, narrowest_column_ = 0, varying_ = 0;
  double least_ = HUGE_VAL, most_ = -HUGE_VAL;
  Index at_least_ = 0, at_most_ = 0;  // columns whose smallest or largest value those are
};

/// W234 of a table that was looked over. Sparse rows, which scaling would write out, have it from a
/// factor of 10 000 on; bytes never.
Warnings warnings_about_scales(DataView rows, const Overview& overview,
                               const std::vector<std::string>& names, const Context& context);

}  // namespace mercer
