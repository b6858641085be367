// Workers that have places on a machine: whom they ask, and that they get all done.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "engines.hpp"
#include "leat/protocol/victims.hpp"
#include "leat/topology/machine.hpp"
#include "leat/topology/places.hpp"

namespace {

using leat::platform::native;

using leat::protocol::worker_id;
using leat::topology::machine;

leat::scheduler::settings on(const machine& m, std::uint32_t workers) {
  leat::scheduler::settings s;
  s.workers = workers;
  s.spares = workers;
  s.spin_ns = s.patience_ns = 20'000;
  s.published = leat_test::published_scheduler();
  s.distance = [&m](worker_id a, worker_id b) { return m.distance(a % m.units(), b % m.units()); };
  return s;
}

template <class P>
long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = leat::task::fork_join<P>([n] { return fib<P>(n - 1); }, [n] { return fib<P>(n - 2); });
  return a + b;
}

TEST(near, victims_get_all_done) {
  using P = native;
  const machine m = machine::synthetic("package:2 numa:2 core:4 pu:2");
  for (const std::uint32_t workers : {1u, 2u, 3u, 8u, 64u}) {
    SCOPED_TRACE(workers);
    leat::scheduler::channel_scheduler<P> scheduler(on(m, workers));
    for (int round = 0; round < leat_test::reps(20); ++round) {
      std::atomic<int> done{0};
      const auto all = [&] {
        for (int i = 0; i < 500; ++i) leat::task::spawn<P>([&] { done.fetch_add(1, std::memory_order_relaxed); });
        const long result = fib<P>(15);
        leat::task::barrier<P>();
        return result;
      };
      EXPECT_EQ(leat::entry::execute_run(scheduler, all), 610);
      EXPECT_EQ(done.load(), 500);
    }
  }
}

}  // namespace
