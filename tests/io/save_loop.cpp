// save_loop PATH             saves two models to PATH in turn until it is killed.
// save_loop --write A PATH   saves the first of them once (B: the second), for comparison.
#include "mercer/core/error.h"
#include "mercer/core/random.h"
#include "mercer/io/model_file.h"

#include <cstdio>
#include <string>
#include <string_view>

namespace {

mercer::State model(std::uint64_t seed) {
  constexpr mercer::Index kRows = 1000;
  const mercer::Random random(seed);
  mercer::Points points(kRows, 250 + static_cast<mercer::Index>(seed));  // about 2 MB; sizes differ
  for (mercer::Index i = 0; i < points.size(); ++i)
    points.data()[i] = random.uniform(static_cast<std::uint64_t>(i));
  const mercer::Vector variances = mercer::Vector::LinSpaced(100, 1.0, 2.0);
  mercer::State state;
  state.kind = "test";
  state.values = mercer::Value::Object{{"seed", seed}};
  state.arrays = {mercer::Array::of("points", points),
                  mercer::Array{"flags", mercer::ArrayType::U8, {5}, std::vector<std::byte>(5)},
                  mercer::Array::of("variances", variances)};
  return state;
}

[[noreturn]] void save_for_ever(const std::string& path) {
  const mercer::State states[] = {model(1), model(2)};
  std::puts("ready");
  std::fflush(stdout);
  for (std::size_t i = 0;; i = 1 - i) mercer::save_state(path, states[i]);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count == 4 && std::string_view(arguments[1]) == "--write") {
    mercer::save_state(arguments[3], model(arguments[2][0] == 'B' ? 2 : 1));
    return 0;
  }
  if (count == 2) save_for_ever(arguments[1]);
  std::fputs("usage: save_loop PATH | save_loop --write A|B PATH\n", stderr);
  return 2;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
