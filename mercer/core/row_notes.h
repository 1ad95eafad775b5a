// Rows of a table that something was found out about while results were made block by block:
// numbers that are told in any order and more than once, counted once.
#pragma once

#include "mercer/core/index.h"

#include <cstddef>
#include <vector>

namespace mercer {

class RowNotes {
 public:
  /// `number` counts from 1, as messages do. By one thread at a time.
  void add(Index number) {
    const auto at = static_cast<std::size_t>(number - 1);
    if (at >= told_.size()) told_.resize(at + 1, false);
    if (told_[at]) return;
    told_[at] = true;
    ++count_;
  }
  Index count() const { return count_; }
  /// The numbers of the first rows, at most so many, ascending.
  std::vector<Index> first(Index most) const {
    std::vector<Index> numbers;
    for (std::size_t at = 0; at < told_.size(); ++at)
      if (static_cast<Index>(numbers.size()) < most && told_[at])
        numbers.push_back(static_cast<Index>(at) + 1);
    return numbers;
  }

 private:
  std::vector<bool> told_;
  Index count_ = 0;
};

}  // namespace mercer
