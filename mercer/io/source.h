// Source: the bytes of a table in order, from a file or standard input, decompressed on the way
// (gzip, zstd, xz, bzip2, recognised by content). Readers look at the head first, then either take
// pieces, so that a text larger than memory can be read, or ask for everything. What it keeps is
// counted on the context's account, and waiting for a pipe ends when the context says so.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/index.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mercer {

class Source {
 public:
  /// Opens a file, or standard input for "-". Throws M401, M404. A folder can be opened too: its
  /// head is empty, and reading throws M406.
  Source(const std::string& path, const Context& context);
  /// Bytes that are there already, for tests and fuzzing; they must outlive the source.
  Source(std::string_view content, std::string name, const Context& context);
  /// The same with this much memory and nobody watching.
  Source(std::string_view content, std::string name, std::uint64_t memory);
  ~Source();
  Source(Source&&) noexcept;
  Source& operator=(Source&&) noexcept;

  /// For messages: printable, "standard input" for "-".
  const std::string& name() const;
  /// As given; "" for bytes in memory.
  const std::string& path() const;
  bool is_folder() const;
  /// "gzip", "zstd", "xz", "bzip2" or "": how the file was compressed.
  std::string_view compression() const;
  /// Bytes of the (decompressed) content, where that is known without reading it.
  std::optional<std::uint64_t> size() const;
  /// How much of the file has been taken, from 0 to 1; 0 where its size is not known.
  double share() const;

  /// The first bytes, at most 64 KiB, without taking them.
  std::string_view head();
  /// Takes the next bytes, as many as there are up to `count`; 0 at the end. Throws M405, M407 (the
  /// compressed data end early), M408 (more than 1000 times the compressed size), M411, and M001
  /// or M303 when the context says that it is enough.
  std::size_t read(char* out, std::size_t count);
  /// Everything, read once and kept. Throws M301 for more than the memory that is left. After
  /// read() this may not be called.
  std::string_view all();

  /// The context it was opened with; it has an account.
  const Context& context() const;

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace mercer
