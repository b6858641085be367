// The same loops by OpenMP, whose schedules are what others are held against.

#pragma once

#include "kernels/loop.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace leat::kernels::loop {

/// OpenMP's schedules.
enum class schedule : std::uint8_t {
  fixed,    ///< "static": who executes what is known before
  dynamic,  ///< threads take one chunk after the other
  guided,   ///< the same, with chunks that shrink
};

inline constexpr std::array schedules = {schedule::fixed, schedule::dynamic, schedule::guided};

[[nodiscard]] std::string_view name(schedule) noexcept;

/// Whether this was built with OpenMP.
[[nodiscard]] bool openmp_available() noexcept;

/// Runs the loop on so many threads and returns the seconds that it took. `chunk`: iterations, 1 or more, or 0, for the
/// fixed schedule alone: one part for each thread. The threads are awake before, and gone afterwards: between its loops
/// OpenMP lets them spin, and others would have to share the CPUs with them.
/// Throws std::logic_error where OpenMP is not available.
[[nodiscard]] double openmp(workload&, std::uint32_t threads, schedule, std::int64_t chunk);

}  // namespace leat::kernels::loop
