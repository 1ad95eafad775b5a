// PNG and PGM images as a folder's reader takes them: the header first, then the pixels, grey or in
// colour. The mutator keeps PNG's checksums right.
#include "mercer/io/detail/image_file.h"
#include "tests/fuzz/target.h"

#include <vector>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mercer;
  using namespace mercer::fuzz;
  Input input(data, size);
  const bool colour = input.choice(2) == 1;
  const std::string_view content = input.rest();
  try {
    const detail::ImageHeader header = detail::parse_image_header(content, "input");
    expect(header.height > 0 && header.width > 0, "an image has pixels");
    const Index bytes = header.height * header.width * (colour && header.colour ? 3 : 1);
    if (bytes > Index{16} << 20) return 0;  // a folder's reader compares this with its budget
    std::vector<unsigned char> pixels(static_cast<std::size_t>(bytes));
    detail::decode_image(content, header, colour && header.colour, pixels.data(), "input");
  } catch (const Error&) {
  }
  return 0;
}
