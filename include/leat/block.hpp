// What loops run over beside plain limits, and what a body may get instead of one index.
#pragma once

#include <cstddef>

#include "leat/loop/block.hpp"

namespace leat::inline LEAT_ABI {

/// A rectangle of indices: `rows()` and `cols()` are blocks, an index is a std::ptrdiff_t. Made from two numbers, or
/// from two `leat::block<std::ptrdiff_t>`: `leat::range2d(rows, cols)`. Throws std::length_error where a number is more
/// than std::ptrdiff_t counts, or all sides together make more indices than std::uint64_t counts.
using block2d = box<2>;

/// The same with `pages()`.
using block3d = box<3>;

/// What leat::parallel_for runs over.
using range2d = block2d;
using range3d = block3d;

}  // namespace leat::inline LEAT_ABI
