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

// Found by a search that began at colours of Okabe and Ito (2008) and kept six near them: every two
// of twelve differ by 10 and more in CIEDE2000 for the usual eye and for those without one of its
// three kinds of cones (Machado, Oliveira and Fernandes, 2009), and each has a contrast of 3 and
// more with the background (WCAG 2.1, 1.4.11), where the yellow and sky blue of theirs are hardly
// seen on white. The tests Colours measure all of it again.
constexpr std::array<Colour, kClassColours> kOnLight = {
    rgb(0x1b54a3), rgb(0xb75114), rgb(0x019380), rgb(0xc17aad), rgb(0x3a96f6), rgb(0x552c33),
    rgb(0xce810c), rgb(0x9425fb), rgb(0x547d4e), rgb(0x07265b), rgb(0x72060c), rgb(0x2f02a7)};
constexpr std::array<Colour, kClassColours> kOnDark = {
    rgb(0x688aff), rgb(0xd47425), rgb(0x1caa8b), rgb(0xece3f7), rgb(0xeac90b), rgb(0xce84b6),
    rgb(0x9bc8ff), rgb(0xa35e5e), rgb(0x40ebba), rgb(0x9a1ae7), rgb(0xd3fd96), rgb(0x89be76)};

// From dark blue over teal to yellow: lightness rises evenly, also without colour.
constexpr std::array<Colour, 6> kRamp = {rgb(0x2d1e5e), rgb(0x35528b), rgb(0x2a7f8e),
                                         rgb(0x35ac75), rgb(0x98cf3f), rgb(0xf6e32b)};

Colour along(std::span<const Colour> stops, double share) {
  const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
  const auto before = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  return mix(stops[before], stops[before + 1], at - static_cast<double>(before));
}

}  // namespace

double contrast(const Colour& a, const Colour& b) {
  const auto light = [](std::uint8_t part) {
    const double value = part / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  const auto luminance = [&](const Colour& c) {
    return 0.2126 * light(c.red) + 0.7152 * light(c.green) + 0.0722 * light(c.blue);
  };
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

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
