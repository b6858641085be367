// The result of a fork that another worker executed, from the slot to the join.
#pragma once

#include <cstddef>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

#include "leat/deque/fork_stack.hpp"
#include "leat/platform/object.hpp"
#include "leat/scheduler/footing.hpp"

namespace leat::inline LEAT_ABI::task {

/// A call's result as a value: std::monostate for void, references as they are, T for T&&.
template <class R>
using value_of = std::conditional_t<std::is_void_v<R>, std::monostate,
                                    std::conditional_t<std::is_rvalue_reference_v<R>, std::remove_reference_t<R>, R>>;

/// Whether a V, a value_of something, can be handed on from the slot to the caller.
template <class V>
inline constexpr bool is_result = std::is_reference_v<V> || std::is_move_constructible_v<V>;

/// The result of type V, a value_of something, in a slot (rule FORK-4). A V that may throw when it moves, or does not
/// fit, lies on the heap. The thief writes it before it stores `state`; the join reads it after it has acquired that,
/// so nothing here needs an order of its own.
template <class P, class V>
class fork_result {
 public:
  using slot = deque::fork_slot<P>;

  /// The thief's: calls `call`, which gives a V, and leaves that in the slot. `call` must need nothing that lies in
  /// the payload, where the result is made. If it throws, the slot has no result, and runner::run_fork leaves the
  /// exception there.
  template <class Call>
  static void leave(slot& s, Call&& call) {
    if constexpr (by_value) {
      ::new (static_cast<void*>(s.payload)) V(call());
    } else if constexpr (std::is_reference_v<V>) {
      auto&& referred = call();
      ::new (static_cast<void*>(s.payload)) stored*(platform::address_of(referred));
    } else {
      ::new (static_cast<void*>(s.payload)) stored*(new V(call()));
    }
  }

  /// The owner's, once the slot is done: takes the result, or throws the exception that came instead. The slot is
  /// free afterwards, either way.
  static V take(slot& s) {
    const knowing slot_here(*scheduler::worker<P>::current());
    if (consume(s) == slot::outcome::failed) throw_failure(s);
    if constexpr (std::is_reference_v<V>) {
      return static_cast<V>(**in<stored*>(s));
    } else if constexpr (by_value) {
      const destroyed_on_return<V> there{in<V>(s)};
      return std::move(*there.value);
    } else {
      const platform::owner<V> there(*in<V*>(s));
      return std::move(*there);
    }
  }

  /// The owner's, once the slot is done: destroys the result, or the exception that came instead.
  static void drop(slot& s) noexcept {
    const knowing slot_here(*scheduler::worker<P>::current());
    if (consume(s) == slot::outcome::failed) {
      in<std::exception_ptr>(s)->~exception_ptr();
    } else if constexpr (by_value) {
      in<V>(s)->~V();
    } else if constexpr (!std::is_reference_v<V>) {
      delete *in<V*>(s);
    }
  }

 private:
  // A thread that moves or destroys an object in a slot stays on its worker meanwhile: the slot was given up, and is
  // the next fork's on this worker.
  using knowing = typename scheduler::footing<P>::knowing;

  using stored = std::remove_reference_t<V>;
  static constexpr bool by_value = !std::is_reference_v<V> && std::is_nothrow_move_constructible_v<V> &&
                                   sizeof(stored) <= slot::payload_bytes && alignof(stored) <= alignof(void*);

  template <class T>
  static T* in(slot& s) noexcept {
    return std::launder(reinterpret_cast<T*>(s.payload));
  }

  // The value is destroyed when the result has been made of it, also where making it throws.
  template <class T>
  struct destroyed_on_return {
    T* value;
    ~destroyed_on_return() { value->~T(); }
  };

  // Which of both came. The slot is as it was before it was given away (FORK-4).
  static typename slot::outcome consume(slot& s) noexcept {
    const auto came = s.state.load(platform::relaxed);  // relaxed: the join has acquired it
    s.state.store(slot::outcome::none,
                  platform::relaxed);  // relaxed: the slot's next thief acquires that it is filled
    return came;
  }

  [[noreturn]] static void throw_failure(slot& s) {
    const destroyed_on_return<std::exception_ptr> there{in<std::exception_ptr>(s)};
    std::rethrow_exception(*there.value);
  }
};

}  // namespace leat::inline LEAT_ABI::task
