// Clusters for tests: ranks of a local world on threads of the system.
#pragma once

#include <vector>

#include "leat/cluster.hpp"
#include "leat/cluster/local_world.hpp"
#include "leat/platform/native.hpp"

namespace leat_test {

/// Calls body(cluster) on each of some ranks, on a thread each.
template <class Body>
void on_ranks(leat::ranks::rank_id ranks, const leat::cluster_options& o, Body body) {
  leat::ranks::local_world world(ranks, {ranks, 3});
  std::vector<leat::platform::native::thread> threads;
  for (leat::ranks::rank_id r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      leat::cluster on(world.end_of(r), o);
      body(on);
    });
  }
  for (auto& t : threads) t.join();
}

}  // namespace leat_test
