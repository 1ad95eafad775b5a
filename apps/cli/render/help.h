// Help texts and manual pages, from what commands take.
#pragma once

#include "apps/cli/described.h"

#include <string>
#include <vector>

namespace mercer::cli {

/// Characters of a line on standard output: those of the terminal, at most 100.
std::size_t help_width();

/// `mercer COMMAND --help`, in lines of at most so many characters.
std::string help_text(const DescribedCommand& command, std::size_t width);
/// `mercer --help`: `program` holds its summary and its own options.
std::string overview_text(const DescribedCommand& program,
                          const std::vector<DescribedCommand>& commands, std::size_t width);

/// mercer-COMMAND(1), in roff. `methods`: the same command as each method has it, by its name,
/// where the command fits one.
std::string manual_page(const DescribedCommand& command,
                        const std::vector<std::pair<std::string, DescribedCommand>>& methods);
/// mercer(1).
std::string manual_overview(const DescribedCommand& program,
                            const std::vector<DescribedCommand>& commands);

}  // namespace mercer::cli
