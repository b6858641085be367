// The tasks of a rank of several workers (rules SEAT-1 to SEAT-4), with two and three workers, in every schedule with at most three
// preemptions.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "every_schedule.hpp"
#include "leat/cluster/rank_tasks.hpp"
#include "leat/platform/simulated.hpp"

namespace {

using leat::platform::simulated;
using leat_test::expect_here;
using leat_test::in_every_schedule;
using rank_tasks = leat::ranks::rank_tasks<simulated, std::uint32_t>;

// Task n emits n tasks without further ones.
struct rank_of {
  explicit rank_of(std::uint32_t workers) : tasks({}, workers) {}

  void expand(rank_tasks::seat& s) {
    for (std::uint32_t n = s.own.pop(); n != 0; --n) s.own.push(0);
    expanded.fetch_add(1, leat::platform::relaxed);
    tasks.open_some(s);
  }

  // What a worker but the first does: it looks for tasks so often, and expands what it finds.
  void work(std::uint32_t worker, std::uint32_t times) {
    rank_tasks::seat& s = tasks.at(worker);
    while (!tasks.stops() && times != 0) {
      if (s.own.size() != 0 || tasks.find(s)) expand(s);
      else --times;
    }
    tasks.end_work(s);
  }

  std::uint32_t done() const { return expanded.load(leat::platform::relaxed); }

  rank_tasks tasks;
  simulated::atomic<std::uint32_t> expanded{0};
};

// SEAT-3: the first worker says that the rank is idle when no task is left, and not before.
void end(std::uint32_t workers, std::uint32_t preemptions) {
  const std::uint64_t worlds = in_every_schedule(
      [=] {
        rank_of r(workers);
        rank_tasks::seat& mine = r.tasks.at(0);
        r.tasks.add(mine, 2);
        r.tasks.add(mine, 0);
        r.tasks.open_some(mine);
        std::array<simulated::thread, 2> others;
        for (std::uint32_t w = 1; w != workers; ++w) others[w - 1] = simulated::thread([&r, w] { r.work(w, 1); });
        while (r.tasks.busy()) {
          if (mine.own.size() != 0 || r.tasks.find(mine)) r.expand(mine);
          else simulated::yield();
        }
        expect_here(r.done() == 4, "idle, with a task left (SEAT-3)");
        for (std::uint32_t w = 1; w != workers; ++w) others[w - 1].join();
        expect_here(!r.tasks.busy(), "idle, and then not (SEAT-3)");
      },
      preemptions);
  EXPECT_GT(worlds, 100u);
}

TEST(every_schedule, of_two_that_empty_their_rank) { end(2, leat_test::preemptions_max); }
TEST(every_schedule, of_three_that_empty_their_rank) { end(3, 2); }

// SEAT-3: tasks of another rank land while a worker looks for some; nobody was at work.
TEST(every_schedule, of_tasks_that_land) {
  in_every_schedule([] {
    rank_of r(2);
    simulated::thread other([&r] { r.work(1, 2); });
    std::vector<std::byte> bytes;
    for (const std::uint32_t n : {0u, 0u, 0u}) leat::ranks::pack_task(n, bytes);
    expect_here(r.tasks.take(bytes) == 3, "three landed");
    rank_tasks::seat& mine = r.tasks.at(0);
    while (r.tasks.busy()) {
      if (mine.own.size() != 0 || r.tasks.find(mine)) r.expand(mine);
      else simulated::yield();
    }
    expect_here(r.done() == 3, "idle, with a task left (SEAT-3)");
    other.join();
  });
}

// SEAT-1, SEAT-3: the first worker gives another rank tasks that the other worker has open, and which that one takes back meanwhile.
TEST(every_schedule, of_tasks_that_are_given_away) {
  in_every_schedule([] {
    rank_of r(2);
    rank_tasks::seat& theirs = r.tasks.at(1);
    for (std::uint32_t i = 0; i != 5; ++i) r.tasks.add(theirs, 0);
    r.tasks.open_some(theirs);
    simulated::thread other([&r] { r.work(1, 1); });
    std::vector<std::byte> bytes;
    const std::size_t given = r.tasks.give(bytes);
    expect_here(r.tasks.moved().given == given, "what is given is counted");
    rank_tasks::seat& mine = r.tasks.at(0);
    while (r.tasks.busy()) {
      if (mine.own.size() != 0 || r.tasks.find(mine)) r.expand(mine);
      else simulated::yield();
    }
    expect_here(r.done() + given == 5, "idle, with a task left, or one is given and expanded (SEAT-1, SEAT-3)");
    other.join();
  });
}

// SEAT-4: when all rest, the first worker has every task that is left, and no other takes one until they go on.
TEST(every_schedule, of_workers_that_are_told_to_stop) {
  in_every_schedule([] {
    rank_of r(2);
    rank_tasks::seat& mine = r.tasks.at(0);
    for (const std::uint32_t n : {1u, 0u, 0u}) r.tasks.add(mine, n);
    r.tasks.open_some(mine);
    simulated::thread other([&r] { r.work(1, 1); });
    while (!r.tasks.all_rest()) simulated::yield();
    const std::size_t left = mine.own.size();
    const std::uint32_t done = r.done();
    std::vector<std::byte> bytes;
    leat::ranks::pack_task(std::uint32_t{0}, bytes);
    r.tasks.take(bytes);  // while it holds, another rank's answer may come
    std::vector<std::byte> packed;
    r.tasks.pack_all(packed);
    expect_here(packed.size() == (left + 1) * bytes.size(), "what has come is not in the snapshot (SEAT-4)");
    simulated::yield();
    expect_here(left + 1 == mine.own.size() && done == r.done(), "a worker works while all rest (SEAT-4)");
    other.join();
    r.tasks.go_on();
    while (r.tasks.busy()) {
      if (mine.own.size() != 0 || r.tasks.find(mine)) r.expand(mine);
    }
    expect_here(r.done() == 5, "a task is lost, or had twice (SEAT-4)");
  });
}

}  // namespace
