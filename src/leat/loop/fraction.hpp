// Sums of fractions in whole numbers: a plain 0 for an identity makes them, and C++ says nothing.
#pragma once

#include <type_traits>

namespace leat::loop {

/// A whole number is to be made of what F returns for these arguments, which has a fraction.
template <class T, class F, class... Args>
constexpr bool loses_fraction() {
  if constexpr (std::is_invocable_v<F, Args...>) {
    return std::is_integral_v<T> && std::is_floating_point_v<std::remove_cvref_t<std::invoke_result_t<F, Args...>>>;
  } else {
    return false;
  }
}

}  // namespace leat::loop
