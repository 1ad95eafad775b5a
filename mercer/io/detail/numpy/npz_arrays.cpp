#include "mercer/io/detail/numpy/npz_arrays.h"

#include "mercer/core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mercer::detail {
namespace {

constexpr std::string_view kEnding = ".npy";
// Mark, lengths and the longest dictionary that the header's parser takes.
constexpr std::size_t kHead = (64 << 10) + 12;

std::string_view without_ending(std::string_view name) {
  return name.ends_with(kEnding) ? name.substr(0, name.size() - kEnding.size()) : name;
}

std::string description(const NpzArray& array) {
  const std::string name = printable(array.name);
  if (array.fault) return fmt::format("{} (cannot be read)", name);
  if (array.header.shape.empty()) return fmt::format("{} (one number)", name);
  return fmt::format("{} ({})", name, fmt::join(array.header.shape, " x "));
}

[[noreturn]] void refuse(const std::vector<NpzArray>& arrays, std::string_view why,
                         const std::string& file) {
  constexpr std::size_t kShown = 20;  // arrays that a message has room for
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(arrays.size(), kShown); ++i)
    texts.push_back(description(arrays[i]));
  if (arrays.size() > kShown) texts.push_back(fmt::format("{} more", arrays.size() - kShown));
  const auto matrix = std::find_if(arrays.begin(), arrays.end(), [](const NpzArray& array) {
    return array.header.shape.size() > 1;
  });
  const NpzArray& example = matrix == arrays.end() ? arrays.front() : *matrix;
  throw Error(ErrorCode::npz_several, fmt::format("{}: {}", why, fmt::join(texts, ", ")),
              fmt::format("say which one to read: {}:{}", file, printable(example.name)), file);
}

bool is_text(const NpzArray& array) {
  return array.header.type.kind == 'U' || array.header.type.kind == 'S';
}

bool is_list(const NpzArray& array) { return !array.fault && array.header.shape.size() == 1; }

// Whole numbers or texts; measured values under such a name are no classes.
bool can_be_labels(const NpzArray& array) {
  return is_list(array) && array.header.type.kind != 'f';
}

const NpzArray* find(const std::vector<NpzArray>& arrays, std::string_view name) {
  const auto found = std::find_if(arrays.begin(), arrays.end(),
                                  [&](const NpzArray& array) { return array.name == name; });
  return found == arrays.end() ? nullptr : &*found;
}

const NpzArray* find_labels(const std::vector<NpzArray>& arrays, const ReadOptions& options) {
  constexpr std::array<std::string_view, 5> kNames = {"y", "label", "labels", "target", "targets"};
  const NpzArray* asked = find(arrays, options.columns.label);
  if (asked && is_list(*asked)) return asked;
  const NpzArray* found = nullptr;
  for (const std::string_view name : kNames) {
    const NpzArray* array = find(arrays, name);
    if (!array || !can_be_labels(*array)) continue;
    if (found) return nullptr;  // two that could be meant
    found = array;
  }
  return found;
}

const NpzArray* find_texts(const std::vector<NpzArray>& arrays, std::string_view name) {
  const NpzArray* array = find(arrays, name);
  return array && is_list(*array) && is_text(*array) ? array : nullptr;
}

const NpzArray* find_label_name(const std::vector<NpzArray>& arrays) {
  const NpzArray* array = find_texts(arrays, "label_name");
  return array && array->header.shape[0] == 1 ? array : nullptr;
}

// Whether the lists have one entry for each row and for each column of the table.
bool all_fit(const NpzChoice& choice) {
  const std::vector<Index>& shape = choice.table->header.shape;
  for (const NpzArray* of_rows : {choice.labels, choice.ids})
    if (of_rows && of_rows->header.shape[0] != shape[0]) return false;
  return !choice.columns || (shape.size() == 2 && choice.columns->header.shape[0] == shape[1]);
}

}  // namespace

std::vector<NpzArray> npz_arrays(std::string_view archive, const std::string& file,
                                 const Context& context) {
  // Each takes more here than in the archive.
  constexpr std::uint64_t kEach = 2 * sizeof(NpzArray) + 512;
  const MemoryAccount::Hold hold =
      context.hold(zip_entry_count(archive, file) * kEach, "the entries of the archive");
  std::vector<NpzArray> arrays;
  for (ZipEntry& entry : zip_entries(archive, file)) {
    context.check_cancelled();
    if (!entry.name.ends_with(kEnding) || entry.name.size() == kEnding.size()) continue;
    NpzArray array{std::string(without_ending(entry.name)), std::move(entry), {}, {}};
    const std::string head = zip_head(array.entry, kHead, file);
    try {
      array.header = parse_npy_header(head, file, true);
    } catch (const Error& error) {
      array.fault = error;
    }
    arrays.push_back(std::move(array));
  }
  if (arrays.empty())
    throw Error(ErrorCode::bad_npz, "the archive holds no array (no member called *.npy)",
                "save arrays with numpy.savez", file);
  return arrays;
}

NpzChoice choose_arrays(const std::vector<NpzArray>& arrays, const ReadOptions& options,
                        const std::string& file) {
  if (!options.member.empty()) {
    const NpzArray* asked = find(arrays, options.member);
    if (!asked) asked = find(arrays, without_ending(options.member));
    if (!asked)
      refuse(arrays, fmt::format("there is no array \"{}\" among these", printable(options.member)),
             file);
    return {.table = asked};
  }
  if (arrays.size() == 1) return {.table = arrays.data()};

  NpzChoice choice{.labels = find_labels(arrays, options),
                   .columns = find_texts(arrays, "columns"),
                   .ids = find_texts(arrays, "ids"),
                   .label_name = find_label_name(arrays)};
  if (choice.labels == nullptr) choice.label_name = nullptr;
  for (const NpzArray& array : arrays) {
    if (&array == choice.labels || &array == choice.columns || &array == choice.ids ||
        &array == choice.label_name)
      continue;
    const std::size_t dimensions = array.header.shape.size();
    const bool matrix = !is_text(array) && (dimensions == 2 || (dimensions > 2 && options.images));
    if (choice.table || !matrix)
      refuse(arrays, fmt::format("the archive holds {} arrays", arrays.size()), file);
    choice.table = &array;
  }
  if (choice.table && choice.labels &&
      choice.labels->header.shape[0] != choice.table->header.shape[0])
    throw Error(ErrorCode::labels_do_not_fit,
                fmt::format("array {} has {} rows, the labels in {} are {}",
                            printable(choice.table->name), choice.table->header.shape[0],
                            printable(choice.labels->name), choice.labels->header.shape[0]),
                fmt::format("read the numbers alone: {}:{}", file, printable(choice.table->name)),
                file);
  if (!choice.table || !all_fit(choice))
    refuse(arrays, fmt::format("the archive holds {} arrays", arrays.size()), file);
  return choice;
}

}  // namespace mercer::detail
