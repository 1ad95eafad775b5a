// IDX arrays as MNIST has them. Images are flattened to rows, bytes stay bytes, and the classes
// come from the label file that lies beside the images under its usual name: images -> labels,
// idx3 -> idx1.
#include "mercer/core/text.h"
#include "mercer/io/detail/finish_table.h"
#include "mercer/io/detail/idx_header.h"
#include "mercer/io/detail/row_layout.h"
#include "mercer/io/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace mercer {

const TableFormat& idx_format();

namespace idx_file {
namespace {

using detail::NpyMatrix;

void replace(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t at = text.rfind(from);
  if (at != text.npos) text.replace(at, from.size(), to);
}

// The label file of an images file, compressed or not; empty where there is none or none is asked
// for.
std::string label_file_of(const std::string& path, const ColumnOptions& columns) {
  if (!columns.label.empty() || !columns.targets.empty()) return {};
  const std::size_t slash = path.rfind('/');
  const std::size_t start = slash == path.npos ? 0 : slash + 1;
  std::string name = path.substr(start);
  if (name.find("images") == name.npos) return {};
  replace(name, "images", "labels");
  replace(name, "idx3", "idx1");
  for (const std::string_view ending : {".gz", ".zst", ".xz", ".bz2"})
    if (name.ends_with(ending)) name.erase(name.size() - ending.size());
  for (const std::string_view ending : {"", ".gz", ".zst", ".xz", ".bz2"}) {
    std::string candidate = path.substr(0, start) + name + std::string(ending);
    std::error_code error;
    if (std::filesystem::is_regular_file(candidate, error)) return candidate;
  }
  return {};
}

std::vector<std::string> also_reads(const std::string& path, const ReadOptions& options) {
  std::string labels = label_file_of(path, options.columns);
  return labels.empty() ? std::vector<std::string>() : std::vector{std::move(labels)};
}

Labels read_labels(const std::string& path, Index n, const std::string& images,
                   const Context& context) {
  Source source(path, context);
  const NpyMatrix labels = detail::parse_idx(source.all(), source.name());
  const std::string hint = "rename the label file, or leave it out with --label none";
  if (labels.shape.size() != 1 || labels.type.kind == 'f')
    throw Error(ErrorCode::bad_idx,
                fmt::format("the labels of {} should be one row of whole numbers", images), hint,
                source.name());
  if (labels.n != n)
    throw Error(
        ErrorCode::bad_idx,
        fmt::format("{} has {} labels for {} images", source.name(), grouped(labels.n), grouped(n)),
        hint, images);
  LabelMaker maker("label");
  MemoryAccount::Hold hold = context.hold(0, "the labels");
  for (Index i = 0; i < n; ++i) {
    if (i % 16384 == 0) {
      context.check_cancelled();
      hold.resize(maker.bytes());
    }
    maker.add(exact(detail::element(labels, i, 0)));
  }
  return maker.take();
}

void check_shape(const NpyMatrix& matrix, const std::string& file) {
  if (matrix.shape.size() == 1)
    throw Error(ErrorCode::bad_idx,
                fmt::format("the file holds {} single values, not rows: it is a label file",
                            grouped(matrix.n)),
                "give the images file; labels beside it are found by name", file);
  if (matrix.n == 0) throw Error(ErrorCode::no_rows, "the file has no rows", {}, file);
  if (matrix.data.empty())
    throw Error(ErrorCode::nothing_numeric, "the rows have no columns", {}, file);
  detail::check_columns(detail::columns_of(matrix), file);
}

void describe_images(const NpyMatrix& matrix, Table& table) {
  if (matrix.shape.size() < 3) return;
  const std::vector<Index> extents(matrix.shape.begin() + 1, matrix.shape.end());
  table.notes.push_back({fmt::format("{} images are rows of {} numbers", fmt::join(extents, " x "),
                                     detail::columns_of(matrix)),
                         ""});
  const bool colour = extents.size() == 3 && (extents[2] == 3 || extents[2] == 4);
  if (extents.size() == 2 || colour) table.image_shape = extents;
}

Table read_idx(Source& source, const ReadOptions& options, const Context& context) {
  const std::string& file = source.name();
  const std::string_view content = source.all();
  const NpyMatrix matrix = detail::parse_idx(content, file);
  check_shape(matrix, file);
  Table table;
  table.format = "idx";
  describe_images(matrix, table);
  detail::Names names;
  const std::string label_file = label_file_of(source.path(), options.columns);
  if (!label_file.empty()) {
    names.labels = read_labels(label_file, matrix.n, file, context);
    table.notes.push_back(
        {fmt::format("labels from {}",
                     printable(std::filesystem::path(label_file).filename().string())),
         "--label"});
  }
  finish_table(table, matrix, std::move(names), options, context, file);
  return table;
}

detail::RowLayout idx_layout(std::string_view head, std::uint64_t size, const ReadOptions&,
                             const std::string& file) {
  detail::IdxHeader header = detail::parse_idx_header(head, size, file);
  NpyMatrix matrix{.type = header.type};  // its data are not looked at, only whether there are any
  matrix.n = header.shape[0];
  matrix.shape = header.shape;
  if (size > header.start) matrix.data = head.substr(0, 1);
  check_shape(matrix, file);
  Table shown;
  describe_images(matrix, shown);
  return {header.type,  matrix.n, detail::columns_of(matrix),
          header.start, false,    std::move(shown.image_shape)};
}

}  // namespace
}  // namespace idx_file

const TableFormat& idx_format() {
  using namespace idx_file;
  static const TableFormat kFormat{
      .name = "idx",
      .summary = "IDX arrays (MNIST), with the labels beside them",
      .extensions = {".idx", ".idx1-ubyte", ".idx2-ubyte", ".idx3-ubyte"},
      .recognise = detail::has_idx_magic,
      .read = read_idx,
      .write = nullptr,
      .also_reads = also_reads,
      .layout = idx_layout,
      .takes = {"images"},
  };
  return kFormat;
}

}  // namespace mercer
