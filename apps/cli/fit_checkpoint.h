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

/// Opens the checkpoint that was asked for, or one beside the model where the fit is predicted to
/// take more than a minute; nothing where no step could be kept. `work` is compared with what a
/// checkpoint that is there was made for; the table's name is noted beside it.
std::unique_ptr<Checkpoint> open_checkpoint(const CheckpointArguments& args, const Plan& plan,
                                            const std::string& model, const std::string& table,
                                            const Value& work, Terminal& terminal);

/// The error of a fit that was stopped, with the command that continues it.
Error with_way_on(const Error& error, const Checkpoint& checkpoint, const Terminal& terminal);
/// The same command alone; without the limit of time unless `timed`.
std::string continuing_command(const Checkpoint& checkpoint, const Terminal& terminal, bool timed);

}  // namespace mercer::cli
