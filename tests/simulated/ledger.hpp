// What the tasks of a client do, as they do it: each executed once, none that has no place, none inside the wrong wait.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "leat/platform/simulated.hpp"

namespace leat_test {

/// A tree of nodes: a run, a group, a loop, or a task beneath what made it (a group's task beneath the group). Nothing in it
/// is a step of the world, so nothing comes in between. What is wrong ends the world.
class ledger {
 public:
  using node = std::uint32_t;
  static constexpr node nobody = ~node{0};

  /// Something that `parent` makes, and that is to be executed once, or not at all (skipped).
  node make(node parent = nobody) {
    if (made_ == nodes_max) fail("more than " + std::to_string(nodes_max) + " nodes");
    nodes_[made_] = {parent, state::made, 0};
    return made_++;
  }

  /// What lives and is not executed: a group, a loop.
  node open(node parent) {
    const node n = make(parent);
    nodes_[n].now = state::executed;
    return n;
  }

  /// While it lives, on the stack of who executes it, `n` is being executed. Then, the one around it waits for
  /// `then_awaited`: the rest of a fork whose first callable this is.
  class execution {
   public:
    execution(ledger& l, node n, node then_awaited = nobody) : ledger_(l), then_awaited_(then_awaited) { l.begin(n); }
    execution(const execution&) = delete;
    execution& operator=(const execution&) = delete;
    ~execution() {
      ledger_.end();
      if (then_awaited_ != nobody) ledger_.await(then_awaited_);
    }

   private:
    ledger& ledger_;
    const node then_awaited_;
  };

  /// While it lives, who executes waits for `n`: nothing may begin on this thread but `n` and what descends from it, or from
  /// what is awaited in it.
  class wait {
   public:
    wait(ledger& l, node n) : ledger_(l) { l.await(n); }
    wait(const wait&) = delete;
    wait& operator=(const wait&) = delete;
    ~wait() { ledger_.await(nobody); }

   private:
    ledger& ledger_;
  };

  /// What the calling thread waits for, from here on; or nothing.
  void await(node n) {
    auto& s = stack();
    if (s.depth == 0) return;
    frame& f = s.frames[s.depth - 1];
    f.awaited = n;
    if (n == nobody || descends(n, f.executes)) return;
    if (waits_ == waits_max) fail("more than " + std::to_string(waits_max) + " waits for what others make");
    waits_known_[waits_++] = f;
  }

  /// All that descends from `n` is done. `skipped`: or has not begun.
  void expect_done(node n, bool skipped = false) const {
    for (node i = 0; i < made_; ++i) {
      if (i != n && descends(i, n)) expect_done_itself(i, skipped);
    }
  }

  /// From here on nothing that descends from `n` may begin or go on.
  void end_run(node n, bool skipped = false) {
    expect_done(n, skipped);
    nodes_[n].over = all_over;
  }

  /// From here on no task of group `n` may begin or go on; what its tasks have spawned may.
  void end_group(node n, bool skipped = false) {
    for (node i = 0; i < made_; ++i) {
      if (nodes_[i].parent == n) expect_done_itself(i, skipped);
    }
    nodes_[n].over = tasks_over;
  }

  /// How many of `n`'s children have begun.
  std::uint32_t begun(node n) const {
    std::uint32_t sum = 0;
    for (node i = 0; i < made_; ++i) sum += nodes_[i].parent == n && nodes_[i].now != state::made;
    return sum;
  }

  /// Strangers in waits are let pass: where memory is short, tasks run in place.
  void allow_strangers() { strangers_ = true; }

  [[noreturn]] static void fail(const std::string& why) {
    leat::platform::simulation::current()->fail("client: " + why);
  }
  static void expect(bool holds, const char* what) {
    if (!holds) fail(what);
  }

 private:
  static constexpr node nodes_max = 1024;
  static constexpr std::uint32_t threads_max = 32;
  static constexpr std::uint32_t waits_max = 64;
  static constexpr std::uint32_t depth_max = 128;
  static constexpr std::uint8_t tasks_over = 1;
  static constexpr std::uint8_t all_over = 2;

  enum class state : std::uint8_t { made, executes, executed };
  struct entry {
    node parent;
    state now;
    std::uint8_t over;
  };
  struct frame {
    node executes;
    node awaited;
  };
  struct frames_of_thread {
    std::array<frame, depth_max> frames;
    std::uint32_t depth;
  };

  frames_of_thread& stack() {
    const std::uint32_t thread = leat::platform::simulation::current()->here().number;
    if (thread >= threads_max) fail("thread " + std::to_string(thread) + " is beyond the ledger");
    return stacks_[thread];
  }

  bool descends(node n, node from) const {
    while (n != from && n != nobody) n = nodes_[n].parent;
    return n == from;
  }

  // Whether it descends from what is awaited; or from what that has awaited in turn (LEAPFROG-4).
  bool is_part_of(node n, node awaited) const {
    std::array<node, waits_max + 1> parts;
    std::uint32_t known = 0;
    parts[known++] = awaited;
    for (std::uint32_t i = 0; i < known; ++i) {
      if (descends(n, parts[i])) return true;
      for (std::uint32_t w = 0; w < waits_; ++w) {
        const node inner = waits_known_[w].awaited;
        const bool is_new = std::find(parts.begin(), parts.begin() + known, inner) == parts.begin() + known;
        if (is_new && descends(waits_known_[w].executes, parts[i])) parts[known++] = inner;
      }
    }
    return false;
  }

  void expect_done_itself(node n, bool skipped) const {
    if (nodes_[n].now == state::executed || (skipped && nodes_[n].now == state::made)) return;
    fail("task " + std::to_string(n) + (nodes_[n].now == state::made ? " was lost" : " still executes at its end"));
  }

  void expect_in_time(node n) const {
    if (nodes_[n].parent != nobody && nodes_[nodes_[n].parent].over == tasks_over)
      fail("task " + std::to_string(n) + " executes after its group has ended");
    for (node above = n; above != nobody; above = nodes_[above].parent) {
      if (nodes_[above].over == all_over) fail("task " + std::to_string(n) + " executes after its run has ended");
    }
  }

  void begin(node n) {
    if (nodes_[n].now != state::made) fail("task " + std::to_string(n) + " is executed twice");
    expect_in_time(n);
    auto& s = stack();
    if (s.depth == depth_max) fail("more than " + std::to_string(depth_max) + " tasks inside each other");
    const node awaited = s.depth == 0 ? nobody : s.frames[s.depth - 1].awaited;
    if (awaited != nobody && !strangers_ && !is_part_of(n, awaited))
      fail("task " + std::to_string(n) + " is executed in a wait for " + std::to_string(awaited) +
           ", which it is no part of");
    s.frames[s.depth++] = {n, nobody};
    nodes_[n].now = state::executes;
  }

  void end() {
    auto& s = stack();
    const node n = s.frames[--s.depth].executes;
    expect_in_time(n);
    nodes_[n].now = state::executed;
  }

  std::array<entry, nodes_max> nodes_;
  node made_ = 0;
  bool strangers_ = false;
  std::array<frame, waits_max> waits_known_;  // of a node for one that does not descend from it
  std::uint32_t waits_ = 0;
  std::array<frames_of_thread, threads_max> stacks_{};
};

}  // namespace leat_test
