// Whose cache has which line of simulated memory, and what it takes to get it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leat/platform/simulation/machine.hpp"

namespace leat::inline LEAT_ABI::platform {

/// Cache lines by number. A unit has a line at hand until another one writes it, or another line takes its place in the
/// unit's cache, which is small and has one place for each line.
///
/// The model, in the words of a protocol of caches: each line has a version, which a write raises unless the writer has the line alone. A copy in a
/// unit's cache is good as long as its version is the line's. Of the units that have a copy only the last reader is
/// known, so a write pays for one of several: the news to all of them travels at once.
///
/// A line that is written is on its way until the writer has it, and all that want it meanwhile wait for that: a hot
/// word is a queue. A reader holds up no other unit.
///
/// Times are picoseconds. Costs O(1) for each access, and O(levels) where a line travels. Thread safety: none; a world
/// runs on one thread of the host.
class cache_lines {
 public:
  explicit cache_lines(const machine& m) : machine_(m) { clear(); }

  /// When `unit`, which reads the line at that time, has it.
  std::uint64_t read(std::uint64_t line, std::uint32_t unit, std::uint64_t ps);

  /// When `unit`, which writes the line at that time, has it alone.
  std::uint64_t write(std::uint64_t line, std::uint32_t unit, std::uint64_t ps);

  /// How often a write of the line has had its effect, as far as wrote() was told.
  std::uint64_t writes_of(std::uint64_t line) { return state_of(line).writes; }
  void wrote(std::uint64_t line) { ++state_of(line).writes; }

  /// All lines are as if no unit had touched them. The memory of the tables stays.
  void clear();

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  static constexpr std::uint64_t no_line = ~std::uint64_t{0};
  // 64 KiB of lines of 64 bytes: between the first and the second cache of the machines that are modelled.
  static constexpr std::size_t places = 1024;  // of a unit's cache
  static constexpr std::size_t slots_at_first = 1024;
  struct line_state {
    std::uint64_t line = no_line;
    std::uint64_t busy_ps = 0;  // until when it is on its way
    std::uint32_t version = 1;
    std::uint32_t writer = nobody;  // the unit that had it alone last
    std::uint64_t writes = 0;
    std::uint32_t reader = nobody;  // the unit that has read it since, last
  };
  struct place {
    std::uint64_t line = no_line;
    std::uint32_t version = 0;
  };

  line_state& state_of(std::uint64_t line);
  void grow();
  place& place_of(std::uint64_t line, std::uint32_t unit);
  std::uint64_t transfer_ps(std::uint32_t from, std::uint32_t to) const;

  const machine& machine_;
  std::vector<line_state> slots_;  // a hash table, at most half of it full
  std::size_t used_ = 0;
  std::vector<std::vector<place>> caches_;  // by unit
};

}  // namespace leat::inline LEAT_ABI::platform
