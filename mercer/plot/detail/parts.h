// What several kinds of plots share: which component is meant, how rows are coloured and named,
// axes of components, titles.
#pragma once

#include "mercer/plot/figure.h"
#include "mercer/plot/kind.h"
#include "mercer/plot/source.h"

#include <string>
#include <string_view>
#include <vector>

namespace mercer::plot::detail {

/// The component that "PC2" or "2" names; `otherwise` where the text is empty. Throws M102.
Index component_of(const std::string& text, Index otherwise, const PlotSource& source);

/// Of a plot of two components or more: throws M102 where the model has fewer.
std::string refuse_fewer_scores(const PlotSource& source, Index least);

std::vector<double> column_of(ConstBlockRef scores, Index column);

/// Colours of the rows: by class, by a number, or all the same.
struct Colouring {
  std::vector<Look> looks;
  std::vector<Index> group;
  std::vector<Colour> colours;
  std::string legend_title;
  std::vector<LegendEntry> legend;
  std::optional<ColourBar> bar;

  void put_into(DotLayer& dots) const;
  void put_into(Figure& figure) const;
};

/// Throws M102 for "label" without labels, M216, M717.
Colouring colouring_of(const PlotSource& source, const PlotOptions& options);

/// Names and titles of the rows where they were asked for.
void put_names(const PlotSource& source, const PlotOptions& options, DotLayer& dots);

/// An axis of these numbers with its ends beyond them.
Axis axis_of(std::string title, const std::vector<double>& values);

/// "kernel_pca of circles.csv", and the kernel.
std::string title_of(const PlotSource& source);
std::string subtitle_of(const PlotSource& source);

/// A row for each row: dots of two columns of scores.
Panel scatter_panel(const PlotSource& source, const PlotOptions& options, Index x, Index y,
                    const Colouring& colouring);
/// Bars of what each component explains, and their sum as a line.
Panel scree_panel(const PlotSource& source, const PlotOptions& options);

bool has_loadings(const PlotSource& source);

}  // namespace mercer::plot::detail
