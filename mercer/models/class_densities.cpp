#include "mercer/models/class_densities.h"

#include "mercer/core/check.h"
#include "mercer/core/parallel.h"
#include "mercer/core/text.h"
#include "mercer/linalg/pick_rows.h"
#include "mercer/linalg/tall.h"

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {
namespace {

constexpr Index kScoredRows = 512;
// A variance below this share of the largest is rounding.
constexpr double kLeastPivot = 1e-12;

// L^-1 of a covariance; `whose`: for messages.
Block inverse_root(const Block& covariance, const std::string& whose) {
  const Eigen::LLT<Block> root(covariance);
  const Index k = covariance.rows();
  const double least =
      root.info() == Eigen::Success ? root.matrixLLT().diagonal().cwiseAbs2().minCoeff() : 0;
  if (!(least > kLeastPivot * covariance.diagonal().maxCoeff()))
    throw Error(ErrorCode::singular_within,
                fmt::format("the scores of {} do not vary in all {} discriminants", whose, k),
                "use --classifier nearest, a larger --ridge, or fewer --components");
  return root.matrixL().solve(Block::Identity(k, k));
}

// Rows of every class.
std::vector<std::vector<Index>> members_of(const ClassCounts& classes) {
  std::vector<std::vector<Index>> members(classes.sizes.size());
  for (std::size_t i = 0; i < classes.of_row().size(); ++i)
    members[static_cast<std::size_t>(classes.of_row()[i])].push_back(static_cast<Index>(i));
  return members;
}

Block own_inverse(const Block& scores, const Block& means, Index c,
                  const std::vector<Index>& members, const std::string& name,
                  const Context& context) {
  const Index k = scores.cols(), size = static_cast<Index>(members.size());
  if (size == 0) return Block::Identity(k, k);
  if (size <= k)
    throw Error(ErrorCode::classes_too_small,
                fmt::format("class \"{}\" has {} row{}: a covariance of its own in {} "
                            "discriminants takes at least {}",
                            printable(name), size, size == 1 ? "" : "s", k, k + 1),
                "use --covariance shared, or fewer --components");
  Block apart = pick_rows(scores, members);
  apart.rowwise() -= means.row(c);
  return inverse_root(self_products(apart, context) / static_cast<double>(size - 1),
                      fmt::format("class \"{}\"", printable(name)));
}

}  // namespace

ClassDensities class_densities(const Block& scores, const Block& means, const ClassCounts& classes,
                               Vector priors, Covariances covariances, const Context& context) {
  ClassDensities found{means, std::move(priors), {}};
  const Index k = scores.cols();
  if (covariances == Covariances::identity) return found;
  const std::vector<std::vector<Index>> members = members_of(classes);
  if (covariances == Covariances::own) {
    found.inverses.resize(classes.count() * k, k);
    for (Index c = 0; c < classes.count(); ++c) {
      context.check_cancelled();
      const auto at = static_cast<std::size_t>(c);
      found.inverses.middleRows(c * k, k) =
          own_inverse(scores, means, c, members[at], classes.labels->classes[at], context);
    }
    return found;
  }
  Block apart = scores;
  for (Index i = 0; i < apart.rows(); ++i)
    apart.row(i) -= means.row(classes.of_row()[static_cast<std::size_t>(i)]);
  const auto free = static_cast<double>(scores.rows() - classes.present);
  found.inverses = inverse_root(self_products(apart, context) / free, "the classes");
  return found;
}

Block ClassDensities::probabilities(const Block& scores, const Context& context) const {
  const Index classes = means.rows(), k = means.cols();
  const bool own = inverses.rows() > k;
  Vector constants = priors.array().log();  // minus infinity for a prior of 0
  for (Index c = 0; own && c < classes; ++c)
    constants[c] += inverses.middleRows(c * k, k).diagonal().array().log().sum();
  Block out(scores.rows(), classes);
  const std::vector<Range> parts = tiles_of(scores.rows(), kScoredRows);
  parallel_for(context, static_cast<Index>(parts.size()), [&](Index t) {
    const Range part = parts[static_cast<std::size_t>(t)];
    Vector apart(k), logs(classes);
    for (Index i = part.begin; i < part.end; ++i) {
      for (Index c = 0; c < classes; ++c) {
        apart = scores.row(i) - means.row(c);
        if (inverses.size() > 0)
          apart = (inverses.middleRows(own ? c * k : 0, k).triangularView<Eigen::Lower>() * apart)
                      .eval();
        logs[c] = constants[c] - apart.squaredNorm() / 2;
      }
      const double largest = logs.maxCoeff();
      // So far away that all squares overflow: nothing is known but the priors.
      if (!std::isfinite(largest)) {
        out.row(i) = priors / priors.sum();
        continue;
      }
      logs = (logs.array() - largest).exp();
      out.row(i) = logs / logs.sum();
    }
  });
  return out;
}

void ClassDensities::save(State& state) const {
  state.add("class_means", means);
  state.add("priors", priors);
  if (inverses.size() > 0) state.add("class_inverses", inverses);
}

ClassDensities ClassDensities::load(const State& state, Index classes, Index scores) {
  ClassDensities loaded;
  loaded.means = state.array("class_means").as_points();
  require(
      loaded.means.rows() == classes && loaded.means.cols() == scores && loaded.means.allFinite(),
      ErrorCode::bad_model_content,
      "array \"class_means\" is not one finite number for each class and discriminant");
  loaded.priors = state.vector("priors", classes);
  require((loaded.priors.array() >= 0).all() && loaded.priors.sum() > 0,
          ErrorCode::bad_model_content, "array \"priors\" is not one number >= 0 for each class");
  if (state.find("class_inverses") == nullptr) return loaded;
  loaded.inverses = state.array("class_inverses").as_points();
  const bool fits =
      loaded.inverses.cols() == scores &&
      (loaded.inverses.rows() == scores || loaded.inverses.rows() == classes * scores);
  require(fits && loaded.inverses.allFinite(), ErrorCode::bad_model_content,
          "array \"class_inverses\" is not a finite table for all classes or for each");
  for (Index i = 0; i < loaded.inverses.rows(); ++i)
    require(loaded.inverses(i, i % scores) > 0, ErrorCode::bad_model_content,
            "array \"class_inverses\" has a diagonal that is not positive");
  return loaded;
}

Vector priors_of(std::string_view words, const ClassCounts& classes) {
  Vector priors(classes.count());
  double sum = 0;
  if (words == "empirical" || words == "equal") {
    for (Index c = 0; c < classes.count(); ++c)
      priors[c] = words == "equal" ? (classes.size(c) > 0 ? 1 : 0) : classes.size(c);
    return priors / priors.sum();
  }
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::bad_option_value, fmt::format("priors = {}: {}", printable(words), why),
                fmt::format("empirical, equal, or {} numbers that add up to 1, in the order of the "
                            "classes",
                            classes.count()));
  };
  Index count = 0;
  for (std::size_t begin = 0; begin <= words.size();) {
    const std::size_t end = std::min(words.find(',', begin), words.size());
    const auto number = parse_number(words.substr(begin, end - begin));
    if (!number || !(*number >= 0 && *number <= 1)) refuse("not a list of numbers from 0 to 1");
    if (count < priors.size()) priors[count] = *number;
    sum += *number;
    ++count;
    begin = end + 1;
  }
  if (count != priors.size())
    refuse(fmt::format("{} numbers for {} classes", count, priors.size()));
  if (!(std::abs(sum - 1) < 1e-6)) refuse(fmt::format("they add up to {}", brief(sum, 6)));
  return priors / sum;
}

}  // namespace mercer
