// LibSVM (SVMlight) text, kept sparse. The file is read in pieces and its numbers alone are kept,
// so it may be larger than memory; the pieces' lines are read in blocks side by side.
#include "mercer/core/parallel.h"
#include "mercer/core/text.h"
#include "mercer/io/detail/finish_table.h"
#include "mercer/io/detail/libsvm_lines.h"
#include "mercer/io/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace mercer {

const TableFormat& libsvm_format();

namespace libsvm_file {
namespace {

using detail::LibsvmBlock;

// Bytes of text that one task reads, and that are in memory at once: eight tasks, or less where
// memory is short.
constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::size_t kPiece = 8 * kBlock, kSmallestPiece = std::size_t{64} << 10;
// Bytes that one byte of text may take once it is read: a label and a line end, or a class.
constexpr std::uint64_t kMostGrowth = 32;
constexpr std::size_t kLongestLine = std::size_t{256} << 20;

std::uint64_t bytes_of(const LibsvmBlock& block) {
  return block.rows.values.capacity() * (sizeof(double) + sizeof(std::int32_t)) +
         block.rows.starts.capacity() * 2 * sizeof(Index) + mercer::bytes_of(block.labels.classes);
}

// The pieces of the source, each ending at the end of a line. They become small where little memory
// is left.
class Lines {
 public:
  Lines(Source& source, const Context& context)
      : source_(source), context_(context), hold_(context.hold(0, "the lines being read")) {
    // A small file needs no large buffer; one byte more tells that it has ended.
    const std::uint64_t size = source.size().value_or(kPiece);
    most_ = static_cast<std::size_t>(std::min<std::uint64_t>(size + 1, kPiece));
  }

  /// False at the end. The text is valid until the next call.
  bool next(std::string_view& text) {
    buffer_.erase(0, taken_);
    if (buffer_.capacity() > 4 * kPiece && buffer_.size() < kPiece) buffer_.shrink_to_fit();
    std::size_t end = std::string::npos;
    while (end == std::string::npos && !ended_) end = fill();
    taken_ = end == std::string::npos ? buffer_.size() : end + 1;
    text = std::string_view(buffer_).substr(0, taken_);
    return taken_ > 0;
  }

 private:
  // Where the last line end of what was added stands.
  std::size_t fill() {
    const std::size_t size = buffer_.size();
    if (size > kLongestLine)
      throw Error(ErrorCode::line_too_long,
                  fmt::format("a line is longer than {}", mercer::bytes(kLongestLine)),
                  "is this LibSVM text, with line ends?", source_.name());
    const std::size_t piece = std::min(
        most_, std::max<std::size_t>(context_.memory_left() / 2 / kMostGrowth, kSmallestPiece));
    // The buffer is there twice while it grows; a small one takes too little to be counted.
    if (size + piece > buffer_.capacity() && size + piece > kBlock)
      hold_.resize(2 * size + piece + buffer_.capacity());
    buffer_.resize(size + piece);
    const std::size_t count = source_.read(buffer_.data() + size, piece);
    buffer_.resize(size + count);
    ended_ = count < piece;
    const std::size_t end = std::string_view(buffer_).substr(size).rfind('\n');
    return end == std::string::npos ? end : size + end;
  }

  Source& source_;
  const Context& context_;
  MemoryAccount::Hold hold_;
  std::string buffer_;
  std::size_t most_ = kPiece, taken_ = 0;
  bool ended_ = false;
};

// Cuts after the first line end behind each multiple of the block's size.
std::vector<std::string_view> blocks_of(std::string_view text) {
  std::vector<std::string_view> blocks;
  while (!text.empty()) {
    const std::size_t end = text.find('\n', std::min(kBlock, text.size() - 1));
    blocks.push_back(text.substr(0, end == text.npos ? end : end + 1));
    text.remove_prefix(blocks.back().size());
  }
  return blocks;
}

// What one line that is longer than a block takes while it is read: its features, twice while
// their vector grows, and the block made of them.
std::uint64_t bytes_of_long_lines(const std::vector<std::string_view>& parts) {
  constexpr std::uint64_t kFeature =
      3 * sizeof(std::pair<std::int32_t, double>) + sizeof(std::int32_t) + sizeof(double);
  std::uint64_t sum = 0;
  for (const std::string_view part : parts)
    if (part.size() > 2 * kBlock)
      sum += kFeature * static_cast<std::uint64_t>(std::count(part.begin(), part.end(), ':'));
  return sum;
}

// All blocks in order; the hold counts them and, in the end, the table made of them. Throws the
// first fault with its line.
std::vector<LibsvmBlock> read_blocks(Source& source, const ReadOptions& options,
                                     const Context& context, MemoryAccount::Hold& hold) {
  const detail::NumberStyle style{.na = options.text.na};
  const bool refuse_missing = options.columns.missing == "error";
  std::vector<LibsvmBlock> blocks;
  Lines lines(source, context);
  std::string_view text;
  constexpr std::uint64_t kClass = 96;  // in the map by which the blocks' classes are joined
  std::uint64_t held = 0, classes = 0;
  Index line = 0;
  while (lines.next(text)) {
    const std::vector<std::string_view> parts = blocks_of(text);
    const auto long_lines = context.hold(bytes_of_long_lines(parts), "the long lines");
    std::vector<LibsvmBlock> read(parts.size());
    parallel_for(context, static_cast<Index>(parts.size()), [&](Index i) {
      const auto at = static_cast<std::size_t>(i);
      read[at] = detail::read_libsvm_lines(parts[at], style, refuse_missing);
    });
    for (LibsvmBlock& block : read) {
      line += block.lines;
      if (block.fault)
        throw Error(block.fault->code, fmt::format("line {}: {}", line, block.fault->message),
                    block.fault->hint, source.name());
      held += bytes_of(block);
      classes += block.labels.classes.size();
      hold.resize(2 * held + classes * kClass);
      blocks.push_back(std::move(block));
    }
  }
  return blocks;
}

// Classes in order of first appearance in the file.
void add_labels(const Labels& part, std::unordered_map<std::string, Index>& known, Labels& labels) {
  std::vector<Index> number;
  for (const std::string& text : part.classes) {
    const auto [entry, added] = known.try_emplace(text, static_cast<Index>(labels.classes.size()));
    if (added) labels.classes.push_back(text);
    number.push_back(entry->second);
  }
  for (const Index of_row : part.of_row)
    labels.of_row.push_back(number[static_cast<std::size_t>(of_row)]);
}

Dataset joined(std::vector<LibsvmBlock> blocks, Index first_index, Index dim) {
  SparseRows rows;
  Labels labels{.name = "label", .classes = {}, .of_row = {}};
  std::unordered_map<std::string, Index> known;
  std::size_t n = 0, stored = 0;
  for (const LibsvmBlock& block : blocks) {
    n += block.labels.of_row.size();
    stored += block.rows.values.size();
  }
  rows.starts.reserve(n + 1);
  rows.columns.reserve(stored);
  rows.values.reserve(stored);
  labels.of_row.reserve(n);
  for (LibsvmBlock& block : blocks) {
    const auto offset = static_cast<Index>(rows.columns.size());
    for (std::size_t i = 1; i < block.rows.starts.size(); ++i)
      rows.starts.push_back(block.rows.starts[i] + offset);
    for (const std::int32_t index : block.rows.columns)
      rows.columns.push_back(index - static_cast<std::int32_t>(first_index));
    rows.values.insert(rows.values.end(), block.rows.values.begin(), block.rows.values.end());
    add_labels(block.labels, known, labels);
    block = {};
  }
  Dataset data(std::move(rows), dim);
  data.labels = std::move(labels);
  return data;
}

// What all blocks together say.
struct Facts {
  Index rows = 0, largest = -1, underflows = 0;
  bool from_zero = false, queries = false;
};

Facts facts_of(const std::vector<LibsvmBlock>& blocks) {
  Facts facts;
  for (const LibsvmBlock& block : blocks) {
    facts.rows += static_cast<Index>(block.labels.of_row.size());
    facts.largest = std::max(facts.largest, block.largest_index);
    facts.underflows += block.underflows;
    facts.from_zero = facts.from_zero || block.has_index_zero;
    facts.queries = facts.queries || block.has_query;
  }
  return facts;
}

// As somebody says, or as the table of a model had it.
std::optional<Index> known_first_index(const ReadOptions& options) {
  return options.first_index ? options.first_index : options.columns.known.first_index;
}

void tell(const Facts& facts, const ReadOptions& options, Index dim, Table& table) {
  if (!known_first_index(options))
    table.notes.push_back({facts.from_zero ? "indices are counted from 0, since an index 0 occurs"
                                           : "indices are counted from 1: no index 0 occurs",
                           facts.from_zero ? "" : "--first-index 0"});
  if (facts.queries) table.notes.push_back({"qid is ignored", ""});
  table.notes.push_back(
      {fmt::format("{} columns: the largest index is {}", grouped(dim), facts.largest), ""});
  if (facts.underflows > 0)
    table.warnings.push_back(
        {WarningCode::number_underflows,
         fmt::format("{} numbers too small for a double became 0", grouped(facts.underflows))});
}

Table read_libsvm(Source& source, const ReadOptions& options, const Context& context) {
  const std::string file = source.name();
  MemoryAccount::Hold hold = context.hold(0, "the table's numbers");
  std::vector<LibsvmBlock> blocks = read_blocks(source, options, context, hold);
  const Facts facts = facts_of(blocks);
  if (facts.rows == 0)
    throw Error(ErrorCode::no_rows, "the file has no row", "give a file with rows", file);
  if (facts.largest < 0)
    throw Error(ErrorCode::nothing_numeric, "no row has an index:value",
                "a line is: label index:value index:value ...", file);
  const Index first_index = known_first_index(options).value_or(facts.from_zero ? 0 : 1);
  if (first_index == 1 && facts.from_zero)
    throw Error(ErrorCode::libsvm_syntax, "an index is 0, although indices are counted from 1",
                "use --first-index 0", file);
  const Index dim = facts.largest + 1 - first_index;
  detail::check_columns(dim, file);
  Table table;
  table.format = "libsvm";
  table.first_index = first_index;
  table.flags = {"--format", "libsvm", "--first-index", first_index == 0 ? "0" : "1"};
  tell(facts, options, dim, table);
  detail::finish_table(table, joined(std::move(blocks), first_index, dim), options, context, file);
  return table;
}

}  // namespace
}  // namespace libsvm_file

const TableFormat& libsvm_format() {
  using namespace libsvm_file;
  static const TableFormat kFormat{
      .name = "libsvm",
      .summary = "LibSVM (SVMlight) text: label index:value ..., kept sparse",
      .extensions = {".libsvm", ".svmlight", ".svm"},
      .recognise = detail::looks_like_libsvm,
      .read = read_libsvm,
      .write = nullptr,
      .takes = {"na", "first-index"},
  };
  return kFormat;
}

}  // namespace mercer
