// Numbers and values as the cells and sentences of a page have them.
#include "mercer/core/text.h"
#include "mercer/page/detail/content.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer::page::detail {

std::string cell_text(const Value& value, std::size_t most) {
  if (value.is_text()) return value.as_text();
  if (value.is_bool()) return value.as_bool() ? "yes" : "no";
  if (value.is_integer()) return grouped(static_cast<Index>(value.as_integer()));
  if (value.is_number()) return brief(value.as_number(), 5);
  if (!value.is_list()) return "—";
  const Value::List& list = value.as_list();
  std::string text;
  for (std::size_t i = 0; i < std::min(most, list.size()); ++i) {
    if (i > 0) text += "  ";
    text += cell_text(list[i], most);
  }
  if (list.size() > most) text += fmt::format("  … ({})", list.size());
  return text.empty() ? "—" : text;
}

std::string counted(Index count, std::string_view one, std::string_view many) {
  std::string text = grouped(count) + " ";
  if (count == 1 || many.empty()) text += one;
  if (count != 1) text += many.empty() ? "s" : many;
  return text;
}

std::string share_text(double share, double bound) {
  if (std::isfinite(share)) return fmt::format("{:.2f} %", 100 * share);
  if (std::isfinite(bound)) return fmt::format("≤ {:.2f} %", 100 * bound);
  return "";
}

std::string title_of(const Content& content) {
  if (!content.options.title.empty()) return content.options.title;
  const Model& model = content.model();
  std::string title = fmt::format("{} of {}", model.kind(), model.first().input.name);
  if (!content.source.of_training()) title += ", new rows";
  return title;
}

}  // namespace mercer::page::detail
