// Clusters for tests: all ranks of a world in one thread, stepped in an order drawn from a seed, and tiny trees to count.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leat/cluster/engine.hpp"
#include "leat/cluster/local_world.hpp"
#include "leat/cluster/messages_engine.hpp"
#include "leat/cluster/rank_run.hpp"
#include "leat/cluster/rma_engine.hpp"
#include "leat/cluster/two_sided_engine.hpp"
#include "leat/platform/chosen.hpp"
#include "leat/protocol/random.hpp"

namespace leat_test {

using leat::ranks::rank_id;

/// A node of a tree whose shape is drawn from a seed.
struct twig {
  std::uint64_t seed;
  std::uint32_t depth;
};

/// Calls emit for each child of a node: up to three, fewer and fewer with depth.
template <class Emit>
void grow(const twig& t, Emit&& emit) {
  leat::protocol::random draw(t.seed);
  constexpr std::uint32_t depth_max = 9;
  if (t.depth == depth_max) return;
  for (std::uint32_t left = draw.below(4); left != 0; --left) emit(twig{draw(), t.depth + 1});
}

inline std::uint64_t count_twigs(const twig& t) {
  std::uint64_t nodes = 1;
  grow(t, [&](const twig& child) { nodes += count_twigs(child); });
  return nodes;
}

/// The name of an engine as a name of a test.
inline std::string name_of_engine(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

/// What is done to a world: how late its messages are, and who is slow.
struct plan {
  std::string_view engine = "messages";
  rank_id ranks = 2;
  std::uint64_t seed = 1;
  std::uint32_t delay_max = 0;
  std::uint32_t attempts = 8;
  leat::ranks::sharing shares;
  leat::ranks::victim_plan victims;
  std::optional<rank_id> slow;  ///< takes one step where others take fifty
  std::optional<rank_id> stalled;  ///< half of the time it takes hardly any step
};

/// One rank, with all that it needs to run many times.
class stepped_rank {
 public:
  stepped_rank(leat::ranks::local_world& w, rank_id self, const plan& p)
      : by_(w.end_of(self)), post_(*by_), engine_(made(p)), shares_(p.shares) {}

  leat::ranks::rank_parts begin() {
    post_.begin(post_.run() + 1);
    engine_->begin();
    return {by_->rank(), by_->ranks(), post_, *engine_, counters_, 0, {}, shares_};
  }

  const leat::rank_counters& counters() const noexcept { return counters_; }

 private:
  std::unique_ptr<leat::ranks::engine> made(const plan& p) {
    if (p.engine == "rma") return std::make_unique<leat::ranks::rma_engine>(*by_, post_, counters_, true, p.victims);
    if (p.engine == "two-sided")
      return std::make_unique<leat::ranks::two_sided_engine>(*by_, post_, counters_, p.victims);
    return std::make_unique<leat::ranks::messages_engine>(*by_, post_, counters_, p.attempts, p.victims);
  }

  std::unique_ptr<leat::ranks::transport> by_;
  leat::rank_counters counters_;
  leat::ranks::mail post_;
  std::unique_ptr<leat::ranks::engine> engine_;
  leat::ranks::sharing shares_;
};

/// Draws which rank takes the next step, as the plan says.
class turns {
 public:
  explicit turns(const plan& p) : plan_(p), draw_(p.seed * 77 + 5) {}

  rank_id next() {
    for (;;) {
      const rank_id r = draw_.below(plan_.ranks);
      if (plan_.ranks > 1 && plan_.slow == r && draw_.below(50) != 0) continue;
      if (plan_.ranks > 1 && plan_.stalled == r && steps_ % 1000 < 500 && ++waits_ % 64 != 0) continue;
      ++steps_;
      return r;
    }
  }

 private:
  plan plan_;
  leat::protocol::random draw_;
  std::uint64_t steps_ = 0;
  std::uint64_t waits_ = 0;
};

}  // namespace leat_test
