// Reductions for std::execution::par: loops that make a value. A worker goes on with its value from step to step; a thief
// begins with a fresh one, and the two are joined.
#pragma once

#include <cstddef>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "leat_pstl_workers.hpp"

namespace leat::inline LEAT_ABI::adapters::pstl {

/// - `step(begin, end, value)`: the value with that of elements [begin, end) added.
/// - `fresh(begin)`: the value of nothing, or of the first elements, past which it moves `begin`.
/// - `join(a, b)`: the value of both, of which a comes first.
///
/// Several workers call these at once. They move values, and copy none. Nothing destroys a T here.
template <class T, class Step, class Fresh, class Join>
class folding {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  folding(const Step& step, const Fresh& fresh, const Join& join) : step_(step), fresh_(fresh), join_(join) {}

  /// The value of n elements, added to `value`. `chunk_min`: as many elements as `fresh` takes, and 1 at least.
  T run(std::size_t n, T value, std::size_t chunk_min) {
    held all(std::move(value));
    run_loop(n, {this, step, begin_value, join, sizeof(held), alignof(held), chunk_min}, &all);
    return *std::move(all);
  }

 private:
  using held = std::optional<T>;  // emplace needs no assignment

  static const folding& self_of(const void* self) noexcept { return *static_cast<const folding*>(self); }
  static held& value_at(void* value) noexcept { return *static_cast<held*>(value); }

  static void step(const void* self, void* value, std::size_t first, std::size_t last) noexcept {
    value_at(value).emplace(self_of(self).step_(first, last, *std::move(value_at(value))));
  }
  static std::size_t begin_value(const void* self, void* room, std::size_t first) noexcept {
    std::size_t next = first;
    ::new (room) held(self_of(self).fresh_(next));
    return next - first;
  }
  static void join(const void* self, void* left, void* right) noexcept {
    value_at(left).emplace(self_of(self).join_(*std::move(value_at(left)), *std::move(value_at(right))));
  }

  const Step& step_;
  const Fresh& fresh_;
  const Join& join_;
};

}  // namespace leat::inline LEAT_ABI::adapters::pstl
