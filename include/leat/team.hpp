// A team: a runtime for which a thread of the program's own works, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "leat/options.hpp"
#include "leat/runtime.hpp"
#include "leat/strands/strands.hpp"

namespace leat::inline LEAT_ABI {

/// A set of workers of which one is a thread of the program: the thread that makes the team, its primary thread, is
/// worker 0 while it is inside call(). There are options::workers of them, that one included, so a team of one starts
/// no thread. The function that call() is given runs on the calling thread, where forks and loops cost what they cost
/// in a run. So a team fits programs that are serial but for many short parallel parts, and code that must stay on its
/// thread. (OpenMP's teams; in Prell's thesis the main thread is a worker as well)
///
/// Between calls the primary thread is no worker, the others sleep, and nothing interrupts it.
///
/// Thread safety: the primary thread alone calls call(), and destroys the team before the thread ends. Any thread may
/// call const members.
class team {
 public:
  /// Starts the other workers, which takes about 30 us each. From now on SIGURG may interrupt the calling thread, too;
  /// that happens only inside call().
  /// \throws what the constructor of runtime throws
  explicit team(const options& o = {});
  template <class Number>
    requires std::is_arithmetic_v<Number>
  explicit team(Number) {
    static_assert(!std::is_arithmetic_v<Number>,
                  "leat::team: the number of workers is an option: leat::team t({.workers = 4})");
  }

  team(const team&) = delete;
  team& operator=(const team&) = delete;

  /// Joins the other workers, after they have run what was spawned and not awaited. If a call is in progress, as where
  /// std::exit is called inside one, everything is left as it is until the process ends, as with runtime.
  ~team();

  /// Calls f on the calling thread, as worker 0, and returns its result. Inside, all task constructs work, and other
  /// workers execute what f forks. A task that f spawns and does not await is executed before call() returns, during a
  /// later call, or by the destructor. What such a task throws is dropped, unless a barrier comes.
  ///
  /// In a call of the same team, on any of its workers, it only calls f. A worker of another runtime that is the
  /// primary thread of this team may call it, too. Its forks in that other runtime that no thief asks for when the call
  /// begins have to wait for the end of the call.
  ///
  /// Costs 0.05 to 0.1 us, and the wake-up of a thread if the others sleep and there is something for them.
  /// \throws what f throws; not_a_worker on any other thread, inside leat::blocking, and in a call of another team that
  ///         is made in a call of this one; forked_process in a child
  template <class F>
  std::invoke_result_t<F&> call(F&& f LEAT_SITE_PARAMETER) {
    if (has_caller()) return f();
    if (!admits_caller()) refuse_caller();
    const visit inside(*this);
    return LEAT_CALL_ROOT(f);
  }
  template <class F>
    requires(!std::is_invocable_v<F&>)
  void call(F&&) {
    static_assert(std::is_invocable_v<F&>, "leat::team::call: f must be callable without arguments");
  }

  /// Whether the calling thread works for this team now: the thread is inside a call, or is one of the other workers.
  /// Two loads.
  bool has_caller() const noexcept {
    const worker* const me = worker::current();
    return me != nullptr && me->runner.current_run() == run_;
  }

  /// Whether the calling thread, which is not inside a call, may use call(). A system call, about 50 ns.
  bool admits_caller() const noexcept;

  /// The number of the worker that the calling thread is: below workers(), unless it is a compensating worker (see
  /// leat::blocking). 0 for a thread that does not work for the team now. Two loads.
  std::uint32_t caller() const noexcept { return has_caller() ? worker::current()->id() : 0; }

  /// How many workers there are, the primary thread included.
  std::uint32_t workers() const noexcept { return runtime_.workers(); }

  /// The runtime of the workers: for worker_local, and for its options and counters.
  const leat::runtime& runtime() const noexcept { return runtime_; }

 private:
  using worker = scheduler::worker<platform::chosen>;
  struct primary;

  // While it lives, the calling thread, which is admitted, is inside. It has room for the scheduler's own object for
  // that.
  class visit {
   public:
    explicit visit(const team& to);
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;
    ~visit();

   private:
    alignas(void*) std::byte bytes_[8 * sizeof(void*)];
  };

  [[noreturn]] void refuse_caller() const;

  leat::runtime runtime_;
  primary* primary_;  // our own
  const work::run<platform::chosen>* run_;  // that the primary thread is in when it is inside
};

}  // namespace leat::inline LEAT_ABI
