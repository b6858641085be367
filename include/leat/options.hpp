// How a runtime is set up.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace leat {

/// Workers that one runtime may have.
inline constexpr std::uint32_t workers_max = 4096;

/// Compensating workers that one runtime may have.
inline constexpr std::uint32_t spares_max = 4096;

/// An idle worker spins for at most this many microseconds: ten seconds.
inline constexpr std::uint64_t spin_us_max = 10'000'000;

/// A worker may owe an answer for at most this many microseconds before it is interrupted: ten seconds.
inline constexpr std::uint64_t interrupt_after_us_max = 10'000'000;

/// Seconds after which a hang may be reported: a day.
inline constexpr std::uint64_t hang_report_s_max = 86'400;

/// What a runtime is made of. Whatever is not set comes from the environment, else from the machine. A value.
struct options {
  /// How many workers, 1 to workers_max. Else LEAT_NUM_WORKERS, else one per CPU that this process may use (affinity
  /// mask and cgroup quotas of all ancestors).
  std::optional<std::uint64_t> workers = std::nullopt;

  /// Which scheduler, one of scheduler_names(). Else LEAT_SCHEDULER, else "channel". docs/guide/schedulers.md has the differences.
  std::optional<std::string> scheduler = std::nullopt;

  /// Microseconds that an idle worker spins before it sleeps, 0 to spin_us_max. Else LEAT_SPIN, else 100, or 0 when
  /// there are more workers than CPUs, whose time the spinning would take. With 0, thieves ask no victim directly.
  std::optional<std::uint64_t> spin_us = std::nullopt;

  /// How many workers may compensate for those that block (leat::blocking), 0 to spares_max. Else LEAT_SPARES, else as
  /// many as workers. They are started when they are first needed, and sleep when they are not.
  std::optional<std::uint64_t> spares = std::nullopt;

  /// Microseconds after which a worker that was asked for tasks and has not answered, because it is deep in a long task,
  /// is interrupted by a signal, SIGURG, to hand some over: 0, never, to interrupt_after_us_max. Else
  /// LEAT_INTERRUPT_AFTER, else 50. docs/internals/interrupts.md says what that means for system calls in tasks.
  std::optional<std::uint64_t> interrupt_after_us = std::nullopt;

  /// Seconds for which, in a run, no worker may execute anything before a message on stderr says which of them waits in what: 0,
  /// no message, to hang_report_s_max. Else LEAT_HANG_REPORT, else 0. It takes a thread, which sleeps. docs/guide/deadlocks.md.
  std::optional<std::uint64_t> hang_report_s = std::nullopt;

  /// Binds each worker to a unit of the machine that this process may use, in turn, as far as the system allows: first one of
  /// each core, in the order of the machine tree, and then those that share one with them (docs/guide/topology.md). Reads the tree,
  /// which costs milliseconds. Where HWLOC_XMLFILE or HWLOC_SYNTHETIC describes another machine, no worker is bound.
  bool bind = false;

  /// The victims that thieves try first: "random", any, or "near", by the distance in the machine tree, which takes
  /// `bind`. Where all units are equally far apart, both are one. docs/guide/topology.md says what was found.
  std::string victims = "random";

  /// Seed of victim selection.
  std::uint64_t seed = 1;

  /// What a thief asks for: "adaptive" (Prell's thesis, 5.1.2), "steal-one" or "steal-half".
  std::string strategy = "adaptive";

  /// Tasks that a worker's deque holds before it grows, 1 to 2^32; 64 bytes each.
  std::uint64_t deque_capacity = std::uint64_t{1} << 13;

  /// These options with everything set: what is in force. Throws std::invalid_argument, naming the option or variable and
  /// the value, for a value that makes no sense.
  options resolved() const;
};

/// The names that `options::scheduler` may have.
std::span<const std::string_view> scheduler_names();

}  // namespace leat
