// The native platform, on which a program's work and span are measured (docs/internals/spans.md).
#pragma once

#include <cstdint>

#include "leat/platform/concept.hpp"
#include "leat/platform/native.hpp"
#include "leat/platform/shared.hpp"

namespace leat::inline LEAT_ABI::platform {

/// Each operation is the native one. What is measured is not below, but in the constructs that programs call: they ask whether
/// their platform `profiles`.
struct LEAT_SHARED profiled : native {
  static constexpr bool profiles = true;

  /// The clock that strands are timed by. A test puts one of its own here, while no thread is in a strand.
  using clock = std::uint64_t (*)() noexcept;
  static inline constinit clock strand_clock = &native::now_ns;

  static std::uint64_t strand_ns() noexcept { return strand_clock(); }
};

static_assert(platform<profiled> && carries_contexts<profiled>);

}  // namespace leat::inline LEAT_ABI::platform
