// The cluster's engines where ranks meet at a bad moment, call by call.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "leat/cluster/arena.hpp"
#include "leat/cluster/local_world.hpp"
#include "leat/cluster/messages_engine.hpp"
#include "leat/cluster/rma_engine.hpp"
#include "leat/cluster/two_sided_engine.hpp"

namespace {

using namespace leat::ranks;

// One rank by its parts.
template <class Engine>
struct bare_rank {
  template <class... Options>
  explicit bare_rank(std::unique_ptr<transport> t, Options... options)
      : by(std::move(t)), engine(*by, post, counters, options...) {
    post.begin(1);
    engine.begin();
  }

  std::unique_ptr<transport> by;
  mail post{*by};
  leat::rank_counters counters;
  arena<int> tasks;
  Engine engine;
};

// Ranks of the engine `messages`, and letters that come at once.
class Messages : public testing::Test {
 protected:
  Messages() {
    constexpr std::uint32_t attempts = 8;
    for (rank_id r = 0; r < 3; ++r) {
      ranks.push_back(std::make_unique<bare_rank<messages_engine>>(world_.end_of(r), attempts));
    }
  }

  // Delivers what is sent, and what is sent then, until nothing is. Returns whether it came to that.
  bool deliver_all() {
    constexpr int letters_max = 1000;
    int letters = 0;
    for (bool any = true; std::exchange(any, false);) {
      for (const auto& r : ranks) {
        for (letter l; letters != letters_max && r->post.receive(l); ++letters) {
          r->engine.deliver(l, r->tasks);
          any = true;
        }
      }
    }
    return letters != letters_max;
  }

 private:
  local_world world_{3};

 protected:
  std::vector<std::unique_ptr<bare_rank<messages_engine>>> ranks;
};

TEST_F(Messages, ARequestThatAllHaveSpurnedRests) {
  ranks[0]->engine.seek();
  EXPECT_TRUE(deliver_all());
}

TEST_F(Messages, WhoSpurnedARequestAndHasWorkLaterSaysSo) {
  ranks[0]->engine.seek();
  ASSERT_TRUE(deliver_all());
  // Rank 2 comes by work, and rank 1 by some of it, without the manager.
  for (int i = 0; i < 8; ++i) ranks[2]->tasks.push(i);
  ranks[2]->tasks.release();
  ranks[1]->engine.seek();
  ASSERT_TRUE(deliver_all());
  EXPECT_TRUE(ranks[1]->tasks.busy());
  EXPECT_TRUE(ranks[0]->tasks.busy());
}

TEST_F(Messages, ARequestIsKeptForAsManyPollsHoweverManyCome) {
  constexpr std::uint32_t handed = 200;
  constexpr int polls = 1000;
  ranks[1]->tasks.push(1);  // busy, and nothing to spare
  for (std::uint32_t i = 0; i < handed; ++i) {
    letter l{0, mail_kind::hand, {}};
    leat::packing<request>::pack(request{0, i, 0}, l.body);
    ranks[1]->engine.deliver(l, ranks[1]->tasks);
  }
  letter l;
  EXPECT_FALSE(ranks[0]->post.receive(l)) << "one has been pooled";
  for (int i = 0; i < polls; ++i) ranks[1]->engine.poll(ranks[1]->tasks);
  std::uint32_t pooled = 0;
  for (; ranks[0]->post.receive(l); ++pooled) EXPECT_EQ(l.kind, mail_kind::pool);
  EXPECT_EQ(pooled, handed);
}

// Two ranks of the engine `two-sided`, whose letters a test delivers.
class TwoSided : public testing::Test {
 protected:
  using rank = bare_rank<two_sided_engine>;

  // Delivers what has come to it; returns of which kinds it was.
  static std::vector<mail_kind> hear(rank& r) {
    std::vector<mail_kind> kinds;
    for (letter l; r.post.receive(l); kinds.push_back(l.kind)) r.engine.deliver(l, r.tasks);
    return kinds;
  }

  local_world world{2};
  rank first{world.end_of(0)};
  rank second{world.end_of(1)};
};

TEST_F(TwoSided, AVictimGivesOrRefuses) {
  second.engine.seek();
  first.tasks.push(1);
  EXPECT_EQ(hear(first), std::vector{mail_kind::request});
  EXPECT_EQ(hear(second), std::vector{mail_kind::refusal});
  EXPECT_EQ(second.counters[leat::rank_event::answers_busy], 1U);
  second.engine.seek();
  for (int i = 2; i < 9; ++i) first.tasks.push(i);
  first.tasks.release();
  (void)hear(first);
  EXPECT_EQ(hear(second), std::vector{mail_kind::work});
  EXPECT_EQ(second.tasks.size(), 4U);
}

TEST_F(TwoSided, ARankWithARequestOutKeepsTheToken) {
  second.engine.seek();  // to the first, which has not answered yet
  first.engine.seek();
  EXPECT_EQ(hear(second), (std::vector{mail_kind::token, mail_kind::request}));
  second.engine.seek();
  EXPECT_EQ(hear(first), (std::vector{mail_kind::request, mail_kind::refusal}));  // and no token
  (void)hear(second);
  second.engine.seek();
  EXPECT_EQ(hear(first), (std::vector{mail_kind::token, mail_kind::request}));
  first.engine.seek();
  EXPECT_TRUE(first.engine.ended());
  (void)hear(second);
  EXPECT_TRUE(second.engine.ended());
}

TEST_F(TwoSided, WhatNobodyAskedForIsRefused) {
  EXPECT_THROW(second.engine.deliver({0, mail_kind::work, {}}, second.tasks), std::runtime_error);
  EXPECT_THROW(second.engine.deliver({0, mail_kind::refusal, {}}, second.tasks), std::runtime_error);
  EXPECT_THROW(second.engine.deliver({0, mail_kind::token, {}}, second.tasks), std::runtime_error);  // without colour
  letter odd{0, mail_kind::token, {}};
  leat::packing<std::uint32_t>::pack(2, odd.body);
  EXPECT_THROW(second.engine.deliver(odd, second.tasks), std::runtime_error);
  letter twice{1, mail_kind::token, {}};
  leat::packing<std::uint32_t>::pack(0, twice.body);
  EXPECT_THROW(first.engine.deliver(twice, first.tasks), std::runtime_error);  // it is here already
}

// Windows of ranks that do everything at once, but for reads and writes that a test keeps back.
struct windows {
  struct late_write {
    rank_id to;
    std::size_t word;
    std::uint64_t value;
  };

  std::vector<std::vector<std::uint64_t>> words;
  std::optional<std::pair<rank_id, rank_id>> reads_held;  // by whom, of whom, if they begin from now on
  std::optional<rank_id> writes_held_to;
  std::vector<late_write> held;

  void let_writes_go() {
    writes_held_to.reset();
    for (const late_write& w : std::exchange(held, {})) words[w.to][w.word] = w.value;
  }
};

class window_end final : public transport {
 public:
  window_end(windows& all, rank_id self) : all_(all), self_(self) {}

  rank_id rank() const noexcept override { return self_; }
  rank_id ranks() const noexcept override { return static_cast<rank_id>(all_.words.size()); }
  void send(rank_id, std::span<const std::byte>) override {}
  bool receive(message&) override { return false; }
  void open_window(std::size_t words, std::size_t) override { all_.words[self_].resize(words); }
  void load(std::size_t first, std::span<std::uint64_t> into) override {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = all_.words[self_][first + i];
  }
  void store(std::size_t word, std::uint64_t value) override { all_.words[self_][word] = value; }
  void take_landed(std::span<std::byte>) override {}
  void read(rank_id of, std::size_t word) override {
    read_ = all_.words[of][word];
    held_ = all_.reads_held == std::pair(self_, of);
  }
  std::optional<std::uint64_t> take_read() override {
    if (held_ && all_.reads_held) return std::nullopt;
    return std::exchange(read_, std::nullopt);
  }
  void write(rank_id to, std::span<const std::byte>, std::size_t word, std::uint64_t value) override {
    if (all_.writes_held_to == to) {
      all_.held.push_back({to, word, value});
    } else {
      all_.words[to][word] = value;
    }
  }
  std::uint64_t add(rank_id of, std::size_t word, std::uint64_t addend) override {
    return std::exchange(all_.words[of][word], all_.words[of][word] + addend);
  }
  void abandon(std::string_view) override {}

 private:
  windows& all_;
  rank_id self_;
  std::optional<std::uint64_t> read_;
  bool held_ = false;
};

using rma_rank = bare_rank<rma_engine>;

// Polls, and seeks work if there is none: for longer than all tours and pauses take.
void go_on(rma_rank& r) {
  for (int i = 0; i < 1000; ++i) {
    r.engine.poll(r.tasks);
    if (!r.tasks.busy()) r.engine.seek();
  }
}

// Ranks that meet in `all`, and have polled once.
std::vector<std::unique_ptr<rma_rank>> ranks_in(windows& all, rank_id count, bool prefetch = false) {
  all.words.resize(count);
  std::vector<std::unique_ptr<rma_rank>> ranks;
  for (rank_id r = 0; r < count; ++r)
    ranks.push_back(std::make_unique<rma_rank>(std::make_unique<window_end>(all, r), prefetch));
  for (const auto& r : ranks) r->engine.poll(r->tasks);
  return ranks;
}

// Tasks of which others may have some, as its status says.
void share_work(rma_rank& r) {
  for (int i = 0; i < 8; ++i) r.tasks.push(i);
  r.tasks.release();
  r.engine.poll(r.tasks);
}

// RMA-5: a worker that looks for tasks may take its rank for busy while it is in a tour, or counted as idle.
TEST(Rma, ARankThatSeeksOrIsCountedAsksForNothingAhead) {
  windows all;
  const auto ranks = ranks_in(all, 2, true);
  rma_rank& idle = *ranks[1];
  all.reads_held.emplace(idle.by->rank(), ranks[0]->by->rank());
  idle.engine.seek();  // it reads
  idle.engine.running_low();
  EXPECT_EQ(idle.counters[leat::rank_event::requests], 0u);
  all.reads_held.reset();
  go_on(idle);  // it is counted
  idle.engine.running_low();
  EXPECT_EQ(idle.counters[leat::rank_event::requests], 0u);
  ranks[0]->tasks.push(1);
  ranks[0]->engine.running_low();
  EXPECT_EQ(ranks[0]->counters[leat::rank_event::requests], 1u);
}

// RMA-6.
TEST(Rma, OneRankWritesTheEndOfARun) {
  windows all;
  const auto ranks = ranks_in(all, 3);
  rma_rank& early = *ranks[1];
  rma_rank& busy = *ranks[2];
  rma_rank& last = *ranks[0];
  go_on(early);  // it is counted
  // Work moves to a rank that it has just visited. It reads that there is some, but slowly.
  share_work(busy);
  all.reads_held.emplace(early.by->rank(), busy.by->rank());
  go_on(early);
  busy.tasks.clear();
  go_on(busy);
  all.writes_held_to = early.by->rank();
  go_on(last);
  EXPECT_TRUE(last.engine.ended());
  // All are counted. Now it wants to ask, must not be counted for that, and hears of the end from the last rank alone.
  all.reads_held.reset();
  for (int i = 0; i < 3; ++i) {
    go_on(early);
    go_on(busy);
  }
  EXPECT_TRUE(busy.engine.ended());
  EXPECT_FALSE(early.engine.ended());
  ASSERT_EQ(all.held.size(), 1U);
  all.let_writes_go();
  go_on(early);
  EXPECT_TRUE(early.engine.ended());
  EXPECT_TRUE(early.engine.settled());
}

// RMA-7: what a rank has begun to read belongs to the run in which it did.
TEST(Rma, NobodyLeavesARunBeforeItsReadHasCome) {
  windows all;
  const auto ranks = ranks_in(all, 2);
  rma_rank& late = *ranks[1];
  rma_rank& last = *ranks[0];
  go_on(late);  // it is counted, and goes on reading
  all.reads_held.emplace(late.by->rank(), last.by->rank());
  go_on(late);
  go_on(last);
  EXPECT_TRUE(last.engine.ended());
  EXPECT_TRUE(last.engine.settled());
  late.engine.poll(late.tasks);
  EXPECT_TRUE(late.engine.ended());
  EXPECT_FALSE(late.engine.settled());
  all.reads_held.reset();
  late.engine.seek();
  EXPECT_TRUE(late.engine.settled());
  go_on(late);
  EXPECT_TRUE(late.engine.settled()) << "it begins no other";
}

// RMA-7: all answer until all have left, and with RMA-6 who waits for an answer is not counted.
TEST(Rma, ARunDoesNotEndWhileARequestIsOut) {
  windows all;
  const auto ranks = ranks_in(all, 3);
  rma_rank& asks = *ranks[1];
  rma_rank& asked = *ranks[2];
  rma_rank& other = *ranks[0];
  share_work(asked);
  go_on(asks);  // its request lies there
  asked.tasks.clear();
  all.writes_held_to = asks.by->rank();  // the answer is on its way
  for (int i = 0; i < 3; ++i) {
    for (const auto& r : ranks) go_on(*r);
  }
  EXPECT_FALSE(asks.engine.settled());
  EXPECT_FALSE(other.engine.ended());
  all.let_writes_go();
  for (int i = 0; i < 3; ++i) {
    for (const auto& r : ranks) go_on(*r);
  }
  for (const auto& r : ranks) {
    EXPECT_TRUE(r->engine.ended());
    EXPECT_TRUE(r->engine.settled());
  }
}

// RMA-3: a request of a run that failed gets no answer in the next one, where it would be taken for the answer to
// another.
TEST(Rma, ARequestOfAnEarlierRunIsNotAnswered) {
  windows all;
  const auto ranks = ranks_in(all, 2);
  rma_rank& thief = *ranks[1];
  rma_rank& victim = *ranks[0];
  share_work(victim);
  go_on(thief);
  EXPECT_FALSE(thief.engine.settled());
  for (const auto& r : ranks) {
    r->tasks.clear();
    r->post.begin(2);
    r->engine.begin();
  }
  share_work(victim);
  EXPECT_EQ(victim.counters[leat::rank_event::tasks_given], 0U);
}

}  // namespace
