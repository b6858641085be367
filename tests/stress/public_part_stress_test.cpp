// Public parts among thieves: each task and each fork goes to one taker, the owner or a thief, and to no other.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "engines.hpp"
#include "leat/deque/fork_stack.hpp"
#include "leat/deque/private.hpp"
#include "leat/platform/native.hpp"
#include "leat/protocol/random.hpp"

namespace {

constexpr auto any = [] { return true; };

using P = leat::platform::native;
using deque = leat::deque::private_deque<P, std::uint64_t>;
using stack = leat::deque::fork_stack<P>;
using slot = leat::deque::fork_slot<P>;

/// How often each of `size` things was taken.
class takings {
 public:
  explicit takings(std::size_t size) : times_(size) {}
  void take(std::uint64_t thing) { times_[thing].fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t taken_otherwise_than_once() const {
    std::uint64_t wrong = 0;
    for (const auto& t : times_) wrong += t != 1;
    return wrong;
  }

 private:
  std::vector<std::atomic<std::uint8_t>> times_;
};

/// Calls owner() on this thread, and thief() again and again on `count` others until owner() returns.
template <class Owner, class Thief>
void among_thieves(int count, Owner owner, Thief thief) {
  std::atomic<bool> over{false};
  std::vector<std::thread> thieves;
  for (int i = 0; i < count; ++i) {
    thieves.emplace_back([&] {
      while (!over.load(std::memory_order_relaxed)) {
        if (!thief()) std::this_thread::yield();
      }
    });
  }
  owner();
  over = true;
  for (auto& t : thieves) t.join();
}

/// Who gets most of the tasks: their owner, which pops as many as it pushes; or thieves, to whom it leaves nearly all.
enum class destined { for_owner, for_thieves };

/// The owner pushes tasks and pops them, and makes some public from time to time, or all. How many thieves took.
std::uint64_t deque_hands_off(std::uint64_t tasks, bool all, std::uint64_t seed, destined most = destined::for_owner) {
  deque d(1, all);
  takings taken(tasks);
  std::atomic<std::uint64_t> stolen{0};
  const auto own = [&] {
    leat::protocol::random random(seed);
    std::uint64_t next = 0;
    std::uint64_t popped = 0;
    const auto pop = [&] {
      const std::uint64_t* task = all ? nullptr : d.pop();
      // Half of the times a split deque is closed, as while tasks are long.
      if (task == nullptr && d.newest_public() != nullptr && (all || random.below(2) == 0)) task = d.pop_public();
      const bool slow = task == nullptr;
      if (slow) {
        d.close();
        task = d.pop_without_poll();
      }
      const bool some = task != nullptr;
      if (some) taken.take(*task), ++popped;
      if (slow) {
        d.rewind();
        d.open(all ? 0 : random.below(static_cast<std::uint32_t>(d.size()) + 1));
      }
      return some;
    };
    const auto leave_to_thieves = [&] {
      constexpr std::uint64_t left_max = 10'000;
      if (!all) d.close(), d.rewind(), d.open(d.size());
      while (next > popped + stolen.load(std::memory_order_relaxed) + left_max) std::this_thread::yield();
    };
    const std::uint32_t pops_end = most == destined::for_owner ? 20 : 2;
    d.open(0);
    while (next < tasks) {
      for (std::uint32_t pushes = random.below(20); pushes != 0 && next < tasks; --pushes) {
        if (d.full()) {
          d.close();
          while (d.room() == nullptr) d.grow();
          d.open(all ? 0 : d.size() / 2);
        }
        *d.free_slot() = next++;
        d.push();
        if (all) d.open(0);
      }
      for (std::uint32_t pops = random.below(pops_end); pops != 0 && pop(); --pops) {
      }
      if (most == destined::for_thieves) leave_to_thieves();
    }
    while (pop()) {
    }
    d.close();
  };
  among_thieves(3, own, [&] {
    const auto run = d.steal(any);
    if (run.count == 0) return false;
    taken.take(*run.first);
    d.give_back();
    ++stolen;
    return true;
  });
  EXPECT_EQ(taken.taken_otherwise_than_once(), 0u);
  return stolen;
}

TEST(public_part_stress, of_a_split_deque_hands_each_task_to_one) {
  deque_hands_off(static_cast<std::uint64_t>(leat_test::reps(1'000'000)), false, 1);
}

TEST(public_part_stress, of_a_deque_where_all_is_public_hands_each_task_to_one) {
  deque_hands_off(static_cast<std::uint64_t>(leat_test::reps(1'000'000)), true, 2);
}

TEST(public_part_stress, hands_off_a_hundred_million_tasks) {
  const int rounds = leat_test::reps(50);
  std::uint64_t stolen = 0;
  for (int i = 0; i < rounds; ++i) {
    for (const bool all : {false, true}) stolen += deque_hands_off(1'000'000, all, static_cast<std::uint64_t>(i));
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(stolen, 0u);
  RecordProperty("stolen", std::to_string(stolen));
}

// The owner gets one of 19 at most, beside those that are left at the end.
TEST(public_part_stress, hands_a_hundred_million_tasks_to_thieves_long) {
  const int rounds = leat_test::reps(50);
  constexpr std::uint64_t tasks = 1'000'000;
  std::uint64_t stolen = 0;
  for (int i = 0; i < rounds; ++i) {
    for (const bool all : {false, true})
      stolen += deque_hands_off(tasks, all, static_cast<std::uint64_t>(i), destined::for_thieves);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(stolen, static_cast<std::uint64_t>(rounds) * tasks);  // of twice as many
  RecordProperty("stolen", std::to_string(stolen));
}

void execute(slot&, slot*) {}

/// The owner forks and joins, in a tree as programs do; a fork that a thief has taken is joined when that says so.
class forks_handed_off {
 public:
  forks_handed_off(bool all, bool marked) : all_(all), marked_(marked), forks_(nullptr, all), top_(forks_.base()) {}

  void run(std::uint64_t count) {
    takings taken(count);
    taken_ = &taken;
    left_ = count;
    among_thieves(3, [&] { own(); }, [&] { return steal(); });
    EXPECT_EQ(taken.taken_otherwise_than_once(), 0u);
  }

 private:
  void own() {
    forks_.open(0);
    while (left_ != 0) fork(12);
    forks_.close();
  }

  void fork(int depth) {
    if (left_ == 0) return;
    slot* const s = top_;
    const std::uint64_t thing = --left_;
    ::new (static_cast<void*>(s->payload)) std::uint64_t(thing);
    P::publish(s->call, execute);
    P::publish(top_, s + 1);
    if (depth != 0) fork(depth - 1);
    if (!all_ && random_.below(4) == 0) expose();
    if (marked_) P::put(s->call, nullptr);
    P::put(top_, s);
    P::signal_fence();
    if (given_away(s)) {
      while (s->state.load(std::memory_order_acquire) == slot::outcome::none) std::this_thread::yield();
      s->state.store(slot::outcome::none, std::memory_order_relaxed);
      forks_.joined(s);
      if (all_) forks_.open(0);
    } else {
      taken_->take(thing);
    }
    if (depth != 0 && random_.below(2) == 0) fork(depth - 1);
  }

  // More while some are public; or, as while tasks are long, some of all.
  void expose() {
    if (random_.below(2) == 0) forks_.close();
    const auto pending = top_ > forks_.bottom() ? static_cast<std::uint32_t>(top_ - forks_.bottom()) : 0;
    forks_.open(random_.below(pending + 1));
  }

  // As a join finds out.
  bool given_away(slot* s) {
    if (stack::word(s) >= stack::header_of(s).limit.load(std::memory_order_relaxed)) return false;
    if (all_ || random_.below(2) == 0) return !forks_.pop_public(s);
    forks_.close();
    return forks_.given_away(s);
  }

  bool steal() {
    slot::call_type call = nullptr;
    slot* const s = marked_ ? forks_.take_marked(call, any) : forks_.take_plain(top_, any);
    if (s == nullptr) return false;
    if (!marked_) call = s->call;
    if (call == execute) taken_->take(*reinterpret_cast<std::uint64_t*>(s->payload));
    s->state.store(slot::outcome::done, std::memory_order_release);
    return true;
  }

  const bool all_;
  const bool marked_;
  stack forks_;
  slot* top_;
  leat::protocol::random random_{3};
  std::uint64_t left_ = 0;
  takings* taken_ = nullptr;
};

TEST(public_part_stress, of_forks_hands_each_to_one) {
  for (const bool all : {false, true}) {
    for (const bool marked : {false, true}) {
      SCOPED_TRACE(std::string(all ? "all" : "split") + (marked ? ", marked" : ", plain"));
      forks_handed_off(all, marked).run(static_cast<std::uint64_t>(leat_test::reps(300'000)));
    }
  }
}

TEST(public_part_stress, of_forks_hands_off_many_long) {
  for (const bool all : {false, true}) {
    for (const bool marked : {false, true}) {
      for (int i = 0; i < leat_test::reps(10); ++i) forks_handed_off(all, marked).run(1'000'000);
    }
  }
}

}  // namespace
