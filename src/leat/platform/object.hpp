// The part of <memory> that leat needs for single objects. Every program includes this header, and <memory> is slow to
// compile.
#pragma once

#include <utility>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::platform {

/// std::addressof.
// The builtin is what std::addressof is made of: it passes over an operator& of T, also in constant expressions.
template <class T>
[[gnu::always_inline]] constexpr T* address_of(T& object) noexcept {
  return __builtin_addressof(object);
}

/// An object on the heap, and its one owner: the part of std::unique_ptr that leat uses.
template <class T>
class owner {
 public:
  explicit owner(T* object) noexcept : object_(object) {}
  owner(owner&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  // By exchange: what it owned goes with `other`, whose destructor deletes it. So an assignment to itself does
  // nothing.
  owner& operator=(owner&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~owner() { delete object_; }

  T& operator*() const noexcept { return *object_; }

 private:
  T* object_;
};

}  // namespace leat::inline LEAT_ABI::platform
