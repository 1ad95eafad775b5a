// Numbers as a row of block characters, the largest one full height.
#pragma once

#include "mercer/core/types.h"

#include <string>

namespace mercer::cli {

std::string spark_bars(const Vector& values, Index most);

}  // namespace mercer::cli
