// What a run may use, as people write it: words that are described once and turned into a Budget.
#pragma once

#include "mercer/core/budget.h"

#include <string>

namespace mercer {

/// Fields are described as name, value, help, and what stands for the value in a help text: a word
/// in capitals, or the words it can be as "auto|cpu".
struct BudgetWords {
  std::string memory, threads, time, device = "auto", precision = "auto", operator_name = "auto",
                                     solver_name = "auto";

  template <class Fields>
  void describe(Fields& field) {
    field("memory", memory,
          "memory the run may take, such as 4G (default: half of the machine's): table, model, "
          "matrix, blocks, results; the program itself, about 12 MB, comes on top",
          "SIZE");
    field("threads", threads, "threads to use (default: all)", "N");
  }
  /// For runs that are planned.
  template <class Fields>
  void describe_plan(Fields& field) {
    field("time", time, "time the run may take, such as 500ms, 90s, 10min or 2h (default: any)",
          "TIME");
    field("device", device, "where to compute", "auto|cpu");
    field("precision", precision, "inside kernel tiles; methods without tiles compute in double",
          "auto|single|double");
    field("operator", operator_name, "how the matrix is applied (mercer list operators)", "NAME");
    field("solver", solver_name, "eigensolver (mercer list solvers)", "NAME");
  }
  /// Throws M102, M108, M112 or M801 for words that make no sense. Names of an operator and of a
  /// solver are those of these words, which must outlive the budget.
  Budget budget() const;
};

}  // namespace mercer
