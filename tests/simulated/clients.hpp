// Small programs that check themselves, to be run in simulated worlds.
#pragma once

#include <cstdint>
#include <vector>

#include "../engines.hpp"

namespace leat_test {

/// What a client is told of its world.
struct scene {
  shape of;
  std::uint64_t seed = 0;  ///< of what the client draws
  bool threads_may_fail = false;
  bool memory_may_fail = false;

  /// A number below `end`, the same for the same key in whatever order things happen.
  std::uint32_t drawn(std::uint64_t key, std::uint32_t end) const;

  bool is(leat::protocol::published p) const { return of.published == p; }
  /// As published, a wait runs anybody's task, and one run is under way at a time.
  bool waits_run_strangers() const { return of.published && !is(leat::protocol::published::none); }
  /// As published, a victim keeps its lone task, or makes none public in the midst of another one.
  bool keeps_a_lone_task() const { return is(leat::protocol::published::lcws_conservative); }
  bool gives_nothing_inside_a_task() const {
    return is(leat::protocol::published::lcws_user) || is(leat::protocol::published::prell);
  }
};

/// Each runs in a world, and lets out what a failing thread or allocation lets out.
namespace client {

void forks_plain(const scene& s);
void forks_context(const scene& s);
void spawns_and_barriers(const scene& s);
void groups(const scene& s);
void groups_in_recursion(const scene& s);
void groups_cancelled(const scene& s);
void groups_in_forks(const scene& s);
void graphs(const scene& s);
void tasks_after(const scene& s);
void futures(const scene& s);
void futures_shared(const scene& s);
void loops(const scene& s);
void loops_spawned(const scene& s);
void two_threads(const scene& s);
void runs_capped(const scene& s);
void runtimes_come_and_go(const scene& s);
void runtimes_call_each_other(const scene& s);
void blocking(const scene& s);
void exceptions(const scene& s);
void teams(const scene& s);
void places(const scene& s);
void lock_across_waits(const scene& s);
void lock_wanted_by_forks(const scene& s);
void lifeline(const scene& s);
void long_fork(const scene& s);
void waits_any(const scene& s);
void waits_any_for_another_run(const scene& s);

}  // namespace client

struct program {
  const char* name;
  void (*run)(const scene&);
};

/// All of them.
const std::vector<program>& programs();

}  // namespace leat_test
