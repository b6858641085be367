// Waits are no work: here all threads have the same clock, so a strand that goes on while another one runs counts twice.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>

#include "profiled/measuring.hpp"

using leat_test::measure;
using leat_test::measured;

namespace {

std::atomic<std::uint64_t> now_ns{1};
std::atomic<std::uint64_t> readings{0};
std::uint64_t read_now() noexcept {
  ++readings;
  return now_ns;
}
void take_together(std::uint64_t ns) { now_ns += ns; }

measured measure_together(const std::function<void()>& f) { return measure(1, f, nullptr, &read_now); }

// A thread outside of leat, which lets time pass and calls f as soon as the caller has read the clock: it is in its wait then.
class after_next_reading {
 public:
  explicit after_next_reading(std::function<void()> f)
      : thread_([f, before = readings.load()] {
          for (int i = 0; i != 1000 && readings == before; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          take_together(1000);
          f();
        }) {}
  ~after_next_reading() { thread_.join(); }

 private:
  std::thread thread_;
};

}  // namespace

TEST(waits, for_a_message_are_no_work) {
  const measured m = measure_together([] {
    leat::channel<int> c(1);
    take_together(10);
    const after_next_reading sender([&c] { c.close(); });
    EXPECT_FALSE(c.receive());
  });
  EXPECT_EQ(m.whole.work, 10u);
}

TEST(waits, for_room_are_no_work) {
  const measured m = measure_together([] {
    leat::channel<int> c(1);
    take_together(10);
    EXPECT_TRUE(c.send(1));
    const after_next_reading receiver([&c] { EXPECT_EQ(c.try_receive(), 1); });
    EXPECT_TRUE(c.send(2));
  });
  EXPECT_EQ(m.whole.work, 10u);
}

// The run of the other runtime lies between the caller's two strands.
TEST(waits, for_another_runtime_are_no_work) {
  const measured m = measure_together([] {
    leat::runtime other({.workers = 1});
    take_together(300);
    EXPECT_EQ(other.run([] { return take_together(500), 1; }), 1);
    take_together(100);
  });
  EXPECT_EQ(m.whole.work, 900u);
  EXPECT_EQ(m.whole.span, 900u);
}

// There, runtime::run only calls its function.
TEST(waits, are_none_in_a_run_of_the_same_runtime) {
  leat::runtime same({.workers = 1});
  leat_test::profiled::strand_clock = &read_now;
  ASSERT_TRUE(leat_test::session::begin(nullptr));
  same.run([&same] {
    take_together(300);
    same.run([] { take_together(500); });
    take_together(100);
  });
  const measured m = leat_test::read_spans();
  leat_test::session::turn_off();
  EXPECT_EQ(m.whole.work, 900u);
  EXPECT_EQ(m.whole.span, 900u);
}
