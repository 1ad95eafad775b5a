// GramProblem: what operators and the planner must know of a fit.
#pragma once

#include "mercer/core/types.h"
#include "mercer/data/view.h"
#include "mercer/kernels/kernel.h"
#include "mercer/operators/given.h"

namespace mercer {

struct GramProblem {
  DataView points;             // viewed, not owned: they must outlive the operator
  Kernel kernel;               // resolved
  bool center = true;          // features are centred
  Index components = 2;        // eigenpairs wanted
  double tolerance = 1e-6;     // relative residual
  bool both_ends = false;      // negative eigenvalues are wanted too (indefinite policies)
  bool affine = false;         // not the mean alone, all affine functions of the rows are removed
  Given given = Given::table;  // what the points are; the kernel means nothing unless a table
  bool whole = false;          // small whole numbers: tiles come from exact 8-bit products
  bool open_count = false;     // components is only the most there can be: a share, or all
};

}  // namespace mercer
