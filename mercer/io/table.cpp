#include "mercer/io/table.h"

#include "mercer/core/text.h"
#include "mercer/io/atomic_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

namespace mercer {

#define MERCER_ENTRY(name, Type) const TableFormat& name##_format();
#include "mercer/io/catalog.def"
#undef MERCER_ENTRY

namespace {

constexpr std::size_t kHead = 4096;

std::string lower_extension(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  const std::size_t slash = path.rfind('/');
  if (dot == path.npos || (slash != path.npos && dot < slash)) return {};
  std::string extension = path.substr(dot);
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return extension;
}

const TableFormat* by_extension(const std::string& extension) {
  for (const TableFormat* format : table_formats())
    for (const std::string_view known : format->extensions)
      if (known == extension) return format;
  return nullptr;
}

// A format may also be called by one of its extensions: tsv is csv with tabs.
const TableFormat& by_name(const std::string& name) {
  std::vector<std::string> known;
  for (const TableFormat* format : table_formats()) {
    if (format->name == name) return *format;
    known.emplace_back(format->name);
  }
  if (const TableFormat* format = by_extension("." + name)) return *format;
  throw Error(ErrorCode::unknown_name,
              fmt::format("there is no table format \"{}\"", printable(name)),
              suggest(name, known, "formats"));
}

// The format of the extension where the content allows it; otherwise the first that recognises the
// content, csv last since it takes any text. What nobody recognises goes to the extension's reader,
// which says why.
const TableFormat& by_content(std::string_view head, const TableFormat* named) {
  if (named && named->recognise(head)) return *named;
  const TableFormat* any_text = nullptr;
  for (const TableFormat* format : table_formats()) {
    if (format->name == "csv") any_text = format;
    if (format->name != "csv" && format->recognise(head)) return *format;
  }
  if (named && !any_text->recognise(head)) return *named;
  return *any_text;
}

void write_to_stdout(std::string_view content) {
  const bool written = std::fwrite(content.data(), 1, content.size(), stdout) == content.size();
  if (!written || std::fflush(stdout) != 0)
    throw Error(ErrorCode::write_failed, "standard output cannot be written", "is the disk full?");
}

bool is_stream(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

const TableFormat& format_to_write(const std::string& path, WriteOptions& options) {
  if (options.format.empty() && path == "-") options.format = "csv";
  if (!options.format.empty()) return by_name(options.format);
  const std::string extension = lower_extension(path);
  // A device or pipe has no extension to choose a format by.
  if (extension.empty() && is_stream(path)) return by_name(options.format = "csv");
  const TableFormat* format = by_extension(extension);
  if (format && format->write) {
    options.format = extension.substr(1);
    return *format;
  }
  std::string known;
  for (const TableFormat* writable : table_formats())
    if (writable->write)
      for (const std::string_view one : writable->extensions) known += fmt::format(" {}", one);
  throw Error(ErrorCode::unknown_format,
              extension.empty()
                  ? "the output's name has no extension that names a format"
                  : fmt::format("no table can be written as {}", printable(extension)),
              "use one of" + known + ", or name the format", printable(path));
}

}  // namespace

std::vector<const TableFormat*> table_formats() {
  return {
#define MERCER_ENTRY(name, Type) &name##_format(),
#include "mercer/io/catalog.def"
#undef MERCER_ENTRY
  };
}

Table read_table(const std::string& path, const ReadOptions& options, const Context& context) {
  // A wrong name is said before a long read.
  const TableFormat* forced = options.format.empty() ? nullptr : &by_name(options.format);
  const std::string content = read_file(path, context.budget.memory);
  const std::string file = path == "-" ? "standard input" : printable(path);
  if (content.empty())
    throw Error(ErrorCode::empty_file, "the file is empty", "give a file with rows of numbers",
                file);
  if (forced) return forced->read(content, file, options, context);

  const std::string extension = path == "-" ? std::string() : lower_extension(path);
  const TableFormat* named = by_extension(extension);
  const TableFormat& found = by_content(std::string_view(content).substr(0, kHead), named);
  Table table = found.read(content, file, options, context);
  if (named && named != &found)
    table.notes.push_back({fmt::format("the content is {}, although the name ends in {}",
                                       found.name, printable(extension)),
                           "--format"});
  return table;
}

void write_table(const std::string& path, DataView table, const WriteOptions& asked) {
  WriteOptions options = asked;
  const TableFormat& format = format_to_write(path, options);
  const std::string content = format.write(table, options);
  if (path == "-") return write_to_stdout(content);
  const std::array<std::string_view, 1> parts = {content};
  write_file_atomically(path, parts);
}

void check_table_output(const std::string& path) {
  WriteOptions options;
  format_to_write(path, options);
  if (path != "-") check_can_write(path);
}

}  // namespace mercer
