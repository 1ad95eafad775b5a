// Tables: read by content and extension, written by extension. Every guess a reader makes is a Note
// that names the option which overrides it; the program prints them.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/error.h"
#include "mercer/data/column_use.h"
#include "mercer/data/dataset.h"
#include "mercer/io/sink.h"
#include "mercer/io/source.h"
#include "mercer/io/table_rows.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mercer {

namespace detail {
struct RowLayout;
}

/// How the text of a table is written; what is not given is found from the content.
struct TextOptions {
  std::optional<char> delimiter = {};  // one of , ; tab | space
  std::optional<char> decimal = {};    // '.' or ','
  std::optional<char> thousands = {};  // one character, dropped inside numbers
  std::optional<bool> header = {};
  std::vector<std::string> na = {};  // texts that mean "missing", besides the usual ones
  Index skip = 0;                    // lines to skip at the top
};

/// What a model, or a table that was read before, knows of its columns.
struct KnownColumns {
  std::vector<std::string> names = {};  // measurements: never labels by their names. A table with
                                        // all of them gives these, what else it has is ignored
  std::vector<Index> places = {};       // the same in a table of `width` columns without names
  Index width = 0;
  std::vector<std::string> targets = {};  // taken out of the data; they become Table::targets where
                                          // no others are named
  std::string label = {}, ids = {};  // hold classes and row names, where there are such columns
  bool named_rows = false;           // the rows of that table have names
  std::string same_as = {};  // a table that is read as one with this: nothing is ignored (M280)
  std::vector<std::string> aside = {};  // but what is no measurement in that one
  bool any_aside = false;               // there are more of those than are listed
  std::vector<Encoding> encoded = {};   // texts became numbers so, and do it again
  bool keep_targets = false;            // rows without a target stay: somebody wants to predict it
  bool keep_empty = false;  // a column without any value is one of missing ones, not left out
  std::optional<Index> first_index = {};  // LibSVM: where the indices of that table began
};

/// Columns of texts that are to become numbers.
struct EncodeColumns {
  std::string as;                         // onehot, ordinal, frequency, date, date-dmy or date-mdy
  std::vector<std::string> columns = {};  // empty: those that would be set aside
};

/// Which columns are used, and as what: names, patterns such as pixel_*, numbers counted from 1, or
/// ranges of numbers and names such as 3-7.
struct ColumnOptions {
  std::vector<std::string> only = {};     // keep these; empty: all
  std::vector<std::string> drop = {};     // leave these out
  std::string label = {};                 // holds the classes; "none": no column does
  std::vector<std::string> targets = {};  // to predict: they become Table::targets
  KnownColumns known = {};
  std::vector<EncodeColumns> encode = {};
  bool keep_texts = false;        // columns of text that are set aside go to Table::texts
  bool unknown_is_zero = false;   // a text that a model does not know is none of those it knows
  std::string missing = "error";  // error, drop, keep, mean, median, model
  bool missing_given = false;  // somebody asked for that; else a model's policy may take its place
};

/// How to read a table; what is not given is found from the content.
struct ReadOptions {
  std::string format = {};  // name of a format of the catalogue; empty: by content
  TextOptions text = {};
  ColumnOptions columns = {};
  bool images = false;                    // flatten arrays of more than two dimensions
  std::optional<Index> first_index = {};  // LibSVM: where indices count from, 0 or 1
  std::string member = {};   // which array of an archive; read_table finds it in FILE.npz:NAME
  std::string pairs = {};    // kernel, distance or squared-distance: a matrix of pairs, of which a
                             // text may hold the lower triangle alone; empty: a table
  std::string rejects = {};  // file for rows that cannot be read; empty: they are errors
  bool of_another = false;   // options of a table beside this one, which may have other ones
};

/// Something the reader decided or found: text, and the flag that changes it ("" where there is
/// none).
struct Note {
  std::string text;
  std::string flag;
};

/// A column of text that is no row names; where it is the classes, it tells their place only.
struct TextOfRows {
  Labels texts;
  Index before = 0;  // how many columns of numbers stand before it
  bool classes = false;
};

/// What was done about missing values and rows that cannot be read.
struct Gaps {
  Index rows_rejected = 0;  // written to the rejects file
  Index rows_dropped = 0;   // by missing = drop
  Index cells_filled = 0;   // by missing = mean or median
  Vector fill = {};         // missing = mean or median: the figure of each column
};

struct Table {
  Dataset data;
  Dataset targets = {};        // the columns that were named as targets, out of the data
  std::string format;          // as in the catalogue: "csv", "npy"
  bool named_columns = false;  // whether the names come from the file
  std::vector<Note> notes;
  std::vector<std::string> flags;  // options that read the same again without guessing
  Warnings warnings;
  Gaps gaps = {};
  std::optional<Index> first_index;  // LibSVM: where its indices begin
  std::string ids_name;              // of the column of row names, may be empty
  std::vector<TextOfRows> texts;     // with ColumnOptions::keep_texts, from CSV
  std::vector<Index> image_shape;    // height, width (and channels) where rows are images
  ColumnUse use = {};
};

/// Reads a table from a file, or from standard input for "-". Sizes are checked before allocation,
/// against the file and against the memory that is left on the context's account (M301), where the
/// table's data stay counted (Dataset::held_bytes). Reading stops when the context says so (M001,
/// M303), also while it waits for a pipe.
Table read_table(const std::string& path, const ReadOptions& options = {},
                 const Context& context = {});

/// The files that read_table would read: the table's own, and what its format finds by itself, such
/// as the labels beside IDX images or the images of a folder. A pipe is not looked into.
std::vector<std::string> files_of_table(const std::string& path, const ReadOptions& options);

/// The same for a source that is open already and at its beginning.
Table read_source(Source& source, const ReadOptions& options, const Context& context);

/// What to do about missing targets, which are never filled in.
constexpr std::string_view kGapsInTargets =
    "skip those rows with --missing drop: targets are not filled in";

/// Takes the targets out of the data: those that are named (Table::use tells where they stand), or
/// those that a model knows, which are taken out in any case. Throws M216.
void take_targets(Table& table, const ColumnOptions& columns);

/// Treats missing values of a table whose targets were split off: of the data as columns.missing
/// says; a row without a target is left out (drop) or refused (M212) unless known.keep_targets.
void treat_gaps(Table& table, const ColumnOptions& columns, const Context& context);

/// What to write beside the numbers.
struct WriteOptions {
  std::vector<std::string> column_names = {};     // header; empty: none
  const std::vector<std::string>* ids = nullptr;  // written as a first text column, likewise
  std::string ids_name = {};                      // of that column; empty: id
  const Labels* labels = nullptr;  // written as a last text column where the format allows
  const std::vector<TextOfRows>* texts = nullptr;  // written between the others, likewise
  std::string format = {};                         // empty: by extension; required for "-"
  bool rows_file = false;  // where the format has no place for texts: in a file beside it
};

/// Writes a table piece by piece, and atomically (temporary name, sync, rename); "-" is standard
/// output, as CSV unless told. Missing values are empty cells of a text.
void write_table(const std::string& path, TableRows rows, const WriteOptions& options = {});

/// Throws what write_table would throw for the name alone (M402, M404, M406, M412), so that a long
/// computation need not come first.
void check_table_output(const std::string& path);

/// Whether a file is there that holds something else than a table.
bool holds_no_table(const std::string& path);

/// The name of the format that the path ends in, where no model would be called so; else empty.
std::string_view format_named_by(const std::string& path);

/// One entry of the catalogue io/format/: the member file defines `const TableFormat&
/// <name>_format()`.
struct TableFormat {
  std::string_view name;
  std::string_view summary;
  std::vector<std::string_view> extensions;  // with the dot, lower case
  /// Whether content that begins with these bytes is of this format.
  bool (*recognise)(std::string_view head);
  /// Reads the table; the source is at its beginning.
  Table (*read)(Source&, const ReadOptions&, const Context&);
  /// Writes the table in pieces; null where the format can only be read.
  void (*write)(TableRows&, const WriteOptions&, Sink&);
  /// Files that are read besides the one that was named; null where there are none.
  std::vector<std::string> (*also_reads)(const std::string& path, const ReadOptions&) = nullptr;
  /// Where the rows stand in a file of so many bytes that begins with these; null where they must
  /// be read as a whole.
  detail::RowLayout (*layout)(std::string_view head, std::uint64_t size, const ReadOptions&,
                              const std::string& file) = nullptr;
  /// Options of ReadWords that not every format has, and this one has.
  std::vector<std::string_view> takes = {};
};

/// Throws M102 for an option that has no meaning in this format, unless it is of_another: nothing
/// that was asked is ignored.
void check_options_of(const TableFormat& format, const ReadOptions& options,
                      const std::string& file);

/// The format of an open file, by option, content and name; null for a folder of no pictures.
const TableFormat* format_of(Source& source, const ReadOptions& options);

/// What the format writes, as one text.
std::string table_text(const TableFormat& format, TableRows rows, const WriteOptions& options);

/// All formats, in the order of their names.
std::vector<const TableFormat*> table_formats();

}  // namespace mercer
