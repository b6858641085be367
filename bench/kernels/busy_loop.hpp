// Work that takes a given time and does nothing else.

#pragma once

#include <leat/platform/chosen.hpp>
#include <leat/platform/native.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace leat::kernels {

/// A busy loop of so many microseconds, as the tasks of SPC, BPC and Treerec run.
///
/// It counts steps and does not look at a clock: work that watches the clock would be done for free while its thread is
/// preempted, and programs would seem to speed up where they do not. The tasks of Prell's thesis watch the clock, and
/// so does a loop that is made with `by_clock`: for machines, and worlds, with a CPU for each thread.
///
/// Thread safety: calls may overlap.
class busy_loop {
 public:
  /// `us`: microseconds that a call takes on this CPU when nothing disturbs it; 0: a call does nothing.
  /// The first object with more than 0 measures the CPU, which takes some 20 ms.
  explicit busy_loop(std::int64_t us, bool by_clock = false)
      : steps_(us == 0    ? 0
               : by_clock ? ns_of(us)
                          : steps_of(us)),
        us_(us),
        by_clock_(by_clock) {}

  void operator()() const noexcept {
    if (steps_ == 0) [[likely]]
      return;  // falls through: what a call that does nothing costs is measured, too
    if (by_clock_) wait(steps_);
    else run(steps_);
  }

  /// The same, with a call of poll() after each `every_us` microseconds. By the clock, poll() is called at the start of each
  /// interval, and its time is part of the task's.
  template <class Poll>
  void with_polls(std::int64_t every_us, Poll poll) const {
    if (!by_clock_) {
      for (std::int64_t left = us_; left > 0; left -= every_us) {
        run(steps_ / static_cast<std::uint64_t>(us_) * static_cast<std::uint64_t>(std::min(left, every_us)));
        poll();
      }
      return;
    }
    wait_with_polls(steps_, every_us, poll);
  }

  /// Returns when the clock says that so many nanoseconds are over. It calls poll() at the start of each interval of `every_us`
  /// microseconds.
  template <class Poll>
  static void wait_with_polls(std::uint64_t ns, std::int64_t every_us, Poll poll) {
    const std::uint64_t end = platform::chosen::now_ns() + ns;
    for (std::uint64_t begun = end - ns; begun < end; begun = platform::chosen::now_ns()) {
      poll();
      const std::uint64_t until = std::min(begun + ns_of(every_us), end);
      if (const std::uint64_t now = platform::chosen::now_ns(); now < until) wait(until - now);
    }
  }

  /// Takes the measurement now, so that no later construction does.
  static void calibrate();

  /// How many steps take so many microseconds, where a step takes so many nanoseconds.
  [[nodiscard]] static std::uint64_t steps_of(std::int64_t us, double of_ns);

  /// The same, where a step takes ns_per_step().
  [[nodiscard]] static std::uint64_t steps_of(std::int64_t us) { return steps_of(us, ns_per_step()); }

  /// How long a step takes on this CPU when nothing disturbs it. The first call measures that.
  [[nodiscard]] static double ns_per_step();

  /// Returns when the clock says that so many nanoseconds are over.
  static void wait(std::uint64_t ns) noexcept { platform::chosen::spin_ns(ns); }

  /// So many steps. Each waits for the product of the one before, the first one for that of the thread's last call: a
  /// chain that leaves the CPU's units to whoever shares its core, and that takes as long whether or not the CPU guesses
  /// where a call ends. Were each call a chain of its own, short ones would overlap as far as it does, and a thread that
  /// had not yet run them would take up to a quarter longer.
  static void run(std::uint64_t steps) noexcept {
    if constexpr (is_simulated) return platform::chosen::work_ns(simulated_step_ns * static_cast<double>(steps));
    std::uint64_t product = last_product;
    for (std::uint64_t left = steps; left != 0; --left) {
      product *= factor;
      asm volatile("" : "+r"(product));  // kept, whatever the compiler knows about powers
    }
    last_product = product;
  }

 private:
  static constexpr bool is_simulated = !std::is_base_of_v<platform::native, platform::chosen>;
  static constexpr double simulated_step_ns = 1;

  static constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;  // any odd number

  static inline constinit thread_local std::uint64_t last_product = 1;

  static constexpr std::uint64_t ns_of(std::int64_t us) noexcept { return 1000 * static_cast<std::uint64_t>(us); }

  std::uint64_t steps_;  // or nanoseconds, by the clock
  std::int64_t us_;
  bool by_clock_;
};

/// The most microseconds that a kernel takes for one task.
inline constexpr std::int64_t us_max = 1'000'000;

}  // namespace leat::kernels
