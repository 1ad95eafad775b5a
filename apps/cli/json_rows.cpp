#include "apps/cli/json_rows.h"

#include "mercer/core/value.h"
#include "mercer/io/json.h"

#include <algorithm>
#include <vector>

namespace mercer::cli {
namespace {

// As a number would be written: what reads back as the same text.
bool is_whole_number(const std::string& text) {
  constexpr std::size_t kExact = 15;  // digits that a double keeps
  return !text.empty() && text.size() <= kExact &&
         text.find_first_not_of("0123456789") == text.npos && (text[0] != '0' || text.size() == 1);
}

void write_names(const std::vector<std::string>& ids, std::string_view of, JsonWriter& json) {
  json.key(of == "rows" ? "row_names" : "rows");
  json.begin_list();
  const bool numbers = std::ranges::all_of(ids, is_whole_number);
  for (const std::string& id : ids)
    if (numbers)
      json.value(Value(static_cast<std::int64_t>(std::stoll(id))));
    else
      json.value(id);
  json.end_list();
}

}  // namespace

void write_json_rows(Terminal& terminal, const Value& before, const NamedRows& named,
                     const Value& after) {
  const auto& [name, rows, ids] = named;
  terminal.clear_progress();
  StandardOutput out;
  JsonWriter json(out);
  json.begin_object();
  json.members(before.as_object());
  if (ids != nullptr && !ids->empty()) write_names(*ids, name, json);
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
