#include "mercer/io/detail/market_entries.h"

#include "mercer/core/text.h"

#include <fmt/format.h>

#include <charconv>

namespace mercer::detail {
namespace {

constexpr std::size_t kShownOfCell = 60;  // characters of a word in a message

}  // namespace

MarketEntries::MarketEntries(std::string_view content, const MarketHeader& header,
                             const ReadOptions& options, const Context& context,
                             const std::string& file)
    : header_(header),
      style_{.na = options.text.na},
      context_(context),
      file_(file),
      rest_(content.substr(header.end)),
      line_(header.line),
      refuse_missing_(options.columns.missing == "error") {}

void MarketEntries::refuse(const std::string& message) const {
  refuse_market(line_, message, "correct the line", file_);
}

MarketEntry MarketEntries::next_entry() {
  next_line();
  const std::int32_t row = next_index(header_.rows, "row");
  const std::int32_t column = next_index(header_.columns, "column");
  const double value = header_.pattern ? 1 : next_value();
  expect_end();
  const bool outside = row < column || (skew() && row == column);
  if (outside && header_.symmetry != MarketHeader::Symmetry::general)
    refuse(fmt::format("entry ({}, {}) is not in the lower half, which is all that a {} matrix has",
                       row + 1, column + 1, skew() ? "skew-symmetric" : "symmetric"));
  return {row, column, value};
}

double MarketEntries::next_number() {
  next_line();
  const double value = next_value();
  expect_end();
  return value;
}

void MarketEntries::expect_no_more() {
  while (!rest_.empty()) {
    text_ = next_market_line(rest_, line_);
    if (!text_.empty() && text_.front() != '%')
      refuse(fmt::format("there are more than the {} entries that line {} promises",
                         grouped(header_.entries), header_.line));
  }
}

void MarketEntries::next_line() {
  text_ = {};
  while (text_.empty() || text_.front() == '%') {
    if (rest_.empty())
      refuse_market(line_,
                    fmt::format("the file ends after {} of {} entries", grouped(read_),
                                grouped(header_.entries)),
                    "is the file cut off?", file_);
    text_ = next_market_line(rest_, line_);
  }
  if (++read_ % 65536 == 0) context_.check_cancelled();
}

std::string_view MarketEntries::next_word() {
  const auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  std::size_t begin = 0;
  while (begin < text_.size() && blank(text_[begin])) ++begin;
  std::size_t end = begin;
  while (end < text_.size() && !blank(text_[end])) ++end;
  const std::string_view word = text_.substr(begin, end - begin);
  text_.remove_prefix(end);
  return word;
}

std::int32_t MarketEntries::next_index(Index count, std::string_view what) {
  const std::string_view word = next_word();
  Index index = 0;
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), index);
  if (status == std::errc::invalid_argument || end != word.data() + word.size())
    refuse(
        fmt::format("\"{}\" is no number of a {}", printable(word.substr(0, kShownOfCell)), what));
  if (status != std::errc{} || index < 1 || index > count)
    refuse(fmt::format("there is no {} {}: they are numbered 1 to {}", what,
                       printable(word.substr(0, kShownOfCell)), count));
  return static_cast<std::int32_t>(index - 1);
}

double MarketEntries::next_value() {
  const std::string_view word = next_word();
  double value = 0;
  const CellKind kind = word.empty() ? CellKind::text : read_number(word, style_, value);
  return kind == CellKind::number ? value : odd_value(kind, word, value);
}

double MarketEntries::odd_value(CellKind kind, std::string_view word, double value) {
  const std::string shown = printable(word.substr(0, kShownOfCell));
  const bool missing = kind == CellKind::missing;
  if (missing && !refuse_missing_) return value;
  if (missing || kind == CellKind::infinite)
    throw Error(
        ErrorCode::missing_values,
        fmt::format("line {}: \"{}\" is {}", line_, shown, missing ? "missing" : "infinite"),
        missing ? "skip such rows with --missing drop, or fill them in with --missing mean "
                  "or median"
                : "infinite values are never filled in; correct them",
        file_);
  if (kind == CellKind::overflow)
    throw Error(ErrorCode::number_overflows,
                fmt::format("line {}: \"{}\" is larger than any double", line_, shown),
                "correct the value", file_);
  if (kind != CellKind::underflow) refuse(fmt::format("\"{}\" is no number", shown));
  ++underflows_;
  return value;
}

void MarketEntries::expect_end() {
  if (const std::string_view word = next_word(); !word.empty())
    refuse(fmt::format("\"{}\" is too much", printable(word.substr(0, kShownOfCell))));
}

}  // namespace mercer::detail
