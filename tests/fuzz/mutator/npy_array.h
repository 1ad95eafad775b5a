// Changes an NPY array: its dictionary, its data, its version or all of it, with a length field
// that fits the dictionary.
#pragma once

#include "tests/fuzz/mutator/mutate.h"

#include <array>

namespace mercer::fuzz {

/// Words that a dictionary may hold, put in place of another.
inline void exchange_word(std::string& dictionary, Dice& dice) {
  static constexpr std::array<std::string_view, 30> kWords = {
      "'<f8'",     "'<f4'",          "'|u1'",   "'>f8'",    "'<f2'",
      "'<i8'",     "'>i4'",          "'|b1'",   "'<u2'",    "'|S3'",
      "'<U2'",     "'<c16'",         "'|O'",    "True",     "False",
      "(2, 3)",    "(6,)",           "()",      "(1, 6)",   "(3L, 2)",
      "(2, 3, 1)", "(65536, 65536)", "(0, 3)",  "(3, 0)",   "(1, 9223372036854775807)",
      "'<f16'",    "'descr'",        "'shape'", "'<M8[s]'", "[('a', '<f8')]"};
  const std::size_t colon = dictionary.find(": ", dice.roll(dictionary.size() + 1));
  if (colon == dictionary.npos) return;
  const std::size_t begin = colon + 2;
  const bool tuple = dictionary.compare(begin, 1, "(") == 0;
  const std::size_t end = dictionary.find_first_of(tuple ? ")" : ",}", begin);
  if (end == dictionary.npos) return;
  dictionary.replace(begin, end - begin + (tuple ? 1 : 0), kWords[dice.roll(kWords.size())]);
}

inline void mutate_npy(std::string& array, Dice& dice) {
  const std::size_t start = array.size() > 6 && array[6] > 1 ? 12 : 10;
  std::size_t length = 0;
  if (array.size() > start) std::memcpy(&length, array.data() + 8, start - 8);
  const std::size_t kind = dice.roll(8);
  if (array.size() <= start || length > array.size() - start || kind == 0) return mutate(array);
  std::string dictionary = array.substr(start, length), data = array.substr(start + length);
  if (kind == 1)
    mutate(dictionary);
  else if (kind < 5)
    exchange_word(dictionary, dice);
  else if (kind == 5)
    data.resize(data.size() / 8 * 8 + dice.roll(17), '\x40');
  else
    mutate(data);
  length = dictionary.size();
  std::memcpy(array.data() + 8, &length, start - 8);
  array.resize(start);
  array += dictionary + data;
}

}  // namespace mercer::fuzz
