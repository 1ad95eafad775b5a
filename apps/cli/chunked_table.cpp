#include "apps/cli/chunked_table.h"

#include "apps/cli/arguments.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <filesystem>
#include <variant>

namespace mercer::cli {
namespace {

// Bytes of the file; 0 where it is none. Numbers take no fewer in memory, unless it is text.
std::uint64_t size_of_file(const std::string& path) {
  std::error_code none;
  const auto size = std::filesystem::file_size(path, none);
  return none ? 0 : size;
}

[[noreturn]] void refuse(const std::string& path, const std::string& reason, const char* hint) {
  throw Error(ErrorCode::bad_option_value,
              fmt::format("the table cannot be read in chunks: {}", reason), hint, printable(path));
}

void tell(const RowFile& rows, const std::string& path, Terminal& terminal) {
  std::string what = fmt::format("{}   {} × {} ({})", printable(base_name(path)), grouped(rows.n()),
                                 grouped(rows.dim()), rows.format());
  const std::vector<Index>& shape = rows.image_shape();
  if (shape.size() >= 2) what += fmt::format(", {}×{} images", shape[0], shape[1]);
  terminal.say("Reading", what + fmt::format(", in chunks: {} as a whole   --memory",
                                             bytes(rows.table_bytes())));
}

}  // namespace

std::unique_ptr<RowFile> rows_in_chunks(const std::string& path, const ReadOptions& options,
                                        bool asked, bool able, std::string_view method,
                                        const Context& context, Terminal& terminal) {
  if (!able && asked)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("method {} needs all rows in memory", method),
                "drop --chunks, or use a method that learns from chunks: --method pca");
  const std::uint64_t left = context.memory_left();
  if (!able || (!asked && size_of_file(path) <= left / 2)) return nullptr;
  auto found = open_rows(path, options, context);
  if (const auto* reason = std::get_if<std::string>(&found)) {
    if (asked) refuse(path, *reason, "drop --chunks, or convert the table: mercer convert");
    return nullptr;  // reading it as a whole says what does not fit
  }
  auto rows = std::get<std::unique_ptr<RowFile>>(std::move(found));
  if (!asked && rows->table_bytes() <= left / 2) return nullptr;
  tell(*rows, path, terminal);
  return rows;
}

}  // namespace mercer::cli
