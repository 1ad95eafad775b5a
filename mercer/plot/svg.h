// A scene as SVG, by our own hand: small, the same bytes for the same scene, coordinates rounded to
// a hundredth of a pixel. It has no scripts, no ids and no references to anything outside, so that
// several may stand in one page; texts that look like code are shown, not run.
#pragma once

#include "mercer/plot/scene.h"

#include <string>
#include <string_view>

namespace mercer::plot {

struct SvgOptions {
  bool xml = true;         // begins as a file does; without it, for use inside a page
  bool background = true;  // the colour behind everything is drawn
};

std::string svg_of(const Scene& scene, const SvgOptions& options = {});

/// The text as it must stand in SVG and HTML, between tags or quotes.
std::string escaped(std::string_view text);

/// "12.34", "-5", "0": rounded to hundredths, without what does not matter.
std::string coordinate(double value);

}  // namespace mercer::plot
