// Text tables: comma, semicolon, tab, bar or space between the cells. Writing gives the shortest
// digits that read back as the same number.
#include "mercer/core/check.h"
#include "mercer/io/detail/csv/cells.h"
#include "mercer/io/detail/csv/table.h"
#include "mercer/io/detail/csv/triangle.h"
#include "mercer/io/detail/file_kind.h"
#include "mercer/io/table.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace mercer {

const TableFormat& csv_format();

namespace csv_file {
namespace {

// Rows that grow by a cell are no table; what is said of them leads to what they are.
Table read_csv(Source& source, const ReadOptions& options, const Context& context) {
  if (!options.pairs.empty() && detail::begins_a_triangle(source.head(), options.text))
    return detail::read_triangle(source, options, context);
  const std::string head(source.head());
  try {
    return detail::read_text_table(source, options, context);
  } catch (const Error& error) {
    const ErrorCode code = error.code();
    const bool of_cells = code == ErrorCode::ragged_row || code == ErrorCode::nothing_numeric ||
                          code == ErrorCode::missing_values;
    if (!of_cells || !options.pairs.empty() || !detail::begins_a_triangle(head, options.text))
      throw;
    const std::string triangle =
        "is it the lower triangle of a matrix of distances? mercer fit reads it with --as distance";
    // A table with gaps in the right places may be a table all the same.
    const bool gaps = code == ErrorCode::missing_values && !error.hint().empty();
    throw Error(code, error.message(), gaps ? error.hint() + "; or " + triangle : triangle,
                error.place());
  }
}

// Cells of a table on their way to the sink.
class CsvWriter {
 public:
  CsvWriter(const TableRows& rows, const WriteOptions& options, Sink& sink)
      : options_(options),
        out_(sink),
        delimiter_(options.format == "tsv" || options.format == "tab" ? '\t' : ','),
        ids_(options.ids != nullptr && !options.ids->empty()),
        // A table without classes may come with empty ones.
        labels_(options.labels && !options.labels->empty() ? options.labels : nullptr),
        row_(static_cast<std::size_t>(rows.dim())) {
    MERCER_ASSERT(options.column_names.empty() ||
                  static_cast<Index>(options.column_names.size()) == rows.dim());
    MERCER_ASSERT(!labels_ || static_cast<Index>(labels_->of_row.size()) == rows.n());
    if (options.texts != nullptr)
      for (const TextOfRows& column : *options.texts) {
        if (column.classes && labels_ == nullptr) continue;
        texts_.push_back(&column);
        labels_are_last_ = labels_are_last_ && !column.classes;
      }
    std::ranges::stable_sort(texts_, {}, &TextOfRows::before);
    MERCER_ASSERT(!ids_ || static_cast<Index>(options.ids->size()) == rows.n());
  }

  void header() {
    if (options_.column_names.empty()) return;
    if (ids_) {
      cell(options_.ids_name.empty() ? "id" : options_.ids_name);
      out_.text += delimiter_;
    }
    const auto title = [](const Labels& column) -> std::string_view {
      return column.name.empty() ? "label" : std::string_view(column.name);
    };
    between(title, [&](std::size_t j) { cell(options_.column_names[j]); });
    if (labels_ && labels_are_last_) {
      out_.text += delimiter_;
      cell(title(*labels_));
    }
    end_row();
  }

  void rows(DataView block) {
    for (Index i = 0; i < block.n(); ++i, ++next_) {
      block.copy_row(i, row_.data());
      if (ids_) {
        cell((*options_.ids)[next_]);
        out_.text += delimiter_;
      }
      block.visit([&](const auto* type) { numbers(type); });
      if (labels_ && labels_are_last_) {
        if (block.dim() > 0 || !texts_.empty()) out_.text += delimiter_;
        cell(text_of(*labels_));
      }
      end_row();
    }
  }

  void finish() { out_.flush(); }

 private:
  // Columns of numbers, with those of text in their places.
  template <class Text, class Number>
  void between(const Text& text, const Number& number) {
    auto next = texts_.begin();
    bool first = true;
    const auto begin_cell = [&] {
      if (!first) out_.text += delimiter_;
      first = false;
    };
    for (std::size_t j = 0; j <= row_.size(); ++j) {
      const auto here = [&](const TextOfRows& column) {
        return j == row_.size() || static_cast<std::size_t>(column.before) <= j;
      };
      for (; next != texts_.end() && here(**next); ++next) {
        begin_cell();
        cell(text((*next)->classes ? *labels_ : (*next)->texts));
      }
      if (j == row_.size()) break;
      begin_cell();
      number(j);
    }
  }

  std::string_view text_of(const Labels& column) const {
    return column.classes[static_cast<std::size_t>(column.of_row[next_])];
  }

  void cell(std::string_view text) {
    detail::append_cell(out_.text, text, delimiter_);
    out_.flush_if_long();
  }

  // Back in the type they came from: a float has fewer digits than the double it was copied to. A
  // missing value is an empty cell, unless the line would be empty: many readers pass over that.
  template <class T>
  void numbers(const T*) {
    const auto text = [&](const Labels& column) { return text_of(column); };
    between(text, [&](std::size_t j) {
      if (std::isnan(row_[j]))
        out_.text += row_.size() == 1 && !ids_ && !labels_ && texts_.empty() ? "NaN" : "";
      else
        fmt::format_to(std::back_inserter(out_.text), FMT_COMPILE("{}"), static_cast<T>(row_[j]));
      out_.flush_if_long();
    });
  }

  void end_row() {
    out_.text += '\n';
    out_.flush_if_long();
  }

  const WriteOptions& options_;
  BufferedSink out_;
  char delimiter_;
  bool ids_;
  const Labels* labels_;
  bool labels_are_last_ = true;
  std::vector<const TextOfRows*> texts_;  // in the order of their places
  std::vector<double> row_;
  std::size_t next_ = 0;  // row of the table
};

void write_csv(TableRows& rows, const WriteOptions& options, Sink& sink) {
  CsvWriter writer(rows, options, sink);
  writer.header();
  rows.each_block([&](DataView block) { writer.rows(block); });
  writer.finish();
}

}  // namespace
}  // namespace csv_file

const TableFormat& csv_format() {
  using namespace csv_file;
  static const TableFormat kFormat{
      .name = "csv",
      .summary = "text with commas, semicolons, tabs, bars or spaces",
      .extensions = {".csv", ".tsv", ".tab", ".txt", ".dat"},
      .recognise = detail::looks_like_text,
      .read = read_csv,
      .write = write_csv,
      .takes = {"delimiter", "decimal", "thousands", "header", "na", "skip", "encode", "rejects"},
  };
  return kFormat;
}

}  // namespace mercer
