#include "mercer/io/read_words.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace mercer {
namespace {

Index lines_to_skip(const std::string& text) {
  const auto value = parse_number(text);
  if (!value || *value != std::floor(*value) || *value < 0 || *value > 1e15)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--skip {}: must be a whole number >= 0", printable(text)),
                "such as --skip 1");
  return static_cast<Index>(*value);
}

std::optional<char> single_character(const char* option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "tab" || text == "\\t") return '\t';
  if (text == "space") return ' ';
  if (text == "comma") return ',';
  if (text == "semicolon") return ';';
  if (text.size() == 1) return text[0];
  throw Error(ErrorCode::bad_option_value,
              fmt::format("--{} {}: must be one character", option, printable(text)),
              "tab, space, comma and semicolon may be written as words");
}

std::optional<bool> header_of(const std::string& word) {
  if (word.empty()) return std::nullopt;
  if (word != "yes" && word != "no")
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--header {}: must be yes or no", printable(word)),
                "use --header yes or --header no");
  return word == "yes";
}

void check_policy(const std::string& word) {
  static const std::array<std::string, 6> policies = {"error", "drop",   "keep",
                                                      "mean",  "median", "model"};
  if (std::ranges::find(policies, word) == policies.end())
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--missing {}: not known", printable(word)),
                suggest(word, policies, "policies"));
}

// onehot:colour,size,ordinal:grade comes in the parts between the commas.
std::vector<EncodeColumns> encode_of(const std::vector<std::string>& words) {
  static const std::array<std::string, 6> kinds = {"onehot", "ordinal",  "frequency",
                                                   "date",   "date-dmy", "date-mdy"};
  std::vector<EncodeColumns> encode;
  for (const std::string& word : words) {
    const std::size_t colon = std::min(word.find(':'), word.size());
    const std::string kind = word.substr(0, colon);
    const bool known = std::ranges::find(kinds, kind) != kinds.end();
    const bool goes_on = !encode.empty() && !encode.back().columns.empty();
    if (!known && !goes_on)
      throw Error(ErrorCode::bad_option_value,
                  fmt::format("--encode {}: not known", printable(word)),
                  suggest(kind, kinds, "encodings") + ", such as --encode onehot:COLUMN");
    if (known && colon + 1 == word.size())
      throw Error(ErrorCode::bad_option_value,
                  fmt::format("--encode {}: names no column", printable(word)),
                  fmt::format("such as --encode {}:COLUMN, or {} alone", kind, kind));
    if (!known)
      encode.back().columns.push_back(word);
    else if (colon == word.size())
      encode.push_back({kind, {}});
    else
      encode.push_back({kind, {word.substr(colon + 1)}});
  }
  return encode;
}

bool unknown_is_zero(const std::string& word) {
  if (word != "error" && word != "zero")
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--encode-unknown {}: must be error or zero", printable(word)),
                "use --encode-unknown zero to take such texts for none of the known ones");
  return word == "zero";
}

}  // namespace

ReadOptions ReadWords::options() const {
  ReadOptions options;
  options.columns.targets = columns.targets;
  options.format = text.format;
  options.text.delimiter = single_character("delimiter", text.delimiter);
  options.text.decimal = single_character("decimal", text.decimal);
  options.text.thousands = single_character("thousands", text.thousands);
  if (options.text.decimal && *options.text.decimal != '.' && *options.text.decimal != ',')
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--decimal {}: must be . or ,", printable(text.decimal)),
                "use --decimal . or --decimal ,");
  options.text.header = header_of(text.header);
  options.text.na = text.na;
  options.text.skip = lines_to_skip(text.skip);
  options.columns.only = columns.columns;
  options.columns.drop = columns.drop;
  options.columns.label = columns.label;
  options.columns.encode = encode_of(columns.encode);
  options.columns.unknown_is_zero = unknown_is_zero(columns.encode_unknown);
  options.columns.missing_given = !columns.missing.empty();
  if (options.columns.missing_given) {
    check_policy(columns.missing);
    options.columns.missing = columns.missing;
  }
  options.images = images;
  if (rejects == "-")
    throw Error(ErrorCode::bad_option_value,
                "--rejects -: rejected rows go to a file, standard output is for results",
                "such as --rejects rejects.csv");
  options.rejects = rejects;
  if (!first_index.empty()) {
    if (first_index != "0" && first_index != "1")
      throw Error(ErrorCode::bad_option_value,
                  fmt::format("--first-index {}: must be 0 or 1", printable(first_index)),
                  "use --first-index 0 or --first-index 1");
    options.first_index = first_index == "0" ? 0 : 1;
  }
  return options;
}

}  // namespace mercer
