// New rows that a model's kernel does not reach, as a command tells of them.
#pragma once

#include "apps/cli/model_table.h"
#include "mercer/core/row_notes.h"

namespace mercer::cli {

/// W249 to the warnings and the terminal where there are such rows; how many, and the numbers of
/// the first thousand, into the object.
void tell_out_of_reach(const RowNotes& notes, const NewRows& rows, Warnings& warnings,
                       Value& object, Terminal& terminal);

}  // namespace mercer::cli
