// From a figure to a scene: sizes of texts and margins, ticks that do not overlap, the legend
// outside of the data.
#pragma once

#include "mercer/plot/figure.h"
#include "mercer/plot/scene.h"
#include "mercer/plot/text_ruler.h"

namespace mercer::plot {

struct Style {
  double width = 720, height = 480;
  double text = 12;  // size of ordinary texts
  Theme theme = Theme::light();
  TextRuler ruler = {};
  double fineness = 1;  // pixels of an image of many dots, for each pixel of the scene
  std::size_t many_dots = kManyDots;  // of more an image is made
};

/// The width and height are the style's.
Scene draw(const Figure& figure, const Style& style);

}  // namespace mercer::plot
