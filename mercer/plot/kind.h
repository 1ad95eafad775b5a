// PlotKind: one entry of the catalogue plot/kind/. The member file kind/<name>.cpp defines
// `const PlotKind& <name>_plot()`. A kind says which models it fits by what they can do and what
// their reports hold, never by the name of their method.
#pragma once

#include "mercer/plot/figure.h"
#include "mercer/plot/source.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::plot {

/// What was asked of a plot; what is empty or 0 is chosen by the kind.
struct PlotOptions {
  Theme theme = Theme::light();
  std::string title = {};
  /// Components ("PC2" or 2); of maps, columns of the table.
  std::string x = {}, y = {}, z = {};
  /// Colours of dots: "label", "none", a column of the table or a component.
  std::string colour = {};
  bool names = false;                   // rows by their names beside the dots
  bool titles = false;                  // rows told when they are pointed at
  Index count = 0;                      // how many components, images or columns are shown
  std::vector<Index> image_shape = {};  // height, width (and channels)
};

struct PlotKind {
  std::string_view name, summary;
  /// Why a model is no model for it, in words that end "this model ..."; empty where it is.
  std::string (*refuse)(const PlotSource& source);
  /// Whether nothing but the model (and the table that was given) is needed.
  bool (*ready)(const PlotSource& source);
  /// How much it is what people want to see of such a model first; 0: never by itself.
  int (*wanted)(const PlotSource& source);
  /// Throws M716 for options that do not fit, M717, M216.
  Figure (*make)(const PlotSource& source, const PlotOptions& options);
  /// The options it has a use for, of x, y, z, colour, names, count and image-size.
  std::string_view takes;
};

std::vector<const PlotKind*> plot_kinds();

/// Names of the kinds that fit the model.
std::vector<std::string> fitting_kinds(const PlotSource& source);

/// The kind of this name; throws M112 for an unknown one, M716 for one that does not fit the model,
/// naming those that do. Of an empty name the kind that is wanted most; M717 where none is ready.
const PlotKind& plot_kind(std::string_view name, const PlotSource& source);

/// Throws M102 for an option that the kind has no use for: nothing that was asked is ignored.
void check_plot_options(const PlotKind& kind, const PlotOptions& options);

/// The figure of a kind, with the title that was asked for.
Figure figure_of(const PlotKind& kind, const PlotSource& source, const PlotOptions& options);

}  // namespace mercer::plot
