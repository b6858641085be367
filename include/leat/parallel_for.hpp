// Parallel loops over indices and over elements.
#pragma once

#include <concepts>
#include <iterator>
#include <ranges>
#include <type_traits>

#include "leat/loop/each.hpp"
#include "leat/loop_options.hpp"

namespace leat {

/// body(i) for every i from `first` on and before `last`.
template <loop_index First, loop_index Last, class Body>
void parallel_for(First first, Last last, Body&& body, const loop_options& options = {}) {
  loop::for_indices<platform::native>(first, last, body, options);
}

}  // namespace leat
