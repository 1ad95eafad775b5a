#include "apps/cli/json_rows.h"

#include "mercer/io/json.h"

#include <vector>

namespace mercer::cli {

void write_json_rows(Terminal& terminal, const Value& before, std::string_view name, DataView rows,
                     const Value& after) {
  terminal.clear_progress();
  StandardOutput out;
  JsonWriter json(out);
  json.begin_object();
  json.members(before.as_object());
  json.key(name);
  json.begin_list();
  std::vector<double> row(static_cast<std::size_t>(rows.dim()));
  for (Index i = 0; i < rows.n(); ++i) {
    rows.copy_row(i, row.data());
    json.begin_list();
    for (const double number : row) json.number(number);
    json.end_list();
  }
  json.end_list();
  json.members(after.as_object());
  json.end_object();
  json.finish();
  out.write("\n");
  out.flush();
}

}  // namespace mercer::cli
