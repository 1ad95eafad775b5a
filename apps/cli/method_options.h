// The options of methods as help texts show them.
#pragma once

#include "apps/cli/described.h"
#include "mercer/models/option.h"

#include <string>
#include <string_view>

namespace mercer::cli {

/// "--components"; "--no-center" for a flag that is on by default.
std::string flag_of(const OptionInfo& info);

void describe_option(const OptionInfo& info, DescribedOption& option);

/// Leaves in the list, of the options that only some methods have, those of this one, as it means
/// them. Nothing for a method that is not known.
void keep_options_of(std::string_view method, DescribedCommand& command);

}  // namespace mercer::cli
