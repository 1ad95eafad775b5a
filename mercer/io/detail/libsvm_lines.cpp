#include "mercer/io/detail/libsvm_lines.h"

#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mercer::detail {
namespace {

// Sparse rows number their columns in 32 bits.
constexpr std::uint64_t kLargestIndex = std::numeric_limits<std::int32_t>::max();

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Cuts off and returns the next word; empty at the end.
std::string_view next_word(std::string_view& rest) {
  const char* p = rest.data();
  const char* const end = p + rest.size();
  while (p != end && is_blank(*p)) ++p;
  const char* const first = p;
  while (p != end && !is_blank(*p)) ++p;
  rest = {p, static_cast<std::size_t>(end - p)};
  return {first, static_cast<std::size_t>(p - first)};
}

// Cuts off and returns the next line, without its comment.
std::string_view next_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  return line.substr(0, line.find('#'));
}

class BlockReader {
 public:
  BlockReader(const NumberStyle& style, bool refuse_missing)
      : style_(style), refuse_missing_(refuse_missing) {}

  LibsvmBlock read(std::string_view text) {
    const auto most = static_cast<std::size_t>(std::count(text.begin(), text.end(), ':'));
    block_.rows.columns.reserve(most);
    block_.rows.values.reserve(most);
    while (!text.empty() && !block_.fault) {
      ++block_.lines;
      read_line(next_line(text));
    }
    return std::move(block_);
  }

 private:
  bool fail(ErrorCode code, std::string message, std::string hint) {
    block_.fault = LibsvmFault{code, std::move(message), std::move(hint)};
    return false;
  }
  bool fail_syntax(std::string_view word) {
    return fail(ErrorCode::libsvm_syntax,
                fmt::format("\"{}\" is not index:value", printable(word.substr(0, 60))),
                "a line is: label index:value index:value ...");
  }

  void read_line(std::string_view line) {
    const std::string_view label = next_word(line);
    if (label.empty()) return;
    if (label.find(':') != label.npos) {
      fail(ErrorCode::libsvm_syntax,
           fmt::format("the line has no label before \"{}\"", printable(label.substr(0, 60))),
           "write a label, 0 if there is none, before the first index:value");
      return;
    }
    row_.clear();
    bool rising = true;
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      if (!read_feature(word)) return;
      const std::size_t count = row_.size();
      rising = rising && (count < 2 || row_[count - 2].first < row_[count - 1].first);
    }
    if (!rising && !sort_row()) return;
    add_row(label);
  }

  // index:value, or qid:number, which says nothing about the row itself.
  bool read_feature(std::string_view word) {
    std::size_t colon = 0;
    std::uint64_t index = 0;
    for (; colon < word.size() && is_digit(word[colon]); ++colon)
      if (index <= kLargestIndex)
        index = index * 10 + static_cast<std::uint64_t>(word[colon] - '0');
    if (word.starts_with("qid:")) return block_.has_query = true;
    if (colon == 0 || colon + 1 >= word.size() || word[colon] != ':') return fail_syntax(word);
    if (index > kLargestIndex)
      return fail(ErrorCode::libsvm_index,
                  fmt::format("index {} is too large", printable(word.substr(0, colon))),
                  fmt::format("an index may be at most {}", kLargestIndex));
    double value = 0;
    if (!read_value(word, word.substr(colon + 1), value)) return false;
    block_.largest_index = std::max(block_.largest_index, static_cast<Index>(index));
    block_.has_index_zero = block_.has_index_zero || index == 0;
    row_.emplace_back(static_cast<std::int32_t>(index), value);
    return true;
  }

  bool read_value(std::string_view word, std::string_view text, double& value) {
    switch (read_number(text, style_, value)) {
      case CellKind::number:
        return true;
      case CellKind::underflow:
        ++block_.underflows;
        return true;
      case CellKind::missing:
        if (!refuse_missing_) return true;
        return fail(ErrorCode::missing_values, fmt::format("\"{}\" is missing", printable(word)),
                    "skip such rows with --missing drop, or fill them in with --missing mean or "
                    "median");
      case CellKind::infinite:
        return fail(ErrorCode::missing_values, fmt::format("\"{}\" is infinite", printable(word)),
                    "infinite values are never filled in; correct them");
      case CellKind::overflow:
        return fail(ErrorCode::number_overflows,
                    fmt::format("\"{}\" is larger than any double", printable(word.substr(0, 60))),
                    "correct the value");
      case CellKind::text:
      case CellKind::grouped:
        break;
    }
    return fail_syntax(word);
  }

  bool sort_row() {
    std::sort(row_.begin(), row_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto twice = std::adjacent_find(
        row_.begin(), row_.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
    if (twice == row_.end()) return true;
    return fail(ErrorCode::libsvm_syntax, fmt::format("index {} occurs twice", twice->first),
                "give each index of a row once");
  }

  void add_row(std::string_view label) {
    for (const auto& [column, value] : row_) {
      if (value == 0) continue;
      block_.rows.columns.push_back(column);
      block_.rows.values.push_back(value);
    }
    block_.rows.starts.push_back(static_cast<Index>(block_.rows.columns.size()));
    Labels& labels = block_.labels;
    const bool same =
        !labels.empty() && labels.classes[static_cast<std::size_t>(labels.of_row.back())] == label;
    labels.of_row.push_back(same ? labels.of_row.back() : class_of(label));
  }

  Index class_of(std::string_view label) {
    const std::string text = is_utf8(label) ? std::string(label) : printable(label);
    const auto count = static_cast<Index>(block_.labels.classes.size());
    const auto [entry, added] = classes_.try_emplace(text, count);
    if (added) block_.labels.classes.push_back(text);
    return entry->second;
  }

  const NumberStyle& style_;
  bool refuse_missing_;
  LibsvmBlock block_;
  std::vector<std::pair<std::int32_t, double>> row_;
  std::unordered_map<std::string, Index> classes_;
};

// A number, or several with commas: rows may belong to more than one class.
bool is_numeric_label(std::string_view label) {
  for (const std::string& part : split(label, ','))
    if (!is_decimal(part, '.')) return false;
  return !label.empty();
}

bool is_feature(std::string_view word) {
  if (word.starts_with("qid:")) return is_decimal(word.substr(4), '.');
  const std::size_t colon = word.find(':');
  if (colon == 0 || colon == word.npos) return false;
  double value = 0;
  const CellKind kind = read_number(word.substr(colon + 1), {}, value);
  return std::all_of(word.begin(), word.begin() + static_cast<Index>(colon), is_digit) &&
         kind != CellKind::text && kind != CellKind::grouped && colon + 1 < word.size();
}

}  // namespace

LibsvmBlock read_libsvm_lines(std::string_view text, const NumberStyle& style,
                              bool refuse_missing) {
  return BlockReader(style, refuse_missing).read(text);
}

bool looks_like_libsvm(std::string_view head) {
  constexpr Index kEnough = 16;  // rows: another format does not look like this so often
  Index rows = 0, features = 0;
  while (!head.empty() && rows < kEnough) {
    const bool whole = head.find('\n') != head.npos;
    std::string_view line = next_line(head);
    const std::string_view label = next_word(line);
    if (label.empty()) continue;
    if (!is_numeric_label(label)) return false;
    ++rows;
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      const bool cut = !whole && line.empty();  // the head may have ended within this word
      if (is_feature(word) || cut) {
        features += is_feature(word);
        continue;
      }
      // A mistake further down is for the reader to tell; one in the first row is another format.
      return rows > 1 && features > 0;
    }
  }
  return features > 0;
}

}  // namespace mercer::detail
