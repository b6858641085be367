// Programs in simulated worlds: any machine, any number of workers, and the same again from the same seed.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "leat/platform/chosen.hpp"

namespace leat::inline LEAT_ABI {

/// The part of a core that work needs most: `any`, `integer`, `floating`, `memory`.
using platform::work_kind;

/// Tells the simulation that the calling thread computes for `ns` nanoseconds, and moves `bytes` from memory or to it.
/// A simulation knows of no other time than that, and the time of the runtime's own steps. Bytes take time if the
/// machine file has `memory_gb_s`. Work on two units of one core is slower, as the machine file says for the kinds of
/// both (`smt_slowdown`, `smt_pairs`). On a real machine the call does nothing.
///
/// Any thread may call it. Costs nothing on a real machine.
/// \param ns     nanoseconds of work, 0 to 10^15, or the world fails
/// \param bytes  bytes moved from memory or to it, 0 to 10^15, or the world fails
/// \param kind   the part of a core that the work needs most; it matters to units of one core where the machine file
///          has `smt_pairs`
inline void work_ns(double ns, double bytes = 0, work_kind kind = work_kind::any) noexcept {
  platform::chosen::work_ns(ns, bytes, kind);
}

/// The order in which the threads of a world go on.
enum class simulated_order : std::uint8_t {
  by_time,  ///< the thread whose own time is least; costs are those of the machine
  at_random,  ///< a thread drawn from the seed at every step, which takes 1 ns
  by_priority,  ///< by priorities drawn from the seed, with a few changes
};

/// Options of a simulation. A value.
struct simulation_options {
  std::string machine;  ///< a machine file, for by_time; empty: as many units as are needed, equally far apart
  std::uint64_t seed = 0;
  simulated_order order = simulated_order::by_time;
  std::uint64_t steps_max = 20'000'000'000;  ///< the most steps of all threads together; more count as a livelock
  std::uint64_t stack_bytes = std::uint64_t{1} << 23;  ///< of each thread; what it does not touch takes no memory
};

/// The result of a simulation. A value.
struct simulated_run {
  std::uint64_t ns = 0;  ///< simulated time
  std::uint64_t steps = 0;  ///< steps that other threads could notice
  std::uint64_t trace = 0;  ///< a hash of these steps

  /// The shares of time by what it went into; together 1, if there was any.
  struct shares {
    double work = 0;  ///< what the program declared
    double memory = 0;  ///< loads, stores, read-modify-writes, fences of lines at hand
    double lines = 0;  ///< waiting for cache lines that others had
    double spinning = 0;  ///< pauses, yields, reading the clock
    double waking = 0;  ///< waking and interrupting others, starting threads, being interrupted
    double asleep = 0;
  };
  shares spent;  ///< of all threads but the first
  std::vector<shares>
      threads;  ///< of each of these; those of a runtime that is the world's first are its workers, in order
};

/// Tells that a world failed: no thread could go on, there was no end (steps_max), work_ns was out of range, or a
/// thread let out an exception. what() has the state of every thread, and the last events.
class LEAT_SHARED simulation_failed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Calls main() as the first thread of a world, which ends when all its threads have ended. Memory that is allocated in
/// the world is gone then: main() leaves results as plain values, or in memory that was made before. In a program that
/// was not compiled with LEAT_PLATFORM=simulated it only calls main(), reads no machine file, and all numbers of the
/// result but `ns` are 0.
///
/// Thread safety: any thread may call it, one world at a time in a process. Costs 100 to 200 ns of the host for each
/// step of the world.
/// \return what happened in the world
/// \throws simulation_failed      the world failed
/// \throws std::invalid_argument  a machine file that cannot be read; the message names it, and the member that is
///         wrong
simulated_run simulate(const simulation_options& how, const std::function<void()>& main);

#if defined(LEAT_ON_SYSTEM_THREADS)

inline simulated_run simulate(const simulation_options&, const std::function<void()>& main) {
  const std::uint64_t begun = platform::native::now_ns();
  main();
  return {platform::native::now_ns() - begun, 0, 0, {}, {}};
}

#endif

}  // namespace leat::inline LEAT_ABI
