#include "mercer/io/model.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/io/detail/safetensors.h"
#include "mercer/io/json.h"
#include "mercer/io/model_file.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
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
  try {
    std::unique_ptr<Model> model = model_from(load_state(path));
    model->counted = std::make_shared<const MemoryAccount::Hold>(std::move(held));
    return model;
  } catch (const Error& error) {
    const bool placed = !error.place().empty(), hinted = !error.hint().empty();
    throw Error(error.code(), error.message(),
                hinted ? error.hint() : "get the file again from where it came, or fit again",
                placed ? error.place() : path);
  }
}

namespace {

// Bytes of a name in the header: a text in JSON in a text in JSON, with its quotes and comma.
std::uint64_t bytes_in_header(const std::string& name) {
  const auto plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (std::ranges::all_of(name, plain)) return name.size() + 5;
  return to_json(Value(to_json(Value(name)))).size() - 1;  // in place of its own quotes a comma
}

std::uint64_t bytes_in_header(const std::vector<std::string>& names) {
  std::uint64_t sum = 0;
  for (const std::string& name : names) sum += bytes_in_header(name);
  return sum;
}

}  // namespace

void check_names_fit(const Dataset& data, Index components) {
  // Options, plan and certificate, and what is told of each component.
  constexpr std::uint64_t kRest = 64 << 10, kPerComponent = 200;
  const std::uint64_t columns = bytes_in_header(data.column_names);
  const std::uint64_t classes = bytes_in_header(data.labels.classes);
  const std::uint64_t rest = kRest + kPerComponent * static_cast<std::uint64_t>(components);
  if (columns + classes + rest <= detail::kLongestHeader) return;
  const bool by_classes = classes >= columns;
  throw Error(ErrorCode::write_failed,
              fmt::format("the names of {} {} need {} in a model file, which has room for {}",
                          grouped(static_cast<Index>(by_classes ? data.labels.classes.size()
                                                                : data.column_names.size())),
                          by_classes ? "classes" : "columns", bytes(by_classes ? classes : columns),
                          bytes(detail::kLongestHeader)),
              by_classes ? "leave the labels out with --label none"
                         : "use fewer columns (--columns, --drop), or shorter names");
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
