// The end of all tasks between places (PRELL-9), at the sums themselves: workers, messages and managers in an order that is drawn.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "leat/protocol/census.hpp"
#include "leat/protocol/random.hpp"

namespace {

using leat::protocol::census;
using leat::protocol::outside;
using step = census::step;

constexpr std::uint32_t places = 3, in_place = 2, workers = places * in_place, head = 0;

std::uint32_t place_of(std::uint32_t w) { return w / in_place; }
std::uint32_t rank_of(std::uint32_t w) { return w % in_place; }

struct worker {
  std::uint32_t tasks = 0;
  std::uint32_t answered = 0;  // registered thieves of other places
  enum { busy, asks, registering, registered } is = asks;
};

struct message {
  enum { idle, update, asked, told } is;
  std::uint32_t from;  // the worker that the message is about
  std::uint32_t answered = 0;
  bool crosses = false;
  outside sums = {};
};

// Workers that give each other tasks, and a manager for each place. A channel keeps its order (PRELL-3).
class world {
 public:
  explicit world(std::uint64_t seed) : random_(seed), of_(workers), inbox_(places) {
    for (std::uint32_t p = 0; p < places; ++p)
      managers_.emplace_back(in_place, in_place, p == head ? std::optional(places - 1) : std::nullopt);
    of_[below(workers)] = {.tasks = 1 + below(4), .answered = 0, .is = worker::busy};
  }

  // One step of a worker or of a manager, which is drawn.
  void go_on() {
    const std::uint32_t who = below(workers + places);
    who < workers ? work(who) : manage(who - workers);
  }

  bool is_over() const { return over_; }
  bool has_tasks() const {
    for (const worker& w : of_)
      if (w.tasks != 0) return true;
    return false;
  }

 private:
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }

  void work(std::uint32_t w) {
    worker& me = of_[w];
    if (me.is == worker::asks) {  // its request has been everywhere
      me.is = worker::registering;
      inbox_[place_of(w)].push_back({message::idle, w, me.answered});
    } else if (me.is == worker::busy) {
      const std::uint32_t thief = below(workers);
      if (me.tasks > 1 && (of_[thief].is == worker::asks || of_[thief].is == worker::registered))
        return give(me, w, thief);
      if (--me.tasks == 0) me.is = worker::asks;
    }
  }

  void give(worker& me, std::uint32_t w, std::uint32_t thief) {
    worker& to = of_[thief];
    if (to.is == worker::registered) {
      const bool crosses = place_of(thief) != place_of(w);
      me.answered += crosses ? 1 : 0;
      inbox_[place_of(thief)].push_back({message::update, thief, 0, crosses});
    }
    --me.tasks;
    to.tasks = 1 + (below(3) == 0 ? 1 : 0);  // it may spawn
    to.is = worker::busy;
  }

  void manage(std::uint32_t place) {
    if (inbox_[place].empty()) return;
    const message m = inbox_[place].front();
    inbox_[place].pop_front();
    census& c = managers_[place];
    switch (m.is) {
      case message::idle:
        of_[m.from].is = worker::registered;
        return conclude(place, c.registers(rank_of(m.from), m.answered));
      case message::update: return c.unregisters(rank_of(m.from), m.crosses);
      case message::asked: return conclude(place, c.asked());
      case message::told: return conclude(place, c.told(m.sums));
    }
  }

  void conclude(std::uint32_t place, step next) {
    if (next == step::over) over_ = true;
    if (next == step::tell) inbox_[head].push_back({message::told, 0, 0, false, managers_[place].sums()});
    if (next != step::ask) return;
    for (std::uint32_t p = 0; p < places; ++p)
      if (p != head) inbox_[p].push_back({message::asked, 0});
  }

  leat::protocol::random random_;
  std::vector<worker> of_;
  std::vector<std::deque<message>> inbox_;
  std::vector<census> managers_;
  bool over_ = false;
};

// The end is found in each world, and in none too early.
TEST(census, finds_the_end_of_all_tasks) {
  constexpr int steps_max = 20'000;
  constexpr int seeds = 100'000;
  for (int seed = 0; seed < seeds; ++seed) {
    world w(static_cast<std::uint64_t>(seed));
    for (int i = 0; i < steps_max && !w.is_over(); ++i) {
      w.go_on();
      ASSERT_FALSE(w.is_over() && w.has_tasks()) << "seed " << seed << ", step " << i;
    }
    ASSERT_TRUE(w.is_over()) << "seed " << seed;
  }
}

}  // namespace
