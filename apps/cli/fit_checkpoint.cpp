#include "apps/cli/fit_checkpoint.h"

#include "apps/cli/arguments.h"
#include "apps/cli/shell.h"
#include "mercer/core/text.h"
#include "mercer/io/checkpoint_content.h"

#include <fmt/format.h>
#include <limits.h>

#include <filesystem>

namespace mercer::cli {
namespace {

// Fits predicted to take longer keep a checkpoint unasked.
constexpr double kLongSeconds = 60;

// A longer command is not stored: a header has its limits, and a part of a command is of no use.
constexpr std::size_t kLongestCommand = 1 << 16;

// Without what belongs to one run alone.
std::string bare_command(const Terminal& terminal, bool timed, const std::string& more = {}) {
  std::vector<std::string> left_out = {"--checkpoint", "--resume"};
  if (!timed) left_out.emplace_back("--time");
  return command_without(left_out, "fit", terminal.arguments, more);
}

// The work with the table's name and the command, which may change, and are therefore noted but not
// compared.
Value noted(const Value& work, const Value& notes, const std::string& table,
            const Terminal& terminal) {
  Value value = work;
  for (const auto& [name, note] : notes.as_object()) value[name] = note;
  value["table"] = printable(table);
  const std::string command = bare_command(terminal, false);
  if (command.size() <= kLongestCommand && is_utf8(command)) value["command"] = command;
  return value;
}

std::string size_text(const Value& data) {
  return fmt::format("{} rows × {} columns", grouped(data["rows"].as_integer()),
                     grouped(data["columns"].as_integer()));
}

// Where the data are what differs, they are named: nobody knows a table by its fingerprint.
Error other_table(const Error& error, const Value& before, const Value& work,
                  const std::string& table) {
  const Value& was = before["data"];
  const Value& is = work["data"];
  if (was == is) return error;
  const std::string now = printable(table);
  const std::string then =
      before["table"].is_text() ? printable(before["table"].as_text()) : "another table";
  std::string message;
  if (!was["rows"].is_integer() || !was["columns"].is_integer())
    message = "made by an older Mercer";
  else if (was["rows"] != is["rows"] || was["columns"] != is["columns"])
    message = fmt::format("made from {} of {}; given are {} of {}", size_text(was), then,
                          size_text(is), now);
  else if (then == now)
    message = fmt::format("made from {} when it held other numbers ({})", now, size_text(is));
  else
    message = fmt::format("made from {}; {} has the same size ({}) but other numbers", then, now,
                          size_text(is));
  return Error(error.code(), message, error.hint(), error.place());
}

// Nothing to compare with.
bool begins(const std::string& path) {
  std::error_code error;
  if (std::filesystem::status(path, error).type() == std::filesystem::file_type::not_found)
    return true;
  return std::filesystem::file_size(path, error) == 0 && !error;
}

std::unique_ptr<Checkpoint> opened(const std::string& path, const Value& work, const Value& notes,
                                   const std::string& table, Checkpoint::Mode mode,
                                   const Terminal& terminal) {
  using Mode = Checkpoint::Mode;
  if (begins(path))
    return std::make_unique<Checkpoint>(path, noted(work, notes, table, terminal), mode);
  try {
    return std::make_unique<Checkpoint>(path, work, mode == Mode::automatic ? Mode::start : mode);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::other_checkpoint) throw;
    if (mode == Mode::automatic)  // moves it aside
      return std::make_unique<Checkpoint>(path, noted(work, notes, table, terminal), mode);
    throw other_table(error, read_checkpoint(path).work, work, table);
  }
}

}  // namespace

void check_arguments(const CheckpointArguments& args) {
  if (!args.checkpoint.empty() && !args.resume.empty())
    throw Error(ErrorCode::bad_option_value, "--checkpoint and --resume name the same thing twice",
                "use --resume FILE to continue, --checkpoint FILE to start");
  if (args.checkpoint == "-" || args.resume == "-")
    throw Error(ErrorCode::bad_option_value, "a checkpoint is a file, not a stream",
                "such as --checkpoint fit.checkpoint; a file called - is ./-");
}

std::string checkpoint_path(const CheckpointArguments& args, const std::string& model) {
  if (!args.resume.empty()) return args.resume;
  if (!args.checkpoint.empty()) return args.checkpoint;
  return model == "-" ? std::string() : model + ".checkpoint";
}

Value head_of_checkpoint(const std::string& path, const Value& work) {
  if (path.empty() || !looks_like_checkpoint(path)) return {};
  try {
    Value head = read_checkpoint(path).work;
    for (const auto& [name, value] : work.as_object())
      if (name != "plan" && head[name] != value) return {};
    return head;
  } catch (const Error&) {
    return {};  // opening it says what is wrong
  }
}

std::unique_ptr<Checkpoint> open_checkpoint(const CheckpointArguments& args, const Plan& plan,
                                            const std::string& model, const std::string& table,
                                            const Value& work, const Value& notes,
                                            Terminal& terminal) {
  const bool asked = !args.checkpoint.empty() || !args.resume.empty();
  if (plan.solver_name == "dense") {
    if (!args.resume.empty())
      throw Error(ErrorCode::bad_option_value,
                  "the dense solver works in one piece: there is nothing to resume",
                  "give the options the checkpoint was made with, or drop --resume");
    if (asked)
      terminal.say("Note",
                   "the dense solver works in one piece: there is nothing to continue from");
    return nullptr;
  }
  if (!asked && (plan.predicted.seconds < kLongSeconds || model == "-")) return nullptr;
  const std::string path = checkpoint_path(args, model);
  if (!asked && base_name(path).size() > NAME_MAX) {  // a fit must not fail for what nobody asked
    terminal.say("Note", "no checkpoint is kept: its name would be too long   --checkpoint");
    return nullptr;
  }
  const auto mode = !args.resume.empty()       ? Checkpoint::Mode::resume
                    : !args.checkpoint.empty() ? Checkpoint::Mode::start
                                               : Checkpoint::Mode::automatic;
  auto checkpoint =
      opened(path, work, notes, table == "-" ? "standard input" : table, mode, terminal);
  if (!checkpoint->moved_to().empty())
    terminal.say("Note", fmt::format("the checkpoint of another fit is now {}",
                                     printable(checkpoint->moved_to())));
  terminal.say(checkpoint->continues() ? "Goes on" : "Keeps",
               checkpoint->continues() ? fmt::format("from {}", printable(path))
                                       : fmt::format("{} until the fit is done", printable(path)));
  return checkpoint;
}

namespace {

// The options stand before a --, which ends them.
std::string continuing_command(const std::string& checkpoint, const Terminal& terminal,
                               bool timed) {
  return bare_command(terminal, timed, "--resume " + quoted_path(checkpoint));
}

}  // namespace

Error with_way_on(const Error& error, const Checkpoint& checkpoint, const Terminal& terminal) {
  const Index kept = checkpoint.steps();
  const int kind = static_cast<int>(error.code()) / 100;  // 3: memory or time, 4: files
  if (kept == 0 || (error.code() != ErrorCode::cancelled && kind != 3 && kind != 4)) return error;
  if (error.code() == ErrorCode::folder_missing) return error;  // the model is kept elsewhere
  const bool stopped = error.code() == ErrorCode::cancelled;
  const std::string now = checkpoint.whereabouts(), fact = stopped ? "stopped" : error.message();
  if (now.empty())
    return Error(error.code(),
                 fmt::format("{}; nothing is kept: {} was removed meanwhile", fact,
                             printable(checkpoint.path())),
                 stopped ? "start the fit again" : error.hint(), error.place());
  const std::string way = "continue with: " + continuing_command(now, terminal, true);
  return Error(error.code(),
               fmt::format("{}; {} pass{} kept{}", fact, kept, kept == 1 ? " is" : "es are",
                           checkpoint.warning() ? " (" + checkpoint.warning()->message + ")" : ""),
               stopped || error.hint().empty() ? way : error.hint() + "; then " + way,
               error.place());
}

void close_checkpoint(Checkpoint& checkpoint, bool out_of_time, Terminal& terminal) {
  if (checkpoint.replayed() > 0)
    terminal.say("Resumed", fmt::format("{} of these passes came from {}", checkpoint.replayed(),
                                        printable(checkpoint.path())));
  if (checkpoint.warning()) terminal.warn(*checkpoint.warning());
  const std::string now = checkpoint.whereabouts();
  if (out_of_time && !now.empty())
    return terminal.say("Go on", continuing_command(now, terminal, false));
  if (checkpoint.remove()) return;
  const std::string name = printable(checkpoint.path());
  terminal.say("Note", now.empty() ? name + " is not this fit's checkpoint any more: left alone"
                       : now == checkpoint.path()
                           ? name + " could not be removed"
                           : "the checkpoint was moved to " + printable(now) + ": left there");
}

Value checkpoint_record(const Checkpoint& checkpoint) {
  Value value;
  value["file"] = checkpoint.path();
  value["passes"] = checkpoint.steps();
  value["replayed"] = checkpoint.replayed();
  return value;
}

}  // namespace mercer::cli
