#include "mercer/io/detail/column_choice.h"

#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

namespace mercer::detail {
namespace {

constexpr const char* kSameColumns =
    "tables that are read as one have the same columns; --columns and --drop choose among them";

std::optional<Index> column_called(const std::string& name, const FileColumns& columns) {
  const auto found = std::ranges::find(columns.names, name);
  if (name.empty() || found == columns.names.end()) return std::nullopt;
  return found - columns.names.begin();
}

// A column may be called none, too.
bool says_none(const ColumnOptions& options, const FileColumns& columns) {
  return options.label == "none" && !column_called("none", columns);
}

std::optional<Index> label_among(const FileColumns& columns, const ColumnOptions& options,
                                 bool no_label) {
  if (no_label) return std::nullopt;
  if (options.label.empty()) return column_called(options.known.label, columns);
  return column_meant(options.label, columns);
}

std::vector<Index> targets_among(const FileColumns& columns, const ColumnOptions& options) {
  std::vector<Index> targets;
  for (const std::string& asked : options.targets) {
    try {
      for (const Index column : columns_meant(asked, columns))
        if (std::ranges::find(targets, column) == targets.end()) targets.push_back(column);
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("--target {}: {}", printable(asked), error.message()),
                  error.hint(), error.place());
    }
  }
  return targets;
}

// Those that are named, and those of a model.
void choose_encoded(const FileColumns& columns, const ColumnOptions& options,
                    ColumnChoice& choice) {
  for (const EncodeColumns& wish : options.encode) {
    if (wish.columns.empty())
      (wish.as.starts_with("date") ? choice.encode_dates : choice.encode_rest) = wish.as;
    for (const std::string& asked : wish.columns)
      for (const Index column : columns_meant(asked, columns)) {
        if (column == choice.label)
          throw Error(
              ErrorCode::unknown_column,
              fmt::format("--encode {}: --label makes that column the classes", printable(asked)),
              "name it in one of the two", columns.file);
        if (!choice.is_encoded(column)) choice.encode.push_back({column, wish.as, nullptr});
      }
  }
  for (const Encoding& encoding : options.known.encoded)
    if (const auto column = column_called(encoding.column, columns))
      choice.encode.push_back({*column, encoding.as, &encoding});
}

std::vector<Index> wanted_among(const FileColumns& columns, const ColumnOptions& options,
                                const ColumnChoice& choice) {
  std::vector<Index> wanted;
  for (const std::string& asked : options.only)
    for (const Index column : columns_meant(asked, columns)) wanted.push_back(column);
  if (!wanted.empty()) {
    wanted.insert(wanted.end(), choice.targets.begin(), choice.targets.end());
    for (const ChosenEncoding& one : choice.encode) wanted.push_back(one.column);
    return wanted;
  }
  wanted.resize(static_cast<std::size_t>(columns.count));
  std::iota(wanted.begin(), wanted.end(), Index{0});
  return wanted;
}

[[noreturn]] void refuse_lack(const std::string& name, const FileColumns& columns,
                              const KnownColumns& known) {
  throw Error(ErrorCode::tables_differ,
              fmt::format("the table lacks column \"{}\", which {} has", printable(name),
                          printable(known.joined.table)),
              kSameColumns, columns.file);
}

// Which columns are those of the model; empty where it cannot be told, which matching them says.
std::vector<bool> known_among(const FileColumns& columns, const KnownColumns& known) {
  std::vector<bool> wanted(static_cast<std::size_t>(columns.count), false);
  if (columns.named && !known.names.empty()) {
    std::unordered_map<std::string_view, std::size_t> place;
    for (std::size_t j = 0; j < columns.names.size(); ++j) place.try_emplace(columns.names[j], j);
    for (const std::string& name : known.names) {
      const auto found = place.find(name);
      if (found == place.end() && !known.joined.table.empty()) refuse_lack(name, columns, known);
      if (found == place.end()) return {};
      wanted[found->second] = true;
    }
    return wanted;
  }
  if (known.places.empty() || known.width != columns.count) return {};
  for (const Index place : known.places)
    if (place < columns.count) wanted[static_cast<std::size_t>(place)] = true;
  return wanted;
}

void mark_extra(const FileColumns& columns, const ColumnOptions& options, ColumnChoice& choice) {
  std::vector<bool> wanted = known_among(columns, options.known);
  if (wanted.empty()) return;
  for (const Index column : choice.targets) wanted[static_cast<std::size_t>(column)] = true;
  for (const ChosenEncoding& one : choice.encode)
    wanted[static_cast<std::size_t>(one.column)] = true;
  for (const std::string& name : options.known.targets)
    if (const auto column = column_called(name, columns))
      wanted[static_cast<std::size_t>(*column)] = true;
  wanted.flip();
  choice.extra = std::move(wanted);
}

// What the other table has and does not use; anything else is an error.
void leave_out_aside(const std::vector<Index>& extra, const FileColumns& columns,
                     const KnownColumns& known, ColumnUse& use) {
  for (const Index column : extra) {
    const std::string name = name_of_column(column, columns.names);
    if (!known.joined.any_aside &&
        std::ranges::find(known.joined.aside, name) == known.joined.aside.end())
      throw Error(ErrorCode::tables_differ,
                  fmt::format("{} holds measurements, and is none of those of {}",
                              column_text(column, columns.names), printable(known.joined.table)),
                  kSameColumns, columns.file);
    use.put_aside(column, name, aside::kNotInModel);
  }
}

}  // namespace

bool ColumnChoice::is_target(Index column) const {
  return std::ranges::find(targets, column) != targets.end();
}

bool ColumnChoice::may_be_missing(Index column) const {
  return std::ranges::find(may_lack, column) != may_lack.end();
}

bool ColumnChoice::is_encoded(Index column) const {
  return std::ranges::find(encode, column, &ChosenEncoding::column) != encode.end();
}

bool wants_no_labels(const ColumnOptions& options) {
  return options.label == "none" || (options.label.empty() && !options.targets.empty());
}

std::string column_text(Index column, const std::vector<std::string>& names) {
  if (names.empty()) return fmt::format("column {}", column + 1);
  return fmt::format("column \"{}\"", printable(names[static_cast<std::size_t>(column)]));
}

std::string name_of_column(Index column, const std::vector<std::string>& names) {
  return names.empty() ? fmt::format("col{}", column + 1) : names[static_cast<std::size_t>(column)];
}

namespace {

[[noreturn]] void refuse_dropped_label(const std::string& asked, const FileColumns& columns) {
  throw Error(ErrorCode::unknown_column,
              fmt::format("--drop {} leaves out the column that --label names", printable(asked)),
              "name it in one of the two", columns.file);
}

// What the options say of labels, targets and texts, before columns are kept or left out.
ColumnChoice named_columns(const FileColumns& columns, const ColumnOptions& options) {
  ColumnChoice choice;
  choice.no_label =
      says_none(options, columns) || (options.label.empty() && !options.targets.empty());
  choice.names_say_nothing = !options.only.empty();
  choice.keep_all = options.keep_texts;
  choice.label = label_among(columns, options, choice.no_label);
  choice.ids = column_called(options.known.ids, columns);
  choice.targets = targets_among(columns, options);
  for (const std::string& name : options.known.targets)
    if (const auto column = column_called(name, columns)) choice.may_lack.push_back(*column);
  if (options.known.keep_targets)
    choice.may_lack.insert(choice.may_lack.end(), choice.targets.begin(), choice.targets.end());
  choose_encoded(columns, options, choice);
  return choice;
}

}  // namespace

ColumnChoice choose_columns(const FileColumns& columns, const ColumnOptions& options,
                            ColumnUse& use) {
  enum Use : char { open, taken, left_out, label };
  ColumnChoice choice = named_columns(columns, options);
  std::vector<Use> state(static_cast<std::size_t>(columns.count), open);
  for (const std::string& asked : options.drop)
    for (const Index column : columns_meant(asked, columns)) {
      if (column == choice.label && !options.label.empty()) refuse_dropped_label(asked, columns);
      state[static_cast<std::size_t>(column)] = left_out;
    }
  if (choice.label) state[static_cast<std::size_t>(*choice.label)] = label;
  for (const Index column : wanted_among(columns, options, choice)) {
    Use& own = state[static_cast<std::size_t>(column)];
    if (own != open) continue;
    choice.kept.push_back(column);
    own = taken;
  }
  use.width = columns.count;
  use.targets = choice.targets;
  for (Index j = 0; j < columns.count; ++j) {
    const Use own = state[static_cast<std::size_t>(j)];
    if (own == open || own == left_out)
      use.put_aside(j, name_of_column(j, columns.names),
                    own == open ? aside::kNotChosen : aside::kDropped);
    if (own == label) use.put_aside(j, name_of_column(j, columns.names), aside::kLabels);
  }
  mark_extra(columns, options, choice);
  return choice;
}

void leave_out_extra(const std::vector<Index>& extra, const FileColumns& columns,
                     const ColumnOptions& options, Table& table) {
  constexpr std::size_t kShown = 5;
  if (extra.empty()) return;
  if (!options.known.joined.table.empty())
    return leave_out_aside(extra, columns, options.known, table.use);
  std::string list;
  for (std::size_t i = 0; i < extra.size(); ++i) {
    table.use.put_aside(extra[i], name_of_column(extra[i], columns.names), aside::kNotInModel);
    if (i < kShown)
      list += fmt::format("{}\"{}\"", i == 0 ? "" : ", ",
                          printable(name_of_column(extra[i], columns.names)));
  }
  table.notes.push_back(
      {fmt::format("{} column{} not in the model and ignored: {}{}",
                   grouped(static_cast<Index>(extra.size())), extra.size() == 1 ? " is" : "s are",
                   list, extra.size() > kShown ? ", ..." : ""),
       ""});
}

}  // namespace mercer::detail
