#include "mercer/models/detail/axes_count.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/models/component_rules.h"
#include "mercer/models/detail/nested_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mercer::detail {
namespace {

constexpr std::array kAxesRules = {ComponentRule::minka, ComponentRule::parallel,
                                   ComponentRule::broken_stick, ComponentRule::likelihood};

}  // namespace

void check_axes_rule(const PcaOptions& options) {
  if (!options.components.is_automatic()) return;
  static_cast<void>(rule_of(options.components, kAxesRules));
  if (!options.center)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("components = {}: the rules are about centred columns",
                            printable(options.components.text())),
                "drop --no-center, or give a count");
}

PcaOptions with_axes_counted(const Prepared& prepared, PcaOptions options, const Context& context) {
  if (!options.components.is_automatic()) return options;
  const DataView rows = prepared.rows;
  if (prepared.source != nullptr)
    throw Error(ErrorCode::bad_option_value,
                fmt::format("components = {}: the rules need all rows in memory; these come in "
                            "chunks",
                            printable(options.components.text())),
                "give a count or a share of the variance, or allow more memory (--memory)");
  const Index most = std::max<Index>(1, std::min(rows.n() - 1, rows.dim()));
  const RuleRequest request{.rule = rule_of(options.components, kAxesRules),
                            .most = most,
                            .seed = static_cast<std::uint64_t>(options.seed),
                            .learn = nested_models(options, context)};
  options.components = prepared.sizes_only ? most : choose_components(rows, request, context);
  return options;
}

std::optional<ChosenComponents> axes_chosen(const Components& asked, Index count) {
  if (!asked.is_automatic()) return std::nullopt;
  return chosen_by(rule_of(asked, kAxesRules), count);
}

}  // namespace mercer::detail
