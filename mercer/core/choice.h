// Choice<E>: a value of an enum that people write as a word. Options are declared with it, so that
// callers in C++ may give the enumerator or the word, and that a word nobody knows is refused where
// it is given.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace mercer {

/// How the values of an enum are spelt, in the order of its enumerators. An enum E that is offered
/// as a choice has a function `constexpr ChoiceWords choice_words(E)` beside it.
struct ChoiceWords {
  std::string_view what;    // "kind of input": for messages
  std::string_view plural;  // "kinds of input"
  std::span<const std::string_view> words;
};

/// Where the word stands among the words; throws M102, with the nearest one as a hint.
std::size_t position_of(std::string_view word, const ChoiceWords& choice);

template <class E>
class Choice {
 public:
  constexpr Choice(E value) : value_(value) {}
  /// These throw M102 for a word that is not known.
  Choice(std::string_view word) : value_(static_cast<E>(position_of(word, choice_words(E{})))) {}
  Choice(const char* word) : Choice(std::string_view(word)) {}
  Choice(const std::string& word) : Choice(std::string_view(word)) {}

  constexpr operator E() const { return value_; }
  constexpr std::string_view word() const {
    return choice_words(value_).words[static_cast<std::size_t>(value_)];
  }
  friend constexpr bool operator==(Choice a, Choice b) { return a.value_ == b.value_; }
  friend constexpr bool operator==(Choice a, E b) { return a.value_ == b; }

 private:
  E value_;
};

}  // namespace mercer
