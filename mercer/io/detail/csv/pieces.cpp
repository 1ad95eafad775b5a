#include "mercer/io/detail/csv/pieces.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/io/detail/csv/cells.h"
#include "mercer/io/detail/csv/quick_number.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::detail {
namespace {

// Enough that the sample of the dialect is the same as with the whole text.
constexpr Index kWindowLines = 4;

bool has_lines(std::string_view text, char line_end) {
  Index lines = 0;
  for (std::size_t begin = 0; lines < kWindowLines; ++lines) {
    const std::size_t end = text.find(line_end, begin);
    if (end == text.npos) return false;
    if (trim(text.substr(begin, end - begin)).empty()) --lines;
    begin = end + 1;
  }
  return true;
}

}  // namespace

char line_end_of(std::string_view content) {
  const bool only_cr = content.find('\n') == content.npos && content.find('\r') != content.npos;
  return only_cr ? '\r' : '\n';
}

PieceReader::PieceReader(Source& source, const TextLimits& limits)
    : source_(source), limits_(limits), hold_(source.context().hold(0, "the rows being read")) {
  // One byte more than there is shows the end.
  const auto size =
      static_cast<Index>(std::min<std::uint64_t>(source.size().value_or(std::uint64_t{1} << 40),
                                                 source.context().budget.memory)) +
      1;
  limits_.window_bytes = std::min(limits_.window_bytes, size);
  limits_.piece_bytes = std::min(limits_.piece_bytes, size);
  fill_window();
  constexpr std::string_view kMark = "\xEF\xBB\xBF";  // by which editors say that a text is UTF-8
  if (window_.starts_with(kMark)) window_.erase(0, kMark.size());
}

// Nearly all rows are short and take little, which every budget allows for.
void PieceReader::count(std::size_t size) {
  constexpr std::size_t kSmall = std::size_t{2} << 20;
  const std::uint64_t counted = size > kSmall ? size : 0;
  if (counted != hold_.bytes()) hold_.resize(counted);
}

// Reads until there are some lines; what is left behind the last one waits for the next piece.
void PieceReader::fill_window() {
  window_ += rest_;
  rest_.clear();
  auto want = std::max(static_cast<std::size_t>(limits_.window_bytes), window_.size());
  while (!at_end_) {
    const std::size_t have = window_.size();
    count(window_.capacity() + want);  // both, while it grows
    window_.resize(want);
    window_.resize(have + take(window_.data() + have, want - have));
    if (!line_end_known_) line_end_ = line_end_of(window_);
    if (at_end_ || has_lines(window_, line_end_)) break;
    const bool one_line = window_.find(line_end_) == window_.npos;
    if (one_line && static_cast<Index>(window_.size()) > limits_.line_bytes) break;
    want *= 2;
  }
  line_end_known_ = true;
  if (at_end_) return;
  const std::size_t end = window_.rfind(line_end_) + 1;
  if (end == 0) return;
  count(window_.capacity() + window_.size() - end);
  rest_ = window_.substr(end);
  window_.resize(end);
}

std::size_t PieceReader::take(char* out, std::size_t count) {
  const std::size_t got = source_.read(out, count);
  bytes_read_ += got;
  at_end_ = got < count;
  return got;
}

void PieceReader::skip_lines(Index count) {
  while (count > 0 && !window_.empty()) {
    std::size_t begin = 0;
    for (; count > 0 && begin < window_.size(); --count)
      begin = std::min(window_.find(line_end_, begin), window_.size() - 1) + 1;
    window_.erase(0, begin);
    fill_window();
  }
}

void PieceReader::start(std::size_t offset, char delimiter) {
  delimiter_ = delimiter;
  window_ += rest_;  // fits: it was cut off from there
  window_.erase(0, offset);
  rest_ = std::move(window_);
  window_ = std::string();
  count(rest_.capacity());
}

// The text that waits, then new text, until a row is complete.
bool PieceReader::next(Piece& piece) {
  piece.too_long = false;
  auto want = static_cast<std::size_t>(limits_.piece_bytes);
  std::size_t have = 0;
  while (true) {
    count(rest_.capacity() + 2 * want);  // the buffer grows, and its end may go back to the rest
    if (piece.buffer.size() < want + kQuickPadding) piece.buffer.resize(want + kQuickPadding);
    const std::size_t waiting = std::min(want - have, rest_.size() - taken_);
    std::copy_n(rest_.data() + taken_, waiting, piece.buffer.data() + have);
    taken_ += waiting;
    have += waiting;
    if (have < want && !at_end_) have += take(piece.buffer.data() + have, want - have);
    const bool last = at_end_ && taken_ == rest_.size();
    const std::string_view text(piece.buffer.data(), have);
    piece.size = last ? have : complete_rows(text, delimiter_, line_end_);
    piece.too_long = !last && piece.size == 0 && static_cast<Index>(have) > limits_.line_bytes;
    if (piece.too_long) piece.size = have;
    if (last || piece.size > 0) break;
    want *= 2;
  }
  rest_.erase(0, taken_);
  taken_ = 0;
  rest_.insert(0, piece.buffer, piece.size, have - piece.size);
  // The last line may lack its end.
  if (piece.size > 0 && piece.buffer[piece.size - 1] != line_end_)
    piece.buffer[piece.size++] = line_end_;
  count(rest_.capacity());
  return piece.size > 0;
}

}  // namespace mercer::detail
