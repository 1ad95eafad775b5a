#include "mercer/io/model.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/io/detail/safetensors.h"
#include "mercer/io/json.h"
#include "mercer/io/model_file.h"
#include "mercer/models/kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

namespace mercer {

void save_model(const std::string& path, const Model& model) {
  save_state(path, model.viewed_state());
}

void write_model(const Model& model, Sink& sink) { write_state(model.viewed_state(), sink); }

namespace {

// A model takes about as much as its file.
MemoryAccount::Hold hold_for(const std::string& path, const Context& context) {
  std::error_code no_size;  // of pipes, and of what is not there
  const std::uintmax_t size = std::filesystem::file_size(path, no_size);
  try {
    return context.hold(no_size || !looks_like_model(path) ? 0 : size, "the model's arrays");
  } catch (const Error& error) {
    throw error.at(printable(path));
  }
}

}  // namespace

std::unique_ptr<Model> load_model(const std::string& path, const Context& context) {
  MemoryAccount::Hold held = hold_for(path, context);
  try {
    std::unique_ptr<Model> model = model_from(load_state(path));
    model->counted = std::make_shared<const MemoryAccount::Hold>(std::move(held));
    return model;
  } catch (const Error& error) {
    const bool placed = !error.place().empty(), hinted = !error.hint().empty();
    throw Error(error.code(), error.message(),
                hinted ? error.hint() : "get the file again from where it came, or fit again",
                placed ? error.place() : path);
  }
}

namespace {

// Bytes of a name in the header: a text in JSON in a text in JSON, with its quotes and comma.
std::uint64_t bytes_in_header(const std::string& name) {
  const auto plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (std::ranges::all_of(name, plain)) return name.size() + 5;
  return to_json(Value(to_json(Value(name)))).size() - 1;  // in place of its own quotes a comma
}

std::uint64_t bytes_in_header(const std::vector<std::string>& names) {
  std::uint64_t sum = 0;
  for (const std::string& name : names) sum += bytes_in_header(name);
  return sum;
}

std::uint64_t bytes_in_header(const ColumnUse& use) {
  constexpr std::uint64_t kFrame = 64;  // around a name and its reason
  std::uint64_t sum = 0;
  for (const SetAside& column : use.set_aside)
    sum += bytes_in_header(column.name) + bytes_in_header(column.reason) + kFrame;
  for (const Encoding& encoding : use.encoded)
    sum += bytes_in_header(encoding.column) + bytes_in_header(encoding.levels) +
           kFrame * (1 + encoding.shares.size());
  return sum;
}

}  // namespace

void check_names_fit(const Dataset& data, const ColumnUse& use, Index components) {
  // Options, plan and certificate, and what is told of each component.
  constexpr std::uint64_t kRest = 64 << 10, kPerComponent = 200;
  const std::uint64_t columns = bytes_in_header(data.column_names) + bytes_in_header(use);
  const std::uint64_t classes = bytes_in_header(data.labels.classes);
  const std::uint64_t rest = kRest + kPerComponent * static_cast<std::uint64_t>(components);
  if (columns + classes + rest <= detail::kLongestHeader) return;
  const bool by_classes = classes >= columns;
  throw Error(ErrorCode::write_failed,
              fmt::format("the names of {} {} need {} in a model file, which has room for {}",
                          grouped(static_cast<Index>(by_classes ? data.labels.classes.size()
                                                                : data.column_names.size())),
                          by_classes ? "classes" : "columns", bytes(by_classes ? classes : columns),
                          bytes(detail::kLongestHeader)),
              by_classes ? "leave the labels out with --label none"
                         : "use fewer columns (--columns, --drop), or shorter names");
}

}  // namespace mercer
