#include "mercer/io/table.h"

#include "mercer/core/text.h"
#include "mercer/io/atomic_file.h"
#include "mercer/io/detail/compression.h"
#include "mercer/io/detail/image_list.h"
#include "mercer/io/detail/whole_table.h"
#include "mercer/io/rows_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace mercer {

#define MERCER_ENTRY(name, Type) const TableFormat& name##_format();
#include "mercer/io/catalog.def"
#undef MERCER_ENTRY

namespace {

constexpr std::size_t kHead = 4096;  // bytes by which formats are recognised

std::string last_extension(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  const std::size_t slash = path.rfind('/');
  if (dot == path.npos || (slash != path.npos && dot < slash)) return {};
  std::string extension(path.substr(dot));
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return extension;
}

std::string_view compression_in(std::string_view path) {
  return detail::compression_of_extension(last_extension(path));
}

// The extension that names the format: .csv for both x.csv and x.csv.gz.
std::string lower_extension(std::string_view path) {
  std::string extension = last_extension(path);
  if (compression_in(path).empty()) return extension;
  return last_extension(path.substr(0, path.size() - extension.size()));
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

bool says_little(std::string_view extension) { return extension == ".txt" || extension == ".dat"; }

// The format of the extension where the content allows it; otherwise the first that recognises the
// content, csv last since it takes any text. What nobody recognises goes to the extension's reader,
// which says why.
const TableFormat& by_content(std::string_view head, const TableFormat* named,
                              std::string_view extension) {
  if (named && !says_little(extension) && named->recognise(head)) return *named;
  const TableFormat* any_text = nullptr;
  for (const TableFormat* format : table_formats()) {
    if (format->name == "csv") any_text = format;
    if (format->name != "csv" && format->recognise(head)) return *format;
  }
  if (named && !any_text->recognise(head)) return *named;
  return *any_text;
}

// A folder of pictures is a table, another one is a mistake that reading it tells.
const TableFormat* for_folder(const std::string& folder) {
  Index left_out = 0;
  for (const TableFormat* format : table_formats())
    if (format->name == "image_folder" && !detail::list_images(folder, left_out).empty())
      return format;
  return nullptr;
}

// FILE.npz:NAME, where no file is called so.
void split_member(std::string& path, ReadOptions& options) {
  constexpr std::string_view kMark = ".npz:";
  const std::size_t mark = path.rfind(kMark);
  std::error_code error;
  if (mark == path.npos || std::filesystem::exists(path, error)) return;
  options.member = path.substr(mark + kMark.size());
  path.resize(mark + kMark.size() - 1);
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
  if (const std::string_view packed = compression_in(path);
      !packed.empty() && !detail::can_compress(packed))
    throw Error(ErrorCode::unknown_format, fmt::format("no table is written as {}", packed),
                "end the name in .gz or .zst, or compress the file afterwards", printable(path));
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
              "end the name in one of" + known, printable(path));
}

}  // namespace

std::vector<const TableFormat*> table_formats() {
  return {
#define MERCER_ENTRY(name, Type) &name##_format(),
#include "mercer/io/catalog.def"
#undef MERCER_ENTRY
  };
}

Table read_table(const std::string& asked_path, const ReadOptions& asked, const Context& context) {
  std::string path = asked_path;
  ReadOptions options = asked;
  // A wrong name is said before a long read.
  if (!options.format.empty()) by_name(options.format);
  split_member(path, options);
  Source source(path, context);
  return read_source(source, options, context);
}

const TableFormat* format_of(Source& source, const ReadOptions& options) {
  if (!options.format.empty()) return &by_name(options.format);
  if (source.is_folder()) return for_folder(source.path());
  const std::string extension = lower_extension(source.path());
  return &by_content(source.head().substr(0, kHead), by_extension(extension), extension);
}

std::vector<std::string> files_of_table(const std::string& asked_path, const ReadOptions& asked) {
  std::string path = asked_path;
  ReadOptions options = asked;
  split_member(path, options);
  std::vector<std::string> files = {path};
  if (path == "-" || is_stream(path)) return files;
  try {
    const Context context;  // only the first bytes are looked at
    Source source(path, context);
    const TableFormat* format = format_of(source, options);
    if (format == nullptr || format->also_reads == nullptr) return files;
    for (std::string& file : format->also_reads(path, options)) files.push_back(std::move(file));
  } catch (const Error&) {  // reading the table says what is wrong with it
  }
  return files;
}

namespace {

Table read_found(Source& source, const ReadOptions& options, const Context& context) {
  const std::string& path = source.path();
  const TableFormat* forced = options.format.empty() ? nullptr : &by_name(options.format);
  if (source.is_folder() && !forced) forced = for_folder(path);
  if (source.is_folder() && !forced)
    throw Error(ErrorCode::is_a_directory, "is a directory without images",
                "name a file, or a folder that holds .png or .pgm files", source.name());
  const std::string_view head = source.head().substr(0, kHead);
  if (head.empty() && !source.is_folder())
    throw Error(ErrorCode::empty_file, "the file is empty", "give a file with rows of numbers",
                source.name());
  if (forced) {
    check_options_of(*forced, options, source.name());
    Table table = forced->read(source, options, context);
    if (table.flags.empty()) table.flags = {"--format", std::string(forced->name)};
    return table;
  }

  const std::string extension = path == "-" ? std::string() : lower_extension(path);
  const TableFormat* named = by_extension(extension);
  const TableFormat& found = by_content(head, named, extension);
  check_options_of(found, options, source.name());
  Table table = found.read(source, options, context);
  if (table.flags.empty()) table.flags = {"--format", std::string(found.name)};
  if (named && named != &found)
    table.notes.push_back({fmt::format("the content is {}, although the name ends in {}",
                                       found.name, printable(extension)),
                           "--format"});
  return table;
}

}  // namespace

namespace {

void finish_gaps(Table& table, const ColumnOptions& columns, const std::string& file,
                 const Context& context) {
  try {
    treat_gaps(table, columns, context);
  } catch (const Error& error) {
    throw error.at(file);
  }
}

}  // namespace

// What a reader counts for itself ends with it; what it gives back is counted here.
Table read_source(Source& source, const ReadOptions& options, const Context& asked) {
  Context context = asked;
  context.account = source.context().account;
  try {
    Table table = read_found(source, options, context);
    take_targets(table, options.columns);
    if (detail::treats_gaps_later(options.columns))
      finish_gaps(table, options.columns, source.name(), context);
    std::ranges::sort(table.use.set_aside, {}, &SetAside::column);
    table.data.hold(context);
    return table;
  } catch (const Error& error) {
    const bool lacks_place = error.code() == ErrorCode::over_memory && error.place().empty();
    if (!lacks_place) throw;
    throw error.at(source.name());
  }
}

void write_table(const std::string& path, TableRows rows, const WriteOptions& asked) {
  WriteOptions options = asked;
  const TableFormat& format = format_to_write(path, options);
  if (path == "-") {
    rows.collect_if_small();  // an error on the way then leaves no half table
    StandardOutput out;
    format.write(rows, options, out);
    return out.flush();
  }
  AtomicFile file(path);
  if (const auto compression = compression_in(path); !compression.empty()) {
    const std::unique_ptr<detail::Compressor> packed = detail::compressor(file, compression);
    format.write(rows, options, *packed);
    packed->finish();
  } else {
    format.write(rows, options, file);
  }
  file.commit();
  const std::string beside = options.rows_file ? rows_file_of(path) : "";
  if (!beside.empty()) detail::write_rows_file(beside, rows.n(), options);
}

std::string table_text(const TableFormat& format, TableRows rows, const WriteOptions& options) {
  TextSink sink;
  format.write(rows, options, sink);
  return std::move(sink.text);
}

void check_table_output(const std::string& path) {
  WriteOptions options;
  format_to_write(path, options);
  if (path != "-") check_can_write(path);
}

bool holds_no_table(const std::string& path) {
  std::error_code unknown;
  if (path == "-" || !std::filesystem::is_regular_file(path, unknown)) return false;
  try {
    const Context context;  // only the first bytes are looked at
    Source source(path, context);
    const std::string_view head = source.head().substr(0, kHead);
    return !head.empty() && std::ranges::none_of(table_formats(), [&](const TableFormat* format) {
      return format->recognise(head);
    });
  } catch (const Error&) {  // what cannot be read cannot be known to be something else
    return false;
  }
}

std::string_view format_named_by(const std::string& path) {
  const std::string extension = lower_extension(path);
  const TableFormat* format = by_extension(extension);
  return format == nullptr || says_little(extension) ? std::string_view() : format->name;
}

}  // namespace mercer
