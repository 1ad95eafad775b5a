// Options of reading that not every format has. One that is given to a format without it is an
// error: whoever asked for it expects something of it.
#include "mercer/core/text.h"
#include "mercer/io/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace mercer {

void check_options_of(const TableFormat& format, const ReadOptions& options,
                      const std::string& file) {
  if (options.of_another) return;
  const TextOptions& text = options.text;
  const std::array<std::pair<std::string_view, bool>, 10> asked = {{
      {"delimiter", text.delimiter.has_value()},
      {"decimal", text.decimal.has_value()},
      {"thousands", text.thousands.has_value()},
      {"header", text.header.has_value()},
      {"na", !text.na.empty()},
      {"skip", text.skip > 0},
      {"encode", !options.columns.encode.empty()},
      {"images", options.images},
      {"first-index", options.first_index.has_value()},
      {"rejects", !options.rejects.empty()},
  }};
  for (const auto& [name, given] : asked) {
    const auto has = [option = name](const TableFormat* one) {
      return std::ranges::find(one->takes, option) != one->takes.end();
    };
    if (!given || has(&format)) continue;
    std::string others;
    for (const TableFormat* one : table_formats())
      if (has(one)) others += fmt::format("{}{}", others.empty() ? "" : ", ", one->name);
    throw Error(ErrorCode::bad_option_value,
                fmt::format("--{} has no meaning for a table in {}", name, format.name),
                fmt::format("drop --{}: it is for {}", name, others), file);
  }
}

}  // namespace mercer
