#include "mercer/core/choice.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <vector>

namespace mercer {

std::size_t position_of(std::string_view word, const ChoiceWords& choice) {
  for (std::size_t i = 0; i < choice.words.size(); ++i)
    if (choice.words[i] == word) return i;
  const std::vector<std::string> known(choice.words.begin(), choice.words.end());
  throw Error(ErrorCode::bad_option_value,
              fmt::format("unknown {} \"{}\"", choice.what, printable(word)),
              suggest(word, known, choice.plural));
}

}  // namespace mercer
