// Numbers as a row of block characters, the largest one full height.
#pragma once

#include <string>

#include "mercer/core/types.h"

namespace mercer::cli {

std::string spark_bars(const Vector& values, Index most);

}  // namespace mercer::cli
