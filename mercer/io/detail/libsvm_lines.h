// Lines of LibSVM text: label index:value index:value ... # comment. Whole blocks of lines are read
// at once, so that several can be read side by side; a block keeps its first fault, and the blocks'
// order decides which one is reported.
#pragma once

#include "mercer/core/error.h"
#include "mercer/data/dataset.h"
#include "mercer/io/detail/csv/number.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mercer::detail {

struct LibsvmFault {
  ErrorCode code = ErrorCode::libsvm_syntax;
  std::string message, hint;
};

struct LibsvmBlock {
  SparseRows rows;  // columns are the indices of the file, whether they begin at 0 or 1
  Labels labels;
  Index lines = 0;           // read so far; that of the fault where there is one
  Index largest_index = -1;  // of all features, zeros too
  bool has_index_zero = false;
  bool has_query = false;  // qid:NUMBER, which ranking data have
  Index underflows = 0;
  std::optional<LibsvmFault> fault;
};

/// Reads whole lines. `refuse_missing`: NaN is a fault (M212); otherwise it is kept as NaN.
LibsvmBlock read_libsvm_lines(std::string_view text, const NumberStyle& style, bool refuse_missing);

/// Whether the first lines are LibSVM: labels are numbers, all else is index:number, and there is
/// some. The text may end within a line.
bool looks_like_libsvm(std::string_view head);

}  // namespace mercer::detail
