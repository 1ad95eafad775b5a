#include "mercer/models/score_inverse.h"

#include "mercer/core/check.h"
#include "mercer/core/fields.h"
#include "mercer/core/parallel.h"
#include "mercer/core/per_thread.h"
#include "mercer/core/steps.h"
#include "mercer/linalg/definite.h"
#include "mercer/operators/gram_tiles.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace mercer {
namespace {

constexpr std::string_view kMember = "preimage";
const std::string kPrefix = "preimage.";

MemoryAccount::Hold room_for(DataView rows, const Context& context) {
  const auto n = static_cast<std::uint64_t>(rows.n());
  return context.hold(sizeof(double) * n * (n + 2 * static_cast<std::uint64_t>(rows.dim())),
                      "the kernel values between all scores, for the way back,");
}

// K + alpha I; of K the lower triangle suffices.
Block regularised(const GramProblem& problem, double alpha, const Context& context) {
  const GramTiles<double> tiles(problem, context);
  std::vector<TilePair> pairs;
  for (const auto& round : tiles.rounds()) pairs.insert(pairs.end(), round.begin(), round.end());
  Block matrix(tiles.n(), tiles.n());
  const auto count = static_cast<Index>(pairs.size());
  Steps steps(context, "way back", count);
  parallel_for(context, count, [&](Index t) {
    const TilePair pair = pairs[static_cast<std::size_t>(t)];
    const Range first = tiles.block(pair.first), second = tiles.block(pair.second);
    Points tile(first.size(), second.size());
    tiles.fill(pair, tile.data(), per_thread<GramTiles<double>::Scratch>());
    matrix.block(second.begin, first.begin, second.size(), first.size()) =
        tile.transpose() * tiles.unit();
    steps.done();
  });
  matrix.diagonal().array() += alpha;
  return matrix;
}

}  // namespace

void ScoreInverse::check_room(DataView rows, const Context& context) {
  static_cast<void>(room_for(rows, context));
}

void ScoreInverse::check_kernel(const Kernel& kernel) {
  const Definite definite = kernel.definite();
  const bool centred = definite == Definite::centred || definite == Definite::affine;
  if (!centred && !kernel.non_negative()) return;
  throw Error(ErrorCode::bad_option_value,
              fmt::format("{} between scores: {}", kernel.spec(),
                          centred ? "it is positive semidefinite after centring only"
                                  : "they are negative, too, and the kernel needs values >= 0"),
              "name another kernel for the way back: --preimage-kernel gaussian");
}

ScoreInverse ScoreInverse::learn(ConstBlockRef scores, DataView rows, const Kernel& kernel,
                                 double alpha, const Context& context) {
  const MemoryAccount::Hold held = room_for(rows, context);
  const Points points = scores;
  const Kernel resolved = kernel.resolve(points, context);
  const GramProblem problem{points, resolved, false};
  Block weights = rows.to_points();
  {
    Block matrix = regularised(problem, alpha, context);
    if (!test_definite(matrix, 1, context).definite)
      throw Error(
          ErrorCode::indefinite_kernel,
          fmt::format("the regression of the way back: {} between scores, and alpha = {:.4g} "
                      "on the diagonal, is not positive definite",
                      resolved.spec(), alpha),
          "raise --alpha, or name another kernel: --preimage-kernel gaussian");
    solve_definite(matrix, weights, context);
  }
  KernelExpansion expansion(resolved, false);
  expansion.over_rows(Dataset(points), frame_of(problem, context), std::move(weights),
                      Vector::Zero(rows.dim()));
  return ScoreInverse(std::move(expansion));
}

Points ScoreInverse::rows(ConstBlockRef scores, const Context& context) const {
  const Points points = scores;
  return expansion_.values_of_blocks(nullptr, context)(points);
}

void ScoreInverse::save(State& state) const {
  State own;
  own.views = state.views;
  own.values["kernel"] = expansion_.description();
  expansion_.save(own);
  state.values[kMember] = std::move(own.values);
  for (Array& array : own.arrays) {
    array.name = kPrefix + array.name;
    state.arrays.push_back(std::move(array));
  }
}

std::optional<ScoreInverse> ScoreInverse::load(State& state, Index n, Index dim, Index components) {
  const State& read_only = state;
  if (read_only.values[kMember].is_null()) return std::nullopt;
  State own{{}, read_only.values[kMember], {}};
  const Fields fields(own.values, std::string(kMember));
  std::vector<Array> others;
  for (Array& array : state.arrays) {
    const bool ours = array.name.starts_with(kPrefix);
    if (ours) array.name.erase(0, kPrefix.size());
    (ours ? own.arrays : others).push_back(std::move(array));
  }
  state.arrays = std::move(others);
  if (fields.text("as") != Choice<Given>(Given::table).word() || fields.has("features"))
    fields.refuse("as", "the way back is of a table of scores");
  return ScoreInverse(KernelExpansion::load(own, n, components, dim, true));
}

}  // namespace mercer
