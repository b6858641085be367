// One pass over all elements of a sort, in blocks, by all workers that are free.
#pragma once

#include <cstddef>

#include "leat/task/fork_join.hpp"

namespace leat::inline LEAT_ABI::loop {

/// Elements that one worker visits without a poll: some microseconds of work, many times a fork's cost.
inline constexpr std::ptrdiff_t block_length = 2048;

/// Calls f(begin, end) for all of [begin, end) in blocks, in parallel; without thieves in order. f is called by
/// several workers at once, and must be good until the end, as it is not copied.
/// \throws what the earliest call of f threw, of those that threw at once
template <class P, class F>
void for_blocks(task::context<P> c, std::ptrdiff_t begin, std::ptrdiff_t end, const F& f) {
  if (end - begin <= block_length) return f(begin, end);
  const std::ptrdiff_t middle = begin + (end - begin) / 2;
  task::fork_join<P>(
      c, [=, &f](task::context<P> inner) { for_blocks<P>(inner, begin, middle, f); },
      [=, &f](task::context<P> inner) { for_blocks<P>(inner, middle, end, f); });
}

}  // namespace leat::inline LEAT_ABI::loop
