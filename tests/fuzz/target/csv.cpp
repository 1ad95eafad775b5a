// Text tables with options; what is read is written with its names, and read again.
#include "mercer/io/detail/file_kind.h"
#include "tests/fuzz/target.h"

namespace mercer::fuzz {
namespace {

ReadOptions text_options(Input& input) {
  static const std::optional<char> kDelimiters[] = {{}, ',', ';', '\t', '|', ' ', 'x', '"'};
  static const std::optional<char> kMarks[] = {{}, '.', ',', '\''};
  static const std::optional<bool> kHeaders[] = {{}, true, false};
  static const char* const kMissing[] = {"error", "drop", "mean", "median"};
  static const char* const kLabels[] = {"", "none", "1", "2", "species", "-1"};
  ReadOptions options;
  options.text.delimiter = kDelimiters[input.choice(8)];
  options.text.decimal = kMarks[input.choice(3)];
  options.text.thousands = kMarks[input.choice(4)];
  options.text.header = kHeaders[input.choice(3)];
  options.columns.missing = kMissing[input.choice(4)];
  options.columns.label = kLabels[input.choice(6)];
  options.text.skip = static_cast<Index>(input.choice(4));
  const std::size_t bits = input.choice(256);
  if (bits & 1) options.columns.only = {"1", "3"};
  if (bits & 2) options.columns.only = {"a", "b"};
  if (bits & 4) options.columns.drop = {"2"};
  if (bits & 8) options.text.na = {"-", "?"};
  if (bits & 16) options.rejects = "/dev/null";
  if (bits & 32) options.columns.known.label = "2";
  if (bits & 64) options.format = "tsv";
  if (bits & 128) options.pairs = bits & 64 ? "kernel" : "distance";
  return options;
}

// Names survive too: quotes, blanks and line ends inside them are the writer's task.
void check_names(const Table& table) {
  if (!table.named_columns || table.data.n() * table.data.dim() > 4096) return;
  // Readers drop a comment or byte order mark before the names, every time.
  const std::string& first = table.data.column_names[0];
  if (first.starts_with('#') || first.starts_with("\xEF\xBB\xBF")) return;
  WriteOptions options;
  options.column_names = table.data.column_names;
  const std::string written = table_text(format_of("csv"), table.data, options);
  if (!detail::looks_like_text(written.substr(0, 4096))) return;  // a first column called GIF89a
  Source source(written, "written", small_context().budget.memory);
  ReadOptions plain;
  plain.text.delimiter = ',';
  plain.text.decimal = '.';
  plain.text.header = true;
  plain.columns.label = "none";
  const Table again = format_of("csv").read(source, plain, small_context());
  expect_same_numbers(table.data, again.data);
  expect(again.data.column_names == table.data.column_names, "names written and read are the same");
}

}  // namespace
}  // namespace mercer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mercer::fuzz;
  Input input(data, size);
  const mercer::ReadOptions options = text_options(input);
  mercer::Source source(input.rest(), "input", small_context().budget.memory);
  mercer::Table table;
  try {
    table = format_of("csv").read(source, options, small_context());
  } catch (const mercer::Error&) {
    return 0;
  }
  check_table(table);
  check_round_trip(table, "csv");
  check_names(table);
  return 0;
}
