#include "apps/cli/fit_tables.h"

#include "mercer/core/text.h"
#include "mercer/io/table_join.h"

#include <fmt/format.h>

namespace mercer::cli {

std::string FitArguments::place() const { return fmt::format("{}", fmt::join(tables, ", ")); }

std::string FitArguments::name() const {
  std::vector<std::string> names;
  for (const std::string& path : tables) names.push_back(path == "-" ? "-" : base_name(path));
  return fmt::format("{}", fmt::join(names, ", "));
}

Table read_all(const FitArguments& args, const ReadOptions& reading, const Context& context,
               Terminal& terminal) {
  const auto read = [&](const std::string& path, const ReadOptions& how) {
    return read_and_tell(path, how, context, terminal);
  };
  if (args.tables.size() == 1) return read(args.table(), reading);
  Table table = read_tables(args.tables, reading, context, read);
  terminal.say("Together", fmt::format("{} tables   {} × {}", args.tables.size(),
                                       grouped(table.data.n()), grouped(table.data.dim())));
  for (const Note& note : table.notes) terminal.line("         " + note.text);
  if (table.gaps.cells_filled > 0)
    terminal.line(fmt::format("         {} missing value{} filled in by the column's {}",
                              grouped(table.gaps.cells_filled),
                              table.gaps.cells_filled == 1 ? "" : "s", reading.columns.missing));
  return table;
}

bool looks_like_distances(DataView rows) {
  const Index n = rows.n();
  if (n < 3 || rows.dim() != n || rows.sparse()) return false;
  bool graded = false;
  const double first = rows.at(0, 1);
  for (Index i = 0; i < n; ++i) {
    if (rows.at(i, i) != 0) return false;
    for (Index j = 0; j < i; ++j) {
      const double here = rows.at(i, j);
      if (!(here >= 0) || here != rows.at(j, i)) return false;
      graded = graded || (here != first && here != 0 && first != 0);
    }
  }
  return graded;
}

}  // namespace mercer::cli
