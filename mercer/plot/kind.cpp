#include "mercer/plot/kind.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mercer::plot {

#define MERCER_ENTRY(name, Type) const PlotKind& name##_plot();
#include "mercer/plot/catalog.def"
#undef MERCER_ENTRY

std::vector<const PlotKind*> plot_kinds() {
  return {
#define MERCER_ENTRY(name, Type) &name##_plot(),
#include "mercer/plot/catalog.def"
#undef MERCER_ENTRY
  };
}

std::vector<std::string> fitting_kinds(const PlotSource& source) {
  std::vector<std::string> names;
  for (const PlotKind* kind : plot_kinds())
    if (kind->refuse(source).empty()) names.emplace_back(kind->name);
  return names;
}

namespace {

const PlotKind& wanted_most(const PlotSource& source) {
  const PlotKind *best = nullptr, *best_with_table = nullptr;
  const auto better = [&](const PlotKind* kind, const PlotKind* than) {
    return kind->wanted(source) > (than == nullptr ? 0 : than->wanted(source));
  };
  for (const PlotKind* kind : plot_kinds()) {
    if (!kind->refuse(source).empty()) continue;
    if (better(kind, best_with_table)) best_with_table = kind;
    if (kind->ready(source) && better(kind, best)) best = kind;
  }
  if (best != nullptr) return *best;
  if (best_with_table != nullptr)
    refuse_without_table(source.model(), "what a picture of it is made of");
  throw Error(ErrorCode::plot_does_not_fit,
              fmt::format("there is no kind of picture for a {} model", source.model().kind()));
}

}  // namespace

const PlotKind& plot_kind(std::string_view name, const PlotSource& source) {
  if (name.empty()) return wanted_most(source);
  std::vector<std::string> known;
  for (const PlotKind* kind : plot_kinds()) {
    known.emplace_back(kind->name);
    if (kind->name != name) continue;
    const std::string reason = kind->refuse(source);
    if (reason.empty()) return *kind;
    throw Error(ErrorCode::plot_does_not_fit,
                fmt::format("{} does not fit a {} model: {}", name, source.model().kind(), reason),
                fmt::format("kinds that fit: {}", fmt::join(fitting_kinds(source), ", ")));
  }
  throw Error(ErrorCode::unknown_name, fmt::format("unknown kind of plot \"{}\"", printable(name)),
              suggest(name, known, "kinds"));
}

void check_plot_options(const PlotKind& kind, const PlotOptions& options) {
  const std::pair<std::string_view, bool> asked[] = {{"x", !options.x.empty()},
                                                     {"y", !options.y.empty()},
                                                     {"z", !options.z.empty()},
                                                     {"colour", !options.colour.empty()},
                                                     {"names", options.names},
                                                     {"count", options.count > 0},
                                                     {"image-size", !options.image_shape.empty()}};
  const auto takes = [](const PlotKind& one, std::string_view option) {
    const std::vector<std::string> all = split(one.takes, ',');
    return std::ranges::find(all, option) != all.end();
  };
  for (const auto& [option, given] : asked) {
    if (!given || takes(kind, option)) continue;
    std::string others;
    for (const PlotKind* one : plot_kinds())
      if (takes(*one, option)) others += fmt::format("{}{}", others.empty() ? "" : ", ", one->name);
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--{}: the {} plot has no use for it", option, kind.name),
                fmt::format("drop it, or give --kind one of {}", others));
  }
}

Figure figure_of(const PlotKind& kind, const PlotSource& source, const PlotOptions& options) {
  Figure figure = kind.make(source, options);
  if (!options.title.empty()) figure.title = options.title;
  return figure;
}

}  // namespace mercer::plot
