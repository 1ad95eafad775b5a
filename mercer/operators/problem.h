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
class RowSource;
struct RowMoments;

/// What was found of the rows of a problem, by whoever looked first; none of it changes what is
/// asked.
struct RowFacts {
  std::shared_ptr<const Frame> frame = {};  // where somebody has made it already
  /// What fast sums are priced by, where they may pay.
  std::shared_ptr<const Geometry> geometry = {};
  std::shared_ptr<const AffineBasis> affine_basis = {};  // where affine functions are removed
  std::shared_ptr<const RowMoments> moments = {};        // what operators by axes are made of
  bool integer_tiles = false;  // small whole numbers: tiles come from exact 8-bit products
  bool found_width = false;    // a width is, or was, found from the rows
  bool shared = false;         // the model shares the points' memory with their data set
};

struct GramProblem {
  DataView points;             // viewed, not owned: they must outlive the operator; only sizes
                               // where rows come from a source
  Kernel kernel;               // resolved
  bool center = true;          // features are centred
  Index components = 2;        // eigenpairs wanted
  double tolerance = 1e-6;     // relative residual
  bool both_ends = false;      // negative eigenvalues are wanted too (indefinite policies)
  bool affine = false;         // not the mean alone, all affine functions of the rows are removed
  bool open_count = false;     // components is only the most there can be: a share, or all
  bool by_axes = false;        // scores are products with unit directions of a factor's small space
  Given given = Given::table;  // what the points are; the kernel means nothing unless a table
  RowFacts facts = {};
  const RowSource* source = nullptr;  // rows that come in chunks, in place of the points
};

/// Whether the (centred) matrix can have no negative eigenvalues but by rounding.
inline bool is_positive(const GramProblem& problem) {
  if (problem.given != Given::table) return false;
  const Definite definite = problem.kernel.definite();
  return definite == Definite::always || (definite == Definite::centred && problem.center) ||
         (definite == Definite::affine && problem.affine);
}

/// The frame of the problem's points: the one it brings, or a new one.
inline Frame frame_of(const GramProblem& problem, const Context& context) {
  if (problem.facts.frame != nullptr) return *problem.facts.frame;
  return make_frame(problem.kernel, problem.points, problem.center, context);
}

}  // namespace mercer
