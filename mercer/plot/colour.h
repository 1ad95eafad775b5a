// Colours of pictures. Classes get twelve colours that people with any of the usual kinds of colour
// blindness tell apart; where there are more classes, symbols change as well. Numbers get a ramp
// whose lightness only rises, signed numbers two of them that meet in the middle.
#pragma once

#include "mercer/core/index.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace mercer::plot {

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
  double opacity = 1;

  /// "#0072b2".
  std::string hex() const;
  Colour faded(double by) const { return {red, green, blue, opacity * by}; }
  friend bool operator==(const Colour&, const Colour&) = default;
};

/// A share t of the way from one colour to another, in linear light's square root: good enough for
/// ramps whose steps are near each other.
Colour mix(const Colour& from, const Colour& to, double t);

/// How well one is read on the other, from 1 (not at all) to 21: the ratio of WCAG 2.1.
double contrast(const Colour& a, const Colour& b);

/// What is the same for all marks of a picture.
struct Theme {
  bool dark = false;
  Colour background, ink, muted, grid;

  static Theme light();
  static Theme dark_one();
  /// Of class i: colours repeat after twelve.
  Colour of_class(Index i) const;
  /// The one colour of pictures that need no other, and the one beside it.
  Colour main() const { return of_class(0); }
  Colour second() const { return of_class(1); }
  /// Of a share between 0 and 1 of a range of numbers.
  Colour ramp(double share) const;
  /// Of a share between -1 and 1: 0 is nearly the background.
  Colour diverging(double share) const;
};

constexpr Index kClassColours = 12;

}  // namespace mercer::plot
