// The marks of a panel's layers.
#pragma once

#include "mercer/plot/detail/panel_frame.h"
#include "mercer/plot/draw.h"
#include "mercer/plot/figure.h"

namespace mercer::plot::detail {

void draw_layer(const Layer& layer, const PanelFrame& frame, const Style& style, Scene& scene);

/// Many dots as an image: colours of groups, the more opaque the more dots fall on a pixel.
ImageMark shaded(const DotLayer& dots, const PanelFrame& frame, const Style& style);

/// Names beside dots, where they cover neither each other nor many dots; the others are left out.
void draw_names(const DotLayer& dots, double radius, const PanelFrame& frame, const Style& style,
                Scene& scene);

}  // namespace mercer::plot::detail
