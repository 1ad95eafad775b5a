#include "mercer/io/detail/market_header.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <utility>
#include <vector>

namespace mercer::detail {
namespace {

using Symmetry = MarketHeader::Symmetry;
__extension__ using Wide = __int128;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return out;
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : line) {
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (!blank) word += c;
    if (blank && !word.empty()) words.push_back(std::exchange(word, {}));
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

void parse_banner(std::string_view line, MarketHeader& header, const std::string& file) {
  constexpr std::string_view kForm =
      "the first line must be: %%MatrixMarket matrix coordinate|array real|integer|pattern "
      "general|symmetric|skew-symmetric";
  const std::vector<std::string> words = words_of(lower(line.substr(0, 1000)));
  const auto unknown = [&](std::string_view what, const std::string& word) {
    refuse_market(1, fmt::format("\"{}\" is no {}", printable(word), what), kForm, file);
  };
  if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix")
    refuse_market(1, "this is not the banner of a matrix", kForm, file);
  if (words[2] != "coordinate" && words[2] != "array") unknown("way to store a matrix", words[2]);
  header.sparse = words[2] == "coordinate";
  if (words[3] == "complex" || words[4] == "hermitian")
    refuse_market(1, "the matrix is complex", "write its real part", file);
  header.pattern = words[3] == "pattern";
  if (words[3] != "real" && words[3] != "double" && words[3] != "integer" && !header.pattern)
    unknown("kind of number", words[3]);
  if (header.pattern && !header.sparse)
    refuse_market(1, "a pattern must be stored as coordinate", kForm, file);
  if (words[4] == "symmetric")
    header.symmetry = Symmetry::symmetric;
  else if (words[4] == "skew-symmetric")
    header.symmetry = Symmetry::skew;
  else if (words[4] != "general")
    unknown("symmetry", words[4]);
}

// Two or three whole numbers.
void parse_sizes(std::string_view line, MarketHeader& header, const std::string& file) {
  const std::vector<std::string> words = words_of(line.substr(0, 1000));
  std::array<Index, 3> sizes = {};
  const std::size_t count = header.sparse ? 3 : 2;
  bool fits = words.size() == count;
  for (std::size_t i = 0; fits && i < count; ++i) {
    const char* const end = words[i].data() + words[i].size();
    const auto [stop, status] = std::from_chars(words[i].data(), end, sizes[i]);
    fits = status == std::errc{} && stop == end && sizes[i] >= 0;
  }
  if (!fits)
    refuse_market(
        header.line,
        fmt::format("\"{}\" are not the sizes of a matrix", printable(line.substr(0, 60))),
        header.sparse ? "write: rows columns entries" : "write: rows columns", file);
  header.rows = sizes[0];
  header.columns = sizes[1];
  header.entries = sizes[2];
}

// Entries are counted by the bytes they need at least; rows and columns without entries cost
// nothing in the file, so that a few bytes could claim any number of them.
void check_sizes(MarketHeader& header, std::size_t left, const std::string& file) {
  const auto refuse = [&](const std::string& message) {
    refuse_market(header.line, message, "is the file cut off, or its line of sizes wrong?", file);
  };
  if (header.symmetry != Symmetry::general && header.rows != header.columns)
    refuse(fmt::format("a symmetric matrix cannot be {} x {}", header.rows, header.columns));
  constexpr Index kMost = std::numeric_limits<std::int32_t>::max();  // sparse rows count in 32 bits
  if (header.rows > kMost || header.columns > kMost)
    refuse(fmt::format("{} x {} is too large, at most {} rows and columns are allowed", header.rows,
                       header.columns, kMost));
  const Wide rows = header.rows, columns = header.columns;
  Wide need = header.entries;
  if (!header.sparse)
    need = header.symmetry == Symmetry::general ? rows * columns
           : header.symmetry == Symmetry::skew  ? rows * (rows - 1) / 2
                                                : rows * (rows + 1) / 2;
  // "0\n" or "1 1\n"; the last line may lack its end.
  const Wide shortest = header.sparse ? 4 : 2;
  if (need * shortest > static_cast<Wide>(left) + 1)
    refuse(fmt::format("{} entries are promised, {} bytes are left for them",
                       static_cast<Index>(need), left));
  // Beyond a million rows a line of sizes that is wrong would cost memory; one entry in a hundred
  // rows is thinner than any table.
  constexpr Index kSmall = 1'000'000, kThinnest = 100;
  if (header.sparse && header.rows > kSmall && header.rows / kThinnest > header.entries)
    refuse(fmt::format("{} rows for {} entries: nearly all rows would be empty", header.rows,
                       header.entries));
  header.entries = static_cast<Index>(need);
}

}  // namespace

void refuse_market(Index line, std::string_view message, std::string_view hint,
                   const std::string& file) {
  throw Error(ErrorCode::bad_matrix_market, fmt::format("line {}: {}", line, message),
              std::string(hint), file);
}

std::string_view next_market_line(std::string_view& rest, Index& line) {
  const std::size_t end = rest.find('\n');
  const std::string_view text = trim(rest.substr(0, end));
  rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  ++line;
  return text;
}

bool has_market_banner(std::string_view head) {
  std::string first = lower(head.substr(0, 9));
  first.erase(0, first.find_first_not_of('%'));
  return head.starts_with('%') && std::string_view("matrixmarket").starts_with(first) &&
         first.size() >= 6;
}

MarketHeader parse_market_header(std::string_view content, const std::string& file) {
  MarketHeader header;
  std::string_view rest = content;
  Index line = 0;
  parse_banner(next_market_line(rest, line), header, file);
  std::string_view sizes;
  while (!rest.empty() && (sizes.empty() || sizes.front() == '%'))
    sizes = next_market_line(rest, line);
  header.line = line;
  if (sizes.empty() || sizes.front() == '%')
    refuse_market(line, "the line of sizes is missing", "copy the file again", file);
  parse_sizes(sizes, header, file);
  check_sizes(header, rest.size(), file);
  header.end = content.size() - rest.size();
  return header;
}

}  // namespace mercer::detail
