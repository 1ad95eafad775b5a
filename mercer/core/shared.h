// Shared<T>: a constant value that copies share. For what may be large and goes from hand to hand
// unchanged, such as the names of a million columns.
#pragma once

#include <memory>
#include <utility>

namespace mercer {

template <class T>
class Shared {
 public:
  Shared() = default;
  Shared(T value) : value_(std::make_shared<const T>(std::move(value))) {}

  const T& operator*() const { return value_ ? *value_ : nothing(); }
  const T* operator->() const { return &**this; }
  operator const T&() const { return **this; }

 private:
  static const T& nothing() {
    static const T empty{};
    return empty;
  }
  std::shared_ptr<const T> value_;
};

}  // namespace mercer
