#include "mercer/data/fingerprint.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace mercer {
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

struct Fingerprinter::Hash {
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state{XXH3_createState(),
                                                                 &XXH3_freeState};
};

Fingerprinter::Fingerprinter(Index n, Index dim) : hash_(std::make_unique<Hash>()) {
  if (hash_->state == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(hash_->state.get());
  const std::int64_t shape[] = {n, dim};
  XXH3_128bits_update(hash_->state.get(), shape, sizeof shape);
}

Fingerprinter::~Fingerprinter() = default;

void Fingerprinter::add(DataView rows) {
  if (rows.sparse())
    add_sparse(hash_->state.get(), rows);
  else
    add_dense(hash_->state.get(), rows);
}

std::string Fingerprinter::text() const {
  const XXH128_hash_t digest = XXH3_128bits_digest(hash_->state.get());
  return fmt::format("{:016x}{:016x}", digest.high64, digest.low64);
}

std::string fingerprint(DataView data) {
  Fingerprinter hash(data.n(), data.dim());
  hash.add(data);
  return hash.text();
}

}  // namespace mercer
