// What runs here: the version, and with --verbose the machine as the library sees it.
#pragma once

#include <string>

namespace mercer::cli {

/// The answer to `mercer --version`, a line or a table, or a JSON object.
std::string version_text(bool verbose, bool json);

}  // namespace mercer::cli
