#include "mercer/io/detail/csv/triangle.h"

#include "mercer/core/text.h"
#include "mercer/io/detail/csv/cells.h"
#include "mercer/io/detail/csv/number.h"
#include "mercer/io/detail/csv/opened_text.h"
#include "mercer/io/detail/finish_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace mercer::detail {
namespace {

struct TriangleLine {
  Index number = 0;
  bool indented = false;  // begins with a blank
  std::vector<std::string> cells;
};

// Lines that are not blank, one after the other, cut into cells.
class TriangleLines {
 public:
  TriangleLines(std::string_view text, const TextOptions& options)
      : rest_(text), delimiter_(options.delimiter.value_or(',')) {
    for (Index i = 0; i < options.skip; ++i) static_cast<void>(take_line());
    if (!options.delimiter) delimiter_ = delimiter_of(rest_);
  }

  char delimiter() const { return delimiter_; }

  /// The next line; with `whole`, only one that has its end in the text.
  std::optional<TriangleLine> next(bool whole = false) {
    while (!rest_.empty()) {
      if (whole && rest_.find('\n') == rest_.npos) return std::nullopt;
      const std::string_view text = take_line();
      RowReader reader(text, delimiter_, '\n', number_);
      std::vector<Cell> cells;
      if (!reader.next(cells)) continue;
      TriangleLine line{number_, text.front() == ' ' || text.front() == '\t', {}};
      for (const Cell& cell : cells) line.cells.push_back(plain_text(cell));
      return line;
    }
    return std::nullopt;
  }

 private:
  std::string_view take_line() {
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_ = end == rest_.npos ? std::string_view() : rest_.substr(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    return line;
  }

  // The first mark of the text that can be one; blanks where there is none.
  static char delimiter_of(std::string_view text) {
    for (const char mark : {'\t', ';', ','})
      if (text.substr(0, std::size_t{4096}).find(mark) != text.npos) return mark;
    return ' ';
  }

  std::string_view rest_;
  char delimiter_;
  Index number_ = 0;
};

NumberStyle style_of(const TextOptions& options) {
  return {.decimal = options.decimal.value_or('.'), .thousands = {}, .na = options.na};
}

bool is_missing(const std::string& cell, const NumberStyle& style) {
  double value = 0;
  return read_number(cell, style, value) == CellKind::missing;
}

bool is_text_cell(const std::string& cell, const NumberStyle& style) {
  double value = 0;
  return read_number(cell, style, value) == CellKind::text;
}

// Cells up to the last one that is not empty.
std::size_t used_cells(const TriangleLine& line, const NumberStyle& style) {
  std::size_t used = line.cells.size();
  while (used > 0 && is_missing(line.cells[used - 1], style)) --used;
  return used;
}

// Cells at the end of a line that are no texts.
std::size_t last_numbers(const TriangleLine& line, const NumberStyle& style) {
  std::size_t count = 0;
  while (count < line.cells.size() &&
         !is_text_cell(line.cells[line.cells.size() - 1 - count], style))
    ++count;
  return count;
}

// What the first lines say of the others.
struct TriangleForm {
  bool printed = false;  // by R: headers stand behind blanks, a new block begins with one
  bool header = false;
  bool named = false;  // each row begins with a name
  Index first = 1;     // numbers of the first row: 0 where it is a name alone
};

std::optional<TriangleForm> form_of(const std::vector<TriangleLine>& lines, char delimiter,
                                    const TextOptions& options) {
  const NumberStyle style = style_of(options);
  constexpr std::size_t kFewest = 2;  // rows that show how the others grow
  if (lines.size() < kFewest) return std::nullopt;
  TriangleForm form;
  const std::vector<std::string>& top = lines[0].cells;
  form.printed = delimiter == ' ' && lines[0].indented && !lines[1].indented;
  const bool corner = top[0].empty();
  const bool texts = top.size() > 1 && std::ranges::all_of(top, [&](const std::string& cell) {
                       return is_text_cell(cell, style);
                     });
  form.header = options.header.value_or(form.printed || corner || texts);
  form.printed = form.printed && form.header;
  const std::size_t begin = form.header ? 1 : 0;
  if (lines.size() < begin + kFewest) return std::nullopt;
  if (form.printed) {  // names may have blanks, and a block of columns ends somewhere
    form.named = true;
    const std::size_t above = last_numbers(lines[1], style), below = last_numbers(lines[2], style);
    const bool one_column = above == 1 && below == 1;  // in each block
    return (above >= 1 && below == above + 1) || one_column ? std::optional(form) : std::nullopt;
  }
  const std::size_t used = used_cells(lines[begin], style);
  form.named = corner || used == 2 || (used == 1 && is_text_cell(lines[begin].cells[0], style));
  if (used < 1 || used > 2 || (used == 2 && !form.named)) return std::nullopt;
  form.first = static_cast<Index>(used) - (form.named ? 1 : 0);
  // Where cells behind the diagonal are there, and empty, a whole matrix may look the same at
  // first.
  const bool padded = lines[begin].cells.size() == lines[begin + 1].cells.size();
  const std::size_t looked = padded ? lines.size() : begin + kFewest;
  for (std::size_t i = begin + 1; i < looked; ++i)
    if (used_cells(lines[i], style) != used + i - begin) return std::nullopt;
  return form;
}

// The triangle as far as it is read.
struct Triangle {
  std::vector<std::string> header, names;
  std::vector<std::vector<double>> rows;
};

[[noreturn]] void refuse_row(const std::string& file, Index line, Index row, std::size_t found,
                             Index wanted) {
  throw Error(ErrorCode::ragged_row,
              fmt::format("row {} of a triangular matrix has {} number{} where {} belong{}",
                          row + 1, found, found == 1 ? "" : "s", wanted, wanted == 1 ? "s" : ""),
              "each row has one number more than the one above it",
              fmt::format("{}:{}", file, line));
}

class TriangleReader {
 public:
  TriangleReader(const TriangleForm& form, const NumberStyle& style, const std::string& file)
      : form_(form), style_(style), file_(file) {}

  void take(TriangleLine line, bool first_line) {
    const bool heads = first_line ? form_.header : form_.printed && line.indented;
    if (!heads) return take_row(line);
    if (!line.cells.empty() && line.cells[0].empty()) line.cells.erase(line.cells.begin());
    triangle_.header.insert(triangle_.header.end(), line.cells.begin(), line.cells.end());
    row_ = 0;
    widest_ = std::numeric_limits<std::size_t>::max();
  }

  Triangle finish() {
    for (std::size_t i = 0; i < triangle_.rows.size(); ++i)
      if (static_cast<Index>(triangle_.rows[i].size()) != wanted(i))
        refuse_row(file_, last_line_, static_cast<Index>(i), triangle_.rows[i].size(), wanted(i));
    return std::move(triangle_);
  }

 private:
  Index wanted(std::size_t row) const { return static_cast<Index>(row) + form_.first; }

  void take_row(const TriangleLine& line) {
    last_line_ = line.number;
    const bool again = row_ < triangle_.rows.size();
    if (!again) {
      triangle_.rows.emplace_back();
      triangle_.names.emplace_back();
    }
    std::vector<double>& numbers = triangle_.rows[row_];
    const std::size_t have = numbers.size();
    const std::size_t room = static_cast<std::size_t>(wanted(row_)) -
                             std::min<std::size_t>(have, static_cast<std::size_t>(wanted(row_)));
    const std::size_t skip = name_cells(line, std::min(room, widest_));
    std::string name;
    for (std::size_t i = 0; i < skip; ++i) name += (i == 0 ? "" : " ") + line.cells[i];
    if (!again) triangle_.names[row_] = name;
    for (std::size_t i = skip; i < line.cells.size(); ++i) add(line, i, room - (i - skip), numbers);
    // A printed block is as wide as its first row that did not grow.
    const std::size_t got = numbers.size() - have;
    if (form_.printed && got < room) widest_ = std::min(widest_, got);
    if (!form_.printed && got != room)
      refuse_row(file_, line.number, static_cast<Index>(row_), got, wanted(row_));
    ++row_;
  }

  // Cells of the name: in a text with blanks between the cells, a name may have some, too.
  std::size_t name_cells(const TriangleLine& line, std::size_t most) const {
    if (!form_.named) return 0;
    if (!form_.printed) return 1;
    std::size_t numbers = 0;
    while (numbers < most && numbers + 1 < line.cells.size() &&
           !is_text_cell(line.cells[line.cells.size() - 1 - numbers], style_))
      ++numbers;
    return line.cells.size() - numbers;
  }

  void add(const TriangleLine& line, std::size_t cell, std::size_t room,
           std::vector<double>& numbers) {
    const std::string& text = line.cells[cell];
    double value = 0;
    const CellKind kind = read_number(text, style_, value);
    const auto place = [&] { return fmt::format("{}:{}:{}", file_, line.number, cell + 1); };
    if (static_cast<std::ptrdiff_t>(room) <= 0) {
      if (kind == CellKind::missing) return;  // of the other half
      refuse_row(file_, line.number, static_cast<Index>(row_), numbers.size() + 1, wanted(row_));
    }
    if (kind == CellKind::text || kind == CellKind::grouped)
      throw Error(ErrorCode::text_in_numbers,
                  fmt::format("a triangular matrix has a text among its numbers: \"{}\"",
                              printable(text.substr(0, 40))),
                  "correct that cell, or give the whole matrix", place());
    if (kind == CellKind::infinite)
      throw Error(ErrorCode::missing_values, "an infinite value in a triangular matrix",
                  "every pair of samples needs a finite value", place());
    if (kind == CellKind::overflow)
      throw Error(ErrorCode::number_overflows, "a number beyond the largest double",
                  "correct it, or leave that sample out", place());
    numbers.push_back(value);  // NaN where it is missing
  }

  const TriangleForm& form_;
  const NumberStyle& style_;
  const std::string& file_;
  Triangle triangle_;
  std::size_t row_ = 0;  // of the block
  std::size_t widest_ = std::numeric_limits<std::size_t>::max();
  Index last_line_ = 0;
};

// Whether the header names a sample before that of the first row.
bool begins_one_before(const Triangle& triangle, const TriangleForm& form) {
  const std::vector<std::string>&header = triangle.header, &names = triangle.names;
  if (header.empty()) return false;
  if (!form.named) return header.size() == triangle.rows.size() + 1;
  const bool all = header.size() == names.size() + 1, without_last = header.size() == names.size();
  return (all || without_last) && std::equal(header.begin() + 1, header.end(), names.begin());
}

// Whether the last number of each row is that of a sample with itself.
bool has_diagonal(const Triangle& triangle, const TriangleForm& form, const ReadOptions& options) {
  if (form.first == 0) return false;
  if (form.named && triangle.header == triangle.names) return true;
  if (begins_one_before(triangle, form)) return false;
  if (options.pairs == "kernel") return true;
  return std::ranges::all_of(triangle.rows,
                             [](const std::vector<double>& row) { return row.back() == 0; });
}

// The names of all samples, where all have one.
std::vector<std::string> names_of(const Triangle& triangle, const TriangleForm& form,
                                  bool first_is_missing) {
  std::vector<std::string> names = triangle.names;
  if (!form.named) names = triangle.header;
  if (form.named && first_is_missing) {
    if (!begins_one_before(triangle, form)) return {};
    names.insert(names.begin(), triangle.header.front());
  }
  return names.size() == triangle.rows.size() + (first_is_missing ? 1 : 0)
             ? names
             : std::vector<std::string>();
}

Dataset mirrored(const Triangle& triangle, Index n, bool diagonal, bool first_is_missing,
                 const Context& context) {
  Points matrix = Points::Zero(n, n);
  const Index shift = first_is_missing ? 1 : 0;
  for (Index i = 0; i < static_cast<Index>(triangle.rows.size()); ++i) {
    if (i % 256 == 0) context.check_cancelled();
    const std::vector<double>& row = triangle.rows[static_cast<std::size_t>(i)];
    for (Index j = 0; j < static_cast<Index>(row.size()); ++j)
      matrix(i + shift, j) = matrix(j, i + shift) = row[static_cast<std::size_t>(j)];
  }
  if (!diagonal) matrix.diagonal().setZero();
  return Dataset(std::move(matrix));
}

}  // namespace

bool begins_a_triangle(std::string_view head, const TextOptions& options) {
  constexpr std::size_t kLooked = 12, kLongest = 65536;  // lines that are looked at; bytes
  TriangleLines lines(head.substr(0, kLongest), options);
  const bool all_there = head.size() < kLongest;
  std::vector<TriangleLine> first;
  while (first.size() < kLooked) {
    std::optional<TriangleLine> line = lines.next(!all_there);
    if (!line) break;
    first.push_back(std::move(*line));
  }
  return form_of(first, lines.delimiter(), options).has_value();
}

Table read_triangle(Source& source, const ReadOptions& options, const Context& given) {
  Context context = given;
  context.account = source.context().account;
  const std::string& file = source.name();
  check_is_text(source.head(), file);
  const std::string_view text = source.all();
  // Every number has a character and something between it and the next one.
  constexpr std::uint64_t kNumber = sizeof(double), kGrown = 2;
  const MemoryAccount::Hold numbers =
      context.hold(kGrown * kNumber * (text.size() / 2 + 1), "the numbers of the triangle");
  const NumberStyle style = style_of(options.text);
  TriangleLines lines(text, options.text);
  std::vector<TriangleLine> first;
  constexpr std::size_t kLooked = 12;
  while (first.size() < kLooked) {
    std::optional<TriangleLine> line = lines.next();
    if (!line) break;
    first.push_back(std::move(*line));
  }
  const std::optional<TriangleForm> form = form_of(first, lines.delimiter(), options.text);
  if (!form) refuse_row(file, 1, 0, 0, 1);
  TriangleReader reader(*form, style, file);
  for (std::size_t i = 0; i < first.size(); ++i) reader.take(std::move(first[i]), i == 0);
  for (Index i = 0; std::optional<TriangleLine> line = lines.next(); ++i) {
    if (i % 1024 == 0) context.check_cancelled();
    reader.take(std::move(*line), false);
  }
  const Triangle triangle = reader.finish();
  const bool diagonal = has_diagonal(triangle, *form, options);
  const bool first_is_missing = !diagonal && form->first == 1;
  const auto n = static_cast<Index>(triangle.rows.size()) + (first_is_missing ? 1 : 0);
  if (!diagonal && options.pairs == "kernel")
    throw Error(ErrorCode::missing_values,
                "a triangle of kernel values lacks the values of each sample with itself",
                "give them as the last number of each row", file);

  Table table;
  table.format = "csv";
  const MemoryAccount::Hold matrix = context.hold(
      static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(n) * kNumber, "the matrix");
  Dataset data = mirrored(triangle, n, diagonal, first_is_missing, context);
  data.ids = data.column_names = names_of(triangle, *form, first_is_missing);
  table.notes.push_back(
      {fmt::format("a lower triangle {} its diagonal: a symmetric matrix of {} samples",
                   diagonal ? "with" : "without", grouped(n)),
       ""});
  finish_table(table, std::move(data), options, context, file);
  return table;
}

}  // namespace mercer::detail
