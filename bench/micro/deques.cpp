// The deque of a worker in the schedulers' three uses of it: all private, some public, all public. One thread plays
// owner and thief, so a steal costs its instructions, and no cache line travels.

#include <leat/deque/private.hpp>
#include <leat/platform/native.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace {

struct task {
  std::array<std::uint64_t, 8> words;  // as large as a task of the runtime
};
using deque = leat::deque::private_deque<leat::platform::native, task>;

constexpr std::size_t capacity = 1024;
constexpr auto wanted = [] { return true; };

void push(deque& d, std::uint64_t n) {
  d.room()->words[0] = n;
  d.push();
}

void push_and_pop(benchmark::State& state) {
  deque d(capacity);
  push(d, 0);
  std::uint64_t next = 0;
  for (auto _ : state) {
    push(d, ++next);
    const task* const got = d.pop();
    if (got == nullptr || got->words[0] != next) return state.SkipWithError("the task was lost");
  }
}
BENCHMARK(push_and_pop)->Name("deque/channel/push_and_pop");

void push_and_pop_public(benchmark::State& state) {
  deque d(capacity, true);
  push(d, 0);
  d.open(1);
  std::uint64_t next = 0;
  for (auto _ : state) {
    push(d, ++next);
    d.open(0);
    const task* const got = d.pop_public();
    if (got == nullptr || got->words[0] != next) return state.SkipWithError("the task was lost");
  }
  d.close();
}
BENCHMARK(push_and_pop_public)->Name("deque/chase-lev/push_and_pop");

void push_and_pop_above_public(benchmark::State& state) {
  deque d(capacity);
  push(d, 0);
  d.open(1);
  std::uint64_t next = 0;
  for (auto _ : state) {
    push(d, ++next);
    const task* const got = d.pop();
    if (got == nullptr || got->words[0] != next) return state.SkipWithError("the task was lost");
  }
  d.close();
}
BENCHMARK(push_and_pop_above_public)->Name("deque/split/push_and_pop");

// Copies the tasks, as a thief does.
void take(benchmark::State& state, deque& from, deque& to, const deque::run& lent) {
  if (to.take(lent) != 1 || to.pop_without_poll() == nullptr) state.SkipWithError("the task was lost");
  from.give_back();
}

void lend(benchmark::State& state) {
  deque victim(capacity);
  deque thief(capacity);
  for (auto _ : state) {
    push(victim, 1);
    take(state, victim, thief, victim.lend(1));
    victim.rewind();
  }
}
BENCHMARK(lend)->Name("deque/channel/push_and_lend");

template <bool all_public>
void steal(benchmark::State& state) {
  deque victim(capacity, all_public);
  deque thief(capacity);
  for (auto _ : state) {
    push(victim, 1);
    victim.open(1);
    take(state, victim, thief, victim.steal(wanted));
    victim.close();
    victim.rewind();
  }
}
BENCHMARK(steal<true>)->Name("deque/chase-lev/push_open_steal_and_close");
BENCHMARK(steal<false>)->Name("deque/split/push_expose_steal_and_close");

}  // namespace
