// What a simulated machine looks like, and what its operations cost.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "leat/platform/work_kind.hpp"

namespace leat::inline LEAT_ABI::platform {

/// Times are nanoseconds. The defaults are those of a two-core virtual machine on an Intel Xeon.
struct machine {
  /// A level of the machine tree. `line_ns`: what a cache line takes from one child of it to another.
  struct level {
    std::string name;
    std::uint32_t children;
    double line_ns;
  };

  std::string name = "flat";
  /// Outermost first; the leaves are processing units. None: as many as are asked for, all equally far apart.
  std::vector<level> levels;
  double line_ns = 57;  ///< from one unit to another, if there are no levels
  bool tracks_lines = true;  ///< or else a load, a store and a read-modify-write all cost `load_ns`

  double load_ns = 0.3;  ///< of a line that is at hand
  double store_ns = 0.3;
  double rmw_ns = 4.3;
  double fence_ns = 4.3;
  double step_ns = 0;  ///< the instructions between an access to an atomic word and the next step
  double relax_ns = 20;
  double yield_ns = 250;
  double clock_ns = 20;           ///< reading it
  double wait_ns = 1'500;         ///< falling asleep
  double wake_call_ns = 7'000;    ///< waking a thread: for the caller
  double wake_ns = 22'000;        ///< and from that call until the sleeper goes on
  double signal_call_ns = 1'000;  ///< interrupting a thread: for the caller
  double signal_ns = 2'500;       ///< until the handler runs, and back from it
  double signal_lock_ns = 0;      ///< one thread of the process at a time: to send, to begin a handler, to leave it
  double thread_ns = 25'000;      ///< until a thread that was started runs
  double work_slowdown = 1;       ///< of work, whose times are those of the two-core virtual machine
  double smt_slowdown = 1;  ///< of work and instructions, on units of which a sibling on the innermost level computes
  /// The same for work of one kind beside work of another: by the kind that is slowed down, then that of the sibling. 0: as
  /// smt_slowdown says.
  std::array<std::array<double, work_kinds>, work_kinds> smt_pairs{};
  double memory_gb_s = 0;  ///< the bandwidth that all threads share, in bytes each nanosecond; 0: without limit

  /// One on which every step takes 1 ns, and no more: for schedules that are not by time.
  static machine even() noexcept;

  /// From a file in JSON (docs/guide/simulation.md). Throws std::invalid_argument, naming the file and what is wrong with it.
  static machine read(const std::string& path);

  /// Units, or 0 if there are as many as are asked for.
  std::uint32_t units() const noexcept;

  /// By what factor work of the kind `mine` is slower beside work of the kind `sibling` on the same core.
  double slowdown_beside(work_kind mine, work_kind sibling) const noexcept {
    const double named = smt_pairs[static_cast<std::size_t>(mine)][static_cast<std::size_t>(sibling)];
    return named != 0 ? named : smt_slowdown;
  }

  /// Whether siblings can slow each other down.
  bool has_slow_siblings() const noexcept {
    if (smt_slowdown != 1) return true;
    for (const auto& row : smt_pairs)
      for (const double factor : row)
        if (factor > 1) return true;
    return false;
  }

  /// What a line takes from unit `a` to unit `b`. O(number of levels).
  double line_between(std::uint32_t a, std::uint32_t b) const noexcept;
};

}  // namespace leat::inline LEAT_ABI::platform
