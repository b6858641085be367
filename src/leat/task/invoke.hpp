// std::invoke, which pointers to members need, without <functional>: every program includes this, and that is slow to
// compile.
#pragma once

#include <type_traits>
#include <utility>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::task {

/// The object that a pointer to a member of C is applied to: t itself, the referent of a std::reference_wrapper, or the
/// referent of any other pointer.
template <class C, class T>
[[gnu::always_inline]] constexpr decltype(auto) object_of(T&& t) {
  if constexpr (std::is_base_of_v<C, std::remove_cvref_t<T>>) return std::forward<T>(t);
  else if constexpr (!std::is_same_v<std::unwrap_reference_t<std::remove_cvref_t<T>>, std::remove_cvref_t<T>>)
    return t.get();
  else return *std::forward<T>(t);
}

/// Calls a member function of an object, or gives a member of it.
template <class M, class C, class T, class... Args>
[[gnu::always_inline]] constexpr decltype(auto) invoke_member(M C::* member, T&& t, Args&&... args) {
  if constexpr (std::is_function_v<M>) return (object_of<C>(std::forward<T>(t)).*member)(std::forward<Args>(args)...);
  else return (object_of<C>(std::forward<T>(t)).*member);
}

/// Calls f, which can be invoked with the arguments.
template <class F, class... Args>
[[gnu::always_inline]] constexpr std::invoke_result_t<F, Args...> invoke(F&& f, Args&&... args) {
  if constexpr (std::is_member_pointer_v<std::remove_cvref_t<F>>) return invoke_member(f, std::forward<Args>(args)...);
  else return std::forward<F>(f)(std::forward<Args>(args)...);
}

}  // namespace leat::inline LEAT_ABI::task
