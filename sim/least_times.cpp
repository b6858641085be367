#include "least_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace leat::sim {

namespace {

[[noreturn]] void differ(const std::string& how) {
  throw std::invalid_argument(fmt::format("the computation is not that of the first recording: {}", how));
}

void expect_same(std::size_t first, std::size_t again, const std::string& what) {
  if (first != again) differ(fmt::format("{}: {}, and {} in the first one", what, again, first));
}

// Strands in a row. One that took no time was not recorded, so there may be none.
struct stretch {
  std::size_t begin;
  std::size_t end;
  std::uint64_t ns;
};

stretch strands_at(const recording& r, std::size_t at) {
  stretch s{at, at, 0};
  for (; s.end < r.words.size() && r.words[s.end].code() == strand_code::strand; ++s.end)
    s.ns += r.words[s.end].payload();
  return s;
}

void take_lesser(recording& r, const stretch& first, const stretch& again) {
  if (again.ns >= first.ns) return;
  for (std::size_t at = first.begin; at != first.end; ++at) r.words[at] = {strand_code::strand, 0};
  r.words[first.begin] = {strand_code::strand, again.ns};
}

// How many words before each one are no strands: the places of a recording, whichever strands it has.
class places {
 public:
  explicit places(const recording& r) {
    before_.reserve(r.words.size() + 1);
    for (const strand_word& w : r.words) {
      before_.push_back(count_);
      if (w.code() != strand_code::strand) ++count_;
    }
    before_.push_back(count_);
  }
  std::uint64_t of(std::uint64_t word) const { return before_[std::min<std::uint64_t>(word, before_.size() - 1)]; }

 private:
  std::vector<std::uint32_t> before_;
  std::uint32_t count_ = 0;
};

// Compares the words of two recordings that are no strands, from the first ones on.
class operations {
 public:
  operations(const recording& first, const recording& again) : first_(first), again_(again) {}

  bool are_same(const strand_word& first, const strand_word& again) {
    const bool is_name = is_named_by_next_;
    const strand_code code = first.code();
    is_named_by_next_ = code == strand_code::spawn || code == strand_code::future;
    if (code != again.code()) return false;
    if (code == strand_code::blocking) return true;  // a time
    if (is_name || names_something(code)) return first.payload() == again.payload();
    return first_.of(first.payload()) == again_.of(again.payload());
  }

 private:
  static bool names_something(strand_code code) {
    return code == strand_code::wait || code == strand_code::await || code == strand_code::loop ||
           code == strand_code::sums;
  }

  const places first_, again_;
  bool is_named_by_next_ = false;  // the group or the future of the last word
};

void take_least_strands(recording& r, const recording& again) {
  operations compared(r, again);
  for (std::size_t at = 0, at_again = 0, operation = 0;; ++at, ++at_again, ++operation) {
    const stretch first = strands_at(r, at), second = strands_at(again, at_again);
    take_lesser(r, first, second);
    at = first.end;
    at_again = second.end;
    const bool ended = at == r.words.size(), ended_again = at_again == again.words.size();
    if (ended && ended_again) return;
    if (ended != ended_again || !compared.are_same(r.words[at], again.words[at_again]))
      differ(fmt::format("they differ from operation {} on", operation));
    if (r.words[at].code() == strand_code::blocking)
      r.words[at] = {strand_code::blocking, std::min(r.words[at].payload(), again.words[at_again].payload())};
  }
}

// The blocks of a loop were ended by a clock, so those of two recordings have different iterations. Those of one block are
// taken to cost the same.
class iteration_costs {
 public:
  explicit iteration_costs(std::span<const recording::block> blocks) : blocks_(blocks) {}

  // What the iterations of the block took, if all of them are there. Calls go upwards.
  std::optional<double> of(const recording::block& wanted) {
    const std::uint64_t end = wanted.first + wanted.count;
    double sum = 0;
    std::uint64_t found = 0;
    while (at_ != blocks_.size() && blocks_[at_].first + blocks_[at_].count <= wanted.first) ++at_;
    for (std::size_t i = at_; i != blocks_.size() && blocks_[i].first < end; ++i) {
      const recording::block& b = blocks_[i];
      if (b.count == 0) continue;
      const std::uint64_t shared = std::min(end, b.first + b.count) - std::max(wanted.first, b.first);
      sum += static_cast<double>(b.cost) * static_cast<double>(shared) / static_cast<double>(b.count);
      found += shared;
    }
    return found == wanted.count ? std::optional(sum) : std::nullopt;
  }

 private:
  std::span<const recording::block> blocks_;
  std::size_t at_ = 0;
};

void take_least_blocks(recording& r, const recording& again) {
  for (std::size_t l = 0; l != r.loops.size(); ++l) {
    const recording::loop &loop = r.loops[l], &other = again.loops[l];
    expect_same(loop.iterations, other.iterations, fmt::format("iterations of loop {}", l));
    if (loop.open || other.open) continue;
    iteration_costs costs(again.blocks_of(other));
    for (recording::block& b : std::span(r.blocks).subspan(loop.first_block, loop.blocks)) {
      if (b.count == 0) continue;
      const std::optional<double> cost = costs.of(b);
      if (cost && *cost < static_cast<double>(b.cost)) b.cost = static_cast<std::uint64_t>(*cost);
    }
  }
}

void take_least_sums(recording& r, const recording& again) {
  for (std::size_t i = 0; i != r.all_sums.size(); ++i) {
    expect_same(r.all_sums[i].forks, again.all_sums[i].forks, fmt::format("forks and tasks in subtree {}", i));
    if (again.all_sums[i].work_ns < r.all_sums[i].work_ns) r.all_sums[i] = again.all_sums[i];
  }
}

void take_least_phases(recording& r, const recording& again) {
  for (std::size_t i = 0; i != r.phases.size(); ++i) {
    recording::phase& p = r.phases[i];
    if (p.is_run != again.phases[i].is_run)
      differ(fmt::format("part {} of the program is a run in one of them alone", i));
    if (!p.is_run) p.what = std::min(p.what, again.phases[i].what);
  }
}

}  // namespace

void take_least_times(recording& r, const recording& again) {
  if (r.program != again.program)
    differ(fmt::format("it is of '{}', and the first one of '{}'", again.program, r.program));
  expect_same(r.loops.size(), again.loops.size(), "loops");
  expect_same(r.all_sums.size(), again.all_sums.size(),
              "subtrees of which only the sums were recorded (a larger record=MB records all)");
  expect_same(r.phases.size(), again.phases.size(), "runs and parts between them");
  take_least_strands(r, again);
  take_least_blocks(r, again);
  take_least_sums(r, again);
  take_least_phases(r, again);
}

}  // namespace leat::sim
