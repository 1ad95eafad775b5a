#include "mercer/data/dataset.h"

#include "mercer/core/check.h"

#include <cstring>
#include <unordered_map>

namespace mercer {

Labels Labels::from_texts(std::string name, const std::vector<std::string>& texts) {
  Labels labels{.name = std::move(name), .classes = {}, .of_row = {}};
  std::unordered_map<std::string, Index> number;
  for (const std::string& text : texts) {
    const auto [entry, added] = number.try_emplace(text, static_cast<Index>(labels.classes.size()));
    if (added) labels.classes.push_back(text);
    labels.of_row.push_back(entry->second);
  }
  return labels;
}

Dataset::Dataset(Points points) : n_(points.rows()), dim_(points.cols()) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(points.size()) * sizeof(double));
  if (!bytes.empty()) std::memcpy(bytes.data(), points.data(), bytes.size());
  bytes_ = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

Dataset::Dataset(std::vector<std::byte> bytes, Scalar type, Index n, Index dim)
    : bytes_(std::make_shared<const std::vector<std::byte>>(std::move(bytes))),
      type_(type),
      n_(n),
      dim_(dim) {
  MERCER_ASSERT(bytes_->size() == static_cast<std::size_t>(n * dim) * size_of(type));
}

DataView Dataset::view() const {
  return {bytes_ ? bytes_->data() : nullptr, type_, n_, dim_, dim_, 1};
}

Dataset Dataset::rows(const std::vector<Index>& kept) const {
  const std::size_t row_bytes = static_cast<std::size_t>(dim_) * size_of(type_);
  std::vector<std::byte> bytes(kept.size() * row_bytes);
  for (std::size_t i = 0; i < kept.size() && row_bytes > 0; ++i)
    std::memcpy(bytes.data() + i * row_bytes,
                bytes_->data() + static_cast<std::size_t>(kept[i]) * row_bytes, row_bytes);
  Dataset part(std::move(bytes), type_, static_cast<Index>(kept.size()), dim_);
  part.column_names = column_names;
  part.labels.name = labels.name;
  part.labels.classes = labels.classes;
  for (const Index row : kept) {
    if (!labels.empty()) part.labels.of_row.push_back(labels.of_row[static_cast<std::size_t>(row)]);
    if (!ids.empty()) part.ids.push_back(ids[static_cast<std::size_t>(row)]);
  }
  return part;
}

Dataset Dataset::columns(const std::vector<Index>& kept) const {
  const std::size_t size = size_of(type_);
  std::vector<std::byte> bytes(static_cast<std::size_t>(n_) * kept.size() * size);
  std::byte* out = bytes.data();
  for (Index i = 0; i < n_; ++i)
    for (const Index j : kept) {
      std::memcpy(out, bytes_->data() + static_cast<std::size_t>(i * dim_ + j) * size, size);
      out += size;
    }
  Dataset part(std::move(bytes), type_, n_, static_cast<Index>(kept.size()));
  if (!column_names.empty())
    for (const Index j : kept)
      part.column_names.push_back(column_names[static_cast<std::size_t>(j)]);
  part.labels = labels;
  part.ids = ids;
  return part;
}

}  // namespace mercer
