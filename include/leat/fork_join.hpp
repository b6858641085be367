// Fork and join.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "leat/platform/chosen.hpp"
#include "leat/strands/strands.hpp"
#include "leat/task/fork_join.hpp"

namespace leat::inline LEAT_ABI {

/// A place on the calling worker's stack of forks. Programs that fork very often pass it along, so that a fork need not
/// search for that place. A context is passed as an argument, in a register: a callable that takes a context gets one,
/// and passes it to leat::fork_join, once or several times in a row, and to the functions that it calls. The first
/// context comes from leat::with_context, or from a fork_join without context whose callables take one.
///
/// A context is good only for the callable that it was given to. Another task or thread must not use it, nor may the
/// callable's caller use it after the return. Copyable, one pointer.
///
/// A callable that takes it as `auto` gets contexts of several types, from one fork to the forks inside it: three types
/// with clang, one with g++. All of them convert to this one. A recursion that is a template, such as `inline long
/// fib(auto c, int n)`, then becomes as many functions that call each other, and compilers inline them into each other.
/// They must have the same result, and its type must be written; a static variable exists once in each. An overloaded
/// callable is called with the type that comes.
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

/// Calls all callables, in parallel if other workers are free, and returns when all are done.
///
/// A callable is called without arguments or with a leat::context. It is not copied; only a trivially copyable
/// temporary may be executed from a copy. Without thieves the callables are called one after the other, first to last;
/// a thief begins with the last.
///
/// While a worker waits for a callable that another worker executes, it runs only tasks that descend from that
/// callable. So a lock may be held across a fork_join. Under a published scheduler the wait runs any task of the run.
/// (Prell's thesis, 4.3.2 and 4.4; the guide's page on schedulers)
///
/// Thread safety: any thread may call it. Outside of a run the fork enters the default runtime.
/// Cost: about that of a function call for each callable but the first. No allocation, unless another worker makes a
/// result that is larger than 48 bytes, or that may throw when it is moved. The context form, `fork_join(c, f, g...)`,
/// reads no thread-local word; which form is cheaper depends on the compiler.
/// \return the results in order: a std::pair of two, a std::tuple of any other number, with std::monostate for void;
///         nothing if all callables return void
/// \throws the exception of the earliest callable, in the order of the arguments, that threw. Callables that had not
///         begun by then are not called; callables that other workers execute are waited for. not_a_worker inside
///         leat::blocking, if there are two callables or more; std::length_error if forks without a context are nested
///         too deep (with a context the C++ stack ends first, unless it is larger than 8 MiB)
template <class... F>
LEAT_BESIDE_SITES(sizeof...(F) < 2 || sizeof...(F) > 6)
[[gnu::always_inline]] inline auto fork_join(F&&... f) {
  if constexpr (task::check_forkable<F...>()) return task::fork_join<platform::chosen>(std::forward<F>(f)...);
}

/// The context form: c is the context that the calling callable was given.
template <unsigned Level, class... F>
LEAT_BESIDE_SITES(sizeof...(F) < 2 || sizeof...(F) > 6)
[[gnu::always_inline]] inline auto fork_join(task::context<platform::chosen, Level> c, F&&... f) {
  if constexpr (task::check_forkable<F...>()) return task::fork_join<platform::chosen>(c, std::forward<F>(f)...);
}

/// Calls N callables of one type in the same way. A thief gets half of them. The results, if any, come as a std::array.
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

/// Calls f(context) with the first context of a program in the context form, and returns what f returns. Any thread may
/// call it; outside of a run it enters the default runtime. Costs a few nanoseconds. Where the caller has a context
/// already, a few more for each doubling of its pending forks.
/// \throws not_a_worker inside leat::blocking; what f throws
template <class F>
decltype(auto) with_context(F&& f) {
  static_assert(std::is_invocable_v<F&, context>, "leat::with_context: f must be callable with a leat::context");
  return task::with_context<platform::chosen>(f);
}

#if defined(LEAT_CALL_SITES)

// The same for two to six callables, where the line that calls is wanted: no parameter can come after a pack.

template <class FA, class FB>
  requires(strands::no_site<FB> && !task::context_of<std::decay_t<FA>, platform::chosen>)
auto fork_join(FA&& f1, FB&& f2 LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  if constexpr (task::check_forkable<FA, FB>())
    return task::fork_join<platform::chosen>(std::forward<FA>(f1), std::forward<FB>(f2));
}
template <unsigned Level, class FA, class FB>
  requires(strands::no_site<FB>)
auto fork_join(task::context<platform::chosen, Level> c, FA&& f1, FB&& f2 LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  if constexpr (task::check_forkable<FA, FB>())
    return task::fork_join<platform::chosen>(c, std::forward<FA>(f1), std::forward<FB>(f2));
}

template <class FA, class FB, class FC>
  requires(strands::no_site<FC> && !task::context_of<std::decay_t<FA>, platform::chosen>)
auto fork_join(FA&& f1, FB&& f2, FC&& f3 LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  if constexpr (task::check_forkable<FA, FB, FC>())
    return task::fork_join<platform::chosen>(std::forward<FA>(f1), std::forward<FB>(f2), std::forward<FC>(f3));
}
template <unsigned Level, class FA, class FB, class FC>
  requires(strands::no_site<FC>)
auto fork_join(task::context<platform::chosen, Level> c, FA&& f1, FB&& f2, FC&& f3 LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  if constexpr (task::check_forkable<FA, FB, FC>())
    return task::fork_join<platform::chosen>(c, std::forward<FA>(f1), std::forward<FB>(f2), std::forward<FC>(f3));
}

template <class FA, class FB, class FC, class FD>
  requires(strands::no_site<FD> && !task::context_of<std::decay_t<FA>, platform::chosen>)
auto fork_join(FA&& f1, FB&& f2, FC&& f3, FD&& f4 LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  if constexpr (task::check_forkable<FA, FB, FC, FD>())
    return task::fork_join<platform::chosen>(std::forward<FA>(f1), std::forward<FB>(f2), std::forward<FC>(f3),
                                             std::forward<FD>(f4));
}
template <unsigned Level, class FA, class FB, class FC, class FD>
  requires(strands::no_site<FD>)
auto fork_join(task::context<platform::chosen, Level> c, FA&& f1, FB&& f2, FC&& f3, FD&& f4 LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  if constexpr (task::check_forkable<FA, FB, FC, FD>())
    return task::fork_join<platform::chosen>(c, std::forward<FA>(f1), std::forward<FB>(f2), std::forward<FC>(f3),
                                             std::forward<FD>(f4));
}

template <class FA, class FB, class FC, class FD, class FE>
  requires(strands::no_site<FE> && !task::context_of<std::decay_t<FA>, platform::chosen>)
auto fork_join(FA&& f1, FB&& f2, FC&& f3, FD&& f4, FE&& f5 LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  if constexpr (task::check_forkable<FA, FB, FC, FD, FE>())
    return task::fork_join<platform::chosen>(std::forward<FA>(f1), std::forward<FB>(f2), std::forward<FC>(f3),
                                             std::forward<FD>(f4), std::forward<FE>(f5));
}
template <unsigned Level, class FA, class FB, class FC, class FD, class FE>
  requires(strands::no_site<FE>)
auto fork_join(task::context<platform::chosen, Level> c, FA&& f1, FB&& f2, FC&& f3, FD&& f4,
               FE&& f5 LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  if constexpr (task::check_forkable<FA, FB, FC, FD, FE>())
    return task::fork_join<platform::chosen>(c, std::forward<FA>(f1), std::forward<FB>(f2), std::forward<FC>(f3),
                                             std::forward<FD>(f4), std::forward<FE>(f5));
}

template <class FA, class FB, class FC, class FD, class FE, class FF>
  requires(strands::no_site<FF> && !task::context_of<std::decay_t<FA>, platform::chosen>)
auto fork_join(FA&& f1, FB&& f2, FC&& f3, FD&& f4, FE&& f5, FF&& f6 LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  if constexpr (task::check_forkable<FA, FB, FC, FD, FE, FF>())
    return task::fork_join<platform::chosen>(std::forward<FA>(f1), std::forward<FB>(f2), std::forward<FC>(f3),
                                             std::forward<FD>(f4), std::forward<FE>(f5), std::forward<FF>(f6));
}
template <unsigned Level, class FA, class FB, class FC, class FD, class FE, class FF>
  requires(strands::no_site<FF>)
auto fork_join(task::context<platform::chosen, Level> c, FA&& f1, FB&& f2, FC&& f3, FD&& f4, FE&& f5,
               FF&& f6 LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  if constexpr (task::check_forkable<FA, FB, FC, FD, FE, FF>())
    return task::fork_join<platform::chosen>(c, std::forward<FA>(f1), std::forward<FB>(f2), std::forward<FC>(f3),
                                             std::forward<FD>(f4), std::forward<FE>(f5), std::forward<FF>(f6));
}

#endif

}  // namespace leat::inline LEAT_ABI
