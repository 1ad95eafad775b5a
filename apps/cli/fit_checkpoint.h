// The checkpoint of a fit: whether one is kept, where, what it belongs to, and how a fit that was
// stopped goes on.
#pragma once

#include "apps/cli/terminal.h"
#include "mercer/core/value.h"
#include "mercer/io/checkpoint.h"
#include "mercer/plan/plan.h"

#include <memory>
#include <string>

namespace mercer::cli {

struct CheckpointArguments {
  std::string checkpoint, resume;
};

/// Throws M102 for names that make no sense.
void check_arguments(const CheckpointArguments& args);

/// The checkpoint that was asked for, or else the one that a long fit keeps beside its model.
std::string checkpoint_path(const CheckpointArguments& args, const std::string& model);

/// What stands in the checkpoint's head, where it is one of this work, the plan apart; else null.
/// A fit that goes on takes the rates its plan was made with from there, not those of today.
Value head_of_checkpoint(const std::string& path, const Value& work);

/// Opens the checkpoint that was asked for, or one beside the model where the fit is predicted to
/// take more than a minute; nothing where no step could be kept. `work` is compared with what a
/// checkpoint that is there was made for; the table's name and `notes` are noted beside it.
std::unique_ptr<Checkpoint> open_checkpoint(const CheckpointArguments& args, const Plan& plan,
                                            const std::string& model, const std::string& table,
                                            const Value& work, const Value& notes,
                                            Terminal& terminal);

/// The error of a fit that did not come to its end, with the command that continues it.
Error with_way_on(const Error& error, const Checkpoint& checkpoint, const Terminal& terminal);
/// What --json tells of it.
Value checkpoint_record(const Checkpoint& checkpoint);
/// Ends a fit that has written its model: the checkpoint goes, unless time ended the fit, which can
/// go on from it then.
void close_checkpoint(Checkpoint& checkpoint, bool out_of_time, Terminal& terminal);

}  // namespace mercer::cli
