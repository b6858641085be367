// The task record: a callable in one cache line, moved between workers as bytes.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "leat/platform/object.hpp"
#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::work {

/// What a thread waits for, or may: its record can be told from those that no thread waits for.
class awaited_task {
 public:
  /// The record's: a worker has come upon it.
  virtual void come_upon() noexcept = 0;

 protected:
  ~awaited_task() = default;
};

/// The record of one.
struct awaited_call {
  awaited_task* task;
  void operator()() const { task->come_upon(); }
  friend bool operator==(const awaited_call&, const awaited_call&) = default;
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

  /// The beginning of the payload of a record that has an owner; the callable follows.
  struct owned_head {
    void* owner;
    void (*call)(void* callable, bool skip);  ///< moves the callable out and calls it, or only destroys it
  };

  /// Bytes that a callable may have to be kept in a record that has an owner.
  static constexpr std::size_t owned_bytes = payload_bytes - sizeof(owned_head);

  template <class F>
  static constexpr bool fits_owned = fits<F> && sizeof(F) <= owned_bytes;

  /// Writes a record that calls `f` once for its owner; it is `invoke` that knows how.
  template <class F>
  static void write_owned(record* slot, void (*invoke)(record&), owned_head head, F f) noexcept {
    static_assert(fits_owned<F>);
    ::new (static_cast<void*>(slot->payload)) owned_head(head);
    ::new (static_cast<void*>(slot->payload + sizeof(owned_head))) F(std::move(f));
    slot->invoke = invoke;
  }

  /// Of a record that write_owned has written.
  owned_head& head() noexcept { return *std::launder(reinterpret_cast<owned_head*>(payload)); }
  template <class F>
  const F& owned() const noexcept {
    static_assert(fits_owned<F>);
    return *std::launder(reinterpret_cast<const F*>(payload + sizeof(owned_head)));
  }
  void call_owned(bool skip) { head().call(payload + sizeof(owned_head), skip); }

  /// The callable of this record, which has not been called, if it is an F, of a kind that fits; else null.
  template <class F>
  const F* kept() const {
    static_assert(fits<F>);
    return invoke == &call_kept<F> ? std::launder(reinterpret_cast<const F*>(payload)) : nullptr;
  }

  /// Whether this record, which has not been called, holds a callable that is equal to `f`, of a kind that fits.
  template <class F>
  bool holds(const F& f) const {
    const F* mine = kept<F>();
    return mine != nullptr && *mine == f;
  }

 private:
  template <class F>
  static void call_kept(record& r) {
    F call = std::move(*std::launder(reinterpret_cast<F*>(r.payload)));
    call();
  }

  template <class F>
  static void call_boxed(record& r) {
    const platform::owner<F> call(*std::launder(reinterpret_cast<F**>(r.payload)));
    (*call)();
  }
};

static_assert(sizeof(record) == platform::cache_line);
static_assert(std::is_trivially_copyable_v<record>);

}  // namespace leat::inline LEAT_ABI::work
