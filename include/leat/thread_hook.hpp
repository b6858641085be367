// A callable that a runtime's threads call when they begin or end.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI {

/// Holds a callable f(worker), or none, for options::thread_begin and thread_end. A null pointer and an empty
/// std::function are none. The callable is called as const, as several threads may call it at once. A value: a copy
/// holds a copy of the callable, which is allocated.
/// \throws std::bad_alloc, and what the copy constructor of the callable throws, from the calls that copy
class thread_hook {
 public:
  thread_hook() noexcept = default;
  template <class F>
    requires(!std::same_as<std::decay_t<F>, thread_hook> && std::is_invocable_v<const std::decay_t<F>&, std::uint32_t>)
  thread_hook(F&& f) {  // implicit: options are written in braces
    // A lambda is never null, nor is a function.
    if constexpr (!std::is_function_v<std::remove_reference_t<F>> &&
                  std::is_constructible_v<std::decay_t<F>, std::nullptr_t> && requires { f == nullptr ? 1 : 0; })
      if (f == nullptr) return;
    held_ = new holder<std::decay_t<F>>(std::forward<F>(f));
  }

  thread_hook(const thread_hook& other) : held_(other.held_ == nullptr ? nullptr : other.held_->copy()) {}
  thread_hook(thread_hook&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  thread_hook& operator=(thread_hook other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  ~thread_hook() { delete held_; }

  /// Whether it holds a callable.
  explicit operator bool() const noexcept { return held_ != nullptr; }

  /// Calls the callable, which must be there. `worker`: the number of the worker, see options::thread_begin.
  void operator()(std::uint32_t worker) const { held_->call(worker); }

 private:
  // A base of our own, and not std::function: <functional> is slow to compile.
  struct callable {
    callable() = default;
    callable(const callable&) = delete;
    callable& operator=(const callable&) = delete;
    virtual ~callable() = default;
    virtual void call(std::uint32_t worker) const = 0;
    virtual callable* copy() const = 0;
  };

  template <class F>
  struct holder final : callable {
    template <class From>
    explicit holder(From&& from) : f(std::forward<From>(from)) {}
    void call(std::uint32_t worker) const override { static_cast<void>(f(worker)); }
    callable* copy() const override { return new holder(f); }
    const F f;
  };

  callable* held_ = nullptr;
};

}  // namespace leat::inline LEAT_ABI
