#include "operations.hpp"

#include <string>

namespace soak {

namespace {

struct description {
  void (*perform)(scene&);
  place where;
  std::uint64_t weight;
};

// In the order of `kind`.
constexpr std::array<description, kind_count> described = {{
    {forks, place::task, 40},          {context_forks, place::task, 40}, {rows, place::task, 10},
    {spawns, place::root, 30},         {loose_tasks, place::task, 5},    {groups, place::task, 40},
    {cancellations, place::task, 8},   {futures, place::task, 15},       {shared_futures, place::task, 8},
    {dropped_futures, place::task, 5}, {loops, place::task, 15},         {spawned_loops, place::task, 10},
    {reductions, place::task, 10},     {scans, place::task, 8},          {sorts, place::task, 5},
    {locals, place::task, 5},          {long_tasks, place::task, 2},     {blocking_calls, place::task, 3},
    {handovers, place::task, 1},       {exceptions, place::task, 10},    {user_threads, place::root, 6},
    {user_bubbles, place::root, 4},    {runs_across, place::task, 1},    {strangers, place::outside, 2},
    {teams, place::outside, 2},        {runtimes, place::outside, 2},
}};

}  // namespace

mix::mix() {
  for (std::size_t k = 0; k < kind_count; ++k) weights_[k] = described[k].weight;
}

void mix::keep_only(const std::array<bool, kind_count>& kinds) {
  for (std::size_t k = 0; k < kind_count; ++k) {
    if (!kinds[k]) weights_[k] = 0;
  }
}

kind mix::draw(draws& numbers, place where) const {
  std::uint64_t all = 0;
  for (std::size_t k = 0; k < kind_count; ++k) all += described[k].where == where ? weights_[k] : 0;
  if (all == 0) return kind::fork;
  std::uint64_t left = numbers.below(all);
  for (std::size_t k = 0; k < kind_count; ++k) {
    const std::uint64_t weight = described[k].where == where ? weights_[k] : 0;
    if (left < weight) return static_cast<kind>(k);
    left -= weight;
  }
  fail("a draw fell on no kind");
}

place place_of(kind k) { return described[index_of(k)].where; }

void perform(kind k, scene& s) {
  s.book.begin(k);
  described[index_of(k)].perform(s);
  s.book.end(k);
}

void perform_inside(scene s) {
  if (s.level <= levels_max) perform(s.kinds.draw(s.numbers, place::task), s);
}

leat::options drawn_options(draws& numbers, std::uint64_t workers_max) {
  constexpr std::array strategies = {"adaptive", "steal-one", "steal-half"};
  leat::options o;
  o.workers = numbers.between(1, workers_max);
  o.scheduler = "channel";  // the published ones have no green threads, and one run at a time
  o.strategy = strategies[numbers.below(strategies.size())];
  o.seed = numbers.next();
  if (numbers.once_in(2)) o.spin_us = numbers.below(200);
  if (numbers.once_in(2)) o.interrupt_after_us = numbers.below(3) * 50;
  if (numbers.once_in(2)) o.deque_capacity = std::uint64_t{1} << numbers.below(10);
  return o;
}

}  // namespace soak
