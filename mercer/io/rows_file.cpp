#include "mercer/io/rows_file.h"

#include "mercer/core/text.h"
#include "mercer/io/atomic_file.h"
#include "mercer/io/detail/compression.h"
#include "mercer/io/detail/csv/cells.h"
#include "mercer/io/detail/whole_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace mercer {
namespace {

constexpr std::string_view kArray = ".npy", kRowsFile = ".rows.csv";

bool has_texts(const WriteOptions& options) {
  return (options.ids != nullptr && !options.ids->empty()) ||
         (options.labels != nullptr && !options.labels->empty()) ||
         (options.texts != nullptr &&
          std::ranges::any_of(*options.texts, [](const auto& column) { return !column.classes; }));
}

bool ends_with_any_case(std::string_view text, std::string_view end) {
  return text.size() > end.size() &&
         std::equal(
             end.begin(), end.end(), text.end() - static_cast<std::ptrdiff_t>(end.size()),
             [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

// By its first cell, which no other file of that name is likely to have.
bool tells_of_rows(const std::string& path) {
  constexpr std::string_view kStart = detail::kRowNumbers;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return false;
  std::ifstream file(path, std::ios::binary);
  std::array<char, kStart.size() + 1> head = {};
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (static_cast<std::size_t>(file.gcount()) != head.size()) return false;
  const char next = head.back();
  return std::string_view(head.data(), kStart.size()) == kStart && (next == ',' || next == '\n');
}

bool is_there(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::exists(std::filesystem::status(path, unknown));
}

}  // namespace

std::string rows_file_of(const std::string& output) {
  std::string_view name = output;
  if (const std::size_t dot = name.rfind('.');
      dot != name.npos && !detail::compression_of_extension(name.substr(dot)).empty())
    name = name.substr(0, dot);
  if (!ends_with_any_case(name, kArray)) return {};
  std::error_code unknown;
  const auto status = std::filesystem::status(output, unknown);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return {};
  return std::string(name.substr(0, name.size() - kArray.size())).append(kRowsFile);
}

std::string rows_file_of(const std::string& output, const WriteOptions& options) {
  return options.rows_file && has_texts(options) ? rows_file_of(output) : std::string();
}

void check_rows_file(const std::string& path) {
  if (path.empty() || !is_there(path) || tells_of_rows(path)) return;
  throw Error(ErrorCode::would_overwrite,
              fmt::format("{} exists, and is not a table of row names; an array keeps the names "
                          "and classes of its rows there",
                          printable(path)),
              "name another output, or move that file");
}

namespace detail {

void write_rows_file(const std::string& path, Index n, const WriteOptions& options) {
  if (!has_texts(options)) {
    std::error_code ignored;
    if (tells_of_rows(path)) std::filesystem::remove(path, ignored);
    return;
  }
  check_rows_file(path);
  const bool named = options.ids != nullptr && !options.ids->empty();
  std::vector<const Labels*> columns;
  if (options.texts != nullptr)
    for (const TextOfRows& column : *options.texts)
      if (!column.classes) columns.push_back(&column.texts);
  if (options.labels != nullptr && !options.labels->empty()) columns.push_back(options.labels);
  AtomicFile file(path);
  BufferedSink out(file);
  out.text = kRowNumbers;
  for (const Labels* column : columns) {
    out.text += ',';
    append_cell(out.text, column->name.empty() ? "label" : column->name, ',');
  }
  out.text += '\n';
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    append_cell(out.text, named ? (*options.ids)[i] : fmt::format("{}", i + 1), ',');
    for (const Labels* column : columns) {
      out.text += ',';
      append_cell(out.text, column->classes[static_cast<std::size_t>(column->of_row[i])], ',');
    }
    out.text += '\n';
    out.flush_if_long();
  }
  out.flush();
  file.commit();
}

}  // namespace detail
}  // namespace mercer
