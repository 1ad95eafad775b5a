#include "mercer/io/row_file.h"

#include "mercer/core/text.h"
#include "mercer/io/detail/descriptor.h"
#include "mercer/io/detail/numpy/npy_values.h"
#include "mercer/io/detail/row_layout.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>

namespace mercer {
namespace {

// Numbers of a piece. Blocks of rows are cut where those of a table in memory are
// (models/ability.h), so that results have the same bytes.
constexpr Index kPieceNumbers = Index{1} << 20, kPieceRows = 512, kFewestPieceRows = 8;

Index piece_rows(Index dim) {
  Index rows = kPieceRows;
  while (rows > kFewestPieceRows && rows * dim > kPieceNumbers) rows /= 2;
  return rows * std::max<Index>(1, kPieceNumbers / (rows * dim));
}

}  // namespace

struct RowFile::File {
  struct Stamp {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    timespec changed = {};

    bool operator==(const Stamp& other) const {
      return device == other.device && inode == other.inode && size == other.size &&
             changed.tv_sec == other.changed.tv_sec && changed.tv_nsec == other.changed.tv_nsec;
    }
  };

  File(const std::string& path, detail::RowLayout layout_in, std::string format_in,
       const Context& context_in)
      : name(printable(path)),
        format(std::move(format_in)),
        layout(std::move(layout_in)),
        context(context_in),
        file(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (!file.is_open()) fail();
    opened = stamp();
  }

  [[noreturn]] void fail() const {
    throw Error(ErrorCode::read_failed, fmt::format("cannot read: {}", detail::system_text(errno)),
                "try again, or copy the file elsewhere", name);
  }
  [[noreturn]] void refuse_change(const std::string& what) const {
    throw Error(ErrorCode::file_changed, what, "wait until its writer has finished", name);
  }

  Stamp stamp() const {
    struct stat status {};
    if (::fstat(file.number(), &status) != 0) fail();
    return {status.st_dev, status.st_ino, status.st_size, status.st_mtim};
  }

  void check_unchanged() const {
    const Stamp now = stamp();
    if (now == opened) return;
    if (now.size != opened.size)
      refuse_change(fmt::format("the file had {} bytes when it was opened and has {} now",
                                opened.size, now.size));
    refuse_change("the file was written to after it was opened");
  }

  void read(std::byte* out, std::size_t count, std::uint64_t at) const {
    std::size_t got = 0;
    while (got < count) {
      const ssize_t now =
          ::pread(file.number(), out + got, count - got, static_cast<off_t>(at + got));
      if (now < 0 && errno == EINTR) continue;
      if (now < 0) fail();
      if (now == 0)
        refuse_change(
            fmt::format("the file had {} bytes and ended after {}", opened.size, at + got));
      got += static_cast<std::size_t>(now);
    }
  }

  std::size_t row_bytes() const { return static_cast<std::size_t>(layout.dim * layout.type.size); }

  // Whether numbers are used as they stand in the file.
  bool as_stored() const {
    const Scalar kept = detail::kept_type(layout.type);
    return kept != Scalar::f64 ||
           (layout.type.kind == 'f' && layout.type.size == 8 && !layout.type.big_endian);
  }

  std::string name, format;
  detail::RowLayout layout;
  Context context;
  detail::Descriptor file;
  Stamp opened;
};

RowFile::RowFile(std::unique_ptr<File> file) : file_(std::move(file)) {}
RowFile::~RowFile() = default;

Index RowFile::n() const { return file_->layout.n; }
Index RowFile::dim() const { return file_->layout.dim; }
Scalar RowFile::type() const { return detail::kept_type(file_->layout.type); }
const std::string& RowFile::format() const { return file_->format; }
const std::vector<Index>& RowFile::image_shape() const { return file_->layout.image_shape; }

std::uint64_t RowFile::table_bytes() const {
  return static_cast<std::uint64_t>(n() * dim()) * size_of(type());
}

std::uint64_t RowFile::chunk_bytes() const {
  const auto rows = static_cast<std::uint64_t>(std::min(n(), piece_rows(dim())));
  const std::uint64_t converted =
      file_->as_stored() ? 0 : rows * static_cast<std::uint64_t>(dim()) * size_of(type());
  return rows * file_->row_bytes() + converted;
}

void RowFile::each_chunk(const Take& take) const {
  const File& file = *file_;
  const MemoryAccount::Hold held = file.context.hold(chunk_bytes(), "the rows of a chunk");
  file.check_unchanged();
  const Index step = piece_rows(dim());
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(n(), step)) * file.row_bytes());
  std::vector<Index> columns;
  if (!file.as_stored()) {
    columns.resize(static_cast<std::size_t>(dim()));
    std::iota(columns.begin(), columns.end(), Index{0});
  }
  for (Index begin = 0; begin < n(); begin += step) {
    file.context.check_cancelled();
    const Index rows = std::min(step, n() - begin);
    const std::size_t count = static_cast<std::size_t>(rows) * file.row_bytes();
    file.read(bytes.data(), count,
              file.layout.offset + static_cast<std::uint64_t>(begin) * file.row_bytes());
    std::vector<std::byte> converted;
    if (!columns.empty())
      converted = detail::gather({{reinterpret_cast<const char*>(bytes.data()), count},
                                  file.layout.type,
                                  rows,
                                  {rows, dim()},
                                  false},
                                 columns, file.context);
    const DataView view(columns.empty() ? bytes.data() : converted.data(), type(), rows, dim(),
                        dim(), 1);
    take(view.numbered_from(begin));
  }
  file.check_unchanged();
}

namespace {

// What asks for more than numbers, row by row.
std::string whole_table_needed(const ReadOptions& options) {
  if (!options.columns.only.empty() || !options.columns.drop.empty())
    return "columns are chosen (--columns, --drop)";
  if (!options.columns.label.empty() && options.columns.label != "none")
    return "a column holds classes (--label)";
  if (!options.columns.targets.empty()) return "a column is to be predicted (--target)";
  if (options.columns.missing != "error")
    return fmt::format("missing values are looked for in all of it (--missing {})",
                       printable(options.columns.missing));
  return {};
}

}  // namespace

std::variant<std::unique_ptr<RowFile>, std::string> open_rows(const std::string& path,
                                                              const ReadOptions& options,
                                                              const Context& context) {
  struct stat status {};
  if (path == "-" || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return "it is not a file";
  Source source(path, context);
  const TableFormat* format = format_of(source, options);
  if (format == nullptr || format->layout == nullptr)
    return "only NPY and IDX files can be read in chunks";
  if (!source.compression().empty()) return "the file is compressed";
  if (std::string reason = whole_table_needed(options); !reason.empty()) return reason;
  check_options_of(*format, options, source.name());
  detail::RowLayout layout = format->layout(
      source.head(), static_cast<std::uint64_t>(status.st_size), options, source.name());
  if (layout.fortran_order)
    return "the array is in Fortran order: save numpy.ascontiguousarray(array)";
  return std::unique_ptr<RowFile>(new RowFile(std::make_unique<RowFile::File>(
      path, std::move(layout), std::string(format->name), context)));
}

}  // namespace mercer
