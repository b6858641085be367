// What a task comes to: a value or an exception.
#pragma once

#include <cstddef>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

#include "leat/platform/object.hpp"
#include "leat/platform/thrown.hpp"

namespace leat::inline LEAT_ABI::task {

/// The message of a future's channel. It must move without throwing, so values that cannot do that travel by pointer.
template <class T>
class outcome {
 public:
  /// Calls f and keeps its result or its exception; that of an allocation for the result, too.
  template <class F>
  static outcome of(F&& f) noexcept {
    try {
      if constexpr (std::is_void_v<T>) {
        f();
        return outcome(std::in_place_index<0>);
      } else if constexpr (std::is_reference_v<T>) {
        auto&& referred = f();
        return outcome(std::in_place_index<0>, platform::address_of(referred));
      } else if constexpr (by_value) {
        return outcome(std::in_place_index<0>, f());
      } else {
        return outcome(std::in_place_index<0>, platform::owner<T>(new T(f())));
      }
    } catch (...) {
      return outcome(std::in_place_index<1>, platform::thrown());
    }
  }

  /// The result, once; or throws the exception. A reference is given as it was.
  T take() && {
    rethrow();
    if constexpr (std::is_reference_v<T>) {
      return static_cast<T>(*std::get<0>(content_));
    } else if constexpr (!std::is_void_v<T>) {
      if constexpr (by_value) return std::get<0>(std::move(content_));
      else return std::move(*std::get<0>(content_));
    }
  }

  /// The same, left where it is, for several readers at once (shared_future::get).
  std::add_lvalue_reference_t<const T> look() const {
    rethrow();
    if constexpr (std::is_reference_v<T>) {
      return *std::get<0>(content_);
    } else if constexpr (!std::is_void_v<T>) {
      if constexpr (by_value) return std::get<0>(content_);
      else return *std::get<0>(content_);
    }
  }

 private:
  // By pointer else: one allocation more, and a result that cannot be lost between the task and the wait.
  static constexpr bool by_value = std::is_nothrow_move_constructible_v<T>;
  using stored =
      std::conditional_t<std::is_void_v<T>, std::monostate,
                         std::conditional_t<std::is_reference_v<T>, std::add_pointer_t<std::remove_reference_t<T>>,
                                            std::conditional_t<by_value, T, platform::owner<T>>>>;
  using content = std::variant<stored, std::exception_ptr>;

  template <std::size_t I, class... Parts>
  explicit outcome(std::in_place_index_t<I> which, Parts&&... parts) : content_(which, std::forward<Parts>(parts)...) {}

  void rethrow() const {
    if (content_.index() == 1) std::rethrow_exception(std::get<1>(content_));
  }

  content content_;
};

}  // namespace leat::inline LEAT_ABI::task
