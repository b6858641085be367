#include "least_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace leat::sim {

namespace {

[[noreturn]] void differ(const std::string& where) {
  throw std::invalid_argument(fmt::format("the computation differs from that of the first recording: {}", where));
}

void expect_same(std::size_t first, std::size_t again, const char* what) {
  if (first != again) differ(fmt::format("it has {} {}, and the first one {}", again, what, first));
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

// Whether the payload says what is done, not where the program goes on, or how long it takes.
bool names_something(strand_code code) {
  return code == strand_code::wait || code == strand_code::await || code == strand_code::loop ||
         code == strand_code::sums;
}

void take_least_strands(recording& r, const recording& again) {
  std::uint64_t operations = 0;
  for (std::size_t at = 0, at_again = 0;; ++at, ++at_again, ++operations) {
    const stretch first = strands_at(r, at), second = strands_at(again, at_again);
    take_lesser(r, first, second);
    at = first.end;
    at_again = second.end;
    const bool ended = at == r.words.size(), ended_again = at_again == again.words.size();
    if (ended && ended_again) return;
    if (ended != ended_again || r.words[at].code() != again.words[at_again].code())
      differ(fmt::format("at operation {}", operations));
    const std::uint64_t payload = again.words[at_again].payload();
    const strand_code code = r.words[at].code();
    if (names_something(code) && r.words[at].payload() != payload) differ(fmt::format("at operation {}", operations));
    if (code == strand_code::blocking) r.words[at] = {code, std::min(r.words[at].payload(), payload)};
  }
}

// The blocks of a loop were ended by a clock, so those of two recordings have different iterations. Those of one block are
// taken to cost the same.
class iteration_costs {
 public:
  explicit iteration_costs(std::span<const recording::block> blocks) : blocks_(blocks) {}

  // Of the iterations from `first` on. Calls go upwards.
  double of(std::uint64_t first, std::uint64_t count) {
    double sum = 0;
    const std::uint64_t end = first + count;
    while (at_ != blocks_.size() && blocks_[at_].first + blocks_[at_].count <= first) ++at_;
    for (std::size_t b = at_; b != blocks_.size() && blocks_[b].first < end; ++b) {
      const recording::block& block = blocks_[b];
      if (block.count == 0) continue;
      const std::uint64_t shared = std::min(end, block.first + block.count) - std::max(first, block.first);
      sum += static_cast<double>(block.cost) * static_cast<double>(shared) / static_cast<double>(block.count);
    }
    return sum;
  }

 private:
  std::span<const recording::block> blocks_;
  std::size_t at_ = 0;
};

void take_least_blocks(recording& r, const recording& again) {
  for (std::size_t l = 0; l != r.loops.size(); ++l) {
    const recording::loop &loop = r.loops[l], &other = again.loops[l];
    expect_same(loop.iterations, other.iterations, fmt::format("iterations in its loop {}", l).c_str());
    if (loop.open || other.open) continue;
    iteration_costs costs(again.blocks_of(other));
    for (recording::block& b : std::span(r.blocks).subspan(loop.first_block, loop.blocks)) {
      if (b.count != 0) b.cost = std::min(b.cost, static_cast<std::uint64_t>(costs.of(b.first, b.count)));
    }
  }
}

void take_least_sums(recording& r, const recording& again) {
  for (std::size_t i = 0; i != r.all_sums.size(); ++i)
    if (again.all_sums[i].work_ns < r.all_sums[i].work_ns) r.all_sums[i] = again.all_sums[i];
}

void take_least_phases(recording& r, const recording& again) {
  for (std::size_t i = 0; i != r.phases.size(); ++i) {
    recording::phase& p = r.phases[i];
    if (p.is_run != again.phases[i].is_run) differ(fmt::format("at part {} of the program", i));
    if (!p.is_run) p.what = std::min(p.what, again.phases[i].what);
  }
}

}  // namespace

void take_least_times(recording& r, const recording& again) {
  expect_same(r.loops.size(), again.loops.size(), "loops");
  expect_same(r.all_sums.size(), again.all_sums.size(), "subtrees of which only the sums were recorded");
  expect_same(r.phases.size(), again.phases.size(), "runs and parts between them");
  take_least_strands(r, again);
  take_least_blocks(r, again);
  take_least_sums(r, again);
  take_least_phases(r, again);
}

}  // namespace leat::sim
