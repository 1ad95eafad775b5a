// Densities of independent sources, after those by which Bach and Jordan (2002) compared methods
// that separate them: heavy and light tails, symmetric and not, with one hump or several. All have
// mean 0 and variance 1.
#pragma once

#include "mercer/core/types.h"
#include "mercer/data/generator.h"

#include <string>
#include <string_view>
#include <vector>

namespace mercer::detail {

/// Their names, in the order of the table in the documentation.
std::vector<std::string> density_names();

/// Independent draws, a column for each of options.dim sources: all of options.density, of all
/// densities in turn where that is empty, of one drawn for each where it is "random". Throws M112.
Points draw_sources(const GeneratorOptions& options);

/// dim x dim: random directions stretched by 1 to 2, which bounds the condition number.
Points draw_mixing(const GeneratorOptions& options);

/// s1, s2, ...
std::vector<std::string> numbered_names(std::string_view letter, Index count);

}  // namespace mercer::detail
