// What loops run over beside plain limits, and what a body may get instead of one index.
#pragma once

#include <cstddef>

#include "leat/loop/block.hpp"

namespace leat::inline LEAT_ABI {

/// A rectangle of indices, which are of type std::ptrdiff_t. `rows()` and `cols()` are its sides, each a leat::block.
/// It is made from two numbers, or from two `leat::block<std::ptrdiff_t>`: `leat::range2d(rows, cols)`. A value:
/// several threads may read one.
/// \throws std::length_error if a number is more than std::ptrdiff_t counts, or if there are more indices than
///         std::uint64_t counts
using block2d = box<2>;

/// A box of indices: a rectangle for each of its `pages()`.
using block3d = box<3>;

/// The names of these for what leat::parallel_for runs over.
using range2d = block2d;
using range3d = block3d;

}  // namespace leat::inline LEAT_ABI
