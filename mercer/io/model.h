// Models to and from files, and the fingerprint of a data set.
#pragma once

#include "mercer/data/view.h"
#include "mercer/models/model.h"

#include <memory>
#include <string>

namespace mercer {

/// Writes the model atomically.
void save_model(const std::string& path, const Model& model);
/// Reads and verifies a model of any kind; throws M700 to M703 and the codes of reading.
std::unique_ptr<Model> load_model(const std::string& path);

/// 32 hexadecimal digits that depend on size and values of the data alone, not on their type or
/// order in memory. Sparse rows cost their non-zeros, and have other digits than the same rows
/// written out.
std::string fingerprint(DataView data);

}  // namespace mercer
