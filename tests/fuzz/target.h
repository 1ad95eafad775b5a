// What the fuzz targets share. A target takes any bytes; mercer::Error is a good answer to bad
// ones, and any other exception, a broken promise, a sanitizer's report or a long run is a finding.
// The first bytes of an input choose options, the rest is the content.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/io/table.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace mercer::fuzz {

/// Little memory, so that a reader that believes a header is noticed; one thread, so that an input
/// always does the same.
inline Context small_context() {
  Context context;
  context.budget.memory = std::uint64_t{8} << 20;
  context.budget.threads = 1;
  return context;
}

/// A promise of the library that any input must leave standing.
inline void expect(bool holds, const char* promise) {
  if (!holds) throw std::logic_error(std::string("broken promise: ") + promise);
}

/// Takes options off the front of an input; zeros when it has ended.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}

  /// A number from 0 to count - 1.
  std::size_t choice(std::size_t count) {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return byte % count;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// What every table that was read must be.
inline void check_table(const Table& table) {
  const Dataset& data = table.data;
  const auto counts = [](const auto& list, Index count) {
    return list.empty() || static_cast<Index>(list.size()) == count;
  };
  expect(data.n() > 0 && data.dim() > 0, "a table has rows and columns");
  expect(counts(data.column_names, data.dim()), "a name for each column, or none");
  expect(counts(data.ids, data.n()), "an id for each row, or none");
  expect(counts(data.labels.of_row, data.n()), "a class for each row, or none");
  for (const Index label : data.labels.of_row)
    expect(label >= 0 && label < static_cast<Index>(data.labels.classes.size()),
           "a row's class is one of the classes");
  const DataView view = data.view();
  if (!view.sparse()) {
    for (Index i = 0; i < view.n(); ++i)
      for (Index j = 0; j < view.dim(); ++j) expect(std::isfinite(view.at(i, j)), "finite numbers");
    return;
  }
  for (Index i = 0; i < view.n(); ++i) {
    const SparseRow row = view.sparse_row(i);
    for (Index k = 0; k < row.count; ++k) {
      expect(std::isfinite(row.values[k]), "finite numbers");
      expect(row.columns[k] >= 0 && row.columns[k] < view.dim(), "columns within the table");
      expect(k == 0 || row.columns[k - 1] < row.columns[k], "columns rise");
    }
  }
}

/// Equal as numbers of the type they came in: text has no more digits than that needs.
inline void expect_same_numbers(DataView a, DataView b) {
  expect(a.n() == b.n() && a.dim() == b.dim(), "a table written and read has its size");
  for (Index i = 0; i < a.n(); ++i)
    for (Index j = 0; j < a.dim(); ++j) {
      const bool same = a.type() == Scalar::f32
                            ? static_cast<float>(a.at(i, j)) == static_cast<float>(b.at(i, j))
                            : a.at(i, j) == b.at(i, j);
      expect(same, "a table written and read has its numbers");
    }
}

inline const TableFormat& format_of(std::string_view name) {
  const auto formats = table_formats();
  return **std::find_if(formats.begin(), formats.end(),
                        [&](const TableFormat* format) { return format->name == name; });
}

/// Writes the numbers in a format and reads them again; large tables would only cost time.
inline void check_round_trip(const Table& table, std::string_view name) {
  if (table.data.n() * table.data.dim() > 4096) return;
  const TableFormat& format = format_of(name);
  const std::string written = table_text(format, table.data, {});
  Source source(written, "written", small_context().budget.memory);
  ReadOptions options;
  options.columns.label = "none";
  if (name == "csv") {
    options.text.header = false;
    options.text.delimiter = ',';
    options.text.decimal = '.';
  }
  const Table again = format.read(source, options, small_context());
  expect_same_numbers(table.data, again.data);
}

/// Reads the content by one format alone and checks what comes of it.
inline void read_and_check(std::string_view name, std::string_view content,
                           const ReadOptions& options) {
  Source source(content, "input", small_context().budget.memory);
  Table table;
  try {
    table = format_of(name).read(source, options, small_context());
  } catch (const Error&) {
    return;
  }
  check_table(table);
  check_round_trip(table, format_of(name).write != nullptr ? name : "npy");
}

/// The options that readers of binary formats know.
inline ReadOptions binary_options(Input& input) {
  const std::size_t bits = input.choice(256);
  static const char* const kMissing[] = {"error", "drop", "mean", "median"};
  ReadOptions options;
  options.columns.missing = kMissing[bits & 3];
  options.images = (bits & 4) != 0;
  if (bits & 8) options.columns.only = {"2", "1"};
  if (bits & 16) options.columns.drop = {"1"};
  if (bits & 32) options.columns.label = "1";
  if (bits & 64) options.columns.label = "none";
  return options;
}

}  // namespace mercer::fuzz
