#include "mercer/io/table_join.h"

#include "mercer/core/text.h"
#include "mercer/data/missing.h"
#include "mercer/io/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

namespace mercer {
namespace {

[[noreturn]] void refuse_join(const std::string& what, const std::string& file) {
  throw Error(ErrorCode::tables_differ, what,
              "tables that are read as one have the same columns; --columns and --drop choose "
              "among them",
              printable(file));
}

bool fills_in(const ReadOptions& options) {
  return options.columns.missing == "mean" || options.columns.missing == "median";
}

// The options of the first table, where words name columns of its own, as those of the next one.
ReadOptions reading_like(const Table& first, const std::string& name, ReadOptions options) {
  ColumnOptions& columns = options.columns;
  options.of_another = true;
  columns.known.first_index = first.first_index;
  columns.known.keep_empty = true;
  if (!first.named_columns) return options;
  columns.known.names = source_names(first.data.column_names, first.use.encoded);
  columns.known.encoded = first.use.encoded;
  columns.encode.clear();
  columns.known.label = first.data.labels.name;
  columns.known.ids = first.ids_name;
  columns.known.named_rows = !first.data.ids.empty();
  columns.known.same_as = name;
  for (const SetAside& column : first.use.set_aside) columns.known.aside.push_back(column.name);
  columns.known.any_aside = first.use.set_aside_count > ColumnUse::kListed;
  if (!columns.targets.empty()) columns.targets = first.targets.column_names;
  columns.only.clear();
  columns.drop.clear();
  if (columns.label != "none") columns.label.clear();
  return options;
}

// The columns of `part` in the order of the first table's.
Dataset in_order(Dataset part, const Dataset& first, bool by_name, const Table& of,
                 const std::string& file, const std::string& first_file) {
  if (!by_name) {
    const bool grows = part.sparse() && first.sparse();  // what ends early is zero
    if (part.dim() == first.dim() || grows) return part;
    refuse_join(fmt::format("the table has {} columns of numbers, {} has {}", grouped(part.dim()),
                            printable(first_file), grouped(first.dim())),
                file);
  }
  if (part.column_names == first.column_names) return part;
  std::unordered_map<std::string_view, Index> place;
  for (std::size_t j = 0; j < part.column_names.size(); ++j)
    place.try_emplace(part.column_names[j], static_cast<Index>(j));
  std::vector<Index> order;
  for (const std::string& name : first.column_names) {
    const auto found = place.find(name);
    if (found != place.end()) {
      order.push_back(found->second);
      continue;
    }
    const auto why = std::ranges::find(of.use.set_aside, name, &SetAside::name);
    refuse_join(
        fmt::format("column \"{}\", a measurement in {}, is none here{}", printable(name),
                    printable(first_file), why == of.use.set_aside.end() ? "" : ": " + why->reason),
        file);
  }
  return part.columns(order);
}

Dataset stacked_sparse(const std::vector<Dataset>& parts) {
  SparseRows all;
  Index dim = 0;
  for (const Dataset& part : parts) {
    const SparseRows& rows = part.sparse_rows();
    const auto offset = static_cast<Index>(all.columns.size());
    for (std::size_t i = 1; i < rows.starts.size(); ++i)
      all.starts.push_back(rows.starts[i] + offset);
    all.columns.insert(all.columns.end(), rows.columns.begin(), rows.columns.end());
    all.values.insert(all.values.end(), rows.values.begin(), rows.values.end());
    dim = std::max(dim, part.dim());
  }
  return {std::move(all), dim};
}

Dataset stacked_dense(const std::vector<Dataset>& parts, const Context& context) {
  const Index dim = parts[0].dim();
  Index n = 0;
  bool same = true;
  for (const Dataset& part : parts) {
    n += part.n();
    same = same && !part.sparse() && part.type() == parts[0].type();
  }
  const Scalar type = same ? parts[0].type() : Scalar::f64;
  std::vector<std::byte> bytes(static_cast<std::size_t>(n * dim) * size_of(type));
  std::byte* out = bytes.data();
  for (const Dataset& part : parts) {
    context.check_cancelled();
    const DataView rows = part.view();
    const std::size_t size = static_cast<std::size_t>(part.n() * dim) * size_of(type);
    if (same) {
      if (size > 0) std::memcpy(out, rows.data(), size);
    } else {
      Vector row(dim);
      for (Index i = 0; i < part.n(); ++i) {
        rows.copy_row(i, row.data());
        std::memcpy(out + static_cast<std::size_t>(i * dim) * sizeof(double), row.data(),
                    static_cast<std::size_t>(dim) * sizeof(double));
      }
    }
    out += size;
  }
  return {std::move(bytes), type, n, dim};
}

// One below the other. Sparse rows stay sparse where all of them are.
Dataset stacked(const std::vector<Dataset>& parts, const Context& context) {
  const bool sparse = std::ranges::all_of(parts, &Dataset::sparse);
  std::uint64_t bytes = 0;
  for (const Dataset& part : parts) {
    const auto cells = static_cast<std::uint64_t>(part.n() * part.dim());
    bytes += sparse ? 2 * part.bytes() : cells * sizeof(double);
  }
  const auto room = context.hold(bytes, "the rows of all tables together");
  Dataset all = sparse ? stacked_sparse(parts) : stacked_dense(parts, context);
  all.column_names = parts[0].column_names;
  return all;
}

void append_labels(Labels& all, const Labels& more) {
  std::unordered_map<std::string, Index> number;
  for (std::size_t c = 0; c < all.classes.size(); ++c)
    number.emplace(all.classes[c], static_cast<Index>(c));
  std::vector<Index> own;
  for (const std::string& name : more.classes) {
    const auto [entry, added] = number.try_emplace(name, static_cast<Index>(all.classes.size()));
    if (added) all.classes.push_back(name);
    own.push_back(entry->second);
  }
  for (const Index one : more.of_row) all.of_row.push_back(own[static_cast<std::size_t>(one)]);
}

// Where one table has no names of rows, those of the others would stand beside nothing.
void join_row_names(const std::vector<Table>& tables, const std::vector<std::string>& files,
                    Dataset& all, std::vector<Note>& notes) {
  const auto has_none = [](const Table& table) { return table.data.ids.empty(); };
  const auto none = std::ranges::find_if(tables, has_none);
  if (none != tables.end()) {
    if (!std::ranges::all_of(tables, has_none))
      notes.push_back(
          {fmt::format("row names are left out: the rows of {} have none",
                       printable(files[static_cast<std::size_t>(none - tables.begin())])),
           ""});
    return;
  }
  for (const Table& table : tables)
    all.ids.insert(all.ids.end(), table.data.ids.begin(), table.data.ids.end());
}

void join_classes(const std::vector<Table>& tables, const std::vector<std::string>& files,
                  Dataset& all) {
  all.labels = tables[0].data.labels;
  for (std::size_t t = 1; t < tables.size(); ++t) {
    const Dataset& part = tables[t].data;
    if (!all.labels.empty() && part.labels.empty())
      refuse_join(fmt::format("the table has no classes; {} has them{}", printable(files[0]),
                              all.labels.name.empty()
                                  ? ""
                                  : fmt::format(" in column \"{}\"", printable(all.labels.name))),
                  files[t]);
    if (!all.labels.empty()) append_labels(all.labels, part.labels);
  }
}

Table joined(std::vector<Table> tables, const std::vector<std::string>& files,
             const ReadOptions& options, const Context& context) {
  std::vector<Dataset> rows, targets;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    Table& table = tables[t];
    const bool by_name = tables[0].named_columns && table.named_columns;
    rows.push_back(in_order(table.data, tables[0].data, by_name, table, files[t], files[0]));
    targets.push_back(
        in_order(table.targets, tables[0].targets, by_name, table, files[t], files[0]));
  }
  Dataset all = stacked(rows, context);
  std::vector<Note> notes;  // those of the first table were told with it
  join_classes(tables, files, all);
  join_row_names(tables, files, all, notes);
  const bool predicts = targets[0].dim() > 0;
  Dataset truth = predicts ? stacked(targets, context) : Dataset();
  rows = targets = {};
  Table whole = std::move(tables[0]);
  for (std::size_t t = 1; t < tables.size(); ++t) {
    whole.gaps.rows_dropped += tables[t].gaps.rows_dropped;
    whole.warnings.insert(whole.warnings.end(), tables[t].warnings.begin(),
                          tables[t].warnings.end());
    if (tables[t].image_shape != whole.image_shape) whole.image_shape.clear();
  }
  tables = {};
  whole.notes = std::move(notes);
  whole.data = std::move(all);
  whole.targets = std::move(truth);
  if (fills_in(options)) treat_gaps(whole, options.columns, context);
  whole.data.hold(context);
  return whole;
}

}  // namespace

Table read_tables(const std::vector<std::string>& paths, const ReadOptions& options,
                  const Context& context,
                  const std::function<Table(const std::string&, const ReadOptions&)>& read) {
  const auto read_one = [&](const std::string& path, const ReadOptions& how) {
    return read ? read(path, how) : read_table(path, how, context);
  };
  if (paths.size() == 1) return read_one(paths[0], options);
  ReadOptions gaps_left = options;
  if (fills_in(options)) gaps_left.columns.missing = "keep";  // the figures are those of all rows
  std::vector<Table> tables;
  tables.push_back(read_one(paths[0], gaps_left));
  const ReadOptions like_first = reading_like(tables[0], paths[0], gaps_left);
  for (std::size_t t = 1; t < paths.size(); ++t) tables.push_back(read_one(paths[t], like_first));
  return joined(std::move(tables), paths, options, context);
}

}  // namespace mercer
