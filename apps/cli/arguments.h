// What several commands share: reading a table and telling of it, and what a run may use.
#pragma once

#include "apps/cli/command.h"
#include "mercer/core/budget.h"
#include "mercer/io/read_words.h"
#include "mercer/io/table.h"
#include "mercer/models/budget_words.h"

#include <string>

namespace mercer::cli {

/// Throws M102 where missing values would be left to a model that is not there.
void refuse_model_policy(const ReadWords& reading);

/// Throws M102 where rows with missing values have no place in the result.
void refuse_keeping(const ReadWords& reading, const std::string& why);
/// Throws M102 for --encode-unknown where no model encodes the rows.
void refuse_unknown_texts(const ReadWords& reading);

/// Throws M102 where missing values would be filled in: by the new table's own figures, the result
/// for a row would depend on the rows beside it. For tables that no model has figures of.
void refuse_filling(const ReadWords& reading);

/// What a run may use, watched by the terminal.
Context context_of(const BudgetWords& words, Terminal& terminal);

/// Reads a table, telling what was found and guessed.
Table read_and_tell(const std::string& path, const ReadOptions& options, const Context& context,
                    Terminal& terminal);

/// Runs `work`; an error about the data that has no place gets the name of the file they came from.
template <class Work>
auto about(const std::string& path, Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    const int code = static_cast<int>(error.code());
    const bool data = code / 100 == 2 || (code >= 710 && code <= 713);
    const std::string file = path == "-" ? "standard input" : path;
    if (!data || error.place().starts_with(file)) throw;
    throw error.at(error.place().empty() ? file : file + ", " + error.place());
  }
}

/// The name of a file without folders.
std::string base_name(const std::string& path);

}  // namespace mercer::cli
