#include "mercer/io/detail/image_file.h"

#include "mercer/core/error.h"
#include "mercer/io/detail/file_kind.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace mercer::detail {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kPngMark = "\x89PNG\r\n\x1A\n"sv;
constexpr std::size_t kChunkFrame = 12;  // length, type and checksum
constexpr Index kMostPixels = Index{1} << 28;

std::uint64_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

void check_size(const ImageHeader& header, const std::string& file) {
  if (header.height < 1 || header.width < 1) refuse_image("the image has no pixels", file);
  if (header.height > kMostPixels / header.width)
    refuse_image(fmt::format("the image has {} x {} pixels, at most 2^28 are allowed",
                             header.height, header.width),
                 file);
}

// The first chunk is always IHDR: width, height, depth, kind of colour.
ImageHeader png_header(std::string_view head, const std::string& file) {
  if (head.size() < 29 || head.substr(12, 4) != "IHDR") refuse_image("the image is damaged", file);
  const auto depth = static_cast<unsigned char>(head[24]);
  const auto kind = static_cast<unsigned char>(head[25]);
  return {.height = static_cast<Index>(big_endian(head, 20)),
          .width = static_cast<Index>(big_endian(head, 16)),
          .colour = (kind & 2) != 0,
          .rescaled = depth == 16,
          .transparent = (kind & 4) != 0,
          .png = true};
}

// Whole numbers between blanks and comments.
class PgmNumbers {
 public:
  PgmNumbers(std::string_view content, std::size_t at) : content_(content), at_(at) {}

  /// -1 where there is none, or one larger than any number of a PGM file may be.
  Index next() {
    skip();
    Index value = 0;
    const std::size_t first = at_;
    for (; at_ < content_.size() && content_[at_] >= '0' && content_[at_] <= '9'; ++at_)
      if (value <= kMostPixels) value = value * 10 + (content_[at_] - '0');
    return at_ == first || value > kMostPixels ? -1 : value;
  }
  std::size_t at() const { return at_; }

 private:
  void skip() {
    bool comment = false;
    for (; at_ < content_.size(); ++at_) {
      const char c = content_[at_];
      if (c == '\n' || c == '\r') comment = false;
      if (c == '#') comment = true;
      const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
      if (!comment && !blank) return;
    }
  }

  std::string_view content_;
  std::size_t at_;
};

ImageHeader pgm_header(std::string_view head, const std::string& file) {
  PgmNumbers numbers(head, 2);
  ImageHeader header{.text = head[1] == '2'};
  header.width = numbers.next();
  header.height = numbers.next();
  header.depth = numbers.next();
  if (header.width < 1 || header.height < 1 || header.depth < 1 || header.depth > 65535)
    refuse_image("the PGM header is damaged: it must hold width, height and the largest value",
                 file);
  header.rescaled = header.depth != 255;
  header.data = numbers.at() + 1;  // one blank
  return header;
}

void decode_pgm(std::string_view content, const ImageHeader& header, unsigned char* out,
                const std::string& file) {
  const Index pixels = header.height * header.width;
  const Index width = header.depth > 255 ? 2 : 1;
  const std::string_view data = content.substr(std::min(header.data, content.size()));
  const Index need = header.text ? 2 * pixels - 1 : width * pixels;
  if (static_cast<Index>(data.size()) < need)
    refuse_image(fmt::format("{} x {} pixels need {} bytes, the image has {}", header.height,
                             header.width, need, data.size()),
                 file);
  PgmNumbers numbers(data, 0);
  for (Index i = 0; i < pixels; ++i) {
    Index value = 0;
    if (header.text)
      value = numbers.next();
    else
      for (Index k = 0; k < width; ++k)
        value =
            value << 8 | static_cast<unsigned char>(data[static_cast<std::size_t>(i * width + k)]);
    if (value < 0 || value > header.depth)
      refuse_image(fmt::format("pixel {} is no value from 0 to {}", i + 1, header.depth), file);
    out[i] = static_cast<unsigned char>((value * 255 + header.depth / 2) / header.depth);
  }
}

// Only the chunks that pixels are made of. Others may hold compressed texts and colour profiles,
// which would be parsed and would change the values.
std::string pixel_chunks(std::string_view content, const std::string& file) {
  constexpr std::array kKept = {"IHDR"sv, "PLTE"sv, "tRNS"sv, "IDAT"sv, "IEND"sv};
  std::string kept(kPngMark);
  std::string_view rest = content.substr(kPngMark.size());
  while (rest.size() >= kChunkFrame) {
    const std::uint64_t size = kChunkFrame + big_endian(rest, 0);
    if (size > rest.size()) break;
    const std::string_view type = rest.substr(4, 4);
    if (std::find(kKept.begin(), kKept.end(), type) != kKept.end()) kept += rest.substr(0, size);
    if (type == "IEND") return kept;
    rest.remove_prefix(size);
  }
  refuse_image("the image is cut off", file);
}

// libpng's state, freed on every way out.
struct Png {
  png_image image = {};
  Png() { image.version = PNG_IMAGE_VERSION; }
  ~Png() { png_image_free(&image); }
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;
};

void decode_png(std::string_view content, const ImageHeader& header, bool colour,
                unsigned char* out, const std::string& file) {
  const std::string chunks = pixel_chunks(content, file);
  // Deflate makes at most 1032 bytes of one; a pixel takes one bit at least.
  if (static_cast<std::size_t>(header.height * header.width) / (std::size_t{8} * 1032) >
      chunks.size())
    refuse_image(fmt::format("{} bytes cannot hold {} x {} pixels", chunks.size(), header.height,
                             header.width),
                 file);
  Png png;
  const auto check = [&](int done) {
    if (done == 0 || png.image.warning_or_error > 1)
      refuse_image(fmt::format("the image is damaged: {}", png.image.message), file);
  };
  check(png_image_begin_read_from_memory(&png.image, chunks.data(), chunks.size()));
  if (png.image.height != header.height || png.image.width != header.width)
    refuse_image("the image is damaged: its size is given twice", file);
  png.image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // deep values are scaled, not taken as linear
  png.image.format = colour ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  const png_color white = {255, 255, 255};
  check(png_image_finish_read(&png.image, &white, out, 0, nullptr));
}

}  // namespace

void refuse_image(const std::string& message, const std::string& file) {
  throw Error(ErrorCode::bad_image_folder, message,
              "replace or remove the image; all must be PNG or PGM and of one size", file);
}

bool is_image_name(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos || dot == 0 || name.size() - dot != 4) return false;
  std::string ending(name.substr(dot));
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return ending == ".png" || ending == ".pgm";
}

ImageHeader parse_image_header(std::string_view head, const std::string& file) {
  const bool pgm = head.size() > 2 && head[0] == 'P' && (head[1] == '2' || head[1] == '5');
  if (!pgm && !head.starts_with(kPngMark)) {
    const std::string_view kind = file_kind(head.substr(0, 512));
    refuse_image(kind.empty() ? "this is no PNG or PGM image"
                              : fmt::format("this is {}, not a PNG or PGM image", kind),
                 file);
  }
  const ImageHeader header = pgm ? pgm_header(head, file) : png_header(head, file);
  check_size(header, file);
  return header;
}

// PNG: the chunks of pixels without the others, and some rows, each pixel of four times 16 bits.
std::uint64_t bytes_to_decode(std::string_view content, const ImageHeader& header) {
  constexpr std::uint64_t kRows = 4, kPixel = 8;  // rows that libpng holds; bytes of a pixel
  return header.png ? content.size() + kRows * kPixel * static_cast<std::uint64_t>(header.width)
                    : 0;
}

void decode_image(std::string_view content, const ImageHeader& header, bool colour,
                  unsigned char* out, const std::string& file) {
  if (header.png) return decode_png(content, header, colour, out, file);
  decode_pgm(content, header, out, file);
}

}  // namespace mercer::detail
