// How right predicted classes are, told: the accuracy, and a table of which class was taken for
// which.
#pragma once

#include "apps/cli/terminal.h"
#include "mercer/models/judge.h"

#include <span>
#include <string>

namespace mercer::cli {

/// Rows: own classes; columns: predicted ones. Of many classes those that are found least often,
/// and what they were taken for.
std::string class_table_text(const ClassTable& table);

/// Tells how right the predicted classes are, where the table has classes; as members of the JSON
/// object: accuracy, confusion, recall, precision, classes. Empty where nothing can be judged.
Value judged_classes(const Predicts& model, std::span<const Index> predicted, const Labels& truth,
                     Warnings& warnings, Terminal& terminal);

}  // namespace mercer::cli
