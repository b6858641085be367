// Loops whose iterations make nothing but what their bodies write. All forms of parallel_for and parallel_transform
// come down to each(): a space of indices, and a visitor that is called for blocks of it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "leat/loop/range.hpp"
#include "leat/loop/space.hpp"
#include "leat/loop/splittable.hpp"
#include "leat/task/invoke.hpp"

namespace leat::inline LEAT_ABI::loop {

/// Whether an F is better called as a copy in the frame of the loop itself: the compiler knows that no write of the
/// loop changes it, so what it refers to may stay in registers. Only where a copy is as good: it is trivially
/// copyable, and a const call cannot change it. At most 64 bytes, a cache line.
template <class F, class... Args>
inline constexpr bool copied = [] {
  if constexpr (!std::is_object_v<F>) return false;  // a function
  else
    return std::is_trivially_copyable_v<F> && std::is_copy_constructible_v<F> && std::invocable<const F&, Args...> &&
           sizeof(F) <= 8 * sizeof(void*);
}();

/// A callable, or a copy of it. A reference otherwise: the callable lies in the frame of the loop's caller, which
/// outlives all parts of the loop.
template <class F, class... Args>
struct local {
  std::conditional_t<copied<F, Args...>, const F, F&> call;
};

/// A callable that can be called as f(x): f itself, unless it points to a member.
template <class F>
[[gnu::always_inline]] inline constexpr decltype(auto) as_function(F& f) noexcept {
  if constexpr (std::is_member_pointer_v<std::remove_cv_t<F>>) {
    return
        [&f]<class... Args>(Args&&... args) -> decltype(auto) { return task::invoke(f, std::forward<Args>(args)...); };
  } else {
    return (f);
  }
}

/// A part (splittable.hpp) that makes no value: visit(block) for the blocks of its space, in order. The visitor lies
/// in the frame of the loop's caller, which waits for all parts.
template <class Space, class Visit>
class each_part {
 public:
  each_part(Space left, const Visit& visit) : left_(std::move(left)), visit_(&visit) {}

  std::uint64_t size() const noexcept { return left_.size(); }
  each_part cut(std::uint64_t n) { return each_part(left_.cut(n), *visit_); }
  void go_on(each_part&& upper) noexcept { left_ = std::move(upper.left_); }
  // Nothing to take over: the upper part's bodies have written what they made, and the join publishes it.
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

/// visit(block) for blocks that make up `space`, by all workers that ask for parts. Several workers call it at once.
/// \param what  the public function, for messages
/// \throws as run (splittable.hpp)
template <class P, class Space, class Visit>
void each(Space space, const Visit& visit, const options<P>& o, const char* what) {
  each_part<Space, Visit> all(std::move(space), visit);
  run<P>(all, o, what);
}

// -- what a body may be called with

template <class F, class Index>
inline constexpr bool takes_index = std::invocable<F&, Index>;
template <class F, class Index>
inline constexpr bool takes_block = std::invocable<F&, block<Index>>;
template <class F, std::size_t N>
inline constexpr bool takes_box = std::invocable<F&, box<N>>;

/// Whether F takes N indices. The pack I has N values, of which none is needed: each stands for one std::ptrdiff_t.
template <class F, std::size_t N>
inline constexpr bool takes_indices = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::invocable<F&, decltype(static_cast<void>(I), std::ptrdiff_t())...>;
}(std::make_index_sequence<N>());

// Not by ||, which would look whether a generic body could be called with a block even where it takes an index.
template <class F, class Index>
inline constexpr bool takes_index_or_block = [] {
  if constexpr (takes_index<F, Index>) return true;
  else return takes_block<F, Index>;
}();
template <class F, std::size_t N>
inline constexpr bool takes_indices_or_box = [] {
  if constexpr (takes_indices<F, N>) return true;
  else return takes_box<F, N>;
}();

/// f(i) for the indices of a block. The end is a local, and so is a `body` that is `copied`: a write of the body through a
/// pointer cannot change them, so the compiler sees a counted loop, which it can vectorise.
template <class Index, class F>
[[gnu::always_inline]] inline void for_each_index(const block<Index>& b, F& f) {
  const local<F, Index> body{f};
  for (Index i = b.first(), end = b.last(); i != end; ++i) body.call(i);
}

/// f(i, j) or f(i, j, k) for the indices of a box, the last one running fastest. Only the innermost end is a local:
/// the outer ones are read once a row.
template <class F>
[[gnu::always_inline]] inline void for_each_index(const box<2>& b, F& f) {
  const local<F, std::ptrdiff_t, std::ptrdiff_t> body{f};
  for (std::ptrdiff_t i = b.rows().first(); i != b.rows().last(); ++i) {
    for (std::ptrdiff_t j = b.cols().first(), end = b.cols().last(); j != end; ++j) body.call(i, j);
  }
}

template <class F>
[[gnu::always_inline]] inline void for_each_index(const box<3>& b, F& f) {
  const local<F, std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t> body{f};
  for (std::ptrdiff_t i = b.pages().first(); i != b.pages().last(); ++i) {
    for (std::ptrdiff_t j = b.rows().first(); j != b.rows().last(); ++j) {
      for (std::ptrdiff_t k = b.cols().first(), end = b.cols().last(); k != end; ++k) body.call(i, j, k);
    }
  }
}

/// The block between two limits of maybe different types. Its indices have the type that both have in common.
/// \throws std::out_of_range if `first` is negative and the common type has no sign
template <class First, class Last>
auto between(First first, Last last, const char* what) {
  using index = std::common_type_t<First, Last>;
  // By value, not in the common type: from -1 to 0u is one index in numbers, and none after a conversion. The +
  // promotes the character types, which std::cmp_greater_equal refuses.
  if (std::cmp_greater_equal(+first, +last)) return block<index>(index{}, index{});
  if constexpr (std::is_signed_v<First> && !std::is_signed_v<index>) {
    if (first < 0) throw_negative(what, first);
  }
  return block<index>(static_cast<index>(first), static_cast<index>(last));
}

/// See leat::parallel_for.
template <class P, class Index, class Body>
void for_block(const block<Index>& all, Body& body, const options<P>& o) {
  const auto visit = [&body](const block<Index>& b) {
    // A body that takes both is called by index. So a generic lambda is never called with a block by surprise.
    if constexpr (takes_index<Body, Index>) for_each_index(b, body);
    else as_function(body)(b);
  };
  each<P>(line<Index>(all), visit, o, "parallel_for");
}

template <class P, std::size_t N, class Body>
void for_box(const box<N>& all, Body& body, const options<P>& o) {
  const auto visit = [&body](const box<N>& b) {
    if constexpr (takes_indices<Body, N>) for_each_index(b, body);
    else as_function(body)(b);
  };
  each<P>(grid<N>(all), visit, o, "parallel_for");
}

/// f(n) for n from 0 on and before `count`; none if that is not above 0.
template <class P, class F>
void for_count(std::ptrdiff_t count, const F& f, const options<P>& o, const char* what) {
  const block<std::ptrdiff_t> all(0, count);
  const auto visit = [&f](const auto& b) { for_each_index(b, f); };
  each<P>(line<std::ptrdiff_t>(all), visit, o, what);
}

/// The first of the elements of a row, by its address where they are contiguous; null if there is none, as the end of
/// a row must not be dereferenced.
template <std::random_access_iterator It>
auto begin_of_row(It first, bool any) {
  if constexpr (std::contiguous_iterator<It>) return any ? address_at(first) : nullptr;
  else return first;
}

/// See leat::parallel_for.
template <class P, std::random_access_iterator It, class F>
void for_elements(It first, It last, F& f, const options<P>& o, const char* what) {
  const std::ptrdiff_t count = count_of(first, last, what);
  const auto on_element = [in = begin_of_row(first, count > 0), body = local<F, std::iter_reference_t<It>>{f}](auto i) {
    as_function(body.call)(in[i]);
  };
  for_count<P>(count, on_element, o, what);
}

/// Refuses an output that several workers cannot write. Returns whether it is all right: if not, the loop is not
/// compiled, so that its message stands alone.
template <class Out>
constexpr bool check_written() {
  constexpr bool apart = !std::same_as<std::iter_reference_t<Out>, std::vector<bool>::reference>;
  static_assert(apart, "leat: elements of a std::vector<bool> share bytes, so workers cannot write them at once");
  return apart;
}

/// See leat::parallel_transform.
template <class P, std::random_access_iterator Out, class F, std::random_access_iterator... In>
Out transform(std::ptrdiff_t count, Out out, F& f, const options<P>& o, In... first) {
  const auto on_elements = [to = begin_of_row(out, count > 0), body = local<F, std::iter_reference_t<In>...>{f},
                            ... in = begin_of_row(first, count > 0)](auto i) {
    to[i] = as_function(body.call)(in[i]...);
  };
  for_count<P>(count, on_elements, o, "parallel_transform");
  return out + static_cast<std::iter_difference_t<Out>>(std::max<std::ptrdiff_t>(count, 0));
}

}  // namespace leat::inline LEAT_ABI::loop
