// Who looks in the stead of an absent worker (rules BLOCKING-3, BLOCKING-4 and BLOCKING-6), with two and three threads
// that ask, in every schedule with at most three preemptions.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "every_schedule.hpp"
#include "leat/platform/simulated.hpp"
#include "leat/scheduler/attendance.hpp"
#include "leat/scheduler/presence.hpp"

namespace {

using leat::platform::acq_rel;
using leat::platform::simulated;
using leat_test::expect_here;
using leat_test::in_every_schedule;
using word = simulated::atomic<std::uint32_t>;

// Absent for good. What it is asked is counted, and so is what those who look in its stead have seen.
struct absent_worker {
  void attend() {
    expect_here(++inside == 1, "two look in its stead at the same time (BLOCKING-4)");
    const std::uint32_t sent = asked.load(leat::platform::acquire);
    simulated::relax();  // a look takes a while
    seen = sent;
    ++looks;
    --inside;
  }

  leat::scheduler::presence<simulated> presence;
  word asked{0};
  std::uint32_t seen = 0;
  std::uint32_t looks = 0;
  std::uint32_t inside = 0;
};

using attendance = leat::scheduler::attendance<simulated, absent_worker>;

// Each thread asks each worker `times` times and tries to attend after each.
void ask_and_attend(std::size_t threads, std::size_t absent, std::uint32_t times) {
  constexpr std::size_t most = 3;
  in_every_schedule([=] {
    attendance there(absent);
    std::array<absent_worker, most> workers;
    const auto ask = [&] {
      for (std::uint32_t i = 0; i < times; ++i) {
        for (std::size_t w = 0; w < absent; ++w) {
          workers[w].asked.fetch_add(1, acq_rel);
          there.call(workers[w]);
          there.attend();
        }
      }
    };
    std::array<simulated::thread, most> others;
    for (std::size_t i = 1; i < threads; ++i) others[i] = simulated::thread(ask);
    ask();
    for (std::size_t i = 1; i < threads; ++i) others[i].join();
    for (std::size_t w = 0; w < absent; ++w) {
      expect_here(workers[w].seen == threads * times, "a call is without a later look (BLOCKING-3, BLOCKING-6)");
      expect_here(workers[w].looks <= threads * times, "there are more looks than calls");
    }
  });
}

TEST(every_schedule, of_two_who_ask_an_absent_worker) { ask_and_attend(2, 1, 2); }
TEST(every_schedule, of_two_who_ask_two_absent_workers) { ask_and_attend(2, 2, 1); }
TEST(every_schedule, of_three_who_ask_an_absent_worker) { ask_and_attend(3, 1, 1); }

}  // namespace
