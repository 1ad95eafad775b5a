#include "mercer/core/fields.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"

#include <fmt/format.h>

#include <cmath>

namespace mercer {

Fields::Fields(const Value& object, std::string path) : object_(object), path_(std::move(path)) {
  if (object.is_object()) return;
  throw Error(ErrorCode::bad_model_content,
              fmt::format("{}: expected an object", path_.empty() ? "the values" : path_));
}

void Fields::refuse(std::string_view name, const std::string& what) const {
  throw Error(ErrorCode::bad_model_content,
              fmt::format("{}{}{}: {}", path_, path_.empty() ? "" : ".", name, what));
}

Fields Fields::object(std::string_view name) const {
  if (!object_[name].is_object()) refuse(name, "expected an object");
  return Fields(object_[name],
                path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name));
}

const std::string& Fields::text(std::string_view name) const {
  const Value& value = object_[name];
  if (!value.is_text()) refuse(name, "expected text");
  return value.as_text();
}

bool Fields::flag(std::string_view name) const {
  const Value& value = object_[name];
  if (!value.is_bool()) refuse(name, "expected true or false");
  return value.as_bool();
}

Index Fields::count(std::string_view name, Index least, Index most) const {
  const Value& value = object_[name];
  if (!value.is_integer()) refuse(name, "expected a whole number");
  const Index number = value.as_integer();
  if (number < least || number > most)
    refuse(name, fmt::format("{} is not between {} and {}", number, least, most));
  return number;
}

double Fields::number(std::string_view name, double least, double most) const {
  const Value& value = object_[name];
  if (!value.is_number() || !std::isfinite(value.as_number())) refuse(name, "expected a number");
  const double number = value.as_number();
  if (!(number >= least && number <= most))
    refuse(name,
           fmt::format("{} is not between {} and {}", exact(number), exact(least), exact(most)));
  return number;
}

double Fields::number_or(double otherwise, std::string_view name, double least, double most) const {
  return has(name) ? number(name, least, most) : otherwise;
}

const Value::List& Fields::list(std::string_view name) const {
  const Value& value = object_[name];
  if (!value.is_list()) refuse(name, "expected a list");
  return value.as_list();
}

const Value::List& Fields::list(std::string_view name, Index size) const {
  const Value::List& entries = list(name);
  if (static_cast<Index>(entries.size()) != size)
    refuse(name, fmt::format("has {} entries instead of {}", entries.size(), size));
  return entries;
}

Vector Fields::numbers(std::string_view name, Index size, const double* null) const {
  const Value::List& entries = list(name, size);
  Vector values(size);
  for (Index i = 0; i < size; ++i) {
    const Value& entry = entries[static_cast<std::size_t>(i)];
    const bool gap = entry.is_null() && null != nullptr;
    if (!gap && (!entry.is_number() || !std::isfinite(entry.as_number())))
      refuse(name, fmt::format("entry {} is not a finite number", i + 1));
    values[i] = gap ? *null : entry.as_number();
  }
  return values;
}

Vector Fields::numbers(std::string_view name, Index size) const {
  return numbers(name, size, nullptr);
}

Vector Fields::numbers(std::string_view name, Index size, double null) const {
  return numbers(name, size, &null);
}

std::vector<std::string> Fields::texts(std::string_view name) const {
  const Value::List& entries = list(name);
  std::vector<std::string> texts;
  texts.reserve(entries.size());
  for (const Value& entry : entries) {
    if (!entry.is_text()) refuse(name, fmt::format("entry {} is not text", texts.size() + 1));
    texts.push_back(entry.as_text());
  }
  return texts;
}

}  // namespace mercer
