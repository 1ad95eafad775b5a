// GramProblem: what operators and the planner must know of a fit.
#pragma once

#include "mercer/core/types.h"
#include "mercer/data/view.h"
#include "mercer/kernels/frame.h"
#include "mercer/kernels/kernel.h"
#include "mercer/operators/given.h"

#include <memory>

namespace mercer {

struct AffineBasis;
struct Geometry;

struct GramProblem {
  DataView points;          // viewed, not owned: they must outlive the operator
  Kernel kernel;            // resolved
  bool center = true;       // features are centred
  Index components = 2;     // eigenpairs wanted
  double tolerance = 1e-6;  // relative residual
  bool both_ends = false;   // negative eigenvalues are wanted too (indefinite policies)
  bool affine = false;      // not the mean alone, all affine functions of the rows are removed
  std::shared_ptr<const AffineBasis> affine_basis = {};  // where that is so
  Given given = Given::table;  // what the points are; the kernel means nothing unless a table
  bool whole = false;          // small whole numbers: tiles come from exact 8-bit products
  std::shared_ptr<const Frame> frame = {};  // of the points, where somebody has made it already
  std::shared_ptr<const Geometry> geometry = {};  // of the points, where fast sums may pay
  bool found_width = false;                       // a width is, or was, found from the rows
  bool shared = false;      // the model shares the points' memory with their data set
  bool open_count = false;  // components is only the most there can be: a share, or all
};

/// The frame of the problem's points: the one it brings, or a new one.
inline Frame frame_of(const GramProblem& problem, const Context& context) {
  if (problem.frame != nullptr) return *problem.frame;
  return make_frame(problem.kernel, problem.points, problem.center, context);
}

}  // namespace mercer
