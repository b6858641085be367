// Fork and join, at the price of a function call where no worker steals (thesis 4.4).
//
// fork_join(f, g) leaves g in a slot of the fork stack, calls f, gives the slot up again and calls g, unless another
// worker has been given it. docs/internals/fork_join.md has the reason for each instruction; rules FORK-1 to FORK-5:
// deque/fork_stack.hpp. The common path has no fence, read-modify-write or allocation; all else is in functions that
// are never inlined.
#pragma once

#include <array>
#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "leat/platform/object.hpp"
#include "leat/platform/shared.hpp"
#include "leat/platform/thrown.hpp"
#include "leat/strands/strands.hpp"
#include "leat/task/fork_form.hpp"
#include "leat/task/fork_result.hpp"
#include "leat/task/insider.hpp"

namespace leat::inline LEAT_ABI::task {

/// Whether cold ways look as if they came back to the common one. Where every way through a function leads to its end, clang
/// saves registers only on those that fork, and makes less of the others when it decides what to inline; g++ inlines less then.
inline constexpr bool cold_ways_return = !inlines_into_itself;

/// Calls `Throws`; compilers cannot see that it never comes back, as its address passes through an empty asm.
template <class R, R (*Throws)()>
[[gnu::cold, gnu::noinline]] R call_as_if_it_returned() {
  R (*throws)() = Throws;
  asm("" : "+r"(throws));
  return throws();
}

/// The function that a program has called, by the name that errors give it.
struct called_fork_join {
  static constexpr const char* name = "fork_join";
};
struct called_parallel_invoke {
  static constexpr const char* name = "parallel_invoke";
};

/// The thread has no place for a fork: it is no worker, or its forks are nested too deep.
template <class P, class R = void, class Called = called_fork_join>
[[noreturn, gnu::cold, gnu::noinline]] R throw_no_place() {
  if (plain_form<P>::place() == nullptr) throw_not_a_worker(Called::name);
  throw_too_deep(deque::fork_stack<P>::depth_max);
}

/// The exception of a fork's first callable, from the end of its handler until it is thrown again, which is next: no
/// code of the program runs between keep() and take(). It is in a word of the thread, as the common path has no room
/// for it.
template <class P>
struct LEAT_SHARED caught {
  alignas(std::exception_ptr) std::byte bytes[sizeof(std::exception_ptr)];

  /// In a handler.
  static void keep() noexcept {
    ::new (static_cast<void*>(P::template own<caught>().bytes)) std::exception_ptr(platform::thrown());
  }
  static std::exception_ptr take() noexcept {
    auto& kept = *std::launder(reinterpret_cast<std::exception_ptr*>(P::template own<caught>().bytes));
    std::exception_ptr taken = std::move(kept);
    kept.~exception_ptr();
    return taken;
  }
};

template <class P, class V>
[[noreturn]] V throw_caught() {
  std::rethrow_exception(caught<P>::take());
}

/// Whether a fork carries its own copy of a temporary callable: it is trivially copyable and no larger than the
/// address that the slot would have else. A larger one costs more to copy than that saves. The plain form of g++
/// keeps none, as it then inlines less.
template <class P, class Form, class G>
inline constexpr bool kept_in_slot =
    !(inlines_into_itself && std::is_same_v<Form, plain_form<P>>) && !std::is_reference_v<G> &&
    std::is_trivially_copyable_v<G> && std::is_trivially_destructible_v<G> &&
    std::is_copy_constructible_v<G> &&  // what only moves may be trivially copyable
    sizeof(std::decay_t<G>) <= sizeof(void*) && alignof(std::decay_t<G>) <= alignof(void*);

/// One fork of G, which is a reference type or, for a temporary, a value type, in the given form.
template <class P, class Form, class G>
class fork {
 public:
  using slot = deque::fork_slot<P>;
  using callable = std::remove_reference_t<G>;
  using value = typename Form::template value<callable>;

  static constexpr bool kept = kept_in_slot<P, Form, G>;
  /// Whether the join calls a copy that was read back when the fork was written, so that a register may hold it; else one
  /// that it reads from the slot itself, so that nothing is held meanwhile.
  static constexpr bool read_back = kept && std::is_same_v<Form, plain_form<P>>;
  using forked_callable = std::conditional_t<kept, callable, callable&>;

  /// g as the join is to know it. (Not g itself, even where that is the same: a compiler would hold on to it from before
  /// the fork, where a leaf of a recursion needs no register saved.)
  [[gnu::always_inline]] static std::conditional_t<read_back, callable, callable&> write(slot* s, callable& g) {
    if constexpr (kept) ::new (static_cast<void*>(s->payload)) callable(g);
    else ::new (static_cast<void*>(s->payload)) callable*(platform::address_of(g));
    P::publish(s->call, execute);  // FORK-3: `call` comes last; pairs with fork_stack::take_marked
    if constexpr (read_back) return in_slot(*s);  // no thief has it: it is not yet below the top
    else return g;
  }

  /// The slow part of a join: whether another worker has been given the fork. The fork is done then, and take() gets
  /// its result.
  [[gnu::cold, gnu::noinline]] static bool given_away(slot* s) { return Form::join(s); }
  [[gnu::cold, gnu::noinline]] static value take(slot* s) { return fork_result<P, value>::take(*s); }

  /// All of the slow way, the call of g included: it does not lead back to the common one, which compilers make
  /// better code of then. A poll writes no free slot: g is there still.
  [[gnu::cold, gnu::noinline]] static value join_below_limit(slot* s) {
    if (Form::join(s)) return fork_result<P, value>::take(*s);
    auto&& g = in_slot(*s);
    return Form::call(g, s);
  }
  /// The same of the plain form's top, to which it has just come down: code for an argument less.
  [[gnu::cold, gnu::noinline]] static value join_asked_at_top() { return join_below_limit(Form::place()); }

  /// Calls f. If that throws, the fork is given up, without being called if no worker has been given it. (Its slot is
  /// looked up then, so the common path keeps nothing in a register for the case.) Where cold ways return, the
  /// handler ends before the exception is thrown again.
  template <class F>
  [[gnu::always_inline]] static typename Form::template value<F> call_first(F& f, slot* s) {
    try {
      return Form::call(f, s + 1);
    } catch (...) {
      abandon_newest<cold_ways_return>();
      if constexpr (!cold_ways_return) throw;
    }
    using first = typename Form::template value<F>;
    return call_as_if_it_returned<first, throw_caught<P, first>>();
  }

  /// g as it is to be called by the join: not in the slot, which is free, and which g's own first fork takes.
  [[gnu::always_inline]] static std::conditional_t<read_back, callable&, forked_callable> second(slot* s,
                                                                                                 callable& g) noexcept {
    if constexpr (kept && !read_back) return in_slot(*s);
    else return g;
  }

 private:
  // In the handler of f's exception: forks that f left are gone, so the newest slot is this fork's. If a thief has
  // it, the frame must stay until the thief is done; its result is dropped, as the earlier exception wins. It has
  // another name where that is kept: a program may have parts from two compilers.
  template <bool Keep>
  [[gnu::cold, gnu::noinline]] static void abandon_newest() noexcept {
    if (scheduler::worker<P>::current() != nullptr) {  // null in the child of a fork(): no thief has its forks
      slot* const s = Form::newest();
      if (deque::fork_stack<P>::word(s) < Form::give_up(s) && Form::join(s)) fork_result<P, value>::drop(*s);
    }
    if constexpr (Keep) caught<P>::keep();
  }

  [[gnu::always_inline]] static forked_callable in_slot(slot& s) noexcept {
    if constexpr (kept) return *std::launder(reinterpret_cast<callable*>(s.payload));
    else return **std::launder(reinterpret_cast<callable**>(s.payload));
  }

  // The thief's: the slot's `call`. A kept callable is copied out first, as the result is made where it lay.
  static void execute(slot& s, slot* above) {
    auto&& g = in_slot(s);
    call(s, g, above);
  }

  static void call(slot& s, callable& g, slot* above) {
    fork_result<P, value>::leave(s, [&]() -> value { return Form::call(g, above); });
  }
};

/// How a callable goes to a call that a thread without a place makes: a small temporary by value, so that its address is not
/// known outside the common path, which then keeps what it has in registers.
template <class F>
constexpr bool goes_by_value() {
  if constexpr (!std::is_object_v<F>) return false;
  else return std::is_trivially_copyable_v<F> && std::is_copy_constructible_v<F> && sizeof(F) <= 2 * sizeof(void*);
}
template <class F>
using carried = std::conditional_t<goes_by_value<F>(), F, F&&>;

template <class P, class Called = called_fork_join, class F, class G, class Form>
auto fork_two(Form form, F&& f, G&& g);

/// fork_two on a thread that is no worker: it works for the default runtime meanwhile.
/// \throws std::length_error if it is a worker, whose forks are nested too deep
template <class P, class Called, class R, class F, class G>
[[gnu::cold, gnu::noinline]] R fork_two_without_place(F f, G g) {
  if (plain_form<P>::place() != nullptr) throw_too_deep(deque::fork_stack<P>::depth_max);
  const insider<P> in(Called::name);
  return fork_two<P, Called>(plain_form<P>(), f, g);
}

template <class P, class F>
inline constexpr bool is_branch = false;
template <class P, class F, bool second>
inline constexpr bool is_branch<P, const strands::branch_call<P, F, second>> = true;

/// fork_two, measured (rules SPAN: docs/internals/spans.md).
template <class P, class Called, class F, class G, class Form>
auto fork_two_measured(Form form, F& f, G& g) {
  strands::measured_fork<P> here;
  const strands::branch_call<P, F, false> first{f, here};
  const strands::branch_call<P, G, true> second{g, here};
  return fork_two<P, Called>(form, first, second);
}

/// Forks g, calls f, joins g. Returns the results of both. The order of the steps is that of FORK-3: g is written
/// before polls may find it, and the slot is given up before the limit is compared.
template <class P, class Called, class F, class G, class Form>
[[gnu::always_inline]] inline auto fork_two(Form form, F&& f, G&& g) {
  using forked = fork<P, Form, G>;
  using first = typename Form::template value<std::remove_reference_t<F>>;
  using results = std::pair<first, typename forked::value>;  // g++ inlines more around it than around a tuple
  if constexpr (strands::profiles<P> && !is_branch<P, std::remove_reference_t<F>>) {
    if (strands::session<P>::on()) return fork_two_measured<P, Called>(form, f, g);
  }
  auto* const s = form.place();
  if (!Form::has_room(s)) [[unlikely]] {
    if constexpr (insider<P>::has_default && std::is_same_v<Form, plain_form<P>>)
      return fork_two_without_place<P, Called, results, carried<F>, carried<G>>(std::forward<F>(f), std::forward<G>(g));
    else if constexpr (cold_ways_return) return call_as_if_it_returned<results, throw_no_place<P, results, Called>>();
    else throw_no_place<P, void, Called>();
  }
  auto&& written = forked::write(s, g);
  Form::forked(s);
  first a = forked::call_first(f, s);
  if (deque::fork_stack<P>::word(s) < Form::give_up(s)) [[unlikely]] {
    if constexpr (std::is_same_v<Form, plain_form<P>>)
      return results(std::forward<first>(a), forked::join_asked_at_top());
    else return results(std::forward<first>(a), forked::join_below_limit(s));
  }
  auto&& then = forked::second(s, written);
  return results(std::forward<first>(a), Form::call(then, s));
}

template <class P, class Called = called_fork_join, class Form, class F, class... Rest>
auto fork_all(Form form, F&& f, Rest&&... rest);

// The last callable is forked first, so it is given away first; the others are one fork_all beneath. So n callables
// make n - 1 forks, one inside the other, and the first is called innermost. The results of the others come as one
// tuple, to which the last is added.
template <class P, class Called, class Form, class Callables, std::size_t... Before>
auto fork_last_of(Form form, Callables callables, std::index_sequence<Before...>) {
  using last = std::tuple_element_t<sizeof...(Before), Callables>;
  using last_value = typename Form::template value<std::remove_reference_t<last>>;
  const auto others = [&](auto beneath) { return fork_all<P>(beneath, std::get<Before>(std::move(callables))...); };
  auto both = fork_two<P, Called>(form, Form::with_form(others), std::get<sizeof...(Before)>(std::move(callables)));
  return std::tuple_cat(std::get<0>(std::move(both)), std::tuple<last_value>(std::get<1>(std::move(both))));
}

/// The same for one callable or more.
template <class P, class Called, class Form, class F, class... Rest>
[[gnu::always_inline]] inline auto fork_all(Form form, F&& f, Rest&&... rest) {
  if constexpr (sizeof...(Rest) == 0) {
    return std::tuple<typename Form::template value<std::remove_reference_t<F>>>(Form::call(f, form.place()));
  } else if constexpr (sizeof...(Rest) == 1) {
    return fork_two<P, Called>(form, std::forward<F>(f), std::forward<Rest>(rest)...);
  } else {
    return fork_last_of<P, Called>(form, std::forward_as_tuple(std::forward<F>(f), std::forward<Rest>(rest)...),
                                   std::make_index_sequence<sizeof...(Rest)>());
  }
}

/// The same for `count` callables that lie in a row, by halves: log2(count) forks deep, so a thief gets half of them.
/// each(i, f, form) calls the i-th and keeps the result, for several i at once.
template <class P, class Form, class F, class Each>
void fork_row(Form form, F* row, std::size_t first, std::size_t count, const Each& each) {
  if (count == 1) return each(first, row[first], form);
  const std::size_t half = count / 2;
  const auto left = [&](auto beneath) { fork_row<P>(beneath, row, first, half, each); };
  const auto right = [&](auto beneath) { fork_row<P>(beneath, row, first + half, count - half, each); };
  fork_two<P>(form, Form::with_form(left), Form::with_form(right));
}

/// Forks the N callables at `row`, and gives their results, if any, as an array.
template <class P, std::size_t N, class Form, class F>
auto fork_array(Form form, F* row) {
  using value = typename Form::template value<F>;
  static_assert(!std::is_reference_v<value>, "leat::fork_join: callables in an array must not return references");
  if constexpr (Form::template gives_nothing<F>) {
    fork_row<P>(form, row, 0, N, [](std::size_t, F& f, Form here) { Form::call(f, here.place()); });
  } else {
    // Optional, as results come in any order. All are there unless an exception passes by.
    std::array<std::optional<value>, N> made;
    fork_row<P>(form, row, 0, N, [&](std::size_t i, F& f, Form here) { made[i].emplace(Form::call(f, here.place())); });
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::array<value, N>{std::move(*made[I])...};
    }(std::make_index_sequence<N>());
  }
}

/// See leat::fork_join.
template <class P, class Called = called_fork_join, class Form, class... F>
[[gnu::always_inline]] inline auto fork_join_in(Form form, F&&... f) {
  if constexpr ((Form::template gives_nothing<std::remove_reference_t<F>> && ...)) {
    fork_all<P, Called>(form, std::forward<F>(f)...);
  } else {
    return fork_all<P, Called>(form, std::forward<F>(f)...);
  }
}

/// Whether a callable of this type is for the context form alone.
template <class P, class F>
inline constexpr bool needs_context = !std::is_invocable_v<F> && std::is_invocable_v<F, context<P>>;

/// See leat::with_context. The entry remembers where the worker's pending context forks end, which takes a search; it
/// comes down when f returns or throws.
/// \param what  the public function, for the message
template <class P, class F>
decltype(auto) with_context(F&& f, const char* what = "with_context") {
  const insider<P> in(what);
  const scheduler::context_entry<P> entry(in.me());
  return f(context<P>(entry.place()));
}

/// fork_join, called by this name or another. One callable that needs a context makes it the context form for all.
template <class P, class Called, class... F>
[[gnu::always_inline]] inline auto fork_join_as(F&&... f) {
  if constexpr ((needs_context<P, F&> || ...)) {
    return with_context<P>([&](context<P> c) { return fork_join_in<P>(context_form<P>(c), std::forward<F>(f)...); },
                           Called::name);
  } else {
    return fork_join_in<P, Called>(plain_form<P>(), std::forward<F>(f)...);
  }
}

template <class P, class... F>
[[gnu::always_inline]] inline auto fork_join(F&&... f) {
  return fork_join_as<P, called_fork_join>(std::forward<F>(f)...);
}

// P is not to be deduced from c: in a program that is `using namespace leat` this must not compete with leat::fork_join.
template <class P, context_of<P> C, class... F>
[[gnu::always_inline]] inline auto fork_join(C c, F&&... f) {
  return fork_join_in<P>(context_form(c), std::forward<F>(f)...);
}

/// The same for the N callables at `row`.
template <class P, std::size_t N, class F>
auto fork_join_row(F* row) {
  if constexpr (needs_context<P, F&>) {
    return with_context<P>([row](context<P> c) { return fork_array<P, N>(context_form<P>(c), row); },
                           called_fork_join::name);
  } else {
    return fork_array<P, N>(plain_form<P>(), row);
  }
}

template <class P, std::size_t N, class F>
auto fork_join_row(context<P> c, F* row) {
  return fork_array<P, N>(context_form<P>(c), row);
}

}  // namespace leat::inline LEAT_ABI::task
