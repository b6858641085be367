// What a loop may be given to run over. All else is refused by name: a call that no overload takes makes a compiler list all of
// them.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>

#include "leat/loop/block.hpp"
#include "leat/loop/range.hpp"

namespace leat::inline LEAT_ABI::loop {

template <class A>
concept is_box = requires(const std::remove_reference_t<A>& a) { []<std::size_t N>(const box<N>&) {}(a); };

/// The first two arguments of a loop: limits of indices, or the ends of a row.
template <class A, class B>
concept limits = loop_index<std::decay_t<A>> && loop_index<std::decay_t<B>>;
template <class A, class B>
concept ends_of_row = std::random_access_iterator<std::decay_t<A>> && std::same_as<std::decay_t<A>, std::decay_t<B>>;

/// What parallel_for_each, and what parallel_for takes. B is the argument after A.
template <class A, class B>
concept row = random_access_range<A> || ends_of_row<A, B>;
template <class A, class B>
concept runnable = limits<A, B> || is_box<A> || row<A, B>;

/// Elements, or an iterator of such, that cannot be reached by their number. A loop is cut in the middle, which must
/// not take a walk to there.
template <class A>
concept without_random_access =
    (range<A> && !random_access_range<A>) ||
    (std::input_or_output_iterator<std::decay_t<A>> && !std::random_access_iterator<std::decay_t<A>>);

}  // namespace leat::inline LEAT_ABI::loop
