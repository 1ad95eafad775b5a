// The text of a table in pieces that end with a row. First comes the window: enough rows to find
// out how the table is written. The pieces then begin where its data rows do. Memory is that of the
// pieces in use and of the longest row, whatever the length of the text.
#pragma once

#include "mercer/core/index.h"
#include "mercer/io/source.h"

#include <string>
#include <string_view>

namespace mercer::detail {

/// The most a text table may have, and how much of it is read at a time; tests use smaller ones.
struct TextLimits {
  Index line_bytes = Index{256} << 20;
  Index columns = 10'000'000;
  Index window_bytes = Index{320} << 10;
  Index piece_bytes = Index{512} << 10;
};

/// Some rows. Behind the text, which ends with a line end, stand bytes that may be looked at.
struct Piece {
  std::string buffer;
  std::size_t size = 0;
  bool too_long = false;  // the last row is incomplete: it exceeds the limit of a line

  std::string_view text() const { return std::string_view(buffer).substr(0, size); }
};

class PieceReader {
 public:
  PieceReader(Source& source, const TextLimits& limits);

  /// The beginning of the text, without byte order mark: whole lines, unless it is one line only.
  std::string_view window() const { return window_; }
  /// '\r' only where the window has no '\n'.
  char line_end() const { return line_end_; }
  /// Drops lines at the beginning; all of them where there are fewer.
  void skip_lines(Index count);

  /// The rows begin at this place of the window, which may not be used any more after next().
  void start(std::size_t offset, char delimiter);
  /// The next rows; false at the end. Throws M301 and what the source throws.
  bool next(Piece& piece);

  /// Whether there are no more rows.
  bool at_end() const { return at_end_ && rest_.empty(); }
  /// Bytes of text taken from the source so far.
  std::uint64_t bytes_read() const { return bytes_read_; }
  Source& source() const { return source_; }
  const TextLimits& limits() const { return limits_; }

 private:
  void fill_window();
  std::size_t take(char* out, std::size_t count);
  void count(std::size_t bytes);

  Source& source_;
  TextLimits limits_;
  MemoryAccount::Hold hold_;  // of window, rest and the piece that grows
  std::string window_;        // whole lines
  std::string rest_;          // what was read beyond the window or the latest piece
  std::size_t taken_ = 0;
  char line_end_ = '\n', delimiter_ = ',';
  bool line_end_known_ = false, at_end_ = false;
  std::uint64_t bytes_read_ = 0;
};

/// '\r' only where the text has no '\n'.
char line_end_of(std::string_view content);

}  // namespace mercer::detail
