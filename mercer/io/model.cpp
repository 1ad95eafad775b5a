#include "mercer/io/model.h"

#include "mercer/core/text.h"
#include "mercer/io/model_file.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <new>
#include <vector>

namespace mercer {

void save_model(const std::string& path, const Model& model) {
  save_state(path, model.viewed_state());
}

void write_model(const Model& model, Sink& sink) { write_state(model.viewed_state(), sink); }

namespace {

// A model takes about as much as its file.
MemoryAccount::Hold hold_for(const std::string& path, const Context& context) {
  std::error_code no_size;  // of pipes, and of what is not there
  const std::uintmax_t size = std::filesystem::file_size(path, no_size);
  try {
    return context.hold(no_size || !looks_like_model(path) ? 0 : size, "the model's arrays");
  } catch (const Error& error) {
    throw error.at(printable(path));
  }
}

}  // namespace

std::unique_ptr<Model> load_model(const std::string& path, const Context& context) {
  MemoryAccount::Hold held = hold_for(path, context);
  const State state = load_state(path);
  try {
    std::unique_ptr<Model> model = model_from(state);
    model->counted = std::make_shared<const MemoryAccount::Hold>(std::move(held));
    return model;
  } catch (const Error& error) {
    throw error.at(path);
  }
}

namespace {

// Columns and values of the row's non-zeros: zeros that happen to be stored change nothing.
void gather(const SparseRow& row, std::vector<std::int64_t>& columns, std::vector<double>& values) {
  columns.assign(1, 0);  // how many there are, so that rows cannot run into each other
  values.clear();
  for (Index k = 0; k < row.count; ++k) {
    if (row.values[k] == 0) continue;
    columns.push_back(row.columns[k]);
    values.push_back(row.values[k]);
  }
  columns[0] = static_cast<std::int64_t>(values.size());
}

void add_sparse(XXH3_state_t* hash, DataView data) {
  XXH3_128bits_update(hash, "sparse", 6);
  std::vector<std::int64_t> columns;
  std::vector<double> values;
  for (Index i = 0; i < data.n(); ++i) {
    gather(data.sparse_row(i), columns, values);
    XXH3_128bits_update(hash, columns.data(), columns.size() * sizeof(std::int64_t));
    XXH3_128bits_update(hash, values.data(), values.size() * sizeof(double));
  }
}

void add_dense(XXH3_state_t* hash, DataView data) {
  Vector row(data.dim());
  for (Index i = 0; i < data.n(); ++i) {
    data.copy_row(i, row.data());
    XXH3_128bits_update(hash, row.data(), static_cast<std::size_t>(row.size()) * sizeof(double));
  }
}

}  // namespace

std::string fingerprint(DataView data) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> hash(XXH3_createState(),
                                                                      &XXH3_freeState);
  if (hash == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(hash.get());
  const std::int64_t shape[] = {data.n(), data.dim()};
  XXH3_128bits_update(hash.get(), shape, sizeof shape);
  if (data.sparse())
    add_sparse(hash.get(), data);
  else
    add_dense(hash.get(), data);
  const XXH128_hash_t digest = XXH3_128bits_digest(hash.get());
  return fmt::format("{:016x}{:016x}", digest.high64, digest.low64);
}

}  // namespace mercer
