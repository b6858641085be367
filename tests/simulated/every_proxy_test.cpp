// Proxies of blocked workers (rules BLOCKING-3, BLOCKING-4 and BLOCKING-6), with two and three threads
// that ask, in every schedule with at most three preemptions.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "every_schedule.hpp"
#include "leat/handshake/presence.hpp"
#include "leat/handshake/proxies.hpp"
#include "leat/platform/simulated.hpp"

namespace {

using leat::platform::acq_rel;
using leat::platform::simulated;
using leat_test::expect_here;
using leat_test::in_every_schedule;
using word = simulated::atomic<std::uint32_t>;

// Blocked for good. What it is asked is counted, and so is what its proxies have seen.
struct blocked_worker {
  void poll_by_proxy() {
    expect_here(++inside == 1, "two poll for it at the same time (BLOCKING-4)");
    const std::uint32_t sent = asked.load(leat::platform::acquire);
    simulated::relax();  // a poll takes a while
    seen = sent;
    ++polls;
    --inside;
  }

  leat::handshake::presence<simulated> presence;
  word asked{0};
  std::uint32_t seen = 0;
  std::uint32_t polls = 0;
  std::uint32_t inside = 0;
};

using proxies = leat::handshake::proxies<simulated, blocked_worker>;

// Each thread asks each worker `times` times and tries to serve after each.
void ask_and_serve(std::size_t threads, std::size_t blocked, std::uint32_t times) {
  constexpr std::size_t most = 3;
  in_every_schedule([=] {
    proxies there(blocked);
    std::array<blocked_worker, most> workers;
    const auto ask = [&] {
      for (std::uint32_t i = 0; i < times; ++i) {
        for (std::size_t w = 0; w < blocked; ++w) {
          workers[w].asked.fetch_add(1, acq_rel);
          there.call(workers[w]);
          there.serve();
        }
      }
    };
    std::array<simulated::thread, most> others;
    for (std::size_t i = 1; i < threads; ++i) others[i] = simulated::thread(ask);
    ask();
    for (std::size_t i = 1; i < threads; ++i) others[i].join();
    for (std::size_t w = 0; w < blocked; ++w) {
      expect_here(workers[w].seen == threads * times, "a call is without a later poll (BLOCKING-3, BLOCKING-6)");
      expect_here(workers[w].polls <= threads * times, "there are more polls than calls");
    }
  });
}

TEST(every_schedule, of_two_that_ask_a_blocked_worker) { ask_and_serve(2, 1, 2); }
TEST(every_schedule, of_two_that_ask_two_blocked_workers) { ask_and_serve(2, 2, 1); }
TEST(every_schedule, of_three_that_ask_a_blocked_worker) { ask_and_serve(3, 1, 1); }

}  // namespace
