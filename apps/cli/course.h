// Course: how much of a command's whole work is done, from what its phases tell. A command has
// stages, such as reading, planning, solving, writing; each has its part of the whole, which the
// phases that are told within it share:
//   products with the matrix, by their number: as many as the plan expects, or more where the
//   search is slower than that;
//   phases that nobody can foresee: each takes more than half of what is left.
// What was told never falls, and only the end of the last stage is 1.
#pragma once

#include "mercer/core/observer.h"

#include <string>
#include <string_view>

namespace mercer::cli {

class Course {
 public:
  /// The next stage, which takes the whole to `end`.
  void begin(std::string_view name, double end);
  /// Of this stage: products with the matrix that are expected (0: not known), the part of the
  /// stage that its first phase takes, and the part of what is left that each search has: less
  /// than 1 where others may follow.
  void expect(double passes, double first, double search = 1);
  /// What is done of the whole, now that a phase is here.
  double at(const Progress& progress);

  double whole() const { return whole_; }
  /// What is done of the stage.
  double of_stage() const;
  bool begun() const { return !stage_.empty(); }

 private:
  double in_search(const Progress& progress, double done);
  double in_phase(std::string_view phase, double done);

  std::string stage_, phase_;
  double begin_ = 0, end_ = 1, whole_ = 0;        // of the stage, and where the whole is
  double passes_ = 0, expected_ = 0, first_ = 1;  // products planned, and by what was seen
  double from_ = 0, span_ = 0, last_ = 0;  // of the phase: where it begins, its part, its progress
  double search_ = 1, to_ = 1;             // of a search: its part of what is left, and its end
  std::ptrdiff_t pass_ = -1;               // of the search, where there is one
};

}  // namespace mercer::cli
