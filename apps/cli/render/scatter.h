// The first two columns of a score table as a picture of characters: braille dots without labels,
// one letter or digit per class with them (the commonest class in each cell).
#pragma once

#include "mercer/core/types.h"
#include "mercer/data/dataset.h"

#include <string>

namespace mercer::cli {

std::string scatter(ConstBlockRef scores, const Labels& labels, Index width, Index height);

}  // namespace mercer::cli
