// Loops whose iterations make nothing but what their bodies write.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "leat/loop/space.hpp"
#include "leat/loop/splittable.hpp"

namespace leat::loop {

/// A body that is better called as a copy: one in the frame of the loop itself, of which the compiler knows that nothing
/// that the loop writes changes it. Only where a copy is as good.
template <class F>
inline constexpr bool copied = std::is_trivially_copyable_v<F> && std::is_copy_constructible_v<F> &&
                               std::is_object_v<F> && sizeof(F) <= 8 * sizeof(void*);

/// `f`, or a copy of it.
template <class F>
using local = std::conditional_t<copied<std::remove_const_t<F>> && std::is_const_v<F>, const F, F&>;

/// A part of a loop: visit(block) for the blocks of its space, in order.
template <class Space, class Visit>
class each_part {
 public:
  each_part(Space left, const Visit& visit) : left_(std::move(left)), visit_(&visit) {}

  std::uint64_t size() const noexcept { return left_.size(); }
  each_part cut(std::uint64_t n) { return each_part(left_.cut(n), *visit_); }
  void go_on(each_part&& upper) noexcept { left_ = std::move(upper.left_); }
  void absorb(each_part&&) noexcept {}

  std::uint64_t step(std::uint64_t n) {
    const auto next = left_.take(n);
    (*visit_)(next);
    return next.size();
  }

 private:
  Space left_;
  const Visit* visit_;
};

/// visit(block) for blocks that make up `space`.
template <class P, class Space, class Visit>
void each(Space space, const Visit& visit, const options<P>& o, const char* what) {
  each_part<Space, Visit> all(std::move(space), visit);
  run<P>(all, o, what);
}

// -- what a body may be called with

template <class F, class Index>
inline constexpr bool takes_index = std::invocable<F&, Index>;
template <class F, class Index>
inline constexpr bool takes_block = !takes_index<F, Index> && std::invocable<F&, block<Index>>;

/// body(i) for the indices of a block, or body(block).
template <class Index, class Body>
[[gnu::always_inline]] inline void visit_indices(const block<Index>& b, Body& body) {
  if constexpr (takes_index<Body, Index>) {
    local<Body> call = body;
    for (Index i = b.first(), end = b.last(); i != end; ++i) call(i);
  } else {
    body(b);
  }
}

/// The block between two limits of maybe different types. Throws std::out_of_range if the first one is negative and the
/// type of both together is not.
template <class First, class Last>
auto between(First first, Last last, const char* what) {
  using index = std::common_type_t<First, Last>;
  if (std::cmp_greater_equal(first, last)) return block<index>(index{}, index{});
  if (!std::in_range<index>(first)) {
    throw std::out_of_range(std::string("leat::") + what + ": the loop begins at " + std::to_string(first) +
                            " and counts in a type without sign");
  }
  return block<index>(static_cast<index>(first), static_cast<index>(last));
}

/// See leat::parallel_for.
template <class P, class First, class Last, class Body>
void for_indices(First first, Last last, Body& body, const options<P>& o) {
  using index = std::common_type_t<First, Last>;
  const auto visit = [&body](const block<index>& b) { visit_indices(b, body); };
  each<P>(line<index>(between(first, last, "parallel_for")), visit, o, "parallel_for");
}

/// f(n) for n from 0 on and before `count`, which is the difference of two iterators.
template <class P, class Count, class F>
void for_count(Count count, const F& f, const options<P>& o, const char* what) {
  const auto visit = [&f](const block<Count>& b) {
    const F call = f;
    for (Count i = b.first(), end = b.last(); i != end; ++i) call(i);
  };
  each<P>(line<Count>(block<Count>(0, count)), visit, o, what);
}

}  // namespace leat::loop
