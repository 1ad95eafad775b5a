// How to read a table, as people write it: words that are described once and turned into
// ReadOptions. The command line, JSON and other languages give these.
#pragma once

#include "mercer/io/table.h"

#include <string>
#include <vector>

namespace mercer {

/// How the text of a table is written.
struct TextWords {
  std::string format, delimiter, decimal, thousands, header, skip = "0";
  std::vector<std::string> na;

  template <class Fields>
  void describe(Fields& field) {
    field("format", format, "format of the table, instead of finding out (mercer list formats)",
          "NAME");
    field("delimiter", delimiter, "character between cells: one character, tab or space", "CHAR");
    field("decimal", decimal, "decimal mark: . or ,", "CHAR");
    field("thousands", thousands, "character that groups digits", "CHAR");
    field("header", header, "whether the first row names the columns", "yes|no");
    field("na", na, "text that means a missing value (repeatable)", "TEXT");
    field("skip", skip, "lines to skip at the top", "N");
  }
};

/// Which columns and rows are used, and as what.
struct ColumnWords {
  std::vector<std::string> columns, drop, targets;
  std::vector<std::string> encode;
  std::string label, missing, encode_unknown = "error";

  template <class Fields>
  void describe(Fields& field) {
    field("columns", columns,
          "columns to use: names, numbers, ranges 3-7, patterns x_* (comma-separated, repeatable)",
          "COLS");
    field("drop", drop, "columns to leave out, named likewise (comma-separated, repeatable)",
          "COLS");
    field("encode", encode,
          "text columns as numbers: onehot, ordinal, frequency or date (date-dmy, date-mdy), each "
          "with "
          ":COLS or for those that would be set aside",
          "HOW[:COLS]");
    field("encode-unknown", encode_unknown,
          "texts that a model does not know; zero: none of the known ones", "error|zero");
    field("label", label, "column that holds the classes; none: no column does", "COL");
    field("missing", missing,
          "rows with missing values (default: error; with a model, as it was fitted)",
          "error|drop|keep|mean|median|model");
  }
  /// For commands that learn or judge.
  template <class Fields>
  void describe_targets(Fields& field) {
    field("target", targets, "columns to predict, named likewise (comma-separated, repeatable)",
          "COLS");
  }
};

struct ReadWords {
  TextWords text;
  ColumnWords columns;
  bool images = false;
  std::string first_index, rejects;

  template <class Fields>
  void describe(Fields& field) {
    text.describe(field);
    columns.describe(field);
    field("images", images, "flatten arrays of more than two dimensions");
    field("first-index", first_index, "LibSVM: where indices begin (default: 1 unless a 0 occurs)",
          "0|1");
    field("rejects", rejects, "file for rows that cannot be read, which are then left out (CSV)",
          "FILE");
  }
  /// Throws M102 for words that make no sense.
  ReadOptions options() const;
};

}  // namespace mercer
