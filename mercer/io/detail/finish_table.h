// What binary and sparse readers do with their numbers: the columns asked for, the label column
// among them, missing values. What is made here is counted on the context's account; what the
// caller has, it has counted.
#pragma once

#include "mercer/io/detail/numpy/npy_values.h"
#include "mercer/io/table.h"

#include <cstdint>
#include <string>

namespace mercer::detail {

// More are a damaged header or a delimiter gone wrong, and names of columns would fill the memory.
constexpr Index kMostColumns = 10'000'000;

/// What a file names besides its numbers.
struct Names {
  std::vector<std::string> columns = {};  // empty, or one per column
  std::vector<std::string> ids = {};      // empty, or one per row
  Labels labels = {};
};

/// Throws M215 for a table of too many columns.
void check_columns(Index dim, const std::string& file);

/// Takes the chosen columns of an array, its first extent counting rows. Throws what
/// choose_columns() and treat_missing() throw, M211, M301.
void finish_table(Table& table, const NpyMatrix& matrix, Names names, const ReadOptions& options,
                  const Context& context, const std::string& file);

/// The same for numbers that are there already, dense or sparse.
void finish_table(Table& table, Dataset data, const ReadOptions& options, const Context& context,
                  const std::string& file);

}  // namespace mercer::detail
