// How many components the data call for: the rules behind --components auto:RULE. With lambda_1 >=
// lambda_2 >= ... the variances along the axes of n rows with dim columns:
//     minka         the count with the largest evidence, by Laplace's approximation (Minka, 2000)
//     parallel      those above the 95 % quantile of their like in 200 tables whose columns are
//                   shuffled, each by itself (Horn, 1965)
//     broken-stick  while lambda_k / trace > (1 / dim) sum_{i=k}^{dim} 1 / i
//     likelihood    the largest likelihood of rows that were left out, in five parts
// Variances are those of the columns as they are, or of standardised columns, for models that do
// not depend on the units of the columns. A rule that finds none gives one: a model has at least
// one component.
#pragma once

#include "mercer/core/budget.h"
#include "mercer/core/types.h"
#include "mercer/data/view.h"
#include "mercer/models/components.h"
#include "mercer/models/report.h"

#include <array>
#include <functional>
#include <span>
#include <string_view>

namespace mercer {

enum class ComponentRule { minka, parallel, broken_stick, likelihood };

inline constexpr std::array<std::string_view, 4> kComponentRules = {"minka", "parallel",
                                                                    "broken-stick", "likelihood"};

/// The rule that components asked for by one mean, of those that a method offers; the first where
/// none is named. Throws M102, naming them.
ComponentRule rule_of(const Components& components, std::span<const ComponentRule> offered);

/// What a report says of a count that this rule found.
ChosenComponents chosen_by(ComponentRule rule, Index count);

/// Log density of rows that were left out, summed, under a model of so many components.
using LeftOutDensity = std::function<double(Index components)>;
/// Learns from some rows, to be asked about others.
using LearnAndAsk = std::function<LeftOutDensity(DataView learnt, DataView left_out)>;

struct RuleRequest {
  ComponentRule rule = ComponentRule::minka;
  Index most = 1;  // components there can be, of rows in general
  std::uint64_t seed = 0;
  bool standardised = false;  // correlations in place of covariances
  bool leaves_noise = false;  // a count that leaves none is none
  LearnAndAsk learn = {};     // for likelihood
};

/// Between 1 and the most there can be. Throws M102 where the rule does not suit the table.
Index choose_components(DataView rows, const RuleRequest& request, const Context& context);

/// Minka's evidence for 1, 2, ... components, up to what does not depend on them; `values`: all
/// variances, descending. Not finite where a count cannot be.
Vector minka_evidence(const Vector& values, Index n);

}  // namespace mercer
