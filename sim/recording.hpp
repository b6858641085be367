// A recorded computation, in memory: what it did, and not where or when.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace leat::sim {

/// What a word of a computation means.
enum class strand_code : std::uint8_t {
  end,  ///< of a sequence. Of the first callable of a fork: the payload is where the program goes on after the join
  strand,  ///< the program runs for so many nanoseconds
  jump,  ///< the sequence goes on at this word
  fork,  ///< the first callable follows, the second is the sequence at this word
  spawn,  ///< of the sequence at this word, in the group that the next word names; 0: in none
  wait,  ///< for a group
  barrier,  ///< for all tasks of the run
  loop,  ///< of this place among the loops
  future,  ///< of the sequence at this word; the next word names the future
  await,  ///< a future, or a task
  blocking,  ///< in leat::blocking, for so many nanoseconds
  sums,  ///< a part of which only these sums are known
};

/// A word: a code in the lowest bits, its payload above.
class strand_word {
 public:
  static constexpr unsigned code_bits = 4;
  static constexpr std::uint64_t payload_max = ~std::uint64_t{0} >> code_bits;

  constexpr strand_word(strand_code code, std::uint64_t payload)
      : bits_(payload << code_bits | static_cast<std::uint64_t>(code)) {}

  [[nodiscard]] constexpr strand_code code() const noexcept {
    return static_cast<strand_code>(bits_ & ((1u << code_bits) - 1));
  }
  [[nodiscard]] constexpr std::uint64_t payload() const noexcept { return bits_ >> code_bits; }

 private:
  std::uint64_t bits_;
};

/// A recording. A value; 8 bytes a word, of which a fork takes three, a task three, and a strand one.
struct recording {
  /// Iterations in a row of a loop. None: work of the loop that belongs to no iteration, before the one it names.
  struct block {
    std::uint64_t first;
    std::uint64_t count;
    std::uint64_t cost;  ///< nanoseconds, or the sequence that they were, if `open`
    bool open;
  };
  /// Of a part of the computation, whose operations are not recorded.
  struct sums {
    std::uint64_t work_ns;
    std::uint64_t span_ns;  ///< of its longest chain; the work at most
    std::uint64_t strands;
    std::uint64_t forks;  ///< forks, tasks and blocks of loops
  };
  struct loop {
    std::uint64_t iterations;
    std::uint64_t first_block;  ///< those before this one are of other loops
    std::uint64_t blocks;
    bool open;  ///< some block is
  };
  /// A part of the program, one after the other: a run, or time outside of all runs.
  struct phase {
    bool is_run;
    std::uint64_t what;  ///< the run's sequence, or nanoseconds
  };

  std::string program;
  std::uint64_t workers = 0;  ///< of the runtime when it was recorded
  std::uint64_t sampled = 1;  ///< of subtrees of fewer bytes only the sums are recorded
  std::vector<strand_word> words;
  std::vector<sums> all_sums;
  std::vector<loop> loops;
  std::vector<block> blocks;  ///< of a loop in a row, by their first iterations
  std::vector<phase> phases;
  std::uint32_t groups = 0;  ///< are named 1 to this number
  std::uint32_t futures = 0;  ///< and the tasks that others wait for: are named 0 to below this number
  std::unordered_map<std::uint64_t, std::uint32_t> awaited_tasks;  ///< their names, by the words that spawn them
  std::vector<bool> is_task;  ///< by name, or else it is a future
  std::uint64_t skipped_tasks = 0;  ///< spawned, and not executed in the recording
  std::uint64_t missing_iterations = 0;  ///< that are in no block: those of loops that were stopped

  [[nodiscard]] std::span<const block> blocks_of(const loop& l) const noexcept {
    return std::span(blocks).subspan(l.first_block, l.blocks);
  }

  /// The name of the task that this word spawns, if others wait for it.
  [[nodiscard]] std::optional<std::uint32_t> name_of_task(std::uint64_t spawn) const {
    if (awaited_tasks.empty()) return std::nullopt;
    const auto known = awaited_tasks.find(spawn);
    return known == awaited_tasks.end() ? std::nullopt : std::optional(known->second);
  }

  /// The tasks that the sequence waits for before all else: it begins when they are done.
  [[nodiscard]] std::vector<std::uint32_t> tasks_before(std::uint64_t sequence) const {
    std::vector<std::uint32_t> names;
    for (; words[sequence].code() == strand_code::await && is_task[words[sequence].payload()]; ++sequence)
      names.push_back(static_cast<std::uint32_t>(words[sequence].payload()));
    return names;
  }
};

/// Reads a file. Linear in its bytes, but for sorting what one worker made and another executed.
/// \throws bad_recording  it is malformed; std::invalid_argument, it cannot be read
[[nodiscard]] recording read_recording(const std::string& path);

}  // namespace leat::sim
