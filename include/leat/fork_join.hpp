// Fork and join.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "leat/platform/chosen.hpp"
#include "leat/task/fork_join.hpp"

namespace leat::inline LEAT_ABI {

/// A place on the calling worker's stack of forks, for programs that fork so often that looking it up would be felt. It
/// travels as an argument, in a register: a callable that takes a context gets one, and passes it to leat::fork_join,
/// once or several times in a row, and to what it calls. It is good for the callable that it was given to and for nothing
/// else: not for another task, not for another thread, not after the return. Copyable, one pointer. The first one comes
/// from leat::with_context, or from a fork_join without context whose callables take one.
///
/// A callable that takes it as `auto` is given contexts of several types in turn, from one fork to those inside it, all of which
/// convert to this one: three with clang, one with g++. A recursion that is a template, `inline long fib(auto c, int n)`, becomes as
/// many functions then that call each other, and compilers inline them into each other. They must have the same result, and its type
/// must be given; a static variable in such a function is one for each of them. A callable that is overloaded is called with the
/// type that comes.
using context = task::context<platform::chosen>;

namespace task {

template <class F>
inline constexpr bool is_forkable = std::is_invocable_v<F&> || std::is_invocable_v<F&, leat::context>;

template <class F>
inline constexpr bool is_result_movable = is_result<typename context_form<platform::chosen>::template value<F>>;

// What is refused is not compiled any further: the message is to stand alone.

template <class... F>
constexpr bool check_forkable() {
  constexpr bool callable = (is_forkable<F> && ...);
  static_assert(sizeof...(F) > 0, "leat::fork_join: there is nothing to call");
  static_assert(callable,
                "leat::fork_join: every argument must be callable without arguments or with a leat::context; for the "
                "callables of a container, use a std::array or leat::parallel_for_each");
  if constexpr (callable) {
    constexpr bool movable = (is_result_movable<std::remove_reference_t<F>> && ...);
    static_assert(movable,
                  "leat::fork_join: a result must be movable; return void and write it where it belongs instead");
    return sizeof...(F) > 0 && movable;
  } else {
    return false;
  }
}

template <class F, std::size_t N>
constexpr bool check_forkable_row() {
  static_assert(N > 0, "leat::fork_join: there is nothing to call");
  static_assert(is_forkable<F>,
                "leat::fork_join: every element must be callable without arguments or with a leat::context");
  return N > 0 && is_forkable<F>;
}

}  // namespace task

/// Calls all callables, in parallel if other workers are free, and returns when all are done: their results in order, as a
/// std::pair of two or a std::tuple of any other number, with std::monostate for void; nothing if all return void. Without thieves they are called one after
/// the other, first to last; a thief begins with the last. A callable is called without arguments or with a leat::context.
/// It is not copied, but for trivially copyable temporaries, which may be executed from a copy.
///
/// The waits for callables that others execute run only what descends from them: no other task comes between, so a lock
/// may be held across a fork_join. Under a published scheduler they run any task of the run (docs/guide/schedulers.md).
/// (Prell's thesis, 4.3.2 and 4.4)
///
/// Cost: about that of a function call for each callable but the first. No allocation, unless a result that another worker
/// made is larger than 48 bytes or may throw when it is moved. The context form, `fork_join(c, f, g...)`, reads no
/// thread-local word; which is cheaper depends on the compiler.
/// \throws what the first callable, in order, that threw has thrown: those not begun by then are not called, those that
///         others execute are waited for. not_a_worker inside leat::blocking, if there are two or more; std::length_error if forks
///         without a context are nested too deep (with one, the end of the C++ stack comes first, unless it is larger than 8 MiB:
///         docs/internals/fork_join.md)
template <class... F>
[[gnu::always_inline]] inline auto fork_join(F&&... f) {
  if constexpr (task::check_forkable<F...>()) return task::fork_join<platform::chosen>(std::forward<F>(f)...);
}

/// The context form.
template <unsigned Level, class... F>
[[gnu::always_inline]] inline auto fork_join(task::context<platform::chosen, Level> c, F&&... f) {
  if constexpr (task::check_forkable<F...>()) return task::fork_join<platform::chosen>(c, std::forward<F>(f)...);
}

/// The same for N callables of one type; the results, if any, come as a std::array. Thieves get halves.
template <class F, std::size_t N>
auto fork_join(std::array<F, N>& callables) {
  if constexpr (task::check_forkable_row<F, N>()) return task::fork_join_row<platform::chosen, N>(callables.data());
}

template <class F, std::size_t N>
auto fork_join(std::array<F, N>&& callables) {
  return fork_join(callables);
}

template <unsigned Level, class F, std::size_t N>
auto fork_join(task::context<platform::chosen, Level> c, std::array<F, N>& callables) {
  if constexpr (task::check_forkable_row<F, N>())
    return task::fork_join_row<platform::chosen, N>(context(c), callables.data());
}

template <unsigned Level, class F, std::size_t N>
auto fork_join(task::context<platform::chosen, Level> c, std::array<F, N>&& callables) {
  return fork_join(c, callables);
}

/// Calls f(context), with the first context of a program in the context form, and returns its result. Costs a few
/// nanoseconds; if it is called in code that has a context, a few more for each doubling of its pending forks.
/// \throws not_a_worker inside leat::blocking; what f throws
template <class F>
decltype(auto) with_context(F&& f) {
  static_assert(std::is_invocable_v<F&, context>, "leat::with_context: f must be callable with a leat::context");
  return task::with_context<platform::chosen>(f);
}

}  // namespace leat::inline LEAT_ABI
