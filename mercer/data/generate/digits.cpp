// The bundled handwritten digits: 1797 images of 8 x 8 pixels with values 0 to 16, and what they
// show. Source and licence: assets/digits/ATTRIBUTION.md. Nothing is random here; n only cuts the
// set short.
#include "mercer/core/check.h"
#include "mercer/data/detail/toy.h"

#include <algorithm>
#include <cstring>
#include <string>

extern "C" const unsigned char mercer_asset_digits[];
extern "C" const unsigned long mercer_asset_digits_size;

namespace mercer {
namespace {

// What assets/digits/digits.bin holds.
constexpr Index kImages = 1797, kSide = 8, kPixels = kSide * kSide;

std::vector<std::string> pixel_names() {
  std::vector<std::string> names;
  for (Index row = 0; row < kSide; ++row)
    for (Index column = 0; column < kSide; ++column)
      names.push_back("pixel_" + std::to_string(row) + "_" + std::to_string(column));
  return names;
}

Labels digit_labels(Index n) {
  Labels labels{.name = "label", .classes = {}, .of_row = {}};
  // The first ten images show 0 to 9 in order, so this is also the order of first appearance.
  const Index classes = std::min<Index>(n, 10);
  for (Index digit = 0; digit < classes; ++digit) labels.classes.push_back(std::to_string(digit));
  const unsigned char* first = mercer_asset_digits + kImages * kPixels;
  labels.of_row.assign(first, first + n);
  return labels;
}

Dataset make_digits(const GeneratorOptions& options) {
  MERCER_ASSERT(static_cast<Index>(mercer_asset_digits_size) == kImages * (kPixels + 1));
  const Index n = std::min(options.n, kImages);
  std::vector<std::byte> bytes(static_cast<std::size_t>(n * kPixels));
  std::memcpy(bytes.data(), mercer_asset_digits, bytes.size());
  Dataset data(std::move(bytes), Scalar::u8, n, kPixels);
  data.column_names = pixel_names();
  data.labels = digit_labels(n);
  return data;
}

}  // namespace

const Generator& digits_generator() {
  static constexpr Generator generator{"digits", "1797 handwritten digits of 8 x 8 pixels",
                                       make_digits, "rows"};
  return generator;
}

}  // namespace mercer
