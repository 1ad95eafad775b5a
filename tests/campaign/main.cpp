// Random fits against the truth in higher precision: docs/develop/testing.md, "The campaign".
//   mercer_campaign [--seed S] [--count N]      the cases that were kept, then N drawn ones
//   mercer_campaign --only NUMBER [--seed S]    one drawn case in full
//   mercer_campaign --case 'LINE'               one case by its line
//   ... --outcomes all                          what every fit said of itself
//   ... --save FOLDER                           writes its table, and prints the command for it
#include "tests/campaign/workers.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>

namespace mercer::campaign {
namespace {

struct Wish {
  std::uint64_t seed = 1;
  Index count = 200;
  std::optional<Index> only;
  std::string line, folder;
  bool outcomes = false;  // of every case, not of violations alone
  std::string kept = MERCER_CAMPAIGN_KEPT;
};

Wish parse_wish(int argc, char** argv) {
  Wish wish;
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(option + " has no value");
    const std::string value = argv[i + 1];
    if (option == "--seed")
      wish.seed = std::stoull(value);
    else if (option == "--count")
      wish.count = std::stoll(value);
    else if (option == "--only")
      wish.only = std::stoll(value);
    else if (option == "--case")
      wish.line = value;
    else if (option == "--save")
      wish.folder = value;
    else if (option == "--outcomes")
      wish.outcomes = value == "all";
    else if (option == "--kept")
      wish.kept = value;
    else
      throw std::invalid_argument(option + " is not known");
  }
  return wish;
}

// One line each; those that begin with # say why the next one is kept.
std::vector<Configuration> read_kept(const std::string& name) {
  std::ifstream file(name);
  if (!file) throw std::runtime_error("cannot read " + name);
  std::vector<Configuration> kept;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') kept.push_back(parse_configuration(line));
  return kept;
}

class Counts {
 public:
  explicit Counts(bool outcomes = false) : every_(outcomes) {}
  void take(const Numbered& one, const Verdict& verdict) {
    ++cases_;
    ++outcomes_[verdict.outcome];
    if (every_) fmt::print("{}: {}: {}\n", one.number, verdict.outcome, text_of(verdict.ran));
    if (verdict.violations.empty()) return;
    ++violated_;
    fmt::print("case {}: {}\n", one.number, text_of(verdict.ran));
    for (const Violation& violation : verdict.violations) {
      fmt::print("    {}: {}\n", violation.kind, violation.detail);
      ++kinds_[violation.kind];
    }
    std::fflush(stdout);
  }

  int finish() const {
    fmt::print("{} cases:", cases_);
    const char* comma = "";
    for (const auto& [outcome, count] : outcomes_) {
      fmt::print("{} {} {}", comma, count, outcome);
      comma = ",";
    }
    fmt::print("\n");
    for (const auto& [kind, count] : kinds_) fmt::print("{:6} {}\n", count, kind);
    fmt::print("{} with violations\n", violated_);
    return violated_ > 0 ? 1 : 0;
  }

 private:
  bool every_;
  Index cases_ = 0, violated_ = 0;
  std::map<std::string, Index> outcomes_, kinds_;
};

int run_one(const Wish& wish) {
  const Configuration asked = wish.line.empty() ? draw_configuration(wish.seed, *wish.only)
                                                : parse_configuration(wish.line);
  fmt::print("{}\n", text_of(asked));
  if (!wish.folder.empty()) fmt::print("{}\n", save_case(asked, wish.folder));
  std::fflush(stdout);
  fmt::print("{}", describe_case(asked));
  Counts counts;
  counts.take({wish.only.value_or(0), asked}, run_case(asked));
  return counts.finish();
}

int run_many(const Wish& wish) {
  const std::vector<Configuration> kept = read_kept(wish.kept);
  const auto known = static_cast<Index>(kept.size());
  Counts counts(wish.outcomes);
  run_all(
      known + wish.count,
      [&](Index i) -> Numbered {
        if (i < known) return {i - known, kept[static_cast<std::size_t>(i)]};
        return {i - known, draw_configuration(wish.seed, i - known)};
      },
      [&](const Numbered& one, const Verdict& verdict) { counts.take(one, verdict); });
  return counts.finish();
}

}  // namespace
}  // namespace mercer::campaign

int main(int argc, char** argv) {
  using namespace mercer::campaign;
  try {
    const Wish wish = parse_wish(argc, argv);
    return wish.only || !wish.line.empty() ? run_one(wish) : run_many(wish);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
