// Reading CSV text in tests: values, errors and notes in one line each.
#pragma once

#include "mercer/io/table.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

const TableFormat& csv_format();

namespace csv_reading {

inline Table read(std::string_view text, const ReadOptions& options = {},
                  const Context& context = {}) {
  Source source(text, "t.csv", context.budget.memory);
  return csv_format().read(source, options, context);
}

// The error of reading; fails the test where there is none.
inline Error error_of(std::string_view text, const ReadOptions& options = {},
                      const Context& context = {}) {
  try {
    read(text, options, context);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "read without an error: " << text.substr(0, 80);
  return {ErrorCode::internal, "none"};
}

inline std::string code_of(std::string_view text, const ReadOptions& options = {}) {
  return code_text(error_of(text, options).code());
}

inline bool has_note(const Table& table, std::string_view text, std::string_view flag = "") {
  for (const Note& note : table.notes)
    if (note.text.find(text) != std::string::npos && note.flag.find(flag) != std::string::npos)
      return true;
  return false;
}

inline bool has_warning(const Table& table, WarningCode code) {
  for (const Warning& warning : table.warnings)
    if (warning.code == code) return true;
  return false;
}

inline void expect_values(const Table& table, const std::vector<std::vector<double>>& rows) {
  ASSERT_EQ(table.data.n(), static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(table.data.dim(), static_cast<Index>(rows[i].size()));
    for (std::size_t j = 0; j < rows[i].size(); ++j)
      EXPECT_EQ(table.data.view().at(static_cast<Index>(i), static_cast<Index>(j)), rows[i][j])
          << i << " " << j;
  }
}

using Texts = std::vector<std::string>;

}  // namespace csv_reading
}  // namespace mercer
