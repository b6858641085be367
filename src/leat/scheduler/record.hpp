// The task record: a callable in one cache line, moved between workers as bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "leat/platform/order.hpp"

namespace leat::scheduler {

/// A callable on the heap, called and freed at once; it fits a record.
template <class F>
struct boxed_call {
  F* call;
  void operator()() const {
    const std::unique_ptr<F> once(call);
    (*once)();
  }
};

struct alignas(platform::cache_line) record {
  /// Bytes that a callable may have to be kept in the record itself.
  static constexpr std::size_t payload_bytes = platform::cache_line - sizeof(void*);

  /// Moves the callable out of the record, which may then be written again, and calls it.
  void (*invoke)(record&);
  alignas(void*) std::byte payload[payload_bytes];

  /// Callables of this kind travel as bytes; the others travel as a pointer to the heap.
  template <class F>
  static constexpr bool fits = sizeof(F) <= payload_bytes && alignof(F) <= alignof(void*) &&
                               std::is_trivially_copyable_v<F> && std::is_trivially_destructible_v<F>;

  /// Writes a record that calls `f` once. Throws what copying f or allocating throws; the slot is then as before.
  template <class F>
  static void write(record* slot, F&& f) {
    using callable = std::decay_t<F>;
    if constexpr (fits<callable>) {
      ::new (static_cast<void*>(slot->payload)) callable(std::forward<F>(f));
      slot->invoke = call_kept<callable>;
    } else {
      auto* boxed = new callable(std::forward<F>(f));
      ::new (static_cast<void*>(slot->payload)) callable*(boxed);
      slot->invoke = call_boxed<callable>;
    }
  }

  /// Whether this record, which has not been called, holds a callable that is equal to `f`, of a kind that fits.
  template <class F>
  bool holds(const F& f) {
    static_assert(fits<F>);
    return invoke == &call_kept<F> && *std::launder(reinterpret_cast<F*>(payload)) == f;
  }

 private:
  template <class F>
  static void call_kept(record& r) {
    F call = std::move(*std::launder(reinterpret_cast<F*>(r.payload)));
    call();
  }

  template <class F>
  static void call_boxed(record& r) {
    const std::unique_ptr<F> call(*std::launder(reinterpret_cast<F**>(r.payload)));
    (*call)();
  }
};

static_assert(sizeof(record) == platform::cache_line);
static_assert(std::is_trivially_copyable_v<record>);

}  // namespace leat::scheduler
