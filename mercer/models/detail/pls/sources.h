// Where the weights of partial least squares come from: two passes over the table for each
// component, a Gram matrix, or a copy of the table that is deflated as the textbook has it.
#pragma once

#include "mercer/linalg/operator.h"
#include "mercer/models/detail/pls/lanes.h"
#include "mercer/models/detail/regress/centred_rows.h"

namespace mercer::detail {

/// The unit leading right singular vector of s, its entry of largest magnitude positive.
Vector leading_right(const Block& s);

/// X'Y is kept and deflated; X itself is only read.
class TableSource final : public PlsSource {
 public:
  /// `products`: X'Y of all rows.
  TableSource(const CentredRows& rows, const Block& products, double norm, bool simpls)
      : rows_(rows), products_(products), norm_(norm), simpls_(simpls) {}

  Index width() const override { return rows_.dim(); }
  void begin(std::vector<PlsLane*>& lanes, const Context& context) override;
  bool weigh(PlsLane& lane) const override;
  void score(std::vector<PlsLane*>& lanes, const Context& context) override;
  void deflate(std::vector<PlsLane*>& lanes, const Context& context) override;

 private:
  void take_out(PlsLane& lane, const Vector& loading) const;

  const CentredRows& rows_;
  const Block& products_;
  double norm_;  // |X|_F
  bool simpls_;
};

/// Products with a Gram matrix K = X X', whatever the features X are: weights are coefficients of
/// the rows, X'u.
class GramSource final : public PlsSource {
 public:
  /// `trace`: of the centred matrix, |X|_F^2.
  GramSource(const SymmetricOperator& gram, double trace) : gram_(gram), trace_(trace) {}

  Index width() const override { return gram_.size(); }
  void begin(std::vector<PlsLane*>& lanes, const Context& context) override;
  bool weigh(PlsLane& lane) const override;
  void score(std::vector<PlsLane*>&, const Context&) override {}  // with the weight
  void deflate(std::vector<PlsLane*>& lanes, const Context& context) override;

 private:
  const SymmetricOperator& gram_;
  double trace_;
};

/// X_j itself, a copy of the table: for one lane, the fit of all rows.
class DeflatedSource final : public PlsSource {
 public:
  DeflatedSource(const CentredRows& rows, double norm) : rows_(rows), norm_(norm) {}

  Index width() const override { return rows_.dim(); }
  void begin(std::vector<PlsLane*>& lanes, const Context& context) override;
  bool weigh(PlsLane& lane) const override;
  void score(std::vector<PlsLane*>& lanes, const Context& context) override;
  void deflate(std::vector<PlsLane*>& lanes, const Context& context) override;

 private:
  const CentredRows& rows_;
  double norm_;
  Block x_;  // dim x n, its columns are rows of the table
};

}  // namespace mercer::detail
