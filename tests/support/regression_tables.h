// Tables with numbers to predict, and fits of other programs as they are stored.
#pragma once

#include "mercer/models/model.h"
#include "mercer/models/training.h"
#include "tests/support/reference.h"

#include <gtest/gtest.h>

#include <string>

namespace mercer::test {

/// Of rows and targets that outlive it, named y1, y2, ...
inline Training training_of(const Points& x, const Points& y) {
  Training training(x);
  training.targets.values = DataView(y);
  for (Index j = 0; j < y.cols(); ++j)
    training.targets.names.push_back("y" + std::to_string(j + 1));
  return training;
}

/// A list as one column, a table as it is.
inline Block figure_table(const Model& model, const std::string& name) {
  for (const Figure& figure : model.report.figures) {
    if (figure.name != name) continue;
    const Value::List& rows = figure.value.as_list();
    const bool table = !rows.empty() && rows[0].is_list();
    Block block(static_cast<Index>(rows.size()),
                table ? static_cast<Index>(rows[0].as_list().size()) : 1);
    for (Index i = 0; i < block.rows(); ++i)
      for (Index j = 0; j < block.cols(); ++j) {
        const Value& row = rows[static_cast<std::size_t>(i)];
        block(i, j) = (table ? row.as_list()[static_cast<std::size_t>(j)] : row).as_number();
      }
    return block;
  }
  ADD_FAILURE() << "no figure " << name;
  return {};
}

/// Coefficients, fitted values and RMSEP, one under the other.
struct ReferenceFit {
  Block coefficients, fitted, rmsep;
};

inline ReferenceFit read_fit(const std::string& name, const Points& x) {
  const Points all = read_reference(name);
  return {all.topRows(x.cols()), all.middleRows(x.cols(), x.rows()),
          all.bottomRows(all.rows() - x.cols() - x.rows())};
}

}  // namespace mercer::test
