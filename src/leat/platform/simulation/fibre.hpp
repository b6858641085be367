// One thread of a simulated world: a stack, a clock, and what it waits for.
#pragma once

#include <array>
#include <boost/context/fiber.hpp>
#include <cstddef>
#include <cstdint>

#include "leat/platform/simulation/idlers.hpp"

namespace leat::inline LEAT_ABI::platform {

/// What a thread does where others may come in between.
/// The numbers go into the hash of a world's events, and the names are found by them: a new one has its place before
/// `end`, in name_of, too, and changes the traces of all worlds.
enum class operation : std::uint8_t {
  begin,
  load,
  store,
  rmw,
  fence,
  relax,
  yield,
  clock,
  work,
  wait,
  wake,
  sleep,
  start,
  join,
  interrupt,
  handler,
  end
};
inline constexpr std::size_t operations = static_cast<std::size_t>(operation::end) + 1;
const char* name_of(operation what) noexcept;

/// It lies in the memory of its world, with its stack, and is never destroyed: when the world ends both are given up
/// as they are. So nothing in it may own memory of the host, and no destructor runs on a stack that was left.
///
/// States, in `now`. Only the world changes them:
/// - ready: it runs, or the schedule has it. `clock_ps` is its time, or when it can go on.
/// - working: as ready, until its clock's time, unless a signal comes.
/// - parked: it sleeps on the word `awaits`, in that word's bucket. If `timed`, the schedule has it as well, at the
///   time at which it is to give up; else only a wake-up or a signal brings it back.
/// - spinning: it would find what it found in its last round. One that writes a line of that round, or a signal, brings it
///   back.
/// - joining: it waits for the fibre `awaits` to end, in no list; the fibre that ends finds it among all.
/// - ended: for good. Its stack is never entered again.
struct fibre {
  enum class state : std::uint8_t { ready, working, parked, spinning, joining, ended };

  /// Has the host's exceptions in flight and its stack known to sanitizers while it is suspended.
  struct suspended {
    boost::context::fiber at;
    std::array<std::uint64_t, 2> exceptions{};
    const void* stack = nullptr;
    std::size_t stack_bytes = 0;
    void* fake_stack = nullptr;
  };

  suspended host;
  std::uint32_t number = 0;
  std::uint32_t unit = 0;  ///< of the machine
  state now = state::ready;
  bool timed = false;  ///< parked until its clock's time at most
  // The step that its time is spent on: what a clock has moved since the step before is added to that one's share
  // when the next step is noted.
  operation last = operation::begin;
  // Picoseconds, in whole numbers: costs below a nanosecond add up without rounding. 64 bits are enough for 213 days
  // of simulated time.
  std::uint64_t clock_ps = 0;  ///< its own time; while it cannot run, when it could
  std::uint64_t stores_done_ps = 0;  ///< when its stores have reached the others
  std::uint64_t steps = 0;
  std::array<std::uint64_t, operations> spent_ps{};  ///< its time, by what it did
  std::uint64_t noted_ps = 0;  ///< until when that has been added up
  std::uint64_t awaited_ps = 0;  ///< of its time, waiting for cache lines that others had
  // A schedule alone changes it, and may keep here where the fibre is in its own order. It is `nowhere` exactly while the
  // fibre is not in the schedule: the world asks by it whether there is something to remove.
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  std::uint32_t place = nowhere;  ///< among those that can go on, in the schedule
  // The stack has no page behind it that faults: worlds have thousands of stacks, and each such page would split a
  // mapping. An overflow is found late, at the next decision, and only if it has written just there.
  static constexpr std::uint64_t whole = 0x6c656174'77686f6c;
  void* stack_end = nullptr;  ///< a word there says `whole` as long as nothing else has been written
  bool stack_is_whole() const noexcept { return *static_cast<const std::uint64_t*>(stack_end) == whole; }

  spin_round round;

  const void* awaits = nullptr;  ///< the word it sleeps on, or the fibre that it joins
  fibre* next_parked = nullptr;  ///< on the same word, or one that falls into the same bucket
  std::uint64_t parked_ps = 0;  ///< since when

  // Signals are as the system's of one number: one may be on its way, and a second one is the same. `interrupted`
  // stays until the handler begins; with `interruptible` false it waits, as if it were blocked.
  bool interruptible = false;
  bool interrupted = false;  ///< a signal is on its way, or there
  bool handling = false;
  std::uint64_t interrupt_ps = 0;  ///< when that one is there

  // What thread-local words are to a thread of the system: P::self(), and P::own by the type's address.
  void* self = nullptr;
  struct own_words {
    const void* type;
    void* words;
  };
  static constexpr std::size_t own_types_max = 8;
  std::array<own_words, own_types_max> own{};

  // The thread's main function. The body itself belongs to the thread that runs it.
  struct call {
    void (*body)(void*) = nullptr;
    void* argument = nullptr;
  };
  call begins_with;
};

/// Goes on with `to`, and comes back when another fibre goes on with `from`. Both are of the calling thread.
/// `from` is filled in on the way, after its stack has been left: so it may be read, and gone on with, only by what
/// runs then.
void switch_between(fibre::suspended& from, fibre::suspended& to) noexcept;

/// Makes `made` begin with main(argument), on that stack, when it is switched to. main must not return: it ends by end_in.
void make_suspended(fibre::suspended& made, void* stack, std::size_t bytes, void (*main)(void*), void* argument);

/// Leaves `from` for good, and goes on with `to`.
[[noreturn]] void end_in(fibre::suspended& from, fibre::suspended& to) noexcept;

}  // namespace leat::inline LEAT_ABI::platform
