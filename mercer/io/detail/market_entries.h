// The entries of a Matrix Market file, one after the other, each proved to be what the header says.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/io/detail/csv/number.h"
#include "mercer/io/detail/market_header.h"
#include "mercer/io/table.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace mercer::detail {

struct MarketEntry {
  std::int32_t row, column;  // from 0
  double value;
};

class MarketEntries {
 public:
  /// All of them must outlive the reader.
  MarketEntries(std::string_view content, const MarketHeader& header, const ReadOptions& options,
                const Context& context, const std::string& file);

  /// The next entry of a coordinate matrix. Throws M442, M212, M213 with the line.
  MarketEntry next_entry();
  /// The next number of an array; likewise.
  double next_number();
  /// Throws M442 when the file goes on after its last entry.
  void expect_no_more();
  /// Numbers that were too small for a double.
  Index underflows() const { return underflows_; }

 private:
  bool skew() const { return header_.symmetry == MarketHeader::Symmetry::skew; }
  [[noreturn]] void refuse(const std::string& message) const;
  void next_line();
  std::string_view next_word();
  std::int32_t next_index(Index count, std::string_view what);
  double next_value();
  double odd_value(CellKind kind, std::string_view word, double value);
  void expect_end();

  const MarketHeader& header_;
  NumberStyle style_;
  const Context& context_;
  const std::string& file_;
  std::string_view rest_, text_;
  Index line_, read_ = 0, underflows_ = 0;
  bool refuse_missing_;
};

}  // namespace mercer::detail
