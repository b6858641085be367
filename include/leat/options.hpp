// How a runtime is set up.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "leat/thread_hook.hpp"

namespace leat::inline LEAT_ABI {

/// Workers that one runtime may have.
inline constexpr std::uint32_t workers_max = 4096;

/// Compensating workers that one runtime may have.
inline constexpr std::uint32_t spares_max = 4096;

/// An idle worker spins for at most this many microseconds: ten seconds.
inline constexpr std::uint64_t spin_us_max = 10'000'000;

/// A worker may owe an answer for at most this many microseconds before it is interrupted: ten seconds.
inline constexpr std::uint64_t interrupt_after_us_max = 10'000'000;

/// Steals after which an adaptive thief may think again, at most.
inline constexpr std::uint64_t adaptive_steals_max = 1'000'000;

/// Seconds after which a hang may be reported: a day.
inline constexpr std::uint64_t hang_report_s_max = 86'400;

/// Bytes of the stack of a worker's thread, at least and at most: 64 KiB to a tebibyte.
inline constexpr std::uint64_t stack_size_min = std::uint64_t{1} << 16;
inline constexpr std::uint64_t stack_size_max = std::uint64_t{1} << 40;

/// Characters of the name of a thread: as many as Linux shows.
inline constexpr std::uint64_t thread_name_max = 15;

/// What Prell's thesis compares for its scheduler, "prell". Any other scheduler refuses all values but these, which are the thesis's
/// own choices. docs/guide/prell.md has a table of them, with the figures that they are for. A value.
struct prell_options {
  /// Which victims a request tries (3.4.1): "repeated", each drawn anew, or "distinct", none twice in a round.
  std::string tries = "repeated";

  /// What a victim without tasks does with a request (3.3, Figure 3.5): "forward" it, or "acknowledge" it to its thief.
  std::string refusal = "forward";

  /// When requests are handled (3.6): in "operations" (push, pop, join, leat::poll), or by "interrupts", too, one for each request.
  std::string polling = "operations";

  /// How the end of all tasks is found (4.1): the manager is worker 0 ("root"), worker 1 ("worker"), or worker 1 without tasks of
  /// its own ("dedicated"); or a shared "counter" has the number of busy workers.
  std::string termination = "worker";

  /// Which request worker 0 revokes at the end of a barrier (4.2.1): its "own", or the next that comes, by a "dummy" task.
  std::string barrier = "dummy";

  /// Whether a worker sends a request when it begins its last task (3.3.2).
  bool ahead = false;

  /// Victims that a request sees before it goes to the one with the most tasks (7.2), 1 to workers_max; 1: it asks the first.
  std::uint64_t samples = 1;

  /// Which workers are a place with a manager of its own, that passes requests on to other places (7.2): those beneath one domain of
  /// this kind in the machine tree, such as "package" or "numa"; "machine": all. Any other kind takes `bind`, and as
  /// `termination` "worker" or "dedicated".
  std::string places = "machine";
};

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

  /// Whether the runtime shares the CPUs of the process with the other runtimes that have this option: together they keep as many workers
  /// busy as there are CPUs, beside one for each run (docs/guide/workers.md). Else LEAT_SHARE_CPUS, 0 or 1, else no. It takes the scheduler
  /// "channel". Simulated worlds do not share.
  std::optional<bool> share_cpus = std::nullopt;

  /// What the names of the runtime's threads begin with, as debuggers and `top -H` show them. Else LEAT_THREAD_NAME, else "leat". With
  /// "leat" they are leat-0, leat-1 and so on, by the number of the worker; leat-s0 and so on for compensating workers; and leat-hang
  /// for the thread of hang_report_s, and leat-sub for the thread that begins submissions, where there is one. Each name has thread_name_max characters at most. If the system refuses it, the thread keeps the
  /// name of the thread that made it.
  std::optional<std::string> thread_name = std::nullopt;

  /// Bytes of the stack of each worker's thread, also of compensating workers: 0, the system's usual size (`ulimit -s`); or
  /// stack_size_min to stack_size_max, a multiple of the page, and not below PTHREAD_STACK_MIN. Else LEAT_STACK_SIZE, else 0. A thread
  /// that comes to its end faults. Simulated worlds have stacks of their own.
  std::optional<std::uint64_t> stack_size = std::nullopt;

  /// Called on each thread that the runtime starts for a worker, also a compensating one, before its first task and after its last:
  /// `f(worker)`, with the worker's number. Those below workers() are the workers that were asked for; compensating workers
  /// come after. The thread has its name, and is bound, by then. Meanwhile it is no worker: loops, forks and groups throw
  /// not_a_worker, and a call of run of this runtime may wait for ever. Threads begin and end at once, so calls come at once, and some
  /// tasks may begin before other threads have called thread_begin. An exception that a hook lets out calls std::terminate.
  /// Not called on threads of the program that work for a while: a team's primary thread, the callers of the
  /// default runtime. The default runtime's own threads never end. (TBB's task_scheduler_observer; rayon's start_handler)
  thread_hook thread_begin = {};
  thread_hook thread_end = {};

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

  /// Steals after which a thief with the strategy "adaptive" thinks again (thesis, 5.1.2), 1 to adaptive_steals_max.
  std::uint64_t adaptive_steals = 25;

  /// Whether a thief asks the victim of its last steal first (thesis, 3.4.2). For "channel", where it is on if not set, and "prell", where it
  /// is off; the others refuse it.
  std::optional<bool> last_victim = std::nullopt;

  /// For the scheduler "prell" alone.
  prell_options prell = {};

  /// Tasks that a worker's deque holds before it grows, 1 to 2^32; 64 bytes each.
  std::uint64_t deque_capacity = std::uint64_t{1} << 13;

  /// These options with everything set: what is in force. Throws std::invalid_argument, naming the option or variable and
  /// the value, for a value that makes no sense.
  options resolved() const;
};

/// The names that `options::scheduler` may have.
std::span<const std::string_view> scheduler_names();

}  // namespace leat::inline LEAT_ABI
