// NPZ: a ZIP archive of NPY arrays, as numpy.savez writes it. What Mercer writes is a matrix x with
// the arrays of text labels, columns and ids beside it, and reads back as the same table.
#include "mercer/core/text.h"
#include "mercer/io/detail/column_choice.h"
#include "mercer/io/detail/file_kind.h"
#include "mercer/io/detail/finish_table.h"
#include "mercer/io/detail/numpy/npy_table.h"
#include "mercer/io/detail/numpy/npz_arrays.h"
#include "mercer/io/detail/numpy/scipy_sparse.h"
#include "mercer/io/detail/numpy/zip_archive.h"
#include "mercer/io/table.h"

#include <fmt/format.h>

namespace mercer {

const TableFormat& npy_format();
const TableFormat& npz_format();

namespace npz_file {
namespace {

using detail::NpzArray;
using detail::NpzChoice;

// An archive whose first member is an array; other kinds of ZIP files are not tables.
bool recognise(std::string_view head) {
  constexpr std::size_t kName = 30;  // where the name of the first member stands
  if (!head.starts_with("PK\x03\x04") || head.size() < kName) return false;
  const std::size_t length = static_cast<unsigned char>(head[26]) +
                             256 * static_cast<std::size_t>(static_cast<unsigned char>(head[27]));
  return head.substr(kName, length).ends_with(".npy");
}

std::string place_of(const NpzArray& array, const std::string& file) {
  return fmt::format("{}:{}", file, printable(array.name));
}

// A member's bytes, counted where they are unpacked, and where they lie then.
struct Unpacked {
  MemoryAccount::Hold hold;
  std::string store = {};
  std::string_view content = {};

  Unpacked(const NpzArray& array, const Context& context, const std::string& file)
      : hold(context.hold(array.entry.deflated ? array.entry.size : 0, "the unpacked arrays")) {
    content = detail::zip_content(array.entry, store, file, context);
  }
};

std::vector<std::string> texts_of(const NpzArray* array, const Context& context,
                                  const std::string& file) {
  if (!array) return {};
  const Unpacked member(*array, context, file);
  const std::string place = place_of(*array, file);
  return detail::npy_texts(member.content, detail::parse_npy_header(member.content, place, true),
                           place);
}

// Beside its bytes each text is an object; the content of the array is no less than its characters.
std::uint64_t bytes_of_texts(const NpzArray* array) {
  constexpr std::uint64_t kEach = sizeof(std::string) + 24;  // and the header of an allocation
  if (!array || array->header.shape.empty()) return 0;
  return array->entry.size + static_cast<std::uint64_t>(array->header.shape[0]) * kEach;
}

detail::Names names_of(const NpzChoice& choice, const Context& context, const std::string& file) {
  detail::Names names;
  names.columns = texts_of(choice.columns, context, file);
  names.ids = texts_of(choice.ids, context, file);
  if (choice.labels) {
    const auto classes = context.hold(bytes_of_texts(choice.labels), "the labels");
    std::string name = choice.labels->name;
    if (choice.label_name != nullptr) name = texts_of(choice.label_name, context, file).at(0);
    names.labels = Labels::from_texts(name, texts_of(choice.labels, context, file));
  }
  return names;
}

void tell(const NpzChoice& choice, Table& table) {
  const bool alone = !choice.labels && !choice.columns && !choice.ids;
  if (alone) return;
  std::string text = fmt::format("numbers from array {}", printable(choice.table->name));
  if (choice.labels) text += fmt::format(", labels from {}", printable(choice.labels->name));
  if (choice.columns) text += ", names of columns from columns";
  if (choice.ids) text += ", names of rows from ids";
  table.notes.push_back({text, choice.labels ? "--label" : ""});
}

Table read_npz(Source& source, const ReadOptions& asked, const Context& context) {
  const std::string& file = source.name();
  const std::string_view archive = source.all();
  if (const std::string_view kind = detail::file_kind(archive.substr(0, 512));
      !archive.starts_with("PK") && !kind.empty())
    throw Error(ErrorCode::bad_npz,
                fmt::format("this looks like {}, not like an NPZ archive", kind),
                "is it the right file?", file);
  const std::vector<NpzArray> arrays = detail::npz_arrays(archive, file, context);
  if (asked.member.empty() && detail::is_scipy_sparse(arrays))
    return detail::read_scipy_sparse(arrays, asked, context, file);
  NpzChoice choice = detail::choose_arrays(arrays, asked, file);
  const std::string place = place_of(*choice.table, file);
  if (choice.table->fault) throw choice.table->fault->at(place);
  ReadOptions options = asked;
  if (detail::wants_no_labels(options.columns)) choice.labels = nullptr;
  // The option names the array of labels, not a column.
  if (choice.labels && options.columns.label == choice.labels->name) options.columns.label.clear();

  Table table;
  table.format = "npz";
  const Unpacked member(*choice.table, context, file);
  const detail::NpyHeader header = detail::parse_npy_header(member.content, place);
  const detail::NpyMatrix matrix =
      detail::npy_matrix(member.content, header, options.images, table, place);
  tell(choice, table);
  const auto texts = context.hold(
      bytes_of_texts(choice.columns) + bytes_of_texts(choice.ids) + bytes_of_texts(choice.labels),
      "the names and labels");
  detail::finish_table(table, matrix, names_of(choice, context, file), options, context, place);
  return table;
}

// An entry's checksum stands before its content, so that all rows must be there to be gone over
// twice.
void write_npz(TableRows& rows, const WriteOptions& options, Sink& sink) {
  rows.all();
  detail::ZipWriter archive(sink);
  archive.add("x.npy", [&](Sink& out) { npy_format().write(rows, {}, out); });
  if (options.labels && !options.labels->empty()) {
    const Labels& labels = *options.labels;
    const auto text = [&](std::size_t i) -> const std::string& {
      return labels.classes[static_cast<std::size_t>(labels.of_row[i])];
    };
    archive.add("labels.npy",
                [&](Sink& out) { detail::write_npy_texts(labels.of_row.size(), text, out); });
    const auto name = [&](std::size_t) -> const std::string& { return labels.name; };
    if (!labels.name.empty() && labels.name != "labels")
      archive.add("label_name.npy", [&](Sink& out) { detail::write_npy_texts(1, name, out); });
  }
  const auto add_texts = [&](const char* name, const std::vector<std::string>& texts) {
    const auto text = [&](std::size_t i) -> const std::string& { return texts[i]; };
    archive.add(name, [&](Sink& out) { detail::write_npy_texts(texts.size(), text, out); });
  };
  if (!options.column_names.empty()) add_texts("columns.npy", options.column_names);
  if (options.ids && !options.ids->empty()) add_texts("ids.npy", *options.ids);
  archive.finish();
}

}  // namespace
}  // namespace npz_file

const TableFormat& npz_format() {
  using namespace npz_file;
  static const TableFormat kFormat{
      .name = "npz",
      .summary = "NumPy archive: one matrix, labels and names beside it",
      .extensions = {".npz"},
      .recognise = recognise,
      .read = read_npz,
      .write = write_npz,
      .takes = {"images"},
  };
  return kFormat;
}

}  // namespace mercer
