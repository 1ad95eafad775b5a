// Models to and from files.
#pragma once

#include "mercer/data/dataset.h"
#include "mercer/io/sink.h"
#include "mercer/models/model.h"

#include <memory>
#include <string>

namespace mercer {

/// Writes the model atomically, from its own memory.
void save_model(const std::string& path, const Model& model);
/// The same bytes, in pieces.
void write_model(const Model& model, Sink& sink);
/// Reads and verifies a model of any kind; throws M700 to M703 and the codes of reading. What it
/// takes is counted on the context's account as long as it lives: M301 first where that is too
/// much.
std::unique_ptr<Model> load_model(const std::string& path, const Context& context = {});

/// Throws M410 where a model of these data could not be saved, since the names of its columns and
/// classes need more than a model file has room for: to be asked before a long fit. `components` is
/// how many there will be, as far as known.
void check_names_fit(const Dataset& data, const ColumnUse& use, Index components);

}  // namespace mercer
