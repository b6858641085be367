// The profile of a program: what its workers did, as the library writes it to the file that LEAT_PROFILE names.

#pragma once

#include <leat/profile/activity.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat::cli {

/// What a worker does during an interval.
enum class cause : std::uint8_t {
  running,         ///< a task
  searching,       ///< idle, awake
  asleep,          ///< idle
  waiting,         ///< in a join, for a group or a future, awake
  waiting_asleep,  ///< in such a wait
  answering,       ///< inside the runtime: polls, answers to thieves
  blocked,         ///< in leat::blocking
  outside,         ///< its thread is in no call, or it has not begun
};

/// In the order of the enumerators, which is that of leat::profile::activity; the file has the letters.
inline constexpr std::string_view cause_letters = leat::profile::activity_letters;
inline constexpr std::size_t cause_count = cause_letters.size();
inline constexpr std::array<std::string_view, cause_count> cause_names = {
    "running tasks", "searching", "asleep", "waiting", "waiting, asleep", "inside the runtime", "blocked", "outside"};

struct profile_interval {
  cause what = cause::outside;
  std::uint64_t begin_ns = 0;  ///< from the start of the recording
  std::uint64_t end_ns = 0;
};

/// All times between two operations of a worker that are from 2^log2 to 2^(log2+1)-1 ns long, of those that were sampled.
struct profile_gaps {
  unsigned log2 = 0;
  std::uint64_t count = 0;
  std::uint64_t total_ns = 0;
};

/// How many intervals of a cause there are, and how long they take together.
struct profile_sum {
  std::uint64_t ns = 0;
  std::uint64_t count = 0;
};

struct profiled_worker {
  std::uint64_t number = 0;
  std::map<std::string, std::uint64_t> counters;
  std::uint64_t ran_ns = 0;  ///< CPU time
  std::uint64_t queued_ns = 0;  ///< ready, without a CPU
  std::uint64_t samples = 0;
  std::map<unsigned, std::uint64_t> calls;  ///< samples inside a system call, by its number
  std::vector<profile_gaps> gaps;
  std::vector<profile_interval> intervals;  ///< one after the other, without gaps
  std::array<profile_sum, cause_count> sums{};

  [[nodiscard]] const profile_sum& sum(cause c) const { return sums[static_cast<std::size_t>(c)]; }
};

struct profiled_runtime {
  std::uint64_t id = 0;
  std::string kind;
  std::uint64_t workers = 0;
  std::string scheduler;
  std::vector<profiled_worker> of_worker;
};

/// Work and span of the whole program, or of a call site.
struct profiled_span {
  std::string site;  ///< FILE:LINE; empty for the whole
  std::uint64_t work_ns = 0;
  std::uint64_t span_ns = 0;
  std::uint64_t burdened_ns = 0;
  std::uint64_t count = 0;  ///< strands of the whole, or calls
};

struct profile {
  std::string program;
  std::uint64_t elapsed_ns = 0;
  std::uint64_t before_ns = 0;  ///< from the start of the process to that of the recording
  std::uint64_t cpus = 0;  ///< 0: not known
  std::optional<double> quota_cpus;
  std::uint64_t throttled_ns = 0;
  std::uint64_t user_ns = 0;
  std::uint64_t system_ns = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::optional<std::uint64_t> gap_cost_ns;  ///< what reading the clock adds to each time between two operations
  std::vector<profiled_runtime> runtimes;
  std::optional<profiled_span> span;
  std::vector<profiled_span> sites;
};

/// How many workers the runtime with the most had, at least 1.
[[nodiscard]] std::uint64_t most_workers(const profile& of);

/// Reads the text of a file. `file`: its name, for messages.
/// Throws std::invalid_argument, naming the file, the line and the offending text.
[[nodiscard]] profile read_profile(std::string_view text, const std::string& file);

/// Whether a text begins as a profile does.
inline constexpr std::string_view profile_begin = "leat profile ";
[[nodiscard]] constexpr bool is_profile(std::string_view text) { return text.starts_with(profile_begin); }

}  // namespace leat::cli
