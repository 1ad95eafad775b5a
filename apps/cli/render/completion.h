// Scripts that complete commands, options and their values in a shell.
#pragma once

#include "apps/cli/described.h"

#include <string>
#include <vector>

namespace mercer::cli {

std::string bash_completion(const std::vector<DescribedCommand>& commands);
std::string zsh_completion(const std::vector<DescribedCommand>& commands);

}  // namespace mercer::cli
