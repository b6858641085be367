#include "recording.hpp"

#include "recorded_file.hpp"
#include "recording_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace leat::sim {

namespace {

// Has each word that made a task name the sequence that the task executed. Both are sorted by ID, so that the two are gone
// through side by side.
void link_segments(const recorded_file& file, recording& r, loose_parts& left) {
  const auto by_id = [](const loose_end& a, const loose_end& b) {
    return std::tie(a.id, a.offset) < std::tie(b.id, b.offset);
  };
  std::ranges::sort(left.segments, by_id);
  std::ranges::sort(left.makers, by_id);
  const auto refuse_twice = [&](const std::vector<loose_end>& ends, std::string_view what) {
    const auto twice = std::ranges::adjacent_find(ends, {}, &loose_end::id);
    if (twice == ends.end()) return;
    file.refuse(std::next(twice)->offset, fmt::format("ID {}: {} already at byte {}", twice->id, what, twice->offset));
  };
  refuse_twice(left.segments, "is the segment");
  refuse_twice(left.makers, "is the task that is made");
  auto executed = left.segments.cbegin();
  const std::uint64_t nothing = r.words.size();  // a sequence
  for (const loose_end& maker : left.makers) {
    if (executed == left.segments.cend() || executed->id > maker.id) {
      if (r.words[maker.word].code() != strand_code::spawn)
        file.refuse(maker.offset, fmt::format("ID {}: there is no such segment", maker.id));
      // The task was skipped, as its group had been cancelled, or the recording ended before it.
      if (r.words.size() == nothing) r.words.emplace_back(strand_code::end, 0);
      r.words[maker.word] = {strand_code::spawn, nothing};
      ++r.skipped_tasks;
      continue;
    }
    if (executed->id < maker.id) break;
    r.words[maker.word] = {r.words[maker.word].code(), executed->word};
    ++executed;
  }
  if (executed != left.segments.cend())
    file.refuse(executed->offset, fmt::format("segment {}: no fork, spawn or future made it", executed->id));
}

// The blocks of one loop, which lie in a row. A block of several iterations may have ended before its last one. Iterations
// that are in no block belong to a loop that was stopped.
void add_blocks(const recorded_file& file, recording& r, recording::loop& l, std::span<const loose_block> blocks) {
  l.first_block = r.blocks.size();
  l.blocks = blocks.size();
  std::uint64_t next = 0;
  std::uint64_t missing = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const loose_block& b = blocks[i];
    if (l.iterations == 0) file.refuse(b.offset, fmt::format("a block of loop {}: it has no iterations", b.loop_id));
    recording::block whole = b.block;
    if (whole.count > l.iterations || whole.first > l.iterations - whole.count) {
      file.refuse(b.offset, fmt::format("iterations {} to {} of loop {}: it has {}", whole.first,
                                        whole.first + whole.count, b.loop_id, l.iterations));
    }
    if (i + 1 < blocks.size() && whole.count != 0) {
      const std::uint64_t after = blocks[i + 1].block.first;
      if (after == whole.first && blocks[i + 1].block.count != 0)
        file.refuse(blocks[i + 1].offset, fmt::format("iteration {} of loop {}: is in two blocks", after, b.loop_id));
      if (after > whole.first) whole.count = std::min(whole.count, after - whole.first);
    }
    if (whole.count == 0 && !whole.open && l.first_block != r.blocks.size() && !r.blocks.back().open) {
      r.blocks.back().cost += whole.cost;
      --l.blocks;
      continue;
    }
    whole.first = std::min(whole.first, l.iterations - 1);
    missing += whole.first - std::min(whole.first, next);
    next = std::max(next, whole.first + whole.count);
    l.open = l.open || whole.open;
    r.blocks.push_back(whole);
  }
  r.missing_iterations += missing + (l.iterations - next);
}

void link_blocks(const recorded_file& file, recording& r, loose_parts& left) {
  std::ranges::sort(left.blocks, [](const loose_block& a, const loose_block& b) {
    return std::tie(a.loop_id, a.block.first, a.block.count, a.offset) <
           std::tie(b.loop_id, b.block.first, b.block.count, b.offset);
  });
  std::vector<std::uint64_t> order(left.loops.size());
  for (std::uint64_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](std::uint64_t a, std::uint64_t b) {
    return std::tie(left.loops[a].id, a) < std::tie(left.loops[b].id, b);
  });
  r.blocks.reserve(left.blocks.size());
  std::span<const loose_block> rest = left.blocks;
  const loose_loop* before = nullptr;
  for (const std::uint64_t i : order) {
    const loose_loop& l = left.loops[i];
    if (before != nullptr && before->id == l.id)
      file.refuse(l.offset, fmt::format("loop {}: began already at byte {}", l.id, before->offset));
    before = &l;
    const auto end = std::ranges::find_if(rest, [&](const loose_block& b) { return b.loop_id != l.id; });
    const auto count = static_cast<std::size_t>(end - rest.begin());
    if (!rest.empty() && rest.front().loop_id < l.id) break;
    add_blocks(file, r, r.loops[i], rest.first(count));
    rest = rest.subspan(count);
  }
  if (!rest.empty())
    file.refuse(rest.front().offset, fmt::format("loop {}: there is no such loop", rest.front().loop_id));
}

// What is awaited is a future, or a task. The makers are sorted by ID.
void link_awaits(const recorded_file& file, recording& r, const loose_parts& left) {
  r.futures = static_cast<std::uint32_t>(left.futures.size());
  r.is_task.resize(r.futures);
  for (const loose_end& awaited : left.awaited) {
    if (left.made_futures.contains(awaited.id)) continue;
    const auto maker = std::ranges::lower_bound(left.makers, awaited.id, {}, &loose_end::id);
    if (maker == left.makers.end() || maker->id != awaited.id || r.words[maker->word].code() != strand_code::spawn)
      file.refuse(awaited.offset, fmt::format("await {}: there is no such future, nor such a task", awaited.id));
    r.awaited_tasks.emplace(maker->word, static_cast<std::uint32_t>(awaited.word));
    r.is_task[awaited.word] = true;
  }
}

}  // namespace

recording read_recording(const std::string& path) {
  const recorded_file file(path);
  recording r;
  r.program = file.program();
  r.workers = file.workers();
  r.sampled = file.sampled();
  loose_parts left;
  recording_parser parser(file, r, left);
  for (const auto& stream : file.streams()) parser.parse(stream);
  link_segments(file, r, left);
  link_blocks(file, r, left);
  link_awaits(file, r, left);
  r.groups = static_cast<std::uint32_t>(left.groups.size());
  std::ranges::sort(left.phases, {}, &loose_phase::offset);
  for (const loose_phase& p : left.phases) r.phases.push_back(p.phase);
  return r;
}

}  // namespace leat::sim
