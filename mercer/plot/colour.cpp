#include "mercer/plot/colour.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace mercer::plot {
namespace {

constexpr Colour rgb(unsigned code) {
  return {static_cast<std::uint8_t>(code >> 16), static_cast<std::uint8_t>(code >> 8 & 255),
          static_cast<std::uint8_t>(code & 255), 1};
}

// Okabe and Ito's, ordered so that the first ones differ most; the yellow is theirs darkened for
// white paper, the last one stands for their black.
constexpr std::array<Colour, kClassColours> kOnLight = {rgb(0x0072b2), rgb(0xd55e00), rgb(0x009e73),
                                                        rgb(0xcc79a7), rgb(0xe69f00), rgb(0x56b4e9),
                                                        rgb(0xb8a800), rgb(0x5a5a5a)};
constexpr std::array<Colour, kClassColours> kOnDark = {rgb(0x4aa8e8), rgb(0xf28038), rgb(0x2fc596),
                                                       rgb(0xe39ac4), rgb(0xf0b429), rgb(0x9bd8ff),
                                                       rgb(0xf0e442), rgb(0xc4c4c4)};

// From dark blue over teal to yellow: lightness rises evenly, also without colour.
constexpr std::array<Colour, 6> kRamp = {rgb(0x2d1e5e), rgb(0x35528b), rgb(0x2a7f8e),
                                         rgb(0x35ac75), rgb(0x98cf3f), rgb(0xf6e32b)};

Colour along(std::span<const Colour> stops, double share) {
  const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
  const auto before = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  return mix(stops[before], stops[before + 1], at - static_cast<double>(before));
}

}  // namespace

std::string Colour::hex() const { return fmt::format("#{:02x}{:02x}{:02x}", red, green, blue); }

Colour mix(const Colour& from, const Colour& to, double t) {
  const auto between = [&](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(std::lround(a + (static_cast<double>(b) - a) * t));
  };
  return {between(from.red, to.red), between(from.green, to.green), between(from.blue, to.blue),
          from.opacity + (to.opacity - from.opacity) * t};
}

Theme Theme::light() { return {false, rgb(0xffffff), rgb(0x1f2328), rgb(0x656d76), rgb(0xe4e7eb)}; }

Theme Theme::dark_one() {
  return {true, rgb(0x15181d), rgb(0xe8eaed), rgb(0x9aa3ad), rgb(0x2d333b)};
}

Colour Theme::of_class(Index i) const {
  const auto& colours = dark ? kOnDark : kOnLight;
  return colours[static_cast<std::size_t>(i % kClassColours)];
}

Colour Theme::ramp(double share) const {
  // The end that is near the background is left out.
  return along(kRamp, dark ? 0.15 + 0.85 * share : 0.92 * share);
}

Colour Theme::diverging(double share) const {
  const Colour middle = dark ? rgb(0x20242b) : rgb(0xf7f7f7);
  const Colour end =
      share < 0 ? (dark ? rgb(0x3d8fd1) : rgb(0x2166ac)) : (dark ? rgb(0xe08a3c) : rgb(0xd0701c));
  return mix(middle, end, std::min(1.0, std::abs(share)));
}

}  // namespace mercer::plot
