// Dataset: samples with their names. Owns its numbers in the type they came in; copies share them,
// and what is counted of them on a memory account.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/view.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mercer {

/// Whether a text in a column of classes says that there is none: empty, NA, NaN, null or ?.
bool is_no_class(std::string_view text);

/// One text per row: a class, or an identifier.
struct Labels {
  std::string name;                  // of the column, may be empty
  std::vector<std::string> classes;  // distinct texts in order of first appearance
  std::vector<Index> of_row;         // index into classes
  bool empty() const { return of_row.empty(); }
  /// How many of them are classes: texts that say that a row has none are not.
  Index count() const;

  static Labels from_texts(std::string name, const std::vector<std::string>& texts);
  /// Bytes they take, about.
  std::uint64_t bytes() const;
};

/// Bytes that so many texts take, about.
std::uint64_t bytes_of(const std::vector<std::string>& texts);

/// Labels made of texts that come one after the other: memory is that of the different ones.
class LabelMaker {
 public:
  explicit LabelMaker(std::string name) { labels_.name = std::move(name); }
  void add(const std::string& text);
  /// Bytes taken so far, about.
  std::uint64_t bytes() const;
  Labels take() { return std::move(labels_); }

 private:
  Labels labels_;
  std::unordered_map<std::string, Index> number_;
  std::uint64_t text_bytes_ = 0;
};

/// Mostly zeros: the non-zeros of row i stand at [starts[i], starts[i + 1]), columns rising.
struct SparseRows {
  std::vector<Index> starts = {0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
};

class Dataset {
 public:
  Dataset() = default;
  /// Sparse rows; n is starts.size() - 1.
  Dataset(SparseRows rows, Index dim);
  explicit Dataset(Points points);
  /// Takes n * dim elements of the type in row-major order.
  Dataset(std::vector<std::byte> bytes, Scalar type, Index n, Index dim);
  /// The same for bytes that somebody else allocated.
  Dataset(std::shared_ptr<const std::byte> bytes, Scalar type, Index n, Index dim);

  DataView view() const;
  operator DataView() const { return view(); }
  Index n() const { return n_; }
  Index dim() const { return dim_; }
  Scalar type() const { return type_; }
  bool sparse() const { return sparse_ != nullptr; }
  /// Of sparse rows only.
  const SparseRows& sparse_rows() const { return *sparse_; }
  /// Bytes its numbers take.
  std::uint64_t bytes() const;
  /// Counts its numbers, names and labels on the context's account for as long as the numbers live,
  /// here or in a copy. Throws M301 where there is no room for them.
  void hold(const Context& context);
  /// Bytes of the account that it holds: 0 without hold().
  std::uint64_t held_bytes() const { return held_ ? held_->bytes() : 0; }
  /// The same numbers, shared, without names and labels.
  Dataset numbers() const;
  /// The same rows with the zeros written out; itself where they are already.
  Dataset dense() const;
  /// The same names and labels with other numbers of as many rows and columns.
  Dataset with_numbers(Dataset numbers) const;

  /// Only the given rows or columns, in that order; names and labels follow.
  Dataset rows(const std::vector<Index>& kept) const;
  Dataset columns(const std::vector<Index>& kept) const;

  std::vector<std::string> column_names;  // empty, or one per column
  Labels labels;
  std::vector<std::string> ids;  // empty, or one per row

 private:
  Dataset dense_rows(const std::vector<Index>& kept) const;
  Dataset dense_columns(const std::vector<Index>& kept) const;

  std::shared_ptr<const std::byte> bytes_;    // dense rows
  std::shared_ptr<const SparseRows> sparse_;  // or sparse ones
  std::shared_ptr<const MemoryAccount::Hold> held_;
  Scalar type_ = Scalar::f64;
  Index n_ = 0, dim_ = 0;
};

}  // namespace mercer
