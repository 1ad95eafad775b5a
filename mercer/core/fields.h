// Fields: the members of an object that somebody else wrote, a model file say. Whatever is missing,
// of another type, too short or out of range is M703 with the member's full name in the message:
// "certificate.kind: expected text".
#pragma once

#include "mercer/core/types.h"
#include "mercer/core/value.h"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// Largest count a model may have of anything: sums and small products of counts stay far from the
/// end of an Index.
constexpr Index kLargestCount = Index{1} << 48;

class Fields {
 public:
  /// Throws M703 unless the value is an object. `path` goes before the names of its members.
  explicit Fields(const Value& object, std::string path = {});

  /// Whether there is such a member and it is not null.
  bool has(std::string_view name) const { return !object_[name].is_null(); }
  const Value& operator[](std::string_view name) const { return object_[name]; }

  Fields object(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  bool flag(std::string_view name) const;
  /// A whole number within the limits.
  Index count(std::string_view name, Index least, Index most = kLargestCount) const;
  /// A finite number within the limits.
  double number(std::string_view name, double least = std::numeric_limits<double>::lowest(),
                double most = std::numeric_limits<double>::max()) const;
  /// The same; `otherwise` where the member is missing or null, as what is not finite is stored.
  double number_or(double otherwise, std::string_view name,
                   double least = std::numeric_limits<double>::lowest(),
                   double most = std::numeric_limits<double>::max()) const;

  const Value::List& list(std::string_view name) const;
  /// A list of so many entries.
  const Value::List& list(std::string_view name, Index size) const;
  /// A list of so many finite numbers.
  Vector numbers(std::string_view name, Index size) const;
  /// The same, where null stands for what was not finite: it becomes `null`.
  Vector numbers(std::string_view name, Index size, double null) const;
  std::vector<std::string> texts(std::string_view name) const;

  /// Throws M703: the member's full name, what is wrong.
  [[noreturn]] void refuse(std::string_view name, const std::string& what) const;

 private:
  Vector numbers(std::string_view name, Index size, const double* null) const;

  const Value& object_;
  std::string path_;
};

}  // namespace mercer
