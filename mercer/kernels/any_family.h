// All families as one type, written from the catalogue.
#pragma once

#include <type_traits>
#include <variant>

// clang-format off: the catalogue is included once more below, in the middle of a declaration
#include "mercer/kernels/families.inc"  // generated: includes every family/*.h
// clang-format on

namespace mercer {

// clang-format off
/// A family with its parameters. Never empty; the first alternative only opens the list.
using AnyFamily = std::variant<std::monostate
#define MERCER_ENTRY(name, Type) , Type
#include "mercer/kernels/catalog.def"
#undef MERCER_ENTRY
                               >;
// clang-format on

/// Calls f with the family inside.
template <class F>
decltype(auto) visit_family(F&& f, const AnyFamily& family) {
  using Result =
      std::invoke_result_t<F&, const Linear&>;  // clang 14 crashes on it inside the lambda
  return std::visit(
      [&](const auto& held) -> Result {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>)
          __builtin_unreachable();
        else
          return f(held);
      },
      family);
}

}  // namespace mercer
