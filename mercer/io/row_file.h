// Rows of a file that are read in pieces, at every walk anew: for tables larger than memory. NPY
// arrays in C order and IDX arrays can be read so, unless they are compressed. What was read is not
// kept, and the file is not mapped: memory is that of a piece.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/data/row_source.h"
#include "mercer/io/table.h"

#include <memory>
#include <string>
#include <variant>

namespace mercer {

class RowFile final : public RowSource {
 public:
  ~RowFile() override;

  Index n() const override;
  Index dim() const override;
  Scalar type() const override;
  std::uint64_t chunk_bytes() const override;
  /// Throws M405 where the file is not what it was when it was opened, M411, and M001 or M303 when
  /// the context it was opened with says so.
  void each_chunk(const Take& take) const override;

  /// Bytes that the table would take in memory.
  std::uint64_t table_bytes() const;
  /// As in the catalogue: "npy", "idx".
  const std::string& format() const;
  const std::vector<Index>& image_shape() const;

 private:
  struct File;
  explicit RowFile(std::unique_ptr<File> file);
  friend std::variant<std::unique_ptr<RowFile>, std::string> open_rows(const std::string&,
                                                                       const ReadOptions&,
                                                                       const Context&);

  std::unique_ptr<File> file_;
};

/// The rows of a file; or the reason why it must be read as a whole: the format, compression, the
/// order of the numbers, an option that asks for columns, classes or missing values. Throws what
/// reading the header throws.
std::variant<std::unique_ptr<RowFile>, std::string> open_rows(const std::string& path,
                                                              const ReadOptions& options,
                                                              const Context& context);

}  // namespace mercer
