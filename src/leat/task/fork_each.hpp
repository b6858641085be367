// A row of calls: while one is made, those after it wait in a slot, for the first thief that asks.
//
// It is one fork/join after the other (docs/internals/fork_join.md), all in the same slot and of the same callable:
// the calls that are left of the row. A thief gets all of these, and forks from there on itself. So a row needs no
// array of forks, however long it is, and iterators need only move forward.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <vector>

#include "leat/strands/strands.hpp"
#include "leat/task/fork_join.hpp"
#include "leat/task/invoke.hpp"

namespace leat::inline LEAT_ABI::task {

/// Whether f can be called for what It points to, with a context or without.
template <class P, class F, class It>
inline constexpr bool takes_context_and_element = std::is_invocable_v<F&, context<P>, std::iter_reference_t<It>>;
template <class P, class F, class It>
inline constexpr bool takes_element =
    takes_context_and_element<P, F, It> || std::is_invocable_v<F&, std::iter_reference_t<It>>;

/// Whether F is called as a copy in the frame of the loop, of which the compiler knows that no other code can change
/// it. Only where a copy is as good: it is trivially copyable, a const call is the same call, and it has four words
/// at most.
template <class P, class F, class It>
inline constexpr bool called_as_copy = [] {
  if constexpr (!std::is_object_v<F>) return false;  // a function
  else
    return std::is_trivially_copyable_v<F> && std::is_copy_constructible_v<F> && takes_element<P, const F, It> &&
           takes_context_and_element<P, const F, It> == takes_context_and_element<P, F, It> &&
           sizeof(F) <= 4 * sizeof(void*);
}();

/// The calls that are left of a row, in the frame of the function that makes them: all that a thief reads there. The
/// owner writes `first` only while the slot is free, before it forks again.
template <class P, class It, class F>
struct rest_of_row {
  using callable = std::conditional_t<called_as_copy<P, F, It>, const F, F&>;

  It first;
  It last;
  callable f;

  [[gnu::noinline]] void operator()(context<P> c);
};

/// fork_each, measured: as forks by halves. It keeps all iterators meanwhile.
template <class P, class It, class F>
void fork_each_measured(context<P> c, It first, It last, F& f) {
  std::vector<It> row;
  for (; first != last; ++first) row.push_back(first);
  fork_row<P>(context_form<P>(c), row.data(), 0, row.size(), [&f]<class Form>(std::size_t, It& element, Form here) {
    const auto now = [&f, &element](context<P> inner) -> void {
      if constexpr (takes_context_and_element<P, F, It>) task::invoke(f, inner, *element);
      else task::invoke(f, *element);
    };
    Form::call(now, here.place());
  });
}

/// Calls f(*element), or f(context, *element) if it takes that, for each from `first` to before `last`, in this order
/// where no worker steals. See leat::parallel_for_each with a context. Cost: a fork for each element but the last.
template <class P, unsigned Level, class It, class F>
[[gnu::always_inline]] inline void fork_each(context<P, Level> c, It first, It last, F& f) {
  using form = context_form<P, Level>;
  using rest = rest_of_row<P, It, F>;
  using forked = fork<P, form, rest&>;
  if (first == last) return;
  if constexpr (strands::profiles<P>) {
    if (strands::session<P>::on()) return fork_each_measured<P>(c, first, last, f);
  }
  typename rest::callable mine = f;
  rest others{first, last, f};
  auto* const s = form(c).place();
  for (It element = first;;) {
    auto now = [&mine, &element](auto inner) -> void {
      if constexpr (takes_context_and_element<P, F, It>) task::invoke(mine, inner, *element);
      else task::invoke(mine, *element);
    };
    It next = element;
    if (++next == last) {
      // The last call needs no fork: nothing is left for a thief.
      form::call(now, s);
      return;
    }
    others.first = next;
    forked::write(s, others);  // each time: iterators may fork, and find the slot free
    form::forked(s);
    forked::call_first(now, s);
    if (deque::fork_stack<P>::word(s) < form::give_up(s) && forked::given_away(s)) [[unlikely]] {
      // The thief has made all other calls of the row; its exception, if any, is thrown here.
      forked::take(s);
      return;
    }
    element = next;
  }
}

// A thief's. The row's owner waits for it before it leaves the frame, and changes nothing there meanwhile.
template <class P, class It, class F>
void rest_of_row<P, It, F>::operator()(context<P> c) {
  fork_each<P>(c, It(first), It(last), f);
}

}  // namespace leat::inline LEAT_ABI::task
