// Programs of user-level threads: how they are run, where their data lies, and what is told of them.

#pragma once

#include <leat/bubble.hpp>
#include <leat/runtime.hpp>
#include <leat/simulate.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace leat::kernels {

/// What came of such a program.
struct carried_outcome {
  double seconds = 0;
  std::uint64_t found = 0;
  bubbles::bubble_counts counts;
  double answered_us =
      -1;  ///< how long a message waited for the thread that carries it, in the mean; -1: there are none
};

/// What came of the serial program.
struct serial_outcome {
  double seconds = 0;
  std::uint64_t found = 0;
};

/// Times main(), which gives what it found.
template <class Main>
serial_outcome run_serially(Main main) {
  const std::uint64_t begun = platform::chosen::now_ns();
  const std::uint64_t found = main();
  return {1e-9 * static_cast<double>(platform::chosen::now_ns() - begun), found};
}

/// What the machine's memory is taken for in simulated worlds.
struct memory_model {
  double share = 1.0 / 3;  ///< --memory  of work that waits for memory; 0 to 1
  double far = 3;  ///< --far     what memory of another node takes, in times that of the thread's own; 1 to far_max

  static constexpr double far_max = 100;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;
};

/// The levels of the machine on whose lists the calling thread lies, from the root: what its domains are called, and how many of
/// them there are.
struct machine_level {
  std::string kind;
  std::uint32_t domains = 1;
};
[[nodiscard]] std::vector<machine_level> machine_levels();

/// Data of one thread. It lies on the NUMA node where it was touched first; on a machine without NUMA, in the domain beneath
/// the whole machine.
class resident {
 public:
  /// It is new: the calling thread touches it first.
  void touch() noexcept { node_ = node_here(); }

  /// Declares that the caller works on it for so long, if it is near.
  void work_ns(double ns, const memory_model& m) const noexcept {
    leat::work_ns(ns * (1 - m.share + m.share * (node_ == node_here() ? 1 : m.far)));
  }

 private:
  static topology::domain_id node_here() noexcept;

  topology::domain_id node_ = topology::root_domain;
};

/// Up to 2 % less, drawn from two numbers: work that is equal takes as long nowhere.
[[nodiscard]] constexpr double varied(double ns, std::uint64_t a, std::uint64_t b) noexcept {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  return ns * (1 - 0.02 * static_cast<double>((a * 31 + b * 17 + 7) * odd >> 56) / 256);
}

/// What decides where bubbles go.
enum class policy : std::uint8_t { published, affinity, work };

[[nodiscard]] std::string_view name(policy) noexcept;
/// Lasts as long as the program.
[[nodiscard]] const bubble_policy& object_of(policy) noexcept;

/// Runs main() on a user-level thread in a run of `rt`, with a trace of what happens to bubbles if `trace` is one, and by that policy or the default. Main gives what it found, and is timed. Throws what these throw.
template <class Main>
carried_outcome run_carried(runtime& rt, bubble_trace* trace, Main main, const bubble_policy* by = nullptr) {
  carried_outcome out;
  rt.run([&] {
    run_threads(
        [&] {
          const std::uint64_t begun = platform::chosen::now_ns();
          out.found = main();
          out.seconds = 1e-9 * static_cast<double>(platform::chosen::now_ns() - begun);
          out.counts = bubble_events();
        },
        {.machine = {}, .trace = trace, .policy = by});
  });
  return out;
}

}  // namespace leat::kernels
