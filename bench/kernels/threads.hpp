// Threads of three kinds: leat's, leat's in a bubble of their own, and the system's (NPTL). What it costs to make one
// and wait for its end, and to go from one to another.

#pragma once

#include <leat/runtime.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace leat::kernels::threads {

enum class kind : std::uint8_t {
  thread,  ///< leat::thread
  bubble,  ///< the same, in a leat::bubble
  nptl,  ///< std::thread
};

enum class operation : std::uint8_t {
  yield_alone,  ///< a yield where nobody else wants the CPU
  switching,  ///< from one thread to another and no further: two on one CPU, in the same function, which yield
  switching_apart,  ///< the same, but in different functions: processors foretell where a call returns to from its caller
  create_and_join,  ///< one thread, and, where it is of that kind, the bubble that holds nothing else
};

inline constexpr std::array kinds = {kind::thread, kind::bubble, kind::nptl};
inline constexpr std::array operations = {operation::yield_alone, operation::switching, operation::switching_apart,
                                          operation::create_and_join};

[[nodiscard]] std::string_view name(kind) noexcept;
[[nodiscard]] std::string_view name(operation) noexcept;

/// Whether this was built with leat::threads.
[[nodiscard]] bool available() noexcept;

/// What `count` operations took and did.
struct outcome {
  double ns = 0;  ///< of each, in the mean
  double cycles = 0;  ///< of each, of the time-stamp counter; 0 where the processor has none
  std::uint64_t done = 0;  ///< operations that are known to have been done; for the switches, `count` or more
};

/// Does so many operations, leat's in a run of `rt` on the lists of that machine (see leat::run_threads_options).
/// Throws what these throw, std::system_error where the system gives no thread, std::logic_error unless available().
[[nodiscard]] outcome run(runtime& rt, const std::string& machine, kind, operation, std::uint64_t count);

}  // namespace leat::kernels::threads
