// Work stealing as the papers have it for a baseline: every task is public from the moment it is made (Chase and Lev).
// docs/guide/work_stealing.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "leat/published/hunting.hpp"

namespace leat::inline LEAT_ABI::published {

/// The worker's task stack has `all_public`: each push, pop and join comes here.
template <class P>
class work_stealing final : public hunting<P> {
 public:
  using typename hunting<P>::worker;
  using typename hunting<P>::slot;
  using typename hunting<P>::forks;
  using typename hunting<P>::wanted_task;

  work_stealing(worker& me, turns<P>& all, protocol::worker_id id, const scheduler::settings& s)
      : hunting<P>(me, all, id, s.seed, s.strategy == protocol::strategy::steal_half) {}

  void attached() override {
    auto& stack = this->me_.stack();
    stack.tasks.open(0);
    stack.tls_forks.open(0);
    stack.context_forks.open(0);
    hunting<P>::attached();
  }

  void pushed() override { poll(); }
  void poll() override {
    this->me_.runner.take_over_account();  // GROUP-6
    this->me_.stack().tasks.open(0);
  }
  work::record* next(wanted_task wanted) override {
    auto& tasks = this->me_.stack().tasks;
    if (tasks.newest_public() != nullptr) {
      // Taken before it is examined: what a thief has taken may name what is freed.
      work::record* const task = tasks.pop_public();
      if (task == nullptr || wanted(*task)) return task;
      tasks.push();
      tasks.open(0);
      return nullptr;
    }
    // Back to the first slots, which are in the cache.
    tasks.close();
    tasks.rewind();
    tasks.open(0);
    return nullptr;
  }
  bool keeps(forks& of, slot* s) override { return of.pop_public(s); }
  void joined(forks& of) override { of.open(0); }

  void interrupted(bool) noexcept override {}
  void tasks_move() override { this->me_.stack().tasks.close(); }
  bool has_tasks() override { return this->me_.stack().tasks.newest_public() != nullptr; }
  std::size_t unserved() override { return 0; }
  std::size_t idle_thieves() override { return this->idle_others(); }

 private:
  bool found_private(bool) override { return false; }
  void taken_from() override {}
};

}  // namespace leat::inline LEAT_ABI::published
