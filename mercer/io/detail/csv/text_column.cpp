#include "mercer/io/detail/csv/text_column.h"

#include "mercer/core/check.h"

#include <algorithm>
#include <utility>

namespace mercer::detail {

std::uint64_t TextColumn::bytes() const {
  // The text, its node in the map and its part of the map's table; a vector that grows is there
  // twice for a moment.
  constexpr std::uint64_t kEach = sizeof(std::string) + 48 + 24;
  return text_bytes_ + different_.size() * kEach + rows_.capacity() * sizeof(Index) * 3 / 2;
}

std::vector<std::string> TextColumn::take_different() {
  place_ = {};
  std::vector<std::string> texts;
  texts.reserve(different_.size());
  for (std::string& text : different_) texts.push_back(std::move(text));
  different_ = {};
  return texts;
}

void TextColumn::add(const Cell& cell) {
  if (cell.doubled)
    add_text(plain_text(cell));
  else
    add_text(cell.text);
}

void TextColumn::add_text(std::string_view text) {
  if (!rows_.empty() && text == different_[static_cast<std::size_t>(rows_.back())]) {
    repeats_ |= !text.empty();
    rows_.push_back(rows_.back());
    return;
  }
  const auto found = place_.find(text);
  if (found != place_.end()) {
    repeats_ |= !text.empty();
    rows_.push_back(found->second);
    return;
  }
  const auto place = static_cast<Index>(different_.size());
  different_.emplace_back(text);
  place_.emplace(different_.back(), place);
  rows_.push_back(place);
  constexpr std::size_t kBlockFrame = 24;  // of what is allocated for a long text
  if (text.size() >= sizeof(std::string) / 2) text_bytes_ += text.size() + kBlockFrame;
}

void TextColumn::prepend(const std::vector<std::string>& before) {
  MERCER_ASSERT(static_cast<Index>(before.size()) == first_row_);
  TextColumn whole(column_, 0);
  for (const std::string& text : before) whole.add_text(text);
  for (const Index place : rows_) whole.add_text(different_[static_cast<std::size_t>(place)]);
  *this = std::move(whole);
}

void TextColumn::keep_rows(const std::vector<bool>& kept) {
  const auto first = kept.begin() + first_row_;
  TextColumn part(column_, std::count(kept.begin(), first, true));
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (first[static_cast<Index>(i)]) part.add_text(different_[static_cast<std::size_t>(rows_[i])]);
  *this = std::move(part);
}

}  // namespace mercer::detail
