#include "mercer/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace mercer {
namespace {

constexpr std::array kCodes = {
#define MERCER_CODE(number, name, summary, text) CodeInfo{'M', number, #name, summary, text},
#define MERCER_WARNING(number, name, summary, text) CodeInfo{'W', number, #name, summary, text},
#include "mercer/core/codes.def"
#undef MERCER_CODE
#undef MERCER_WARNING
};

// Levenshtein distance with transpositions counted once, since those are the commonest slips.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    next[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = row[j] + (a[i] == b[j] ? 0 : 1);
      next[j + 1] = std::min({change, row[j + 1] + 1, next[j] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
    }
    std::swap(before, row);
    std::swap(row, next);
  }
  return row[b.size()];
}

}  // namespace

std::span<const CodeInfo> all_codes() { return kCodes; }

std::string code_text(ErrorCode code) { return fmt::format("M{:03}", static_cast<int>(code)); }
std::string code_text(WarningCode code) { return fmt::format("W{:03}", static_cast<int>(code)); }

int exit_status(ErrorCode code) {
  if (code == ErrorCode::cancelled) return 130;
  // M0xx to M9xx, in the order of the table of exit statuses in docs/reference/errors.md.
  constexpr std::array kStatusOfHundreds = {1, 2, 3, 5, 4, 1, 6, 7, 8, 1};
  return kStatusOfHundreds.at(static_cast<std::size_t>(code) / 100);
}

Error::Error(ErrorCode code, std::string message, std::string hint, std::string place)
    : code_(code), message_(std::move(message)), hint_(std::move(hint)), place_(std::move(place)) {
  what_ = code_text(code_) + ": " + message_;
  if (!place_.empty()) what_ += " (" + place_ + ")";
  if (!hint_.empty()) what_ += "; " + hint_;
}

std::optional<std::string> nearest_name(std::string_view typed,
                                        std::span<const std::string> known) {
  std::string lower(typed);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  typed = lower;
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string& name : known) {
    const std::size_t distance = edit_distance(typed, name);
    if (distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  // An abbreviation of one name, such as gauss.
  if (!best && typed.size() >= 3)
    for (const std::string& name : known)
      if (name.starts_with(typed) && !best) best = name;
  return best;
}

std::string suggest(std::string_view typed, std::span<const std::string> known,
                    std::string_view what) {
  if (const auto near = nearest_name(typed, known))
    return fmt::format("did you mean \"{}\"?", *near);
  constexpr std::size_t kShown = 24;  // names: more of them nobody reads
  const auto shown = known.first(std::min(known.size(), kShown));
  return fmt::format("{}: {}{}", what, fmt::join(shown, ", "), known.size() > kShown ? ", …" : "");
}

}  // namespace mercer
