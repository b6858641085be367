// Schedulers and rivals beside each other on one kernel: how they are measured, and what may be said about their times.

#pragma once

#include "compared_kernel.hpp"
#include "counted_run.hpp"
#include "run_counters.hpp"

#include <leat/options.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat::cli {

/// How times spread over the rounds, in seconds.
struct spread {
  double median = 0;
  double p10 = 0;  ///< 10th percentile
  double p90 = 0;  ///< 90th percentile
  std::vector<double> rounds;
};

/// With fewer rounds than this, percentiles say too little: no difference is called.
inline constexpr unsigned rounds_to_judge = 5;

/// What may be said of a program's times beside the best one's.
enum class standing : std::uint8_t {
  best,  ///< the least median
  alike,  ///< not told apart: the noise could have made the difference (see `compare`)
  slower,  ///< it could not
  undecided,  ///< fewer rounds than rounds_to_judge
};

/// The name, as people and JSON read it.
[[nodiscard]] std::string_view name(standing) noexcept;

/// How long the work is by which the noise is measured: longer than the system lets a thread run while others want to.
inline constexpr std::int64_t noise_us = 10'000;

/// One program's part of a comparison.
struct compared_program {
  std::string name;  ///< of the scheduler or the rival
  spread seconds;
  double of_best = 0;  ///< its median over the least one, of schedulers and rivals
  std::optional<double> speedup;  ///< the serial median over its own; none where the serial program was not run
  std::optional<spread> alone;  ///< its times with one worker, where that was asked for
  std::optional<double> overhead;  ///< that median over the serial one: what it costs that work may be stolen
  cli::standing standing = standing::undecided;
};

struct compared_scheduler : compared_program {
  run_counters counters;  ///< of a timed run, the median of each
  std::optional<counted_run> counted;  ///< where that was asked for
};

/// How to measure.
struct comparing {
  std::vector<std::string> schedulers;
  std::vector<std::filesystem::path> rivals;  ///< their programs
  leat::options options;  ///< of each runtime, but for its scheduler
  unsigned repeat = 0;  ///< rounds
  unsigned warmup = 0;  ///< runs right before each timed one
  bool serial = true;  ///< whether the serial program takes part
  bool alone = false;  ///< whether each scheduler and rival takes part with one worker, too
  bool shows_progress = true;  ///< on a terminal
};

struct comparison {
  /// Of one and the same piece of serial work of noise_us, before each turn: what the machine alone makes of times. None
  /// where there are too few rounds to judge by it.
  std::optional<spread> noise;

  /// How many times as long as the best median another one must be to be slower; none where nobody is judged.
  std::optional<double> told_apart_above;
  std::optional<spread> serial;
  std::vector<compared_scheduler> schedulers;  ///< in the order given
  std::vector<compared_program> rivals;  ///< those that have a program for the kernel

  /// What a rival does not do, with some number of workers, by its name.
  std::map<std::string, std::string> left_out;
};

/// Runs each scheduler and rival, and the serial program, once a round, in an order that is drawn anew for each.
///
/// Each scheduler has one runtime for all rounds; the workers of the others sleep while it runs. A runtime for each
/// round would touch the memory of its deques for the first time again: a million tasks of SPC took 31 ms then instead
/// of 13, until four runs had warmed it up. What counts as much is to warm up right before each timed run: without
/// that, six runtimes of one and the same scheduler had medians a quarter apart (SPC, 200 000 tasks), with it 4 %; three
/// with a million tasks were still 17 % apart, with ranges that overlapped.
///
/// Rivals are processes that are stopped but for their turns (rival.hpp).
///
/// A program is slower than the best one where their ranges from the 10th to the 90th percentile do not overlap, and
/// their medians differ by more than the noise does between its 10th and 90th percentile, and by more than the programs
/// do, in the median of them: two busy threads meet more disturbances than one that measures the noise. Else they are
/// alike. Among six programs that were one and the same, with times that spread normally and noise that is much less,
/// one is called slower in 5 of 100 comparisons with 5 rounds, and in 1 of 500 with 7; among twelve in 15 and 2 of 100.
///
/// Shows on a terminal which run is under way. Throws std::runtime_error at the first wrong result, and where a rival
/// fails, and what the runs throw.
[[nodiscard]] comparison compare(compared_kernel&, const comparing&);

}  // namespace leat::cli
