// A world: threads that are fibres on one thread of the host, in simulated time and memory, the same for the same seed.
//
// Whatever a thread does that others could notice is a step: it costs time, as the machine says, and then the schedule may
// let another fibre go on. The memory is sequentially consistent.
//
// A step, in order:
// 1. `note` writes it down: the event, the hash, and the time since the step before for the account of that one.
// 2. Its cost is paid: the clock of the fibre moves, and it waits for a cache line.
// 3. `pass` lets the faults stop it, asks the schedule if another fibre may be due, and takes a signal that is there.
// 4. It returns, and what the caller does next is the step's effect.
// So another fibre may run between the cost of an access and its effect, and never between two effects of one step:
// all that the platform does behind a step is atomic without any precaution.
//
// Invariants:
// - Fibres change in `decide` and `end` alone. Code that calls neither runs undisturbed.
// - `here_` is the fibre that runs. The schedule has all others that can go on, now or at a time that is known.
// - `horizon_ps_` is no later than the earliest clock in the schedule.
// - `heap_of_thread` is null whenever fibres change: each sets it again where it goes on, by the end of its
//   outside_the_world, or in main_of if it is new.
// - The simulation's own containers are the host's (outside_the_world). One that grew in the world's memory would lie
//   in memory that is given up.
//
// What decides does not come from the host: places are offsets in the region, and there is no clock, and no random
// number but the seed's. The exception is a word outside of the region, such as a static one: which place its line
// takes in a unit's cache depends on where the system has put it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "leat/platform/simulation/computing.hpp"
#include "leat/platform/simulation/fibre.hpp"
#include "leat/platform/simulation/idlers.hpp"
#include "leat/platform/simulation/lines.hpp"
#include "leat/platform/simulation/machine.hpp"
#include "leat/platform/simulation/memory.hpp"
#include "leat/platform/simulation/schedule.hpp"
#include "leat/platform/simulation/signal_turns.hpp"

namespace leat::inline LEAT_ABI::platform {

/// What goes wrong in a world, by plan.
struct fault_plan {
  static constexpr std::uint64_t none = 0;

  /// Thread number `thread` stops for `ns` when it has made `step` steps, as if it had been preempted.
  struct stall {
    std::uint32_t thread;
    std::uint64_t step;
    std::uint64_t ns;
  };
  /// A thread may have several, one at a step.
  std::vector<stall> stalls;
  std::uint64_t wake_late_ns = 0;  ///< a wake-up comes up to that much later
  std::uint64_t wake_bunch_ns = 0;  ///< and then at the next multiple of this
  std::uint64_t signal_late_ns = 0;  ///< a signal comes up to that much later
  std::uint64_t thread_fails = none;  ///< the start of that thread, the first is 1, fails
  std::uint64_t memory_fails = none;  ///< that allocation, the first is 1, fails; of address space, too
};

/// A machine, a memory and a schedule, and the world that runs on them. One object may run many worlds, one after the
/// other: that saves the mapping of the address space, and lets an exhaustive schedule keep its path.
///
/// Thread safety: none; all of a world runs on the thread that calls run().
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
    /// Called on each access to a word, by the thread that is about to make it. It must change nothing in the world.
    std::function<void(operation, const void*)> observer;
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

  /// The schedule must outlive the world.
  /// \throws std::bad_alloc  there is not so much address space
  simulation(settings s, schedule& who);
  simulation(const simulation&) = delete;
  simulation& operator=(const simulation&) = delete;

  /// Runs a world whose first thread calls main(), until all its threads have ended. One at a time on a thread of the
  /// host; another may follow. An exception that a thread lets out is a failure.
  outcome run(const std::function<void()>& main);

  /// The one that the calling thread is in, or null.
  /// Null outside of `run`, so the platform asks it first in each operation, and is an ordinary one where it is null.
  static simulation* current() noexcept { return current_; }

  const machine& on() const noexcept { return settings_.on; }

  /// Ends the world, as failed, where it stands. Any of its threads.
  // The stacks of all fibres are left as they are, without unwinding: no destructor runs, and run() returns the
  // report.
  [[noreturn]] void fail(const std::string& why);

  // -- what the platform is made of; the calling thread is one of the world's

  /// A step that touches a word of memory, and takes effect when it returns.
  void touch(operation what, const void* word);
  /// Steps of fixed cost. The schedule is told which of them it is: a fibre that relaxes or yields gives way.
  void relax() { step(operation::relax, settings_.on.relax_ns); }
  void yield() { step(operation::yield, settings_.on.yield_ns); }
  void idle();
  /// Computes for that long, and then moves so many bytes from memory, or to it. It takes longer if a sibling on the core
  /// computes when it begins, and the more threads compute. A signal may come in the middle: its handler takes its time in
  /// addition.
  void work(double ps, double bytes, work_kind kind);
  /// Reads the clock for that long. Neither a sibling nor a signal makes it longer.
  void spin(std::uint64_t ps);
  /// Waits until all stores of the thread have reached the others, as the store buffer of its unit is empty then. A
  /// read-modify-write waits, too.
  void fence();
  void signal_fence() {
    if (here_->interrupted) [[unlikely]]
      take_signals();
  }
  /// No step: it costs time, and no other fibre goes on. So a loop that does nothing but read the clock comes to its
  /// end.
  std::uint64_t now_ns();
  /// For that long in all, whatever signals come.
  void sleep(std::uint64_t ns);
  /// The step before park: the caller compares the word between the two.
  void fall_asleep(const void* word);
  /// Sleeps on the word, until `ns` from now at most, unless that is 0, or a signal. Others go on only then.
  void park(const void* word, std::uint64_t ns);
  /// Wakes the fibre that has slept longest on the word, or all of them. The word itself is not read, and need not be
  /// there.
  void wake(const void* word, bool all);

  /// A thread that calls body(argument). Fibres are numbered in the order of their starts, the first 0, and a fibre
  /// begins on the unit of its number modulo the number of units.
  /// \throws std::system_error  as a system that has no more threads; there are threads_max, or the plan says so
  fibre& start(void (*body)(void*), void* argument);
  /// Returns at once if it has ended. Several fibres may join the same one.
  void join(fibre& other);
  /// A signal for that fibre: it is taken at the first of its steps after it has arrived, at signal_fence, or in the
  /// middle of work or a sleep. One that ends before never takes it.
  void interrupt(fibre& other);
  /// As platform::claim_interrupts. A release of a handler that is not claimed does nothing.
  /// \throws std::length_error  more than handlers_max different ones
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
  // Sleepers are found by a hash of their word: 1024 lists of their own `next_parked`, so that to sleep allocates
  // nothing. A list is in the order in which its fibres fell asleep.
  static constexpr std::size_t buckets = 1024;
  static constexpr std::size_t handlers_max = 8;
  static constexpr std::uint64_t clock_ps_max = 1'000'000'000'000'000'000;  // far from where a clock runs over

  // While it lives, what the simulation allocates is the host's.
  class outside_the_world;

  static void main_of(void* f);
  /// A step that touches no word.
  void step(operation what, double ns);
  /// What the trace is a hash of: thread, operation and place of each step, in their order. Times are not in it, as
  /// they only show in the order.
  void note(operation what, const void* place) noexcept;
  void pay(double ns) noexcept { here_->clock_ps += ps_of(ns); }
  // Until a line is there, or all that were stored have gone.
  void await(std::uint64_t ps) noexcept {
    if (ps <= here_->clock_ps) return;
    here_->awaited_ps += ps - here_->clock_ps;
    here_->clock_ps = ps;
  }
  static std::uint64_t ps_of(double ns) noexcept { return static_cast<std::uint64_t>(ns * 1000); }
  void pass(operation what);
  // Asks the schedule, and switches to the fibre that it names: returns when this one is chosen again, which may be
  // at once. With `goes_on` false the caller has entered this fibre where something will find it, or the world ends
  // as failed.
  void decide(operation what, bool goes_on);
  void end_idling(std::uint64_t line, std::uint64_t ps);
  // A stall of the fault plan, and the bound on the steps of all fibres together. With a lower one programs that make
  // progress slowly would count as failed.
  void end_step();
  std::uint64_t spend(std::uint64_t ps);
  bool takes_signals(const fibre& f) const noexcept { return f.interrupted && f.interruptible && !f.handling; }
  // Runs the handlers if a signal has arrived and the schedule lets it be taken. A signal that comes in a handler
  // waits for its end.
  bool take_signals();  // whether a handler has been called
  // `f` was parked or joining, or is new.
  void can_go_on(fibre& f, std::uint64_t ps);
  fibre*& bucket_of(const void* word) noexcept;
  // Takes it out of its word's list. It must be in there.
  void unpark(fibre& f) noexcept;
  void end();
  // A number from 0 to `ns`, from the world's seed: how late a fault is. A world without faults draws none.
  std::uint64_t up_to(std::uint64_t ns) noexcept;
  // Read when a world has failed, on the stack of the fibre that found it. It changes nothing.
  std::string report(const std::string& why) const;

  static constinit thread_local simulation* current_;

  // Kept from world to world; of the lines only the memory, as run() clears them.
  const settings settings_;
  schedule& who_;
  simulated_memory memory_;
  cache_lines lines_;
  idlers idlers_;
  computing_units computing_;

  // Of one world: run() sets all of it at the beginning.
  fibre::suspended host_;
  fibre* here_ = nullptr;
  std::vector<fibre*> fibres_;
  std::uint32_t living_ = 0;
  std::array<fibre*, buckets> parked_{};
  std::array<handler, handlers_max> handlers_{};
  // A ring: event number i is at i mod its size.
  std::vector<event> events_;
  std::uint64_t steps_ = 0;
  std::uint64_t trace_ = 0;
  std::uint64_t horizon_ps_ = 0;
  signal_turns signals_;  // the system sends and delivers the signals of a process one at a time
  std::uint64_t random_ = 0;
  std::uint64_t allocations_ = 0;
  std::string failure_;
  std::uint64_t end_ps_ = 0;
};

}  // namespace leat::inline LEAT_ABI::platform
