#include "mercer/io/model.h"

#include "mercer/io/model_file.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <memory>

namespace mercer {

void save_model(const std::string& path, const Model& model) { save_state(path, model.state()); }

std::unique_ptr<Model> load_model(const std::string& path) {
  const State state = load_state(path);
  try {
    return model_from(state);
  } catch (const Error& error) {
    throw error.at(path);
  }
}

std::string fingerprint(DataView data) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> hash(XXH3_createState(),
                                                                      &XXH3_freeState);
  XXH3_128bits_reset(hash.get());
  const std::int64_t shape[] = {data.n(), data.dim()};
  XXH3_128bits_update(hash.get(), shape, sizeof shape);
  Vector row(data.dim());
  for (Index i = 0; i < data.n(); ++i) {
    data.copy_row(i, row.data());
    XXH3_128bits_update(hash.get(), row.data(),
                        static_cast<std::size_t>(row.size()) * sizeof(double));
  }
  const XXH128_hash_t digest = XXH3_128bits_digest(hash.get());
  return fmt::format("{:016x}{:016x}", digest.high64, digest.low64);
}

}  // namespace mercer
