// OperatorRecipe: what the planner may know of a way to apply the Gram matrix, and how to build it.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/linalg/cost.h"
#include "mercer/linalg/operator.h"
#include "mercer/operators/problem.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// How often an operator walks over the rows of a table that is larger than memory.
enum class Streams { no, once, every_pass };

struct OperatorRecipe {
  std::string_view name, summary;
  /// A reason why this operator cannot serve the problem, or nothing. Memory is the planner's
  /// business.
  std::optional<std::string> (*refuse)(const GramProblem&, const Budget&);
  /// Rows of the matrix: n, or the width of a factor, as far as it is known before.
  Index (*size)(const GramProblem&);
  /// Set-up, one product with `columns` vectors, writing the matrix out, bytes, error.
  Cost (*cost)(const GramProblem&, const Machine&, Precision, Index columns);
  std::unique_ptr<SymmetricOperator> (*build)(const GramProblem&, const Context&);
  bool needs_geometry = false;  // it is an expansion, which the problem's geometry decides on
  /// It computes the entries of any table anew in every pass and keeps none: what is left where no
  /// other fits into memory.
  bool stores_nothing = false;
  /// Whether rows may come in chunks, where scores are by axes; nothing as long as the rows is kept
  /// then.
  Streams streams = Streams::no;
  /// Where scores are by axes, sparse rows stay sparse all the same.
  bool takes_sparse_axes = false;
};

/// All operators of the catalogue, by name.
std::vector<const OperatorRecipe*> operator_recipes();
/// The one of this name; throws M112.
const OperatorRecipe& operator_recipe(std::string_view name);
/// The one that keeps no entries.
const OperatorRecipe& unstored_recipe();

}  // namespace mercer
