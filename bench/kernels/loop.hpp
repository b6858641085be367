// Loops of independent iterations: the five of Prell's thesis (5.4.1) and two whose iterations take nanoseconds.

#pragma once

#include "kernels/busy_loop.hpp"
#include "kernels/construct.hpp"
#include "kernels/counted_runtime.hpp"

#include <leat/platform/chosen.hpp>
#include <leat/runtime.hpp>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace leat::kernels::loop {

/// Which loop. The numbers of iterations are those of --scale 1; a serial loop takes about a second then, or less.
enum class kind : std::uint8_t {
  FG,       ///< fine grains: 1 000 000 iterations of 1 us
  CG,       ///< coarse grains: 96 iterations of 10 ms
  RG,       ///< random grains: 1000 iterations of 1 us, 10 us ... 10 ms; 5, 4, 3, 2 and 1 of fifteen
  IG,       ///< increasing grains: 200 iterations from 1 us up to 10 ms
  DG,       ///< decreasing grains: the same in reverse
  uniform,  ///< 10 000 000 iterations of about 2 ns
  ramp,     ///< 10 000 000 iterations that grow from next to nothing to some 35 ns
};

/// How a loop is split: leat::splitting, as an option names it, or at once into chunks of min(2048, n / 8w) iterations, which are forks, n
/// being the iterations and w the workers (Cilk Plus; thesis, 5.3, 5.4.1).
enum class strategy : std::uint8_t { adaptive, half, guided, eager };

struct parameters {
  loop::kind kind = kind::FG;  ///< --kind
  loop::strategy strategy = loop::strategy::adaptive;  ///< --strategy
  kernels::construct construct =
      construct::fork;  ///< --construct  fork: parallel_for; spawn: a spawned loop and a barrier; group: one of a group
  double scale = 1;  ///< --scale  times as many iterations; scale_min to scale_max
  bool polls = false;  ///< --polls  iterations poll for steal requests while they wait by the clock
  std::int64_t poll_us = 1;  ///< --poll-us  microseconds between two polls, 1 to us_max
  bool clock = false;  ///< --clock  iterations wait until the clock says that they are over; not of uniform and ramp

  /// At 10 the five are the thesis's loops in full.
  static constexpr double scale_max = 100;
  static constexpr double scale_min = 1e-6;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;

  [[nodiscard]] std::int64_t iterations() const noexcept;

  /// The same loop, short enough to be run once more, only to be counted.
  [[nodiscard]] parameters smaller() const noexcept;
};

/// The name, as people and JSON read it.
[[nodiscard]] std::string_view name(kind) noexcept;
[[nodiscard]] std::string_view name(strategy) noexcept;

/// What an iteration does: steps of a busy_loop, or, by the clock, as many nanoseconds.
struct computing {
  void operator()(std::uint64_t steps) const noexcept { busy_loop::run(steps); }
};
struct waiting {
  void operator()(std::uint64_t ns) const noexcept { busy_loop::wait(ns); }
};

/// The body of the loops whose iterations take a number of steps that grows linearly, or not at all.
template <class Work>
struct linear_body {
  std::uint64_t first;  // steps of iteration 0, and what each one has more, in units of 2^-32
  std::uint64_t slope;
  std::uint16_t* ran;

  [[nodiscard]] std::uint64_t steps(std::int64_t i) const noexcept {
    return (first + slope * static_cast<std::uint64_t>(i)) >> 32;
  }

  void operator()(std::int64_t i) const noexcept {
    Work()(steps(i));
    count(i);
  }
  void count(std::int64_t i) const noexcept { ++ran[i]; }
};

/// Of the loop with random grains: the microseconds of iteration i, the same in each program and run.
[[nodiscard]] std::uint64_t drawn_us(std::int64_t i) noexcept;

/// The body of that loop.
template <class Work>
struct drawn_body {
  std::uint64_t steps_per_us;
  std::uint16_t* ran;

  [[nodiscard]] std::uint64_t steps(std::int64_t i) const noexcept { return drawn_us(i) * steps_per_us; }

  void operator()(std::int64_t i) const noexcept {
    Work()(steps(i));
    count(i);
  }
  void count(std::int64_t i) const noexcept { ++ran[i]; }
};

/// The iterations of one loop, which note that they ran.
///
/// Thread safety: none, but for the body, whose iterations may run side by side.
class workload {
 public:
  /// `ns_per_step`: what a step of a busy_loop takes, for iterations that take microseconds. All programs that are
  /// compared must have the same one: who measures the CPU once more finds another number, and has other work.
  explicit workload(const parameters&, double ns_per_step = busy_loop::ns_per_step());

  [[nodiscard]] std::int64_t iterations() const noexcept { return static_cast<std::int64_t>(ran_.size()); }

  /// Calls loop(iterations, body), which must call body(i) for each i from 0 on and before `iterations`, and returns
  /// the seconds that this took. Before that, untimed, it has it run 20 000 other iterations of 1 us, so that all
  /// programs begin with their threads awake, each on a CPU of its own: the system takes milliseconds to part what it
  /// woke on one.
  template <class Loop>
  double time(Loop loop);

  /// How many iterations ran exactly once since the last call, or since the beginning.
  [[nodiscard]] std::uint64_t take_count();

 private:
  /// A linear body's `first` and `slope`.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> line_of_kind() const noexcept;

  template <class Work, class Loop>
  double time_with(Loop loop);

  kind kind_;
  bool clock_;
  double ns_per_step_;  // 1 by the clock
  std::vector<std::uint16_t> ran_;  // times; not of one byte, since such stores might change anything, for the compiler
};

/// Each of these runs the loop and returns the seconds that it took.

[[nodiscard]] double serial(workload&);

/// In the root of a run, by the strategy, the construct and the polls of the parameters. Throws what runtime::run throws.
[[nodiscard]] double parallel(runtime&, workload&, const parameters&);
[[nodiscard]] double parallel(counted_runtime&, workload&, const parameters&);

// ---------------------------------------------------------------------------------------------------------------------

template <class Loop>
double workload::time(Loop loop) {
  return clock_ ? time_with<waiting>(loop) : time_with<computing>(loop);
}

template <class Work, class Loop>
double workload::time_with(Loop loop) {
  const std::uint64_t steps_per_us = busy_loop::steps_of(1, ns_per_step_);
  loop(std::int64_t{20'000}, [steps_per_us](std::int64_t) { Work()(steps_per_us); });
  const auto timed = [&](auto body) {
    const std::uint64_t start = platform::chosen::now_ns();
    loop(iterations(), body);
    return static_cast<double>(platform::chosen::now_ns() - start) * 1e-9;
  };
  if (kind_ == kind::RG) return timed(drawn_body<Work>{steps_per_us, ran_.data()});
  const auto [first, slope] = line_of_kind();
  return timed(linear_body<Work>{first, slope, ran_.data()});
}

}  // namespace leat::kernels::loop
