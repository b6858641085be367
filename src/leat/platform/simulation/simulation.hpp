// A world: threads that are fibres on one thread of the host, in simulated time and memory, the same for the same seed.
//
// Whatever a thread does that others could notice is a step: it costs time, as the machine says, and then the schedule may
// let somebody else go on. The memory is sequentially consistent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "leat/platform/simulation/fibre.hpp"
#include "leat/platform/simulation/lines.hpp"
#include "leat/platform/simulation/machine.hpp"
#include "leat/platform/simulation/memory.hpp"
#include "leat/platform/simulation/schedule.hpp"

namespace leat::platform {

/// What goes wrong in a world, by plan.
struct fault_plan {
  static constexpr std::uint64_t none = 0;

  /// Thread number `thread` stops for `ns` when it has made `step` steps, as if it had been preempted.
  struct stall {
    std::uint32_t thread;
    std::uint64_t step;
    std::uint64_t ns;
  };
  std::vector<stall> stalls;
  std::uint64_t wake_late_ns = 0;  ///< a wake-up comes up to that much later
  std::uint64_t wake_bunch_ns = 0;  ///< and then at the next multiple of this
  std::uint64_t signal_late_ns = 0;  ///< a signal comes up to that much later
  std::uint64_t thread_fails = none;  ///< the start of that thread, the first is 1, fails
  std::uint64_t memory_fails = none;  ///< that allocation, the first is 1, fails; of address space, too
};

class simulation {
 public:
  struct settings {
    machine on;
    std::uint64_t seed = 0;  ///< of what the faults draw
    std::uint64_t steps_max = 2'000'000'000;  ///< of all threads; more count as a livelock
    std::uint32_t threads_max = 8192;
    std::size_t stack_bytes = std::size_t{1} << 18;  ///< of a thread
    std::size_t events_kept = 200;  ///< the last ones, for the report of a failure
    fault_plan faults;
  };

  struct outcome {
    std::string failure;  ///< empty: none. Else what, the last events and where every thread was
    std::uint64_t steps = 0;
    std::uint64_t trace = 0;  ///< a hash of all events
    std::uint64_t ns = 0;  ///< the time at the end
    struct account {
      std::array<std::uint64_t, operations> spent_ns{};  ///< by what the thread did
      std::uint64_t awaited_ns = 0;  ///< of these, waiting for cache lines that others had
    };
    std::vector<account> threads;  ///< all but the first
    bool ok() const noexcept { return failure.empty(); }
  };

  simulation(settings s, schedule& who);
  simulation(const simulation&) = delete;
  simulation& operator=(const simulation&) = delete;

  /// Runs a world whose first thread calls main(), until all its threads have ended. One at a time on a thread of the
  /// host; another may follow. An exception that a thread lets out is a failure.
  outcome run(const std::function<void()>& main);

  /// The one that the calling thread is in, or null.
  static simulation* current() noexcept { return current_; }

  const machine& on() const noexcept { return settings_.on; }

  /// Ends the world, as failed, where it stands. Any of its threads.
  [[noreturn]] void fail(const std::string& why);

  // -- what the platform is made of; the calling thread is one of the world's

  /// A step that touches a word of memory, and takes effect when it returns.
  void touch(operation what, const void* word);
  void relax() { step(operation::relax, settings_.on.relax_ns); }
  void yield() { step(operation::yield, settings_.on.yield_ns); }
  void work(std::uint64_t ps);
  void fence();
  void signal_fence() {
    if (here_->interrupted) [[unlikely]]
      take_signals();
  }
  std::uint64_t now_ns();
  void sleep(std::uint64_t ns);
  /// The step before park: the caller compares the word between the two.
  void fall_asleep(const void* word);
  /// Sleeps on the word, until `ns` from now at most, unless that is 0, or a signal. Others go on only then.
  void park(const void* word, std::uint64_t ns);
  void wake(const void* word, bool all);

  fibre& start(void (*body)(void*), void* argument);
  void join(fibre& other);
  void interrupt(fibre& other);
  void claim_handler(void (*handler)());
  void release_handler(void (*handler)());
  fibre& here() noexcept { return *here_; }
  /// The calling thread's words of that type, zero at first.
  void* own_words(const void* type, std::size_t bytes, std::size_t alignment);
  /// Of the world's memory; outside of one, of the host's. Throws std::bad_alloc, also where the plan says so.
  static void* reserve(std::size_t bytes);
  static void unreserve(void* space, std::size_t bytes) noexcept;
  static void* allocate(std::size_t bytes, std::size_t alignment);
  /// False if the block is not the world's.
  bool free(void* block) noexcept {
    if (!memory_.contains(block)) return false;
    memory_.free(block);
    return true;
  }
  /// Puts the calling thread on that unit of the machine. False if there is none.
  bool move_to(unsigned unit) noexcept;

 private:
  struct event {
    std::uint32_t thread;
    operation what;
    std::uint64_t place;
    std::uint64_t ps;
  };
  struct handler {
    void (*call)();
    std::size_t claims;
  };
  static constexpr std::size_t buckets = 1024;
  static constexpr std::size_t handlers_max = 8;

  // While it lives, what the simulation allocates is the host's.
  class outside_the_world;

  static void main_of(void* f);
  /// A step that touches no word.
  void step(operation what, double ns);
  void note(operation what, const void* place) noexcept;
  void pay(double ns) noexcept { here_->clock_ps += ps_of(ns); }
  void make_busy(const fibre& f, bool busy);
  // Until a line is there, or all that were stored have gone.
  void await(std::uint64_t ps) noexcept {
    if (ps <= here_->clock_ps) return;
    here_->awaited_ps += ps - here_->clock_ps;
    here_->clock_ps = ps;
  }
  static std::uint64_t ps_of(double ns) noexcept { return static_cast<std::uint64_t>(ns * 1000); }
  void pass(operation what);
  void decide(operation what, bool goes_on);
  void stall();
  void end_livelock();
  bool takes_signals(const fibre& f) const noexcept { return f.interrupted && f.interruptible && !f.handling; }
  void take_signals();
  void can_go_on(fibre& f, std::uint64_t ps);
  fibre*& bucket_of(const void* word) noexcept;
  void unpark(fibre& f) noexcept;
  void end();
  std::uint64_t up_to(std::uint64_t ns) noexcept;
  std::string report(const std::string& why) const;
  std::string describe(const fibre& f) const;
  double slowdown() const noexcept;

  static constinit thread_local simulation* current_;

  const settings settings_;
  schedule& who_;
  simulated_memory memory_;
  cache_lines lines_;

  fibre::suspended host_;
  fibre* here_ = nullptr;
  std::vector<fibre*> fibres_;
  std::uint32_t living_ = 0;
  std::array<fibre*, buckets> parked_{};
  std::array<handler, handlers_max> handlers_{};
  std::vector<bool> busy_units_;
  std::vector<event> events_;
  std::uint64_t steps_ = 0;
  std::uint64_t trace_ = 0;
  std::uint64_t horizon_ps_ = 0;
  std::uint64_t random_ = 0;
  std::uint64_t allocations_ = 0;
  std::string failure_;
  std::uint64_t end_ps_ = 0;
};

}  // namespace leat::platform
