#include "leat/platform/simulation/lines.hpp"

#include <algorithm>

namespace leat::inline LEAT_ABI::platform {

// The state of a line, made at its first use. Open addressing with linear steps; lines are never removed, so a free
// slot ends a search. At most half of the slots are used, so a search takes one or two steps on average.
// A reference is good until the next call, which may grow the table.
cache_lines::line_state& cache_lines::state_of(std::uint64_t line) {
  // Lines have consecutive numbers. 2^64 over the golden ratio spreads such numbers evenly; its upper half is well
  // mixed, so bits from 32 on are taken.
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = (line * golden >> 32) & mask;
  while (slots_[at].line != line) {
    if (slots_[at].line == no_line) {
      if (2 * (used_ + 1) > slots_.size()) {
        grow();
        return state_of(line);
      }
      ++used_;
      slots_[at].line = line;
      break;
    }
    at = (at + 1) & mask;
  }
  return slots_[at];
}

void cache_lines::grow() {
  std::vector<line_state> old(2 * slots_.size());
  old.swap(slots_);
  used_ = 0;
  for (const line_state& l : old) {
    if (l.line != no_line) state_of(l.line) = l;
  }
}

// The one place where the unit may keep a copy of the line: caches are direct-mapped. A unit's cache is allocated
// when it first touches a line, 16 KiB, as machine files have more units than most worlds use.
cache_lines::place& cache_lines::place_of(std::uint64_t line, std::uint32_t unit) {
  if (unit >= caches_.size()) caches_.resize(unit + 1);
  auto& cache = caches_[unit];
  if (cache.empty()) cache.resize(places);
  // Blocks that are alike lie at large powers of two from each other: the upper bits count, too.
  return cache[(line ^ line >> 10 ^ line >> 20) % places];
}

// A line that no unit had before comes at no cost: the world's memory is fresh, and memory itself is not modelled.
std::uint64_t cache_lines::transfer_ps(std::uint32_t from, std::uint32_t to) const {
  return from == nobody ? 0 : static_cast<std::uint64_t>(machine_.line_between(from, to) * 1000);
}

std::uint64_t cache_lines::read(std::uint64_t line, std::uint32_t unit, std::uint64_t ps) {
  line_state& l = state_of(line);
  place& here = place_of(line, unit);
  if (here.line == line && here.version == l.version) return ps;
  const std::uint64_t begins = std::max(ps, l.busy_ps);
  // The reader joins the queue, and does not make it longer: the next reader begins at the same time.
  here = {line, l.version};
  if (l.writer == unit) return begins;  // another line was in its place meanwhile
  l.reader = unit;
  return begins + transfer_ps(l.writer, unit);
}

// The news to the last reader counts as a transfer, since the writer waits for the answer. A unit that was the last
// reader itself pays for the writer's copy alone.
std::uint64_t cache_lines::write(std::uint64_t line, std::uint32_t unit, std::uint64_t ps) {
  line_state& l = state_of(line);
  // The unit has it alone: no other copy is good, and nothing is to be told. Whether its place has another line by
  // now makes no difference to the others.
  if (l.writer == unit && l.reader == nobody) return ps;
  const std::uint64_t begins = std::max(ps, l.busy_ps);
  // From who had it alone, or else the news to who has read it and back.
  const std::uint64_t has_it =
      begins + std::max(transfer_ps(l.writer, unit), l.reader == unit ? 0 : transfer_ps(l.reader, unit));
  l.version += 1;
  l.writer = unit;
  l.reader = nobody;
  l.busy_ps = has_it;
  place_of(line, unit) = {line, l.version};
  return has_it;
}

void cache_lines::clear() {
  slots_.assign(slots_at_first, line_state{});
  used_ = 0;
  for (auto& cache : caches_) std::fill(cache.begin(), cache.end(), place{});
}

}  // namespace leat::inline LEAT_ABI::platform
