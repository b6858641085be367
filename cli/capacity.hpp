// What the machine has to give: how much faster several threads are than one, when each does all the work by itself.

#pragma once

#include "measurement.hpp"

#include <functional>
#include <string_view>

namespace leat::cli {

/// The name of a reference whose time is what `threads` serial programs take that run at once, divided by their number.
/// Serial time over this one is the machine's capacity: the speed-up that so many threads can be expected to have. On a
/// machine that others use, too, it is less than `threads`.
inline constexpr std::string_view capacity_name = "capacity";

/// `serial` runs the serial program once and returns the seconds that it took; it is called with 0 to threads - 1, by as
/// many threads at once. The reference throws what it throws, and std::system_error where there are no more threads.
[[nodiscard]] reference capacity(unsigned threads, std::function<double(unsigned)> serial);

}  // namespace leat::cli
