// Names of columns: each once, so that a model finds its own again.
#pragma once

#include "mercer/core/error.h"

#include <string>
#include <vector>

namespace mercer::detail {

/// x, x -> x, x.1, where x.1 is not taken either; says so with W210. The same names in the same
/// order become the same ones in every table.
void rename_doubles(std::vector<std::string>& names, Warnings& warnings);

}  // namespace mercer::detail
