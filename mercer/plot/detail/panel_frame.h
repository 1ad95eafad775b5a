// The frame of a panel: from the numbers of the data to pixels, and the axes around them.
#pragma once

#include "mercer/plot/draw.h"
#include "mercer/plot/figure.h"

#include <algorithm>
#include <string>
#include <vector>

namespace mercer::plot::detail {

/// From numbers to pixels along one axis.
struct PixelScale {
  Extent of;                  // numbers
  double begin = 0, end = 1;  // pixels of its low and high end
  double operator()(double value) const {
    // Halves first: the span of very large numbers is none.
    const double share = (value / 2 - of.low / 2) / (of.high / 2 - of.low / 2);
    return begin + share * (end - begin);
  }
};

struct PanelFrame {
  Box inside;  // where data are drawn
  PixelScale x, y;
  Place at(double data_x, double data_y) const { return {x(data_x), y(data_y)}; }
};

/// Ticks of one axis and the room they take.
struct AxisLabels {
  Ticks ticks;
  double widest = 0;
  bool upright = false;  // of names below each other's heads
};

/// Room around the data for titles, ticks and numbers.
struct Margins {
  double left = 0, right = 0, top = 0, bottom = 0;
};

/// Ticks for an axis so many pixels long; those of an axis along the bottom do not touch.
AxisLabels axis_labels(const Axis& axis, double length, bool along_bottom, const Style& style);

Margins margins_of(const Panel& panel, const Box& box, const Style& style);

/// The frame of a panel within its box, given the margins.
PanelFrame frame_of(const Panel& panel, const Box& box, const Margins& margins);

/// Grid, ticks, numbers and titles.
void draw_axes(const Panel& panel, const Box& box, const PanelFrame& frame, const Style& style,
               Scene& scene);

}  // namespace mercer::plot::detail
