// How a runtime is set up.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "leat/thread_hook.hpp"

namespace leat::inline LEAT_ABI {

/// The most workers that one runtime may have.
inline constexpr std::uint32_t workers_max = 4096;

/// The most compensating workers that one runtime may have.
inline constexpr std::uint32_t spares_max = 4096;

/// The most microseconds that an idle worker may spin: ten seconds.
inline constexpr std::uint64_t spin_us_max = 10'000'000;

/// Microseconds that an idle worker spins where neither options::spin_us nor LEAT_SPIN is set, and there are no more workers
/// than CPUs. To spin longer than a wake-up costs (7 us for the waker, 22 us for the sleeper) spares busy workers the call.
inline constexpr std::uint64_t spin_us_default = 100;

/// The most microseconds for which a worker may owe an answer before it is interrupted: ten seconds.
inline constexpr std::uint64_t interrupt_after_us_max = 10'000'000;

/// The most steals after which an adaptive thief decides anew.
inline constexpr std::uint64_t adaptive_steals_max = 1'000'000;

/// The most seconds after which a hang is reported: a day.
inline constexpr std::uint64_t hang_report_s_max = 86'400;

/// For options::hang_report_s: no report comes by itself, but SIGQUIT and leat::describe have the lines of waits.
inline constexpr std::uint64_t hang_report_on_request = ~std::uint64_t{0};

/// The least and the most bytes of the stack of a worker's thread: 64 KiB, and a tebibyte.
inline constexpr std::uint64_t stack_size_min = std::uint64_t{1} << 16;
inline constexpr std::uint64_t stack_size_max = std::uint64_t{1} << 40;

/// The most characters of the name of a thread: as many as Linux shows.
inline constexpr std::uint64_t thread_name_max = 15;

/// Options of the scheduler "prell": the choices that Prell's thesis compares. The defaults are the thesis's own
/// choices; any other scheduler refuses all other values. The guide's page on prell has the figures that each option is
/// for. A value.
struct prell_options {
  /// The victims that a request tries (thesis, 3.4.1). "repeated": each is drawn anew. "distinct": none twice in a
  /// round.
  std::string tries = "repeated";

  /// What a victim without tasks does with a request (thesis, 3.3, Figure 3.5): "forward" it, or "acknowledge" it to
  /// its thief.
  std::string refusal = "forward";

  /// When a worker handles requests (thesis, 3.6). "operations": in push, pop, join and leat::poll. "interrupts": also
  /// in interrupts, one for each request.
  std::string polling = "operations";

  /// How the end of all tasks is found (thesis, 4.1). The manager is worker 0 ("root"), worker 1 ("worker"), or worker
  /// 1 without tasks of its own ("dedicated"). Or a shared "counter" has the number of busy workers.
  std::string termination = "worker";

  /// The request that worker 0 revokes at the end of a barrier (thesis, 4.2.1). "own": its own. "dummy": the next one
  /// that comes, by a dummy task.
  std::string barrier = "dummy";

  /// Whether a worker sends a request when it begins its last task (thesis, 3.3.2).
  bool ahead = false;

  /// How many victims a request sees before it goes to the one with the most tasks (thesis, 7.2): 1 to workers_max.
  /// With 1 it asks the first.
  std::uint64_t samples = 1;

  /// The workers that are a place with a manager of its own, which passes requests on to other places (thesis, 7.2):
  /// those beneath one domain of this kind in the machine tree, such as "package" or "numa". "machine": all workers.
  /// Any other kind takes `bind`, and as `termination` "worker" or "dedicated".
  std::string places = "machine";
};

/// Options of a runtime. An option that is not set comes from the environment variable that is named with it, or else
/// from the machine. A value.
struct options {
  /// How many workers: 1 to workers_max. If not set: LEAT_NUM_WORKERS, else one for each CPU that this process may use
  /// (affinity mask, and cgroup quotas of all ancestors).
  std::optional<std::uint64_t> workers = std::nullopt;

  /// The scheduler, one of scheduler_names(). If not set: LEAT_SCHEDULER, else "channel". The guide's page on
  /// schedulers has the differences.
  std::optional<std::string> scheduler = std::nullopt;

  /// Microseconds that an idle worker spins before it sleeps: 0 to spin_us_max. If not set: LEAT_SPIN, else 100, or 0
  /// if there are more workers than CPUs, whose time the spinning would take. With 0, thieves ask no victim directly.
  /// With spin_us_default, under `channel` and with interrupts on, it spins about 5 us between calls of a team or of the
  /// default runtime, once recent ones were more than 32 us apart on average.
  std::optional<std::uint64_t> spin_us = std::nullopt;

  /// How many workers may compensate for blocked ones (leat::blocking): 0 to spares_max. If not set: LEAT_SPARES, else
  /// as many as workers. Each is started when it is first needed, and sleeps when it is not.
  std::optional<std::uint64_t> spares = std::nullopt;

  /// Microseconds after which a worker that owes a thief an answer, because it is deep in a long task, is interrupted
  /// by the signal SIGURG to hand tasks over: up to interrupt_after_us_max; 0: never. If not set: LEAT_INTERRUPT_AFTER,
  /// else 50. System calls in tasks may then fail with EINTR.
  std::optional<std::uint64_t> interrupt_after_us = std::nullopt;

  /// Seconds without any work in a run, after which a message on stderr says which worker waits in which construct: up
  /// to hang_report_s_max; 0: no message. It takes a thread, which sleeps. hang_report_on_request: only when it is asked
  /// for. If not set: LEAT_HANG_REPORT, a number or the word on-request, else 0. Unless it is 0, SIGQUIT does not end the
  /// process while the runtime exists: leat::describe is written to stderr then, by one more thread.
  std::optional<std::uint64_t> hang_report_s = std::nullopt;

  /// Whether the runtime shares the CPUs of the process with the other runtimes that have this option. Together they
  /// keep as many workers busy as there are CPUs, beside one for each run. If not set: LEAT_SHARE_CPUS, 0 or 1, else
  /// no. It takes the scheduler "channel". Simulated worlds do not share.
  std::optional<bool> share_cpus = std::nullopt;

  /// The beginning of the names of the runtime's threads, as debuggers and `top -H` show them. If not set:
  /// LEAT_THREAD_NAME, else "leat". With "leat" the names are leat-0, leat-1 and so on, by the number of the worker,
  /// and leat-s0 and so on for compensating workers. Where there are such threads, leat-hang is the one of
  /// hang_report_s, and leat-sub the one that begins submissions. Each name has thread_name_max characters at most. If
  /// the system refuses a name, the thread keeps the name of the thread that made it.
  std::optional<std::string> thread_name = std::nullopt;

  /// Bytes of the stack of each worker's thread, compensating workers included: stack_size_min to stack_size_max, a
  /// multiple of the page, and not below PTHREAD_STACK_MIN. 0: the system's usual size (`ulimit -s`). If not set:
  /// LEAT_STACK_SIZE, else 0. A thread that comes to the end of its stack faults. Simulated worlds have stacks of their
  /// own.
  std::optional<std::uint64_t> stack_size = std::nullopt;

  /// Hooks. The runtime calls `f(worker)`, with the worker's number, on each thread that it starts for a worker,
  /// compensating workers included: thread_begin before the first task, and thread_end after the last. Numbers below
  /// workers() are those of the workers that were asked for; compensating workers come after. When a hook is called,
  /// the thread has its name, and is bound.
  ///
  /// In a hook the thread is no worker: loops, forks and groups throw not_a_worker, and a call of this runtime's run
  /// may wait for ever. Threads begin and end at once, so several threads call a hook at once. Some tasks may begin
  /// before other threads have called thread_begin. An exception that a hook lets out calls std::terminate.
  ///
  /// Threads of the program that work for a while, which are a team's primary thread and the callers of the default
  /// runtime, call no hook. The default runtime's own threads never end. (TBB's task_scheduler_observer; rayon's
  /// start_handler)
  thread_hook thread_begin = {};
  thread_hook thread_end = {};

  /// Whether each worker is bound to a unit of the machine that this process may use, as far as the system allows:
  /// first one unit of each core, in the order of the machine tree, and then the units that share a core with them.
  /// Reads the tree, which costs milliseconds. Where HWLOC_XMLFILE or HWLOC_SYNTHETIC describes another machine, no
  /// worker is bound.
  bool bind = false;

  /// The victims that thieves try first. "random": any. "near": by the distance in the machine tree, which takes
  /// `bind`. Where all units are equally far apart, both are the same.
  std::string victims = "random";

  /// The seed of victim selection: any number.
  std::uint64_t seed = 1;

  /// What a thief asks for: "adaptive" (Prell's thesis, 5.1.2), "steal-one" or "steal-half".
  std::string strategy = "adaptive";

  /// How many steals it takes until a thief with the strategy "adaptive" decides anew (thesis, 5.1.2): 1 to
  /// adaptive_steals_max.
  std::uint64_t adaptive_steals = 25;

  /// Whether a thief asks the victim of its last steal first (thesis, 3.4.2). If not set: yes for "channel", and no for
  /// "prell". Other schedulers refuse the option.
  std::optional<bool> last_victim = std::nullopt;

  /// Options of the scheduler "prell".
  prell_options prell = {};

  /// How many tasks a worker's deque holds before it grows: 1 to 2^32, of 64 bytes each.
  std::uint64_t deque_capacity = std::uint64_t{1} << 13;

  /// Returns these options with everything set, as they would be in force. Any thread may call it. It reads the
  /// environment, and the files of the system that say how many CPUs there are.
  /// \throws std::invalid_argument  a value makes no sense; the message names the option or variable, and the value
  options resolved() const;
};

/// Returns the names that `options::scheduler` may have. Any thread may call it; costs nothing.
std::span<const std::string_view> scheduler_names();

}  // namespace leat::inline LEAT_ABI
