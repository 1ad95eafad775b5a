#include "apps/cli/course.h"

#include <algorithm>
#include <cmath>

namespace mercer::cli {
namespace {

// Between two products the solver works with what it has: so much of the way to the next one is the
// product itself.
constexpr double kPassItself = 0.85;
// Where no plan says how many products there will be; and where nothing was seen of the search yet,
// as few as are believed.
constexpr double kUsualPasses = 8, kFewestPasses = 4;
// Of what is left of its stage, the part of a phase that is not the first.
constexpr double kLaterPhases = 0.6;
// A stage mostly has one phase, and little beside it.
constexpr double kFirstPhase = 0.95;

// Up to nine tenths of the expected number each product counts the same; more of them share the
// rest, which they never use up.
double share_of_passes(double made, double expected) {
  const double straight = 0.9 * expected;
  if (made <= straight) return made / expected;
  return 1 - 0.1 * std::exp(-(made - straight) / (0.1 * expected));
}

}  // namespace

void Course::begin(std::string_view name, double end) {
  whole_ = begin_ = begun() ? end_ : 0;
  end_ = std::max(end, begin_);
  stage_ = name;
  phase_.clear();
  passes_ = expected_ = kUsualPasses;
  first_ = kFirstPhase;
  from_ = begin_;
  span_ = last_ = 0;
  search_ = 1;
  pass_ = -1;
}

void Course::expect(double passes, double first, double search) {
  passes_ = passes > 0 ? passes : kUsualPasses;
  expected_ = std::max(passes_, kFewestPasses);
  first_ = first * search;
  search_ = search;
}

double Course::of_stage() const { return end_ > begin_ ? (whole_ - begin_) / (end_ - begin_) : 1; }

// A search that begins anew has its part of what is left. After a product, "solve" tells how much
// of the way to the tolerance is made, in powers of ten: by the products it took, those that are
// still to come.
double Course::in_search(const Progress& progress, double done) {
  const auto pass = static_cast<double>(progress.search->pass);
  if (pass_ < 0 || progress.search->pass < pass_) {
    from_ = whole_;
    to_ = from_ + search_ * (end_ - from_);
  }
  pass_ = progress.search->pass;
  const bool after = progress.phase == "solve";
  if (after && pass > 1)
    expected_ = std::max(passes_, pass + (pass - 1) * (1 - done) / std::max(done, 0.02));
  const double made = pass - 1 + kPassItself * (after ? 1 : done);
  return from_ + (to_ - from_) * share_of_passes(std::max(0.0, made), expected_);
}

// The same phase once more is another one.
double Course::in_phase(std::string_view phase, double done) {
  if (phase_ != phase || done < last_) {
    span_ = phase_.empty() ? first_ : kLaterPhases;
    from_ = whole_;
    span_ *= end_ - from_;
    phase_ = phase;
  }
  last_ = done;
  return from_ + span_ * done;
}

double Course::at(const Progress& progress) {
  const double done = std::clamp(progress.done, 0.0, 1.0);
  if (progress.search)
    whole_ = std::max(whole_, in_search(progress, done));
  else if (pass_ < 0)  // what is told between two products is part of the search
    whole_ = std::max(whole_, in_phase(progress.phase, done));
  return whole_;
}

}  // namespace mercer::cli
