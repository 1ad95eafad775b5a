// A folder of PNG and PGM images of one size: each is a row of bytes, in the order of their names,
// which name the rows. Images in sub-folders have the folder's name as their class.
#include "mercer/core/text.h"
#include "mercer/io/detail/finish_table.h"
#include "mercer/io/detail/image_file.h"
#include "mercer/io/detail/image_list.h"
#include "mercer/io/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mercer {

const TableFormat& image_folder_format();

namespace image_folder_file {
namespace {

using detail::ImageHeader;

struct Image {
  detail::ImageFile file;
  ImageHeader header;
};

std::vector<Image> find_images(const std::string& folder, Table& table) {
  std::vector<Image> images;
  Index left_out = 0;
  for (detail::ImageFile& file : detail::list_images(folder, left_out))
    images.push_back({std::move(file), {}});
  if (images.empty())
    throw Error(ErrorCode::bad_image_folder, "the folder holds no image called *.png or *.pgm",
                "give a folder of PNG or PGM images, or a file", printable(folder));
  if (left_out > 0)
    table.notes.push_back({fmt::format("{} images in sub-folders were left out, since the folder "
                                       "itself holds images",
                                       grouped(left_out)),
                           ""});
  return images;
}

std::vector<std::string> also_reads(const std::string& folder, const ReadOptions&) {
  std::vector<std::string> files;
  Index left_out = 0;
  for (detail::ImageFile& file : detail::list_images(folder, left_out))
    files.push_back(std::move(file.path));
  return files;
}

// Here, in the table and in the list they come from; those of few images take too little to be
// counted.
std::uint64_t bytes_of_names(const std::vector<Image>& images) {
  constexpr std::size_t kFew = 5000;
  if (images.size() < kFew) return 0;
  const detail::ImageFile& one = images.front().file;
  return images.size() *
         (2 * sizeof(Image) + 2 * (one.path.size() + one.name.size() + one.subfolder.size() + 72));
}

void read_headers(std::vector<Image>& images, const Context& context, const std::string& folder) {
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (i % 1024 == 0) context.check_cancelled();
    Image& image = images[i];
    Source source(image.file.path, context);
    image.header = detail::parse_image_header(source.head(), source.name());
    const ImageHeader& first = images[0].header;
    if (image.header.height == first.height && image.header.width == first.width) continue;
    throw Error(ErrorCode::bad_image_folder,
                fmt::format("{} has {} x {} pixels, {} has {} x {}", printable(images[0].file.name),
                            first.height, first.width, printable(image.file.name),
                            image.header.height, image.header.width),
                "bring all images to one size", folder);
  }
}

Index count_of(const std::vector<Image>& images, bool ImageHeader::*mark) {
  return std::count_if(images.begin(), images.end(),
                       [&](const Image& image) { return image.header.*mark; });
}

void tell(const std::vector<Image>& images, Table& table) {
  const auto n = static_cast<Index>(images.size());
  const Index coloured = count_of(images, &ImageHeader::colour);
  const Index rescaled = count_of(images, &ImageHeader::rescaled);
  const Index transparent = count_of(images, &ImageHeader::transparent);
  const auto note = [&](std::string text) { table.notes.push_back({std::move(text), ""}); };
  note(fmt::format("{} images are rows of {} numbers", fmt::join(table.image_shape, " x "),
                   table.image_shape.size() == 3
                       ? 3 * images[0].header.height * images[0].header.width
                       : images[0].header.height * images[0].header.width));
  if (coloured > 0 && coloured < n)
    note(fmt::format("{} of {} images are coloured and were turned to grey like the others",
                     grouped(coloured), grouped(n)));
  if (rescaled > 0)
    note(fmt::format("{} images were not 8 bits deep and were brought to values from 0 to 255",
                     grouped(rescaled)));
  if (transparent > 0)
    note(fmt::format("{} transparent images were laid on white", grouped(transparent)));
}

std::vector<std::byte> decode(const std::vector<Image>& images, bool colour, std::size_t pixels,
                              const Context& context) {
  std::vector<std::byte> bytes(images.size() * pixels);
  for (std::size_t i = 0; i < images.size(); ++i) {
    context.check_cancelled();
    if (i % 256 == 0)
      context.report("read", static_cast<double>(i) / static_cast<double>(images.size()));
    Source source(images[i].file.path, context);
    const std::string_view content = source.all();
    // The file may have been exchanged since its header was read.
    const ImageHeader header = detail::parse_image_header(content, source.name());
    const ImageHeader& known = images[i].header;
    if (header.height != known.height || header.width != known.width)
      throw Error(ErrorCode::file_changed, "the image changed while the folder was read",
                  "wait until its writer has finished", source.name());
    const auto decoding =
        context.hold(detail::bytes_to_decode(content, header), "the parts of an image");
    detail::decode_image(content, header, colour,
                         reinterpret_cast<unsigned char*>(bytes.data() + i * pixels),
                         source.name());
  }
  return bytes;
}

Table read_image_folder(Source& source, const ReadOptions& options, const Context& context) {
  const std::string& folder = source.name();
  if (!source.is_folder())
    throw Error(ErrorCode::bad_image_folder, "this is no folder",
                "give the folder that holds the images", folder);
  Table table;
  table.format = "image_folder";
  std::vector<Image> images = find_images(source.path(), table);
  const auto names = context.hold(bytes_of_names(images), "the names of the images");
  read_headers(images, context, folder);
  const auto n = static_cast<Index>(images.size());
  const bool colour = count_of(images, &ImageHeader::colour) == n;
  table.image_shape = {images[0].header.height, images[0].header.width};
  if (colour) table.image_shape.push_back(3);
  const Index dim = table.image_shape[0] * table.image_shape[1] * (colour ? 3 : 1);
  detail::check_columns(dim, folder);
  const auto hold =
      context.hold(static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(dim), "the images");
  tell(images, table);
  Dataset data(decode(images, colour, static_cast<std::size_t>(dim), context), Scalar::u8, n, dim);
  std::vector<std::string> classes;
  for (const Image& image : images) {
    data.ids.push_back(image.file.name);
    if (!image.file.subfolder.empty()) classes.push_back(image.file.subfolder);
  }
  data.labels = Labels::from_texts("folder", classes);
  detail::finish_table(table, std::move(data), options, context, folder);
  return table;
}

}  // namespace
}  // namespace image_folder_file

const TableFormat& image_folder_format() {
  using namespace image_folder_file;
  static const TableFormat kFormat{
      .name = "image_folder",
      .summary = "folder of PNG and PGM images of one size",
      .extensions = {},
      .recognise = [](std::string_view) { return false; },
      .read = read_image_folder,
      .write = nullptr,
      .also_reads = also_reads,
  };
  return kFormat;
}

}  // namespace mercer
