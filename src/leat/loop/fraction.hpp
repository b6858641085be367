// Finds reductions that lose fractions: with the identity 0, an int, each step cuts a double off, and no compiler warns.
#pragma once

#include <type_traits>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::loop {

/// Whether T is an integer type, and F returns a floating-point number for these arguments. A loop that kept such
/// results in a T would drop the fractions at each step; a compiler converts them without a warning.
template <class T, class F, class... Args>
constexpr bool loses_fraction() {
  if constexpr (std::is_invocable_v<F, Args...>) {
    return std::is_integral_v<T> && std::is_floating_point_v<std::remove_cvref_t<std::invoke_result_t<F, Args...>>>;
  } else {
    return false;
  }
}

}  // namespace leat::inline LEAT_ABI::loop
