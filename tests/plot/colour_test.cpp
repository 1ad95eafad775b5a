// Whether colours are told apart, also by eyes that lack one kind of cones, and whether texts are
// read on their background. Differences are CIEDE2000 (Sharma, Wu and Dalal, 2005); what such eyes
// see is simulated by the matrices of Machado, Oliveira and Fernandes (2009) for a total loss, on
// linear light.
#include "mercer/plot/colour.h"

#include "mercer/plot/figure.h"

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

namespace mercer::plot {
namespace colour_test {

using Triple = Eigen::Vector3d;

Triple linear_light(const Colour& colour) {
  const auto part = [](double value) {
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return {part(colour.red / 255.0), part(colour.green / 255.0), part(colour.blue / 255.0)};
}

// L*, a*, b* under the white of sRGB.
Triple lab_of(const Triple& light) {
  Eigen::Matrix3d to_xyz;
  to_xyz << 0.4124564, 0.3575761, 0.1804375, 0.2126729, 0.7151522, 0.0721750, 0.0193339, 0.1191920,
      0.9503041;
  const Triple white = to_xyz * Triple::Ones();
  const Triple t = (to_xyz * light.cwiseMax(0).cwiseMin(1)).cwiseQuotient(white);
  const Triple f = t.unaryExpr(
      [](double v) { return v > 216.0 / 24389 ? std::cbrt(v) : (24389.0 / 27 * v + 16) / 116; });
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

double hue(double a, double b) {
  const double h = std::atan2(b, a) * 180 / std::numbers::pi;
  return h < 0 ? h + 360 : h;
}

double ciede2000(const Triple& one, const Triple& other) {
  const double chroma = (std::hypot(one[1], one[2]) + std::hypot(other[1], other[2])) / 2;
  const double seventh = std::pow(chroma, 7), of_25 = std::pow(25.0, 7);
  const double g = 1.5 - 0.5 * std::sqrt(seventh / (seventh + of_25));
  const double a1 = g * one[1], a2 = g * other[1];
  const double c1 = std::hypot(a1, one[2]), c2 = std::hypot(a2, other[2]);
  const double h1 = hue(a1, one[2]), h2 = hue(a2, other[2]);
  double turn = c1 * c2 == 0 ? 0 : h2 - h1;
  if (turn > 180) turn -= 360;
  if (turn < -180) turn += 360;
  double h = h1 + h2;
  if (c1 * c2 != 0) h = (std::abs(h1 - h2) <= 180 ? h : h < 360 ? h + 360 : h - 360) / 2;
  const double light = (one[0] + other[0]) / 2, c = (c1 + c2) / 2;
  const double t = 1 - 0.17 * std::cos(radians(h - 30)) + 0.24 * std::cos(radians(2 * h)) +
                   0.32 * std::cos(radians(3 * h + 6)) - 0.20 * std::cos(radians(4 * h - 63));
  const double from_50 = (light - 50) * (light - 50);
  const double dl = (other[0] - one[0]) / (1 + 0.015 * from_50 / std::sqrt(20 + from_50));
  const double dc = (c2 - c1) / (1 + 0.045 * c);
  const double dh = 2 * std::sqrt(c1 * c2) * std::sin(radians(turn / 2)) / (1 + 0.015 * c * t);
  const double c7 = std::pow(c, 7);
  const double rotation = -2 * std::sqrt(c7 / (c7 + of_25)) *
                          std::sin(radians(60 * std::exp(-std::pow((h - 275) / 25, 2))));
  return std::sqrt(dl * dl + dc * dc + dh * dh + rotation * dc * dh);
}

struct Eye {
  const char* name;
  Eigen::Matrix3d seen;
};

std::array<Eye, 4> eyes() {
  Eigen::Matrix3d no_red, no_green, no_blue;
  no_red << 0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116,
      1.051998;
  no_green << 0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940,
      0.968881;
  no_blue << 1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367,
      0.303900;
  return {{{"usual", Eigen::Matrix3d::Identity()},
           {"protanopia", no_red},
           {"deuteranopia", no_green},
           {"tritanopia", no_blue}}};
}

// Two of the pairs that the authors of the formula publish to check it by, and equal colours.
TEST(Colours, DistancesAreThoseOfTheFormula) {
  EXPECT_NEAR(ciede2000({50, 2.6772, -79.7751}, {50, 0, -82.7485}), 2.0425, 5e-5);
  EXPECT_NEAR(ciede2000({22.7233, 20.0904, -46.6940}, {23.0331, 14.9730, -42.5619}), 2.0373, 5e-5);
  EXPECT_EQ(ciede2000({50, 10, 10}, {50, 10, 10}), 0);
}

// Ten times what can be seen at all, which is about one.
TEST(Colours, OfClassesAreToldApartByEveryEye) {
  for (const Theme& theme : {Theme::light(), Theme::dark_one()})
    for (const Eye& eye : eyes())
      for (Index i = 0; i < kClassColours; ++i)
        for (Index j = 0; j < i; ++j)
          EXPECT_GT(ciede2000(lab_of(eye.seen * linear_light(theme.of_class(i))),
                              lab_of(eye.seen * linear_light(theme.of_class(j)))),
                    10)
              << i << " " << j << " " << eye.name << (theme.dark ? " dark" : " light");
}

// WCAG 2.1 asks for 3 of what is drawn and for 4.5 of texts.
TEST(Colours, StandOutFromTheBackground) {
  EXPECT_NEAR(contrast({255, 255, 255}, {0, 0, 0}), 21, 1e-12);
  EXPECT_NEAR(contrast({119, 119, 119}, {255, 255, 255}), 4.478, 1e-3);
  for (const Theme& theme : {Theme::light(), Theme::dark_one()}) {
    EXPECT_GE(contrast(theme.ink, theme.background), 4.5);
    EXPECT_GE(contrast(theme.muted, theme.background), 4.5);
    for (Index i = 0; i < kClassColours; ++i)
      EXPECT_GE(contrast(theme.of_class(i), theme.background), 3) << i << theme.dark;
  }
}

// Lightness rises along the ramp for every eye; the two signs differ for every eye.
TEST(Colours, OfNumbersRiseAndSignsDiffer) {
  for (const Theme& theme : {Theme::light(), Theme::dark_one()})
    for (const Eye& eye : eyes()) {
      const auto seen = [&](const Colour& c) { return lab_of(eye.seen * linear_light(c)); };
      for (int i = 1; i <= 16; ++i)
        EXPECT_GT(seen(theme.ramp(i / 16.0))[0], seen(theme.ramp((i - 1) / 16.0))[0] + 1)
            << i << " " << eye.name;
      for (const double share : {0.3, 0.6, 1.0})
        EXPECT_GT(ciede2000(seen(theme.diverging(share)), seen(theme.diverging(-share))), 13)
            << share << " " << eye.name;
    }
}

// From the thirteenth class on another symbol goes with the colour.
TEST(Colours, RepeatWithOtherSymbols) {
  const Theme theme = Theme::light();
  for (Index i = 0; i < kClassColours * kSymbols; ++i)
    for (Index j = 0; j < i; ++j) {
      const Look one = look_of_class(i, theme), other = look_of_class(j, theme);
      EXPECT_FALSE(one.colour == other.colour && one.symbol == other.symbol) << i << " " << j;
    }
}

}  // namespace colour_test
}  // namespace mercer::plot
