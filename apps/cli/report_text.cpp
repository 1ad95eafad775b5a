#include "apps/cli/report_text.h"

#include "apps/cli/render/table.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace mercer::cli {

std::string columns_text(const InputInfo& input) {
  constexpr std::size_t kUsed = 8, kAside = 5;  // that a line has room for
  std::string text;
  const std::vector<std::string>& names = input.column_names;
  for (std::size_t j = 0; j < std::min(kUsed, names.size()); ++j)
    text += (j == 0 ? "" : ", ") + printable(names[j]);
  if (names.size() > kUsed) text += fmt::format(", … ({})", names.size());
  const std::vector<SetAside>& aside = input.use.set_aside;
  for (std::size_t j = 0; j < std::min(kAside, aside.size()); ++j)
    text += fmt::format("{}{} ({})", j == 0 ? "   set aside: " : ", ", printable(aside[j].name),
                        printable(aside[j].reason));
  if (input.use.set_aside_count > static_cast<Index>(kAside))
    text += fmt::format(", … ({})", input.use.set_aside_count);
  return text;
}

void tell_columns(const InputInfo& input, Terminal& terminal) {
  if (const std::string columns = columns_text(input); !columns.empty())
    terminal.say("Columns", columns);
}

std::string abilities_text(const Abilities& abilities) {
  std::vector<std::string_view> words;
  for (int i = 0; i < kAbilities; ++i) {
    const auto ability = static_cast<Ability>(i);
    if (!abilities.has(ability)) continue;
    words.push_back(ability == Ability::likelihood ? "score (log density)" : name_of(ability));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string number_of(Index count, std::string_view one, std::string_view many) {
  std::string text = grouped(count) + " ";
  if (count == 1 || many.empty()) text += one;
  if (count != 1) text += many.empty() ? "s" : many;
  return text;
}

std::string accuracy_text(const Spectrum& spectrum) {
  const Certificate& proof = spectrum.certificate;
  const double worst = proof.residuals.size() > 0 ? proof.residuals.maxCoeff() : 0;
  if (!spectrum.eigenvalues_only)
    return fmt::format("residuals ≤ {} (asked {})", brief(worst, 2), brief(spectrum.tolerance, 2));
  const Vector width =
      (proof.eigenvalue_upper - spectrum.eigenvalues).cwiseQuotient(spectrum.eigenvalues);
  return fmt::format("eigenvalues within {} (asked {}), residuals ≤ {}: scores are less exact",
                     brief(width.size() > 0 ? width.maxCoeff() : 0, 2),
                     brief(spectrum.tolerance, 2), brief(worst, 2));
}

std::string completeness_text(const Certificate& certificate) {
  if (!certificate.complete)
    return certificate.kind == ProofKind::none && certificate.reason.empty() ? "not asked"
                                                                             : "not verified";
  if (certificate.kind != ProofKind::probabilistic) return "verified";
  return fmt::format("verified (failure ≤ {})", brief(certificate.failure, 1));
}

std::string shares_text(const Spectrum& spectrum, Index shown) {
  if (spectrum.drowned()) return "unknown: rounding may be all there is";
  std::string text;
  const Vector ratios = spectrum.ratio_bounds();
  const char* at_most = spectrum.ratios.allFinite() ? "" : "≤ ";
  for (Index i = 0; i < std::min(shown, ratios.size()); ++i)
    text += fmt::format("PC{} {}{:.1f} %  ", i + 1, at_most, 100 * ratios[i]);
  return text + fmt::format("first {}: {}{:.1f} %", ratios.size(), at_most, 100 * ratios.sum());
}

std::string chosen_text(const ChosenComponents& chosen) {
  return fmt::format("{} component{}, by {}", grouped(chosen.count), chosen.count == 1 ? "" : "s",
                     chosen.by);
}

namespace {

std::string number_text(const Value& value) {
  if (value.is_text()) return printable(value.as_text());
  return value.is_number() ? brief(value.as_number(), 5) : "unknown";
}

bool is_table(const Value& value) {
  return value.is_list() && !value.as_list().empty() && value.as_list()[0].is_list();
}

// At most `shown` numbers of a list.
std::string list_text(const Value::List& list, std::size_t shown) {
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, list.size()); ++i)
    text += (i == 0 ? "" : " ") + number_text(list[i]);
  if (list.size() > shown) text += fmt::format(" … ({})", list.size());
  return text;
}

// A table of few rows: a line for each.
std::string rows_text(const Value::List& rows, std::size_t shown) {
  std::string text;
  for (const Value& row : rows)
    text += (text.empty() ? "" : fmt::format("\n  {:24} ", "")) + list_text(row.as_list(), shown);
  return text;
}

std::string value_text(const Value& value, std::size_t shown) {
  if (is_table(value) && value.as_list().size() == 1)
    return list_text(value.as_list()[0].as_list(), shown);
  if (is_table(value))
    return fmt::format("({} × {})", value.as_list().size(), value.as_list()[0].as_list().size());
  return value.is_list() ? list_text(value.as_list(), shown) : number_text(value);
}

// Whether a figure has something for each of several columns.
bool by_column(const Figure& figure, Index dim) {
  const Value& value = figure.value;
  return dim > 1 && !figure.not_of_columns && value.is_list() &&
         static_cast<Index>(value.as_list().size()) == dim;
}

// The cells of one row of a figure: a number, or the first of a list.
void add_cells(const Value& row, std::size_t most, std::vector<std::string>& cells) {
  if (!row.is_list()) return cells.push_back(number_text(row));
  const Value::List& numbers = row.as_list();
  for (std::size_t i = 0; i < std::min(most, numbers.size()); ++i)
    cells.push_back(number_text(numbers[i]));
}

}  // namespace

std::string figures_text(const Report& report) {
  constexpr std::size_t kShown = 6;  // of a list
  std::string text;
  for (const Figure& figure : report.figures)
    text += fmt::format("{}{} {}", text.empty() ? "" : "   ", printable(figure.name),
                        value_text(figure.value, kShown));
  return text;
}

std::string all_figures_text(const Report& report, const std::vector<std::string>& column_names) {
  constexpr std::size_t kShown = 12, kCells = 6;  // of a list, of a row of a table
  constexpr std::size_t kLines = 8;               // of a table that is shown as it is
  constexpr Index kRows = 40;
  std::string text;
  std::vector<const Figure*> tables;
  for (const Figure& figure : report.figures) {
    if (by_column(figure, report.dim))
      tables.push_back(&figure);
    else if (is_table(figure.value) && figure.value.as_list().size() <= kLines)
      text += fmt::format("  {:24} {}\n", printable(figure.name),
                          rows_text(figure.value.as_list(), kShown));
    else
      text += fmt::format("  {:24} {}\n", printable(figure.name), value_text(figure.value, kShown));
  }
  if (tables.empty()) return text;
  std::vector<std::string> header = {"column"};
  for (const Figure* figure : tables) {
    const Value& first = figure->value.as_list()[0];
    header.push_back(printable(figure->name));
    const std::size_t cells = first.is_list() ? std::min(kCells, first.as_list().size()) : 1;
    for (std::size_t i = 1; i < cells; ++i) header.push_back(fmt::format("{}", i + 1));
  }
  TextTable table(header);
  for (Index j = 0; j < std::min(kRows, report.dim); ++j) {
    const auto at = static_cast<std::size_t>(j);
    std::vector<std::string> cells = {column_names.empty() ? fmt::format("{}", j + 1)
                                                           : printable(column_names[at])};
    for (const Figure* figure : tables) add_cells(figure->value.as_list()[at], kCells, cells);
    table.add(std::move(cells));
  }
  text += "\n" + table.text();
  if (report.dim > kRows) text += fmt::format("… {} columns; all with --json\n", report.dim);
  return text;
}

}  // namespace mercer::cli
