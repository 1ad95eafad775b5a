// TableRows: the rows of a table that is being written. They lie in memory already, or are made
// block by block while they are written, so that a long table of results is never held as a whole.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/dataset.h"
#include "mercer/data/view.h"

#include <functional>

namespace mercer {

class TableRows {
 public:
  using Take = std::function<void(DataView block)>;

  TableRows(DataView rows) : n_(rows.n()), dim_(rows.dim()), there_(rows), is_there_(true) {}
  TableRows(const Dataset& rows) : TableRows(rows.view()) {}
  template <class Derived>
  TableRows(const Eigen::DenseBase<Derived>& rows) : TableRows(DataView(rows)) {}
  /// The same, telling the context how far it is with them, and ending when that says so. It must
  /// outlive the rows.
  TableRows(const Dataset& rows, const Context& context) : TableRows(rows) { context_ = &context; }
  /// Rows of doubles: `make` hands them to its argument, block after block in their order. The
  /// context must outlive the rows.
  TableRows(Index n, Index dim, std::function<void(const Take&)> make, const Context& context)
      : n_(n), dim_(dim), make_(std::move(make)), context_(&context) {}

  Index n() const { return n_; }
  Index dim() const { return dim_; }
  Scalar type() const { return is_there_ ? there_.type() : Scalar::f64; }

  /// Calls `take` with every block of rows in their order. Rows that are made are made anew by
  /// every call.
  void each_block(const Take& take) const;
  /// All rows at once, for what cannot be written row by row. Throws M301 where those that are made
  /// do not fit into the memory that is left.
  DataView all();
  /// The same where they fit easily; where they do not, blocks will do.
  void collect_if_small();

 private:
  void each_part(const Take& take) const;

  Index n_, dim_;
  DataView there_;
  bool is_there_ = false;
  std::function<void(const Take&)> make_;
  const Context* context_ = nullptr;
  Points made_;
  MemoryAccount::Hold held_;
};

}  // namespace mercer
