// std::less<> and std::plus<>, the defaults of sorts and scans, without the rest of <functional>, which is slow to compile.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::loop {

struct less {
  template <class A, class B>
  constexpr auto operator()(A&& a, B&& b) const -> decltype(std::forward<A>(a) < std::forward<B>(b)) {
    // As std::less: a total order also where pointers are to objects that have nothing to do with each other.
    if constexpr (std::is_pointer_v<std::remove_cvref_t<A>> && std::is_pointer_v<std::remove_cvref_t<B>>)
      return reinterpret_cast<std::uintptr_t>(a) < reinterpret_cast<std::uintptr_t>(b);
    else return std::forward<A>(a) < std::forward<B>(b);
  }
};

struct plus {
  template <class A, class B>
  constexpr auto operator()(A&& a, B&& b) const -> decltype(std::forward<A>(a) + std::forward<B>(b)) {
    return std::forward<A>(a) + std::forward<B>(b);
  }
};

}  // namespace leat::inline LEAT_ABI::loop
