#include "mercer/core/version.h"

#ifndef MERCER_VERSION
#error "MERCER_VERSION must be defined by the build, as \"major.minor.patch\""
#endif

namespace mercer {

std::string_view version() { return MERCER_VERSION; }

}  // namespace mercer
