#include "mercer/models/detail/kica/search.h"

#include "mercer/core/parallel.h"
#include "mercer/core/random.h"
#include "mercer/core/untimed.h"
#include "mercer/models/detail/ica/fixed_point.h"
#include "mercer/models/detail/kica/descent.h"
#include "mercer/models/detail/kica/planes.h"

#include <utility>
#include <vector>

namespace mercer::detail {
namespace {

// Rows of the sample that starts are compared on.
constexpr Index kSampleRows = 4096;
// What landmarks may leave of a trace: beside kappa / 2, which is added to its eigenvalues, a
// hundredth (Bach and Jordan) while a search is on its way; at its end so little that neither the
// contrast nor its minimum depend on the choice of landmarks.
constexpr double kShareOnTheWay = 1e-2, kShareAtTheEnd = 1e-8;
// FastICA only has to begin: a thousandth of a radian is near enough.
constexpr UnmixingStop kStartStop = {200, 1e-6};
// Turns in planes and the searches after them.
constexpr int kPlaneRounds = 8;

struct Rows {
  Eigen::Ref<const Block> z;
  const KicaPlan& plan;
  const Context& context;  // for questions and progress
  const Context& passes;   // for the passes, which the time does not end

  KicaSettings settings(double sigma, double share) const {
    return {plan.kind, sigma, plan.kappa, share * plan.kappa / 2};
  }
};

// One row of each of equal parts of all, drawn at random.
Block sample_of(ConstBlockRef z, std::uint64_t seed) {
  constexpr std::uint64_t kSampleStream = 0x6b696361;  // any but those of random starts
  const Random random(seed, kSampleStream);
  Block sample(kSampleRows, z.cols());
  for (Index i = 0; i < kSampleRows; ++i) {
    const double place = static_cast<double>(i) + random.uniform(static_cast<std::uint64_t>(i));
    const auto row = static_cast<Index>(place * static_cast<double>(z.rows()) / kSampleRows);
    sample.row(i) = z.row(std::min(row, z.rows() - 1));
  }
  return sample;
}

struct Start {
  Block w;
  Unmixing found;
};

Start follow_start(const Rows& rows, Index number) {
  Context quiet = rows.context;
  quiet.observer.progress = nullptr;
  Start start;
  start.w = random_rotation(rows.z.cols(), rows.plan.seed, number);
  if (number == 0)
    start.w =
        fixed_point(rows.z, start.w, Contrast::logcosh, Approach::symmetric, kStartStop, quiet).w;
  KicaObjective objective(rows.z, rows.settings(rows.plan.sigma, kShareOnTheWay), rows.passes);
  start.found = descend(objective, start.w, rows.plan.stop, quiet);
  return start;
}

// All starts at the first width; the number of the best.
Index best_start(const Rows& rows, std::vector<Start>& starts) {
  starts.resize(static_cast<std::size_t>(rows.plan.restarts + 1));
  parallel_for(rows.passes, rows.plan.restarts + 1, [&](Index number) {
    starts[static_cast<std::size_t>(number)] = follow_start(rows, number);
  });
  std::size_t best = 0;
  for (std::size_t i = 1; i < starts.size(); ++i)
    if (starts[i].found.objective < starts[best].found.objective) best = i;
  return static_cast<Index>(best);
}

// Downhill at another width.
void descend_again(const Rows& rows, double sigma, Unmixing& found) {
  if (found.late || time_is_over(rows.context)) return;
  KicaObjective objective(rows.z, rows.settings(sigma, kShareOnTheWay), rows.passes);
  const Index before = found.iterations;
  found = descend(objective, found.w, rows.plan.stop, rows.context);
  found.iterations += before;
}

// Through planes and downhill until neither finds anything lower.
void settle_in_planes(const Rows& rows, Unmixing& found) {
  const KicaSettings settings = rows.settings(rows.plan.sigma, kShareOnTheWay);
  for (int round = 0; round < kPlaneRounds; ++round) {
    if (found.late || time_is_over(rows.context)) return;
    if (!turn_in_planes(rows.z, settings, found.w, found.objective, rows.passes)) return;
    descend_again(rows, rows.plan.sigma, found);
  }
}

// To the end on all rows; the landmarks leave nearly nothing.
KicaFound finish_on_all(const Rows& rows, const Block& start, Unmixing found) {
  KicaObjective objective(rows.z, rows.settings(rows.plan.last_sigma(), kShareAtTheEnd),
                          rows.passes);
  KicaFound all;
  all.contrast_start = objective.begin(start).value;
  const Index before = found.iterations;
  all.unmixing = descend(objective, found.w, rows.plan.stop, rows.context);
  all.unmixing.iterations += before;
  all.landmarks = objective.width();
  return all;
}

}  // namespace

KicaFound kica_search(ConstBlockRef z, const KicaPlan& plan, const Context& context) {
  const Context passes = untimed(context);
  const bool many = z.rows() > kSampleRows;
  const Block sample = many ? sample_of(z, plan.seed) : Block();
  const Rows all{z, plan, context, passes};
  const Rows searched{many ? Eigen::Ref<const Block>(sample) : z, plan, context, passes};
  std::vector<Start> starts;
  const Index best = best_start(searched, starts);
  Start& start = starts[static_cast<std::size_t>(best)];
  settle_in_planes(searched, start.found);
  if (plan.narrow) descend_again(searched, plan.last_sigma(), start.found);
  KicaFound found = finish_on_all(all, start.w, std::move(start.found));
  found.start = best;
  return found;
}

}  // namespace mercer::detail
