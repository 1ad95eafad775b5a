#include "mercer/core/value.h"

#include "mercer/core/error.h"

#include <algorithm>

namespace mercer {
namespace {

template <class T, class Data>
const T& get(const Data& data, const char* wanted) {
  if (const T* value = std::get_if<T>(&data)) return *value;
  throw Error(ErrorCode::bad_model_content, std::string("expected ") + wanted);
}

}  // namespace

// The alternative is copied first; moving it in cannot fail.
Value::Value(const Value& other) {
  std::visit(
      [this](const auto& value) {
        auto copy = value;
        data_ = std::move(copy);
      },
      other.data_);
}

bool Value::as_bool() const { return get<bool>(data_, "true or false"); }
std::int64_t Value::as_integer() const { return get<std::int64_t>(data_, "a whole number"); }

double Value::as_number() const {
  if (is_integer()) return static_cast<double>(std::get<std::int64_t>(data_));
  return get<double>(data_, "a number");
}

const std::string& Value::as_text() const { return get<std::string>(data_, "text"); }
const Value::List& Value::as_list() const { return get<List>(data_, "a list"); }
const Value::Object& Value::as_object() const { return get<Object>(data_, "an object"); }

std::vector<std::string> Value::as_texts() const {
  std::vector<std::string> texts;
  for (const Value& value : as_list()) texts.push_back(value.as_text());
  return texts;
}

const Value& Value::operator[](std::string_view name) const {
  static const Value null;
  const Object* object = std::get_if<Object>(&data_);
  if (object == nullptr) return null;
  const auto found = std::ranges::find(*object, name, &Object::value_type::first);
  return found == object->end() ? null : found->second;
}

Value& Value::operator[](std::string_view name) {
  if (is_null()) data_ = Object{};
  Object& object = std::get<Object>(data_);
  const auto found = std::ranges::find(object, name, &Object::value_type::first);
  if (found != object.end()) return found->second;
  return object.emplace_back(std::string(name), Value{}).second;
}

void Value::push_back(Value value) {
  if (is_null()) data_ = List{};
  std::get<List>(data_).push_back(std::move(value));
}

}  // namespace mercer
