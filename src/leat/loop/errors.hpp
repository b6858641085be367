// What loops throw where they are misused: in the library, so that programs need not compile the messages.
#pragma once

#include <cstddef>
#include <cstdint>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::loop {

/// std::invalid_argument, of the public function `what`: for the option that makes no sense.
[[noreturn, gnu::cold]] void throw_bad_options(const char* what, std::uint64_t chunk_min, unsigned split);

/// std::out_of_range: a loop over indices without a sign begins at `first`.
[[noreturn, gnu::cold]] void throw_negative(const char* what, std::int64_t first);

/// std::length_error: std::ptrdiff_t does not count the elements.
[[noreturn, gnu::cold]] void throw_too_many_elements(const char* what);

/// std::length_error: std::ptrdiff_t does not count the indices of a side of a box with so many dimensions.
[[noreturn, gnu::cold]] void throw_long_side(std::size_t dimensions, std::uint64_t size);

/// std::length_error: 64 bits do not count the indices of a box with sides of these sizes.
[[noreturn, gnu::cold]] void throw_large_box(std::size_t dimensions, const std::uint64_t* sizes);

}  // namespace leat::inline LEAT_ABI::loop
