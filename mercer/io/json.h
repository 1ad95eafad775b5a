// Value to and from JSON text: the only place that includes nlohmann-json.
#pragma once

#include "mercer/core/value.h"
#include "mercer/io/sink.h"

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// Writes JSON piece by piece: long lists need not be a Value first. Numbers that are not finite
/// become null; text that is not UTF-8 is mended. indent < 0: one line.
class JsonWriter {
 public:
  explicit JsonWriter(Sink& sink, int indent = -1);

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_list() { open('['); }
  void end_list() { close(']'); }
  /// The name of the next value, inside an object.
  void key(std::string_view name);
  void value(const Value& value);
  void number(double number);
  /// All members of another object, inside an object.
  void members(const Value::Object& object);
  /// Once, at the end.
  void finish();

 private:
  void open(char bracket);
  void close(char bracket);
  void next();
  void new_line();
  void scalar(const Value& value);
  void put(double number);
  void put(std::string_view text);

  BufferedSink out_;
  int indent_;
  bool after_key_ = false;
  std::vector<bool> empty_;  // of each open bracket: whether nothing stands in it yet
};

/// indent < 0: one line. Numbers that are not finite become null; text that is not UTF-8 is mended.
std::string to_json(const Value& value, int indent = -1);

/// Throws M703 with the position on malformed text or nesting deeper than 64.
Value from_json(std::string_view text);

}  // namespace mercer
