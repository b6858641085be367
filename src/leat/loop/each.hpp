// Loops whose iterations make nothing but what their bodies write.
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

namespace leat::loop {

/// Whether an F is better called as a copy, in the frame of the loop itself, of which the compiler knows that nothing
/// that the loop writes changes it. Only where a copy is as good.
template <class F, class... Args>
inline constexpr bool copied = [] {
  if constexpr (!std::is_object_v<F>) return false;  // a function
  else
    return std::is_trivially_copyable_v<F> && std::is_copy_constructible_v<F> && std::invocable<const F&, Args...> &&
           sizeof(F) <= 8 * sizeof(void*);
}();

/// A callable, or a copy of it.
template <class F, class... Args>
struct local {
  std::conditional_t<copied<F, Args...>, const F, F&> call;
};

/// What is called as f(x): f itself, unless it points to a member.
template <class F>
[[gnu::always_inline]] inline constexpr decltype(auto) as_function(F& f) noexcept {
  if constexpr (std::is_member_pointer_v<std::remove_cv_t<F>>) {
    return
        [&f]<class... Args>(Args&&... args) -> decltype(auto) { return task::invoke(f, std::forward<Args>(args)...); };
  } else {
    return (f);
  }
}

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
inline constexpr bool takes_block = std::invocable<F&, block<Index>>;
template <class F, std::size_t N>
inline constexpr bool takes_box = std::invocable<F&, box<N>>;

/// Whether F takes N indices.
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

/// f(i) for the indices of a block.
template <class Index, class F>
[[gnu::always_inline]] inline void for_each_index(const block<Index>& b, F& f) {
  const local<F, Index> body{f};
  for (Index i = b.first(), end = b.last(); i != end; ++i) body.call(i);
}

/// f(i, j) or f(i, j, k) for the indices of a box, the last one running fastest.
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

/// The block between two limits of maybe different types. Throws std::out_of_range if the first one is negative and the
/// type of both together is not.
template <class First, class Last>
auto between(First first, Last last, const char* what) {
  using index = std::common_type_t<First, Last>;
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

/// f(n) for n from 0 on and before `count`.
template <class P, class F>
void for_count(std::ptrdiff_t count, const F& f, const options<P>& o, const char* what) {
  const block<std::ptrdiff_t> all(0, count);
  const auto visit = [&f](const auto& b) { for_each_index(b, f); };
  each<P>(line<std::ptrdiff_t>(all), visit, o, what);
}

/// The first of the elements of a row, if there are any: by its address where they are contiguous.
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

/// Refuses what several workers cannot write. Whether it is all right: then nothing else is compiled, and complained of.
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

}  // namespace leat::loop
