// The usual number, read in a few instructions: digits, a mark, digits, perhaps an exponent. Eight
// characters are looked at as one word: t = word ^ "00000000" has a byte <= 9 for each digit, the
// first byte that is greater ends the run, and the run's value comes out of three multiplications
// that join neighbours, digits to pairs to fours to eights.
//
// The value is m * 10^e with m <= 2^53 and |e| <= 22, exact by one multiplication or division of
// exact doubles (Clinger 1990). Whatever does not fit is left to read_number().
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace mercer::detail {

/// Bytes behind a text that may be looked at.
constexpr std::size_t kQuickPadding = 8;

/// 10^0 ... 10^22, all exact.
constexpr std::array kPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Appends the run of digits at p to the number m, which may wrap around beyond 19 digits; returns
/// the end of the run.
inline const char* quick_digits(const char* p, std::uint64_t& m) {
  static_assert(std::endian::native == std::endian::little);
  // Powers of ten by which a number makes room for so many digits.
  constexpr std::array<std::uint64_t, 9> kShift = {1,      10,      100,      1000,     10000,
                                                   100000, 1000000, 10000000, 100000000};
  while (true) {
    std::uint64_t t = 0;
    std::memcpy(&t, p, sizeof t);
    t ^= 0x3030303030303030;
    const std::uint64_t other = ((t + 0x7676767676767676) | t) & 0x8080808080808080;
    const int count = other == 0 ? 8 : std::countr_zero(other) / 8;
    if (count == 0) return p;
    t <<= (8 - count) * 8;
    t = (t * 10 + (t >> 8)) & 0x00FF00FF00FF00FF;
    t = (t * 100 + (t >> 16)) & 0x0000FFFF0000FFFF;
    t = (t * 10000 + (t >> 32)) & 0x00000000FFFFFFFF;
    m = m * kShift[static_cast<std::size_t>(count)] + t;
    p += count;
    if (count < 8) return p;
  }
}

/// Up to three digits behind the e; nullptr where there are none or more.
inline const char* quick_exponent(const char* p, std::int64_t& exponent) {
  const bool negative = *p == '-';
  if (*p == '-' || *p == '+') ++p;
  std::uint64_t size = 0;
  const char* const end = quick_digits(p, size);
  if (end == p || end > p + 3) return nullptr;
  exponent += negative ? -static_cast<std::int64_t>(size) : static_cast<std::int64_t>(size);
  return end;
}

/// Reads a number at p; returns its end, or nullptr where this is not such a number. The text has a
/// character behind it that belongs to no number, and kQuickPadding bytes that may be read.
inline const char* quick_number(const char* p, char mark, double& value) {
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;  // whole numbers up to here are doubles
  const bool negative = *p == '-';
  if (negative) ++p;
  const char* const first = p;
  std::uint64_t m = 0;
  std::int64_t exponent = 0;
  p = quick_digits(p, m);
  auto count = p - first;
  if (*p == mark) {
    const char* const fraction = ++p;
    p = quick_digits(p, m);
    exponent = fraction - p;
    count -= exponent;
  }
  if (count == 0 || count > 19 || m > kExact) return nullptr;
  if (*p == 'e' || *p == 'E') p = quick_exponent(p + 1, exponent);
  if (p == nullptr || exponent < -22 || exponent > 22) return nullptr;
  const auto whole = static_cast<double>(static_cast<std::int64_t>(m));
  const double size = exponent < 0 ? whole / kPowersOfTen[static_cast<std::size_t>(-exponent)]
                                   : whole * kPowersOfTen[static_cast<std::size_t>(exponent)];
  value = negative ? -size : size;
  return p;
}

}  // namespace mercer::detail
