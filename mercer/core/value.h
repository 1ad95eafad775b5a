// Value: null, bool, integer, number, text, list or object, as JSON has them. Reports and model
// files are built from it, so that no layer but io needs to know JSON.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace mercer {

class Value {
 public:
  using List = std::vector<Value>;
  /// Keeps the order of insertion: what is written first is read first.
  using Object = std::vector<std::pair<std::string, Value>>;

  Value() = default;
  /// Written out, since std::variant's own copy is not safe everywhere: in libstdc++ 12 one that
  /// throws for lack of memory jumps to nowhere.
  Value(const Value& other);
  Value& operator=(const Value& other) { return *this = Value(other); }
  Value(Value&&) noexcept = default;
  Value& operator=(Value&&) noexcept = default;
  ~Value() = default;
  Value(bool value) : data_(value) {}
  Value(int value) : data_(static_cast<std::int64_t>(value)) {}
  Value(std::int64_t value) : data_(value) {}
  Value(std::uint64_t value) : data_(static_cast<std::int64_t>(value)) {}
  Value(double value) : data_(value) {}
  Value(const char* value) : data_(std::string(value)) {}
  Value(std::string_view value) : data_(std::string(value)) {}
  Value(std::string value) : data_(std::move(value)) {}
  Value(List value) : data_(std::move(value)) {}
  Value(Object value) : data_(std::move(value)) {}
  /// Every entry of a vector as a list of numbers.
  template <class Numbers>
  requires std::same_as<decltype(*std::declval<const Numbers&>().begin()), const double&>
  static Value of(const Numbers& numbers) { return List(numbers.begin(), numbers.end()); }
  static Value of(std::span<const std::string> texts) { return List(texts.begin(), texts.end()); }
  static Value object() { return Object{}; }
  static Value list() { return List{}; }

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  bool is_bool() const { return std::holds_alternative<bool>(data_); }
  bool is_integer() const { return std::holds_alternative<std::int64_t>(data_); }
  bool is_number() const { return is_integer() || std::holds_alternative<double>(data_); }
  bool is_text() const { return std::holds_alternative<std::string>(data_); }
  bool is_list() const { return std::holds_alternative<List>(data_); }
  bool is_object() const { return std::holds_alternative<Object>(data_); }

  /// These throw M703 (a model or configuration that lacks what it must have) on another type.
  bool as_bool() const;
  std::int64_t as_integer() const;
  double as_number() const;
  const std::string& as_text() const;
  const List& as_list() const;
  const Object& as_object() const;
  std::vector<std::string> as_texts() const;

  /// The member of this name; null Value when absent.
  const Value& operator[](std::string_view name) const;
  /// The member of this name, added at the end when absent.
  Value& operator[](std::string_view name);
  void push_back(Value value);

  friend bool operator==(const Value&, const Value&) = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Object> data_;
};

}  // namespace mercer
