// Writing is done here, since numbers must come back as what they were: a double always carries a
// point or an exponent (1.0, 1e+20), an integer never does, and digits are the fewest that read
// back the same. Reading uses the event interface of nlohmann-json, which needs no recursion; depth
// and double names are checked while the text is read, so hostile text is refused before anything
// is built from it. Entries are counted first: lists take what they need, not up to three times as
// much while they grow.
#include "mercer/io/json.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace mercer {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kDeepest =
    64;  // ours have a handful of levels; endless ones would fill the stack

}  // namespace

JsonWriter::JsonWriter(Sink& sink, int indent) : out_(sink), indent_(indent) {}

void JsonWriter::value(const Value& value) {
  if (value.is_list()) {
    begin_list();
    for (const Value& entry : value.as_list()) this->value(entry);
    end_list();
  } else if (value.is_object()) {
    begin_object();
    members(value.as_object());
    end_object();
  } else {
    next();
    scalar(value);
    out_.flush_if_long();
  }
}

void JsonWriter::number(double number) {
  next();
  put(number);
  out_.flush_if_long();
}

void JsonWriter::key(std::string_view name) {
  next();
  put(name);
  out_.text += indent_ < 0 ? ":" : ": ";
  after_key_ = true;
}

void JsonWriter::members(const Value::Object& object) {
  for (const auto& member : object) {
    key(member.first);
    value(member.second);
  }
}

void JsonWriter::scalar(const Value& value) {
  if (value.is_bool())
    out_.text += value.as_bool() ? "true" : "false";
  else if (value.is_integer())
    out_.text += std::to_string(value.as_integer());
  else if (value.is_number())
    put(value.as_number());
  else if (value.is_text())
    put(value.as_text());
  else
    out_.text += "null";
}

void JsonWriter::put(double number) {
  if (!std::isfinite(number)) {
    out_.text += "null";
    return;
  }
  const std::string digits = exact(number);
  out_.text += digits;
  if (digits.find_first_of(".e") == digits.npos) out_.text += ".0";
}

void JsonWriter::put(std::string_view text) {
  out_.text += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void JsonWriter::open(char bracket) {
  next();
  out_.text += bracket;
  empty_.push_back(true);
}

void JsonWriter::close(char bracket) {
  const bool empty = empty_.back();
  empty_.pop_back();
  if (!empty) new_line();
  out_.text += bracket;
  out_.flush_if_long();
}

// What stands before a value or a name: nothing behind a name, a comma behind another value.
void JsonWriter::next() {
  if (after_key_ || empty_.empty()) {
    after_key_ = false;
    return;
  }
  if (!empty_.back()) out_.text += ',';
  empty_.back() = false;
  new_line();
}

void JsonWriter::new_line() {
  if (indent_ < 0) return;
  out_.text += '\n';
  out_.text.append(empty_.size() * static_cast<std::size_t>(indent_), ' ');
}

void JsonWriter::finish() { out_.flush(); }

namespace {

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorCode::bad_model_content, message);
}

// How many entries the lists and objects of a text have, in the order in which they open. The text
// need not be JSON: whatever it is, an entry takes two characters of it at least.
std::vector<std::uint32_t> entries_of(std::string_view text) {
  std::vector<std::uint32_t> entries;
  std::vector<std::size_t> open;
  bool empty = true;  // nothing stands in the innermost one since it opened or since a comma
  const auto end_entry = [&] {
    if (!open.empty() && !empty) ++entries[open.back()];
    empty = true;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\') ++i;
      empty = false;
    } else if (c == '[' || c == '{') {
      if (open.size() == kDeepest) return entries;  // refused when it is parsed
      open.push_back(entries.size());
      entries.push_back(0);
      empty = true;
    } else if (c == ']' || c == '}') {
      end_entry();
      if (!open.empty()) open.pop_back();
      empty = false;
    } else if (c == ',') {
      end_entry();
    } else if (static_cast<unsigned char>(c) > ' ') {
      empty = false;
    }
  }
  return entries;
}

// Receives the parser's events. Every open list or object is a frame; a closed one moves into its
// parent.
class Builder : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(std::string_view text) : entries_(entries_of(text)) {}

  bool null() override { return add({}); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(std::int64_t{value}); }
  bool number_unsigned(number_unsigned_t value) override {
    constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
    return value <= kLargest ? add(std::int64_t(value)) : add(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { fail("JSON has no binary values"); }

  bool start_array(std::size_t) override {
    const std::size_t entries = push();
    frames_.back().list.reserve(entries);
    return true;
  }
  bool start_object(std::size_t) override {
    const std::size_t entries = push();
    frames_.back().object.reserve(entries);
    return true;
  }
  bool key(string_t& name) override {
    frames_.back().object.emplace_back().first = std::move(name);
    return true;
  }
  bool end_array() override {
    Value::List list = std::move(frames_.back().list);
    frames_.pop_back();
    return add(std::move(list));
  }
  bool end_object() override {
    Value::Object object = std::move(frames_.back().object);
    frames_.pop_back();
    refuse_double_names(object);
    return add(std::move(object));
  }

  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    // Number 406 of the library: a literal beyond the largest double.
    const char* what = error.id == 406 ? "number too large" : "malformed";
    fail(fmt::format("JSON is {} at byte {}, near \"{}\"", what, position,
                     printable(std::string_view(token).substr(0, 40))));
  }

  Value take() { return std::move(root_); }

 private:
  struct Frame {
    Value::List list;
    Value::Object object;
  };

  // Opens a frame; how many entries it will have.
  std::size_t push() {
    if (frames_.size() == kDeepest) fail(fmt::format("JSON is nested deeper than {}", kDeepest));
    frames_.emplace_back();
    return opened_ < entries_.size() ? entries_[opened_++] : 0;
  }

  // A frame with members is an object that waits for the value of its last name.
  bool add(Value value) {
    if (frames_.empty()) {
      root_ = std::move(value);
    } else if (!frames_.back().object.empty()) {
      frames_.back().object.back().second = std::move(value);
    } else {
      frames_.back().list.push_back(std::move(value));
    }
    return true;
  }

  static void refuse_double_names(const Value::Object& object) {
    std::vector<std::string_view> names;
    names.reserve(object.size());
    for (const auto& member : object) names.push_back(member.first);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice == names.end()) return;
    fail(fmt::format("JSON has the name \"{}\" twice", printable(twice->substr(0, 80))));
  }

  std::vector<std::uint32_t> entries_;
  std::size_t opened_ = 0;
  std::vector<Frame> frames_;
  Value root_;
};

}  // namespace

std::string to_json(const Value& value, int indent) {
  TextSink sink;
  JsonWriter writer(sink, indent);
  writer.value(value);
  writer.finish();
  return std::move(sink.text);
}

Value from_json(std::string_view text) {
  // The library takes a NUL for the end of its input and would ignore what follows.
  if (const auto nul = text.find('\0'); nul != text.npos)
    fail(fmt::format("JSON is malformed at byte {}: a NUL", nul));
  Builder builder(text);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) fail("JSON is malformed");
  return builder.take();
}

}  // namespace mercer
