#include "mercer/data/dataset.h"

#include "mercer/core/check.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace mercer {

namespace {

// A text has its own block where it is longer than fits into the object.
std::uint64_t heap_bytes(const std::string& text) {
  // Characters that libstdc++ keeps inside a std::string; a terminating 0 and the allocator's
  // header and rounding, at most, of a block outside.
  constexpr std::size_t kInside = 15, kBlockFrame = 24;
  return text.size() > kInside ? text.size() + kBlockFrame : 0;
}

std::shared_ptr<const std::byte> shared(std::vector<std::byte> bytes) {
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  return {owner, owner->data()};
}

}  // namespace

std::uint64_t bytes_of(const std::vector<std::string>& texts) {
  std::uint64_t sum = texts.size() * sizeof(std::string);
  for (const std::string& text : texts) sum += heap_bytes(text);
  return sum;
}

// "-" and "None" may well be classes.
bool is_no_class(std::string_view text) {
  static constexpr std::array<std::string_view, 10> kWords = {"",    "NA",  "N/A",  "<NA>", "NaN",
                                                              "nan", "NAN", "null", "NULL", "?"};
  return std::ranges::find(kWords, text) != kWords.end();
}

// A class whose rows were all left out is none either.
Index Labels::count() const {
  std::vector<bool> has_row(classes.size(), of_row.empty());
  for (const Index row : of_row) has_row[static_cast<std::size_t>(row)] = true;
  Index count = 0;
  for (std::size_t i = 0; i < classes.size(); ++i)
    if (has_row[i] && !is_no_class(classes[i])) ++count;
  return count;
}

Labels Labels::from_texts(std::string name, const std::vector<std::string>& texts) {
  LabelMaker maker(std::move(name));
  for (const std::string& text : texts) maker.add(text);
  return maker.take();
}

std::uint64_t Labels::bytes() const { return bytes_of(classes) + of_row.size() * sizeof(Index); }

void LabelMaker::add(const std::string& text) {
  std::vector<std::string>& classes = labels_.classes;
  const auto [entry, added] = number_.try_emplace(text, static_cast<Index>(classes.size()));
  if (added) {
    classes.push_back(text);
    text_bytes_ += 2 * heap_bytes(text);
  }
  labels_.of_row.push_back(entry->second);
}

std::uint64_t LabelMaker::bytes() const {
  // Vectors that grow are there twice for a moment; a class also stands in the map.
  constexpr std::uint64_t kEach = 2 * sizeof(std::string) + 96;
  return text_bytes_ + labels_.classes.size() * kEach + 2 * labels_.of_row.size() * sizeof(Index);
}

Dataset::Dataset(Points points) : n_(points.rows()), dim_(points.cols()) {
  const auto owner = std::make_shared<const Points>(std::move(points));
  bytes_ = {owner, reinterpret_cast<const std::byte*>(owner->data())};
}

Dataset::Dataset(std::vector<std::byte> bytes, Scalar type, Index n, Index dim)
    : type_(type), n_(n), dim_(dim) {
  MERCER_ASSERT(bytes.size() == static_cast<std::size_t>(n * dim) * size_of(type));
  bytes_ = shared(std::move(bytes));
}

Dataset::Dataset(std::shared_ptr<const std::byte> bytes, Scalar type, Index n, Index dim)
    : bytes_(std::move(bytes)), type_(type), n_(n), dim_(dim) {}

Dataset::Dataset(SparseRows rows, Index dim)
    : sparse_(std::make_shared<const SparseRows>(std::move(rows))),
      n_(static_cast<Index>(sparse_->starts.size()) - 1),
      dim_(dim) {
  MERCER_ASSERT(sparse_->columns.size() == sparse_->values.size() &&
                sparse_->starts.back() == static_cast<Index>(sparse_->columns.size()));
}

std::uint64_t Dataset::bytes() const {
  if (!sparse()) return static_cast<std::uint64_t>(n_ * dim_) * size_of(type_);
  return sparse_->values.size() * (sizeof(double) + sizeof(std::int32_t)) +
         sparse_->starts.size() * sizeof(Index);
}

void Dataset::hold(const Context& context) {
  held_.reset();
  const std::uint64_t all = bytes() + bytes_of(column_names) + labels.bytes() + bytes_of(ids);
  held_ = std::make_shared<const MemoryAccount::Hold>(context.hold(all, "the table's numbers"));
}

Dataset Dataset::numbers() const {
  Dataset same;
  same.bytes_ = bytes_;
  same.sparse_ = sparse_;
  same.held_ = held_;
  same.type_ = type_;
  same.n_ = n_;
  same.dim_ = dim_;
  return same;
}

Dataset Dataset::dense() const {
  return sparse() ? with_numbers(Dataset(view().to_points())) : *this;
}

Dataset Dataset::with_numbers(Dataset numbers) const {
  MERCER_ASSERT(numbers.n() == n_ && numbers.dim() == dim_);
  numbers.column_names = column_names;
  numbers.labels = labels;
  numbers.ids = ids;
  return numbers;
}

DataView Dataset::view() const {
  if (sparse())
    return {sparse_->starts.data(), sparse_->columns.data(), sparse_->values.data(), n_, dim_};
  return {bytes_.get(), type_, n_, dim_, dim_, 1};
}

namespace {

SparseRows sparse_rows_of(DataView view, const std::vector<Index>& kept) {
  SparseRows part;
  for (const Index i : kept) {
    const SparseRow row = view.sparse_row(i);
    part.columns.insert(part.columns.end(), row.columns, row.columns + row.count);
    part.values.insert(part.values.end(), row.values, row.values + row.count);
    part.starts.push_back(static_cast<Index>(part.columns.size()));
  }
  return part;
}

SparseRows sparse_columns_of(DataView view, const std::vector<Index>& kept) {
  // A column may be kept more than once, and in any order: its new places stand at
  // [begins[column], begins[column + 1]).
  std::vector<std::int32_t> begins(static_cast<std::size_t>(view.dim()) + 2, 0);
  std::vector<std::int32_t> places(kept.size());
  for (const Index column : kept) ++begins[static_cast<std::size_t>(column) + 2];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  for (std::size_t j = 0; j < kept.size(); ++j) {
    auto& next = begins[static_cast<std::size_t>(kept[j]) + 1];
    places[static_cast<std::size_t>(next++)] = static_cast<std::int32_t>(j);
  }
  SparseRows part;
  std::vector<std::pair<std::int32_t, double>> row;
  for (Index i = 0; i < view.n(); ++i) {
    const SparseRow old = view.sparse_row(i);
    row.clear();
    for (Index k = 0; k < old.count; ++k) {
      const auto column = static_cast<std::size_t>(old.columns[k]);
      for (std::int32_t at = begins[column]; at < begins[column + 1]; ++at)
        row.emplace_back(places[static_cast<std::size_t>(at)], old.values[k]);
    }
    std::sort(row.begin(), row.end());
    for (const auto& [column, value] : row) {
      part.columns.push_back(column);
      part.values.push_back(value);
    }
    part.starts.push_back(static_cast<Index>(part.columns.size()));
  }
  return part;
}

}  // namespace

Dataset Dataset::rows(const std::vector<Index>& kept) const {
  Dataset part = sparse() ? Dataset(sparse_rows_of(view(), kept), dim_) : dense_rows(kept);
  part.column_names = column_names;
  part.labels.name = labels.name;
  part.labels.classes = labels.classes;
  for (const Index row : kept) {
    if (!labels.empty()) part.labels.of_row.push_back(labels.of_row[static_cast<std::size_t>(row)]);
    if (!ids.empty()) part.ids.push_back(ids[static_cast<std::size_t>(row)]);
  }
  return part;
}

Dataset Dataset::dense_rows(const std::vector<Index>& kept) const {
  const std::size_t row_bytes = static_cast<std::size_t>(dim_) * size_of(type_);
  std::vector<std::byte> bytes(kept.size() * row_bytes);
  for (std::size_t i = 0; i < kept.size() && row_bytes > 0; ++i)
    std::memcpy(bytes.data() + i * row_bytes,
                bytes_.get() + static_cast<std::size_t>(kept[i]) * row_bytes, row_bytes);
  return {std::move(bytes), type_, static_cast<Index>(kept.size()), dim_};
}

Dataset Dataset::columns(const std::vector<Index>& kept) const {
  Dataset part = sparse()
                     ? Dataset(sparse_columns_of(view(), kept), static_cast<Index>(kept.size()))
                     : dense_columns(kept);
  if (!column_names.empty())
    for (const Index j : kept)
      part.column_names.push_back(column_names[static_cast<std::size_t>(j)]);
  part.labels = labels;
  part.ids = ids;
  return part;
}

Dataset Dataset::dense_columns(const std::vector<Index>& kept) const {
  const std::size_t size = size_of(type_);
  std::vector<std::byte> bytes(static_cast<std::size_t>(n_) * kept.size() * size);
  std::byte* out = bytes.data();
  for (Index i = 0; i < n_; ++i)
    for (const Index j : kept) {
      std::memcpy(out, bytes_.get() + static_cast<std::size_t>(i * dim_ + j) * size, size);
      out += size;
    }
  return {std::move(bytes), type_, n_, static_cast<Index>(kept.size())};
}

}  // namespace mercer
