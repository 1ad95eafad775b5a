// PlotSource: what a plot can be made of: a model, and the rows of a table where one was given.
// Without a table the rows are the training rows, as far as the model knows them or their scores.
#pragma once

#include "mercer/data/dataset.h"
#include "mercer/models/ability.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::plot {

/// A table whose columns are the model's.
struct PlotTable {
  Dataset rows;
  Dataset targets = {};                 // what it has of the columns that the model predicts
  std::vector<Index> image_shape = {};  // height, width (and channels) where rows are images
};

/// What somebody says of the rows, in place of what the table or the model says of them.
struct RowMarks {
  std::optional<Labels> labels = {};
  std::vector<std::string> names = {};
  std::vector<double> numbers = {};  // one for each row, shown as its colour
  std::string numbers_name = {};
  std::vector<Index> image_shape = {};
};

class PlotSource {
 public:
  /// What is computed of the model is computed within `context`, once. `marks` are of as many rows
  /// as n() says.
  PlotSource(const Model& model, std::optional<PlotTable> table, const Context& context,
             RowMarks marks = {});

  const Model& model() const { return model_; }
  const Report& report() const { return model_.report; }
  bool has_table() const { return table_.has_value(); }
  const PlotTable& table() const { return *table_; }

  /// Columns of scores; 0 for models without scores.
  Index score_columns() const;
  /// Whether scores can be had without a table that is not there.
  bool has_scores() const;
  /// Scores of the rows. Throws M717 where a table is needed.
  const Block& scores() const;
  /// Whether the scores are the components of the report's eigenvalues, in their order.
  bool spectral() const;
  /// "PC1", "PC2", ...; with the share that it explains, as titles of axes have it.
  std::string component_name(Index component) const;
  std::string component_title(Index component) const;

  /// The rows in the units of the table: the table's, or those that the model keeps.
  bool has_rows() const;
  /// Throws M717.
  const Dataset& rows() const;
  /// Rows of the table or of the training.
  Index n() const;
  /// Whether the rows are the training rows.
  bool of_training() const;

  const Labels& labels() const;
  const std::vector<std::string>& names() const;
  /// Numbers that are to be shown as colours; mostly none.
  const RowMarks& marks() const { return marks_; }
  /// Name of a column of the model's table; its number where there is none.
  std::string column_name(Index column) const;
  /// The column of this name or number (from 1). Throws M216.
  Index column(std::string_view name) const;

  /// A figure of the report; null where there is none.
  const Value& figure(std::string_view name) const;
  /// A vector for each score column: how the columns of the table move with it (loadings). Empty
  /// where the model has none, or no linear ones.
  const Block& loadings() const;
  const std::vector<Index>& image_shape() const;
  const Context& context() const { return context_; }

 private:
  Block linear_loadings() const;

  const Model& model_;
  std::optional<PlotTable> table_;
  const Context& context_;
  RowMarks marks_;
  mutable std::optional<Block> scores_, loadings_;
  mutable std::optional<Dataset> rows_;
  mutable std::optional<bool> of_training_;
};

/// Throws M717: what is wanted of the rows cannot be had of the model alone.
[[noreturn]] void refuse_without_table(const Model& model, std::string_view wanted);

}  // namespace mercer::plot
