// What a task comes to: a value or an exception.
#pragma once

#include <exception>
#include <new>
#include <type_traits>
#include <utility>

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
        return outcome(nothing{});
      } else if constexpr (std::is_reference_v<T>) {
        auto&& referred = f();
        return outcome(platform::address_of(referred));
      } else if constexpr (by_value) {
        return outcome(called{}, f);
      } else {
        return outcome(platform::owner<T>(new T(f())));
      }
    } catch (...) {
      return outcome(thrown{}, platform::thrown());
    }
  }

  /// The result, once; or throws the exception. A reference is given as it was.
  T take() && {
    rethrow();
    if constexpr (std::is_reference_v<T>) {
      return static_cast<T>(*value_);
    } else if constexpr (!std::is_void_v<T>) {
      if constexpr (by_value) return std::move(value_);
      else return std::move(*value_);
    }
  }

  /// The same, left where it is, for several readers at once (shared_future::get).
  std::add_lvalue_reference_t<const T> look() const {
    rethrow();
    if constexpr (std::is_reference_v<T>) {
      return *value_;
    } else if constexpr (!std::is_void_v<T>) {
      if constexpr (by_value) return value_;
      else return *value_;
    }
  }

  outcome(outcome&& o) noexcept : failed_(o.failed_) {
    if (failed_) ::new (room()) std::exception_ptr(std::move(o.error_));
    else ::new (room()) stored(std::move(o.value_));
  }
  outcome& operator=(outcome&& o) noexcept {
    if (this != &o) {
      this->~outcome();
      ::new (static_cast<void*>(this)) outcome(std::move(o));
    }
    return *this;
  }
  ~outcome() {
    if (failed_) error_.~exception_ptr();
    else value_.~stored();
  }

 private:
  struct nothing {};
  struct called {};
  struct thrown {};

  // By pointer else: one allocation more, and a result that cannot be lost between the task and the wait.
  static constexpr bool by_value = std::is_nothrow_move_constructible_v<T>;
  using stored =
      std::conditional_t<std::is_void_v<T>, nothing,
                         std::conditional_t<std::is_reference_v<T>, std::add_pointer_t<std::remove_reference_t<T>>,
                                            std::conditional_t<by_value, std::remove_const_t<T>, platform::owner<T>>>>;

  explicit outcome(stored value) noexcept : value_(std::move(value)) {}
  // The result need not exist anywhere else before.
  template <class F>
  outcome(called, F&& f) : value_(f()) {}
  outcome(thrown, std::exception_ptr error) noexcept : error_(std::move(error)), failed_(true) {}

  void rethrow() const {
    if (failed_) std::rethrow_exception(error_);
  }
  void* room() noexcept { return static_cast<void*>(platform::address_of(value_)); }

  // No std::variant, as that takes a compiler several times as long, for each type of a task. An outcome that has been moved from has
  // the rest of what it had.
  union {
    stored value_;
    std::exception_ptr error_;
  };
  bool failed_ = false;
};

}  // namespace leat::inline LEAT_ABI::task
