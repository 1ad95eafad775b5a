#include "apps/cli/class_text.h"

#include "apps/cli/render/table.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer::cli {
namespace {

constexpr Index kWhole = 12;        // classes of a table that is shown as it is
constexpr std::size_t kHeard = 16;  // bytes of a name

std::string short_name(const std::string& name) {
  const std::string text = printable(name);
  if (text.size() <= kHeard) return text;
  std::size_t end = kHeard - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

std::string share(double value) {
  return std::isfinite(value) ? fmt::format("{:.1f} %", 100 * value) : "";
}

std::string whole_table(const ClassTable& table) {
  std::vector<std::string> header = {"own \\ predicted"};
  for (Index c = 0; c < table.known; ++c)
    header.push_back(short_name(table.classes[static_cast<std::size_t>(c)]));
  header.emplace_back("recall");
  const Vector recall = table.recall(), precision = table.precision();
  TextTable text(header);
  for (Index c = 0; c < table.count.rows(); ++c) {
    std::vector<std::string> cells = {short_name(table.classes[static_cast<std::size_t>(c)])};
    for (Index p = 0; p < table.known; ++p) cells.push_back(grouped(table.count(c, p)));
    cells.push_back(share(recall[c]));
    text.add(std::move(cells));
  }
  std::vector<std::string> last = {"precision"};
  for (Index p = 0; p < table.known; ++p) last.push_back(share(precision[p]));
  last.emplace_back();
  text.add(std::move(last));
  return text.text();
}

// The class that most rows of another one were taken for.
std::string taken_for(const ClassTable& table, Index own) {
  Index most = -1;
  for (Index p = 0; p < table.known; ++p)
    if (p != own && table.count(own, p) > 0 &&
        (most < 0 || table.count(own, p) > table.count(own, most)))
      most = p;
  if (most < 0) return "";
  return fmt::format("{} ({})", short_name(table.classes[static_cast<std::size_t>(most)]),
                     grouped(table.count(own, most)));
}

std::string worst_classes(const ClassTable& table) {
  const Vector recall = table.recall(), precision = table.precision();
  std::vector<Index> order;
  for (Index c = 0; c < recall.size(); ++c)
    if (std::isfinite(recall[c])) order.push_back(c);
  std::ranges::stable_sort(order, {}, [&](Index c) { return recall[c]; });
  const std::size_t there = order.size();
  order.resize(std::min<std::size_t>(there, kWhole));
  TextTable text({"class", "rows", "recall", "precision", "most taken for"});
  for (const Index c : order)
    text.add({short_name(table.classes[static_cast<std::size_t>(c)]),
              grouped(table.count.row(c).sum()), share(recall[c]),
              c < table.known ? share(precision[c]) : "", taken_for(table, c)});
  return text.text() +
         fmt::format("the {} of {} classes that are found least often; all with --json\n",
                     order.size(), there);
}

}  // namespace

std::string class_table_text(const ClassTable& table) {
  return table.count.rows() <= kWhole ? whole_table(table) : worst_classes(table);
}

Value judged_classes(const Predicts& model, std::span<const Index> predicted, const Labels& truth,
                     Warnings& warnings, Terminal& terminal) {
  Value figures = Value::object();
  if (truth.empty()) return figures;
  const ClassTable table = table_of_classes(model.prediction_names(), predicted, truth);
  if (table.judged == 0) return figures;
  const Index unknown = table.rows_unknown();
  if (unknown > 0) {
    constexpr Index kNamed = 5;
    std::vector<std::string> names;
    for (Index c = table.known; c < std::min(table.count.rows(), table.known + kNamed); ++c)
      names.push_back("\"" + printable(table.classes[static_cast<std::size_t>(c)]) + "\"");
    warnings.push_back(
        {WarningCode::unknown_classes,
         fmt::format("{} of {} rows are of classes that the model does not know ({}{}): {}",
                     grouped(unknown), grouped(table.judged), fmt::join(names, ", "),
                     table.count.rows() > table.known + kNamed ? ", ..." : "",
                     unknown == table.judged ? "how right the predictions are is not told"
                                             : "they count as wrong")});
    terminal.warn(warnings.back());
    if (unknown == table.judged) return figures;
  }
  figures = table.describe();
  terminal.say("Accuracy",
               fmt::format("{:.2f} % of {} rows{}", 100 * table.accuracy(), grouped(table.judged),
                           table.without_class == 0 ? ""
                                                    : fmt::format("; {} without a class left out",
                                                                  grouped(table.without_class))));
  terminal.line("\n" + class_table_text(table));
  return figures;
}

}  // namespace mercer::cli
