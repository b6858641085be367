// Parallel loops over indices, over blocks, and over elements.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>

#include "leat/block.hpp"
#include "leat/fork_join.hpp"
#include "leat/loop/each.hpp"
#include "leat/loop/over.hpp"
#include "leat/loop/range.hpp"
#include "leat/loop_options.hpp"
#include "leat/strands/strands.hpp"
#include "leat/task/fork_each.hpp"

namespace leat::inline LEAT_ABI {

/// Calls body(i) for every index i with first <= i < last, in parallel if other workers are idle.
///
/// No index is visited if `last` is not above `first`. The index has the type that both limits have in common. A body
/// that does not take an index gets a `leat::block` of indices, and loops over that itself.
///
/// The loop is one task until other workers ask for a part of it, so there is no grain size to choose. A part runs in
/// the order of its indices. Several workers call the body at once, and it is not copied for them. (A body of up to 64
/// bytes that is trivially copyable, and callable if const, may be called as a copy.) The body may fork, spawn, wait,
/// and loop itself. While a worker waits for a part that another worker executes, it runs only tasks that descend from
/// this loop. (Prell's thesis, 5.2 and 5.3; the guide's page on loops)
///
/// Thread safety: any thread may call it. Outside of a run the loop enters the default runtime, and the calling thread
/// works, too.
/// Cost: 100 to 200 ns for the call, and next to nothing for an iteration: a body that the compiler vectorises in a
/// serial loop is vectorised here. A steal costs a microsecond or two. No allocation.
/// \throws the exception of a body. When a body throws, the other workers stop at the end of their chunks; of the
///         exceptions until then, the one of the lowest index is thrown. not_a_worker inside leat::blocking;
///         std::out_of_range if `first` is negative and the index has no sign; std::invalid_argument for bad options
template <loop_index First, loop_index Last, class Body>
void parallel_for(First first, Last last, Body&& body, const loop_options& options = {} LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  using index = std::common_type_t<First, Last>;
  constexpr bool callable = loop::takes_index_or_block<Body, index>;
  static_assert(callable, "leat::parallel_for: body must be callable with an index, or with a leat::block of them");
  if constexpr (callable) {
    loop::for_block<platform::chosen>(loop::between(first, last, "parallel_for"), body, options);
  }
}

/// Calls body(i, j) for each index of a rectangle, or body(i, j, k) for each index of a box. The last index runs
/// fastest. A body that does not take so many indices gets a `leat::block2d` or `leat::block3d`. Another worker gets
/// whole rows, if there are several. All else is as in the loop over indices.
template <std::size_t N, class Body>
void parallel_for(const box<N>& range, Body&& body, const loop_options& options = {} LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  constexpr bool callable = loop::takes_indices_or_box<Body, N>;
  static_assert(callable, "leat::parallel_for: body must be callable with an index for each side, or with a block");
  if constexpr (callable) loop::for_box<platform::chosen>(range, body, options);
}

/// Calls f(element) for each element of [first, last), in parallel, as std::for_each does. The iterators have random
/// access. Several workers are at neighbouring elements at once, so f must not write elements of a std::vector<bool>,
/// which share bytes.
///
/// Thread safety, cost and errors are those of parallel_for.
/// \throws also std::length_error if std::ptrdiff_t does not count the elements
template <std::random_access_iterator It, class F>
void parallel_for_each(It first, It last, F&& f, const loop_options& options = {} LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  constexpr bool callable = std::invocable<F&, std::iter_reference_t<It>>;
  static_assert(callable, "leat::parallel_for_each: f must be callable with an element");
  if constexpr (callable) loop::for_elements<platform::chosen>(first, last, f, options, "parallel_for_each");
}

template <loop::random_access_range Range, class F>
void parallel_for_each(Range&& range, F&& f, const loop_options& options = {} LEAT_SITE_PARAMETER) {
  parallel_for_each(loop::begin_of(range), loop::end_of(range), f, options LEAT_SITE_ARGUMENT);
}

/// Calls f(context, element), or f(element), for each element, with a fork for each. This context form is for rows of a
/// few elements with much work beneath each, such as the children of a node of a tree. While one call lasts, other
/// workers can take all elements that are left. While a worker waits for a call, it runs only tasks that descend from
/// it. (Prell's thesis, 4.4)
///
/// The iterators need only move forward. They are copied, and so is an f that is small, trivially copyable, and
/// callable if const.
///
/// Thread safety: the thread whose context it is.
/// Cost: that of a leat::fork_join in the context form for each element but the last. No allocation.
/// \throws the exception of the earliest call, in the order of the elements, that threw. Calls that had not begun by
///         then are not made; calls that other workers execute are waited for.
template <unsigned Level, std::forward_iterator It, class F>
[[gnu::always_inline]] inline void parallel_for_each(task::context<platform::chosen, Level> c, It first, It last,
                                                     F&& f) {
  constexpr bool callable = task::takes_element<platform::chosen, std::remove_reference_t<F>, It>;
  static_assert(callable,
                "leat::parallel_for_each: f must be callable with an element, or with a leat::context and an element");
  if constexpr (callable) task::fork_each<platform::chosen>(c, first, last, f);
}

template <unsigned Level, loop::forward_range Range, class F>
[[gnu::always_inline]] inline void parallel_for_each(task::context<platform::chosen, Level> c, Range&& range, F&& f) {
  parallel_for_each(c, loop::begin_of(range), loop::end_of(range), f);
}

/// Calls f(element) for each element: parallel_for_each by another name.
template <std::random_access_iterator It, class F>
void parallel_for(It first, It last, F&& f, const loop_options& options = {} LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  constexpr bool callable = std::invocable<F&, std::iter_reference_t<It>>;
  static_assert(callable, "leat::parallel_for: f must be callable with an element");
  if constexpr (callable) loop::for_elements<platform::chosen>(first, last, f, options, "parallel_for");
}

template <loop::random_access_range Range, class F>
void parallel_for(Range&& range, F&& f, const loop_options& options = {} LEAT_SITE_PARAMETER) {
  parallel_for(loop::begin_of(range), loop::end_of(range), f, options LEAT_SITE_ARGUMENT);
}

// What none of the overloads above takes: here it is told why.

template <loop_index First, loop_index Last, loop_index Step, class Body, class... Options>
void parallel_for(First, Last, Step, Body&&, const Options&...) {
  static_assert(
      !loop_index<Step>,
      "leat::parallel_for: there is no stride: run over the number of steps, and compute first + step * stride");
}

template <class First, class Next, class... Rest>
  requires(!loop::runnable<First, Next>)
void parallel_for(First&&, Next&&, Rest&&...) {
  constexpr bool listed = loop::without_random_access<First>;
  static_assert(!listed,
                "leat::parallel_for: the elements must have random access iterators, as those of a std::vector");
  static_assert(listed || loop::runnable<First, Next>,
                "leat::parallel_for: it runs from a whole number to another, over a leat::range2d or range3d, over a "
                "range, or between two random access iterators of one type");
}

template <class First, class Next, class... Rest>
  requires(!loop::row<First, Next> && !task::context_of<std::decay_t<First>, platform::chosen>)
void parallel_for_each(First&&, Next&&, Rest&&...) {
  constexpr bool listed = loop::without_random_access<First>;
  static_assert(!listed,
                "leat::parallel_for_each: the elements must have random access iterators, as those of a std::vector; "
                "with a leat::context, forward iterators will do");
  static_assert(listed || loop::row<First, Next>,
                "leat::parallel_for_each: it runs over a range, or between two random access iterators of one type");
}

/// Writes f(element), for each element of [first, last), to the range that begins at `out`, in parallel. `out` may be
/// `first`. Thread safety, cost and errors are those of parallel_for_each.
/// \return the end of the range that was written
template <std::random_access_iterator In, std::random_access_iterator Out, class F>
Out parallel_transform(In first, In last, Out out, F&& f, const loop_options& options = {} LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  constexpr bool callable = std::invocable<F&, std::iter_reference_t<In>>;
  static_assert(callable, "leat::parallel_transform: f must be callable with an element");
  if constexpr (callable && loop::check_written<Out>())
    return loop::transform<platform::chosen>(loop::count_of(first, last, "parallel_transform"), out, f, options, first);
  else return out;
}

/// Writes f(element, element of the second row), for each element of [first, last), to the range that begins at `out`.
/// The second row begins at `second`, and is as long. All else is as with one row.
template <std::random_access_iterator In, std::random_access_iterator In2, std::random_access_iterator Out, class F>
Out parallel_transform(
    In first, In last, In2 second, Out out, F&& f, const loop_options& options = {} LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  constexpr bool callable = std::invocable<F&, std::iter_reference_t<In>, std::iter_reference_t<In2>>;
  static_assert(callable, "leat::parallel_transform: f must be callable with an element of each row");
  if constexpr (callable && loop::check_written<Out>())
    return loop::transform<platform::chosen>(loop::count_of(first, last, "parallel_transform"), out, f, options, first,
                                             second);
  else return out;
}

/// Calls all callables, in parallel if other workers are free, and returns when all are done. It is leat::fork_join
/// without results, with the same thread safety, cost and errors.
template <class... F>
LEAT_BESIDE_SITES(sizeof...(F) < 2 || sizeof...(F) > 4)
void parallel_invoke(F&&... f) {
  constexpr bool callable = (task::is_forkable<F> && ...);
  static_assert(sizeof...(F) > 0, "leat::parallel_invoke: there is nothing to call");
  static_assert(callable,
                "leat::parallel_invoke: every argument must be callable without arguments or with a leat::context");
  if constexpr (sizeof...(F) > 0 && callable) {
    constexpr bool movable = (task::is_result_movable<std::remove_reference_t<F>> && ...);
    static_assert(movable, "leat::parallel_invoke: a result must be movable; return void instead");
    if constexpr (movable)
      static_cast<void>(task::fork_join_as<platform::chosen, task::called_parallel_invoke>(std::forward<F>(f)...));
  }
}

#if defined(LEAT_CALL_SITES)

// As for leat::fork_join.

template <class FA, class FB>
  requires(strands::no_site<FB>)
void parallel_invoke(FA&& f1, FB&& f2 LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  static_cast<void>(
      task::fork_join_as<platform::chosen, task::called_parallel_invoke>(std::forward<FA>(f1), std::forward<FB>(f2)));
}

template <class FA, class FB, class FC>
  requires(strands::no_site<FC>)
void parallel_invoke(FA&& f1, FB&& f2, FC&& f3 LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  static_cast<void>(task::fork_join_as<platform::chosen, task::called_parallel_invoke>(
      std::forward<FA>(f1), std::forward<FB>(f2), std::forward<FC>(f3)));
}

template <class FA, class FB, class FC, class FD>
  requires(strands::no_site<FD>)
void parallel_invoke(FA&& f1, FB&& f2, FC&& f3, FD&& f4 LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  static_cast<void>(task::fork_join_as<platform::chosen, task::called_parallel_invoke>(
      std::forward<FA>(f1), std::forward<FB>(f2), std::forward<FC>(f3), std::forward<FD>(f4)));
}

#endif

}  // namespace leat::inline LEAT_ABI
