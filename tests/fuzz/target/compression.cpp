// gzip, zstd, xz and bzip2: taken in pieces and as a whole a stream has the same content, or is
// refused both times; and any content comes back from the first two. Which error comes first may
// differ: a stream that is damaged just where it has grown too much is refused for either reason,
// depending on how far the last piece reached.
#include "mercer/io/detail/compression.h"

#include "tests/fuzz/target.h"

namespace mercer::fuzz {
namespace {

struct Outcome {
  std::string content;
  std::optional<ErrorCode> error;
  friend bool operator==(const Outcome& a, const Outcome& b) {
    return a.content == b.content && a.error.has_value() == b.error.has_value();
  }
};

Outcome in_pieces(std::string_view bytes, std::size_t piece) {
  Outcome outcome;
  Source source(bytes, "input", small_context().budget.memory);
  std::string buffer(piece, '\0');
  try {
    while (const std::size_t count = source.read(buffer.data(), piece))
      outcome.content.append(buffer, 0, count);
  } catch (const Error& error) {
    outcome = {"", error.code()};
  }
  return outcome;
}

Outcome as_a_whole(std::string_view bytes) {
  Source source(bytes, "input", small_context().budget.memory);
  try {
    return {std::string(source.all()), {}};
  } catch (const Error& error) {
    return {"", error.code()};
  }
}

void check_round_trip(std::string_view content, std::string_view compression) {
  const std::string packed = detail::compressed(content, compression);
  expect(detail::compression_of(packed) == compression, "what is compressed is recognised");
  expect(as_a_whole(packed) == Outcome{std::string(content), {}}, "content comes back");
}

}  // namespace
}  // namespace mercer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mercer::fuzz;
  Input input(data, size);
  const std::size_t piece = 1 + input.choice(256) * input.choice(256);
  expect(in_pieces(input.rest(), piece) == as_a_whole(input.rest()), "pieces make up the whole");
  check_round_trip(input.rest(), "gzip");
  check_round_trip(input.rest(), "zstd");
  return 0;
}
