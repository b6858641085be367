// The two forms of a fork: how it finds its slot, and how its join gives the slot up (rules FORK-1 to FORK-3:
// deque/fork_stack.hpp).
//
// The plain form finds the top of its stack in a word of the thread. In the context form a callable gets it as an
// argument. A form has:
// - `place()`: the slot to fork in; `has_room(s)`: whether there is one.
// - `forked(s)`: the slot is written; polls find it from here on.
// - `give_up(s)`: polls find it no more; returns the limit, read after that.
// - `join(s)`: the slow part of a join: whether another worker has executed the fork.
#pragma once

#include <cassert>
#include <cstdint>
#include <type_traits>

#include "leat/deque/fork_stack.hpp"
#include "leat/entry/instances.hpp"
#include "leat/task/fork_result.hpp"

namespace leat::inline LEAT_ABI::task {

/// How many types the contexts of forks inside each other have in turn. g++ inlines a function into itself, and does
/// so best if there is one type; clang does not, so it gets three functions to inline into each other.
#if defined(__clang__)
inline constexpr bool inlines_into_itself = false;
#else
inline constexpr bool inlines_into_itself = true;
#endif
inline constexpr unsigned recursion_levels = inlines_into_itself ? 1 : 3;

/// See leat::context. The level only decides what type the contexts of its forks have: the next one. A recursion that
/// is a template of it becomes as many functions as there are levels, which compilers inline into each other, where
/// they inline no function into itself.
template <class P, unsigned Level = 0>
class context {
 public:
  using slot = deque::fork_slot<P>;

  static_assert(Level < recursion_levels);

  /// The place is the first free slot of the worker that executes the caller.
  [[gnu::always_inline]] explicit context(slot* place) noexcept : place_(place) {}
  /// The same place.
  template <unsigned Other>
  [[gnu::always_inline]] context(context<P, Other> other) noexcept : place_(other.place()) {}
  [[gnu::always_inline]] slot* place() const noexcept { return place_; }

 private:
  slot* place_;
};

/// Whether C is a context of P, of any level.
template <class C, class P>
concept context_of = requires(C c) { []<unsigned Level>(context<P, Level>) {}(c); };

/// How forks are made that have their place in a word of the thread. The second argument is in the type so that the
/// code of different compilers has different names: a program may have parts from two, and their slots are not alike.
template <class P, bool Same = inlines_into_itself>
struct plain_form {
  using slot = deque::fork_slot<P>;
  using words = deque::fork_words<P>;

  template <class F>
  using value = value_of<std::invoke_result_t<F&>>;

  // void becomes a value, so that the results of all callables can be kept and returned alike.
  template <class F>
  [[gnu::always_inline]] static value<F> call(F& f, slot*) {
    if constexpr (std::is_void_v<std::invoke_result_t<F&>>) return f(), value<F>();
    else return f();
  }

  template <class F>
  static constexpr bool gives_nothing = std::is_void_v<std::invoke_result_t<F&>>;

  /// f(form), as a callable of this form.
  template <class F>
  static auto with_form(const F& f) {
    return [&f] { return f(plain_form()); };
  }

  [[gnu::always_inline]] static slot* place() noexcept { return P::template own<words>().top; }
  [[gnu::always_inline]] static void forked(slot* s) noexcept {
    P::publish(P::template own<words>().top, s + 1);  // FORK-3: the slot is written; pairs with fork_stack::take_plain
  }
  /// The limit, read when the slot has been given up (FORK-3). The other way round a poll between the two could give
  /// the fork away, and the join, which has read the old limit, would call it as well.
  [[gnu::always_inline]] static std::uintptr_t give_up(slot* s) noexcept {
    auto& mine = P::template own<words>();
    // Pairs with fork_stack::take_plain, which may find older slots beneath it.
    return P::republish_and_poll(mine.top, s, mine.limit);
  }
  // relaxed: it only says whether to poll; the poll acquires (FORK-2).
  [[gnu::always_inline]] static std::uintptr_t limit(slot*) noexcept { return P::poll(P::template own<words>().limit); }
  static bool join(slot* s) {
    auto* const me = scheduler::worker<P>::current();
    return me != nullptr && me->waiter.join_tls(s);  // null in the child of a fork(): no thief has its forks
  }
  static slot* newest() noexcept { return place() - 1; }

  /// Whether `s` is neither null, as on a thread that is no worker, nor the end of a block, which is aligned as its
  /// beginning is. One test finds both, and the cold way tells them apart.
  [[gnu::always_inline]] static bool has_room(slot* s) noexcept {
    return (deque::fork_stack<P>::word(s) & (deque::fork_stack<P>::block_bytes - 1)) != 0;
  }
};

/// How forks are made that have their place in a register. `Levels` is in the type for the same reason.
template <class P, unsigned Level = 0, unsigned Levels = recursion_levels>
struct context_form {
  using slot = deque::fork_slot<P>;
  using next = context<P, (Level + 1) % Levels>;

  [[gnu::always_inline]] explicit context_form(context<P, Level> c) noexcept : place_(c.place()) {}

  template <class F>
  static constexpr bool takes_context = std::is_invocable_v<F&, context<P>>;
  /// The context that F is called with: that of the next level, unless F takes the first level alone.
  template <class F>
  using context_for = std::conditional_t<std::is_invocable_v<F&, next>, next, context<P>>;
  template <class F>
  using result =
      typename std::conditional_t<takes_context<F>, std::invoke_result<F&, context<P>>, std::invoke_result<F&>>::type;
  template <class F>
  using value = value_of<result<F>>;
  template <class F>
  static constexpr bool gives_nothing = std::is_void_v<result<F>>;

  template <class F>
  static auto with_form(const F& f) {
    return [&f](context<P> c) { return f(context_form<P>(c)); };
  }
  template <class F>
  [[gnu::always_inline]] static value<F> call(F& f, slot* above) {
    if constexpr (!takes_context<F>) return plain_form<P>::call(f, above);
    else if constexpr (std::is_void_v<result<F>>) return f(context_for<F>(above)), value<F>();
    else return f(context_for<F>(above));
  }

  // The slot is free while its context may be used: in the callable that the context was given to, between forks.
  // Elsewhere it is mostly in use, which the assertion finds.
  [[gnu::always_inline]] slot* place() const noexcept {
    assert(place_->call == nullptr && "a leat::context is used outside the callable that it was given to");
    return place_;
  }
  // The slot's `call` has made it pending already (FORK-3).
  [[gnu::always_inline]] static void forked(slot*) noexcept {}
  [[gnu::always_inline]] static std::uintptr_t give_up(slot* s) noexcept {
    P::put(s->call, nullptr);  // relaxed: nothing is read because of it
    P::signal_fence();  // FORK-3: the limit is read after that, also as a handler on this thread sees it
    return limit(s);
  }
  // relaxed: it only says whether to poll; the poll acquires (FORK-2).
  [[gnu::always_inline]] static std::uintptr_t limit(slot* s) noexcept {
    return P::poll(deque::fork_stack<P>::header_of(s).limit);
  }
  static bool join(slot* s) {
    auto* const me = scheduler::worker<P>::current();
    return me != nullptr && me->waiter.join_context(s);  // as in the plain form
  }
  static slot* newest() noexcept { return scheduler::worker<P>::current()->stack().context_top() - 1; }

  /// Always: behind the end lies a page that cannot be written, as behind that of the C++ stack, which mostly comes
  /// first. A test would cost a tenth of a fork.
  [[gnu::always_inline]] static bool has_room(slot*) noexcept { return true; }

 private:
  slot* place_;
};

}  // namespace leat::inline LEAT_ABI::task
