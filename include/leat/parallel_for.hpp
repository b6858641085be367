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
#include "leat/task/fork_each.hpp"

namespace leat::inline LEAT_ABI {

/// body(i) for every i from `first` on and before `last`; none if `last` is not above `first`. i has the type that both
/// have in common. A body that does not take an index gets a `leat::block` of them, and loops over that itself.
///
/// The loop is one task until others ask; there is no grain size to choose. In place it runs in order. The body is not
/// copied for other workers (a small one that is trivially copyable, and callable if const, may be called as a copy),
/// and is called by several at once. It may fork, spawn, wait, and loop itself. Waits run only what descends from the
/// loop. (Prell's thesis, 5.2 and 5.3; docs/guide/loops.md)
///
/// Cost: 100 to 200 ns, and next to nothing for an iteration: a body that the compiler vectorises in a serial loop, it
/// vectorises here. A steal costs a microsecond or two. No allocation.
/// \throws the first exception, in order, of those that bodies threw before the others had stopped, each at the end of a
///         chunk; not_a_worker inside leat::blocking; std::out_of_range if `first` is negative and i has no sign;
///         std::invalid_argument for bad options
template <loop_index First, loop_index Last, class Body>
void parallel_for(First first, Last last, Body&& body, const loop_options& options = {}) {
  using index = std::common_type_t<First, Last>;
  constexpr bool callable = loop::takes_index_or_block<Body, index>;
  static_assert(callable, "leat::parallel_for: body must be callable with an index, or with a leat::block of them");
  if constexpr (callable) {
    loop::for_block<platform::chosen>(loop::between(first, last, "parallel_for"), body, options);
  }
}

/// The same for the indices of a rectangle or a box: body(i, j), or body(i, j, k), the last one running fastest. A body
/// that does not take so many gets a `leat::block2d` or `leat::block3d`. Others get whole rows, if there are several.
template <std::size_t N, class Body>
void parallel_for(const box<N>& range, Body&& body, const loop_options& options = {}) {
  constexpr bool callable = loop::takes_indices_or_box<Body, N>;
  static_assert(callable, "leat::parallel_for: body must be callable with an index for each side, or with a block");
  if constexpr (callable) loop::for_box<platform::chosen>(range, body, options);
}

/// f(element) for each element, as std::for_each with random-access iterators. Several workers are at neighbouring
/// elements at once: do not write those of a std::vector<bool>, which share bytes.
template <std::random_access_iterator It, class F>
void parallel_for_each(It first, It last, F&& f, const loop_options& options = {}) {
  constexpr bool callable = std::invocable<F&, std::iter_reference_t<It>>;
  static_assert(callable, "leat::parallel_for_each: f must be callable with an element");
  if constexpr (callable) loop::for_elements<platform::chosen>(first, last, f, options, "parallel_for_each");
}

template <loop::random_access_range Range, class F>
void parallel_for_each(Range&& range, F&& f, const loop_options& options = {}) {
  parallel_for_each(loop::begin_of(range), loop::end_of(range), f, options);
}

/// The context form, for rows of a few elements with much beneath each, as the children of a node of a tree: f(context,
/// element), or f(element), for each element, as a fork each. While one is called, other workers can have all that are left.
/// Waits run only what descends from the loop. (Prell's thesis, 4.4)
///
/// Cost: that of a leat::fork_join in the context form for each element but the last, and nothing to begin with. No allocation.
/// The iterators may move in one direction only, and are copied, as is f if it is small, trivially copyable, and callable
/// if const.
/// \throws what the first call, in order, that threw has thrown: those not begun by then are not made, those that others
///         execute are waited for
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

/// The same by another name.
template <std::random_access_iterator It, class F>
void parallel_for(It first, It last, F&& f, const loop_options& options = {}) {
  constexpr bool callable = std::invocable<F&, std::iter_reference_t<It>>;
  static_assert(callable, "leat::parallel_for: f must be callable with an element");
  if constexpr (callable) loop::for_elements<platform::chosen>(first, last, f, options, "parallel_for");
}

template <loop::random_access_range Range, class F>
void parallel_for(Range&& range, F&& f, const loop_options& options = {}) {
  parallel_for(loop::begin_of(range), loop::end_of(range), f, options);
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

/// *out = f(element), and so on, for each element. Returns the end of what was written. `out` may be `first`.
template <std::random_access_iterator In, std::random_access_iterator Out, class F>
Out parallel_transform(In first, In last, Out out, F&& f, const loop_options& options = {}) {
  constexpr bool callable = std::invocable<F&, std::iter_reference_t<In>>;
  static_assert(callable, "leat::parallel_transform: f must be callable with an element");
  if constexpr (callable && loop::check_written<Out>())
    return loop::transform<platform::chosen>(loop::count_of(first, last, "parallel_transform"), out, f, options, first);
  else return out;
}

/// *out = f(element, element of the second row), and so on.
template <std::random_access_iterator In, std::random_access_iterator In2, std::random_access_iterator Out, class F>
Out parallel_transform(In first, In last, In2 second, Out out, F&& f, const loop_options& options = {}) {
  constexpr bool callable = std::invocable<F&, std::iter_reference_t<In>, std::iter_reference_t<In2>>;
  static_assert(callable, "leat::parallel_transform: f must be callable with an element of each row");
  if constexpr (callable && loop::check_written<Out>())
    return loop::transform<platform::chosen>(loop::count_of(first, last, "parallel_transform"), out, f, options, first,
                                             second);
  else return out;
}

/// Calls all callables, in parallel if other workers are free, and returns when all are done: leat::fork_join for those
/// whose results are not wanted.
template <class... F>
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

}  // namespace leat::inline LEAT_ABI
