#include "mercer/models/budget_words.h"

#include "mercer/core/error.h"
#include "mercer/core/system.h"
#include "mercer/core/text.h"
#include "mercer/operators/recipe.h"
#include "mercer/solvers/recipe.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace mercer {
namespace {

// With less not even a small table could be read.
constexpr std::uint64_t kLeastMemory = std::uint64_t{1} << 20;

std::uint64_t memory_limit(const std::string& text) {
  if (text.empty()) return default_memory();
  const auto size = parse_bytes(text);
  if (!size)
    throw Error(ErrorCode::bad_size, fmt::format("--memory {}: not a size", printable(text)),
                "write a number and a unit: K, M, G or T, such as --memory 4G");
  if (*size < kLeastMemory)
    throw Error(ErrorCode::bad_size,
                fmt::format("--memory {} is {}: too little to start", text, bytes(*size)),
                *size > 0 && text.find_first_not_of("0123456789.") == text.npos
                    ? fmt::format("did you mean --memory {}G?", text)
                    : "such as --memory 64M");
  return *size;
}

double time_limit(const std::string& text) {
  const auto seconds = parse_seconds(text);
  if (!seconds || !(*seconds > 0))
    throw Error(ErrorCode::bad_option_value, fmt::format("--time {}: not a time", printable(text)),
                "write a number and a unit: ms, s, min, h or d, such as --time 10min");
  return *seconds;
}

Index thread_count(const std::string& text) {
  if (text.empty()) return 0;
  const auto value = parse_number(text);
  if (!value || *value != std::floor(*value) || *value < 1 || *value > 1e15)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--threads {}: must be a whole number >= 1", printable(text)),
                "such as --threads 2");
  if (*value > 1024)
    throw Error(ErrorCode::bad_option_value, fmt::format("--threads {}: must be <= 1024", text),
                "leave it out to use all processors");
  return static_cast<Index>(*value);
}

Precision precision_of(const std::string& word) {
  for (const Precision one : {Precision::automatic, Precision::single_, Precision::double_})
    if (word == name_of(one)) return one;
  throw Error(ErrorCode::bad_option_value,
              fmt::format("--precision {}: not known", printable(word)),
              "use auto, single or double");
}

void check_device(const std::string& device) {
  if (device == "auto" || device == "cpu") return;
  for (const std::string_view gpu : {"gpu", "cuda", "hip", "rocm", "opencl", "metal"})
    if (device == gpu)
      throw Error(ErrorCode::backend_missing,
                  fmt::format("--device {}: this build has no code for GPUs", device),
                  fmt::format("drop --device {}: it computes on the CPU", device));
  throw Error(ErrorCode::bad_option_value, fmt::format("--device {}: not known", printable(device)),
              "this build computes on the cpu: write auto or cpu");
}

// A variable of the shell that is empty must not become the planner's choice unseen.
template <class Recipe>
void refuse_empty(const char* option, const std::string& name,
                  const std::vector<const Recipe*>& recipes) {
  if (!name.empty()) return;
  std::string known = "auto";
  for (const Recipe* recipe : recipes) known += fmt::format(", {}", recipe->name);
  throw Error(ErrorCode::bad_option_value, fmt::format("--{} \"\": the name is empty", option),
              fmt::format("{}s: {}", option, known));
}

}  // namespace

Budget BudgetWords::budget() const {
  Budget budget;
  budget.memory = memory_limit(memory);
  budget.threads = thread_count(threads);
  if (!time.empty()) budget.seconds = time_limit(time);
  check_device(device);
  budget.precision = precision_of(precision);
  refuse_empty("operator", operator_name, operator_recipes());
  refuse_empty("solver", solver_name, solver_recipes());
  if (operator_name != "auto") operator_recipe(operator_name);
  if (solver_name != "auto") solver_choice(solver_name);
  if (operator_name != "auto") budget.operator_name = operator_name;
  if (solver_name != "auto") budget.solver_name = solver_name;
  return budget;
}

}  // namespace mercer
