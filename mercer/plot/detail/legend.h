// The legend, or the bar of colours, beside the data.
#pragma once

#include "mercer/plot/draw.h"
#include "mercer/plot/figure.h"

namespace mercer::plot::detail {

/// How much of the room beside, or below, the panels it takes; nothing without a legend.
struct LegendRoom {
  double width = 0, height = 0;
  bool below = false;
};

LegendRoom legend_room(const Figure& figure, const Style& style, const Box& room);

/// Draws it into a box of that room.
void draw_legend(const Figure& figure, const Style& style, const Box& box, bool below,
                 Scene& scene);

}  // namespace mercer::plot::detail
