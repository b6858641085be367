// The parts of the scheduler of green threads on a small machine, without a carrier that executes.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "carried.hpp"
#include "leat/bubble/thread_scheduler.hpp"

namespace leat_test {

using namespace leat::bubbles;
using leat::topology::domain_id;
using leat::topology::machine;
using native = engine::platform;

// Two nodes of two units: 0 is the machine, 1 and 4 are the nodes, 2, 3, 5, 6 the units.
inline machine two_nodes() { return machine::synthetic("numa:2 pu:2"); }
inline constexpr domain_id node_0 = 1, unit_0 = 2, unit_1 = 3, node_1 = 4, unit_2 = 5, unit_3 = 6;

struct still_thread final : green_thread<native> {
  explicit still_thread(thread_scheduler<native>& of, std::int32_t p = 0) : green_thread(of, p, {}, 0) {}
  void call() override {}
};

inline int accepted = 0;
inline void accept_nothing(thread_scheduler<native>&, const std::shared_ptr<offer<native>>&) { ++accepted; }

// All parts on a machine, without a carrier that executes.
struct parts_of {
  explicit parts_of(machine m = two_nodes())
      : home(std::make_shared<thread_scheduler<native>>(std::move(m), nullptr, accept_nothing)) {}

  std::vector<domain_id> path(leat::topology::unit_id u) const {
    auto p = home->machine().path(u);
    return {p.rbegin(), p.rend()};
  }
  bubble_node<native> make(const bubble_plan& p = {}) const { return {home, home->threads.number_bubble(), p}; }
  green_thread<native>* first_on(domain_id d) const { return home->places.take_first(d, INT32_MIN); }

  std::shared_ptr<thread_scheduler<native>> home;
};

// A carrier of the calling worker, as others see it.
struct seen_carrier {
  seen_carrier(const parts_of& p, leat::topology::unit_id u)
      : of(p), state(p.home->carriers, *leat::scheduler::worker<native>::current(), u, p.path(u)) {
    of.home->carriers.join(state);
  }
  ~seen_carrier() { of.home->carriers.leave(state); }

  const parts_of& of;
  carrier_state<native> state;
};

// A thread executes for a moment, wherever it is, and ends.
inline void end(const parts_of& p, still_thread& s) {
  if (s.listed) p.home->lists[s.area].remove(s);
  if (s.now != green_thread<native>::phase::running) p.home->places.go_on(s);
  p.home->members.end(s);
}

// Calls f on a worker.
template <class F>
void on_worker(F f) {
  engine e({.workers = 1});
  e.run(f);
}

}  // namespace leat_test
